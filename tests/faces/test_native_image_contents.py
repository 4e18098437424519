"""How contents of images come and go in C (runtime/native/box_copies.c) and by Python's own copies (cuda/image_copies.py), over an imagined
CUDA: by page-locked memory, by scratch memory of the device's, or by themselves."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from support.fake_cuda import CudaError
from support.image_bench import READ, WRITE, Bench, numbers
from support.imagined_device import device_of
from support.late_cuda import LateCuda

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.cuda import image_copies, staging
from cl2cuda.runtime.cuda.scratch import LEFT
from cl2cuda.runtime.driver.interface import STAGED
from cl2cuda.runtime.native import library

compiled = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


@compiled
def test_page_locked_memory_is_copied_by_itself(prepared, submitted, image_cuda):
    """In one call between image and memory, whatever the host's rows are, where the caller waits."""
    image_cuda.locked = True
    for shape, size, kept in (((128, 256), (128, 256, 1), (256, 512)), ((64, 32, 8), (64, 32, 8), (8, 32, 256))):
        image, data = prepared.used(shape), numbers(*size[::-1], 4)
        found, rows = np.zeros(kept, np.uint8), (size[0] * 4, size[0] * size[1] * 4)
        submitted.clear(), image_cuda.calls.clear()
        WRITE(prepared.queue, image, (0, 0, 0), size, data)
        READ(prepared.queue, image, (0, 0, 0), size, found)
        assert image_cuda.calls == ["array", "array"] and not submitted and found.tobytes() == data.tobytes()
        apart = np.zeros((size[2], size[1], size[0] + 16, 4), np.uint8)
        READ(prepared.queue, image, (0, 0, 0), size, apart, row_pitch=rows[0] + 64)
        assert image_cuda.calls == ["array"] * 3 and not submitted
        assert np.array_equal(apart[:, :, : size[0]], data.reshape(apart[:, :, : size[0]].shape)) and not apart[:, :, size[0] :].any()


@compiled
def test_reads_come_by_page_locked_memory(prepared, submitted, image_cuda):
    """In one copy, but to the host's memory that is page-locked itself, or where there is none."""
    image, data, found = prepared.used((64, 64)), numbers(64, 64, 4), np.zeros((64, 64, 4), np.uint8)
    WRITE(prepared.queue, image, (0, 0, 0), (64, 64, 1), data)
    submitted.clear()

    def read(image, calls, origin=(0, 0, 0)):
        image_cuda.calls.clear()
        found[:] = 0
        READ(prepared.queue, image, origin, (*(64 - at for at in origin[:2]), 1), found[origin[1] :, origin[0] :].copy() if any(origin) else found)
        assert image_cuda.calls == calls and not submitted

    read(image, ["array"])
    assert np.array_equal(found, data)
    part = np.zeros((10, 7, 4), np.uint8)
    READ(prepared.queue, image, (3, 5), (7, 10), part)
    assert np.array_equal(part, data[5:15, 3:10])
    image_cuda.locked = True
    large = prepared.used((64, 65))
    submitted.clear()
    image_cuda.calls.clear()
    READ(prepared.queue, image, (3, 5), (7, 10), part)  # so little that nobody asks what memory it is
    assert image_cuda.calls == ["array"]
    image_cuda.calls.clear()
    READ(prepared.queue, large, (0, 0), (64, 65), np.zeros((65, 64, 4), np.uint8))
    assert image_cuda.calls == ["array"] and not submitted


