"""PyOpenCL's shared virtual memory over cl2cuda: SVM, SVMAllocation, svm_empty and its like, allocators, pools, commands."""

import gc
import os

import numpy as np
import pytest
from support.threads import ends

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl

DEVICES = cl.get_platforms()[0].get_devices()
READ_WRITE = cl.svm_mem_flags.READ_WRITE


@pytest.fixture(scope="module", params=DEVICES, ids=lambda device: device.name)
def ctx(request):
    return cl.Context([request.param])


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


@pytest.fixture(scope="module")
def twice(ctx):
    return cl.Program(ctx, "kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }").build().twice


def test_capabilities(ctx):
    from pyopencl import characterize

    assert characterize.has_coarse_grain_buffer_svm(ctx.devices[0])


@pytest.mark.parametrize("opaque", [False, True])
def test_coarse_grained(ctx, queue, twice, opaque):
    n = 3000
    if opaque:
        memory = cl.SVMAllocation(ctx, n * 4, 64, READ_WRITE)
    else:
        memory = cl.SVM(cl.csvm_empty(ctx, (n,), np.float32, alignment=64))
        assert isinstance(memory.mem.base, cl.SVMAllocation)
    cl.enqueue_svm_memfill(queue, memory, np.zeros((), np.float32))
    with memory.map_rw(queue) as array:
        array = array.view(np.float32) if opaque else array
        assert (array == 0).all()
        array[:] = np.arange(n)
    twice(queue, (n,), None, memory)
    twice(queue, (n,), None, memory.as_buffer(ctx))
    with memory.map_ro(queue) as array:
        assert (array.view(np.float32) == 4 * np.arange(n)).all()
    back = np.empty(n, np.float32)
    cl.enqueue_copy(queue, back, memory)
    assert (back == 4 * np.arange(n)).all()
    cl.enqueue_copy(queue, memory, np.ones(n, np.float32))
    cl.enqueue_svm_migrate_mem(queue, [memory], cl.mem_migration_flags.HOST)
    cl.enqueue_copy(queue, back, memory)
    assert (back == 1).all()


def test_fine_grained(ctx, queue, twice):
    if not ctx.devices[0].svm_capabilities & cl.device_svm_capabilities.FINE_GRAIN_BUFFER:
        pytest.skip("no fine-grained buffers")
    array = cl.fsvm_empty(ctx, 16, np.float32, alignment=64)
    array[:] = np.arange(16)
    twice(queue, array.shape, None, cl.SVM(array))
    queue.finish()
    assert (array == 2 * np.arange(16)).all()
    assert cl.fsvm_empty_like(ctx, array).shape == array.shape


def test_declared_argument_types_take_svm(ctx, queue):
    kernel = cl.Program(ctx, "kernel void set(global int *a, int v) { a[get_global_id(0)] = v; }").build().set
    kernel.set_scalar_arg_dtypes([None, np.int32])
    memory = cl.SVM(cl.csvm_empty(ctx, 8, np.int32))
    kernel(queue, (8,), None, memory, 5)
    with memory.map_ro(queue) as array:
        assert (array == 5).all()


def test_pyopencl_arrays_live_in_shared_memory(ctx, queue):
    import pyopencl.array as cl_array
    from pyopencl.tools import SVMAllocator, SVMPool

    for allocator in (SVMAllocator(ctx, 0, READ_WRITE, queue), SVMPool(SVMAllocator(ctx, 0, READ_WRITE, queue))):
        a = cl_array.to_device(queue, np.arange(1000, dtype=np.float32), allocator=allocator)
        b = 2 * a + 1
        assert isinstance(b.base_data, cl.SVMPointer)
        assert (b.get() == 2 * np.arange(1000) + 1).all()


def test_release_and_binding(ctx, queue):
    memory = cl.SVMAllocation(ctx, 64, 0, READ_WRITE, queue)
    same = cl.SVMAllocation(ctx, 64, 0, READ_WRITE)
    assert memory != same and memory == memory and hash(memory) == memory.svm_ptr and memory.size == 64
    other = cl.CommandQueue(ctx)
    memory.bind_to_queue(other)
    memory.enqueue_release().wait()
    same.enqueue_release(queue).wait()
    for gone in (memory, same):
        with pytest.raises(cl.LogicError, match="double-unref"):
            gone.release()
    unbound = cl.SVMAllocation(ctx, 64, 0, READ_WRITE)
    with pytest.raises(cl.LogicError, match="no queue available"):
        unbound.enqueue_release()
    unbound.bind_to_queue(queue)
    unbound.unbind_from_queue()
    unbound.release()


