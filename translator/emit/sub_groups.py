"""How a program's functions learn how large a sub-group is (cl_intel_required_subgroup_size).

Sub-groups are warps, and nobody has to say so. Where a kernel requires smaller ones, every function that acts on sub-groups, the
library's and the user's, takes their size as its last argument, so that each kernel has its own:

    __device__ float helper(float x, auto sub_group) { return sub_group_reduce_add(x, sub_group); }
    __global__ void k(float *x) { constexpr sub_group_tile<16> sub_group{}; *x = helper(*x, sub_group); }
"""

from __future__ import annotations

from collections.abc import Iterable

from ...builtins import table
from ...builtins.any_type_rows import ANY_TYPE_ROWS
from .. import ir
from .types import TypePrinter

WARP = 32


def reachable(function: ir.Function) -> set[ir.Function]:
    """The function and all that it calls."""
    seen, stack = {function}, [function]
    while stack:
        for callee in stack.pop().callees:
            if callee not in seen:
                seen.add(callee)
                stack.append(callee)
    return seen


def required_size(kernel: ir.Function) -> int | None:
    return next(iter(kernel.attributes.get("intel_reqd_sub_group_size", ())), None)


class SubGroups:
    def __init__(self, functions: Iterable[ir.Function], declared: set[str], types: TypePrinter):
        functions = list(functions)
        self.types = types
        self.needed = any(required_size(f) not in (None, WARP) for f in functions)
        self._acting = {f for f in functions if self.needed and any(map(_acts, reachable(f)))}
        self._tile = "ocl::sub_group_tile" if "sub_group_tile" in declared else "sub_group_tile"
        self._name = "sub_group"
        while self._name in declared:
            self._name += "_"

    def parameter(self, function: ir.Function) -> list[str]:
        """Of the user's function: what its declaration has beside the user's own parameters."""
        return [f"auto {self._name}"] if function in self._acting else []

    def argument(self, called: ir.Function | table.Overload | str) -> list[str]:
        """Of a call; a function of any type is given by its name."""
        if isinstance(called, ir.Function):
            needs = called in self._acting
        else:
            needs = self.needed and (_of_any_type(called) if isinstance(called, str) else called.of_sub_group)
        return [self._name] if needs else []

    def start(self, kernel: ir.Function) -> list[str]:
        """The kernel's first line."""
        if kernel not in self._acting:
            return []
        self.types.use("type", "sub_group_tile")
        return [f"constexpr {self._tile}<{required_size(kernel) or WARP}> {self._name}{{}};"]


def _acts(function: ir.Function) -> bool:
    own = any(overloads and overloads[0].of_sub_group for overloads in map(table.overloads, function.builtins))
    return own or any(map(_of_any_type, function.builtins))


def _of_any_type(name: str) -> bool:
    return name.startswith("sub_group_") and name in ANY_TYPE_ROWS
