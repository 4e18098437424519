"""PyOpenCL programs over cl2cuda: contexts, queues, buffers, transfers, maps, events, programs, kernels and pools."""

import gc
import os
import warnings

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl

mf = cl.mem_flags
DEVICES = cl.get_platforms()[0].get_devices()

SOURCE = """
kernel void add(global const float *a, global const float *b, global float *sum) {
    size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
}
kernel void scale(global float *a, float factor, int count) {
    if (get_global_id(0) < count) a[get_global_id(0)] *= factor;
}
kernel void ids(global int *out) {
    out[get_global_id(0) - get_global_offset(0)] = get_global_id(0);
}
"""

REVERSED = """
kernel void reversed(global int *a, local int *part) {
    size_t l = get_local_id(0), n = get_local_size(0);
    part[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = part[n - 1 - l];
}
"""


@pytest.fixture(scope="module", params=DEVICES, ids=lambda device: device.name)
def ctx(request):
    return cl.Context([request.param])


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


@pytest.fixture(scope="module")
def program(ctx):
    return cl.Program(ctx, SOURCE).build()


def buffer_of(ctx, array, flags=mf.READ_WRITE):
    return cl.Buffer(ctx, flags | mf.COPY_HOST_PTR, hostbuf=array)


def read(queue, buffer, dtype, count=None):
    array = np.empty(buffer.size // np.dtype(dtype).itemsize if count is None else count, dtype)
    cl.enqueue_copy(queue, array, buffer)
    return array


def status_of(raised):
    return cl.status_code.to_string(raised.value.code)


# Platform, device, context, queue


def test_platform_and_device_tell_who_they_are():
    platform = cl.get_platforms()[0]
    assert "cl2cuda" in platform.name and "NVIDIA CUDA" in platform.name
    assert platform._get_cl_version() == (3, 0)
    for device in DEVICES:
        assert device.platform == platform
        assert isinstance(device.max_work_item_sizes, list) and len(device.max_work_item_sizes) == 3
        assert device.type in (cl.device_type.CPU, cl.device_type.GPU)
        assert device.extensions_with_version[0].name in device.extensions
        if device.type == cl.device_type.CPU:
            assert "NVIDIA" not in device.vendor


def test_unknown_queries_are_logic_errors(ctx):
    with pytest.raises(cl.LogicError) as raised:
        ctx.devices[0].get_info(0x12345)
    assert status_of(raised) == "INVALID_VALUE"
    with pytest.raises(cl.LogicError):
        ctx.devices[0].topology_amd  # noqa: B018


def test_contexts_are_made_from_devices_properties_or_types(ctx):
    platform = cl.get_platforms()[0]
    made = cl.Context(ctx.devices, properties=[(cl.context_properties.PLATFORM, platform)])
    assert made.properties[0] == (cl.context_properties.PLATFORM, platform)
    assert cl.Context(dev_type=cl.device_type.ALL).num_devices == len(DEVICES)
    with pytest.raises(cl.RuntimeError) as raised:
        cl.Context(dev_type=cl.device_type.ACCELERATOR)
    assert status_of(raised) == "DEVICE_NOT_FOUND"
    with pytest.raises(TypeError, match="devices"):
        cl.Context(["GPU"])


def test_create_some_context_follows_pyopencl_ctx(monkeypatch):
    monkeypatch.setenv("PYOPENCL_CTX", "cuda")
    assert cl.create_some_context().devices == DEVICES[:1]
    monkeypatch.setenv("PYOPENCL_CTX", "no such platform")
    with pytest.raises(cl.RuntimeError, match="did not match any platform"):
        cl.create_some_context()


def test_handles_are_equal_when_they_stand_for_the_same_object(ctx, queue):
    assert queue.context == ctx and queue.context is not ctx and hash(queue.context) == hash(ctx)
    assert cl.Context.from_int_ptr(ctx.int_ptr) == ctx
    assert cl.CommandQueue(ctx) != queue
    assert ctx != "a context"
    with pytest.raises(cl.LogicError):
        cl.CommandQueue.from_int_ptr(ctx.int_ptr)
    with pytest.raises(cl.LogicError):
        cl.Buffer.from_int_ptr(12345)


def test_queue_properties(ctx):
    profiling = cl.command_queue_properties.PROFILING_ENABLE
    assert cl.CommandQueue(ctx, properties=profiling).properties == profiling
    assert cl.CommandQueue(ctx, properties=[cl.queue_properties.PROPERTIES, profiling, 0]).properties == profiling
    assert cl.CommandQueue(ctx, ctx.devices[0], None).properties == 0
    with pytest.raises(cl.LogicError):
        cl.CommandQueue(ctx, properties=1 << 40)


def test_a_queue_used_after_its_with_block_warns(ctx):
    with cl.CommandQueue(ctx) as queue:
        buffer = buffer_of(ctx, np.arange(4))
    with pytest.warns(cl.CommandQueueUsedAfterExit):
        assert read(queue, buffer, np.int64).tolist() == [0, 1, 2, 3]


# Buffers


def test_buffer_flags_and_host_memory(ctx, queue):
    array = np.arange(10, dtype=np.float32)
    copied = buffer_of(ctx, array)
    assert copied.size == 40 and copied.type == cl.mem_object_type.BUFFER and copied.context == ctx and copied.hostbuf is None
    used = cl.Buffer(ctx, mf.USE_HOST_PTR, hostbuf=array)
    assert used.hostbuf is array
    seen = used.get_host_array((2, 5), np.float32)
    assert seen.shape == (2, 5) and seen.__array_interface__["data"][0] == array.__array_interface__["data"][0]
    with pytest.warns(UserWarning, match="no memory flags"), pytest.raises(cl.LogicError) as raised:
        cl.Buffer(ctx, mf.READ_WRITE, hostbuf=array)
    assert status_of(raised) == "INVALID_HOST_PTR"
    with pytest.raises(cl.LogicError, match="greater than host buffer size"):
        cl.Buffer(ctx, mf.COPY_HOST_PTR, size=100, hostbuf=array)
    with pytest.raises(cl.LogicError) as raised:
        cl.Buffer(ctx, mf.READ_WRITE, 0)
    assert status_of(raised) == "INVALID_BUFFER_SIZE"
    with pytest.raises(TypeError, match="context"):
        cl.Buffer(queue, mf.READ_WRITE, 4)


def test_sub_buffers_by_slice_and_by_region(ctx, queue):
    align = ctx.devices[0].mem_base_addr_align // 8
    array = np.arange(4 * align, dtype=np.uint8)
    buffer = buffer_of(ctx, array)
    part = buffer[align : 2 * align]
    assert read(queue, part, np.uint8).tolist() == array[align : 2 * align].tolist()
    assert part.offset == align and part.associated_memobject == buffer
    assert read(queue, buffer.get_sub_region(2 * align, 8), np.uint8).tolist() == array[2 * align : 2 * align + 8].tolist()
    for wrong in (slice(0, 8, 2), slice(8, 8), 3):
        with pytest.raises(cl.LogicError):
            buffer[wrong]


def test_a_released_buffer_is_released_once(ctx):
    buffer = cl.Buffer(ctx, mf.READ_WRITE, 16)
    buffer.release()
    with pytest.raises(cl.LogicError, match="double-unref"):
        buffer.release()


# Transfers


def test_copies_between_host_and_buffers(ctx, queue):
    array = np.arange(100, dtype=np.int32)
    a, b = cl.Buffer(ctx, mf.READ_WRITE, array.nbytes), cl.Buffer(ctx, mf.READ_WRITE, array.nbytes)
    assert isinstance(cl.enqueue_copy(queue, a, array), cl.NannyEvent)
    event = cl.enqueue_copy(queue, b, a)
    assert type(event) is cl.Event and event.command_type == cl.command_type.COPY_BUFFER
    assert np.array_equal(read(queue, b, np.int32), array)
    cl.enqueue_copy(queue, b, a, byte_count=40, src_offset=40, dst_offset=80)
    assert read(queue, b, np.int32)[18:32].tolist() == [18, 19, *range(10, 20), 30, 31]
    half = np.empty(50, np.int32)
    cl.enqueue_copy(queue, half, a, src_offset=200)
    assert half.tolist() == list(range(50, 100))
    cl.enqueue_copy(queue, a, half[:10], dst_offset=0)
    assert read(queue, a, np.int32)[:11].tolist() == [*range(50, 60), 10]


def test_copies_of_no_bytes(ctx, queue):
    a, b, none = cl.Buffer(ctx, mf.READ_WRITE, 64), cl.Buffer(ctx, mf.READ_WRITE, 64), np.empty(0, np.float32)
    for is_blocking in (True, False):
        for _ in range(2):  # the first call may be of another kind
            first = cl.UserEvent(ctx)
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
        with pytest.raises(cl.LogicError) as raised:
            call()
        assert status_of(raised) == "INVALID_VALUE"


def test_copies_take_fortran_order_and_refuse_what_is_not_contiguous(ctx, queue):
    array = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    buffer = buffer_of(ctx, array)
    assert read(queue, buffer, np.float32).tolist() == array.ravel("K").tolist()
    back = np.zeros((3, 4), np.float32, order="F")
    cl.enqueue_copy(queue, back, buffer)
    assert np.array_equal(back, array)
    with pytest.raises(ValueError, match="contiguous"):
        cl.enqueue_copy(queue, np.zeros((4, 4), np.float32)[:, ::2], buffer)
    readonly = np.zeros(12, np.float32)
    readonly.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cl.enqueue_copy(queue, readonly, buffer)
    with pytest.raises(TypeError, match="bytes-like"):
        cl.enqueue_copy(queue, buffer, [1, 2, 3])


def test_a_nanny_event_keeps_the_host_memory(ctx, queue):
    buffer = cl.Buffer(ctx, mf.READ_WRITE, 4000)
    event = cl.enqueue_copy(queue, buffer, np.full(1000, 7, np.int32), is_blocking=False)
    gc.collect()
    assert event.get_ward().nbytes == 4000
    event.wait()
    assert event.get_ward() is None
    assert (read(queue, buffer, np.int32) == 7).all()


def test_rectangles(ctx, queue):
    array = np.arange(64, dtype=np.uint8).reshape(8, 8)
    buffer = buffer_of(ctx, array)
    out = np.zeros((4, 4), np.uint8)
    shape = {"host_origin": (0, 0), "region": (4, 4), "buffer_pitches": (8,), "host_pitches": (4,)}
    cl.enqueue_copy(queue, out, buffer, buffer_origin=(2, 1), **shape)
    assert np.array_equal(out, array[1:5, 2:6])
    cl.enqueue_copy(queue, buffer, out, buffer_origin=(0, 4), **shape)
    other = cl.Buffer(ctx, mf.READ_WRITE, 64)
    cl.enqueue_copy(queue, other, buffer, src_origin=(0, 4), dst_origin=(4, 0), region=(4, 4), src_pitches=(8,), dst_pitches=(8,))
    assert np.array_equal(read(queue, other, np.uint8).reshape(8, 8)[:4, 4:], out)
    with pytest.raises(cl.LogicError, match="too many components"):
        cl.enqueue_copy(queue, out, buffer, buffer_origin=(0, 0, 0, 0), host_origin=(0,), region=(1,))


def test_fill_marker_barrier_and_migrate(ctx, queue):
    buffer = buffer_of(ctx, np.zeros(10, np.float32))
    first = cl.enqueue_fill_buffer(queue, buffer, np.float32(1.5), 8, 16)
    cl.enqueue_fill(queue, buffer, np.array([2, 3], np.float32), 8, offset=32, wait_for=[first])
    assert read(queue, buffer, np.float32).tolist() == [0, 0, 1.5, 1.5, 1.5, 1.5, 0, 0, 2, 3]
    marker = cl.enqueue_marker(queue, wait_for=[first])
    cl.enqueue_barrier(queue).wait()
    cl.enqueue_migrate_mem_objects(queue, [buffer], 0).wait()
    assert marker.command_execution_status == cl.command_execution_status.COMPLETE


def test_maps(ctx, queue):
    buffer = buffer_of(ctx, np.arange(12, dtype=np.float32))
    array, event = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ | cl.map_flags.WRITE, 8, (2, 3), np.float32)
    assert isinstance(event, cl.Event) and isinstance(array.base, cl.MemoryMap)
    assert array.tolist() == [[2, 3, 4], [5, 6, 7]]
    array[:] = 9
    array.base.release(queue)
    assert read(queue, buffer, np.float32).tolist() == [0, 1, 9, 9, 9, 9, 9, 9, 8, 9, 10, 11]
    fortran, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, (2, 2), np.float32, order="F")
    assert fortran.tolist() == [[0, 9], [1, 9]]
    with fortran.base:
        fortran[0, 1] = 5
    assert read(queue, buffer, np.float32)[:4].tolist() == [0, 1, 5, 9]
    last, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, 4, np.dtype([("x", "f4")]))
    last["x"] = 1
    del last
    gc.collect()
    assert read(queue, buffer, np.float32)[:5].tolist() == [1, 1, 1, 1, 9]


