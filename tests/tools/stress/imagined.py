"""Imagined CUDA devices in place of the platform's, with the kernels of the random commands in NumPy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from support.asynchronous_cuda import SeveralCuda

from cl2cuda.runtime.devices.platform import platforms

Parameter = Callable[[int, type], Any]


def install(count: int, seed: int) -> SeveralCuda:
    cuda = SeveralCuda(count, seed)
    several = cuda.several

    def words(address: int, size: int, device: int) -> np.ndarray:
        several.check(address, 4 * size, device)
        return np.ctypeslib.as_array((ctypes.c_uint32 * size).from_address(address))

    def add(parameter: Parameter, size: int, device: int) -> Callable[[], None]:
        x, value = parameter(0, ctypes.c_uint64), parameter(1, ctypes.c_uint32)

        def run() -> None:
            words(x, size, device)[:] += np.uint32(value)

        return run

    def mix(parameter: Parameter, size: int, device: int) -> Callable[[], None]:
        x, y, value = parameter(0, ctypes.c_uint64), parameter(1, ctypes.c_uint64), parameter(2, ctypes.c_uint32)

        def run() -> None:
            target = words(y, size, device)
            target[:] = target * np.uint32(2654435761) + (words(x, size, device) ^ np.uint32(value))

        return run

    cuda.driver.bodies.update(add=add, mix=mix)
    platform = platforms()[0]
    platform._devices = cuda.devices_of(platform)
    return cuda
