"""Copies and fills in C (runtime/native) over an imagined CUDA, whose functions are a C library's: what they are given, and what is left to
Python's own steps."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import c_library
from support.fake_cuda import FakeCuda
from support.imagined_device import device_of
from support.threads import turns_of_another_thread

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import transfers
from cl2cuda.runtime.cuda.scratch import STAGED_AS_A_WHOLE
from cl2cuda.runtime.cuda.staging import PIECE
from cl2cuda.runtime.driver.interface import STAGED
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

READ, WRITE, COPY, FILL = (getattr(transfers, f"_enqueue_{name}_buffer") for name in ("read", "write", "copy", "fill"))
READ_RECT, WRITE_RECT, COPY_RECT = (getattr(transfers, f"_enqueue_{name}_buffer_rect") for name in ("read", "write", "copy"))
FLAGS = cl.mem_flags

CUDA = r"""
#include <string.h>
#include <unistd.h>
long calls[12], words[4];
long rectangle[16];
int status, busy, sleeps_us;
void *current;
static int note(int call, long a, long b, long c, void *d)
{
    long w[] = { a, b, c, (long)d };
    memcpy(words, w, sizeof words);
    calls[call]++;
    if (sleeps_us)
        usleep(sleeps_us);
    return status;
}
int context(void **found) { *found = current; return 0; }
int query(void *s) { calls[0]++; return busy && busy-- ? 600 : 0; }
int to_host(char *h, long m, long n, void *s) { if (!status) memset(h, 'r', n); return note(1, (long)h, m, n, s); }
char taken[1 << 16];
int from_host(long m, const char *h, long n, void *s)
{
    memcpy(taken, h, n < (long)sizeof taken ? n : (long)sizeof taken);
    return note(2, m, (long)h, n, s);
}
int on_device(long t, long f, long n, void *s) { return note(3, t, f, n, s); }
int fill_1(long m, unsigned char v, long n, void *s) { return note(4, m, v, n, s); }
int fill_2(long m, unsigned short v, long n, void *s) { return note(5, m, v, n, s); }
int fill_4(long m, unsigned v, long n, void *s) { return note(6, m, v, n, s); }
int record(long e, void *s) { return note(7, e, 0, 0, s); }
int wait_for(void *s, long e, unsigned flags) { return note(8, e, flags, 0, s); }
int copy_2d(long *d, void *s)
{
    memcpy(rectangle, d, sizeof rectangle);
    for (long y = 0; !status && d[9] == 1 && y < d[15]; y++)
        memset((char *)d[10] + y * d[13], 'a' + y, d[14]);
    return note(9, 0, 0, 0, s);
}
int locked; /* whether CUDA knows the host's memory */
int attributes(unsigned n, const int *which, void **answers, long address) { *(unsigned *)answers[0] = locked; return 0; }
"""
NAMES = ("context", "query", "to_host", "from_host", "on_device", "fill_1", "fill_2", "fill_4", "record", "wait_for", "copy_2d", "attributes")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(CUDA, tmp_path_factory.mktemp("copies"))


class Imagined:
    """A queue of a CUDA whose functions are a C library's."""

    def __init__(self, compiled):
        self.compiled = compiled
        self.calls, self.words = ((ctypes.c_long * n).in_dll(compiled, name) for n, name in ((12, "calls"), (4, "words")))
        self.status, self.busy, self.sleeps_us, self.locked = (
            ctypes.c_int.in_dll(compiled, name) for name in ("status", "busy", "sleeps_us", "locked"))
        self.current = ctypes.c_void_p.in_dll(compiled, "current")
        for each in (self.calls, self.words, self.status, self.busy, self.sleeps_us, self.locked):
            ctypes.memset(ctypes.byref(each), 0, ctypes.sizeof(each))
        self.cuda = FakeCuda()
        self.cuda.stream_addresses = tuple(ctypes.cast(getattr(compiled, name), ctypes.c_void_p).value for name in NAMES)
        self.current.value = self.cuda.driver.ctxGetCurrent()
        self.context = cl.Context([device_of(self.cuda)])
        self.queue = cl.CommandQueue(self.context)
        self.a, self.b = (cl.Buffer(self.context, FLAGS.READ_WRITE, 4096) for _ in range(2))
        self.host = np.zeros(16, np.uint8)
        self.handle = self.queue._core.stream.handle

    @property
    def native(self):
        return self.queue._core.stream.native()