@pytest.mark.parametrize("way", ["release", "_release_in_python"])
def test_a_map_whose_unmapping_fails_stays_mapped(ctx, queue, way):
    buffer = buffer_of(ctx, np.zeros(16, np.float32))
    array, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE_INVALIDATE_REGION, 0, 16, np.float32)
    array[:] = 7
    release = getattr(array.base, way)
    elsewhere = cl.Context(ctx.devices)
    for queue_given, waits, error in ((None, [None], (TypeError, cl.Error)), (None, 5, TypeError), (5, None, AttributeError),
                                      (None, [cl.UserEvent(elsewhere)], cl.LogicError), (cl.CommandQueue(elsewhere), None, cl.LogicError)):
        with pytest.raises(error):
            release(queue_given, waits)
    release(queue).wait()
    assert read(queue, buffer, np.float32).tolist() == [7] * 16
    with pytest.raises(cl.LogicError, match="UnmapMemObject"):
        release(queue)


# Events


def test_profiling(ctx, program):
    queue = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
    event = program.ids(queue, (1000,), None, cl.Buffer(ctx, mf.READ_WRITE, 4000))
    event.wait()
    profile = event.profile
    assert profile.queued <= profile.submit <= profile.start <= profile.end
    plain = cl.enqueue_marker(cl.CommandQueue(ctx))
    plain.wait()
    with pytest.raises(cl.RuntimeError) as raised:
        plain.profile.start  # noqa: B018
    assert status_of(raised) == "PROFILING_INFO_NOT_AVAILABLE"


