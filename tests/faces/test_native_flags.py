"""What is waited for by a word of the host's that the stream sets (cuStreamWriteValue32), beside asking the stream."""

from __future__ import annotations

import ctypes
import os
import threading

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.cuda.staging import CONCURRENT_MANAGED_ACCESS
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="no compiled calls")


class Flagged:
    """A queue of an imagined CUDA whose streams set words."""

    def __init__(self, imagined, compiled):
        self.imagined = imagined
        self.fail, self.come = (ctypes.c_int.in_dll(compiled, name) for name in ("flags_fail", "flags_come"))
        self.fail.value, self.come.value = 0, 1
        imagined.cuda.write_value_address = ctypes.cast(compiled.write_value, ctypes.c_void_p).value
        self.queue = cl.CommandQueue(imagined.context)
        self.stream = imagined.stream(self.queue)
        imagined.handles.setdefault(self.stream, "f")
        self.native = self.queue._core.stream.native()
        self.buffer = cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE, 64)
        self.data = np.arange(16, dtype=np.uint32)
        events = [self.write(), self.write(), cl.enqueue_marker(self.queue)]
        self.queue.finish()
        imagined.taken()
        assert events

    def write(self, **how):
        return cl.enqueue_copy(self.queue, self.buffer, self.data, **{"is_blocking": False} | how)

    def map_to_write(self):
        array, _ = cl.enqueue_map_buffer(self.queue, self.buffer, cl.map_flags.WRITE_INVALIDATE_REGION, 0, (16,), np.uint32)
        array[:] = self.data
        return array.base.release(self.queue)

    def wait_until_at_rest(self, seconds):
        """For a write, whose stream ends after the time."""
        event = self.write()
        self.imagined.make_busy(self.stream)
        timer = threading.Timer(seconds, lambda: setattr(self.imagined.busy, "value", 0))
        timer.start()
        event.wait()
        timer.join()
        assert event.command_execution_status == cl.command_execution_status.COMPLETE

    def wait_while_busy(self):
        """For a write, of which the stream itself tells no end."""
        event = self.write()
        self.imagined.taken()
        self.imagined.make_busy(self.stream)
        self.imagined.queries.value = 0
        event.wait()
        return self.imagined.taken()


@pytest.fixture
def flagged(imagined, compiled_streams, monkeypatch):
    from cl2cuda.runtime.cuda.context import CudaContext

    genuine = CudaContext.attribute
    monkeypatch.setattr(CudaContext, "attribute", lambda self, which: which == CONCURRENT_MANAGED_ACCESS or genuine(self, which))
    made = Flagged(imagined, compiled_streams)
    if not (made.native.write_value and made.native.staging):
        pytest.skip("the stream had rested")
    yield made
    imagined.busy.value = 0


def test_the_word_ends_a_wait(flagged, waited):
    """Who waits for writes one by one has it asked for with the next one."""
    assert flagged.wait_while_busy() == "fF" and not waited
    assert flagged.imagined.queries.value == 1
    for _ in range(3):
        flagged.imagined.busy.value = 0
        assert flagged.wait_while_busy() == "" and not waited
        assert flagged.imagined.queries.value == 0


def test_a_command_that_is_waited_for_has_it_asked_for_at_once(flagged, waited):
    other, found = cl.Buffer(flagged.imagined.context, cl.mem_flags.READ_WRITE, 64), np.zeros_like(flagged.data)
    flagged.imagined.make_busy(flagged.stream)
    for call, given in ((lambda: flagged.write(is_blocking=True), "fC fF"), (lambda: cl.enqueue_copy(flagged.queue, found, flagged.buffer), "fC fF")):
        flagged.imagined.queries.value = 0
        call()
        assert (flagged.imagined.taken(), flagged.imagined.queries.value) == (given, 0) and not waited
    flagged.come.value, flagged.imagined.busy.value = 0, 0
    flagged.imagined.queries.value = 0
    flagged.write(is_blocking=True)
    assert flagged.imagined.queries.value == 1 and not waited and other


