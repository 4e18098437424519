"""An imagined CUDA of several devices whose streams run late and in a random order, as far as CUDA's rules allow it.

A copy or kernel runs when somebody waits for it, or by chance in between; a stream waits for an event only if it was told to. Memory
belongs to a device: every copy is checked for where its ends are, and memory that was freed before a command ran is found out.
Pageable memory of the host is read before a call returns, page-locked memory later.
"""

from __future__ import annotations

import ctypes
import random
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from cl2cuda.runtime.cuda import api
from cl2cuda.runtime.cuda.arrays import Copy, _ArrayDescriptor
from cl2cuda.runtime.cuda.context import NOT_READY
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.properties import LAYERS, PLANE_HEIGHTS, PLANE_WIDTHS, VOLUME_DEPTHS, VOLUME_HEIGHTS, VOLUME_WIDTHS
from cl2cuda.runtime.cuda.regions import Memcpy3D
from cl2cuda.runtime.devices.device import Device

from .fake_cuda import CudaError, Driver, Runtime

CONTEXTS = 1000  # the handle of the first device's
IMAGE_SIZES = {*LAYERS, *PLANE_HEIGHTS, *PLANE_WIDTHS, *VOLUME_DEPTHS, *VOLUME_HEIGHTS, *VOLUME_WIDTHS}
_CHANNEL_BYTES = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 0x10: 2, 0x20: 4}
# A kernel as a Python function: from what reads a parameter by its number and type, the number of work-items and the device to the work.
Body = Callable[[Callable[[int, type], Any], int, int], Callable[[], None]]


class Stream:
    def __init__(self, device: int):
        self.device = device
        self.commands: deque[Callable[[], bool]] = deque()  # each returns whether it could run


class Recording:
    """One recording of an event. A new one leaves streams that wait for this one alone."""

    def __init__(self, stream: Stream):
        self.stream = stream
        self.reached = False


