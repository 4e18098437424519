"""PyOpenCL's arrays and buffers as objects that Dask sends and keeps.

Two families of Dask's serialisers have them. `dask` takes the contents through the host: it goes anywhere, also to a worker with
another kind of device. `cuda` gives the memory of CUDA devices itself, by `__cuda_array_interface__`: for UCX, and for what stays
in one process. What arrives lives in the context and queue of `home`.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
from distributed.protocol import cuda_deserialize, cuda_serialize, dask_deserialize, dask_serialize

Header = dict[str, Any]
_HOME = threading.local()


def register() -> None:
    """Tells Dask of them; PyOpenCL is imported when the first of them is to be sent or has come."""
    for dispatch in (dask_serialize, dask_deserialize, cuda_serialize, cuda_deserialize):
        dispatch.register_lazy("pyopencl", _register)


def home() -> Any:
    """The command-queue that arriving arrays have in this thread: of the first device, unless `set_home` chose another."""
    import pyopencl as cl

    queue = getattr(_HOME, "queue", None)
    if queue is None:
        queue = _HOME.queue = cl.CommandQueue(_default_context())
    return queue


def set_home(queue: Any) -> None:
    """Arrays and buffers that arrive in this thread from now on belong to the queue and its context."""
    _HOME.queue = queue


@functools.cache
def _default_context() -> Any:
    import pyopencl as cl

    return cl.Context(cl.get_platforms()[0].get_devices()[:1])


@functools.cache
def _register() -> None:
    import pyopencl as cl
    import pyopencl.array as cla

    dask_serialize.register(cla.Array)(_array_to_host)
    dask_deserialize.register(cla.Array)(_array_from_host)
    dask_serialize.register(cl.Buffer)(_buffer_to_host)
    dask_deserialize.register(cl.Buffer)(_buffer_from_host)
    cuda_serialize.register(cla.Array)(_array_on_device)
    cuda_deserialize.register(cla.Array)(_array_from_device)


def _joined(frames: list[Any]) -> np.ndarray:
    """The bytes of frames, which Dask may have split."""
    if len(frames) == 1:
        return np.frombuffer(frames[0], np.uint8)
    return np.frombuffer(b"".join(map(bytes, frames)), np.uint8)


def _array_header(array: Any) -> Header:
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return {"shape": tuple(map(int, array.shape)), "dtype": np.lib.format.dtype_to_descr(array.dtype), "order": order}


def _array_to_host(array: Any) -> tuple[Header, list[memoryview]]:
    queue = array.queue or home()
    if array.flags.forc:
        header, data = _array_header(array), array.get(queue)
    else:
        data = np.ascontiguousarray(_strided(array, queue))
        header = {"shape": data.shape, "dtype": np.lib.format.dtype_to_descr(data.dtype), "order": "C"}
    return header, [data.ravel(order=header["order"]).view(np.uint8).data]


def _strided(array: Any, queue: Any) -> np.ndarray:
    """An array with gaps, which PyOpenCL does not copy: all memory that it is in, and the same view of that."""
    import pyopencl as cl

    memory = np.empty(array.base_data.size, np.uint8)
    cl.enqueue_copy(queue, memory, array.base_data)
    return np.ndarray(array.shape, array.dtype, memory, array.offset, array.strides)


def _array_from_host(header: Header, frames: list[Any]) -> Any:
    import pyopencl.array as cla

    dtype = np.lib.format.descr_to_dtype(_as_descr(header["dtype"]))
    data = _joined(frames).view(dtype).reshape(header["shape"], order=header["order"])
    return cla.to_device(home(), data)


def _as_descr(descr: Any) -> Any:
    """What dtype_to_descr gave, after MessagePack has made lists of its tuples, or tuples of its lists."""
    if isinstance(descr, str):
        return descr
    return [tuple(_as_descr(part) if index == 1 else tuple(part) if isinstance(part, list) else part for index, part in enumerate(field))
            for field in descr]


def _buffer_to_host(buffer: Any) -> tuple[Header, list[memoryview]]:
    import pyopencl as cl

    data = np.empty(buffer.size, np.uint8)
    with cl.CommandQueue(buffer.context) as queue:
        cl.enqueue_copy(queue, data, buffer)
    return {"flags": int(buffer.flags)}, [data.data]


def _buffer_from_host(header: Header, frames: list[Any]) -> Any:
    import pyopencl as cl

    flags = header["flags"] & ~(cl.mem_flags.USE_HOST_PTR | cl.mem_flags.ALLOC_HOST_PTR | cl.mem_flags.COPY_HOST_PTR)
    return cl.Buffer(home().context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=_joined(frames).copy())


def _array_on_device(array: Any) -> tuple[Header, list[Any]]:
    """Raises NotImplementedError, after which Dask asks the next family, for arrays with gaps or of no elements, and for memory that is not
    CUDA's."""
    if not array.flags.forc or not array.size:
        raise NotImplementedError("the array has gaps, or no elements")
    header = _array_header(array)
    flat = array.ravel(order=header["order"]).view(np.uint8)
    try:
        flat.__cuda_array_interface__  # noqa: B018
    except AttributeError as error:
        raise NotImplementedError(str(error)) from error
    return header, [flat]


def _array_from_device(header: Header, frames: list[Any]) -> Any:
    """Over the memory that came, without a copy."""
    import pyopencl.array as cla

    from .. import interop

    (frame,) = frames
    queue = home()
    buffer = interop.as_buffer(queue.context, frame)
    dtype = np.lib.format.descr_to_dtype(_as_descr(header["dtype"]))
    return cla.Array(queue, header["shape"], dtype, order=header["order"], data=buffer)
