"""An imagined CUDA in place of the platform's device: its streams work later, each by a thread of its own, and run this tool's two kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from support import compiled_calls  # noqa: F401  (before what asks for the compiled calls)
from support.fake_cuda import CudaError
from support.late_cuda import LateCuda

from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.launching import HELD, LET_GO, WAITED_NS
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.native import library

ALIGN, MOST = 512, 1 << 24
_LONG, _WORD, _WIDE = ctypes.c_int64, ctypes.c_uint, ctypes.c_uint64


def words(address: int, count: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_uint32 * count).from_address(address))


def add(parameter: Callable[[int, type], Any], count: int) -> Callable[[], None]:
    x, step = parameter(0, _WIDE), np.uint32(parameter(1, ctypes.c_uint32))

    def run() -> None:
        words(x, count)[:] += step

    return run


def mix(parameter: Callable[[int, type], Any], count: int) -> Callable[[], None]:
    x, y, value = parameter(0, _WIDE), parameter(1, _WIDE), np.uint32(parameter(2, ctypes.c_uint32))

    def run() -> None:
        target = words(y, count)
        target[:] = target * np.uint32(2654435761) + (words(x, count) ^ value)

    return run


def copy(parameter: Callable[[int, type], Any], count: int) -> Callable[[], None]:
    to, source, units = (parameter(place, _WIDE) for place in range(3))
    assert count >= units
    return lambda: ctypes.memmove(to, source, 8 * units)


def fill(parameter: Callable[[int, type], Any], count: int) -> Callable[[], None]:
    to, units, mask = (parameter(place, _WIDE) for place in range(3))
    pattern = bytes(parameter(3, ctypes.c_ubyte * 128))[: 8 * (mask + 1)]
    assert count >= units
    return lambda: ctypes.memmove(to, pattern * -(-units // (mask + 1)), 8 * units)


class Config(ctypes.Structure):
    """cuLaunchKernelEx's."""

    _fields_ = [("sizes", ctypes.c_uint * 7), ("stream", _WIDE), ("attributes", _WIDE), ("count", ctypes.c_uint)]


class ComputingCuda(LateCuda):
    """Fills, copies of shared memory and launches come in their streams' order, too. Memory that is given back is not what it was."""

    bodies: dict[str, Callable[[Callable[[int, type], Any], int], Callable[[], None]]] = {
        "cl2cuda_copy": copy, "cl2cuda_fill": fill, "add": add, "mix": mix}

    def __init__(self) -> None:
        super().__init__()
        runtime = self.runtime

        def malloc(size: int) -> int:
            if size > MOST:
                raise CudaError(2)
            block = (ctypes.c_ubyte * (size + ALIGN))()
            ctypes.memset(block, 0xCD, len(block))
            address = -(-ctypes.addressof(block) // ALIGN) * ALIGN
            runtime.memory[address] = block
            return address

        def free(address: int) -> None:
            """As CUDA does, behind all that streams have been given."""
            for stream in list(self._streams.values()):
                stream.wait(stream.given)
            if address:
                poison(address)

        def poison(address: int) -> None:
            block = runtime.memory.pop(address)
            ctypes.memset(block, 0xDD, len(block))
            self.kept.append(block)  # so that no other gets its place

        def set_bytes(width: int) -> Callable[..., int]:
            return lambda memory, value, count, stream: self._give(
                stream, lambda: ctypes.memmove(memory, (value & (1 << 8 * width) - 1).to_bytes(width, "little") * count, width * count))

        def copied(to: int, source: int, size: int, stream: int) -> int:
            return self._give(stream, lambda: ctypes.memmove(to, source, size))

        def fetched(address: int, size: int, device: int, stream: int) -> int:
            return self._give(stream, lambda: None)

        def launch(function: int, *rest: Any) -> int:
            gx, gy, gz, bx, by, bz, _, stream, parameters = rest[:9]
            pointers = ctypes.cast(parameters, ctypes.POINTER(ctypes.c_void_p))

            def parameter(index: int, kind: Any) -> Any:
                found = kind.from_address(pointers[index] or 0)
                return found.value if hasattr(found, "value") else found

            name = self.driver.symbols[function]
            body = next(body for known, body in self.bodies.items() if known in name)
            return self._give(stream, body(parameter, gx * gy * gz * bx * by * bz))

        def launch_extended(config: int, function: int, parameters: int, extra: int) -> int:
            given = Config.from_address(config)
            return launch(function, *given.sizes, given.stream, parameters)

        runtime.malloc = runtime.mallocManaged = malloc
        runtime.mallocAsync = lambda size, stream: malloc(size)
        runtime.freeAsync = lambda memory, stream: self._give(stream, lambda: poison(memory))
        runtime.free = runtime.freeHost = free
        runtime.memGetInfo = lambda: (1 << 30, 1 << 30)

        def host_memory(size: int, flags: int) -> int:
            address = malloc(size)
            self._page_locked.append((address, size))
            return address

        runtime.hostAlloc = host_memory
        four = (_LONG, _LONG, _LONG, _LONG)
        fills = tuple(self._address(set_bytes(width), _LONG, _WORD, _LONG, _LONG) for width in (1, 2, 4))
        self.stream_addresses = (*self.stream_addresses[:5], *fills, *self.stream_addresses[8:])
        self.shared_memory_addresses = (self._address(copied, *four), self._address(fetched, _LONG, _LONG, ctypes.c_int, _LONG))
        called = self._address(launch, _WIDE, *(_WORD,) * 7, _LONG, _LONG, _LONG)
        extended = self._address(launch_extended, *four)
        self.launch_addresses = (called, self.stream_addresses[0], extended)
        calls = library.calls()
        self.native_launching = None if calls is None else calls.launching((called, extended), HELD, LET_GO, WAITED_NS, ())
        self.driver.launchKernel = lambda function, *rest: launch(function, *rest) and None
        runtime.streamSynchronize = lambda stream: self._stream(stream).wait(self._stream(stream).given)


def install(count: int) -> None:
    assert count == 1, "its devices do not copy to each other"
    platform = platforms()[0]
    platform._devices = [Device(platform, "cuda", CudaDevice(ComputingCuda(), 0))]
