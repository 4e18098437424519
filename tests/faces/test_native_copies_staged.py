"""Large copies that a program in Python waits for, from C by several threads (runtime/native/staging.h), over an imagined CUDA."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import c_library, staged_cuda

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import transfers
from cl2cuda.pyopencl_cl.handles import to_python
from cl2cuda.runtime.cuda.context import POLL_NS
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

READ, WRITE = transfers._enqueue_read_buffer, transfers._enqueue_write_buffer
SIZE = 7 << 20


class Staged:
    """A queue of a CUDA whose streams come later to what they are given."""

    def __init__(self, device):
        self.device, self.cuda = device, device.cuda
        self.context = cl.Context([to_python(Device(platforms.platforms()[0], "cuda", device))])
        self.queue = cl.CommandQueue(self.context)
        self.buffer = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, SIZE)
        self.data = np.random.default_rng(1).integers(0, 256, SIZE, dtype=np.uint8)
        self.back = np.zeros_like(self.data)
        WRITE(self.queue, self.buffer, self.data)  # by Python, which adds slots
        READ(self.queue, self.buffer, self.back)
        device.staging._add_slots(device.staging.native)
        device.staging._add_slots(device.staging.native)
        self.back[:] = 0

    def fail(self):
        """Python is told, too."""
        self.cuda.number("fails_at").value = self.cuda.number("copies").value + 3
        self.cuda.runtime.memcpyAsync = self._refuse

    def _refuse(self, *words):
        self.cuda.runtime.check_status(719)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(staged_cuda.SOURCE, tmp_path_factory.mktemp("staged"))


@pytest.fixture
def staged(compiled, monkeypatch, submitted):
    made = Staged(staged_cuda.staged_device(compiled, monkeypatch))
    submitted.clear()
    return made


def test_copies_take_no_steps_of_pythons(staged, submitted):
    written = WRITE(staged.queue, staged.buffer, staged.data[::1])
    read = READ(staged.queue, staged.buffer, staged.back)
    assert np.array_equal(staged.back, staged.data) and not submitted and not staged.cuda.by_itself
    assert read._core.position > written._core.position and staged.queue._core.timeline.reached >= read._core.position
    assert read.command_execution_status == cl.command_execution_status.COMPLETE


def test_parts_of_buffers(staged, submitted):
    part, back = np.arange(6 << 20, dtype=np.uint8) ^ 5, np.zeros(6 << 20, np.uint8)
    WRITE(staged.queue, staged.buffer, part, 4096)
    READ(staged.queue, staged.buffer, back, 4096)
    assert np.array_equal(back, part) and not submitted
    with pytest.raises(cl.LogicError):
        READ(staged.queue, staged.buffer, back, (1 << 20) + 1)


@pytest.mark.parametrize("delay", [0, 3 * POLL_NS // 1000])
@pytest.mark.parametrize("size", [(16 << 10) + 4, 64 << 10, 1 << 20, SIZE])
def test_what_is_page_locked_is_one_copy(staged, submitted, size, delay):
    """Which has ended when the call returns, by Python where it takes long."""
    copies, delayed = staged.cuda.number("copies"), staged.cuda.number("delay_us")
    staged.cuda.compiled.lock_memory(staged.data.ctypes.data, SIZE)
    for call, host in ((WRITE, staged.data), (READ, staged.data)):
        before, delayed.value = copies.value, delay
        event = call(staged.queue, staged.buffer, host[:size])
        assert event.command_execution_status == cl.command_execution_status.COMPLETE and not staged.cuda.runtime.streamQuery(staged.queue._core.stream.handle)
        delayed.value = 0
        if not delay:
            assert copies.value == before + 1 and not submitted
    staged.cuda.compiled.lock_memory(staged.data.ctypes.data, 0)
    READ(staged.queue, staged.buffer, staged.back)
    assert np.array_equal(staged.back[:size], staged.data[:size])


def test_what_is_not_plain_is_pythons(staged, submitted, monkeypatch):
    """Copies of pageable memory that nobody waits for and are much, reads while kernels print, and queues that take times."""
    staged.cuda.compiled.lock_memory(staged.data.ctypes.data, SIZE)
    WRITE(staged.queue, staged.buffer, staged.data[: 32 << 10], is_blocking=False).wait()
    WRITE(staged.queue, staged.buffer, staged.data, is_blocking=False).wait()
    assert not submitted
    staged.cuda.compiled.lock_memory(staged.data.ctypes.data, SIZE - 1)  # in part: which threads copy
    WRITE(staged.queue, staged.buffer, staged.data)
    assert len(submitted) == 0
    WRITE(staged.queue, staged.buffer, staged.back, is_blocking=False).wait()
    assert len(submitted) == 1
    staged.device.context.may_print.value = 1
    READ(staged.queue, staged.buffer, staged.back)
    assert len(submitted) == 2
    timed = cl.CommandQueue(staged.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    copies = staged.cuda.number("copies").value
    timed._core.stream.native()
    READ(timed, staged.buffer, staged.back)
    assert len(submitted) == 3 and staged.cuda.number("copies").value > copies


def test_a_read_that_takes_long_leaves_nothing_under_way(staged):
    """Its memory may go when it returns, whoever has made it."""
    staged.cuda.number("delay_us").value = 3 * POLL_NS // 1000
    READ(staged.queue, staged.buffer, staged.back[: 128 << 10])
    assert not staged.cuda.runtime.streamQuery(staged.queue._core.stream.handle)
    assert np.array_equal(staged.back[: 128 << 10], staged.data[: 128 << 10])


@pytest.mark.parametrize("copies", [READ, WRITE])
def test_an_error_in_the_middle_is_told_by_python(staged, submitted, copies):
    staged.fail()
    with pytest.raises(cl.Error, match="719"):
        copies(staged.queue, staged.buffer, staged.back)
    assert len(submitted) == 1


@pytest.mark.parametrize("size", [64, 64 << 10, SIZE])
def test_a_write_that_is_waited_for_has_ended(staged, size):
    """"does not return until the command is complete, including transfer of the data" (5.2.2)"""
    held = staged.cuda.number("held")
    held.value = -1
    writing = threading.Thread(target=WRITE, args=(staged.queue, staged.buffer, staged.data[:size]))
    writing.start()
    writing.join(0.1)
    assert writing.is_alive()
    held.value = 0
    writing.join(20)
    assert not writing.is_alive()


@pytest.mark.parametrize("size", [(64 << 10) + 4, 512 << 10, 1 << 20, 2 << 20])
def test_a_write_that_nobody_waits_for_comes_after_what_its_stream_has_to_do(staged, submitted, size):
    """It returns at once, and the host's memory has been read."""
    given, expected = staged.data[:size].copy(), staged.data[:size].copy()
    held = staged.cuda.number("held")
    held.value = -1
    first = WRITE(staged.queue, staged.buffer, given[:64], is_blocking=False)
    events = [WRITE(staged.queue, staged.buffer, given, place, is_blocking=False) for place in (0, size)]
    given[:] = 0
    assert not submitted and not staged.cuda.by_itself and events[0].command_execution_status != cl.command_execution_status.COMPLETE
    assert events[0].get_ward() is given
    held.value = 0
    first.wait()
    back = np.zeros(2 * size, np.uint8)
    READ(staged.queue, staged.buffer, back)
    assert np.array_equal(back[:size], expected) and np.array_equal(back[size:], expected)


