"""How a program's functions learn how large a sub-group is (cl_intel_required_subgroup_size).

Sub-groups are warps, and nobody has to say so. Where a kernel requires smaller ones, every function that acts on sub-groups, the
library's and the user's, takes their size as its last argument, so that each kernel has its own:

    __device__ float helper(float x, auto sub_group) { return sub_group_reduce_add(x, sub_group); }
    __global__ void k(float *x) { constexpr sub_group_tile<16> sub_group{}; *x = helper(*x, sub_group); }
"""

from __future__ import annotations

from collections.abc import Sequence

from ...builtins import table
from ...builtins.any_type_rows import ANY_TYPE_ROWS
from ..ir import nodes as ir
from ..ir.walk import reachable
from .types import Use

WARP = 32


def required_size(kernel: ir.Function) -> int | None:
    return next(iter(kernel.attributes.get("intel_reqd_sub_group_size", ())), None)


class SubGroups:
    """What the functions of all programs that are linked into one know of the size of sub-groups."""

    def __init__(self, programs: Sequence[ir.Program], uses: dict[Use, None]):
        self.uses = uses
        self.needed = any(required_size(f) not in (None, WARP) for program in programs for f in program.functions)
        self._known: dict[ir.Function, bool] = {}
        declared = set().union(*(program.declared for program in programs))
        self._tile = "ocl::sub_group_tile" if "sub_group_tile" in declared else "sub_group_tile"
        self._name = "sub_group"
        while self._name in declared:
            self._name += "_"

    def parameter(self, function: ir.Function) -> list[str]:
        """What the declaration of the user's function has beside the user's own parameters."""
        return [f"auto {self._name}"] if self._acts(function) else []

    def argument(self, called: ir.Function | table.Overload | str) -> list[str]:
        """What a call has beside the user's own arguments. A function of any type is given by its name."""
        if isinstance(called, ir.Function):
            needs = self._acts(called)
        else:
            needs = self.needed and (_of_any_type(called) if isinstance(called, str) else called.of_sub_group)
        return [self._name] if needs else []

    def start(self, kernel: ir.Function) -> list[str]:
        """The kernel's first line."""
        if not self._acts(kernel):
            return []
        self.uses["type", "sub_group_tile"] = None
        return [f"constexpr {self._tile}<{required_size(kernel) or WARP}> {self._name}{{}};"]

    def _acts(self, function: ir.Function) -> bool:
        """Whether it needs to know the size: it, or what it calls, acts on sub-groups."""
        if self.needed and function not in self._known:
            self._known[function] = any(_of_sub_group(name) for each in reachable(function) for name in each.builtins)
        return self.needed and self._known[function]


def _of_sub_group(name: str) -> bool:
    found = table.overloads(name)
    return found[0].of_sub_group if found else _of_any_type(name)


def _of_any_type(name: str) -> bool:
    return name.startswith("sub_group_") and name in ANY_TYPE_ROWS
