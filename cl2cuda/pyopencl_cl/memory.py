"""Memory objects: what buffers, images and pooled blocks share, and the Buffer itself."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import math
import operator
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from ..array_exchange.exports import Exported, Region
from ..runtime.native import library as native
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .context import Context
from .errors import Error, guarded, host_error, make_error
from .event import Event, event_of
from .handles import Handle, SignatureOf, core_of, cores, stands_for, to_python
from .integers import cast_each, cl_bitfield, ptrdiff_t, size_t
from .later import buffer_commands, buffers
from .queue import CommandQueue

T = TypeVar("T")

_TOO_LONG = 2**63


class MemoryObjectHolder(Handle):
    """Whatever a kernel or a copy takes as a memory object."""

    _invalid = "INVALID_MEM_OBJECT"

    def get_info(self, arg: int) -> Any:
        """The answer to clGetMemObjectInfo, but for the host's memory, which is an array's."""
        if arg == codes.MEM_HOST_PTR:
            raise make_error("MemoryObject.get_info", "INVALID_VALUE", "Use MemoryObject.get_host_array to get host pointer.")
        return super().get_info(arg)

    _query_in_python = get_info

    def get_host_array(self, shape: int | Iterable[int], dtype: Any, order: str = "C") -> np.ndarray:
        """The host memory under a USE_HOST_PTR object as an array, which keeps the object alive."""
        if not self._core.flags & codes.MEM_USE_HOST_PTR:
            raise make_error("MemoryObject.get_host_array", "INVALID_VALUE", "Only MemoryObject with USE_HOST_PTR is supported.")
        array = array_over(self, host_address(self._core.host), sides_of(shape), np.dtype(dtype), order)
        if array.nbytes > self._core.size:
            raise make_error("MemoryObject.get_host_array", "INVALID_VALUE", "Resulting array is larger than memory object.")
        return array


def sides_of(shape: int | Iterable[int]) -> tuple[int, ...]:
    """A NumPy shape, given as a number or as several, as a tuple."""
    sides: tuple[int, ...]
    if type(shape) is tuple:  # most often of sides that need no look
        for side in shape:
            if type(side) is not int or not 0 <= side < _TOO_LONG:
                break
        else:
            return shape
    if isinstance(shape, tuple):
        sides = cast_each(ptrdiff_t, shape, "shape")
    else:
        try:
            sides = (ptrdiff_t(shape, "shape"),)
        except TypeError:
            sides = cast_each(ptrdiff_t, shape, "shape")  # type: ignore[arg-type]
    if min(sides, default=0) < 0:
        raise make_error("array", "INVALID_VALUE", f"a shape has no negative sides: {sides}")
    return sides


def array_over(owner: Any, address: int, sides: tuple[int, ...], dtype: np.dtype, order: str = "C",
               strides: Iterable[int] | None = None) -> np.ndarray:
    """An array over memory of the host, whose `base` is `owner`: what keeps the memory alive."""
    if order not in ("C", "c", "F", "f"):
        raise ValueError(f"unrecognized order specifier {order!r}")
    if strides is None and order in ("F", "f"):
        strides = (dtype.itemsize * math.prod(sides[:axis]) for axis in range(len(sides)))
    # NumPy takes the base from whoever has this attribute; nobody else is to see it.
    interface: dict[str, Any] = {"version": 3, "data": (address, False), "shape": sides, "typestr": dtype.str}
    if dtype.isbuiltin != 1:
        interface["descr"] = dtype.descr
    if strides is not None:
        interface["strides"] = cast_each(ptrdiff_t, strides, "strides")
    owner.__array_interface__ = interface
    try:
        return np.asarray(owner)
    finally:
        del owner.__array_interface__


def host_address(host: Any) -> int:
    """Where a bytes-like object's memory starts."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(host))
    except (BufferError, TypeError, ValueError):  # It is not writable, or not in C order.
        pass
    return np.frombuffer(host, np.uint8).__array_interface__["data"][0]


class MemoryObject(MemoryObjectHolder):
    """cl_mem (5.5): what buffers, images and pipes have in common. Sizes are in bytes."""

    __slots__ = ("_released",)
    _released: bool  # not before: in a slot, where code in C sees at once that there is none
    _hostbuf: Any = None

    def release(self) -> None:
        """Gives the memory back now instead of when the last reference goes."""
        with contextlib.suppress(AttributeError):
            if self._released:
                raise make_error("MemoryObject.free", "INVALID_VALUE", "trying to double-unref mem object")
        self._released = True
        self._core.release()

    _release_in_python = release

    @property
    def hostbuf(self) -> Any:
        """The host object that a USE_HOST_PTR memory object lives in."""
        return self._hostbuf


class BufferRegion(Exported):
    """What other libraries see of a buffer, where its contents are now."""

    _core: Any

    def _region(self) -> Region:
        buffer = self._core
        with buffer.context.keeping_current():  # Contents may have to be brought there first.
            device = buffer.storage.device
            return Region(buffer.context, device, buffer.address_on(device))