def test_memory_whose_release_fails_is_there(ctx, queue):
    memory = cl.SVMAllocation(ctx, 64, 0, READ_WRITE, queue)
    elsewhere = cl.Context(ctx.devices)
    for queue_given, waits, error in ((queue, [None], (TypeError, cl.Error)), (queue, 5, TypeError),
                                      (queue, [cl.UserEvent(elsewhere)], cl.LogicError), (cl.CommandQueue(elsewhere), None, cl.LogicError)):
        with pytest.raises(error):
            memory.enqueue_release(queue_given, waits)
    cl.enqueue_svm_memfill(queue, memory, np.uint8(1))
    memory.enqueue_release().wait()
    with pytest.raises(cl.LogicError, match="double-unref"):
        memory.enqueue_release()


@pytest.mark.parametrize("enqueued", [False, True])
def test_released_memory_is_no_address(ctx, queue, enqueued):
    """Its old address may be another allocation's by now."""
    memory, host = cl.SVMAllocation(ctx, 64, 0, READ_WRITE, queue), np.zeros(16, np.float32)
    if enqueued:
        memory.enqueue_release().wait()
    else:
        memory.release()
    assert memory.svm_ptr == 0
    for use in (lambda: cl.enqueue_copy(queue, memory, host), lambda: cl.enqueue_copy(queue, host, memory),
                lambda: cl.enqueue_svm_memfill(queue, memory, np.uint8(1)), lambda: memory.map_rw(queue), lambda: memory.buf):
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            use()


def test_nothing_of_size_zero_fails(ctx):
    from pyopencl.tools import SVMAllocator, SVMPool

    allocator = SVMAllocator(ctx)
    for memory in (cl.SVMAllocation(ctx, 0, 0, READ_WRITE), allocator(0), SVMPool(allocator)(0)):
        assert memory.size == 0
        memory.release()


def test_allocations_go_with_their_last_reference(ctx, queue):
    known = ctx._core.svm
    array = cl.csvm_empty(ctx, 16, np.float32)
    address = array.ctypes.data
    assert known.find(address).size == 64
    del array
    gc.collect()
    assert known.find(address) is None


@pytest.mark.parametrize("bound", [False, True])
def test_the_search_for_garbage_waits_for_no_lock(ctx, queue, bound):
    """Its thread may have any. The memory comes back when something else is freed."""
    memory = cl.SVMAllocation(ctx, 64, 64, READ_WRITE, queue if bound else None)
    core, address, memory.itself = ctx._core, memory.svm_ptr, memory
    del memory
    with queue._core._lock, core._reusable._lock, core.svm._lock:
        assert ends(gc.collect) and core.svm.starts_at(address)
    core.reclaim()
    assert not core.svm.starts_at(address)


def test_pool_reuses_blocks(ctx, queue):
    from pyopencl.tools import SVMAllocator, SVMPool

    pool = SVMPool(SVMAllocator(ctx))
    block = pool(1000)
    address = block.svm_ptr
    block.bind_to_queue(queue)
    block.release()
    with pytest.raises(cl.LogicError, match="double-unref"):
        block.release()
    assert pool.held_blocks == 1
    again = pool(1000)
    assert again.svm_ptr == address and pool.active_blocks == 1
    del again
    gc.collect()
    pool.stop_holding()
    assert pool.held_blocks == 0 and ctx._core.svm.find(address) is None


def test_sizes_of_copies(ctx, queue):
    memory = cl.SVMAllocation(ctx, 64, 0, READ_WRITE)
    with pytest.raises(cl.LogicError, match="do not match"):
        cl.enqueue_copy(queue, memory, np.zeros(9))
    cl.enqueue_copy(queue, memory, np.zeros(4), byte_count=32)
    with pytest.raises(BufferError):
        cl.SVM(b"only to be read")
