"""Commands on images in C (runtime/native/image_commands.c) over an imagined CUDA, whose arrays are memory of the host's, and on the
devices there are."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.arrays_in_c import CudaOfArrays
from support.fake_cuda import CudaError
from support.image_bench import COPY, FILL, FLAGS, FROM_BUFFER, ORDER, READ, TO_BUFFER, TYPE, WRITE, Bench
from support.imagined_device import device_of
from support.late_cuda import LateCuda
from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.commands import image as image_commands
from cl2cuda.runtime.cuda import image_copies, staging
from cl2cuda.runtime.cuda.scratch import LEFT
from cl2cuda.runtime.driver.interface import STAGED
from cl2cuda.runtime.native import library

DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
compiled = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


@pytest.fixture
def cuda():
    return CudaOfArrays()


@pytest.fixture
def bench(cuda):
    return Bench(cl.Context([device_of(cuda)]))


@pytest.fixture
def ready(bench, submitted, cuda):
    """Where there is scratch memory for commands in C."""
    bench.prepare()
    submitted.clear()
    cuda.calls.clear()
    return bench


def numbers(*shape, seed=1, type_=np.uint8):
    return np.random.default_rng(seed).integers(1, 200, shape).astype(type_)


@compiled
def test_there_and_back(ready, submitted, cuda):
    image, data, found = ready.used(), numbers(6, 8, 4), np.zeros((6, 8, 4), np.uint8)
    submitted.clear()
    cuda.calls.clear()
    written = WRITE(ready.queue, image, (0, 0, 0), (8, 6, 1), data)
    assert cuda.calls == ["array"] and written.command_type == cl.command_type.WRITE_IMAGE
    assert written.command_execution_status == cl.command_execution_status.COMPLETE
    read = READ(ready.queue, image, (0, 0), (8, 6), found)
    assert np.array_equal(found, data) and read.command_type == cl.command_type.READ_IMAGE and read.get_ward() is None
    assert read.command_execution_status == cl.command_execution_status.COMPLETE and isinstance(read, cl.NannyEvent)
    part = np.zeros((2, 3, 4), np.uint8)
    READ(ready.queue, image, (4, 1, 0), (3, 2, 1), part, is_blocking=True)
    assert np.array_equal(part, data[1:3, 4:7])
    later = WRITE(ready.queue, image, (1, 2, 0), (3, 2, 1), part[::1], is_blocking=False)
    data[2:4, 1:4] = part
    assert later.get_ward() is not None
    assert np.array_equal(ready.contents(image, (6, 8, 4)), data)
    assert submitted == ["clEnqueueReadImage"]  # the last line's


@compiled
@pytest.mark.parametrize("shape, is_array", [((5, 4, 3), False), ((5, 4, 3), True)])
def test_planes(ready, submitted, shape, is_array):
    width, rows, planes = shape
    image = ready.used(shape, is_array=is_array)
    submitted.clear()
    data, found = numbers(planes, rows, width, 4), np.zeros((2, 2, 2, 4), np.uint8)
    WRITE(ready.queue, image, (0, 0, 0), shape, data)
    READ(ready.queue, image, (2, 1, 1), (2, 2, 2), found)
    assert np.array_equal(found, data[1:3, 1:3, 2:4]) and not submitted


@compiled
def test_copies_on_the_device(ready, submitted, cuda):
    first, second, data = ready.used(), ready.used((4, 4)), numbers(6, 8, 4)
    WRITE(ready.queue, first, (0, 0, 0), (8, 6, 1), data)
    submitted.clear()
    cuda.calls.clear()
    assert COPY(ready.queue, first, second, (3, 1, 0), (1, 0, 0), (3, 4, 1)).command_type == cl.command_type.COPY_IMAGE
    TO_BUFFER(ready.queue, second, ready.buffer, (1, 0, 0), (3, 4, 1), 64)
    assert cuda.calls == ["array"] * 2 and not submitted
    found = np.zeros((4, 3, 4), np.uint8)
    cl.enqueue_copy(ready.queue, found, ready.buffer, src_offset=64)
    assert np.array_equal(found, data[1:5, 3:6])
    cl.enqueue_copy(ready.queue, ready.buffer, numbers(8, seed=7))
    FROM_BUFFER(ready.queue, ready.buffer, first, 4, (2, 5, 0), (1, 1, 1))
    assert not submitted
    data[5, 2] = numbers(8, seed=7)[4:]
    assert np.array_equal(ready.contents(first, (6, 8, 4)), data)


@compiled
@pytest.mark.parametrize("order, type_, color, element", [
    (ORDER.RGBA, TYPE.UNORM_INT8, np.array([1, 0, 0.5, 0], np.float32), b"\xff\0\x80\0"),
    (ORDER.R, TYPE.UNSIGNED_INT8, np.array([7, 0, 0, 0], np.uint32), b"\x07"),
    (ORDER.RG, TYPE.SIGNED_INT8, np.array([-1, 2, 0, 0], np.int32), b"\xff\x02"),
    (ORDER.RGBA, TYPE.FLOAT, np.ones(4, np.float32), np.ones(4, np.float32).tobytes())])
def test_fills(ready, submitted, cuda, order, type_, color, element):
    image = ready.image((4, 3), order, type_)
    FILL(ready.queue, image, np.zeros(4, np.uint32), (0, 0, 0), (4, 3, 1))
    submitted.clear()
    cuda.calls.clear()
    event = FILL(ready.queue, image, color, (1, 1, 0), (2, 2, 1))
    assert cuda.calls == ["fill", "array"] and event.command_type == cl.command_type.FILL_IMAGE and not submitted
    expected = np.zeros((3, 4, len(element)), np.uint8)
    expected[1:, 1:3] = np.frombuffer(element, np.uint8)
    assert np.array_equal(ready.contents(image, expected.shape), expected)


@compiled
def test_colours_that_vary_are_no_business_of_pythons(ready, submitted):
    image = ready.image((4, 3), ORDER.RGBA, TYPE.UNORM_INT8)
    FILL(ready.queue, image, np.zeros(4, np.float32), (0, 0, 0), (4, 3, 1))
    submitted.clear()
    computed = image_commands._element_of.cache_info().misses
    for number in range(1, 20):
        FILL(ready.queue, image, np.array([number / 255, 2, -1, 1], np.float32), (0, 0, 0), (4, 3, 1))
    assert not submitted and image_commands._element_of.cache_info().misses == computed
    assert np.array_equal(ready.contents(image, (3, 4, 4)), np.tile(np.array([19, 255, 0, 255], np.uint8), (3, 4, 1)))


@compiled
def test_a_wide_colour_is_written_once_and_doubled(ready, submitted, cuda):
    """CUDA fills with numbers of at most four bytes."""
    image, color = ready.image((64, 128), ORDER.RGBA, TYPE.UNSIGNED_INT32), np.arange(4, dtype=np.uint32)
    FILL(ready.queue, image, np.zeros(4, np.uint32), (0, 0, 0), (64, 128, 1))
    submitted.clear()
    cuda.calls.clear()
    FILL(ready.queue, image, color, (0, 0, 0), (64, 127, 1))
    assert cuda.calls == ["copy", "copy", "array"] and not submitted
    expected = np.zeros((128, 64, 4), np.uint32)
    expected[:127] = color
    assert np.array_equal(ready.contents(image, (128, 64, 16)).view(np.uint32).reshape(128, 64, 4), expected)


@compiled
def test_a_colour_is_laid_out_once(ready, submitted, cuda):
    """In the stream's scratch memory, as long as nothing else comes there."""
    image, other, data = ready.used((16, 8)), ready.used((16, 8), ORDER.RG, TYPE.UNSIGNED_INT16), numbers(8, 16, 4)
    red, blue = np.array([200, 0, 0, 9], np.uint32), np.array([0, 0, 200, 9], np.uint32)
    expected = np.zeros((8, 16, 4), np.uint8)
    WRITE(ready.queue, image, (0, 0, 0), (16, 8, 1), expected)
    submitted.clear()

    def fill(color, width, rows, calls):
        cuda.calls.clear()
        FILL(ready.queue, image, color, (0, 0, 0), (width, rows, 1))
        assert cuda.calls == calls and not submitted
        expected[:rows, :width] = color
        assert np.array_equal(ready.contents(image, (8, 16, 4)), expected)
        submitted.clear()

    fill(red, 4, 4, ["fill", "array"])
    for width, rows in ((4, 4), (2, 3), (16, 1)):
        fill(red, width, rows, ["array"])
    fill(red, 16, 8, ["fill", "array"])  # more than there is
    fill(blue, 3, 3, ["fill", "array"])
    WRITE(ready.queue, image, (0, 0, 0), (16, 8, 1), data, is_blocking=False)
    expected[:] = data
    fill(blue, 3, 3, ["fill", "array"])
    WRITE(ready.queue, image, (0, 0, 0), (16, 8, 1), data)
    expected[:] = data
    fill(blue, 3, 3, ["array"])  # Page-locked memory had what was written.
    READ(ready.queue, image, (0, 0, 0), (16, 8, 1), data)
    assert np.array_equal(data, expected)
    fill(blue, 2, 2, ["array"])  # Page-locked memory had what was read.
    FILL(ready.queue, other, np.array([0x0201, 0x0403, 0, 0], np.uint32), (0, 0, 0), (16, 8, 1))
    fill(np.array([1, 2, 3, 4], np.uint32), 16, 8, ["array"])  # the same bytes
    WRITE.__self__[1](ready.queue, ready.used((512, 520)), (0, 0, 0), (512, 520, 1), np.ones((520, 512, 4), np.uint8))
    submitted.clear()  # which has made the scratch memory larger
    fill(np.array([1, 2, 3, 4], np.uint32), 5, 5, ["fill", "array"])