@compiled
def test_writes_go_by_page_locked_memory(prepared, submitted, image_cuda):
    """In one copy, or in a few of what is large, but not from memory that is page-locked itself; and those that nobody waits for by memory
    on the device, since they have read the host's memory when they return."""
    small, large, solid = prepared.used((64, 64)), prepared.used((300, 257)), prepared.used((64, 32, 33))
    wide, tall = prepared.used((1023, 190)), prepared.used((128, 12, 120))
    for image, shape in ((large, (300, 257, 1)), (wide, (1023, 190, 1))):
        WRITE.__self__[1](prepared.queue, image, (0, 0, 0), shape, numbers(*reversed(shape), 4))  # for which Python gets as much memory
    submitted.clear()

    def write(image, shape, calls, seed, **how):
        data = numbers(*reversed(shape), 4, seed=seed)
        image_cuda.calls.clear()
        WRITE(prepared.queue, image, (0, 0, 0), shape, data, **how)
        assert (image_cuda.calls in calls if isinstance(calls[0], list) else image_cuda.calls == calls) and not submitted
        kept = data.copy()
        data[:] = 0
        assert np.array_equal(prepared.contents(image, data.shape), kept)
        submitted.clear()

    write(small, (64, 64), ["array"], 1)
    for image, shape in ((large, (300, 257)), (wide, (1023, 190)), (solid, (64, 32, 33)), (tall, (128, 12, 120))):
        for seed in range(10):
            write(image, shape, [["array"] * count for count in range(1, 5)], 20 + seed)
    write(small, (64, 64), ["array"], 5, is_blocking=False)
    image_cuda.busy = True  # What is under way in that memory comes before what the processor may write there.
    for calls in (["array"], ["array", "copy", "array"]):
        WRITE(prepared.queue, small, (0, 0, 0), (64, 64, 1), numbers(64, 64, 4, seed=8), is_blocking=False)
        assert image_cuda.calls[-len(calls) :] == calls and not submitted
    image_cuda.busy = False
    before = prepared.contents(large, (257, 300, 4))
    submitted.clear()
    image_cuda.calls.clear()
    WRITE(prepared.queue, large, (10, 20), (256, 230), middle := numbers(230, 256, 4, seed=7))
    WRITE(prepared.queue, large, (3, 5), (7, 10), part := numbers(10, 7, 4, seed=6))
    assert 2 <= len(image_cuda.calls) <= 3 and not submitted
    before[20:250, 10:266] = middle
    before[5:15, 3:10] = part
    assert np.array_equal(prepared.contents(large, (257, 300, 4)), before)
    image_cuda.locked = True
    image_cuda.calls.clear()
    submitted.clear()
    WRITE(prepared.queue, large, (3, 5), (7, 10), part)  # so little that nobody asks what memory it is
    assert image_cuda.calls == ["array"] and not submitted


@compiled
def test_a_write_that_takes_long_is_waited_for_by_python(prepared, submitted, image_cuda):
    """It is given once; what the device may still read stays as it is, until all has ended."""
    image, first, second = prepared.used(), numbers(6, 8, 4), numbers(6, 8, 4, seed=2)
    waited, timeline = [], type(prepared.queue._core.timeline)
    scratch = prepared.queue._core.stream.scratch.native
    staged = ctypes.cast(scratch.staging + STAGED, ctypes.POINTER(ctypes.c_uint8 * first.nbytes)).contents
    genuine = timeline.synchronize_to
    timeline.synchronize_to = lambda self, position: waited.append(position) or genuine(self, position)
    try:
        submitted.clear()
        image_cuda.calls.clear()
        image_cuda.busy = True
        WRITE(prepared.queue, image, (0, 0), (8, 6), first)
        assert image_cuda.calls == ["array"] and len(waited) == 1 and not submitted and not scratch.taken
        WRITE(prepared.queue, image, (0, 0), (8, 6), second)
        assert image_cuda.calls == ["array", "copy", "array"] and len(waited) == 2 and bytes(staged) == first.tobytes()
        image_cuda.busy = False
        WRITE(prepared.queue, image, (0, 0), (8, 6), first[::-1].copy())
        assert image_cuda.calls[3:] == ["array"] and len(waited) == 2 and bytes(staged) == first[::-1].tobytes() and not submitted
        assert np.array_equal(prepared.contents(image, (6, 8, 4)), first[::-1])
    finally:
        timeline.synchronize_to = genuine


