"""Commands behind user events that are not set, held back and issued in C (runtime/native/held.c): launches, little reads and writes, markers,
and what comes after them in their queue or in another one."""

from __future__ import annotations

import gc
import os
import threading
import weakref

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library
from cl2cuda.runtime.process import debug_mode
from cl2cuda.runtime.queue import gate as gates
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.queue.stream_timeline import NEEDS_PYTHON
from cl2cuda.runtime.queue.target import CommandTarget

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

STATUS = cl.command_execution_status
QUEUED, COMPLETE = STATUS.QUEUED, STATUS.COMPLETE
FAILED_WAIT = -14
DATA = np.arange(16, dtype=np.uint32)


@pytest.fixture(autouse=True)
def _launches_are_no_graphs(imagined):
    imagined.no_repeated.value = 1


def _noting(found, name, genuine):
    return lambda *words, **named: found.append(name) or genuine(*words, **named)


@pytest.fixture
def in_python(monkeypatch):
    """What Python's own steps have held back, issued or called."""
    found = []
    for kind, name in ((CommandQueue, "submit"), (CommandQueue, "hold"), (CommandQueue, "_issue_command"), (CommandQueue, "_done_with"),
                       (CommandTarget, "issued"), (gates.Opening, "_call_hooks")):
        genuine = getattr(kind, name)
        monkeypatch.setattr(kind, name, _noting(found, name, genuine))
    return found


@pytest.fixture
def gate(imagined, kernel):
    """The queue knows the buffer's memory, too."""
    cl.enqueue_copy(imagined.first, imagined.buffer, DATA)
    imagined.taken()
    return cl.UserEvent(imagined.context)


def launch(kernel, queue, wait_for=None):
    return cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,), wait_for=wait_for)


def write(imagined, data=DATA, wait_for=None):
    return cl.enqueue_copy(imagined.first, imagined.buffer, data, is_blocking=False, wait_for=wait_for)


def read(imagined):
    found = np.zeros(16, np.uint32)
    cl.enqueue_copy(imagined.first, found, imagined.buffer)
    return found


def buffer_of(imagined, data):
    """One that has them, when what wrote them has ended."""
    made = cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE, data.nbytes)
    cl.enqueue_copy(imagined.first, made, data)
    return made


def copy(imagined, source, target, wait_for=None, **places):
    return cl.enqueue_copy(imagined.first, target, source, wait_for=wait_for, **places)


def fill(imagined, buffer, pattern, offset=0, size=64, wait_for=None):
    return cl.enqueue_fill_buffer(imagined.first, buffer, pattern, offset, size, wait_for=wait_for)


def is_plain(queue):
    core = queue._core
    return not core._deferred and core._last_deferred is None and not core.needs_full_submit and not core.timeline.native[NEEDS_PYTHON]


def status(event):
    return event.command_execution_status


def test_a_chain_takes_no_steps_of_pythons(imagined, kernel, gate, in_python, waited):
    data = DATA + np.uint32(5)
    events = [write(imagined, data, [gate])]
    events.append(launch(kernel, imagined.first, [events[0]]))
    events += [launch(kernel, imagined.first), write(imagined, data), launch(kernel, imagined.first, events[1:3])]
    assert imagined.taken() == "" and [status(each) for each in events] == [QUEUED] * 5 and not is_plain(imagined.first)
    data += 1  # It is read when the command runs.
    gate.set_status(COMPLETE)
    assert imagined.taken() == "aC aL aL aC aL" and is_plain(imagined.first)
    assert [each._core.position for each in events] == sorted({each._core.position for each in events}) and events[0]._core.position
    events[-1].wait()
    assert [status(each) for each in events] == [COMPLETE] * 5 and not in_python and not waited
    assert (read(imagined) == data).all()
    launch(kernel, imagined.first, [gate, events[0]])
    assert imagined.taken().split()[-1] == "aL" and not waited


def test_launches_have_the_arguments_of_then(imagined, kernel, gate, in_python):
    other = cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE, 64)
    cl.enqueue_copy(imagined.first, other, DATA)
    launch(kernel, imagined.first, [gate])
    kernel.set_args(other)
    held = launch(kernel, imagined.first)
    kernel.set_args(imagined.buffer)
    in_python.clear()
    gate.set_status(COMPLETE)
    assert imagined.argument.value == other._core.address and status(held) == COMPLETE and not in_python