@stands_for("memory.buffer.Buffer")
class Buffer(MemoryObject, BufferRegion):
    """cl_mem of a buffer (5.2). Errors: INVALID_VALUE, INVALID_BUFFER_SIZE, INVALID_HOST_PTR, MEM_OBJECT_ALLOCATION_FAILURE."""

    # PyOpenCL asks on every copy, and arrays do. Its own properties, the queries, stand on MemoryObjectHolder.
    type = codes.MEM_OBJECT_BUFFER
    size = property(operator.attrgetter("_core.size"))

    def __init__(self, context: Context, flags: int, size: int = 0, hostbuf: Any = None) -> None:
        """`size` in bytes; 0 takes `hostbuf`'s."""
        core = context._core if isinstance(context, Context) else core_of(context, Context, "context")
        if type(flags) is not int or flags >> 64:
            flags = cl_bitfield(flags, "flags")
        if type(size) is not int or size >> 64:
            size = size_t(size, "size")
        if hostbuf is not None:
            if not flags & (codes.MEM_USE_HOST_PTR | codes.MEM_COPY_HOST_PTR):
                warnings.warn("'hostbuf' was passed, but no memory flags to make use of it.", UserWarning, stacklevel=2)
            held = memoryview(hostbuf).nbytes
            if size > held:
                raise make_error("Buffer", "INVALID_VALUE",
                                 f"specified size ({size} bytes) is greater than host buffer size ({held} bytes)")
            size = size or held
        try:
            self._core = buffers.create_buffer(core, flags, size, hostbuf)
        except CLError as failure:
            self._core = allocated_after(failure, lambda: buffers.create_buffer(core, flags, size, hostbuf))
        if flags & codes.MEM_USE_HOST_PTR:
            self._hostbuf = hostbuf

    _make_in_python = __init__

    def get_sub_region(self, origin: int, size: int, flags: int = 0) -> Buffer:
        """The part of `size` bytes from byte `origin` on as a buffer of its own."""
        flags, origin, size = cl_bitfield(flags, "flags"), size_t(origin, "origin"), size_t(size, "size")
        try:
            return Buffer._of(self._core.sub_buffer(flags, origin, size))
        except CLError as failure:
            return Buffer._of(allocated_after(failure, lambda: self._core.sub_buffer(flags, origin, size)))

    _part_in_python = get_sub_region

    def __getitem__(self, part: slice) -> Buffer:
        """A slice of bytes as a sub-buffer."""
        if not isinstance(part, slice):
            raise make_error("Buffer.__getitem__", "INVALID_VALUE", "Buffer slice must be a slice object")
        start, end, step = part.indices(self._core.size)
        if step != 1:
            raise make_error("Buffer.__getitem__", "INVALID_VALUE", "Buffer slice must have stride 1")
        if end <= start:
            raise make_error("Buffer.__getitem__", "INVALID_VALUE", "Buffer slice must have end > start")
        return self.get_sub_region(start, end - start, self._core.flags & ~codes.MEM_COPY_HOST_PTR)


def allocated(make: Callable[[], T]) -> T:
    """What `make` allocates. When memory is short, it gets a second chance after a garbage collection."""
    try:
        return make()
    except CLError as failure:
        return allocated_after(failure, make)


def allocated_after(failure: CLError, make: Callable[[], T]) -> T:
    """The second chance, where memory was short; else raises the failure."""
    error = host_error(failure)
    if not (isinstance(error, Error) and error.args[0].is_out_of_memory()):
        raise error from None
    gc.collect()
    return guarded(make)()


@guarded
def enqueue_migrate_mem_objects(queue: CommandQueue, mem_objects: Iterable[MemoryObjectHolder], flags: int = 0,
                                wait_for: Iterable[Event] | None = None) -> Event:
    return event_of(buffer_commands.enqueue_migrate(queue._core, cores(mem_objects), cl_bitfield(flags, "flags"), cores(wait_for)))


_calls = native.calls()
if _calls is not None:
    # What needs no look at anything but the object itself.
    _answers = {codes.MEM_REFERENCE_COUNT: 1, codes.MEM_TYPE: "type", codes.MEM_FLAGS: "flags", codes.MEM_SIZE: "size",
                codes.MEM_OFFSET: "offset", codes.MEM_CONTEXT: ("context", Context), codes.MEM_MAP_COUNT: "map_count",
                codes.MEM_ASSOCIATED_MEMOBJECT: ("parent", (to_python,)), codes.MEM_USES_SVM_POINTER: "uses_svm"}
    Buffer.__init__, Buffer.get_sub_region, MemoryObject.release = _calls.memory_methods(  # type: ignore[method-assign]
        Buffer, MemoryObject)
    MemoryObjectHolder.get_info = _calls.memory_queries(MemoryObjectHolder, _answers)  # type: ignore[method-assign]
    Buffer.__signature__ = SignatureOf(Buffer.__init__, Buffer._make_in_python)  # type: ignore[attr-defined]
