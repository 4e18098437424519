"""Commands on images in C (runtime/native/image_commands.c) over an imagined CUDA, whose arrays are memory of the host's, and on the
devices there are."""

from __future__ import annotations

import os

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.image_bench import COPY, FILL, FLAGS, FROM_BUFFER, ORDER, READ, TO_BUFFER, TYPE, WRITE, Bench, numbers
from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.commands import image as image_commands
from cl2cuda.runtime.native import library

DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
compiled = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


@compiled
def test_there_and_back(prepared, submitted, image_cuda):
    image, data, found = prepared.used(), numbers(6, 8, 4), np.zeros((6, 8, 4), np.uint8)
    submitted.clear()
    image_cuda.calls.clear()
    written = WRITE(prepared.queue, image, (0, 0, 0), (8, 6, 1), data)
    assert image_cuda.calls == ["array"] and written.command_type == cl.command_type.WRITE_IMAGE
    assert written.command_execution_status == cl.command_execution_status.COMPLETE
    read = READ(prepared.queue, image, (0, 0), (8, 6), found)
    assert np.array_equal(found, data) and read.command_type == cl.command_type.READ_IMAGE and read.get_ward() is None
    assert read.command_execution_status == cl.command_execution_status.COMPLETE and isinstance(read, cl.NannyEvent)
    part = np.zeros((2, 3, 4), np.uint8)
    READ(prepared.queue, image, (4, 1, 0), (3, 2, 1), part, is_blocking=True)
    assert np.array_equal(part, data[1:3, 4:7])
    later = WRITE(prepared.queue, image, (1, 2, 0), (3, 2, 1), part[::1], is_blocking=False)
    data[2:4, 1:4] = part
    assert later.get_ward() is not None
    assert np.array_equal(prepared.contents(image, (6, 8, 4)), data)
    assert submitted == ["clEnqueueReadImage"]  # the last line's


@compiled
@pytest.mark.parametrize("shape, is_array", [((5, 4, 3), False), ((5, 4, 3), True)])
def test_planes(prepared, submitted, shape, is_array):
    width, rows, planes = shape
    image = prepared.used(shape, is_array=is_array)
    submitted.clear()
    data, found = numbers(planes, rows, width, 4), np.zeros((2, 2, 2, 4), np.uint8)
    WRITE(prepared.queue, image, (0, 0, 0), shape, data)
    READ(prepared.queue, image, (2, 1, 1), (2, 2, 2), found)
    assert np.array_equal(found, data[1:3, 1:3, 2:4]) and not submitted


@compiled
def test_copies_on_the_device(prepared, submitted, image_cuda):
    first, second, data = prepared.used(), prepared.used((4, 4)), numbers(6, 8, 4)
    WRITE(prepared.queue, first, (0, 0, 0), (8, 6, 1), data)
    submitted.clear()
    image_cuda.calls.clear()
    assert COPY(prepared.queue, first, second, (3, 1, 0), (1, 0, 0), (3, 4, 1)).command_type == cl.command_type.COPY_IMAGE
    TO_BUFFER(prepared.queue, second, prepared.buffer, (1, 0, 0), (3, 4, 1), 64)
    assert image_cuda.calls == ["array"] * 2 and not submitted
    found = np.zeros((4, 3, 4), np.uint8)
    cl.enqueue_copy(prepared.queue, found, prepared.buffer, src_offset=64)
    assert np.array_equal(found, data[1:5, 3:6])
    cl.enqueue_copy(prepared.queue, prepared.buffer, numbers(8, seed=7))
    FROM_BUFFER(prepared.queue, prepared.buffer, first, 4, (2, 5, 0), (1, 1, 1))
    assert not submitted
    data[5, 2] = numbers(8, seed=7)[4:]
    assert np.array_equal(prepared.contents(first, (6, 8, 4)), data)


@compiled
@pytest.mark.parametrize("order, type_, color, element", [
    (ORDER.RGBA, TYPE.UNORM_INT8, np.array([1, 0, 0.5, 0], np.float32), b"\xff\0\x80\0"),
    (ORDER.R, TYPE.UNSIGNED_INT8, np.array([7, 0, 0, 0], np.uint32), b"\x07"),
    (ORDER.RG, TYPE.SIGNED_INT8, np.array([-1, 2, 0, 0], np.int32), b"\xff\x02"),
    (ORDER.RGBA, TYPE.FLOAT, np.ones(4, np.float32), np.ones(4, np.float32).tobytes())])