@pytest.fixture
def imagined(compiled):
    return Imagined(compiled)


def test_cuda_is_given_its_words(imagined):
    queue, a, b, host, words = imagined.queue, imagined.a, imagined.b, imagined.host, imagined.words
    at, to = a._core.address, b._core.address
    READ(queue, a, host, 32)
    assert words[:] == [imagined.native.staging + STAGED, at + 32, 16, imagined.handle] and bytes(host) == b"r" * 16
    WRITE(queue, a, b"abcd", 8, is_blocking=False)
    assert (words[0], *words[2:]) == (at + 8, 4, imagined.handle) and (ctypes.c_char * 4).in_dll(imagined.compiled, "taken").raw == b"abcd"
    COPY(queue, a, b, 64, 16, 32)
    assert words[:] == [to + 32, at + 16, 64, imagined.handle]
    COPY(queue, a, b)
    assert words[:] == [to, at, 4096, imagined.handle]
    for pattern, value, call in ((b"\x09", 9, 4), (b"\xff" * 8, 255, 4), (b"\x01\x02", 0x201, 5), (b"\x01\x02" * 4, 0x201, 5),
                                 (b"\x01\x02\x03\x04", 0x4030201, 6)):
        before = imagined.calls[call]
        FILL(queue, a, pattern, 8, 64)
        assert words[:] == [at + 8, value, 64 >> (call - 4), imagined.handle] and imagined.calls[call] == before + 1
    fills = imagined.calls[4:7]
    FILL(queue, a, b"\x01\x02\x03\x04\x05\x06\x07\x08", 16, 64)
    assert (words[0], *words[2:]) == (at + 16, 64, imagined.handle) and imagined.calls[4:7] == fills  # a piece from the host


def test_reads_go_through_memory_of_the_streams_own(imagined, submitted):
    """Where that is quicker: not of what CUDA copies by itself, and not where another thread is at it."""
    native, words = imagined.native, imagined.words
    large, host = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64 << 10), np.zeros(64 << 10, np.uint8)
    taken = ctypes.c_uint64.from_address(native.staging)
    for is_locked, size, staged in ((0, 16 << 10, True), (1, 16 << 10, True), (0, 64 << 10, True), (1, 64 << 10, False)):
        imagined.locked.value = is_locked
        host[:] = 0
        READ(imagined.queue, large, host[:size])
        assert words[0] == (native.staging + STAGED if staged else host.ctypes.data) and words[2] == size
        assert (host[:size] == ord("r")).all() and not host[size:].any() and taken.value == 0
    imagined.locked.value, taken.value = 0, 1
    READ(imagined.queue, large, host[:64])
    assert words[0] == host.ctypes.data and taken.value == 1
    assert not submitted


