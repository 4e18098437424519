"""Arrays and streams of CUDA's Python libraries as OpenCL's: CuPy, Numba, PyTorch, and on the host device NumPy. Nothing is copied.

    import cl2cuda; cl2cuda.install()
    from cl2cuda import interop
    a = interop.from_dlpack(queue, cupy_array)                # a pyopencl.array.Array over the same memory
    queue = interop.queue_from_stream(context, cupy_stream)   # commands go into that very stream

The way out needs no function here: buffers, shared virtual memory and arrays have DLPack and `__cuda_array_interface__` (`exports`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from .array_exchange import dlpack
from .array_exchange.exports import ordinal_of
from .pyopencl_cl.errors import guarded, make_error
from .pyopencl_cl.handles import core_of
from .pyopencl_cl.integers import cl_bitfield
from .pyopencl_cl.memory import Buffer
from .runtime.commands import foreign
from .runtime.devices.device import Device
from .runtime.memory.foreign import buffer_over
from .runtime.spec import codes

if TYPE_CHECKING:
    import pyopencl as cl
else:
    from . import pyopencl as cl

__all__ = ["as_buffer", "from_dlpack", "let_stream_wait", "queue_from_stream", "stream_of", "wait_for_stream"]

T = TypeVar("T")


def from_dlpack(queue: cl.CommandQueue, x: Any) -> cl.array.Array:
    """A pyopencl.array.Array of x's shape, element type and strides, over x's memory.

    x has DLPack or `__cuda_array_interface__`, on a device of the queue's context. What the queue gets from now on comes after what
    x's library has done to it until now. x lives as long as the array, and until no command uses the memory.
    Raises BufferError for memory elsewhere, and for element types that NumPy lacks.
    """
    import pyopencl.array

    core = core_of(queue, cl.CommandQueue, "queue")
    with core.context.keeping_current():
        given = _taken(x, core.context, core.device, core)
    memory = given.memory
    if not math.prod(memory.shape):
        return pyopencl.array.Array(queue, memory.shape, memory.dtype)
    start, size = _extent(memory)
    buffer = _buffer(core.context, given, start, size)
    return pyopencl.array.Array(queue, memory.shape, memory.dtype, data=buffer, offset=memory.address - start, strides=memory.strides)


def as_buffer(context: cl.Context, x: Any, flags: int = 0) -> cl.Buffer:
    """A pyopencl.Buffer over the bytes of x, an array without gaps in C or Fortran order, with DLPack or `__cuda_array_interface__`.

    What x's library has done to it until now is waited for. A read-only x gives a READ_ONLY buffer; `flags` may ask for less access.
    Raises BufferError for memory that no device of the context has, that has gaps, or that has no elements.
    """
    core = core_of(context, cl.Context, "context")
    with core.keeping_current():
        given = _taken(x, core, None, None)
    memory = given.memory
    start, size = _extent(memory)
    if size != math.prod(memory.shape) * memory.dtype.itemsize or not size:
        raise BufferError(f"an array of shape {memory.shape} and strides {memory.strides} is no block of bytes")
    return _buffer(core, given, start, size, cl_bitfield(flags, "flags"))


def queue_from_stream(context: cl.Context, stream: Any, device: cl.Device | None = None) -> cl.CommandQueue:
    """An in-order queue whose commands go into the stream: they and what others put there run in the order of their coming.

    stream   a CuPy, PyTorch or Numba stream, whatever has `__cuda_stream__`, or CUDA's handle as a number (0: the default stream).
             Its maker destroys it; the queue keeps the object alive.
    device   of the context, the first one of CUDA's unless given
    Raises LogicError INVALID_OPERATION where the device has no streams (the host device).
    """
    core = core_of(context, cl.Context, "context")
    if device is not None:
        chosen = core_of(device, cl.Device, "device")
    else:
        chosen = next((each for each in core.devices if each.is_cuda), core.devices[0])
    with core.keeping_current():
        return cl.CommandQueue._of(_guarded(lambda: foreign.ForeignQueue(core, chosen, handle_of(stream), stream)))


class Stream(NamedTuple):
    """CUDA's stream of a queue, for libraries that know `__cuda_stream__` or `ptr`; `queue` keeps it alive."""

    ptr: int
    queue: cl.CommandQueue

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.ptr


def stream_of(queue: cl.CommandQueue) -> Stream:
    """The stream that an in-order queue's commands go into. For CuPy: `cupy.cuda.ExternalStream(stream_of(queue).ptr)`.

    A command that waits for a user event, or copies from or to pageable memory, enters it later than its enqueuing returns.
    Raises LogicError: INVALID_COMMAND_QUEUE for an out-of-order queue, which has several; INVALID_OPERATION on the host device.
    """
    core = core_of(queue, cl.CommandQueue, "queue")
    if core.properties & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE:
        raise make_error("stream_of", "INVALID_COMMAND_QUEUE", "an out-of-order queue has several streams")
    if not core.device.is_cuda:
        raise make_error("stream_of", "INVALID_OPERATION", f"{core.device!r} has no CUDA streams")
    return Stream(core.stream.handle, queue)


def wait_for_stream(queue: cl.CommandQueue, stream: Any) -> None:
    """What the queue gets from now on comes after all that the stream has been given until now. `stream` as in `queue_from_stream`."""
    core = core_of(queue, cl.CommandQueue, "queue")
    with core.context.keeping_current():
        _guarded(lambda: foreign.wait_for_stream(core, foreign.borrowed(core.device, handle_of(stream))))