@compiled
def test_a_copy_that_is_refused_is_pythons(prepared, submitted, image_cuda):
    """Of several the first may be under way."""
    image, data = prepared.used((512, 380)), numbers(380, 512, 4)
    scratch, left = prepared.queue._core.stream.scratch.native, lambda: ctypes.c_uint64.from_address(scratch.staging + 8).value
    for _ in range(2):
        WRITE(prepared.queue, image, (0, 0), (512, 380), data)
    genuine, calls = image_cuda._do, []
    image_cuda._do = lambda what, work: calls.append(what) or (999 if len(calls) == 2 else genuine(what, work))
    for seed in range(1000):  # until one takes several, which processors that others use make rare
        submitted.clear()
        calls.clear()
        WRITE(prepared.queue, image, (0, 0), (512, 380), numbers(380, 512, 4, seed=seed))
        if len(calls) > 1:
            break
    assert calls[:2] == ["array"] * 2 and submitted == ["clEnqueueWriteImage"] and left() and not scratch.taken
    calls[:] = [None] * 2
    WRITE(prepared.queue, image, (0, 0), (512, 380), data)
    assert not left() and len(submitted) == 1
    assert np.array_equal(prepared.contents(image, (380, 512, 4)), data)


def test_pythons_writes_go_by_page_locked_memory(image_bench, image_cuda, monkeypatch):
    """Of what CUDA does not read at once."""
    monkeypatch.setattr(image_copies, "_was_written_in_c", lambda *given: False)
    copied, genuine = [], image_cuda.runtime.memcpyAsync
    monkeypatch.setattr(image_cuda.runtime, "memcpyAsync", lambda *words: copied.append(words[2]) or genuine(*words))
    write = WRITE.__self__[1] if library.calls() else WRITE
    for shape, pitch, calls in (((128, 128), 0, 1), ((129, 128), 0, 0), ((500, 300), 2048, 0), ((800, 700), 0, 1)):
        image, rows = image_bench.image(shape), numbers(shape[1], pitch or shape[0] * 4)
        for waits in (True, False):
            copied.clear()
            write(image_bench.queue, image, (0, 0), shape, rows, pitch, is_blocking=waits).wait()
            assert len(copied) == calls, shape
            assert np.array_equal(image_bench.contents(image, (shape[1], shape[0] * 4)), rows[:, : shape[0] * 4])
            rows[:] = rows[::-1].copy()


@compiled
@pytest.mark.parametrize("shape", [(16, 12), (100, 9), (5, 4, 3), (128, 128)])
def test_pythons_writes_of_little_are_given_by_code_in_c(prepared, image_cuda, monkeypatch, shape):
    """Such as first contents. Where CUDA refuses, Python tries once more, and says what is wrong."""
    in_python, genuine = [], image_copies._copy_by_scratch
    monkeypatch.setattr(image_copies, "_copy_by_scratch", lambda stream, kind, *given: in_python.append(kind) or genuine(stream, kind, *given))
    write, image = WRITE.__self__[1], prepared.image(shape)
    region, found = (*shape, 1)[:3], (*reversed(shape), 4)
    write(prepared.queue, image, (0, 0, 0), region, numbers(*found))
    for waits in (True, False):
        in_python.clear()
        image_cuda.calls.clear()
        data = numbers(*found, seed=3 + waits)
        write(prepared.queue, image, (0, 0, 0), region, data, is_blocking=waits).wait()
        assert image_cuda.calls == ["array"] and not in_python
        assert np.array_equal(prepared.contents(image, found), data)
    part = numbers(*found[:-2], 3, 4, seed=9)
    in_python.clear()
    write(prepared.queue, image, (2, 0, 0), (3, *region[1:]), part)
    data[..., 2:5, :] = part
    assert not in_python and np.array_equal(prepared.contents(image, found), data)
    in_python.clear()
    image_cuda.status = 700
    write(prepared.queue, image, (0, 0, 0), region, numbers(*found))
    image_cuda.status = 0
    assert in_python == ["host_to_device"] and np.array_equal(prepared.contents(image, found), numbers(*found))


