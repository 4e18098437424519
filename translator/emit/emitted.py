"""What emission gives, and what the objects of a linked program make up together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..ir import nodes as ir
from ..ir.kernel_info import KernelInfo, VariableInfo
from ..ir.read_only import keeps_const, lend_safely
from ..ir.source_map import SourceMap
from .blocks import BlockNames
from .sub_groups import SubGroups
from .types import Use


@dataclass(frozen=True)
class Emitted:
    """The CUDA C++ of a program; line_map says of each line which file and line of the program it comes from."""

    source: str
    line_map: tuple[tuple[str, int] | None, ...]
    kernels: tuple[KernelInfo, ...]
    uses: tuple[Use, ...]
    global_size: int  # bytes of the program's variables in the global address space
    variables: tuple[VariableInfo, ...]
    recursive: bool


class NestedTooDeeply(Exception):
    """Python's stack does not suffice for the item at `pos`."""

    def __init__(self, pre: SourceMap, pos: int):
        self.pre, self.pos = pre, pos


class Totals:
    """What the objects of a program make up together."""

    def __init__(self, *programs: ir.Program) -> None:
        self.uses: dict[Use, None] = {}
        self.constant_bytes = self.global_bytes = 0
        self._programs = programs
        self.sub_groups = SubGroups(programs, self.uses)
        self.blocks = BlockNames(set().union(*(program.declared for program in programs)))

    @cached_property
    def keeps_const(self) -> bool:
        """Whether pointers to const are only read through: that takes a look at all of the programs."""
        return keeps_const(self._programs)

    @cached_property
    def lend_safely(self) -> bool:
        return lend_safely(self._programs)