def test_what_waits_for_one_that_fails_is_not_issued(imagined, kernel, gate):
    first, second = write(imagined, wait_for=[gate]), launch(kernel, imagined.first)
    third = launch(kernel, imagined.first, [first])
    gate.set_status(-7)
    assert imagined.taken() == "aL" and is_plain(imagined.first)
    assert [status(each) for each in (first, second, third)] == [FAILED_WAIT, COMPLETE, FAILED_WAIT]
    for each in (first, third):
        with pytest.raises(cl.RuntimeError, match="EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"):
            each.wait()


@pytest.mark.parametrize("what", ["launch", "write", "copy", "fill"])
def test_what_cuda_refuses_python_gives_again(imagined, kernel, gate, in_python, what):
    if what == "launch":
        expected, held = None, launch(kernel, imagined.first, [gate])
    elif what == "write":
        expected, held = DATA + np.uint32(1), write(imagined, DATA + np.uint32(1), [gate])
    elif what == "copy":
        expected, held = DATA + np.uint32(2), copy(imagined, buffer_of(imagined, DATA + np.uint32(2)), imagined.buffer, [gate])
    else:
        expected, held = np.tile(DATA[:4], 4), fill(imagined, imagined.buffer, DATA[:4], wait_for=[gate])
    in_python.clear()
    behind = launch(kernel, imagined.first)
    imagined.taken()
    imagined.fails_at.value = 1
    gate.set_status(COMPLETE)
    assert "_issue_command" in in_python and is_plain(imagined.first) and imagined.taken().count("L") >= 1
    held.wait()
    behind.wait()
    assert expected is None or (read(imagined) == expected).all()


def test_commands_of_pythons_stand_between_in_their_order(imagined, kernel, gate, in_python):
    other = buffer_of(imagined, DATA)
    imagined.taken()
    rectangle = dict.fromkeys(("src_origin", "dst_origin"), (0, 0, 0)) | {"region": (64, 1, 1)}
    events = [launch(kernel, imagined.first, [gate]), copy(imagined, imagined.buffer, other, **rectangle), launch(kernel, imagined.first),
              cl.enqueue_marker(imagined.first), write(imagined)]
    assert in_python.count("submit") == 1
    gate.set_status(COMPLETE)
    positions = [each._core.position for each in events]
    assert positions == sorted(positions) and positions[0] and is_plain(imagined.first) and imagined.taken().replace("aC ", "") == "aL aL aC"


@pytest.mark.parametrize("how", ["many gates", "a size without a plan", "debug mode", "the lock is taken"])
def test_what_is_not_plain_is_pythons(imagined, kernel, gate, in_python, monkeypatch, how):
    waits, size = [gate], (64,)
    if how == "many gates":
        waits += [cl.UserEvent(imagined.context) for _ in range(8)]
    elif how == "a size without a plan":
        size = (128,)
    elif how == "debug mode":
        monkeypatch.setattr(debug_mode, "_active", True)
    else:
        imagined.first._core._lock.acquire()
        threading.Timer(0.05, imagined.first._core._lock.release).start()
    held = cl.enqueue_nd_range_kernel(imagined.first, kernel, size, (64,), wait_for=waits)
    assert {"submit", "hold"} & set(in_python) and status(held) == QUEUED
    for each in waits:
        if isinstance(each, cl.UserEvent):
            each.set_status(COMPLETE)
    held.wait()


def later(imagined, found, queue=None, wait_for=None, offset=0, buffer=None):
    return cl.enqueue_copy(queue or imagined.first, found, buffer or imagined.buffer, src_offset=offset, is_blocking=False, wait_for=wait_for)


