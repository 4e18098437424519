"""What PyOpenCL's compiled module refuses, and what it takes that looks wrong: objects that are no calls' results, copies of handles,
memory that is not contiguous, numbers that declared types do not hold."""

from __future__ import annotations

import copy
import os
import pickle

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.pool import MemoryPool
from cl2cuda.pyopencl_cl.svm import SVMAllocator, SVMPool

from pyopencl.tools import DeferredAllocator, ImmediateAllocator  # isort: skip

FLAGS = cl.mem_flags
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
ONLY_FROM_CALLS = ("Device", "Event", "MemoryObject", "MemoryObjectHolder", "NannyEvent", "Platform", "PooledBuffer", "PooledSVM")


@pytest.fixture
def context():
    return cl.Context([DEVICES[0]])


@pytest.fixture
def queue(context):
    return cl.CommandQueue(context)


@pytest.mark.parametrize("name", ONLY_FROM_CALLS)
def test_classes_whose_objects_only_calls_make(name):
    cls = getattr(cl._cl, name)
    for arguments in ((), (1,)):
        with pytest.raises(TypeError, match=rf"pyopencl\._cl\.{name}: no constructor defined!"):
            cls(*arguments)
    own = type("Own", (cls,), {})
    with pytest.raises(TypeError, match="Own: no constructor"):
        own()


def test_handles_are_neither_copied_nor_pickled(context, queue):
    program = cl.Program(context, "kernel void empty(void) {}").build()
    pool, shared_pool = MemoryPool(ImmediateAllocator(queue)), SVMPool(SVMAllocator(context, queue=queue))
    image = cl.create_image(context, FLAGS.READ_WRITE, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT), (4, 4))
    handles = [context, queue, queue.device, queue.device.platform, cl.Buffer(context, FLAGS.READ_WRITE, 16), image, program._get_prg(),
               program.empty, cl.enqueue_marker(queue), cl.UserEvent(context), pool, pool.allocate(16), ImmediateAllocator(queue),
               DeferredAllocator(context), cl.SVM(np.zeros(4)), cl.SVMAllocation(context, 16, 0, FLAGS.READ_WRITE), shared_pool,
               shared_pool(16), SVMAllocator(context),
               cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)]
    for handle in handles:
        for again in (copy.copy, copy.deepcopy, pickle.dumps, lambda each: pickle.dumps(each, 0)):
            with pytest.raises(TypeError, match=f"cannot pickle '{type(handle).__name__}' object"):
                again(handle)


def test_classes_of_the_programs_own_may_be_pickled(context):
    class Named(cl.Context):
        def __reduce__(self):
            return int, ("7",)

    assert pickle.loads(pickle.dumps(Named([DEVICES[0]]))) == 7


def test_an_array_that_is_copied_shares_its_memory(queue):
    import pyopencl.array as cla

    array = cla.arange(queue, 4, dtype=np.int32)
    other = copy.copy(array)
    other[0] = 9
    assert array.get()[0] == 9


def test_memory_that_is_not_contiguous_is_pythons_error(context):
    spread = np.zeros((4, 8), np.float32)[:, ::2]
    image = cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT)
    for flag in (FLAGS.COPY_HOST_PTR, FLAGS.USE_HOST_PTR):
        with pytest.raises(ValueError, match="contiguous"):
            cl.Buffer(context, FLAGS.READ_ONLY | flag, hostbuf=spread)
        with pytest.raises(ValueError, match="contiguous"):
            cl.create_image(context, FLAGS.READ_ONLY | flag, image, (4, 4), hostbuf=spread)
    with pytest.raises(ValueError, match="contiguous"):
        cl.SVM(spread)
    spread.flags.writeable = False
    read_only = np.frombuffer(b"four", np.uint8)
    with pytest.raises(ValueError, match="read-only"):
        cl.SVM(read_only)
    with pytest.raises(BufferError, match="not writable"):
        cl.SVM(b"four")
    fortran = np.asfortranarray(np.zeros((2, 3)))
    assert cl.SVM(fortran).size == fortran.nbytes


def test_copies_of_no_bytes_are_none_of_them(context, queue):
    """But outside of the buffer they are, and so are maps."""
    a, b, none = cl.Buffer(context, FLAGS.READ_WRITE, 64), cl.Buffer(context, FLAGS.READ_WRITE, 64), np.empty(0, np.float32)
    for is_blocking in (True, False):
        for _ in range(2):  # the first call may be of another kind
            first = cl.UserEvent(context)
            read_of_none = cl.enqueue_copy(queue, none, a, src_offset=64, is_blocking=False, wait_for=[first])
            written = cl.enqueue_copy(queue, a, none, is_blocking=False)
            assert isinstance(written, cl.NannyEvent) and written.command_execution_status > cl.command_execution_status.COMPLETE
            first.set_status(cl.command_execution_status.COMPLETE)
            written.wait()
            assert read_of_none.command_execution_status == cl.command_execution_status.COMPLETE
            cl.enqueue_copy(queue, none, a, is_blocking=is_blocking).wait()
            cl.enqueue_copy(queue, a, b"", is_blocking=is_blocking).wait()
            cl.enqueue_copy(queue, a, b, byte_count=0, src_offset=64).wait()
            cl.enqueue_copy(queue, a, a, byte_count=0).wait()
    for call in (lambda: cl.enqueue_copy(queue, none, a, src_offset=65), lambda: cl.enqueue_copy(queue, a, none, dst_offset=65),
                 lambda: cl.enqueue_copy(queue, a, b, byte_count=0, dst_offset=65),
                 lambda: cl.enqueue_map_buffer(queue, a, cl.map_flags.READ, 0, (0,), np.uint8)):
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            call()


