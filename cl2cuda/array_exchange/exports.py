"""What other libraries see of OpenCL's memory, without a copy: DLPack and `__cuda_array_interface__` (version 3).

Owns how buffers, shared virtual memory and PyOpenCL's arrays say where they are, and which stream comes after which. The way in is
`interop`'s. What that takes is imported when a library asks: every buffer of PyOpenCL's is `Exported`.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..runtime.context.context import Context
    from ..runtime.devices.device import Device
    from . import dlpack

# The streams that DLPack names: "1: the legacy default stream, 2: the per-thread default stream"; without one the legacy is meant.
_LEGACY = 1
_NO_ORDER = -1


class Region(NamedTuple):
    """Bytes on a device of a context. `address` is the device's."""

    context: Context
    device: Device
    address: int


class Exported:
    """Base of what stands for bytes on a device. Other libraries see an array of bytes (uint8) of shape (size,).

    DLPack's consumer says which of its streams will use the memory, and that stream comes after all that the context's queues
    have been given. `__cuda_array_interface__` names a stream of ours that does. On the host device both wait instead. What the
    other library does afterwards is not waited for: `interop.wait_for_stream` has a queue come after it.
    """

    def _region(self) -> Region:
        raise NotImplementedError

    def _described(self) -> tuple[Region, dlpack.Memory]:
        region = self._region()
        size: int = self.size  # type: ignore[attr-defined]
        return region, _memory(region, 0, (size,), (1,), np.dtype(np.uint8), self)

    def __dlpack_device__(self) -> tuple[int, int]:
        return device_of(self._region())

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        return export(*self._described(), stream, max_version, dl_device, copy)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return cuda_array_interface(*self._described())


def device_of(region: Region) -> tuple[int, int]:
    """DLPack's (device type, device number). Raises BufferError for memory of another process."""
    from . import dlpack

    if region.device.is_cuda:
        return dlpack.CUDA, ordinal_of(region.device)
    if not region.device.host_addressable:
        raise BufferError(f"the memory of {region.device!r} is in another process: copy it with pyopencl.enqueue_copy")
    return dlpack.CPU, 0


def ordinal_of(device: Device) -> int:
    """CUDA's number of one of its devices."""
    cuda = device.driver_device.cuda_code
    assert cuda is not None, "only memory of CUDA devices is asked about"
    return cuda.ordinal


def _memory(region: Region, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype, owner: Any) -> dlpack.Memory:
    from . import dlpack

    return dlpack.Memory(region.address + offset, *device_of(region), shape, strides, dtype, owner)


def export(region: Region, memory: dlpack.Memory, stream: Any, max_version: Any, dl_device: Any, copy: bool | None) -> Any:
    """A capsule of the newest version that we and the consumer know, in the order that `stream` asks for.
    Raises BufferError for what this protocol or this memory cannot do."""
    from ..runtime.commands import foreign
    from . import dlpack

    if copy:
        raise BufferError("only the memory itself can be had: copy it with pyopencl.enqueue_copy")
    if dl_device is not None and tuple(dl_device) != device_of(region):
        raise BufferError(f"the memory is on DLPack's device {device_of(region)}, not on {tuple(dl_device)}")
    capsule = dlpack.capsule(memory, versioned=max_version is not None and tuple(max_version) >= dlpack.VERSION)
    if region.device.is_cuda:
        if stream == 0:
            raise ValueError("DLPack's stream 0 is ambiguous: 1 is the legacy default stream, 2 the per-thread one")
        if stream != _NO_ORDER:
            with region.context.keeping_current():
                theirs = foreign.borrowed(region.device, _LEGACY if stream is None else int(stream))
                foreign.let_stream_wait(region.context, region.device, theirs)
    else:
        foreign.settle(region.context, region.device)
    return capsule


def cuda_array_interface(region: Region, memory: dlpack.Memory) -> dict[str, Any]:
    """Raises AttributeError where there is no CUDA, as an attribute that does not exist."""
    from ..runtime.commands import foreign
    from . import dlpack

    if not region.device.is_cuda:
        raise AttributeError(f"{region.device!r} is not CUDA's: its memory has DLPack and no __cuda_array_interface__")
    if memory.dtype.kind not in "biufc":
        raise AttributeError(f"elements of {memory.dtype} have no __cuda_array_interface__")
    with region.context.keeping_current():
        stream = region.device.service_stream
        foreign.let_stream_wait(region.context, region.device, stream)
    tight = memory.strides == dlpack.tight(memory.shape, memory.dtype)
    return {"shape": memory.shape, "typestr": memory.dtype.str, "data": (memory.address, False), "version": 3,
            "strides": None if tight else memory.strides, "stream": stream.handle}


# PyOpenCL's arrays.


def _described_array(array: Any) -> tuple[Region, dlpack.Memory]:
    base = array.base_data
    if base is None:  # of no elements
        queue = array.queue._core if array.queue is not None else None
        context, device = array.context._core, queue.device if queue else array.context._core.devices[0]
        region = Region(context, device, 0)
    elif isinstance(base, Exported):
        region = base._region()
    else:
        raise BufferError(f"the array's memory, a {type(base).__name__}, is not the device's")
    shape, strides = tuple(map(index, array.shape)), tuple(map(index, array.strides))
    return region, _memory(region, index(array.offset), shape, strides, array.dtype, array)


def extend(array_class: type) -> None:
    """Gives pyopencl.array.Array the protocols, for elements that are numbers: not for OpenCL's vectors or structures."""

    def dlpack_device(self: Any) -> tuple[int, int]:
        return device_of(_described_array(self)[0])

    def dlpack_capsule(self: Any, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        return export(*_described_array(self), stream, max_version, dl_device, copy)

    protocols = {"__dlpack_device__": dlpack_device, "__dlpack__": dlpack_capsule,
                 "__cuda_array_interface__": property(lambda self: cuda_array_interface(*_described_array(self)))}
    for name, protocol in protocols.items():
        if not hasattr(array_class, name):  # A PyOpenCL that has its own keeps it.
            setattr(array_class, name, protocol)