def test_user_events_hold_commands_back(ctx, queue):
    with pytest.raises(TypeError, match="events"):
        cl.enqueue_marker(queue, wait_for=[3])
    gate = cl.UserEvent(ctx)
    buffer = buffer_of(ctx, np.zeros(4, np.int32))
    event = cl.enqueue_copy(queue, buffer, np.arange(4, dtype=np.int32), is_blocking=False, wait_for=[gate])
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    seen = []
    event.set_callback(cl.command_execution_status.COMPLETE, seen.append)
    gate.set_status(cl.command_execution_status.COMPLETE)
    cl.wait_for_events([event, gate])
    assert read(queue, buffer, np.int32).tolist() == [0, 1, 2, 3]
    with pytest.raises(cl.LogicError):
        cl.wait_for_events([])


# Programs and kernels


def test_a_program_and_its_kernels(ctx, program):
    assert set(program.kernel_names.split(";")) == {"add", "scale", "ids"}
    assert program.num_devices == 1 and program.devices == ctx.devices and program.context == ctx
    kernel = cl.Kernel(program, "scale")
    assert kernel.function_name == "scale" and kernel.num_args == 3 and kernel.context == ctx
    assert [kernel.get_arg_info(i, cl.kernel_arg_info.NAME) for i in range(3)] == ["a", "factor", "count"]
    assert kernel.get_work_group_info(cl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE, ctx.devices[0]) == [0, 0, 0]
    assert {kernel.function_name for kernel in program.all_kernels()} == {"add", "scale", "ids"}
    with pytest.raises(AttributeError, match="nothing_like_it"):
        program.nothing_like_it  # noqa: B018