def test_bytes_that_are_too_large_are_cut_off(context, queue):
    """PyOpenCL casts to int what declared types of one byte are given."""
    program = cl.Program(context, "kernel void store(global int *out, char a, uchar b) { out[0] = a; out[1] = b; }").build()
    kernel, out = program.store, np.zeros(2, np.int32)
    kernel.set_arg_types([None, np.int8, np.uint8])
    buffer = cl.Buffer(context, FLAGS.READ_WRITE, 8)
    for a, b, found in ((-1, -1, [-1, 255]), (255, 300, [-1, 44]), (-(1 << 31), (1 << 31) - 1, [0, 255]), (np.int64(130), np.uint16(257), [-126, 1])):
        kernel(queue, (1,), None, buffer, a, b)
        cl.enqueue_copy(queue, out, buffer)
        assert out.tolist() == found
        kernel.set_args(buffer, a, b)
        cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
        cl.enqueue_copy(queue, out, buffer)
        assert out.tolist() == found
    for wrong in (1 << 31, -(1 << 31) - 1, 1 << 64, 1.0, "1", None):
        for place in (1, 2):
            arguments = [buffer, 0, 0]
            arguments[place] = wrong
            with pytest.raises(RuntimeError, match=rf"arg#{place + 1} "):
                kernel(queue, (1,), None, *arguments)


def test_programs_for_no_devices_are_for_all(context, queue):
    source = "kernel void one(global int *out) { out[0] = 1; }"
    assert cl.Program(context, source).build(devices=[], cache_dir=False).kernel_names == "one"
    part = cl.Program(context, source).compile(devices=[])
    assert cl.link_program(context, [part], devices=[]).kernel_names == "one"


def test_wrong_kinds_of_arguments_are_type_errors(context, queue):
    with pytest.raises(TypeError, match="allocator"):
        SVMPool(5)
    with pytest.raises(TypeError, match="allocator"):
        SVMPool(ImmediateAllocator(queue))
    allocation = cl.SVMAllocation(context, 16, 0, FLAGS.READ_WRITE)
    with pytest.raises(TypeError, match="queue must be"):
        allocation.bind_to_queue(None)
    for arguments in ((), (1, 2), (1, 2, 3, 4)):
        with pytest.raises(TypeError):
            cl.Sampler(context, *arguments)
    with pytest.raises(TypeError, match="format must be"):
        cl.create_image(context, FLAGS.READ_WRITE, None, (4, 4))


def test_what_is_no_queue_is_named(context, queue):
    kernel = cl.Program(context, "kernel void empty(void) {}").build().empty
    buffer, host = cl.Buffer(context, FLAGS.READ_WRITE, 16), np.zeros(4, np.float32)
    image = cl.create_image(context, FLAGS.READ_WRITE, cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT), (4, 1))
    box = {"origin": (0, 0), "region": (4, 1)}
    for _ in range(3):
        kernel(queue, (1,), None)
        for call in (lambda: kernel(None, (1,), None), lambda: kernel(context, (1,), None), lambda: cl.enqueue_nd_range_kernel(None, kernel, (1,), None),
                     lambda: cl.enqueue_copy(None, buffer, host), lambda: cl.enqueue_copy(None, host, buffer),
                     lambda: cl.enqueue_copy(None, image, host, **box), lambda: cl.enqueue_copy(None, host, image, **box)):
            with pytest.raises(TypeError, match=r"queue must be a pyopencl\.CommandQueue, not"):
                call()


def test_what_is_no_kernel_and_no_name_is_named(context, queue):
    program = cl.Program(context, "kernel void empty(void) {}").build()
    for other in (3, None, program):
        with pytest.raises(TypeError, match=r"kernel must be a pyopencl\.Kernel, not"):
            cl.enqueue_nd_range_kernel(queue, other, (1,), None)
    for name in (3, None, b"empty"):
        with pytest.raises(TypeError, match="name must be a str, not"):
            cl.Kernel(program, name)


def test_kinds_of_programs_look_as_pyopencls(context):
    kind = cl.Program(context, "kernel void empty(void) {}").build(cache_dir=False)._get_prg().kind()
    assert kind is cl.program_kind.SOURCE and repr(kind) == str(kind) == "program_kind.SOURCE"