@compiled
def test_what_is_not_plain_is_pythons(ready, submitted, cuda):
    queue, data = ready.queue, numbers(6, 8, 4)
    fresh = ready.image()
    WRITE(queue, fresh, (0, 0, 0), (8, 6, 1), data)  # its first use
    image = ready.used()
    array_1d = ready.image((8, 4), is_array=True)
    FILL(queue, array_1d, np.zeros(4, np.uint32), (0, 0, 0), (8, 4, 1))
    timed = cl.CommandQueue(ready.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    for command in (
            lambda: READ(queue, image, [0, 0, 0], (8, 6, 1), data),
            lambda: READ(queue, image, (0, 0, 0), (8, 6, 1), data, is_blocking=False).wait(), lambda: READ(timed, image, (0, 0), (8, 6), data),
            lambda: COPY(queue, image, image, (0, 0, 0), (4, 0, 0), (2, 2, 1)), lambda: WRITE(queue, array_1d, (0, 1, 0), (8, 1, 1), data)):
        submitted.clear()
        command()
        assert len(submitted) == 1, command


@compiled
def test_page_locked_memory_is_copied_by_itself(ready, submitted, cuda):
    """In one call between image and memory, whatever the host's rows are, where the caller waits."""
    cuda.locked = True
    for shape, size, kept in (((128, 256), (128, 256, 1), (256, 512)), ((64, 32, 8), (64, 32, 8), (8, 32, 256))):
        image, data = ready.used(shape), numbers(*size[::-1], 4)
        found, rows = np.zeros(kept, np.uint8), (size[0] * 4, size[0] * size[1] * 4)
        submitted.clear(), cuda.calls.clear()
        WRITE(ready.queue, image, (0, 0, 0), size, data)
        READ(ready.queue, image, (0, 0, 0), size, found)
        assert cuda.calls == ["array", "array"] and not submitted and found.tobytes() == data.tobytes()
        apart = np.zeros((size[2], size[1], size[0] + 16, 4), np.uint8)
        READ(ready.queue, image, (0, 0, 0), size, apart, row_pitch=rows[0] + 64)
        assert cuda.calls == ["array"] * 3 and not submitted
        assert np.array_equal(apart[:, :, : size[0]], data.reshape(apart[:, :, : size[0]].shape)) and not apart[:, :, size[0] :].any()


@compiled
def test_reads_come_by_page_locked_memory(ready, submitted, cuda):
    """In one copy, but to the host's memory that is page-locked itself, or where there is none."""
    image, data, found = ready.used((64, 64)), numbers(64, 64, 4), np.zeros((64, 64, 4), np.uint8)
    WRITE(ready.queue, image, (0, 0, 0), (64, 64, 1), data)
    submitted.clear()

    def read(image, calls, origin=(0, 0, 0)):
        cuda.calls.clear()
        found[:] = 0
        READ(ready.queue, image, origin, (*(64 - at for at in origin[:2]), 1), found[origin[1] :, origin[0] :].copy() if any(origin) else found)
        assert cuda.calls == calls and not submitted

    read(image, ["array"])
    assert np.array_equal(found, data)
    part = np.zeros((10, 7, 4), np.uint8)
    READ(ready.queue, image, (3, 5), (7, 10), part)
    assert np.array_equal(part, data[5:15, 3:10])
    cuda.locked = True
    large = ready.used((64, 65))
    submitted.clear()
    cuda.calls.clear()
    READ(ready.queue, image, (3, 5), (7, 10), part)  # so little that nobody asks what memory it is
    assert cuda.calls == ["array"]
    cuda.calls.clear()
    READ(ready.queue, large, (0, 0), (64, 65), np.zeros((65, 64, 4), np.uint8))
    assert cuda.calls == ["array"] and not submitted


@compiled
def test_writes_go_by_page_locked_memory(ready, submitted, cuda):
    """In one copy, or in a few of what is large, but not from memory that is page-locked itself; and those that nobody waits for by memory
    on the device, since they have read the host's memory when they return."""
    small, large, solid = ready.used((64, 64)), ready.used((300, 257)), ready.used((64, 32, 33))
    wide, tall = ready.used((1023, 190)), ready.used((128, 12, 120))
    for image, shape in ((large, (300, 257, 1)), (wide, (1023, 190, 1))):
        WRITE.__self__[1](ready.queue, image, (0, 0, 0), shape, numbers(*reversed(shape), 4))  # for which Python gets as much memory
    submitted.clear()

    def write(image, shape, calls, seed, **how):
        data = numbers(*reversed(shape), 4, seed=seed)
        cuda.calls.clear()
        WRITE(ready.queue, image, (0, 0, 0), shape, data, **how)
        assert (cuda.calls in calls if isinstance(calls[0], list) else cuda.calls == calls) and not submitted
        kept = data.copy()
        data[:] = 0
        assert np.array_equal(ready.contents(image, data.shape), kept)
        submitted.clear()

    write(small, (64, 64), ["array"], 1)
    for image, shape in ((large, (300, 257)), (wide, (1023, 190)), (solid, (64, 32, 33)), (tall, (128, 12, 120))):
        for seed in range(10):
            write(image, shape, [["array"] * count for count in range(1, 5)], 20 + seed)
    write(small, (64, 64), ["copy", "array"], 5, is_blocking=False)
    before = ready.contents(large, (257, 300, 4))
    submitted.clear()
    cuda.calls.clear()
    WRITE(ready.queue, large, (10, 20), (256, 230), middle := numbers(230, 256, 4, seed=7))
    WRITE(ready.queue, large, (3, 5), (7, 10), part := numbers(10, 7, 4, seed=6))
    assert 2 <= len(cuda.calls) <= 3 and not submitted
    before[20:250, 10:266] = middle
    before[5:15, 3:10] = part
    assert np.array_equal(ready.contents(large, (257, 300, 4)), before)
    cuda.locked = True
    cuda.calls.clear()
    submitted.clear()
    WRITE(ready.queue, large, (3, 5), (7, 10), part)  # so little that nobody asks what memory it is
    assert cuda.calls == ["array"] and not submitted


@compiled
@pytest.mark.parametrize("row_pitch, slice_pitch", [(0, 0), (32, 0), (48, 0), (48, 48 * 6), (48, 48 * 7), (0, 32 * 6), (0, 32 * 8)])
def test_rows_and_planes_of_the_host_lie_apart(ready, submitted, cuda, row_pitch, slice_pitch):
    image, flat = ready.used((8, 6, 3)), ready.used((8, 6))
    submitted.clear()
    cuda.calls.clear()
    row, plane = row_pitch or 32, slice_pitch or (row_pitch or 32) * 6
    data, found = numbers(3 * plane), np.full(3 * plane, 77, np.uint8)
    WRITE(ready.queue, image, (0, 0, 0), (8, 6, 3), data, row_pitch, slice_pitch)
    READ(ready.queue, image, (0, 0, 0), (8, 6, 3), found, row_pitch, slice_pitch)
    assert cuda.calls == ["array"] * 2 and not submitted
    inside = np.array([z * plane + y * row + x for z in range(3) for y in range(6) for x in range(32)])
    assert np.array_equal(found[inside], data[inside]) and (np.delete(found, inside) == 77).all()
    for wrong in ((31, 0), (32, 32 * 6 - 1), (1 << 40, 0), (0, 1 << 40), (33, 32 * 6)):
        with pytest.raises(cl.Error, match="INVALID_VALUE"):
            WRITE(ready.queue, image, (0, 0, 0), (8, 6, 3), data, *wrong)
        with pytest.raises(cl.Error, match="INVALID_VALUE"):
            READ(ready.queue, image, (0, 0, 0), (8, 6, 3), found, *wrong)
    for refused in (lambda: WRITE(ready.queue, flat, (0, 0), (8, 6), data, 32, 32 * 6),  # which has no planes
                    lambda: WRITE(ready.queue, image, (0, 0, 0), (8, 6, 3), data[:-1], 32, 32 * 6 + plane)):
        with pytest.raises(cl.Error, match="INVALID_VALUE"):
            refused()


@compiled
def test_a_write_that_takes_long_is_waited_for_by_python(ready, submitted, cuda):
    """It is given once; what the device may still read stays as it is, until all has ended."""
    image, first, second = ready.used(), numbers(6, 8, 4), numbers(6, 8, 4, seed=2)
    waited, timeline = [], type(ready.queue._core.timeline)
    scratch = ready.queue._core.stream.scratch.native
    staged = ctypes.cast(scratch.staging + STAGED, ctypes.POINTER(ctypes.c_uint8 * first.nbytes)).contents
    genuine = timeline.synchronize_to
    timeline.synchronize_to = lambda self, position: waited.append(position) or genuine(self, position)
    try:
        submitted.clear()
        cuda.calls.clear()
        cuda.busy = True
        WRITE(ready.queue, image, (0, 0), (8, 6), first)
        assert cuda.calls == ["array"] and len(waited) == 1 and not submitted and not scratch.taken
        WRITE(ready.queue, image, (0, 0), (8, 6), second)
        assert cuda.calls == ["array", "copy", "array"] and len(waited) == 2 and bytes(staged) == first.tobytes()
        cuda.busy = False
        WRITE(ready.queue, image, (0, 0), (8, 6), first[::-1].copy())
        assert cuda.calls[3:] == ["array"] and len(waited) == 2 and bytes(staged) == first[::-1].tobytes() and not submitted
        assert np.array_equal(ready.contents(image, (6, 8, 4)), first[::-1])
    finally:
        timeline.synchronize_to = genuine


@compiled
def test_a_copy_that_is_refused_is_pythons(ready, submitted, cuda):
    """Of several the first may be under way."""
    image, data = ready.used((512, 380)), numbers(380, 512, 4)
    scratch, left = ready.queue._core.stream.scratch.native, lambda: ctypes.c_uint64.from_address(scratch.staging + 8).value
    for _ in range(2):
        WRITE(ready.queue, image, (0, 0), (512, 380), data)
    genuine, calls = cuda._do, []
    cuda._do = lambda what, work: calls.append(what) or (999 if len(calls) == 2 else genuine(what, work))
    for seed in range(1000):  # until one takes several, which processors that others use make rare
        submitted.clear()
        calls.clear()
        WRITE(ready.queue, image, (0, 0), (512, 380), numbers(380, 512, 4, seed=seed))
        if len(calls) > 1:
            break
    assert calls[:2] == ["array"] * 2 and submitted == ["clEnqueueWriteImage"] and left() and not scratch.taken
    calls[:] = [None] * 2
    WRITE(ready.queue, image, (0, 0), (512, 380), data)
    assert not left() and len(submitted) == 1
    assert np.array_equal(ready.contents(image, (380, 512, 4)), data)


@compiled
def test_threads_write_and_read_by_one_queue(ready, submitted, cuda):
    """Whoever does not find the stream's memory free leaves its command to Python."""
    done = []

    def work(seed):
        image = ready.used((64, 64))
        for number in range(40):
            data, found = numbers(64, 64, 4, seed=seed + number), np.zeros((64, 64, 4), np.uint8)
            WRITE(ready.queue, image, (0, 0), (64, 64), data)
            READ(ready.queue, image, (0, 0), (64, 64), found)
            assert np.array_equal(found, data)
        done.append(seed)

    run_together(work, *[(100 * each,) for each in range(4)])
    assert len(done) == 4 and not ready.queue._core.stream.scratch.native.taken


def test_pythons_writes_go_by_page_locked_memory(bench, cuda, monkeypatch):
    """Of what CUDA does not read at once."""
    monkeypatch.setattr(image_copies, "_was_written_in_c", lambda *given: False)
    copied, genuine = [], cuda.runtime.memcpyAsync
    monkeypatch.setattr(cuda.runtime, "memcpyAsync", lambda *words: copied.append(words[2]) or genuine(*words))
    write = WRITE.__self__[1] if library.calls() else WRITE
    for shape, pitch, calls in (((128, 128), 0, 1), ((129, 128), 0, 0), ((500, 300), 2048, 0), ((800, 700), 0, 1)):
        image, rows = bench.image(shape), numbers(shape[1], pitch or shape[0] * 4)
        for waits in (True, False):
            copied.clear()
            write(bench.queue, image, (0, 0), shape, rows, pitch, is_blocking=waits).wait()
            assert len(copied) == calls, shape
            assert np.array_equal(bench.contents(image, (shape[1], shape[0] * 4)), rows[:, : shape[0] * 4])
            rows[:] = rows[::-1].copy()


@compiled
@pytest.mark.parametrize("shape", [(16, 12), (100, 9), (5, 4, 3), (128, 128)])
def test_pythons_writes_of_little_are_given_by_code_in_c(ready, cuda, monkeypatch, shape):
    """Such as first contents. Where CUDA refuses, Python tries once more, and says what is wrong."""
    in_python, genuine = [], image_copies._copy_by_scratch
    monkeypatch.setattr(image_copies, "_copy_by_scratch", lambda stream, kind, *given: in_python.append(kind) or genuine(stream, kind, *given))
    write, image = WRITE.__self__[1], ready.image(shape)
    region, found = (*shape, 1)[:3], (*reversed(shape), 4)
    write(ready.queue, image, (0, 0, 0), region, numbers(*found))
    for waits in (True, False):
        in_python.clear()
        cuda.calls.clear()
        data = numbers(*found, seed=3 + waits)
        write(ready.queue, image, (0, 0, 0), region, data, is_blocking=waits).wait()
        assert cuda.calls == ["copy", "array"] and not in_python
        assert np.array_equal(ready.contents(image, found), data)
    part = numbers(*found[:-2], 3, 4, seed=9)
    in_python.clear()
    write(ready.queue, image, (2, 0, 0), (3, *region[1:]), part)
    data[..., 2:5, :] = part
    assert not in_python and np.array_equal(ready.contents(image, found), data)
    in_python.clear()
    cuda.status = 700
    write(ready.queue, image, (0, 0, 0), region, numbers(*found))
    cuda.status = 0
    assert in_python == ["host_to_device"] and np.array_equal(ready.contents(image, found), numbers(*found))


def test_pythons_writes_wait_for_no_slot(bench, cuda, monkeypatch):
    """One that a stream has not come to yet is another's; CUDA takes the contents then."""
    copied, genuine, write = [], cuda.runtime.memcpyAsync, WRITE.__self__[1] if library.calls() else WRITE
    monkeypatch.setattr(cuda.runtime, "memcpyAsync", lambda *words: copied.append(words[2]) or genuine(*words))
    image, data = bench.image((200, 200)), numbers(200, 200, 4)
    for pending in (False, True, False):
        copied.clear()
        monkeypatch.setattr(cuda.runtime, "eventQuery", lambda event, pending=pending: 600 if pending else 0)
        write(bench.queue, image, (0, 0), (200, 200), data, is_blocking=True)
        assert len(copied) == pending and np.array_equal(bench.contents(image, (200, 200, 4)), data)
        data = data[::-1].copy()


@compiled
def test_reads_where_no_page_locked_memory_is_to_be_had(bench, submitted, cuda, monkeypatch):
    def none(size, flags):
        raise CudaError(2)

    image, data, found = bench.image((200, 200)), numbers(200, 200, 4), np.zeros((200, 200, 4), np.uint8)
    monkeypatch.setattr(cuda.runtime, "hostAlloc", none)
    WRITE(bench.queue, image, (0, 0), (200, 200), data)
    for _ in range(2):
        READ(bench.queue, image, (0, 0), (200, 200), found)
    assert submitted == ["clEnqueueWriteImage"] and cuda.calls == ["array", "copy"] * 2
    assert np.array_equal(found, data)
    cuda.calls.clear()
    WRITE(bench.queue, image, (0, 0), (200, 200), data[::-1].copy())
    assert cuda.calls == ["copy", "array"] and np.array_equal(bench.contents(image, (200, 200, 4)), data[::-1])


@compiled
def test_a_read_that_takes_long_is_pythons(ready, submitted, cuda):
    image, data, found = ready.used(), numbers(6, 8, 4), np.zeros((6, 8, 4), np.uint8)
    WRITE(ready.queue, image, (0, 0), (8, 6), data)
    submitted.clear()
    cuda.busy = True
    READ(ready.queue, image, (0, 0), (8, 6), found)  # which polls until its time is over
    assert submitted == ["clEnqueueReadImage"] and np.array_equal(found, data) and not ready.queue._core.stream.scratch.native.taken


@compiled
def test_helpers_move_what_comes(cuda, monkeypatch, submitted):
    """Where the machine has the processors: all of it, whether they come in time or not."""
    monkeypatch.setattr(staging, "threads", lambda: 4)
    monkeypatch.setattr(staging.processors, "count", lambda: 16)
    cuda.staging_addresses = (cuda.stream_addresses[1], *cuda.stream_addresses[2:4], *cuda.stream_addresses[7:8] * 2)
    bench = Bench(cl.Context([device_of(cuda)]))
    image, data = bench.image((400, 400)), numbers(400, 400, 4)
    WRITE(bench.queue, image, (0, 0), (400, 400), data)
    READ(bench.queue, image, (0, 0), (400, 400), np.zeros_like(data))
    submitted.clear()
    random = np.random.default_rng(5)
    for _ in range(200):
        width, rows = (int(n) for n in random.integers(1, 401, 2))
        found = np.zeros((rows + 1, width, 4), np.uint8)
        READ(bench.queue, image, (400 - width, 400 - rows), (width, rows), found)
        assert np.array_equal(found[:-1], data[400 - rows :, 400 - width :]) and not found[-1].any()
    cuda.busy = True
    READ(bench.queue, image, (0, 0), (400, 400), found := np.zeros_like(data))
    assert submitted == ["clEnqueueReadImage"] and np.array_equal(found, data)


@compiled
def test_page_locked_memory_is_exchanged_only_while_code_in_c_cannot_have_it(ready, monkeypatch):
    """A read may have begun between the question whether one is under way and the answer. The stream is asked where something was left under
    way, which the processor does not wait for."""
    stream, sizes = ready.queue._core.stream, []
    scratch, genuine = stream.scratch.native, stream.idle
    left = ctypes.c_uint64.from_address(scratch.staging + LEFT)
    monkeypatch.setattr(type(stream), "idle", lambda self: sizes.append(scratch.staging_size) or genuine())
    before, left.value = scratch.staging_size, 1
    stream.scratch.lend_staging(stream, before + 1)
    assert sizes == [0] and scratch.staging_size > before
    staged, before = scratch.staging, scratch.staging_size
    monkeypatch.setattr(type(stream), "idle", lambda self: False)
    left = ctypes.c_uint64.from_address(staged + LEFT)
    left.value = 1
    stream.scratch.lend_staging(stream, before + 1)
    assert (scratch.staging, scratch.staging_size) == (staged, before)
    left.value = 0
    stream.scratch.lend_staging(stream, before + 1)
    assert scratch.staging != staged and scratch.staging_size > before
    staged, before, scratch.taken = scratch.staging, scratch.staging_size, 1
    stream.scratch.lend_staging(stream, before + 1)
    assert (scratch.staging, scratch.staging_size) == (staged, before)


@compiled
def test_one_write_of_pythons_is_enough(submitted):
    """The stream is still at it when Python gets memory for the next one."""
    bench = Bench(cl.Context([device_of(LateCuda())]))
    for shape in ((200, 200), (256, 300), (300, 310)):
        image, data = bench.image(shape), numbers(*shape[::-1], 4)
        for _ in range(2):
            submitted.clear()
            WRITE(bench.queue, image, (0, 0), shape, data)
        assert not submitted and np.array_equal(bench.contents(image, data.shape), data)


@compiled
def test_scratch_memory_grows_and_goes_with_the_stream(ready, submitted, cuda):
    image, data = ready.used((256, 256)), numbers(256, 256, 4)
    scratch = ready.queue._core.stream.scratch.native
    submitted.clear()
    assert 0 < scratch.size < data.nbytes and 0 < scratch.staging_size < data.nbytes
    WRITE(ready.queue, image, (0, 0, 0), (256, 256, 1), data)
    assert submitted == ["clEnqueueWriteImage"] and scratch.size >= data.nbytes and scratch.staging_size >= data.nbytes
    back = np.zeros_like(data)
    READ(ready.queue, image, (0, 0, 0), (256, 256, 1), back)
    assert submitted == ["clEnqueueWriteImage"] and np.array_equal(back, data)
    scratch.taken = 1  # by another thread
    READ(ready.queue, image, (0, 0, 0), (256, 256, 1), back)
    assert len(submitted) == 2
    scratch.taken = 0
    memory, staged, size = scratch.memory, scratch.staging, scratch.staging_size
    assert memory in cuda.runtime.memory
    stream = ready.queue._core.stream
    pieces = stream.staging._pieces
    assert pieces[staging.PIECE] and staged not in pieces[size]
    stream.close()
    assert scratch.memory == scratch.size == scratch.staging == scratch.staging_size == 0
    assert memory not in cuda.runtime.memory and staged in pieces[size]


@compiled
@pytest.mark.parametrize("command", ["read", "write", "copy", "to_buffer", "from_buffer", "fill"])
def test_what_cuda_refuses_is_pythons(ready, submitted, cuda, command):
    image, other, data = ready.used(), ready.used(), numbers(6, 8, 4)
    commands = {"read": lambda: READ(ready.queue, image, (0, 0), (8, 6), data), "write": lambda: WRITE(ready.queue, image, (0, 0), (8, 6), data),
                "copy": lambda: COPY(ready.queue, image, other, (0, 0), (0, 0), (8, 6)),
                "to_buffer": lambda: TO_BUFFER(ready.queue, image, ready.buffer, (0, 0), (8, 6), 0),
                "from_buffer": lambda: FROM_BUFFER(ready.queue, ready.buffer, image, 0, (0, 0), (8, 6)),
                "fill": lambda: FILL(ready.queue, image, np.ones(4, np.uint32), (0, 0), (8, 6))}
    submitted.clear()
    cuda.status = 1
    commands[command]()
    assert len(submitted) == 1 and not ready.queue._core.stream.scratch.native.taken


@compiled
def test_a_released_image(ready):
    image, data = ready.used(), numbers(6, 8, 4)
    core = image._core
    assert core.known_array
    image.release()
    assert core.known_array is None
    with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT"):
        WRITE(ready.queue, image, (0, 0), (8, 6), data)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_errors_are_pythons(device):
    bench = Bench(cl.Context([device]))
    image, data = bench.used(), np.zeros((6, 8, 4), np.uint8)
    readable = bench.used(flags=FLAGS.READ_WRITE | FLAGS.HOST_READ_ONLY)
    for _ in range(2):
        for error, call in (
                ("INVALID_VALUE", lambda: WRITE(bench.queue, image, (0, 0), (9, 6), data)),
                ("INVALID_VALUE", lambda: WRITE(bench.queue, image, (1, 0), (8, 6), data)),
                ("INVALID_VALUE", lambda: READ(bench.queue, image, (0, 0), (8, 0), data)),
                ("INVALID_VALUE", lambda: READ(bench.queue, image, (0, 0, 1), (8, 6), data)),
                ("INVALID_VALUE", lambda: READ(bench.queue, image, (0, 0), (8, 6), data[:3])),
                ("INVALID_OPERATION", lambda: WRITE(bench.queue, readable, (0, 0), (8, 6), data)),
                ("IMAGE_FORMAT_MISMATCH", lambda: COPY(bench.queue, image, bench.image(type_=TYPE.UNORM_INT8), (0, 0), (0, 0), (1, 1))),
                ("INVALID_VALUE", lambda: TO_BUFFER(bench.queue, image, bench.buffer, (0, 0), (8, 6), (1 << 16) - 191)),
                ("INVALID_VALUE", lambda: FILL(bench.queue, image, np.zeros(3, np.uint32), (0, 0), (8, 6)))):
            with pytest.raises(cl.Error, match=error):
                call()


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_many_commands_from_several_threads(device):
    """On one queue and on several, with parts of one size and another, each thread in images of its own."""
    context = cl.Context([device])
    shared = cl.CommandQueue(context)

    def work(seed, queue, failures):
        random = np.random.default_rng(seed)
        bench = Bench(context)
        image, other = bench.image((64, 64)), bench.image((64, 64))
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
def test_writes_of_little_images_have_times(ready, submitted, cuda, blocking):
    """What is larger is Python's: CUDA would time the processor's work, too."""
    queue = cl.CommandQueue(ready.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    image, large, data = ready.image((64, 64)), ready.image((64, 65)), numbers(65, 64, 4)
    for each, rows in ((image, 64), (large, 65)):
        WRITE(queue, each, (0, 0, 0), (64, rows, 1), data)
    queue.finish()
    submitted.clear()
    cuda.calls.clear()
    event = WRITE(queue, image, (0, 0, 0), (64, 64, 1), data, is_blocking=blocking)
    assert not submitted and cuda.calls[-1] == "array"
    event.wait()
    times = [event.get_profiling_info(getattr(cl.profiling_info, name)) for name in ("QUEUED", "SUBMIT", "START", "END")]
    assert times == sorted(times) and times[0] > 0
    WRITE(queue, large, (0, 0, 0), (64, 65, 1), data, is_blocking=blocking).wait()
    assert len(submitted) == 1
    assert np.array_equal(ready.contents(image, (64, 64, 4)), data[:64])