def test_where_cuda_reads_what_is_written(imagined, submitted):
    """Little goes from where it is; what is more, too, or where it is waited for by the stream's page-locked memory, unless it is page-locked
    itself, from where CUDA reads it in the write's turn."""
    words, staged = imagined.words, imagined.native.staging + STAGED
    large, host = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64 << 10), np.arange(64 << 10).astype(np.uint8)
    for is_blocking in (True, False):
        for is_locked, size, little in ((0, 16 << 10, True), (1, 16 << 10, True), (0, (16 << 10) + 1, False), (0, 64 << 10, False)):
            imagined.locked.value = is_locked
            WRITE(imagined.queue, large, host[:size], is_blocking=is_blocking)
            assert words[0] == large._core.address and words[2] == size
            assert words[1] == (host.ctypes.data if little or not is_blocking else staged)
            assert bytes((ctypes.c_char * size).in_dll(imagined.compiled, "taken")) == host[:size].tobytes()
    assert not submitted
    imagined.locked.value = 1
    WRITE(imagined.queue, large, host)
    assert words[1] == host.ctypes.data and words[2] == 64 << 10 and not submitted
    event = WRITE(imagined.queue, large, host, is_blocking=False)
    assert words[:3] == [large._core.address, host.ctypes.data, 64 << 10] and event.get_ward() is host
    event = READ(imagined.queue, large, host, is_blocking=False)
    assert words[:3] == [host.ctypes.data, large._core.address, 64 << 10] and event.get_ward() is host
    event.wait()
    assert event.get_ward() is None and not submitted
    imagined.status.value = 1
    for call in (WRITE, READ):
        call(imagined.queue, large, host, is_blocking=False)
    assert submitted == ["clEnqueueWriteBuffer", "clEnqueueReadBuffer"]  # which CUDA has refused
    imagined.status.value = 0
    for is_blocking in (True, False):
        imagined.locked.value = 0
        for region in ((8, 8), (4096, 16), (4096, 17)):
            before, calls = len(submitted), imagined.calls[9]
            if region[1] > 16:
                with pytest.raises(cl.LogicError):  # which leaves the buffer
                    WRITE_RECT(imagined.queue, large, host, (0, 0), (0, 0), region, is_blocking=is_blocking)
                continue
            WRITE_RECT(imagined.queue, large, host, (0, 0), (0, 0), region, is_blocking=is_blocking)
            assert len(submitted) == before and imagined.calls[9] == calls + 1
    imagined.locked.value = 1
    for is_blocking in (True, False):
        before, calls = len(submitted), imagined.calls[9]
        for region in ((4096, 5), (8, 8)):
            event = WRITE_RECT(imagined.queue, large, host, (0, 0), (0, 0), region, is_blocking=is_blocking)
            assert event.get_ward() is (None if is_blocking else host)
        assert len(submitted) == before and imagined.calls[9] == calls + 2


def test_what_is_written_by_page_locked_memory_stays_there_until_the_stream_has_ended(imagined, submitted):
    """A write that takes longer than the stream is polled has been given: Python waits for it."""
    words, staged = imagined.words, imagined.native.staging + STAGED
    large, host = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64 << 10), np.full(32 << 10, 7, np.uint8)
    taken, left = (ctypes.c_uint64.from_address(imagined.native.staging + at) for at in (0, 8))
    asked = []
    imagined.cuda.runtime.streamQuery = lambda stream: asked.append(stream) or 0
    imagined.busy.value = 1 << 30
    WRITE(imagined.queue, large, host)
    assert words[1] == staged and asked and not submitted and (taken.value, left.value) == (0, 1)
    asked.clear()
    WRITE(imagined.queue, large, host + 1)
    assert words[1] != staged and asked and not submitted
    WRITE_RECT(imagined.queue, large, host, (0, 0), (0, 0), (16, 4))  # by the thread's own memory
    rectangle = (ctypes.c_long * 16).in_dll(imagined.compiled, "rectangle")
    assert rectangle[3] != staged and not submitted
    WRITE_RECT(imagined.queue, large, host, (0, 0), (0, 0), (4096, 8))
    assert rectangle[3] != staged and not submitted and ctypes.string_at(staged, len(host)) == host.tobytes()
    imagined.busy.value = 0
    taken.value = 1  # by another thread
    WRITE(imagined.queue, large, host + 1)
    assert words[1] != staged and (taken.value, left.value) == (1, 1)
    taken.value = 0
    WRITE_RECT(imagined.queue, large, host + 1, (0, 0), (0, 0), (4096, 5))
    assert rectangle[3] == staged and (taken.value, left.value) == (0, 0)
    imagined.status.value = 1
    WRITE(imagined.queue, large, host)
    WRITE_RECT(imagined.queue, large, host, (0, 0), (0, 0), (16, 4))
    assert submitted == ["clEnqueueWriteBuffer", "clEnqueueWriteBufferRect"] and taken.value == 0


def test_rows_of_the_host_lie_close_in_page_locked_memory(imagined, submitted):
    rectangle = (ctypes.c_long * 16).in_dll(imagined.compiled, "rectangle")
    at, host, staged = imagined.a._core.address, np.arange(256, dtype=np.uint8), imagined.native.staging + STAGED
    WRITE_RECT(imagined.queue, imagined.a, host, (4, 2, 0), (8, 1, 0), (16, 3, 1), (64,), (32,))
    assert rectangle[:] == [0, 0, 1, staged, 0, 0, 16, 0, 0, 2, 0, at + 132, 0, 64, 16, 3] and not submitted
    assert ctypes.string_at(staged, 48) == host[40:56].tobytes() + host[72:88].tobytes() + host[104:120].tobytes()