def test_a_good_build_is_silent_and_a_bad_one_shows_the_log(ctx):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program = cl.Program(ctx, SOURCE + "// silent\n").build(options=["-DUNUSED=1"])
    assert program.get_build_info(ctx.devices[0], cl.program_build_info.LOG).strip() == ""
    assert program.get_build_info(ctx.devices[0], cl.program_build_info.STATUS) == 0
    with pytest.raises(cl.RuntimeError) as raised:
        cl.Program(ctx, "kernel void f(global int *p) {\n    *p = missing;\n}").build()
    assert status_of(raised) == "BUILD_PROGRAM_FAILURE"
    assert str(raised.value).count("error:") == 1
    assert "2:10" in str(raised.value) and "missing" in str(raised.value)
    with pytest.raises(cl.RuntimeError) as raised:
        cl.Program(ctx, SOURCE).build(options=["-no-such-option"])
    assert status_of(raised) == "INVALID_BUILD_OPTIONS"


def test_a_program_comes_back_from_its_binaries(ctx, queue, program):
    again = cl.Program(ctx, program.devices, program.binaries).build()
    out = cl.Buffer(ctx, mf.READ_WRITE, 40)
    again.ids(queue, (10,), None, out)
    assert read(queue, out, np.int32).tolist() == list(range(10))
    with pytest.raises(cl.LogicError, match="counts don't match"):
        cl.Program(ctx, program.devices, [])


