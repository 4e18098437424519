"""CuPy's two modules in memory, as far as the CUDA driver calls them: its logic runs without a GPU, its launches are recorded."""

from __future__ import annotations

import ctypes
import time
from typing import Any

from cl2cuda.runtime.cuda import api
from cl2cuda.runtime.cuda.launch import LaunchRecord
from cl2cuda.runtime.cuda.regions import Memcpy3D


class CudaError(RuntimeError):
    def __init__(self, status: int):
        super().__init__(f"error {status}")
        self.status = status


class Runtime:
    CUDARuntimeError = CudaError
    streamNonBlocking, eventDefault, eventBlockingSync, eventDisableTiming, hostAllocPortable = 1, 0, 1, 2, 1

    def __init__(self) -> None:
        self.memory: dict[int, Any] = {}
        self.events: dict[int, float] = {}
        self.handles = 100

    def handle(self, *flags: int) -> int:
        self.handles += 1
        return self.handles

    streamCreateWithFlags = streamCreateWithPriority = eventCreateWithFlags = handle

    def setDevice(self, ordinal: int) -> None:
        pass

    def driverGetVersion(self) -> int:
        return 13000

    def deviceGetAttribute(self, number: int, ordinal: int) -> int:
        return {75: 9, 76: 0, 97: 227 << 10, 9: 64 << 10, 10: 32, 1: 1024, 2: 1024, 3: 1024, 4: 64,
                13: 1_000_000, 16: 10, 36: 2_000_000, 37: 1024, 39: 2048}.get(number, 1)

    def getDeviceProperties(self, ordinal: int) -> dict[str, Any]:
        return {"name": b"imagined", "totalGlobalMem": 1 << 24, "uuid": bytes(range(16)), "luid": b""}

    def malloc(self, size: int) -> int:
        if size > 1 << 24:
            raise CudaError(2)
        block = (ctypes.c_ubyte * size)()
        self.memory[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    mallocManaged = malloc

    def memGetInfo(self) -> tuple[int, int]:
        return 1 << 24, 1 << 24

    def hostAlloc(self, size: int, flags: int) -> int:
        return self.malloc(size)

    def free(self, address: int) -> None:
        if address:
            del self.memory[address]

    freeHost = free

    def deviceSetLimit(self, limit: int, value: int) -> None:
        pass

    def hostRegister(self, address: int, size: int, flags: int) -> None:
        pass

    def hostUnregister(self, address: int) -> None:
        pass

    def memcpy(self, destination: int, source: int, size: int, kind: int) -> None:
        ctypes.memmove(destination, source, size)

    def memcpyAsync(self, destination: int, source: int, size: int, kind: int, stream: int) -> None:
        ctypes.memmove(destination, source, size)

    def memcpy2DAsync(self, destination: int, destination_pitch: int, source: int, source_pitch: int, width: int, height: int,
                      kind: int, stream: int) -> None:
        for row in range(height):
            ctypes.memmove(destination + row * destination_pitch, source + row * source_pitch, width)

    def memcpy3DAsync(self, parameters: int, stream: int) -> None:
        p = Memcpy3D.from_address(parameters)
        to, of = p.destination, p.source
        for z in range(p.extent[2]):
            self.memcpy2DAsync(to.address + z * to.pitch * to.rows, to.pitch, of.address + z * of.pitch * of.rows, of.pitch,
                               p.extent[0], p.extent[1], p.kind, stream)

    def memsetAsync(self, address: int, value: int, count: int, stream: int) -> None:
        ctypes.memset(address, value, count)

    def eventRecord(self, event: int, stream: int) -> None:
        self.events[event] = time.perf_counter()

    def eventQuery(self, event: int) -> int:
        return 0  # recorded at once, or never: an event that was never recorded has nothing to wait for

    def eventSynchronize(self, event: int) -> None:
        pass

    def eventDestroy(self, event: int) -> None:
        del self.events[event]

    def eventElapsedTime(self, start: int, end: int) -> float:
        return ctypes.c_float((self.events[end] - self.events[start]) * 1e3).value

    def streamWaitEvent(self, stream: int, event: int) -> None:
        pass

    def streamSynchronize(self, stream: int) -> None:
        pass

    def streamQuery(self, stream: int) -> int:
        return 0

    def streamDestroy(self, stream: int) -> None:
        pass

    def check_status(self, status: int) -> None:
        if status:
            raise CudaError(status)


class Driver:
    """`launches`: (function's symbol, the other arguments of launchKernel, the launch record's bytes at that time)."""

    CUDADriverError = CudaError

    def __init__(self, runtime: Runtime):
        self.runtime = runtime
        self.check_status = runtime.check_status
        self.modules: dict[int, bytes] = {}
        self.symbols: dict[int, str] = {}
        self.allowed: dict[int, int] = {}
        self.launches: list[tuple[str, tuple[int, ...], bytes]] = []
        self.record = runtime.malloc(ctypes.sizeof(LaunchRecord))
        self.fail = 0

    def ctxGetCurrent(self) -> int:
        return 7

    def ctxSetCurrent(self, context: int) -> None:
        pass

    def moduleLoadData(self, code: bytes) -> int:
        handle = self.runtime.handle()
        self.modules[handle] = code
        return handle

    def moduleUnload(self, handle: int) -> None:
        del self.modules[handle]

    def moduleGetFunction(self, module: int, symbol: str) -> int:
        assert symbol.encode() in self.modules[module]
        handle = self.runtime.handle()
        self.symbols[handle] = symbol
        return handle

    def moduleGetGlobal(self, module: int, symbol: str) -> int:
        if symbol.encode() not in self.modules[module]:
            raise CudaError(500)
        return self.record

    def funcGetAttribute(self, number: int, function: int) -> int:
        return {0: 1024, 1: 0, 3: 16, 4: 20}[number]

    def occupancyMaxActiveBlocksPerMultiprocessor(self, function: int, block: int, dynamic: int) -> int:
        return 1024 // block

    def funcSetAttribute(self, function: int, number: int, value: int) -> None:
        assert number == 8
        self.allowed[function] = value

    def launchKernel(self, function: int, *arguments: int) -> None:
        if self.fail:
            raise CudaError(self.fail)
        self.launches.append((self.symbols[function], arguments, ctypes.string_at(self.record, ctypes.sizeof(LaunchRecord))))


class FakeCuda(api.Cuda):
    native_launching = None  # Its launches are recorded, by `Driver`.
    def __init__(self) -> None:
        runtime = Runtime()
        super().__init__(Driver(runtime), runtime, None)

    def is_pageable(self, address: int) -> bool:
        return False  # Its copies come later: nothing is done with yet.

    def prefetch(self, address: int, size: int, place: int, stream: int) -> None:
        pass

    def memset(self, address: int, value: int, width: int, count: int, stream: int) -> None:
        ctypes.memmove(address, value.to_bytes(width, "little") * count, width * count)
