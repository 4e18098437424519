"""Reads, writes, copies and fills of buffers, and mapping.

Host memory is any contiguous bytes-like object, in C or Fortran order; its bytes are taken as they lie.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..runtime.native import library as native
from ..runtime.process import collecting, ending
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .constants import MODULE
from .errors import from_runtime, guarded, host_error, make_error
from .event import Event, NannyEvent, event_of, nanny_of, natively
from .handles import core_of, cores
from .integers import cast_each, cl_bitfield, ptrdiff_t, size_t
from .later import buffer_commands, buffer_rect, mapping
from .memory import MemoryObjectHolder, array_over, sides_of
from .queue import CommandQueue

Sizes = Iterable[int]
WaitList = Iterable[Event] | None


@natively(NannyEvent, codes.COMMAND_READ_BUFFER)
def _enqueue_read_buffer(queue: CommandQueue, mem: MemoryObjectHolder, hostbuf: Any, src_offset: int = 0,
                         wait_for: WaitList = None, is_blocking: bool = True) -> NannyEvent:
    try:
        return nanny_of(buffer_commands.enqueue_read_buffer(queue._core, mem._core, is_blocking, size_t(src_offset, "src_offset"), hostbuf,
                                                            cores(wait_for) if wait_for else ()), None if is_blocking else hostbuf)
    except CLError as failure:
        raise host_error(failure) from None
    except AttributeError:
        core_of(queue, CommandQueue, "queue")
        raise


@natively(NannyEvent, codes.COMMAND_WRITE_BUFFER)
def _enqueue_write_buffer(queue: CommandQueue, mem: MemoryObjectHolder, hostbuf: Any, dst_offset: int = 0,
                          wait_for: WaitList = None, is_blocking: bool = True) -> NannyEvent:
    try:
        return nanny_of(buffer_commands.enqueue_write_buffer(queue._core, mem._core, is_blocking, size_t(dst_offset, "dst_offset"), hostbuf,
                                                             cores(wait_for) if wait_for else ()), None if is_blocking else hostbuf)
    except CLError as failure:
        raise host_error(failure) from None
    except AttributeError:
        core_of(queue, CommandQueue, "queue")
        raise


@natively(Event, codes.COMMAND_COPY_BUFFER)
@guarded
def _enqueue_copy_buffer(queue: CommandQueue, src: MemoryObjectHolder, dst: MemoryObjectHolder, byte_count: int = -1,
                         src_offset: int = 0, dst_offset: int = 0, wait_for: WaitList = None) -> Event:
    """A negative `byte_count` is the smaller of the two sizes."""
    size = ptrdiff_t(byte_count, "byte_count")
    if size < 0:
        size = min(src._core.size, dst._core.size)
    return event_of(buffer_commands.enqueue_copy_buffer(queue._core, src._core, dst._core, size_t(src_offset, "src_offset"),
                                                 size_t(dst_offset, "dst_offset"), size, cores(wait_for) if wait_for else ()))


@natively(NannyEvent, codes.COMMAND_READ_BUFFER_RECT)
def _enqueue_read_buffer_rect(queue: CommandQueue, mem: MemoryObjectHolder, hostbuf: Any, buffer_origin: Sizes,
                              host_origin: Sizes, region: Sizes, buffer_pitches: Sizes | None = None,
                              host_pitches: Sizes | None = None, wait_for: WaitList = None, is_blocking: bool = True) -> NannyEvent:
    try:
        return nanny_of(
            buffer_rect.enqueue_read_buffer_rect(queue._core, mem._core, is_blocking, origin_of(buffer_origin), origin_of(host_origin),
                                          region_of(region), _pitches(buffer_pitches), _pitches(host_pitches), hostbuf,
                                          cores(wait_for)), None if is_blocking else hostbuf)
    except CLError as failure:
        raise host_error(failure) from None


@natively(NannyEvent, codes.COMMAND_WRITE_BUFFER_RECT)
def _enqueue_write_buffer_rect(queue: CommandQueue, mem: MemoryObjectHolder, hostbuf: Any, buffer_origin: Sizes,
                               host_origin: Sizes, region: Sizes, buffer_pitches: Sizes | None = None,
                               host_pitches: Sizes | None = None, wait_for: WaitList = None,
                               is_blocking: bool = True) -> NannyEvent:
    try:
        return nanny_of(
            buffer_rect.enqueue_write_buffer_rect(queue._core, mem._core, is_blocking, origin_of(buffer_origin), origin_of(host_origin),
                                           region_of(region), _pitches(buffer_pitches), _pitches(host_pitches), hostbuf,
                                           cores(wait_for)), None if is_blocking else hostbuf)
    except CLError as failure:
        raise host_error(failure) from None


@natively(Event, codes.COMMAND_COPY_BUFFER_RECT)
@guarded
def _enqueue_copy_buffer_rect(queue: CommandQueue, src: MemoryObjectHolder, dst: MemoryObjectHolder, src_origin: Sizes,
                              dst_origin: Sizes, region: Sizes, src_pitches: Sizes | None = None,
                              dst_pitches: Sizes | None = None, wait_for: WaitList = None) -> Event:
    return event_of(buffer_rect.enqueue_copy_buffer_rect(queue._core, src._core, dst._core, origin_of(src_origin), origin_of(dst_origin),
                                                  region_of(region), _pitches(src_pitches), _pitches(dst_pitches),
                                                  cores(wait_for)))


def _padded(values: Iterable[int], length: int, fill: int, name: str) -> tuple[int, ...]:
    given = tuple(values)
    for value in given:
        if type(value) is not int or value >> 64:
            given = cast_each(size_t, given, name)
            break
    if len(given) > length:
        raise make_error("transfer", "INVALID_VALUE", f"{name} has too many components: {given}")
    return given + (fill,) * (length - len(given))


def origin_of(values: Sizes) -> tuple[int, ...]:
    return _padded(values, 3, 0, "origin")


def region_of(values: Sizes) -> tuple[int, ...]:
    return _padded(values, 3, 1, "region")


def _pitches(values: Sizes | None) -> tuple[int, ...]:
    """(row, slice) in bytes; 0 means tightly packed."""
    return _padded(values or (), 2, 0, "pitches")


@natively(Event, codes.COMMAND_FILL_BUFFER)
@guarded
def _enqueue_fill_buffer(queue: CommandQueue, mem: MemoryObjectHolder, pattern: Any, offset: int, size: int,
                         wait_for: WaitList = None) -> Event:
    """Repeats the bytes of `pattern`, any bytes-like object, over `size` bytes from `offset` on."""
    return event_of(buffer_commands.enqueue_fill_buffer(queue._core, mem._core, memoryview(pattern).tobytes("A"), size_t(offset, "offset"),
                                                 size_t(size, "size"), cores(wait_for) if wait_for else ()))


@native.know_slots
class MemoryMap:
    """The `base` of a mapped array. The memory is unmapped by `release`, at the latest when the last array over it goes.

    _mapped  where the memory is, which _owner keeps there also where the memory object is released; both None when it is unmapped
    """

    __slots__ = ("__array_interface__", "__weakref__", "_mapped", "_memory", "_owner", "_queue")

    def __init__(self, queue: CommandQueue, memory: MemoryObjectHolder, mapped: int, owner: object) -> None:
        self._queue, self._memory = queue, memory
        self._mapped: int | None = mapped
        self._owner: object = owner

    def release(self, queue: CommandQueue | None = None, wait_for: WaitList = None) -> Event:
        """Enqueues the unmapping, in the queue that mapped the memory or in another one. Where that fails the memory stays mapped."""
        mapped, owner, self._mapped, self._owner = self._mapped, self._owner, None, None
        try:
            if mapped is None:
                raise CLError("clEnqueueUnmapMemObject", "INVALID_VALUE", "the memory was unmapped before")
            core = (queue or self._queue)._core
            return event_of(mapping.enqueue_unmap(core, self._memory._core, mapped, cores(wait_for) if wait_for else ()))
        except BaseException as failure:
            if mapped is not None:  # else another call has released it, or is about to
                self._mapped, self._owner = mapped, owner
            if isinstance(failure, CLError):
                raise from_runtime(failure) from None
            raise

    _release_in_python = release

    def __del__(self, is_ending: Callable[[], bool] = ending.has_begun,
                is_searching: Callable[[], bool] = collecting.is_under_way_here) -> None:
        if getattr(self, "_mapped", None) is None or is_ending():
            return
        if is_searching():  # The thread may be giving the queue a command.
            self._queue._core.context.retire(None, self._let_go)
        else:
            self._let_go()

    def _let_go(self) -> None:
        with contextlib.suppress(Exception), self._queue._core.context.keeping_current():
            self.release()


_calls = native.calls()
if _calls is not None:
    MemoryMap.release = _calls.releaser(MemoryMap, Event, codes.COMMAND_UNMAP_MEM_OBJECT)  # type: ignore[method-assign]


def enqueue_map_buffer(queue: CommandQueue, buf: MemoryObjectHolder, flags: int, offset: int, shape: int | Iterable[int],
                       dtype: Any, order: str = "C", strides: Iterable[int] | None = None, wait_for: WaitList = None,
                       is_blocking: bool = True) -> tuple[np.ndarray, Event]:
    """(array over the buffer's bytes from `offset` on, event); the array's `base` is a MemoryMap."""
    dtype = np.dtype(dtype)
    sides = sides_of(shape)
    size = dtype.itemsize * math.prod(sides)
    if type(flags) is not int or flags >> 64:
        flags = cl_bitfield(flags, "flags")
    if type(offset) is not int or offset >> 64:
        offset = size_t(offset, "offset")
    try:
        address, owner, event = mapping.map_buffer(queue._core, buf._core, is_blocking, flags, offset, size,
                                                   cores(wait_for) if wait_for else ())
    except CLError as failure:
        raise from_runtime(failure) from None
    return array_over(MemoryMap(queue, buf, address, owner), address, sides, dtype, order, strides), event_of(event)


if _calls is not None:
    enqueue_map_buffer = _calls.mapper(enqueue_map_buffer, Event, codes.COMMAND_MAP_BUFFER, (MemoryMap, np.dtype, np.asarray), MODULE)
