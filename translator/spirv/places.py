"""Where a statement came from: the file and line of the OpLine that holds for an instruction, else its offset in the module.

Positions in the representation are offsets of instructions, in words; this is what turns them into places for people.
"""

from __future__ import annotations

from ..diagnostics import Position
from ..ir.source_map import SourceFile, SourceMap
from .module import Module


class Places(SourceMap):
    """What emission asks of the source. There is no text to take comments and blank lines from."""

    def __init__(self, name: str, module: Module):
        super().__init__()
        self.name = name
        self._places = module.places
        self._file = SourceFile(name, "")
        self.files.append(self._file)

    def locate(self, offset: int) -> Position:
        known = self._places.get(offset)
        return Position(known[0] or self.name, known[1], 1) if known else Position(self.name, max(offset, 1), 1)

    def origin(self, offset: int) -> tuple[SourceFile, int]:
        return self._file, 1

    def source_line(self, position: Position) -> str:
        return ""