class SeveralRuntime(Runtime):
    """`enabled` are the pairs with peer access, `peer_copied` the bytes that went between devices."""

    def __init__(self, devices: int, seed: int, peers: bool):
        super().__init__()
        self.devices, self.peers = devices, peers
        self.random = random.Random(seed)
        self.lock = threading.RLock()
        self.thread = threading.local()
        self.owner: dict[int, int] = {}  # of each block: its device, or -1 for page-locked memory
        self.freed: list[Any] = []
        self.streams: dict[int, Stream] = {}
        self.recorded: dict[int, Recording | None] = {}
        self.event_device: dict[int, int] = {}
        self.enabled: set[tuple[int, int]] = set()
        self.peer_copied = 0
        self.copies: list[tuple[int, int, int]] = []  # (to, of, bytes) of each

    # Devices and memory

    @property
    def current(self) -> int:
        return getattr(self.thread, "device", -1)

    def setDevice(self, ordinal: int) -> None:
        assert 0 <= ordinal < self.devices
        self.thread.device = ordinal

    def getDeviceCount(self) -> int:
        return self.devices

    def _made(self, size: int, owner: int) -> int:
        with self.lock:
            address = super().malloc(size)
            ctypes.memset(address, 0xCD, size)
            self.owner[address] = owner
            return address

    def malloc(self, size: int) -> int:
        return self._made(size, max(self.current, 0)) if hasattr(self, "owner") else super().malloc(size)

    def mallocManaged(self, size: int) -> int:
        return self._made(size, -1)

    def mallocAsync(self, size: int, stream: int) -> int:
        return self._made(size, self.streams[stream].device)

    def freeAsync(self, address: int, stream: int) -> None:
        self._put(stream, lambda: self.free(address))

    def hostAlloc(self, size: int, flags: int) -> int:
        return self._made(size, -1)

    def free(self, address: int) -> None:
        with self.lock:
            if address:
                self.freed.append(self.memory.pop(address))  # so that no other block gets the address
                del self.owner[address]

    freeHost = free

    def place(self, address: int, size: int) -> int:
        """The device that has the memory; -1 for page-locked, -2 for pageable memory."""
        for start, block in self.memory.items():
            if start <= address < start + len(block):
                assert address + size <= start + len(block), "beyond the end of a block"
                return self.owner[start]
        for block in self.freed:
            start = ctypes.addressof(block)
            assert not start <= address < start + len(block), "memory that was freed is used"
        return -2

    def check(self, address: int, size: int, wanted: int) -> None:
        place = self.place(address, size)
        assert place == wanted or (wanted == -1 and place < 0), f"memory of {place} is used as memory of {wanted}"

    def deviceGetAttribute(self, number: int, ordinal: int) -> int:
        return 1024 if number in IMAGE_SIZES else super().deviceGetAttribute(number, ordinal)

    def deviceCanAccessPeer(self, device: int, peer: int) -> int:
        return int(self.peers)

    def deviceEnablePeerAccess(self, peer: int) -> None:
        assert self.peers and peer != self.current
        if (self.current, peer) in self.enabled:
            raise CudaError(704)
        self.enabled.add((self.current, peer))

    # Streams

    def streamCreateWithFlags(self, *flags: int) -> int:
        handle = self.handle()
        self.streams[handle] = Stream(max(self.current, 0))
        return handle

    streamCreateWithPriority = streamCreateWithFlags

    def streamDestroy(self, stream: int) -> None:
        pass  # "the function will return immediately and the resources [...] will be released automatically" when it has ended

    def _put(self, stream: int, command: Callable[[], object]) -> None:
        def run() -> bool:
            command()
            return True

        with self.lock:
            self.streams[stream].commands.append(run)
            self._chance()

    def _chance(self) -> None:
        """A few commands of some streams run now."""
        for _ in range(self.random.choice((0, 0, 0, 1, 3))):
            self._step(self.random.choice(list(self.streams.values())))

    def _step(self, stream: Stream) -> bool:
        if not stream.commands or not stream.commands[0]():
            return False
        stream.commands.popleft()
        return True

    def _finish(self, stream: Stream, until: Callable[[], bool]) -> None:
        """Runs a stream, and others as far as it waits for them."""
        while not until():
            if stream.commands and not self._step(stream):
                assert any(self._step(other) for other in list(self.streams.values()) if other is not stream), "streams wait for each other"

    def streamSynchronize(self, stream: int) -> None:
        with self.lock:
            if stream in self.streams:
                self._finish(self.streams[stream], lambda: not self.streams[stream].commands)

    def streamQuery(self, stream: int) -> int:
        with self.lock:
            if self.random.random() < 0.2:
                self.streamSynchronize(stream)
            return NOT_READY if self.streams[stream].commands else 0

    # Events

    def eventCreateWithFlags(self, flags: int) -> int:
        event = self.handle()
        self.recorded[event], self.event_device[event] = None, self.current
        return event

    def eventRecord(self, event: int, stream: int) -> None:
        with self.lock:
            on = self.streams[stream]
            assert self.event_device[event] == on.device, "an event is recorded in a stream of another device"
            recording = self.recorded[event] = Recording(on)
            super().eventRecord(event, stream)
            self._put(stream, lambda: setattr(recording, "reached", True))

    def eventQuery(self, event: int) -> int:
        with self.lock:
            recording = self.recorded[event]
            if recording is not None and self.random.random() < 0.2:
                self._finish(recording.stream, lambda: recording.reached)
            return 0 if recording is None or recording.reached else NOT_READY

    def streamWaitEvent(self, stream: int, event: int) -> None:
        with self.lock:
            recording = self.recorded[event]
            if recording is not None:
                self.streams[stream].commands.append(lambda: recording.reached)

    # Copies

    def memcpy(self, destination: int, source: int, size: int, kind: int) -> None:
        with self.lock:
            super().memcpy(destination, source, size, kind)

    def memcpyAsync(self, destination: int, source: int, size: int, kind: int, stream: int) -> None:
        device = self.streams[stream].device
        ends = {1: (device, -1), 2: (-1, device), 3: (device, device)}.get(kind)

        def copy() -> None:
            if ends is not None:
                self.check(destination, size, ends[0])
                self.check(source, size, ends[1])
            self.copies.append((device, device, size))
            ctypes.memmove(destination, source, size)

        with self.lock:
            if kind == 1 and self.place(source, size) == -2:
                data = ctypes.string_at(source, size)
                self.check(destination, size, device)
                self._put(stream, lambda: (self.check(destination, size, device), ctypes.memmove(destination, data, size)))
                return
            self._put(stream, copy)
            if kind == 2 and self.place(destination, size) == -2:
                self.streamSynchronize(stream)

    def memcpyPeerAsync(self, destination: int, to: int, source: int, of: int, size: int, stream: int) -> None:
        assert self.streams[stream].device in (to, of), "a stream of neither end"

        def copy() -> None:
            self.check(destination, size, to)
            self.check(source, size, of)
            self.peer_copied += size
            self.copies.append((to, of, size))
            ctypes.memmove(destination, source, size)

        self._put(stream, copy)

    def rows(self, stream: int, destination: int, destination_pitches: tuple[int, int], to: int, source: int,
             source_pitches: tuple[int, int], of: int, region: tuple[int, int, int]) -> None:
        width, height, depth = region

        def copy() -> None:
            for z in range(depth):
                for y in range(height):
                    goal, start = (address + z * pitches[1] + y * pitches[0] for address, pitches in (
                        (destination, destination_pitches), (source, source_pitches)))
                    self.check(goal, width, to)
                    self.check(start, width, of)
                    ctypes.memmove(goal, start, width)
            if to != of and min(to, of) >= 0:
                self.peer_copied += width * height * depth

        self._put(stream, copy)
        if min(to, of) < 0:
            self.streamSynchronize(stream)  # pageable memory, maybe

    def memcpy2DAsync(self, destination: int, destination_pitch: int, source: int, source_pitch: int, width: int, height: int,
                      kind: int, stream: int) -> None:
        device = self.streams[stream].device
        self.rows(stream, destination, (destination_pitch, 0), -1 if kind == 2 else device, source, (source_pitch, 0),
                  -1 if kind == 1 else device, (width, height, 1))

    def memcpy3DAsync(self, parameters: int, stream: int) -> None:
        p = Memcpy3D.from_address(parameters)
        to, of, device = p.destination, p.source, self.streams[stream].device
        self.rows(stream, to.address, (to.pitch, to.pitch * to.rows), -1 if p.kind == 2 else device,
                  of.address, (of.pitch, of.pitch * of.rows), -1 if p.kind == 1 else device, tuple(p.extent))

    def memsetAsync(self, address: int, value: int, count: int, stream: int) -> None:
        device = self.streams[stream].device
        self._put(stream, lambda: (self.check(address, count, device), ctypes.memset(address, value, count)))