def test_a_read_that_cuda_refuses_or_takes_long_for_leaves_the_memory_free(imagined, submitted):
    taken = ctypes.c_uint64.from_address(imagined.native.staging)
    imagined.status.value = 1
    READ(imagined.queue, imagined.a, imagined.host)
    assert submitted == ["clEnqueueReadBuffer"] and taken.value == 0
    imagined.status.value, imagined.busy.value = 0, 1 << 30
    imagined.cuda.runtime.streamQuery = lambda stream: 0
    READ(imagined.queue, imagined.a, imagined.host)  # which polls until its time is over
    imagined.busy.value = 0
    assert submitted == ["clEnqueueReadBuffer"] * 2 and taken.value == 0


def test_streams_have_memory_of_their_own_and_leave_it_to_the_next(imagined):
    others = [cl.CommandQueue(imagined.context) for _ in range(20)]
    places = {queue._core.stream.native().staging for queue in (*others, imagined.queue)}
    assert len(places) == 21 and 0 not in places
    staging = imagined.queue._core.stream.staging
    assert not places & set(staging._pieces[PIECE])
    imagined.cuda.runtime.streamQuery = lambda stream: 0
    del others
    gc.collect()
    again = cl.CommandQueue(imagined.context)
    assert again._core.stream.native().staging in places


def test_cuda_is_given_rectangles(imagined, submitted):
    rectangle = (ctypes.c_long * 16).in_dll(imagined.compiled, "rectangle")
    at, host = imagined.a._core.address, np.zeros(256, np.uint8)
    READ_RECT(imagined.queue, imagined.a, host, (4, 2, 0), (8, 1, 0), (16, 3, 1), (64,), (32,))
    # CUDA_MEMCPY2D: x, y, kind (1 the host's, 2 the device's), host, device, array, pitch of both ends; width and rows
    staged = imagined.native.staging + STAGED
    assert rectangle[:] == [0, 0, 2, 0, at + 132, 0, 64, 0, 0, 1, staged, 0, 0, 16, 16, 3]
    assert bytes(host[40:140]) == b"a" * 16 + bytes(16) + b"b" * 16 + bytes(16) + b"c" * 16 + bytes(20) and not host[:40].any()
    taken = ctypes.c_uint64.from_address(imagined.native.staging)
    assert taken.value == 0
    taken.value = 1  # by another thread
    READ_RECT(imagined.queue, imagined.a, host, (4, 2, 0), (8, 1, 0), (16, 3, 1), (64,), (32,))
    assert rectangle[9:] == [1, host.ctypes.data + 40, 0, 0, 32, 16, 3] and taken.value == 1
    taken.value = 0
    WRITE_RECT(imagined.queue, imagined.a, host, (4, 2, 0), (8, 1, 0), (16, 3, 1), (64,), (32,), is_blocking=False)
    assert rectangle[:3] == [0, 0, 1] and rectangle[4:] == [0, 0, 16, 0, 0, 2, 0, at + 132, 0, 64, 16, 3]
    assert imagined.calls[9] == 3 and not submitted
    COPY_RECT(imagined.queue, imagined.a, imagined.b, (4, 2, 0), (8, 1, 0), (16, 3, 1), (64,), (32,))
    to = imagined.b._core.address
    assert rectangle[:] == [0, 0, 2, 0, at + 132, 0, 64, 0, 0, 2, 0, to + 40, 0, 32, 16, 3] and not submitted
    # One row of each of several planes.
    COPY_RECT(imagined.queue, imagined.a, imagined.b, (4, 2, 0), (8, 1, 0), (16, 1, 3), (64, 256), (32, 128))
    assert rectangle[:] == [0, 0, 2, 0, at + 132, 0, 256, 0, 0, 2, 0, to + 40, 0, 128, 16, 3] and not submitted
    imagined.calls[9] = 3
    for region in ((16, 3, 2), (2, 1 << 11, 1), (1 << 12, 1, 1)):  # of several planes, beyond the memory's end, beyond the host's; this CUDA has no copy of boxes
        with pytest.raises(cl.LogicError) if region[2] == 1 else contextlib.nullcontext():
            WRITE_RECT(imagined.queue, imagined.a, host, (1, 0, 0), (0, 0, 0), region, None, None)
    assert imagined.calls[9] == 3
    imagined.status.value = 1
    READ_RECT(imagined.queue, imagined.a, host, (0,), (0,), (16, 3))
    assert taken.value == 0
    WRITE_RECT(imagined.queue, imagined.a, host, (0,), (0,), (16, 3))
    COPY_RECT(imagined.queue, imagined.a, imagined.b, (0,), (0,), (16, 3))
    assert submitted[-3:] == ["clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBufferRect"]


