"""Names of the output: from OpName, made to be C++ and to mean one thing each."""

from __future__ import annotations

import re

from ..ir.names import RESERVED, cxx_name
from ..ir.types import BUILTIN_TYPES

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict "
    "return short signed sizeof static struct switch typedef typeof union unsigned void volatile while bool half".split()
)
_WRONG = re.compile(r"\W", re.ASCII)


def identifier(name: str) -> str:
    """The nearest C++ identifier; "" where nothing of the name is left."""
    made = _WRONG.sub("_", name).strip("_") if not name.isidentifier() or not name.isascii() else name
    if made[:1].isdigit():
        made = "_" + made
    if made in RESERVED or made in _KEYWORDS or made in BUILTIN_TYPES or made.startswith("__"):
        made = made.strip("_") + "_"
    return made


def kernel_name(name: str) -> str:
    """What the output calls a kernel: its own name where that can be, since profilers show it. SPIR-V takes any characters in it."""
    made = cxx_name(name)
    if made.isidentifier() and made.isascii() and made not in _KEYWORDS and made not in BUILTIN_TYPES:
        return made
    return identifier(made) or "kernel"


class Names:
    """Hands out each name once in a scope and those around it."""

    def __init__(self, outer: Names | None = None):
        self.outer = outer
        self._taken: set[str] = set()

    def taken(self, name: str) -> bool:
        return name in self._taken or (self.outer is not None and self.outer.taken(name))

    def new(self, wanted: str) -> str:
        """`wanted`, or with a number behind it where it is taken."""
        name, number = wanted, 1
        while self.taken(name):
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    def all(self) -> set[str]:
        return set(self._taken)
