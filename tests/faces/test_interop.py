"""The same memory seen from both sides: NumPy on the host device; CuPy, Numba and PyTorch on CUDA. Orders of streams, lifetimes."""

import gc
import os
import threading
import weakref

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import interop
from cl2cuda import pyopencl as cl
from cl2cuda.array_exchange import exports

import pyopencl.array as cla  # isort: skip
import pyopencl.cltypes  # isort: skip
import pyopencl.tools  # isort: skip

DEVICES = {"cuda" if device.type == cl.device_type.GPU else "host": device for device in cl.get_platforms()[0].get_devices()}
ON_CUDA = pytest.mark.skipif("cuda" not in DEVICES, reason="no cuda device")

# Each work-item of `late` works for some time before it writes.
SOURCE = """
kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }
kernel void late(global float *a, float value, int turns) {
    float x = value;
    for (int i = 0; i < turns; i++) x = fma(x, 1.0000001f, a[get_global_id(0)] * 0.0f);
    a[get_global_id(0)] = x > 0 ? value : 0;
}
"""
TURNS = 3_000_000


@pytest.fixture(params=["host", "cuda"])
def ctx(request):
    if request.param not in DEVICES:
        pytest.skip(f"no {request.param} device")
    return cl.Context([DEVICES[request.param]])


@pytest.fixture
def cuda_ctx():
    return cl.Context([DEVICES["cuda"]])


def library_of(ctx):
    """The array library that shares the device's memory."""
    if ctx.devices[0] == DEVICES["host"]:
        return np
    cupy = pytest.importorskip("cupy")
    cupy.cuda.Device(exports.ordinal_of(ctx.devices[0]._core)).use()  # Another test may have had another one last.
    return cupy


def to_numpy(array):
    return array if isinstance(array, np.ndarray) else array.get()


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


# On every device


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"])
def test_an_array_is_seen(ctx, queue, dtype):
    library = library_of(ctx)
    values = np.arange(24).reshape(2, 3, 4).astype(dtype)
    array = cla.to_device(queue, values)
    for ours, expected in ((array, values), (array.T, values.T), (array[1], values[1]), (array[:, ::2], values[:, ::2]),
                           (cla.to_device(queue, np.asfortranarray(values)), values)):
        theirs = library.from_dlpack(ours)
        assert theirs.dtype == expected.dtype and theirs.shape == expected.shape
        assert (to_numpy(theirs) == expected).all()


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float32", "complex128"])
def test_an_array_is_taken(ctx, queue, dtype):
    library = library_of(ctx)
    values = np.arange(24).reshape(2, 3, 4).astype(dtype)
    whole = library.asarray(values.copy())
    for view in (whole, whole.T, whole[1], whole[:, 1:, ::2], whole[:, ::-1]):
        ours = interop.from_dlpack(queue, view)
        assert ours.dtype == view.dtype and ours.shape == view.shape and ours.strides == view.strides
    ours = interop.from_dlpack(queue, whole[1])
    ours.set(np.full(ours.shape, 5, dtype))
    queue.finish()
    values[1] = 5
    assert (to_numpy(whole) == values).all()


def test_changes_are_seen_on_both_sides(ctx, queue):
    library = library_of(ctx)
    twice = cl.Program(ctx, SOURCE).build().twice
    whole = library.arange(64, dtype=np.float32)
    ours = interop.from_dlpack(queue, whole)
    twice(queue, (64,), None, ours.data)
    ours += 1
    back = library.from_dlpack(ours)
    assert (to_numpy(back) == np.arange(64) * 2 + 1).all()
    queue.finish()
    whole += 1
    if library is not np:
        interop.wait_for_stream(queue, 1)
    assert (ours.get(queue) == np.arange(64) * 2 + 2).all()


def test_nothing_and_one(ctx, queue):
    library = library_of(ctx)
    assert interop.from_dlpack(queue, library.zeros((3, 0), np.float32)).shape == (3, 0)
    assert library.from_dlpack(cla.zeros(queue, (3, 0), np.float32)).shape == (3, 0)
    scalar = interop.from_dlpack(queue, library.asarray(np.float32(3)))
    assert scalar.shape == () and scalar.get() == 3