def test_calls_set_arguments_and_run(ctx, queue, program):
    a, b = np.random.default_rng(1).random((2, 1000), np.float32)
    sums = cl.Buffer(ctx, mf.WRITE_ONLY, a.nbytes)
    event = program.add(queue, a.shape, None, buffer_of(ctx, a), buffer_of(ctx, b), sums)
    assert event.command_type == cl.command_type.NDRANGE_KERNEL and event.command_queue == queue
    assert np.array_equal(read(queue, sums, np.float32), a + b)


@pytest.mark.parametrize("typed", [False, True])
def test_numbers_as_arguments(ctx, queue, program, typed):
    kernel = cl.Kernel(program, "scale")
    if typed:
        kernel.set_arg_types([None, np.float32, np.int32])
        arguments = (2.5, 3)
    else:
        arguments = (np.float32(2.5), np.int32(3))
    buffer = buffer_of(ctx, np.ones(5, np.float32))
    kernel(queue, (5,), None, buffer, *arguments)
    kernel.set_args(buffer, *arguments)
    cl.enqueue_nd_range_kernel(queue, kernel, (5,), (1,))
    assert read(queue, buffer, np.float32).tolist() == [6.25, 6.25, 6.25, 1, 1]


def test_wrong_arguments_of_declared_types_are_named(ctx, queue, program):
    scale = cl.Kernel(program, "scale")
    scale.set_arg_types([None, np.float32, np.int32])
    buffer, released = buffer_of(ctx, np.ones(2, np.float32)), cl.Buffer(ctx, mf.READ_WRITE, 8)
    released.release()
    scale(queue, (2,), None, buffer, 2, 2)
    for arguments, words in (((released, 2, 2), "arg#1 .*released"), (("no buffer", 2, 2), "arg#1 .*no buffer"),
                             ((buffer, "two", 2), "arg#2 .*two"), ((buffer, 2, 1 << 40), "arg#3 "), ((buffer, 2, 2.5), "arg#3 .*2.5")):
        with pytest.raises((cl.LogicError, RuntimeError), match=words):
            scale(queue, (2,), None, *arguments)
    scale(queue, (2,), None, buffer, np.float64(3), np.int8(2))
    assert read(queue, buffer, np.float32).tolist() == [6, 6]
    scale.set_args(None, 1, 2)
    with pytest.raises(TypeError):
        scale(queue, (2,), None, buffer, 2)