def test_reads_and_markers_take_no_steps_of_pythons(imagined, kernel, gate, in_python, waited):
    first, second = np.zeros(16, np.uint32), np.zeros(8, np.uint32)
    data = DATA + np.uint32(9)
    written = write(imagined, data, [gate])
    events = [written, later(imagined, first, wait_for=[written]), launch(kernel, imagined.first), later(imagined, second, offset=32),
              cl.enqueue_marker(imagined.first, [written]), cl.enqueue_barrier(imagined.first)]
    assert imagined.taken() == "" and [status(each) for each in events] == [QUEUED] * 6 and not first.any()
    gate.set_status(COMPLETE)
    assert imagined.taken().replace(" aF", "") == "aC aC aL aC" and is_plain(imagined.first) and not in_python
    assert (first == data).all() and (second == data[8:]).all()
    positions = [each._core.position for each in events]
    assert positions == sorted(set(positions)) and positions[0]
    for each in events:
        each.wait()
    assert [status(each) for each in events] == [COMPLETE] * 6 and not in_python and not waited


def test_copies_and_fills_take_no_steps_of_pythons(imagined, kernel, gate, in_python, waited):
    source, target = buffer_of(imagined, DATA), buffer_of(imagined, np.zeros(16, np.uint32))
    half, pattern, found = target.get_sub_region(0, 32), np.arange(4, dtype=np.uint32), np.zeros(16, np.uint32)
    for each in (source, half, target):
        copy(imagined, each, imagined.buffer, byte_count=4)
    imagined.taken(), in_python.clear()
    filled = fill(imagined, source, pattern, 16, 32, [gate])
    events = [filled, copy(imagined, source, target, [filled]), launch(kernel, imagined.first), copy(imagined, target, half, src_offset=32),
              fill(imagined, target, np.arange(4, 8, dtype=np.uint32), 48, 16), later(imagined, found, buffer=target)]
    pattern += 100  # It is read at once.
    assert imagined.taken() == "" and [status(each) for each in events] == [QUEUED] * 6
    gate.set_status(COMPLETE)
    said = imagined.taken()
    assert is_plain(imagined.first) and not in_python and said.split().count("aL") == 1
    between = [*DATA[:4], 0, 1, 2, 3, 0, 1, 2, 3, *DATA[12:]]
    assert found.tolist() == [*between[8:], *between[8:12], 4, 5, 6, 7]
    positions = [each._core.position for each in events]
    assert positions == sorted(set(positions)) and positions[0]
    for each in events:
        each.wait()
    assert [each.command_type for each in events[:2]] == [cl.command_type.FILL_BUFFER, cl.command_type.COPY_BUFFER] and not in_python
    assert [status(each) for each in events] == [COMPLETE] * 6 and not waited


def test_which_copies_and_fills_are_errors(imagined, kernel, gate):
    other = buffer_of(imagined, DATA)
    held = launch(kernel, imagined.first, [gate])
    for wrong, call in [("INVALID_VALUE", lambda: copy(imagined, other, imagined.buffer, byte_count=imagined.buffer.size + 4)),
                        ("MEM_COPY_OVERLAP", lambda: copy(imagined, other, other, src_offset=4, byte_count=8)),
                        ("INVALID_VALUE", lambda: fill(imagined, other, np.uint32(1), 2)),
                        ("INVALID_VALUE", lambda: fill(imagined, other, b"abc", 0, 3)),
                        ("INVALID_VALUE", lambda: fill(imagined, other, np.uint32(1), 64, 4))]:
        with pytest.raises(cl.Error, match=wrong):
            call()
    gate.set_status(COMPLETE)
    held.wait()
    assert is_plain(imagined.first)


def test_what_is_copied_and_filled_lives_until_then(imagined, kernel, gate):
    source, target = buffer_of(imagined, DATA), buffer_of(imagined, DATA)
    events = [fill(imagined, source, np.uint32(3), wait_for=[gate]), copy(imagined, source, target)]
    gone = weakref.ref(source._core._storage)
    source.release(), target.release()
    del source, target
    gc.collect()
    assert gone() is not None
    gate.set_status(COMPLETE)
    events[-1].wait()
    del events
    imagined.first.finish()
    gc.collect()
    assert gone() is None