def test_fills(prepared, submitted, image_cuda, order, type_, color, element):
    image = prepared.image((4, 3), order, type_)
    FILL(prepared.queue, image, np.zeros(4, np.uint32), (0, 0, 0), (4, 3, 1))
    submitted.clear()
    image_cuda.calls.clear()
    event = FILL(prepared.queue, image, color, (1, 1, 0), (2, 2, 1))
    assert image_cuda.calls == ["fill", "array"] and event.command_type == cl.command_type.FILL_IMAGE and not submitted
    expected = np.zeros((3, 4, len(element)), np.uint8)
    expected[1:, 1:3] = np.frombuffer(element, np.uint8)
    assert np.array_equal(prepared.contents(image, expected.shape), expected)


@compiled
def test_colours_that_vary_are_no_business_of_pythons(prepared, submitted):
    image = prepared.image((4, 3), ORDER.RGBA, TYPE.UNORM_INT8)
    FILL(prepared.queue, image, np.zeros(4, np.float32), (0, 0, 0), (4, 3, 1))
    submitted.clear()
    computed = image_commands._element_of.cache_info().misses
    for number in range(1, 20):
        FILL(prepared.queue, image, np.array([number / 255, 2, -1, 1], np.float32), (0, 0, 0), (4, 3, 1))
    assert not submitted and image_commands._element_of.cache_info().misses == computed
    assert np.array_equal(prepared.contents(image, (3, 4, 4)), np.tile(np.array([19, 255, 0, 255], np.uint8), (3, 4, 1)))


@compiled
def test_a_wide_colour_is_written_once_and_doubled(prepared, submitted, image_cuda):
    """CUDA fills with numbers of at most four bytes."""
    image, color = prepared.image((64, 128), ORDER.RGBA, TYPE.UNSIGNED_INT32), np.arange(4, dtype=np.uint32)
    FILL(prepared.queue, image, np.zeros(4, np.uint32), (0, 0, 0), (64, 128, 1))
    submitted.clear()
    image_cuda.calls.clear()
    FILL(prepared.queue, image, color, (0, 0, 0), (64, 127, 1))
    assert image_cuda.calls == ["copy", "copy", "array"] and not submitted
    expected = np.zeros((128, 64, 4), np.uint32)
    expected[:127] = color
    assert np.array_equal(prepared.contents(image, (128, 64, 16)).view(np.uint32).reshape(128, 64, 4), expected)


@compiled
def test_a_colour_is_laid_out_once(prepared, submitted, image_cuda):
    """In the stream's scratch memory, as long as nothing else comes there."""
    image, other, data = prepared.used((16, 8)), prepared.used((16, 8), ORDER.RG, TYPE.UNSIGNED_INT16), numbers(8, 16, 4)
    red, blue = np.array([200, 0, 0, 9], np.uint32), np.array([0, 0, 200, 9], np.uint32)
    expected = np.zeros((8, 16, 4), np.uint8)
    WRITE(prepared.queue, image, (0, 0, 0), (16, 8, 1), expected)
    submitted.clear()

    def fill(color, width, rows, calls):
        image_cuda.calls.clear()
        FILL(prepared.queue, image, color, (0, 0, 0), (width, rows, 1))
        assert image_cuda.calls == calls and not submitted
        expected[:rows, :width] = color
        assert np.array_equal(prepared.contents(image, (8, 16, 4)), expected)
        submitted.clear()

    fill(red, 4, 4, ["fill", "array"])
    for width, rows in ((4, 4), (2, 3), (16, 1)):
        fill(red, width, rows, ["array"])
    fill(red, 16, 8, ["fill", "array"])  # more than there is
    fill(blue, 3, 3, ["fill", "array"])
    prepared.queue._core.stream.scratch.native.staging_size = 0  # The write goes by the memory that has the colour.
    WRITE(prepared.queue, image, (0, 0, 0), (16, 8, 1), data, is_blocking=False)
    expected[:] = data
    fill(blue, 3, 3, ["fill", "array"])
    WRITE(prepared.queue, image, (0, 0, 0), (16, 8, 1), data)
    expected[:] = data
    fill(blue, 3, 3, ["array"])  # Page-locked memory had what was written.
    READ(prepared.queue, image, (0, 0, 0), (16, 8, 1), data)
    assert np.array_equal(data, expected)
    fill(blue, 2, 2, ["array"])  # Page-locked memory had what was read.
    FILL(prepared.queue, other, np.array([0x0201, 0x0403, 0, 0], np.uint32), (0, 0, 0), (16, 8, 1))
    fill(np.array([1, 2, 3, 4], np.uint32), 16, 8, ["array"])  # the same bytes
    WRITE.__self__[1](prepared.queue, prepared.used((512, 520)), (0, 0, 0), (512, 520, 1), np.ones((520, 512, 4), np.uint8))
    submitted.clear()  # which has made the scratch memory larger
    fill(np.array([1, 2, 3, 4], np.uint32), 5, 5, ["fill", "array"])