def test_values_of_any_bytes_like_kind(ctx, queue, program):
    kernel = cl.Kernel(program, "scale")
    buffer = buffer_of(ctx, np.ones(2, np.float32))
    two = np.array([2], np.float32)
    for factor in (np.array(2, np.float32), two, two.tobytes(), memoryview(two)):
        kernel.set_arg(0, buffer)
        kernel.set_arg(1, factor)
        kernel.set_arg(2, np.uint32(2))
        cl.enqueue_nd_range_kernel(queue, kernel, (2,), None)
    assert read(queue, buffer, np.float32).tolist() == [16, 16]


def test_wrong_arguments_are_named(ctx, queue, program):
    scale, buffer = cl.Kernel(program, "scale"), cl.Buffer(ctx, mf.READ_WRITE, 40)
    array = cl.array.to_device(queue, np.zeros(10, np.float32)) if hasattr(cl, "array") else None
    for arguments, status, words in [
        ((buffer, np.float64(1), np.int32(1)), "INVALID_ARG_SIZE", ["arg#2", "factor", "4 bytes", "8"]),
        ((buffer, np.float32(1), 1), "INVALID_ARG_VALUE", ["arg#3", "count", "numpy.int32"]),
        ((np.float32(1), np.float32(1), np.int32(1)), "INVALID_ARG_VALUE", ["arg#1", "'a'"]),
        ((array, np.float32(1), np.int32(1)), "INVALID_ARG_VALUE", ["array.data"]),
    ]:
        if arguments[0] is None:
            continue
        with pytest.raises(cl.LogicError) as raised:
            scale(queue, (1,), None, *arguments)
        assert status_of(raised) == status
        for word in words:
            assert word in str(raised.value)
    with pytest.raises(TypeError, match="argument"):
        scale(queue, (1,), None, buffer)
    with pytest.raises(cl.LogicError) as raised:
        scale.set_arg(7, buffer)
    assert status_of(raised) == "INVALID_ARG_INDEX"
    with pytest.raises(cl.LogicError) as raised:
        cl.enqueue_nd_range_kernel(queue, cl.Kernel(program, "scale"), (1,), None)
    assert status_of(raised) == "INVALID_KERNEL_ARGS"


def test_local_memory(ctx, queue):
    buffer = buffer_of(ctx, np.arange(64, dtype=np.int32))
    memory = cl.LocalMemory(64)
    assert memory.size == 64
    cl.Program(ctx, REVERSED).build().reversed(queue, (64,), (16,), buffer, memory)
    assert np.array_equal(read(queue, buffer, np.int32).reshape(4, 16)[:, ::-1].ravel(), np.arange(64))


def test_sizes_of_a_launch(ctx, queue, program):
    out = cl.Buffer(ctx, mf.READ_WRITE, 400)
    kernel = cl.Kernel(program, "ids")
    kernel(queue, (10,), None, out, global_offset=(5,))
    assert read(queue, out, np.int32, 10).tolist() == list(range(5, 15))
    kernel(queue, (3,), (4,), out, g_times_l=True)
    assert read(queue, out, np.int32, 12).tolist() == list(range(12))
    kernel(queue, [np.int64(8)], [np.int32(4)], out)
    assert kernel(queue, (0,), None, out, allow_empty_ndrange=True).command_type == cl.command_type.MARKER
    for sizes in [((8,), (2, 2)), ((8, 8), (2,))]:
        with pytest.raises(cl.LogicError, match="differing dimensions"):
            kernel(queue, *sizes, out)
    with pytest.raises(cl.LogicError, match="differing dimensions"):
        kernel(queue, (8,), None, out, global_offset=(1, 1))
    with pytest.raises(cl.LogicError) as raised:
        kernel(queue, (2**20,), (2**20,), out)
    assert status_of(raised) in ("INVALID_WORK_GROUP_SIZE", "INVALID_WORK_ITEM_SIZE")
    with pytest.raises(TypeError):
        kernel(queue, 8, None, out)