def test_buffers(ctx, queue):
    library = library_of(ctx)
    values = np.arange(4096, dtype=np.uint8)
    buffer = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    pool = pyopencl.tools.MemoryPool(pyopencl.tools.ImmediateAllocator(queue))
    pooled = pool.allocate(100)
    cl.enqueue_copy(queue, pooled, values[:100])
    for memory, expected in ((buffer, values), (buffer[1024:2000], values[1024:2000])):
        assert (to_numpy(library.from_dlpack(memory)) == expected).all()
    assert (to_numpy(library.from_dlpack(pooled))[:100] == values[:100]).all()


def test_shared_virtual_memory(ctx, queue):
    library = library_of(ctx)
    memory = cl.SVMAllocation(ctx, 256, 64, cl.svm_mem_flags.READ_WRITE, queue)
    cl.enqueue_copy(queue, memory, np.arange(256, dtype=np.uint8))
    assert (to_numpy(library.from_dlpack(memory)) == np.arange(256)).all()
    array = cla.to_device(queue, np.arange(32, dtype=np.float32), allocator=pyopencl.tools.SVMAllocator(ctx, queue=queue))
    assert (to_numpy(library.from_dlpack(array)) == np.arange(32)).all()


def test_as_buffer(ctx, queue):
    library = library_of(ctx)
    twice = cl.Program(ctx, SOURCE).build().twice
    values = library.arange(12, dtype=np.float32).reshape(3, 4)
    for view in (values, values.T):
        buffer = interop.as_buffer(ctx, view)
        assert buffer.size == 48
        twice(queue, (12,), None, buffer)
    queue.finish()
    assert (to_numpy(values).ravel() == 4 * np.arange(12)).all()
    with pytest.raises(BufferError, match="no block"):
        interop.as_buffer(ctx, values[:, ::2])
    with pytest.raises(BufferError, match="no block"):
        interop.as_buffer(ctx, values[:0])
    with pytest.raises(TypeError, match="neither"):
        interop.as_buffer(ctx, "text")


def test_a_sub_buffer_of_another_librarys_memory(ctx, queue):
    library = library_of(ctx)
    values = library.zeros(4096, np.uint8)
    part = interop.as_buffer(ctx, values).get_sub_region(1024, 16)
    cl.enqueue_fill_buffer(queue, part, np.uint8(7), 0, 16)
    queue.finish()
    assert to_numpy(values).sum() == 7 * 16 and (to_numpy(values)[1024:1040] == 7).all()