def let_stream_wait(stream: Any, queue: cl.CommandQueue) -> None:
    """What the stream gets from now on comes after all that the queues of this queue's context and device have been given until now."""
    core = core_of(queue, cl.CommandQueue, "queue")
    with core.context.keeping_current():
        _guarded(lambda: foreign.let_stream_wait(core.context, core.device, foreign.borrowed(core.device, handle_of(stream))))


def handle_of(stream: Any) -> int:
    """CUDA's handle of a stream: of CuPy (`ptr`), PyTorch (`cuda_stream`), Numba (`handle`), by `__cuda_stream__`, or a number."""
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("ptr", "cuda_stream", "handle"):
        if (handle := getattr(stream, name, None)) is not None:
            return int(getattr(handle, "value", handle) or 0)
    try:
        return int(stream)
    except (TypeError, ValueError):
        raise TypeError(f"{stream!r} is not a CUDA stream") from None


# Reading what the protocols say.


class _Given(NamedTuple):
    memory: dlpack.Memory
    device: Device
    readonly: bool


def _taken(x: Any, context: Any, device: Device | None, queue: Any) -> _Given:
    """x's memory, ready for the queue's next command, or for all queues if there is none."""
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        home = _home(x.__dlpack_device__(), context, device)
        return _Given(dlpack.read(_capsule(x, home, queue)), home, False) if not _is_readonly(x) else _from_numpy(x, home)
    if hasattr(x, "__cuda_array_interface__"):
        return _from_cuda(x, context, device, queue)
    if not isinstance(x, np.ndarray):
        raise TypeError(f"{type(x).__name__} has neither DLPack nor __cuda_array_interface__")
    return _from_numpy(x, _home((dlpack.CPU, 0), context, device))


def _is_readonly(x: Any) -> bool:
    return isinstance(x, np.ndarray) and not x.flags.writeable


def _from_numpy(x: np.ndarray, home: Device) -> _Given:
    memory = dlpack.Memory(x.__array_interface__["data"][0], dlpack.CPU, 0, x.shape, x.strides, x.dtype, x)
    return _Given(memory, home, _is_readonly(x))


def _home(place: tuple[int, int], context: Any, wanted: Device | None) -> Device:
    """The context's device that has memory of DLPack's (device type, number)."""
    kind, number = int(place[0]), int(place[1])
    for device in (wanted,) if wanted is not None else context.devices:
        if device.is_cuda:
            if kind in (dlpack.CUDA, dlpack.CUDA_MANAGED) and ordinal_of(device) == number:
                return device
        elif device.host_addressable and kind in (dlpack.CPU, dlpack.CUDA_HOST):
            return device
    where = "the host's memory" if kind == dlpack.CPU else f"memory of DLPack's device {kind}, {number}"
    raise BufferError(f"{where} is not that of {wanted or list(context.devices)!r}: pyopencl.array.to_device copies")


def _capsule(x: Any, home: Device, queue: Any) -> Any:
    if not home.is_cuda:
        return x.__dlpack__()
    stream = queue.stream if queue is not None and len(queue.timelines) == 1 else home.service_stream
    capsule = x.__dlpack__(stream=stream.handle)
    if queue is None or stream is not queue.stream:
        stream.synchronize()
    return capsule


def _from_cuda(x: Any, context: Any, device: Device | None, queue: Any) -> _Given:
    """`__cuda_array_interface__`: "the stream on which consumers of the data must synchronise"."""
    said = x.__cuda_array_interface__
    address, readonly = said["data"]
    if said.get("mask") is not None:
        raise BufferError("OpenCL has no masked arrays")
    number = _number_of(x)
    candidates = [each for each in ((device,) if device is not None else context.devices) if each.is_cuda]
    home = next((each for each in candidates if number is None or ordinal_of(each) == number), None)
    if home is None:
        raise BufferError(f"no CUDA device of the context has this memory: {device or list(context.devices)!r}")
    if (handle := said.get("stream")) is not None:
        stream = foreign.borrowed(home, handle)
        if queue is None:
            stream.synchronize()
        else:
            foreign.wait_for_stream(queue, stream)
    dtype = np.dtype(said["typestr"])
    strides = said.get("strides") or dlpack.tight(said["shape"], dtype)
    return _Given(dlpack.Memory(address or 0, dlpack.CUDA, ordinal_of(home), tuple(said["shape"]), tuple(strides), dtype, x),
                  home, bool(readonly))


def _number_of(x: Any) -> int | None:
    """CUDA's number of the device that x says it is on, in its library's way; None if it does not say."""
    device = getattr(x, "device", None)
    number = getattr(device, "id", getattr(device, "index", None))
    return number if isinstance(number, int) else None


def _extent(memory: dlpack.Memory) -> tuple[int, int]:
    """(the lowest address, the bytes from there to the last element's end)."""
    spans = [stride * (side - 1) for stride, side in zip(memory.strides, memory.shape, strict=True)]
    if not math.prod(memory.shape):
        return memory.address, 0
    low, high = sum(min(0, span) for span in spans), sum(max(0, span) for span in spans)
    return memory.address + low, high - low + memory.dtype.itemsize


def _buffer(context: Any, given: _Given, start: int, size: int, flags: int = 0) -> cl.Buffer:
    if given.readonly:
        flags |= codes.MEM_READ_ONLY
    return Buffer._of(_guarded(lambda: buffer_over(context, flags, given.device, start, size, given.memory.owner)))


@guarded
def _guarded(make: Callable[[], T]) -> T:
    """The runtime's errors as PyOpenCL's."""
    return make()