# Pools


@pytest.mark.parametrize("bits", [1, 4, 7])
def test_bins_hold_what_their_size_says(bits):
    pool = cl._cl._TestMemoryPool(leading_bits_in_bin_id=bits)
    for size in [*range(1, 2000), 2**20 - 1, 2**20, 2**20 + 1, 2**40 + 12345]:
        number = pool.bin_number(size)
        assert pool.alloc_size(number) >= size
        assert pool.bin_number(pool.alloc_size(number)) == number
        assert pool.bin_number(pool.alloc_size(number) + 1) == number + 1 or size < 2**bits
    assert [cl.tools.bitlog2(n) for n in (0, 1, 2, 3, 4, 255, 256, 2**40)] == [0, 0, 1, 1, 2, 7, 8, 40]


def test_a_pool_hands_blocks_out_again(ctx, queue):
    from pyopencl.tools import DeferredAllocator, ImmediateAllocator, MemoryPool

    pool = MemoryPool(ImmediateAllocator(queue))
    block = pool.allocate(1000)
    address = block.int_ptr
    assert block.size >= 1000 and pool.active_blocks == 1 and pool.active_bytes == 1000
    block.release()
    assert (pool.held_blocks, pool.active_blocks, pool.active_bytes) == (1, 0, 0)
    with pytest.raises(cl.LogicError):
        block.release()
    del block
    again = pool(1001)
    assert again.int_ptr == address and pool.managed_bytes == again.size
    del again
    assert pool.held_blocks == 1
    pool.stop_holding()
    assert pool.held_blocks == pool.managed_bytes == 0
    with pytest.warns(UserWarning, match="non-deferred"):
        MemoryPool(DeferredAllocator(ctx))
    assert ImmediateAllocator(queue)(0) is None
    with pytest.raises(cl.LogicError):
        ImmediateAllocator(queue, mf.READ_WRITE | mf.COPY_HOST_PTR)


def test_arrays_in_a_pool(ctx, queue):
    array = pytest.importorskip("pyopencl.array")
    from pyopencl.tools import ImmediateAllocator, MemoryPool

    pool = MemoryPool(ImmediateAllocator(queue))
    a = array.to_device(queue, np.arange(100, dtype=np.float32), allocator=pool)
    assert np.array_equal((2 * a + a).get(), 3 * np.arange(100))


def test_pipes(ctx, queue):
    program = cl.Program(ctx, """
    kernel void put(write_only pipe int p) { int v = 10 * get_global_id(0); write_pipe(p, &v); }
    kernel void get(read_only pipe int p, global int *out) { read_pipe(p, out + get_global_id(0)); }
    """).build("-cl-std=CL3.0")
    pipe = cl.Pipe(ctx, 0, 4, 16)
    assert (pipe.packet_size, pipe.max_packets, pipe.type) == (4, 16, cl.mem_object_type.PIPE)
    assert pipe.get_pipe_info(cl.pipe_info.MAX_PACKETS) == 16 and pipe.context == ctx
    out, buffer = np.zeros(16, np.int32), cl.Buffer(ctx, mf.READ_WRITE, 64)
    program.put(queue, (16,), None, pipe)
    program.get(queue, (16,), None, pipe, buffer)
    cl.enqueue_copy(queue, out, buffer)
    assert sorted(out) == list(range(0, 160, 10))
    with pytest.raises(cl.LogicError, match="INVALID_PIPE_SIZE"):
        cl.Pipe(ctx, mf.READ_WRITE, 0, 16)
    with pytest.raises(cl.LogicError, match="INVALID_ARG_VALUE"):
        program.put(queue, (16,), None, cl.Pipe(ctx, 0, 8, 16))