@compiled
def test_what_is_not_plain_is_pythons(prepared, submitted, image_cuda):
    queue, data = prepared.queue, numbers(6, 8, 4)
    fresh = prepared.image()
    WRITE(queue, fresh, (0, 0, 0), (8, 6, 1), data)  # its first use
    image = prepared.used()
    array_1d = prepared.image((8, 4), is_array=True)
    FILL(queue, array_1d, np.zeros(4, np.uint32), (0, 0, 0), (8, 4, 1))
    timed = cl.CommandQueue(prepared.context, properties=cl.command_queue_properties.PROFILING_ENABLE)

    def read_while_busy():
        image_cuda.busy = True
        event = READ(queue, image, (0, 0, 0), (8, 6, 1), data, is_blocking=False)
        image_cuda.busy = False
        event.wait()

    for command in (
            lambda: READ(queue, image, [0, 0, 0], (8, 6, 1), data),
            read_while_busy, lambda: READ(timed, image, (0, 0), (8, 6), data),
            lambda: COPY(queue, image, image, (0, 0, 0), (4, 0, 0), (2, 2, 1)), lambda: WRITE(queue, array_1d, (0, 1, 0), (8, 1, 1), data)):
        submitted.clear()
        command()
        assert len(submitted) == 1, command


@compiled
def test_reads_that_nobody_waits_for_are_made_where_the_stream_ends_soon(prepared, submitted, image_cuda):
    image, data, found = prepared.used((100, 100)), numbers(100, 100, 4), np.zeros((100, 100, 4), np.uint8)
    WRITE(prepared.queue, image, (0, 0, 0), (100, 100, 1), data)
    READ(prepared.queue, image, (0, 0, 0), (100, 100, 1), found)
    submitted.clear(), image_cuda.calls.clear()
    found[:] = 0
    event = READ(prepared.queue, image, (0, 0, 0), (100, 100, 1), found, is_blocking=False)
    assert np.array_equal(found, data) and image_cuda.calls == ["array"] and not submitted
    assert event.command_execution_status == cl.command_execution_status.COMPLETE and type(event) is cl.NannyEvent
    image_cuda.locked = image_cuda.busy = True  # The stream comes to it by itself.
    found[:] = 0
    event = READ(prepared.queue, image, (0, 0, 0), (100, 100, 1), found, is_blocking=False)
    assert image_cuda.calls == ["array"] * 2 and not submitted
    assert event.get_ward() is found
    image_cuda.busy = False
    event.wait()
    assert np.array_equal(found, data)


