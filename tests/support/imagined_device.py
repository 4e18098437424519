"""PyOpenCL's devices of an imagined CUDA."""

from __future__ import annotations

from cl2cuda.pyopencl_cl.handles import to_python
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device

from .cuda_device import cuda_device


def device_of(cuda):
    """Its first one, on the platform there is."""
    return to_python(Device(platforms.platforms()[0], "cuda", cuda_device(cuda)))
