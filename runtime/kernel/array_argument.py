"""Arrays as arguments of kernels: where OpenCL C has a pointer to global memory, kernels of Numba take memory with a shape.

Owns which values are an array of the kernel's type, and the parameters that describe one. `ArgInfo.dimensions` says that an
argument is an array.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...translator.ir.kernel_info import ArgInfo
from ..context.context import Context
from ..memory.buffer import Buffer
from ..memory.svm import Pointer
from .accepted_images import Refusal

# A kernel's parameters for an array, 8 bytes each: two of Numba's own memory management, which kernels leave alone, the number of
# elements, the bytes of one, the address; then the shape, and the strides in bytes.
ADDRESS = 4


def part_count(dimensions: int) -> int:
    return ADDRESS + 1 + 2 * dimensions


@dataclass(frozen=True)
class ArrayView:
    """The value of an array argument: memory with a shape. `strides` are bytes; without them the elements have no gaps, in the order
    that the kernel's argument has. `start` is the byte where the first element is; `item_size` are an element's bytes, if known."""

    memory: Buffer | Pointer
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    start: int = 0
    item_size: int | None = None


class Array(NamedTuple):
    """`address` is that of now; `buffer` is None for shared virtual memory and for no memory at all."""

    address: int
    buffer: Buffer | None
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def parameters(self, arg: ArgInfo) -> bytes:
        words = (0, 0, math.prod(self.shape), arg.item_size, self.address, *self.shape, *self.strides)
        return struct.pack(f"<{len(words)}q", *words)


def buffer_packer(arg: ArgInfo) -> Callable[[int, int], bytes] | None:
    """The quick way for the commonest case, a whole buffer as an array of one dimension: from its address and bytes to the parameters,
    or b"" where `read` has to look closer."""
    if arg.dimensions != 1:
        return None
    pack, item_size, alignment = struct.Struct("<7q").pack, arg.item_size, _alignment(arg)

    def packed(address: int, size: int) -> bytes:
        count, rest = divmod(size, item_size)
        return b"" if rest or address % alignment else pack(0, 0, count, item_size, address, count, item_size)

    return packed


def read(arg: ArgInfo, value: Any, context: Context) -> Array | Refusal:
    """What the value is to the argument, or why it is nothing.

    A buffer, or an address of shared virtual memory, is an array of one dimension: all that is there. NULL is an array without
    elements.
    """
    if value is None:
        return Array(0, None, 0, (0,) * arg.dimensions, tight((0,) * arg.dimensions, arg))
    view = value if isinstance(value, ArrayView) else None
    memory = view.memory if view else value
    if not isinstance(memory, (Buffer, Pointer)):
        return Refusal("INVALID_ARG_VALUE", f"takes an array: a buffer, or memory with a shape, not {value!r}")
    found = _block(memory, context)
    if isinstance(found, Refusal):
        return found
    address, size = found
    if view is None:
        if arg.dimensions > 1:
            return Refusal("INVALID_ARG_VALUE", f"takes an array of {arg.dimensions} dimensions, and {memory!r} does not say its shape")
        if size % arg.item_size:
            return Refusal("INVALID_ARG_VALUE", f"takes elements of {arg.item_size} bytes, of which {size} bytes are no multiple")
        view = ArrayView(memory, (size // arg.item_size,))
    strides = tight(view.shape, arg) if view.strides is None else view.strides
    reason = _misfit(arg, view, strides) or _outside(arg, view, strides, size)
    if reason:
        return Refusal("INVALID_ARG_VALUE", reason)
    if (address + view.start) % _alignment(arg):
        return Refusal("INVALID_ARG_VALUE", f"starts at byte {view.start}, where elements of {arg.item_size} bytes cannot be")
    return Array(address + view.start, memory if isinstance(memory, Buffer) else None, view.start, view.shape, strides)


def tight(shape: Sequence[int], arg: ArgInfo) -> tuple[int, ...]:
    """The strides of elements without gaps, in the argument's order."""
    sides = shape if arg.layout == "F" else shape[::-1]
    strides = tuple(itertools.accumulate(sides[:-1], lambda stride, side: stride * side, initial=arg.item_size))
    return strides if arg.layout == "F" else strides[::-1]


def _block(memory: Buffer | Pointer, context: Context) -> tuple[int, int] | Refusal:
    """The address of the memory on the context's first device, and its bytes."""
    if isinstance(memory, Buffer):
        if memory._storage is None:
            return Refusal("INVALID_MEM_OBJECT", "is given a buffer that has been released")
        if memory.context is not context:
            return Refusal("INVALID_MEM_OBJECT", "is given a buffer of another context")
        return memory._storage.memory + memory.offset, memory.size
    allocation = context.svm.find(memory.address)
    if allocation is None:
        return Refusal("INVALID_ARG_VALUE", f"is given {memory.address:#x}, which is in no allocation of clSVMAlloc in this context")
    return memory.address, allocation.end - memory.address


def _misfit(arg: ArgInfo, view: ArrayView, strides: Sequence[int]) -> str:
    """Why the kernel's argument is of another kind of array; "" if it is not."""
    shape = view.shape
    if not len(shape) == len(strides) == arg.dimensions:
        return f"takes an array of {arg.dimensions} dimensions, not of the shape {tuple(shape)} with strides {tuple(strides)}"
    if view.item_size not in (None, arg.item_size):
        return f"takes elements of {arg.item_size} bytes, not of {view.item_size}"
    if any(side < 0 for side in shape):
        return f"is given the shape {tuple(shape)}"
    # A stride that is never taken may be anything.
    gaps = any(side > 1 and one != other for side, one, other in zip(shape, strides, tight(shape, arg), strict=True))
    if gaps and arg.layout in ("C", "F") and 0 not in shape:
        return f"takes elements without gaps in {arg.layout} order, not strides of {tuple(strides)} for the shape {tuple(shape)}"
    return ""


def _outside(arg: ArgInfo, view: ArrayView, strides: Sequence[int], size: int) -> str:
    """Why the elements are not all in the memory; "" if they are."""
    if 0 in view.shape:
        return ""
    spans = [stride * (side - 1) for stride, side in zip(strides, view.shape, strict=True)]
    low = view.start + sum(min(0, span) for span in spans)
    high = view.start + sum(max(0, span) for span in spans) + arg.item_size
    if low < 0 or high > size:
        return f"is given elements at the bytes from {low} to {high} of memory of {size} bytes"
    return ""


def _alignment(arg: ArgInfo) -> int:
    """The alignment of an element: the largest power of two, up to 8, that its size is a multiple of."""
    return min(8, arg.item_size & -arg.item_size)