def test_nothing_is_asked_for_where_the_stream_has_ended(flagged, waited):
    """Nor behind writes that nobody waits for."""
    events = [flagged.write() for _ in range(3)]
    flagged.imagined.taken()
    events[-1].wait()
    assert "fF" not in flagged.imagined.taken() and not waited
    events += [flagged.write() for _ in range(4)]
    assert flagged.imagined.taken().count("fF") == 1
    flagged.queue.finish()


def test_maps_to_write_that_come_one_after_the_other(flagged, waited):
    """The second one waits for the copy of the first one's; from then on the word is asked for with that."""
    flagged.map_to_write()
    flagged.map_to_write()
    flagged.imagined.taken()
    for _ in range(3):
        flagged.imagined.make_busy(flagged.stream)
        flagged.imagined.queries.value = 0
        flagged.map_to_write()
        assert (flagged.imagined.taken(), flagged.imagined.queries.value) == ("fC fF", 0) and not waited
    flagged.imagined.busy.value = 0
    flagged.queue.finish()
    with cl.enqueue_map_buffer(flagged.queue, flagged.buffer, cl.map_flags.READ, 0, (16,), np.uint32)[0].base:
        pass
    flagged.queue.finish()
    found = np.zeros_like(flagged.data)
    cl.enqueue_copy(flagged.queue, found, flagged.buffer)
    flagged.imagined.taken()
    unmapped = [flagged.map_to_write()]
    other = cl.enqueue_marker(flagged.queue)
    flagged.queue.finish()
    unmapped += [flagged.map_to_write()]
    assert flagged.imagined.taken().count("fF") <= 2 and other


def test_a_map_of_shared_memory_asks_for_none_where_the_stream_has_ended(flagged, waited):
    """Nothing is copied for it, so that it mostly has."""
    memory = cl.SVM(cl.csvm_empty(flagged.imagined.context, (16,), np.uint32))
    for _ in range(3):
        flagged.imagined.queries.value = 0
        with memory.map_rw(flagged.queue) as array:
            array[:] = flagged.data
        assert flagged.imagined.queries.value <= 1
    assert "F" not in flagged.imagined.taken() and not waited


def test_a_queue_whose_threads_do_not_poll_is_asked_for_none(flagged):
    """By its throttle hint."""
    flagged.queue = cl.CommandQueue(flagged.imagined.context, properties=[0x1097, 4])  # CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR
    stream = flagged.imagined.stream(flagged.queue)
    flagged.imagined.handles.setdefault(stream, "t")
    assert not flagged.queue._core.stream.native().poll_ns
    for _ in range(3):
        flagged.write().wait()
        flagged.map_to_write()
        flagged.write(is_blocking=True)
    assert "F" not in flagged.imagined.taken()


def test_words_that_are_lost_or_refused(flagged, waited):
    flagged.come.value = 0
    for refused in (False, True):
        flagged.fail.value = refused * 801
        flagged.wait_until_at_rest(0.005)
    flagged.imagined.taken()
    flagged.write().wait()
    flagged.wait_until_at_rest(0.001)
    assert "fF" not in flagged.imagined.taken()  # CUDA has refused once


def test_an_error_is_told_though_the_word_never_comes(flagged, monkeypatch):
    flagged.come.value = 0
    event = flagged.write()
    flagged.imagined.fails.value = 719
    monkeypatch.setattr(flagged.imagined.cuda.runtime, "streamQuery", lambda stream: 719)
    monkeypatch.setattr(flagged.imagined.cuda.runtime, "eventQuery", lambda event: 719)
    flagged.imagined.make_busy(flagged.stream)
    with pytest.raises(cl.RuntimeError, match="terminated"):
        event.wait()
    flagged.imagined.fails.value = 0


def test_words_of_threads_that_wait_at_once(flagged):
    """The numbers go up, and 32 bits wide they begin again."""
    words = (ctypes.c_uint64 * 4).from_address(flagged.native.staging)
    words[2] = words[3] = 2**32 - 3
    for _ in range(6):
        assert flagged.wait_while_busy() in ("fF", "")
        flagged.imagined.busy.value = 0
    assert words[2] & 0xFFFFFFFF in (3, 4)
    errors = []

    def wait():
        try:
            for _ in range(50):
                flagged.write().wait()
        except Exception as error:
            errors.append(error)

    flagged.imagined.make_busy(flagged.stream)
    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