def test_large_copies_that_the_caller_waits_for_are_cudas(imagined, submitted):
    """A call of CUDA's takes as long as the copy of pageable memory. What is written goes by page-locked memory up to a size."""
    native, words = imagined.native, imagined.words
    large, host = cl.Buffer(imagined.context, FLAGS.READ_WRITE, native.least_written), np.zeros(native.least_written, np.uint8)
    for copies, most, least, call in ((READ, native.most_read, native.least_read, 1), (WRITE, native.most_written, native.least_written, 2)):
        for size in (most, most + 1 if copies is READ else STAGED_AS_A_WHOLE + 1, least - 1):
            before = imagined.calls[call]
            copies(imagined.queue, large, host[:size])
            if copies is READ and submitted:  # which gets page-locked memory, by which the next one comes
                submitted.clear()
                copies(imagined.queue, large, host[:size])
            assert imagined.calls[call] == before + 1 and words[2] == size and not submitted
        copies(imagined.queue, large, host[:least])
        assert len(submitted) == 1
        submitted.clear()
    imagined.locked.value = 1
    WRITE(imagined.queue, large, host[: native.most_written + 1])
    assert words[1] == host.ctypes.data and not submitted


def test_buffers_are_written_by_page_locked_memory_in_parts(imagined, submitted):
    """Once Python has got as much of it for the stream, which the command before did; of what is large the device is given what is there."""
    words, scratch = imagined.words, imagined.queue._core.stream.scratch.native
    large, host = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 2 << 20), np.random.default_rng(1).integers(0, 256, 2 << 20, np.uint8)
    at, most = large._core.address, imagined.native.most_written
    for size, copies in ((most + 1, 1), (128 << 10, 1), (256 << 10, 2), ((256 << 10) + 1, 2), (STAGED_AS_A_WHOLE - 9, 4), (STAGED_AS_A_WHOLE, 4)):
        submitted.clear()
        for start in range(20):
            before = imagined.calls[2]
            WRITE(imagined.queue, large, host[start : start + size])
            staged = scratch.staging + STAGED
            if submitted:
                submitted.clear()
                assert not start
                continue
            assert 1 <= imagined.calls[2] - before <= copies and scratch.staging_size >= size
            assert words[0] - at == words[1] - staged == size - words[2]
            assert ctypes.string_at(staged, size) == host[start : start + size].tobytes() and not scratch.taken
    submitted.clear()
    for held in (True, False):
        scratch.taken, imagined.locked.value = held, not held  # by another thread; and where CUDA copies it by itself
        WRITE(imagined.queue, large, host[: most + 1])
        assert words[1] == host.ctypes.data and not submitted
    imagined.locked.value = 0
    WRITE(imagined.queue, large, host[: STAGED_AS_A_WHOLE + 1])
    assert words[1] == host.ctypes.data and not submitted
    imagined.status.value = 1
    WRITE(imagined.queue, large, host[:STAGED_AS_A_WHOLE])
    assert len(submitted) == 1 and not scratch.taken


def test_large_copies_that_nobody_waits_for_are_pythons(imagined, submitted):
    large, host = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 1 << 20), np.zeros(1 << 20, np.uint8)
    WRITE(imagined.queue, large, host[: imagined.native.most_written + 1], is_blocking=False)
    imagined.busy.value = 1 << 30  # Elsewhere it is made at once.
    imagined.cuda.runtime.streamQuery = lambda stream: 0
    READ(imagined.queue, large, host[: imagined.native.most_read + 1], is_blocking=False)
    assert submitted == ["clEnqueueWriteBuffer", "clEnqueueReadBuffer"]


