"""Blocks that are enqueued (6.15.19): each becomes a struct of what it captures, a function and a kernel.

    struct f_block_captures : ocl::enqueued_block<0> { int n; float *x; };
    __device__ void f(…) { … enqueue_kernel(queue, flags, range, f_block_captures{{}, n, x}); … }
    __device__ void f_block(const f_block_captures &captures) { const int n = captures.n; … }
    __global__ void f_block_kernel(const __grid_constant__ f_block_captures captures) { f_block(captures); }
"""

from __future__ import annotations

from collections.abc import Iterable

from ...builtins.opaque import ARGUMENTS
from ..ir import nodes as ir
from ..ir.kernel_info import ArgInfo, ImagePlace
from ..ir.types import Opaque, Type, align_of, size_of

CAPTURES = "_captures"


class BlockNames:
    """What the enqueued blocks of all programs that are linked into one are called, and their numbers."""

    def __init__(self, declared: Iterable[str]):
        self._taken = set(declared)
        self._names: dict[ir.Function, str] = {}

    def add(self, block: ir.Function, outer: ir.Function) -> None:
        name = base = outer.cxx_name if outer is block else f"{outer.cxx_name}_block"
        count = 1
        while {name if outer is not block else "", name + CAPTURES, name + "_kernel"} & self._taken:
            count += 1
            name = f"{base}{count}"
        self._taken |= {name, name + CAPTURES, name + "_kernel"}
        self._names[block] = name

    def name(self, block: ir.Function) -> str:
        """The function."""
        return block.cxx_name if not block.nested else self._names[block]

    def struct(self, block: ir.Function) -> str:
        return self._names[block] + CAPTURES

    def kernel(self, block: ir.Function) -> str:
        return self._names[block] + "_kernel"

    def number(self, block: ir.Function) -> int:
        return list(self._names).index(block)


def arguments_of(block: ir.Function) -> tuple[ArgInfo, ...]:
    """The kernel's arguments: what the block has captured, then its local memory."""
    size, most, images = 0, 1, []
    for variable in block.captures:
        room, align = _layout(variable.type)
        place = -(-size // align) * align
        if isinstance(variable.type, Opaque) and variable.type.kind == "image":
            images.append(ImagePlace(place, variable.type.name, variable.type.access or "none"))  # type: ignore[arg-type]
        size, most = place + room, max(most, align)
    captures = ArgInfo("captures", "", "value", max(1, -(-size // most) * most), most, captured_images=tuple(images))
    return (captures, *(ArgInfo(p.name, "void*", "local", 8, 8, "local") for p in block.parameters))


def _layout(type: Type) -> tuple[int, int]:
    """Size and alignment of a member of the struct, which an image and a sampler are as a kernel is given them."""
    if isinstance(type, Opaque) and type.kind in ARGUMENTS:
        return ARGUMENTS[type.kind]
    return size_of(type), align_of(type)