def test_a_write_that_nobody_waits_for_is_cudas_where_nothing_comes_before(staged, submitted):
    """Which then reads pageable memory sooner than it is moved."""
    copies = staged.cuda.number("copies").value
    WRITE(staged.queue, staged.buffer, staged.data[: 1 << 20], is_blocking=False).wait()
    assert staged.cuda.number("copies").value == copies + 1 and not submitted
    READ(staged.queue, staged.buffer, staged.back)
    assert np.array_equal(staged.back[: 1 << 20], staged.data[: 1 << 20])


def test_writes_that_nobody_waits_for_and_that_are_pythons(staged, submitted):
    """Where they are larger, of memory that is page-locked in part, or there are no slots for all of it."""
    size = 2 << 20
    WRITE(staged.queue, staged.buffer, staged.data[: size + 1], is_blocking=False).wait()
    staged.cuda.compiled.lock_memory(staged.data.ctypes.data, SIZE)
    WRITE(staged.queue, staged.buffer, staged.data[:size], is_blocking=False).wait()
    assert submitted == ["clEnqueueWriteBuffer"]
    WRITE(staged.queue, staged.buffer, staged.data[: size + 1], is_blocking=False).wait()
    assert submitted == ["clEnqueueWriteBuffer"]
    staged.cuda.compiled.lock_memory(None, 0)
    WRITE(staged.queue, staged.buffer, staged.data[: size + 1], is_blocking=False).wait()
    held = staged.cuda.number("held")
    held.value = -1
    events = [WRITE(staged.queue, staged.buffer, staged.data[:64], is_blocking=False)]
    while len(submitted) == 2:
        events.append(WRITE(staged.queue, staged.buffer, staged.data[:size], is_blocking=False))
    assert len(events) == 1 + 64 // 16 + 1
    held.value = 0
    events[-1].wait()
    assert staged.device.staging.native.free_slots() == 64


def test_first_contents_are_copies_of_the_same_kind(staged):
    copies = staged.cuda.number("copies").value
    made = cl.Buffer(staged.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=staged.data)
    READ(staged.queue, made, staged.back)
    assert np.array_equal(staged.back, staged.data) and not staged.cuda.by_itself
    assert staged.cuda.number("copies").value == copies + 2 * (SIZE // library.STAGING_SLOT)


def test_enqueue_copy(staged, submitted):
    """By which PyOpenCL's arrays come and go."""
    copies = staged.cuda.number("copies").value
    cl.enqueue_copy(staged.queue, staged.buffer, staged.data)
    cl.enqueue_copy(staged.queue, staged.back, staged.buffer)
    assert np.array_equal(staged.back, staged.data) and staged.cuda.number("copies").value == copies + 2 * (SIZE // library.STAGING_SLOT)
    assert not submitted