def test_larger_reads_come_by_page_locked_memory(imagined, submitted):
    """Once Python has got as much of it for the stream, which the command before did, and where no other thread has it. What is
    page-locked itself comes by itself."""
    words, scratch = imagined.words, imagined.queue._core.stream.scratch.native
    large, host = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 1 << 20), np.zeros(1 << 20, np.uint8)
    WRITE(imagined.queue, large, host)
    for size in (imagined.native.most_read + 1, 100_000, 300_000, imagined.native.least_read - 1):
        for waits in (True, True, False):
            submitted.clear()
            host[:] = 0
            event = READ(imagined.queue, large, host[1 : 1 + size], is_blocking=waits)
            event.wait()
            assert not host[0] and not host[1 + size :].any()
            if submitted:
                assert scratch.staging_size >= size
                continue
            assert (host[1 : 1 + size] == ord("r")).all()  # what CUDA has read
            assert words[0] - scratch.staging == STAGED and words[2] == size and not scratch.taken
            assert imagined.queue._core.timeline.reached >= event._core.position
    assert submitted == []
    for held in (True, False):
        scratch.taken, imagined.locked.value = held, not held
        READ(imagined.queue, large, host[:100_000])
        assert words[0] == host.ctypes.data and not submitted
    scratch.taken = imagined.locked.value = 0
    imagined.status.value = 1
    READ(imagined.queue, large, host[:100_000])
    assert submitted == ["clEnqueueReadBuffer"] and not scratch.taken


def test_small_reads_that_nobody_waits_for_are_made_where_the_stream_ends_soon(imagined, submitted):
    READ(imagined.queue, imagined.a, imagined.host, is_blocking=False)  # A thread whose last stream did not end asks the next one only once.
    submitted.clear()
    imagined.busy.value = 3
    event = READ(imagined.queue, imagined.a, imagined.host, is_blocking=False)
    assert not submitted and bytes(imagined.host) == b"r" * 16 and event.get_ward() is imagined.host
    assert imagined.queue._core.timeline.reached >= event._core.position
    imagined.busy.value = 1 << 30
    imagined.cuda.runtime.streamQuery = lambda stream: 0
    for _ in range(2):
        READ(imagined.queue, imagined.a, imagined.host, is_blocking=False)
    assert submitted == ["clEnqueueReadBuffer"] * 2


def test_reads_wait_for_their_end(imagined, submitted):
    imagined.busy.value = 40
    event = READ(imagined.queue, imagined.a, imagined.host)
    assert imagined.busy.value == 0 and not submitted
    assert imagined.queue._core.timeline.reached >= event._core.position
    assert event.command_execution_status == cl.command_execution_status.COMPLETE


def test_other_threads_run_while_a_read_waits(imagined):
    imagined.sleeps_us.value = 100_000
    assert turns_of_another_thread(lambda: READ(imagined.queue, imagined.a, imagined.host)) > 5


def test_what_cuda_refuses_is_pythons(imagined, submitted):
    imagined.status.value = 1
    routines = ["clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer", "clEnqueueFillBuffer"]
    READ(imagined.queue, imagined.a, imagined.host)
    WRITE(imagined.queue, imagined.a, imagined.host)
    COPY(imagined.queue, imagined.a, imagined.b)
    FILL(imagined.queue, imagined.a, b"a", 0, 4)
    assert submitted == routines


def test_other_contexts_and_kernels_that_print_are_pythons(imagined, submitted, monkeypatch):
    imagined.current.value += 1
    READ(imagined.queue, imagined.a, imagined.host)
    FILL(imagined.queue, imagined.a, b"a", 0, 4)
    assert submitted == ["clEnqueueReadBuffer", "clEnqueueFillBuffer"]
    imagined.current.value -= 1
    prints = ctypes.c_uint64.from_address(imagined.native.prints)
    prints.value = 1
    monkeypatch.setattr(type(imagined.queue._core.stream.context), "flush_printf", lambda self: None, raising=False)
    READ(imagined.queue, imagined.a, imagined.host)
    assert submitted[2:] == ["clEnqueueReadBuffer"]
    WRITE(imagined.queue, imagined.a, imagined.host, is_blocking=False)  # waits for nothing
    assert len(submitted) == 3
    WRITE(imagined.queue, imagined.a, imagined.host)
    assert submitted[3:] == ["clEnqueueWriteBuffer"]
