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
        self.write()
        imagined.taken()

    def write(self):
        return cl.enqueue_copy(self.queue, self.buffer, np.arange(16, dtype=np.uint32), is_blocking=False)

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
    for _ in range(3):
        assert flagged.wait_while_busy() == "fF" and not waited
        assert flagged.imagined.queries.value == 1
        flagged.imagined.busy.value = 0


def test_nothing_is_asked_for_where_the_stream_has_ended(flagged, waited):
    flagged.write().wait()
    assert "fF" not in flagged.imagined.taken() and not waited


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
    assert words[2] & 0xFFFFFFFF == 3
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