def test_another_queue_behind_what_is_held_back(imagined, kernel, gate, in_python):
    found, other = np.zeros(16, np.uint32), np.zeros(16, np.uint32)
    cl.enqueue_marker(imagined.second, [launch(kernel, imagined.first)])
    imagined.second.finish(), imagined.taken(), in_python.clear()
    launched = launch(kernel, imagined.first, [gate])
    reads = [later(imagined, found), later(imagined, other, imagined.second, [launched])]
    joined = cl.enqueue_marker(imagined.second, reads)
    last = launch(kernel, imagined.second)
    assert [status(each) for each in (launched, *reads, joined, last)] == [QUEUED] * 5 and imagined.taken() == ""
    gate.set_status(COMPLETE)
    said = imagined.taken().replace(" aF", "").replace(" bF", "").split()
    assert [each for each in said if each[1] in "LC"] == ["aL", "aC", "bC", "bL"] and not in_python
    assert (found == DATA).all() and (other == DATA).all() and is_plain(imagined.first) and is_plain(imagined.second)
    joined.wait(), last.wait()
    assert [status(each) for each in (launched, *reads, joined, last)] == [COMPLETE] * 5


@pytest.mark.parametrize("first", [0, 1])
def test_two_user_events(imagined, kernel, gate, in_python, first):
    gates_of = [gate, cl.UserEvent(imagined.context)]
    held, behind = launch(kernel, imagined.first, gates_of), launch(kernel, imagined.first)
    again = launch(kernel, imagined.second, [cl.UserEvent(imagined.context), held])
    gates_of[first].set_status(COMPLETE)
    assert imagined.taken() == "" and status(held) == QUEUED
    gates_of[1 - first].set_status(COMPLETE)
    assert imagined.taken() == "aL aL" and status(behind) == COMPLETE and status(again) == QUEUED and not in_python
    failing = [cl.UserEvent(imagined.context) for _ in range(2)]
    held, behind = launch(kernel, imagined.first, failing), launch(kernel, imagined.first)
    failing[first].set_status(-3)
    assert status(held) == QUEUED
    failing[1 - first].set_status(COMPLETE)
    assert status(held) == FAILED_WAIT and status(behind) == COMPLETE and imagined.taken() == "aL"


def test_a_read_behind_one_that_fails_is_not_issued(imagined, kernel, gate):
    found = np.zeros(16, np.uint32)
    first = write(imagined, wait_for=[gate])
    reads = [later(imagined, found, wait_for=[first]), later(imagined, found, imagined.second, [first])]
    marked, behind = cl.enqueue_marker(imagined.second, reads), cl.enqueue_marker(imagined.first)
    gate.set_status(-7)
    assert [status(each) for each in (first, *reads, marked, behind)] == [FAILED_WAIT] * 4 + [COMPLETE]
    assert not found.any() and is_plain(imagined.first) and is_plain(imagined.second)


def test_a_read_of_what_does_not_end_soon_is_pythons(imagined, kernel, gate, in_python):
    found = np.zeros(16, np.uint32)
    launched = launch(kernel, imagined.first, [gate])
    reads = [later(imagined, found), launch(kernel, imagined.first)]
    imagined.busy.value = 255
    gate.set_status(COMPLETE)
    assert "_issue_command" in in_python or status(reads[0]) == QUEUED
    imagined.busy.value = 0
    imagined.first.finish()
    assert [status(each) for each in (launched, *reads)] == [COMPLETE] * 3 and (found == DATA).all() and is_plain(imagined.first)


def test_what_cuda_refuses_of_reads_python_gives_again(imagined, kernel, gate):
    found = np.zeros(16, np.uint32)
    reads = [later(imagined, found, wait_for=[gate]), launch(kernel, imagined.first)]
    imagined.fails_at.value = 1
    gate.set_status(COMPLETE)
    imagined.first.finish()
    assert [status(each) for each in reads] == [COMPLETE] * 2 and (found == DATA).all() and is_plain(imagined.first)


def test_which_reads_are_errors(imagined, kernel, gate):
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        later(imagined, np.zeros(1 << 14, np.uint32), wait_for=[gate])
    hidden = cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE | cl.mem_flags.HOST_NO_ACCESS, 64)
    with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
        cl.enqueue_copy(imagined.first, np.zeros(16, np.uint32), hidden, is_blocking=False, wait_for=[gate])
    fixed = np.zeros(16, np.uint32)
    fixed.flags.writeable = False
    with pytest.raises((TypeError, ValueError, cl.Error)):
        later(imagined, fixed, wait_for=[gate])