def test_an_owner_lives_until_the_last_command(ctx, queue):
    library = library_of(ctx)
    late = cl.Program(ctx, SOURCE).build().late
    values = library.ones(256, np.float32)

    class Owner:
        """What hands out the memory of `values` for as long as it lives."""

        def __init__(self):
            self.array = values

        def __dlpack__(self, **more):
            return Capsules.make(self, more.get("stream"))

        def __dlpack_device__(self):
            return values.__dlpack_device__()

    class Capsules:
        @staticmethod
        def make(owner, stream):
            from cl2cuda.array_exchange import dlpack

            address = values.__array_interface__["data"][0] if library is np else values.data.ptr
            return dlpack.capsule(dlpack.Memory(address, *values.__dlpack_device__(), (256,), (4,), np.dtype("f4"), owner))

    owner = Owner()
    gone = weakref.ref(owner)
    array = interop.from_dlpack(queue, owner)
    late(queue, (256,), None, array.data, np.float32(9), np.int32(TURNS // 20))
    del owner, array
    gc.collect()
    queue.finish()
    gc.collect()
    cl.Buffer(ctx, 0, 16)  # what has gone is looked after when memory is asked for
    assert gone() is None
    assert (to_numpy(values) == 9).all()


def test_our_memory_lives_while_others_see_it(ctx, queue):
    library = library_of(ctx)
    array = cla.to_device(queue, np.arange(1000, dtype=np.int32))
    theirs = library.from_dlpack(array)
    del array
    gc.collect()
    others = [cla.zeros(queue, 1000, np.int32) for _ in range(8)]
    queue.finish()
    assert len(others) == 8 and (to_numpy(theirs) == np.arange(1000)).all()


def test_held_commands_come_first(ctx, queue):
    library = library_of(ctx)
    array = cla.zeros(queue, 1000, np.float32)
    queue.finish()
    gate = cl.UserEvent(ctx)
    copied = cl.enqueue_copy(queue, array.base_data, np.full(1000, 3, np.float32), wait_for=[gate], is_blocking=False)
    opener = threading.Timer(0.2, lambda: gate.set_status(cl.command_execution_status.COMPLETE))
    opener.start()
    assert (to_numpy(library.from_dlpack(array)) == 3).all()
    opener.join()
    copied.wait()


def test_what_cannot_be_shared(ctx, queue):
    vectors = cla.zeros(queue, 4, pyopencl.cltypes.float4)
    assert not hasattr(vectors, "__cuda_array_interface__")
    with pytest.raises(BufferError, match="no type"):
        vectors.__dlpack__()
    array = cla.zeros(queue, 4, np.float32)
    with pytest.raises(BufferError, match="copy"):
        array.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="device"):
        array.__dlpack__(dl_device=(8, 0))
    out_of_order = cl.CommandQueue(ctx, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    with pytest.raises(cl.LogicError, match="several streams"):
        interop.stream_of(out_of_order)
    with pytest.raises(TypeError, match="not a CUDA stream"):
        interop.handle_of("stream")


def test_a_read_only_array_gives_a_read_only_buffer():
    ctx = cl.Context([DEVICES["host"]])
    values = np.arange(16, dtype=np.int32)
    values.flags.writeable = False
    assert interop.as_buffer(ctx, values).flags & cl.mem_flags.READ_ONLY
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        interop.as_buffer(ctx, values, cl.mem_flags.READ_WRITE)


def test_the_host_device_has_no_streams():
    ctx = cl.Context([DEVICES["host"]])
    queue = cl.CommandQueue(ctx)
    for call in (lambda: interop.queue_from_stream(ctx, 1), lambda: interop.stream_of(queue), lambda: interop.wait_for_stream(queue, 1)):
        with pytest.raises(cl.LogicError, match="no CUDA streams"):
            call()
    assert not hasattr(cla.zeros(queue, 4, np.float32), "__cuda_array_interface__")
    assert not hasattr(cl.Buffer(ctx, 0, 16), "__cuda_array_interface__")


def test_torch_on_the_host():
    torch = pytest.importorskip("torch")
    ctx = cl.Context([DEVICES["host"]])
    queue = cl.CommandQueue(ctx)
    tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    ours = interop.from_dlpack(queue, tensor)
    ours *= 3
    assert torch.equal(torch.from_dlpack(ours), torch.arange(6, dtype=torch.float32).reshape(2, 3) * 3)
    assert torch.equal(tensor, torch.from_dlpack(ours))


# Streams of CUDA


@ON_CUDA
class TestStreams:
    N = 1 << 16

    @pytest.fixture(autouse=True)
    def _objects(self, cuda_ctx):
        self.cupy = library_of(cuda_ctx)
        self.ctx, self.queue = cuda_ctx, cl.CommandQueue(cuda_ctx)
        program = cl.Program(cuda_ctx, SOURCE).build()
        self.late, self.twice = program.late, program.twice
        self.theirs = self.cupy.RawKernel("""extern "C" __global__ void late(float *a, float value, int turns) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; float x = value;
            for (int t = 0; t < turns; t++) x = fmaf(x, 1.0000001f, a[i] * 0.0f);
            a[i] = x > 0 ? value : 0; }""", "late")

    def ours_late(self, queue, memory, value):
        self.late(queue, (self.N,), (256,), memory, np.float32(value), np.int32(TURNS))

    def theirs_late(self, array, value):
        self.theirs((self.N // 256,), (256,), (array, np.float32(value), np.int32(TURNS)))

    def test_taking_waits_for_the_producers_stream(self):
        for take in (lambda x: interop.from_dlpack(self.queue, x).data, lambda x: interop.as_buffer(self.ctx, x)):
            with self.cupy.cuda.Stream(non_blocking=True):
                array = self.cupy.zeros(self.N, np.float32)
                self.theirs_late(array, 3)
                memory = take(array)
            self.twice(self.queue, (self.N,), None, memory)
            self.queue.finish()
            assert (array.get() == 6).all()

    def test_the_consumers_stream_waits_for_us(self):
        for give in (self.cupy.from_dlpack, self.cupy.asarray):
            array = cla.zeros(self.queue, self.N, np.float32)
            with self.cupy.cuda.Stream(non_blocking=True) as stream:
                self.ours_late(self.queue, array.base_data, 4)
                theirs = give(array)
                assert theirs.data.ptr == array.base_data._core.address
                result = theirs * 2
                stream.synchronize()
                assert (result.get() == 8).all()

    @pytest.mark.parametrize("stream", [None, 1, 2])
    def test_the_streams_that_dlpack_names(self, stream):
        array = cla.zeros(self.queue, self.N, np.float32)
        self.ours_late(self.queue, array.base_data, 4)
        capsule = array.__dlpack__(stream=stream)
        with self.cupy.cuda.ExternalStream(stream or 1):
            theirs = self.cupy.fromDlpack(capsule)
            result = theirs + 1
        self.cupy.cuda.runtime.deviceSynchronize()
        assert (result.get() == 5).all()

    def test_no_order_and_stream_zero(self):
        array = cla.zeros(self.queue, 16, np.float32)
        assert array.__dlpack__(stream=-1)
        with pytest.raises(ValueError, match="ambiguous"):
            array.__dlpack__(stream=0)

    def test_a_queue_in_a_cupy_stream(self):
        stream = self.cupy.cuda.Stream(non_blocking=True)
        queue = interop.queue_from_stream(self.ctx, stream)
        assert interop.stream_of(queue).ptr == stream.ptr
        with stream:
            array = self.cupy.zeros(self.N, np.float32)
            memory = interop.as_buffer(self.ctx, array)
            for turn in range(3):
                self.theirs_late(array, turn + 1)
                self.twice(queue, (self.N,), None, memory)
                array += 1
            event = cl.enqueue_marker(queue)
        event.wait()
        assert (array.get() == 7).all()
        queue.finish()
        del queue
        gc.collect()
        with stream:
            assert (self.cupy.zeros(4) == 0).all()  # the stream is still there

    @pytest.mark.parametrize("handle", [0, 1, 2])
    def test_a_queue_in_a_default_stream(self, handle):
        queue = interop.queue_from_stream(self.ctx, handle)
        array = cla.zeros(queue, self.N, np.float32)
        self.ours_late(queue, array.base_data, 5)
        assert (array.get() == 5).all()

    def test_a_queues_stream_for_cupy(self):
        with self.cupy.cuda.ExternalStream(interop.stream_of(self.queue).ptr):
            array = self.cupy.zeros(self.N, np.float32)
            self.theirs_late(array, 3)
            memory = interop.from_dlpack(self.queue, array)
            self.twice(self.queue, (self.N,), None, memory.data)
            array += 1
            self.twice(self.queue, (self.N,), None, memory.data)
        self.queue.finish()
        assert (array.get() == 14).all()

    def test_waiting_by_hand(self):
        stream = self.cupy.cuda.Stream(non_blocking=True)
        array = cla.zeros(self.queue, self.N, np.float32)
        theirs = self.cupy.from_dlpack(array)
        with stream:
            self.ours_late(self.queue, array.base_data, 4)
            interop.let_stream_wait(stream, self.queue)
            theirs += 1
            self.theirs_late(theirs, 7)
            interop.wait_for_stream(self.queue, stream)
            self.twice(self.queue, (self.N,), None, array.base_data)
        assert (array.get() == 14).all()

    def test_out_of_order_queues(self):
        queue = cl.CommandQueue(self.ctx, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
        buffers = [cl.Buffer(self.ctx, 0, 4 * self.N) for _ in range(3)]
        for buffer in buffers:
            cl.enqueue_fill_buffer(queue, buffer, np.float32(0), 0, 4 * self.N).wait()
            self.ours_late(queue, buffer, 2)
        seen = [self.cupy.from_dlpack(buffer).view(np.float32) for buffer in buffers]
        assert all((each.get() == 2).all() for each in seen)
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            self.theirs_late(seen[0], 3)
            interop.wait_for_stream(queue, stream)
        self.twice(queue, (self.N,), None, buffers[0])
        queue.finish()
        assert (seen[0].get() == 6).all()

    def test_memory_elsewhere(self):
        with pytest.raises(BufferError, match="to_device copies"):
            interop.from_dlpack(self.queue, np.zeros(3))
        with pytest.raises(BufferError, match="to_device copies"):
            interop.as_buffer(cl.Context([DEVICES["host"]]), self.cupy.zeros(3))

    def test_numba(self):
        from support import numbas_numpy  # noqa: F401
        cuda = pytest.importorskip("numba.cuda")

        @cuda.jit
        def increment(a):
            i = cuda.grid(1)
            if i < a.size:
                a[i] += 1

        try:
            increment[1, 1](cuda.device_array(1, np.float32))
        except AttributeError as error:
            if "numpy" in str(error):
                pytest.skip(f"this Numba does not know this NumPy: {error}")
            raise
        array = cla.zeros(self.queue, self.N, np.float32)
        self.ours_late(self.queue, array.base_data, 4)
        stream = cuda.stream()
        theirs = cuda.as_cuda_array(array)
        increment[self.N // 256, 256, stream](theirs)
        interop.wait_for_stream(self.queue, stream)
        assert (array.get() == 5).all()
        made = cuda.to_device(np.ones(self.N, np.float32), stream=stream)
        increment[self.N // 256, 256, stream](made)
        taken = interop.from_dlpack(interop.queue_from_stream(self.ctx, stream), made)
        taken *= 3
        assert (taken.get() == 6).all()
        assert (made.copy_to_host(stream=stream) == 6).all()
        assert interop.as_buffer(self.ctx, made).size == 4 * self.N

    def test_torch(self):
        torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("PyTorch without CUDA")
        array = cla.zeros(self.queue, self.N, np.float32)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            self.ours_late(self.queue, array.base_data, 4)
            tensor = torch.from_dlpack(array)
            assert tensor.data_ptr() == array.base_data._core.address
            tensor += 1
            queue = interop.queue_from_stream(self.ctx, stream)
            self.twice(queue, (self.N,), None, array.base_data)
            tensor += 1
        stream.synchronize()
        assert (array.get() == 11).all()
        with torch.cuda.stream(stream):
            made = torch.ones(self.N, device="cuda").cumsum(0)
            taken = interop.from_dlpack(self.queue, made)
        taken += 1
        self.queue.finish()
        assert (made.cpu().numpy() == np.arange(self.N) + 2).all()
        assert interop.stream_of(queue).__cuda_stream__() == (0, stream.cuda_stream)


# The current device


def in_a_thread(function):
    """What it returns on a thread of its own."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


@ON_CUDA
@pytest.mark.parametrize("on", [lambda function: function(), in_a_thread], ids=["this thread", "another thread"])
def test_the_current_device_stays(on):
    """tests/drivers/cuda/test_current_context.py asks it of each release and call."""
    cupy = pytest.importorskip("cupy")
    gpus = [device for device in cl.get_platforms()[0].get_devices() if device.type == cl.device_type.GPU]
    if len(gpus) < 2:
        pytest.skip("needs two GPUs")
    ours, theirs = (exports.ordinal_of(device._core) for device in gpus[1::-1])
    ctx, other = cl.Context([gpus[1]]), cl.Context([gpus[0]])
    queue = cl.CommandQueue(ctx)
    late = cl.Program(ctx, SOURCE).build().late
    array = cla.zeros(queue, 1 << 16, np.float32)
    late(queue, (1 << 16,), (256,), array.base_data, np.float32(1), np.int32(TURNS // 10))
    assert theirs == 0, "the device that CUDA begins with"

    def check():
        assert cupy.cuda.runtime.getDevice() == theirs and cupy.zeros(4).device.id == theirs

    def share_and_drop():
        nonlocal array, queue, ctx, late
        cupy.cuda.Device(theirs).use()
        assert array.__cuda_array_interface__["shape"] == (1 << 16,) and array.__dlpack__(stream=-1)
        interop.wait_for_stream(queue, interop.stream_of(queue))
        borrowed = interop.queue_from_stream(ctx, interop.stream_of(queue))
        check()
        del borrowed
        array = queue = late = None
        gc.collect()
        check()
        ctx = None
        gc.collect()
        for _ in range(100):
            other._core.reclaim()  # what the context has left
        check()
        return True

    assert on(share_and_drop)
    assert ours != theirs
