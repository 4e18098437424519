"""Native kernels of a PyOpenCL program: of Python, and compiled by Numba."""

import os

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.native import enqueue_native_kernel


@pytest.fixture(params=cl.get_platforms()[0].get_devices(), ids=lambda device: device.name)
def queue(request):
    return cl.CommandQueue(cl.Context([request.param]))


def buffer_of(queue, values):
    return cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.array(values, np.float64))


def read(queue, buffer):
    values = np.zeros(buffer.size // 8)
    cl.enqueue_copy(queue, values, buffer)
    return values.tolist()


def test_a_function_of_python(queue):
    seen = []
    event = enqueue_native_kernel(queue, lambda block: seen.append(bytes(block)), b"arguments")
    enqueue_native_kernel(queue, lambda block: seen.append(len(block)), wait_for=[event]).wait()
    assert seen == [b"arguments", 0] and isinstance(event, cl.Event)
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        enqueue_native_kernel(queue, None)


def test_numbas_cfunc(queue):
    numba = pytest.importorskip("numba")
    @numba.extending.intrinsic
    def as_doubles(typing, address):
        def generate(context, builder, signature, values):
            return builder.inttoptr(values[0], context.get_value_type(signature.return_type))

        return numba.types.CPointer(numba.float64)(numba.uint64), generate

    @numba.cfunc(numba.void(numba.types.CPointer(numba.uint64)))
    def square(block):
        values = numba.carray(as_doubles(block[1]), block[0])
        for i in range(block[0]):
            values[i] *= values[i]

    buffer = buffer_of(queue, [1, 2, 3])
    enqueue_native_kernel(queue, square, np.array([3, 0], np.uint64), [buffer], [8])
    assert read(queue, buffer) == [1, 4, 9]
