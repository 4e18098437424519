"""What a module gets that is malformed, or that uses what cl2cuda does not have."""

from __future__ import annotations


class InvalidModule(Exception):
    """The module breaks a rule. The message names instruction, id and offset (in words) where there are any."""

    def __init__(self, message: str, offset: int | None = None, instruction: str = ""):
        where = f" at word {offset}" if offset is not None else ""
        super().__init__(f"{instruction}{where}: {message}" if instruction or where else message)
        self.offset = offset


class NotOffered(InvalidModule):
    """The module is valid as far as we can tell, and needs something that cl2cuda does not have."""