def test_pythons_writes_wait_for_no_slot(image_bench, image_cuda, monkeypatch):
    """One that a stream has not come to yet is another's; CUDA takes the contents then."""
    copied, genuine, write = [], image_cuda.runtime.memcpyAsync, WRITE.__self__[1] if library.calls() else WRITE
    monkeypatch.setattr(image_cuda.runtime, "memcpyAsync", lambda *words: copied.append(words[2]) or genuine(*words))
    image, data = image_bench.image((200, 200)), numbers(200, 200, 4)
    for pending in (False, True, False):
        copied.clear()
        monkeypatch.setattr(image_cuda.runtime, "eventQuery", lambda event, pending=pending: 600 if pending else 0)
        write(image_bench.queue, image, (0, 0), (200, 200), data, is_blocking=True)
        assert len(copied) == pending and np.array_equal(image_bench.contents(image, (200, 200, 4)), data)
        data = data[::-1].copy()


@compiled
def test_reads_where_no_page_locked_memory_is_to_be_had(image_bench, submitted, image_cuda, monkeypatch):
    def none(size, flags):
        raise CudaError(2)

    image, data, found = image_bench.image((200, 200)), numbers(200, 200, 4), np.zeros((200, 200, 4), np.uint8)
    monkeypatch.setattr(image_cuda.runtime, "hostAlloc", none)
    WRITE(image_bench.queue, image, (0, 0), (200, 200), data)
    for _ in range(2):
        READ(image_bench.queue, image, (0, 0), (200, 200), found)
    assert submitted == ["clEnqueueWriteImage"] and image_cuda.calls == ["array", "copy"] * 2
    assert np.array_equal(found, data)
    image_cuda.calls.clear()
    WRITE(image_bench.queue, image, (0, 0), (200, 200), data[::-1].copy())
    assert image_cuda.calls == ["copy", "array"] and np.array_equal(image_bench.contents(image, (200, 200, 4)), data[::-1])


@compiled
def test_a_read_that_takes_long_is_pythons(prepared, submitted, image_cuda):
    image, data, found = prepared.used(), numbers(6, 8, 4), np.zeros((6, 8, 4), np.uint8)
    WRITE(prepared.queue, image, (0, 0), (8, 6), data)
    submitted.clear()
    image_cuda.busy = True
    READ(prepared.queue, image, (0, 0), (8, 6), found)  # which polls until its time is over
    assert submitted == ["clEnqueueReadImage"] and np.array_equal(found, data) and not prepared.queue._core.stream.scratch.native.taken


@compiled
def test_helpers_move_what_comes(image_cuda, monkeypatch, submitted):
    """Where the machine has the processors: all of it, whether they come in time or not."""
    monkeypatch.setattr(staging, "threads", lambda: 4)
    monkeypatch.setattr(staging.processors, "count", lambda: 16)
    image_cuda.staging_addresses = (image_cuda.stream_addresses[1], *image_cuda.stream_addresses[2:4], *image_cuda.stream_addresses[7:8] * 2)
    image_bench = Bench(cl.Context([device_of(image_cuda)]))
    image, data = image_bench.image((400, 400)), numbers(400, 400, 4)
    WRITE(image_bench.queue, image, (0, 0), (400, 400), data)
    READ(image_bench.queue, image, (0, 0), (400, 400), np.zeros_like(data))
    submitted.clear()
    random = np.random.default_rng(5)
    for _ in range(200):
        width, rows = (int(n) for n in random.integers(1, 401, 2))
        found = np.zeros((rows + 1, width, 4), np.uint8)
        READ(image_bench.queue, image, (400 - width, 400 - rows), (width, rows), found)
        assert np.array_equal(found[:-1], data[400 - rows :, 400 - width :]) and not found[-1].any()
    image_cuda.busy = True
    READ(image_bench.queue, image, (0, 0), (400, 400), found := np.zeros_like(data))
    assert submitted == ["clEnqueueReadImage"] and np.array_equal(found, data)