def test_threads_read_what_is_held_back(imagined, kernel, gate):
    def work(number):
        queue, found = (imagined.first, imagined.second)[number % 2], np.zeros(16, np.uint32)
        for turn in range(40):
            mine = cl.UserEvent(imagined.context)
            event = later(imagined, found, queue, [mine, launch(kernel, imagined.first)] if turn % 3 else [mine])
            joined = cl.enqueue_marker(imagined.second, [event])
            found[:] = 0
            mine.set_status(-4 if turn % 7 == 6 else COMPLETE)
            event.wait() if turn % 7 < 6 else None
            assert turn % 7 == 6 or (found == DATA).all()
            assert turn % 7 == 6 or joined.wait() is None

    run_together(work, *((number,) for number in range(4)))
    for queue in (imagined.first, imagined.second):
        queue.finish()
        assert is_plain(queue)


def test_another_contexts_event_is_an_error(imagined, kernel, gate):
    for other in (cl.UserEvent(cl.Context(imagined.context.devices)),) * 2:
        with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
            launch(kernel, imagined.first, [other])
        if status(other) != COMPLETE:
            other.set_status(COMPLETE)


def test_a_failed_event_is_pythons(imagined, kernel, gate, submitted):
    gate.set_status(-3)
    assert status(launch(kernel, imagined.first, [gate])) == FAILED_WAIT and submitted


def test_a_queue_that_was_released_meanwhile(imagined, kernel, gate):
    queue = cl.CommandQueue(imagined.context)
    imagined.handles[imagined.stream(queue)] = "n"
    launch(kernel, queue)
    held = [launch(kernel, queue, [gate]), launch(kernel, queue)]
    assert imagined.taken() == "nL" and status(held[0]) == QUEUED
    core = queue._core
    core.release()
    gate.set_status(COMPLETE)
    assert imagined.taken() == "nL nL" and not core._deferred
    assert [each._core.position > 0 for each in held] == [True, True]


def test_a_thread_that_waits_goes_on(imagined, kernel, gate):
    held = launch(kernel, imagined.first, [gate])
    done = []
    thread = threading.Thread(target=lambda: held.wait() or done.append(status(held)))
    thread.start()
    threading.Timer(0.02, lambda: gate.set_status(COMPLETE)).start()
    thread.join()
    assert done == [COMPLETE]


def test_a_chain_longer_than_a_stack(imagined, kernel, gate, in_python):
    count = 4000
    for turn in range(count):
        last = launch(kernel, imagined.first, [gate] if not turn else None)
    assert status(last) == QUEUED and len(imagined.first._core._deferred) == count
    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=gate.set_status, args=(COMPLETE,))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert imagined.taken().count("L") == count and status(last) == COMPLETE and not in_python


def test_events_that_nobody_sets_go(imagined, kernel):
    queue, gate = cl.CommandQueue(imagined.context), cl.UserEvent(imagined.context)
    launch(kernel, queue)
    queue.finish()
    events = [launch(kernel, queue, [gate]), launch(kernel, queue)]
    gone = [weakref.ref(each._core) for each in (queue, gate, *events)]
    del queue, gate, events
    gc.collect()
    assert [each() for each in gone] == [None] * 4


def test_threads_hold_back_and_set(imagined, kernel, gate):
    queue, gates_of = imagined.first, [cl.UserEvent(imagined.context) for _ in range(60)]

    def hold():
        for each in gates_of:
            launch(kernel, queue, [each]), write(imagined), launch(kernel, queue)

    def set_all():
        for each in gates_of:
            each.set_status(COMPLETE)

    run_together(lambda work: work(), (hold,), (set_all,), (lambda: [launch(kernel, queue) for _ in range(100)],))
    queue.finish()
    assert is_plain(queue)
    found = imagined.taken()
    assert found.count("L") == 220 and found.count("C") == 60