@compiled
def test_copies_and_fills_in_queues_out_of_order(prepared, submitted, image_cuda):
    queue = cl.CommandQueue(prepared.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    image, other, data = prepared.used((16, 9)), prepared.used((16, 9)), numbers(9, 16, 4)
    buffer, zero, size = cl.Buffer(prepared.context, cl.mem_flags.READ_WRITE, 16 * 9 * 4), (0, 0, 0), (16, 9, 1)
    WRITE(prepared.queue, image, zero, size, data)
    for turn in range(4):
        submitted.clear()
        COPY(queue, image, other, zero, zero, size)
        queue.finish()
        cl.enqueue_copy(queue, buffer, other, offset=0, origin=zero, region=size)
        queue.finish()
        FILL(queue, image, np.arange(4, dtype=np.uint32), zero, size)
        queue.finish()
        assert np.array_equal(prepared.contents(image, data.shape), np.broadcast_to(np.arange(4, dtype=np.uint8), data.shape))
        cl.enqueue_copy(queue, image, buffer, offset=0, origin=zero, region=size)
        queue.finish()
        assert turn < 2 or not [each for each in submitted if each != "clEnqueueReadImage"]
        assert np.array_equal(prepared.contents(image, data.shape), data)


@compiled
@pytest.mark.parametrize("row_pitch, slice_pitch", [(0, 0), (32, 0), (48, 0), (48, 48 * 6), (48, 48 * 7), (0, 32 * 6), (0, 32 * 8)])
def test_rows_and_planes_of_the_host_lie_apart(prepared, submitted, image_cuda, row_pitch, slice_pitch):
    image, flat = prepared.used((8, 6, 3)), prepared.used((8, 6))
    submitted.clear()
    image_cuda.calls.clear()
    row, plane = row_pitch or 32, slice_pitch or (row_pitch or 32) * 6
    data, found = numbers(3 * plane), np.full(3 * plane, 77, np.uint8)
    WRITE(prepared.queue, image, (0, 0, 0), (8, 6, 3), data, row_pitch, slice_pitch)
    READ(prepared.queue, image, (0, 0, 0), (8, 6, 3), found, row_pitch, slice_pitch)
    assert image_cuda.calls == ["array"] * 2 and not submitted
    inside = np.array([z * plane + y * row + x for z in range(3) for y in range(6) for x in range(32)])
    assert np.array_equal(found[inside], data[inside]) and (np.delete(found, inside) == 77).all()
    for wrong in ((31, 0), (32, 32 * 6 - 1), (1 << 40, 0), (0, 1 << 40), (33, 32 * 6)):
        with pytest.raises(cl.Error, match="INVALID_VALUE"):
            WRITE(prepared.queue, image, (0, 0, 0), (8, 6, 3), data, *wrong)
        with pytest.raises(cl.Error, match="INVALID_VALUE"):
            READ(prepared.queue, image, (0, 0, 0), (8, 6, 3), found, *wrong)
    for refused in (lambda: WRITE(prepared.queue, flat, (0, 0), (8, 6), data, 32, 32 * 6),  # which has no planes
                    lambda: WRITE(prepared.queue, image, (0, 0, 0), (8, 6, 3), data[:-1], 32, 32 * 6 + plane)):
        with pytest.raises(cl.Error, match="INVALID_VALUE"):
            refused()


@compiled
def test_threads_write_and_read_by_one_queue(prepared, submitted, image_cuda):
    """Whoever does not find the stream's memory free leaves its command to Python."""
    done = []

    def work(seed):
        image = prepared.used((64, 64))
        for number in range(40):
            data, found = numbers(64, 64, 4, seed=seed + number), np.zeros((64, 64, 4), np.uint8)
            WRITE(prepared.queue, image, (0, 0), (64, 64), data)
            READ(prepared.queue, image, (0, 0), (64, 64), found)
            assert np.array_equal(found, data)
        done.append(seed)

    run_together(work, *[(100 * each,) for each in range(4)])
    assert len(done) == 4 and not prepared.queue._core.stream.scratch.native.taken


@compiled
@pytest.mark.parametrize("command", ["read", "write", "copy", "to_buffer", "from_buffer", "fill"])
def test_what_cuda_refuses_is_pythons(prepared, submitted, image_cuda, command):
    image, other, data = prepared.used(), prepared.used(), numbers(6, 8, 4)
    commands = {"read": lambda: READ(prepared.queue, image, (0, 0), (8, 6), data), "write": lambda: WRITE(prepared.queue, image, (0, 0), (8, 6), data),
                "copy": lambda: COPY(prepared.queue, image, other, (0, 0), (0, 0), (8, 6)),
                "to_buffer": lambda: TO_BUFFER(prepared.queue, image, prepared.buffer, (0, 0), (8, 6), 0),
                "from_buffer": lambda: FROM_BUFFER(prepared.queue, prepared.buffer, image, 0, (0, 0), (8, 6)),
                "fill": lambda: FILL(prepared.queue, image, np.ones(4, np.uint32), (0, 0), (8, 6))}
    submitted.clear()
    image_cuda.status = 1
    commands[command]()
    assert len(submitted) == 1 and not prepared.queue._core.stream.scratch.native.taken


@compiled
def test_a_released_image(prepared):
    image, data = prepared.used(), numbers(6, 8, 4)
    core = image._core
    assert core.known_array
    image.release()
    assert core.known_array is None
    with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT"):
        WRITE(prepared.queue, image, (0, 0), (8, 6), data)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_errors_are_pythons(device):
    image_bench = Bench(cl.Context([device]))
    image, data = image_bench.used(), np.zeros((6, 8, 4), np.uint8)
    readable = image_bench.used(flags=FLAGS.READ_WRITE | FLAGS.HOST_READ_ONLY)
    for _ in range(2):
        for error, call in (
                ("INVALID_VALUE", lambda: WRITE(image_bench.queue, image, (0, 0), (9, 6), data)),
                ("INVALID_VALUE", lambda: WRITE(image_bench.queue, image, (1, 0), (8, 6), data)),
                ("INVALID_VALUE", lambda: READ(image_bench.queue, image, (0, 0), (8, 0), data)),
                ("INVALID_VALUE", lambda: READ(image_bench.queue, image, (0, 0, 1), (8, 6), data)),
                ("INVALID_VALUE", lambda: READ(image_bench.queue, image, (0, 0), (8, 6), data[:3])),
                ("INVALID_OPERATION", lambda: WRITE(image_bench.queue, readable, (0, 0), (8, 6), data)),
                ("IMAGE_FORMAT_MISMATCH", lambda: COPY(image_bench.queue, image, image_bench.image(type_=TYPE.UNORM_INT8), (0, 0), (0, 0), (1, 1))),
                ("INVALID_VALUE", lambda: TO_BUFFER(image_bench.queue, image, image_bench.buffer, (0, 0), (8, 6), (1 << 16) - 191)),
                ("INVALID_VALUE", lambda: FILL(image_bench.queue, image, np.zeros(3, np.uint32), (0, 0), (8, 6)))):
            with pytest.raises(cl.Error, match=error):
                call()


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_many_commands_from_several_threads(device):
    """On one queue and on several, with parts of one size and another, each thread in images of its own."""
    context = cl.Context([device])
    shared = cl.CommandQueue(context)

    def work(seed, queue, failures):
        random = np.random.default_rng(seed)
        image_bench = Bench(context)
        image, other = image_bench.image((64, 64)), image_bench.image((64, 64))
        expected = np.zeros((64, 64, 4), np.uint8)
        FILL(queue, image, np.zeros(4, np.uint32), (0, 0), (64, 64))
        for _ in range(60):
            x, y = (int(n) for n in random.integers(0, 32, 2))
            w, h = (int(n) for n in random.integers(1, 33, 2))
            data = random.integers(0, 256, (h, w, 4), np.uint8)
            expected[y : y + h, x : x + w] = data
            WRITE(queue, image, (x, y), (w, h), data, is_blocking=bool(x & 1))
            COPY(queue, image, other, (0, 0), (0, 0), (64, 64))
            found = np.zeros((64, 64, 4), np.uint8)
            READ(queue, other, (0, 0), (64, 64), found)
            if not np.array_equal(found, expected):
                failures.append((seed, x, y))

    for queue in (shared, None):
        failures: list[object] = []
        run_together(work, *[(seed, queue or cl.CommandQueue(context), failures) for seed in range(4)])
        assert not failures


@compiled
@pytest.mark.parametrize("blocking", [True, False])
def test_writes_of_little_images_have_times(prepared, submitted, image_cuda, blocking):
    """What is larger is Python's: CUDA would time the processor's work, too."""
    queue = cl.CommandQueue(prepared.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    image, large, data = prepared.image((64, 64)), prepared.image((64, 65)), numbers(65, 64, 4)
    for each, rows in ((image, 64), (large, 65)):
        WRITE(queue, each, (0, 0, 0), (64, rows, 1), data)
    queue.finish()
    submitted.clear()
    image_cuda.calls.clear()
    event = WRITE(queue, image, (0, 0, 0), (64, 64, 1), data, is_blocking=blocking)
    assert not submitted and image_cuda.calls[-1] == "array"
    event.wait()
    times = [event.get_profiling_info(getattr(cl.profiling_info, name)) for name in ("QUEUED", "SUBMIT", "START", "END")]
    assert times == sorted(times) and times[0] > 0
    WRITE(queue, large, (0, 0, 0), (64, 65, 1), data, is_blocking=blocking).wait()
    assert len(submitted) == 1
    assert np.array_equal(prepared.contents(image, (64, 64, 4)), data[:64])