class SeveralDriver(Driver):
    """`bodies` are the kernels, by name."""

    runtime: SeveralRuntime

    def __init__(self, runtime: SeveralRuntime):
        super().__init__(runtime)
        self.bodies: dict[str, Body] = {}

    def ctxGetCurrent(self) -> int:
        return CONTEXTS + self.runtime.current if self.runtime.current >= 0 else 0

    def ctxSetCurrent(self, context: int) -> None:
        self.runtime.thread.device = context - CONTEXTS if context else -1

    def launchKernel(self, function: int, *arguments: int) -> None:
        gx, gy, gz, bx, by, bz, _, stream, parameters, _ = arguments
        if self.runtime.current != self.runtime.streams[stream].device:
            raise CudaError(400 if self.runtime.current >= 0 else 201)
        pointers = ctypes.cast(parameters, ctypes.POINTER(ctypes.c_void_p))

        def parameter(index: int, type: type) -> Any:
            return type.from_address(pointers[index]).value

        body = next(body for name, body in self.bodies.items() if name in self.symbols[function])
        self.runtime._put(stream, body(parameter, gx * bx * gy * by * gz * bz, self.runtime.streams[stream].device))


class SeveralCuda(api.Cuda):
    """`devices` are CUDA devices of one imagined machine, which are given the platform's Device around them by `devices_of`."""

    def __init__(self, devices: int = 2, seed: int = 1, peers: bool = True):
        self.several = SeveralRuntime(devices, seed, peers)
        super().__init__(SeveralDriver(self.several), self.several, None)
        self.arrays: dict[int, tuple[Any, int, int]] = {}  # memory, bytes of a row, rows of a plane
        self.devices = [CudaDevice(self, ordinal) for ordinal in range(devices)]

    def is_pageable(self, address: int) -> bool:
        with self.several.lock:
            return self.several.place(address, 1) == -2

    def memset(self, address: int, value: int, width: int, count: int, stream: int) -> None:
        device, data = self.several.streams[stream].device, value.to_bytes(width, "little") * count
        self.several._put(stream, lambda: (self.several.check(address, len(data), device), ctypes.memmove(address, data, len(data))))

    def prefetch(self, address: int, size: int, place: int, stream: int) -> None:
        self.several._put(stream, lambda: None)

    def driver_call(self, name: str, *arguments: Any) -> None:
        """Copies of rows and images, and images as plain memory."""
        with self.several.lock:
            getattr(self, name)(*(getattr(each, "_obj", each) for each in arguments))

    def cuMemcpy3DPeerAsync(self, copy: Copy, stream: ctypes.c_void_p) -> None:
        self._copy_3d(copy, stream.value or 0, copy.target_reserved - CONTEXTS, copy.source_reserved - CONTEXTS)

    def cuMemcpy3DAsync_v2(self, copy: Copy, stream: ctypes.c_void_p) -> None:
        device = self.several.streams[stream.value or 0].device
        self._copy_3d(copy, stream.value or 0, *(-1 if memory & 0xFFFFFFFF == 1 else device for memory in (copy.target_memory,
                                                                                                     copy.source_memory)))

    def _copy_3d(self, copy: Copy, stream: int, to: int, of: int) -> None:
        assert self.several.streams[stream].device in (to, of)
        region = (copy.width, copy.height, copy.depth)
        self.several.rows(stream, *self._copy_end(copy, "target"), to, *self._copy_end(copy, "source"), of, region)

    def _copy_end(self, copy: Copy, name: str) -> tuple[int, tuple[int, int]]:
        memory, array = getattr(copy, f"{name}_memory") & 0xFFFFFFFF, getattr(copy, f"{name}_array")
        x, y, z = (getattr(copy, f"{name}_{axis}") for axis in "xyz")
        if memory == 3:
            start, row, rows = self.arrays[array]
            return start + x + y * row + z * row * rows, (row, row * rows)
        pitch, height = getattr(copy, f"{name}_pitch"), getattr(copy, f"{name}_height")
        return getattr(copy, f"{name}_{'host' if memory == 1 else 'device'}"), (pitch, pitch * height)

    def cuArray3DCreate_v2(self, handle: ctypes.c_uint64, descriptor: _ArrayDescriptor) -> None:
        row = descriptor.width * descriptor.channels * _CHANNEL_BYTES[descriptor.format]
        rows = max(descriptor.height, 1)
        handle.value = address = self.several.malloc(row * rows * max(descriptor.depth, 1))
        self.arrays[address] = address, row, rows

    def cuArrayDestroy(self, array: ctypes.c_uint64) -> None:
        self.several.free(array.value)

    def cuSurfObjectCreate(self, handle: ctypes.c_uint64, resource: Any) -> None:
        handle.value = self.several.handle()

    def cuTexObjectCreate(self, handle: ctypes.c_uint64, *more: Any) -> None:
        handle.value = self.several.handle()

    def cuSurfObjectDestroy(self, handle: ctypes.c_uint64) -> None:
        pass

    cuTexObjectDestroy = cuSurfObjectDestroy

    def devices_of(self, platform: object) -> list[Device]:
        return [Device(platform, "cuda", each) for each in self.devices]
