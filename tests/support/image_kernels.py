"""Kernels run straight on a driver with images made by hand, without the runtime."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from cl2cuda.runtime.devices.device import Device
from cl2cuda.translator import parse_options, translate

from .image_model import Format
from .image_samples import Image

OPTIONS = parse_options("-cl-std=CL2.0")


@cache
def function(device: Device, source: str) -> Any:
    translation = translate(source, OPTIONS)
    driver = device.driver_device
    return driver.load(driver.compile(translation, OPTIONS)).function(translation.kernels[0])


def make(device: Device, type_: str, format: Format, elements: np.ndarray) -> Any:
    if device.driver_name == "host":
        return Image(type_, format, elements)
    from .cuda_arrays import CudaImage

    device.driver_device.enter()
    return CudaImage(type_, format, elements)


def elements_of(image: Any) -> np.ndarray:
    return image.elements if isinstance(image, Image) else image.read()


def run(device: Device, source: str, count: int, *values: Any, local: int = 1) -> None:
    """Images and samplers are given as they are, arrays as buffers that are read back."""
    driver = device.driver_device
    stream = driver.open_stream()
    arguments: list[Any] = []
    buffers = []
    for value in values:
        if isinstance(value, np.ndarray):
            address = driver.allocate(value.nbytes)
            stream.copy("host_to_device", address, value.ctypes.data, value.nbytes)
            buffers.append((address, value))
            arguments.append(ctypes.c_void_p(address))
        else:
            arguments.append(ctypes.c_uint(value) if isinstance(value, int) else value.argument)
    parameters = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    function(device, source).prepare(stream, 1, (count, 1, 1), (local, 1, 1), (0, 0, 0), 0, ctypes.addressof(parameters))()
    for address, array in buffers:
        stream.copy("device_to_host", array.ctypes.data, address, array.nbytes)
    stream.synchronize()
    for address, _ in buffers:
        driver.free(address)
    stream.close()
