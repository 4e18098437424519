"""Where a statement came from: the file and line of the OpLine that holds for an instruction, else its offset in the module.

Positions in the representation are offsets of instructions, in words; this is what turns them into places for people.
"""

from __future__ import annotations

from ..diagnostics import Position
from ..linemap import SourceFile
from .module import Module


class Places:
    """What emission asks of the source."""

    def __init__(self, name: str, module: Module):
        self.name = name
        self._lines = module.places
        self._file = SourceFile(name, "")

    def locate(self, pos: int) -> Position:
        known = self._lines.get(pos)
        return Position(known[0] or self.name, known[1], 1) if known else Position(self.name, max(pos, 1), 1)

    def origin(self, pos: int) -> tuple[SourceFile, int]:
        return self._file, 1  # there is no text to take comments and blank lines from

    def source_line(self, position: Position) -> str:
        return ""