def test_queues_on_the_device(ctx, queue):
    program = cl.Program(ctx, """kernel void twice(global int *x, queue_t q, int n) {
        if (get_global_id(0) == 0) enqueue_kernel(q, 0, ndrange_1D(n), ^{ x[get_global_id(0)] *= get_default_queue() == q ? 2 : 3; });
    }""").build("-cl-std=CL3.0")
    bits = cl.command_queue_properties
    on_device = bits.ON_DEVICE | bits.OUT_OF_ORDER_EXEC_MODE_ENABLE
    default = cl.CommandQueue(ctx, properties=on_device | bits.ON_DEVICE_DEFAULT)
    other = cl.CommandQueue(ctx, properties=[cl.queue_properties.PROPERTIES, on_device, cl.queue_properties.SIZE, 1 << 16])
    assert (other.get_info(0x1094), other.properties) == (1 << 16, on_device)
    assert cl.CommandQueue(ctx, properties=on_device | bits.ON_DEVICE_DEFAULT) == default
    out, buffer, kernel = np.arange(8, dtype=np.int32), cl.Buffer(ctx, mf.READ_WRITE, 32), cl.Kernel(program, "twice")
    for chosen, factor in ((default, 2), (other, 3)):
        cl.enqueue_copy(queue, buffer, np.arange(8, dtype=np.int32))
        kernel(queue, (8,), None, buffer, chosen, np.int32(8))
        cl.enqueue_copy(queue, out, buffer)
        assert list(out) == [factor * i for i in range(8)]
    ctx.set_default_device_command_queue(ctx.devices[0], other)
    kernel(queue, (8,), None, buffer, other, np.int32(8))
    cl.enqueue_copy(queue, out, buffer)
    assert list(out) == [6 * i for i in range(8)]
    with pytest.raises(cl.LogicError, match="INVALID_COMMAND_QUEUE"):
        ctx.set_default_device_command_queue(ctx.devices[0], queue)
    with pytest.raises(cl.LogicError, match="INVALID_COMMAND_QUEUE"):
        other.finish()
    with pytest.raises(cl.LogicError, match="INVALID_DEVICE_QUEUE"):
        kernel(queue, (8,), None, buffer, queue, np.int32(8))


def test_errors_carry_a_record(ctx):
    with pytest.raises(cl.Error) as raised:
        cl.Buffer(ctx, mf.READ_WRITE, 0)
    error = raised.value
    assert isinstance(error, cl.LogicError) and error.routine == "clCreateBuffer" and error.code == -61
    assert error.what.code() == -61 and error.what.routine() == "clCreateBuffer" and not error.what.is_out_of_memory()
    assert str(error).startswith("clCreateBuffer failed: INVALID_BUFFER_SIZE")
    assert error.__cause__ is None


def test_what_handles_are_equal_to(ctx, queue):
    again, other = cl.Context.from_int_ptr(ctx.int_ptr), cl.Context(ctx.devices)
    assert again is not ctx and again == ctx and not again.__ne__(ctx) and hash(again) == hash(ctx) and {ctx: 1}[again] == 1
    assert ctx != other and not ctx.__eq__(other) and len({ctx, again, other}) == 2
    for unlike in (5, None, "context", queue, ctx._core):
        assert ctx != unlike and unlike != ctx and not ctx.__eq__(unlike)
    assert [ctx, queue].index(queue) == 1
    for how in (lambda: ctx < other, lambda: ctx >= again):
        with pytest.raises(TypeError):
            how()
    bare = cl.Context.__new__(cl.Context)
    for how in (lambda: hash(bare), lambda: bare == ctx, lambda: ctx == bare):
        with pytest.raises(AttributeError):
            how()


def test_texts_of_devices_stay_as_they_are(ctx):
    device, again = (ctx.get_info(cl.context_info.DEVICES)[0] for _ in range(2))
    for name in ("vendor", "name", "version", "extensions"):
        assert getattr(device, name) == getattr(again, name) == device.get_info(getattr(cl.device_info, name.upper())) != ""
    for wrong in ("name", None, -1, [1]):
        with pytest.raises((cl.Error, TypeError, OverflowError)):
            device.get_info(wrong)
