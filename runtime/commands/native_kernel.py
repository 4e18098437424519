"""Native kernels (5.10): functions of the host as commands of a queue.

The function gets a copy of the given block of arguments, with addresses in place of memory objects. Where the device's memory is
not the host's, the contents are on the host while the function runs, and go back when it returns.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..devices.device import Device
from ..driver.interface import DriverError, Stream
from ..memory.buffer import Buffer
from ..memory.directory import WRITE
from ..queue.command import ISSUED, Outcome
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import check

ROUTINE = "clEnqueueNativeKernel"
HostFunction = Callable[[memoryview], None] | int | Any
_COMPILED = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
POINTER = 8


def enqueue_native_kernel(queue: CommandTarget, function: HostFunction, arguments: bytes | bytearray | memoryview = b"",
                          buffers: Sequence[Buffer] = (), places: Sequence[int] = (), wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueNativeKernel. `places` are the offsets in the arguments where the addresses of the buffers are to stand.

    `function` is Python's and takes the block of arguments, or compiled code `void (*)(void *)`: its address, or an object with an
    `address`, such as what `numba.cfunc` makes.
    """
    called = _python_function(function)
    if len(buffers) != len(places):
        raise CLError(ROUTINE, "INVALID_VALUE", f"{len(buffers)} memory objects have {len(places)} places in the arguments")
    block = bytearray(arguments)
    for place in places:
        if not 0 <= place <= len(block) - POINTER:
            raise CLError(ROUTINE, "INVALID_VALUE", f"there is no room for an address at {place} in {len(block)} bytes of arguments")
    check(ROUTINE, queue, *buffers)

    kept = {buffer: buffer.place(WRITE) for buffer in buffers}

    def run(stream: Stream) -> Outcome:
        lent = _Lent(queue, stream, kept)
        try:
            for buffer, place in zip(buffers, places, strict=True):
                block[place : place + POINTER] = lent.address(buffer).to_bytes(POINTER, sys.byteorder)
            _call(called, memoryview(block))
        finally:
            lent.give_back()
        return ISSUED

    label = getattr(function, "__qualname__", getattr(function, "__name__", ""))
    return queue.submit(ROUTINE, codes.COMMAND_NATIVE_KERNEL, run, wait_for, offload=True, label=label)


def _python_function(function: HostFunction) -> Callable[[memoryview], None]:
    address = getattr(function, "address", function)
    if isinstance(address, int) and address > 0:
        compiled = _COMPILED(address)
        # Without arguments there is no block: "args can be NULL".
        return lambda block: compiled(ctypes.addressof(ctypes.c_char.from_buffer(block)) if len(block) else None)
    if not callable(function):
        raise CLError(ROUTINE, "INVALID_VALUE", f"{function!r} is no function")
    return function


def _call(function: Callable[[memoryview], None], block: memoryview) -> None:
    """A function written in C cannot fail; the error of one in Python has nobody to go to."""
    try:
        function(block)
    except Exception:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))


class _Lent:
    """The buffers' contents where the host reaches them, while the stream stands still."""

    def __init__(self, queue: CommandTarget, stream: Stream, buffers: dict[Buffer, Callable[[Device, Stream], int]]):
        self.queue = queue
        self.buffers = buffers
        self.stream = stream
        self.copies: dict[Buffer, int] = {}
        device = queue.device
        stream.synchronize()
        try:
            for buffer in buffers if not device.host_addressable else ():
                self.copies[buffer] = device.driver_device.allocate_host(buffer.size)
                stream.copy("device_to_host", self.copies[buffer], self.buffers[buffer](device, stream), buffer.size)
            stream.synchronize()
        except DriverError:
            self._free()
            raise

    def address(self, buffer: Buffer) -> int:
        return self.copies[buffer] if buffer in self.copies else self.buffers[buffer](self.queue.device, self.stream)

    def give_back(self) -> None:
        try:
            for buffer, copy in self.copies.items():
                self.stream.copy("host_to_device", self.buffers[buffer](self.queue.device, self.stream), copy, buffer.size)
            self.stream.synchronize()
        finally:
            self._free()

    def _free(self) -> None:
        with contextlib.suppress(DriverError):  # A copy may be under way where another one failed.
            self.stream.synchronize()
        for copy in self.copies.values():
            self.queue.device.driver_device.free_host(copy)
