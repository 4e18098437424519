"""What the library's own way of setting arguments and launching kernels asks (driver/launches.c): which arguments are plain memory, what
a launch is, and what became of one that failed. Python makes each launch once; the library makes it again."""

from __future__ import annotations

import ctypes
import functools
import itertools
import struct
from typing import TYPE_CHECKING

from ..runtime.commands.launch_checks import SIZE_OF_LIMITS, limits_of_launches
from ..runtime.driver.image_argument import asks_for
from ..runtime.driver.interface import DriverError
from ..runtime.driver.reported import cl_error
from ..runtime.process import debug_mode
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec.errors import CLError
from . import application
from .application import Sizes

if TYPE_CHECKING:
    from ..runtime.driver.device import NativeLaunch
    from ..runtime.kernel.arguments import ArgumentBlock
    from ..runtime.kernel.kernel import Kernel
    from ..runtime.memory.memory_object import MemoryObject
    from ..runtime.queue.event import Event
    from ..translator.ir.kernel_info import ArgInfo


# struct arguments and struct place of driver/arguments.h, struct known_launch of driver/launches.c.
_ARGUMENTS = struct.Struct("<QQIII172x")
_PLACE = struct.Struct("<IIQI12xI4x")
_LOCAL, _IMAGE = (3, 0, 0), 4
_HANDLE = 8  # a cl_mem
_ASKED = struct.Struct("<Q")
_WORDS, _RECORD = 13, 128
_LAUNCH = struct.Struct(f"<{4 + _WORDS}Q{_RECORD}s3Q{SIZE_OF_LIMITS}s")
_KINDS = {"grid": 1, "range": 2, "dependent grid": 3, "recorded grid": 4}
_BY_PYTHON = bytes(_LAUNCH.size)


def places_of(kernel: Kernel) -> bytes:
    """The addresses of `Kernel.plans_number` and `SharedMemory.freed`; whether the object may become another one when it is released; which
    is the only argument to local memory, counted from 1; for each argument where the library itself may set it, and whether the kernel may
    write there, or as what it takes an image; and the kernel's name."""
    arguments, context = kernel.arguments, kernel.context
    may_return = not debug_mode.active()
    places = b"".join(
        _PLACE.pack(*_place(arguments, index, arg, plain), *(_as_image(arguments, arg) if arg.kind == "image" else (arg.may_write, 0)))
        for index, (plain, arg) in enumerate(zip(arguments.plain_places(), arguments.info.args, strict=True)))
    local = [number for number, arg in enumerate(arguments.info.args, 1) if arg.kind == "local"]
    return (_ARGUMENTS.pack(ctypes.addressof(kernel.plans_number), ctypes.addressof(context.svm.freed), may_return, kernel.num_args,
                            local[0] if len(local) == 1 else 0)
            + places + kernel.name.encode() + b"\0")


def _place(arguments: ArgumentBlock, index: int, arg: ArgInfo, plain: tuple[int, int, int]) -> tuple[int, int, int]:
    """(kind, bytes, address), where `plain` is that of `plain_places`; the bytes are those of the application's value."""
    if arg.kind == "image":
        address = arguments.image_place(index)
        return (_IMAGE, _HANDLE, address) if address else plain
    return _LOCAL if arg.kind == "local" else plain


def _as_image(arguments: ArgumentBlock, arg: ArgInfo) -> tuple[int, int]:
    """As what the kernel takes an image there, and the states of samplers that it may read it in."""
    states = arguments.image_states(arg)
    return _number(arg.image, arg.access_qualifier, states), states


@functools.cache
def _number(*what: object) -> int:
    """Another number from 1 on for each."""
    return next(_numbers)


_numbers = itertools.count(1)


def image_given(kernel: Kernel, index: int) -> bytes:
    """Of an argument that was just set to an image: what that asks for, as a number, and what kernels are given for it."""
    return _with_asked(kernel.arguments.value_bytes(index))


def _with_asked(value: bytes) -> bytes:
    return _ASKED.pack(_number(asks_for(value))) + value


def image_taken(kernel: Kernel, index: int, image: MemoryObject) -> bytes:
    """The same of an image that the argument may be set to; nothing where setting it is to say what is wrong, or a launch what is given."""
    try:
        value = kernel.arguments.accept_image(index, image)
    except (CLError, DriverError):
        return b""
    return b"" if value is None else _with_asked(value)


def note_arguments(kernel: Kernel, left: tuple[int, ...], written: tuple[int, ...], sized: tuple[int, ...]) -> None:
    """What the library knows better of the arguments of these numbers: those that were `left` to a kernel that has become another one are
    not set, those that it has `written` are; `sized` is the number of one to local memory and its new size, in bytes."""
    if sized:
        kernel.arguments.set_local_size(*sized)
    if left:
        kernel.arguments.forget(left)
    kernel.arguments.unset.difference_update(written)


def launch_of(queue: CommandQueue, kernel: Kernel, work_dim: int, offset: Sizes, size: Sizes, local: Sizes) -> bytes:
    """A launch that Python has made, as struct known_launch."""
    found = _launch(queue, kernel, work_dim, offset, size, local)
    if found is None:
        return _BY_PYTHON
    words = (*found.words, *[0] * (_WORDS - len(found.words)))
    return _LAUNCH.pack(_KINDS[found.kind], found.address, found.current, found.context, *words, found.record,
                        *kernel.arguments.native_parameters[1:], limits_of_launches(queue.device, kernel))


def hold_launch(queue: CommandQueue, kernel: Kernel, work_dim: int, offset: Sizes, size: Sizes, local: Sizes,
                held: tuple[tuple[Event, ...], tuple[int, int]]) -> Event:
    """Takes a launch that the library holds back: what it waits for, as in held.py, and where the arguments' values of then are, and how
    many bytes."""
    from ..runtime.commands.nd_range import hold_with
    from ..runtime.kernel.nd_range import NDRange

    waits, (place, length) = held
    return hold_with(queue, kernel, NDRange(work_dim, offset, size, local), waits, application.read(place, length))


def fault_of(queue: CommandQueue, kernel: Kernel, work_dim: int, offset: Sizes, size: Sizes, local: Sizes) -> None:
    """Raises what the launch that has just failed on this thread failed of, which the library may have made of one of another size."""
    found = _launch(queue, kernel, work_dim, offset, size, local)
    if found is None and size is not None:
        from ..runtime.commands import nd_range

        nd_range.prepare(queue, kernel, size, local)
        found = _launch(queue, kernel, work_dim, offset, size, local)
    assert found is not None and found.fault is not None
    raise cl_error("clEnqueueNDRangeKernel", found.fault())


def _launch(queue: CommandQueue, kernel: Kernel, work_dim: int, offset: Sizes, size: Sizes, local: Sizes) -> NativeLaunch | None:
    from ..runtime.commands.nd_range import native_launch  # which no program needs that has no kernel yet
    from ..runtime.kernel.nd_range import NDRange

    return native_launch(queue, kernel, NDRange(work_dim, offset, size, local))
