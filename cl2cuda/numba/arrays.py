"""Memory with a shape, as an argument of Numba's kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..runtime.kernel.array_argument import ArrayView


class ArrayArgument:
    """What `array` gives: an argument for a kernel of Numba. It keeps its memory alive."""

    def __init__(self, memory: Any, view: ArrayView):
        self.memory = memory
        self._core = view

    def __repr__(self) -> str:
        return f"<array of shape {self._core.shape} in {self.memory!r}>"


def array(memory: Any, shape: Sequence[int] | int | None = None, strides: Sequence[int] | None = None, offset: int = 0) -> ArrayArgument:
    """An array for a kernel of Numba, in the memory of a `pyopencl.array.Array`, a Buffer or shared virtual memory.

    shape    that of the Array unless given
    strides  in bytes: those of the Array, or else of elements without gaps, in the order of the kernel's argument
    offset   in bytes, to the first element
    A kernel takes a plain Buffer too where its array has one dimension: all elements that fit.
    """
    item_size = None
    base = memory
    if hasattr(memory, "base_data"):  # pyopencl.array.Array
        base, item_size = memory.base_data, memory.dtype.itemsize
        offset += memory.offset
        if shape is None:
            shape, strides = memory.shape, memory.strides if strides is None else strides
    if shape is None:
        raise TypeError(f"{memory!r} does not say its shape: give one")
    sides = (shape,) if isinstance(shape, int) else tuple(map(int, shape))
    view = ArrayView(getattr(base, "_core", base), sides, None if strides is None else tuple(map(int, strides)), offset, item_size)
    return ArrayArgument(memory, view)