@compiled
def test_page_locked_memory_is_exchanged_only_while_code_in_c_cannot_have_it(prepared, monkeypatch):
    """A read may have begun between the question whether one is under way and the answer. The stream is asked where something was left under
    way, which the processor does not wait for."""
    stream, sizes = prepared.queue._core.stream, []
    scratch, genuine = stream.scratch.native, stream.idle
    left = ctypes.c_uint64.from_address(scratch.staging + LEFT)
    monkeypatch.setattr(type(stream), "idle", lambda self: sizes.append(scratch.staging_size) or genuine())
    before, left.value = scratch.staging_size, 1
    stream.scratch.lend_staging(stream, before + 1)
    assert sizes == [0] and scratch.staging_size > before
    staged, before = scratch.staging, scratch.staging_size
    monkeypatch.setattr(type(stream), "idle", lambda self: False)
    ctypes.c_uint64.from_address(staged + LEFT).value = 1
    stream.scratch.lend_staging(stream, before + 1)
    assert scratch.staging != staged and scratch.staging_size > before
    spare = stream.staging._pieces
    assert staged not in spare[before]  # as long as something may still come there
    second, size = scratch.staging, scratch.staging_size
    ctypes.c_uint64.from_address(second + LEFT).value = 0
    stream.scratch.lend_staging(stream, size + 1)
    assert second in spare[size] and staged not in spare[before]
    monkeypatch.setattr(type(stream), "idle", genuine)
    stream.scratch.lend_staging(stream, scratch.staging_size + 1)
    assert staged in spare[before]
    staged, before, scratch.taken = scratch.staging, scratch.staging_size, 1
    stream.scratch.lend_staging(stream, before + 1)
    assert (scratch.staging, scratch.staging_size) == (staged, before)


@compiled
def test_one_write_of_pythons_is_enough_behind_a_fill(submitted, image_cuda):
    """What fills images has memory on the device, by which writes could go that nobody waits for."""
    image_bench = Bench(cl.Context([device_of(image_cuda)]))
    image, data = image_bench.image((100, 100)), numbers(100, 100, 4)
    cl.enqueue_fill_image(image_bench.queue, image, np.ones(4, np.uint32), (0, 0), (100, 100))
    WRITE(image_bench.queue, image, (0, 0), (100, 100), data)
    assert submitted == ["clEnqueueFillImage", "clEnqueueWriteImage"]
    submitted.clear()
    for _ in range(2):
        WRITE(image_bench.queue, image, (0, 0), (100, 100), data)
    assert not submitted and np.array_equal(image_bench.contents(image, data.shape), data)


@compiled
def test_one_write_of_pythons_is_enough(submitted):
    """The stream is still at it when Python gets memory for the next one."""
    image_bench = Bench(cl.Context([device_of(LateCuda())]))
    for shape in ((200, 200), (256, 300), (300, 310)):
        image, data = image_bench.image(shape), numbers(*shape[::-1], 4)
        for _ in range(2):
            submitted.clear()
            WRITE(image_bench.queue, image, (0, 0), shape, data)
        assert not submitted and np.array_equal(image_bench.contents(image, data.shape), data)


@compiled
def test_scratch_memory_grows_and_goes_with_the_stream(prepared, submitted, image_cuda):
    image, data = prepared.used((256, 256)), numbers(256, 256, 4)
    scratch = prepared.queue._core.stream.scratch.native
    submitted.clear()
    assert 0 < scratch.size < data.nbytes and 0 < scratch.staging_size < data.nbytes
    WRITE(prepared.queue, image, (0, 0, 0), (256, 256, 1), data)
    assert submitted == ["clEnqueueWriteImage"] and scratch.size >= data.nbytes and scratch.staging_size >= data.nbytes
    back = np.zeros_like(data)
    READ(prepared.queue, image, (0, 0, 0), (256, 256, 1), back)
    assert submitted == ["clEnqueueWriteImage"] and np.array_equal(back, data)
    scratch.taken = 1  # by another thread
    READ(prepared.queue, image, (0, 0, 0), (256, 256, 1), back)
    assert len(submitted) == 2
    scratch.taken = 0
    memory, staged, size = scratch.memory, scratch.staging, scratch.staging_size
    assert memory in image_cuda.runtime.memory
    stream = prepared.queue._core.stream
    pieces = stream.staging._pieces
    assert pieces[staging.PIECE] and staged not in pieces[size]
    stream.close()
    assert scratch.memory == scratch.size == scratch.staging == scratch.staging_size == 0
    assert memory not in image_cuda.runtime.memory and staged in pieces[size]
