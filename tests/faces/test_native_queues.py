"""Command-queues in C (runtime/native/queues.c): they are those that Python's own steps make, errors are the same, and what is left of one that
has gone is the next one's."""

from __future__ import annotations

import ctypes
import gc
import inspect
import os
import threading
import time
import weakref

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import c_library, staged_cuda

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.handles import to_python
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.native import library
from cl2cuda.runtime.process import debug_mode, ending, trace
from cl2cuda.runtime.queue import stream_timeline
from cl2cuda.runtime.queue.out_of_order import OutOfOrderQueue
from cl2cuda.runtime.queue.queue import CommandQueue

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

PROPERTIES, INFO = cl.command_queue_properties, cl.command_queue_info
UNORDERED, TIMED = PROPERTIES.OUT_OF_ORDER_EXEC_MODE_ENABLE, PROPERTIES.PROFILING_ENABLE
KINDS = [0, UNORDERED, TIMED, UNORDERED | TIMED]
SIZE = 1024


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(staged_cuda.SOURCE, tmp_path_factory.mktemp("queues"))


@pytest.fixture(params=["the host device", "an imagined CUDA"])
def context(request, compiled, monkeypatch):
    """One that has had a queue of each kind, and has one more."""
    if request.param == "the host device":
        device = next(each for each in cl.get_platforms()[0].get_devices() if not each.type & cl.device_type.GPU and "remote" not in each.name)
    else:
        device = to_python(Device(platforms.platforms()[0], "cuda", staged_cuda.staged_device(compiled, monkeypatch)))
    made = cl.Context([device])
    made.kept = cl.CommandQueue(made)
    for properties in KINDS:
        cl.CommandQueue(made, properties=properties)
    gc.collect()
    return made


@pytest.fixture
def by_python(monkeypatch):
    """What Python's own steps have made and let go."""
    found, genuine, let_go = [], CommandQueue.__init__, CommandQueue._let_go_in_python
    monkeypatch.setattr(CommandQueue, "__init__", lambda self, *more: found.append("made") or genuine(self, *more))
    monkeypatch.setattr(CommandQueue, "_let_go_in_python", lambda self: found.append("gone") or let_go(self))
    return found


def made_in_python(*arguments, **named):
    handle = cl.CommandQueue.__new__(cl.CommandQueue)
    handle._make_in_python(*arguments, **named)
    return handle


def resting(context):
    return context._core.devices[0].resting[context.kept._core.hints]


def attributes(queue):
    """Those that say what it is, and of the others which there are, and of which class."""
    core, own = queue._core, ("serial", "timeline", "native_target", "_lock", "_timelines", "native_targets")
    names = {name for base in type(core).__mro__ for name in base.__dict__.get("__slots__", ())} | set(vars(core))
    found = {name: type(getattr(core, name)) if name in own else getattr(core, name) for name in names if hasattr(core, name)}
    return found | {"class": type(core), "word": core.timeline.native[stream_timeline.NEEDS_PYTHON], "handle": vars(queue),
                    "targets": [type(each) for each in getattr(core, "native_targets", ())],
                    "infos": [queue.get_info(each) for each in (INFO.CONTEXT, INFO.DEVICE, INFO.PROPERTIES, INFO.REFERENCE_COUNT)]}


@pytest.mark.parametrize("properties", KINDS)
def test_queues_are_those_of_python(context, by_python, properties):
    found = [attributes(way(context, properties=properties)) for way in (cl.CommandQueue, made_in_python)]
    assert found[0] == found[1] and by_python.count("made") == 1


@pytest.mark.parametrize("properties", KINDS)
def test_queues_of_known_kinds_take_no_steps_of_pythons(context, by_python, properties):
    device = context.devices[0]
    serials = set()
    for arguments, named in (((context,), {"properties": properties}), ((context, device, properties), {}), ((context, None, properties), {}),
                             ((), {"context": context, "device": device, "properties": properties})):
        queue = cl.CommandQueue(*arguments, **named)
        serials.add(queue._core.serial)
        assert context._core._queues.living[-1] is queue._core
        gone = weakref.ref(queue._core)
        del queue
        assert gone() is None and resting(context)
    assert not by_python and len(serials) == 4


@pytest.mark.parametrize("properties", KINDS)
def test_they_work_and_what_is_left_of_them_does_again(context, properties):
    if context.devices[0].type & cl.device_type.GPU:
        pytest.skip("imagined streams do at once what Python gives them, whatever C has given them before")
    data = np.arange(SIZE, dtype=np.uint8)
    for number in range(4):
        queue = cl.CommandQueue(context, properties=properties)
        buffer, found = cl.Buffer(context, cl.mem_flags.READ_WRITE, SIZE), np.zeros_like(data)
        cl.enqueue_copy(queue, buffer, data + number)
        cl.enqueue_barrier(queue)
        event = cl.enqueue_copy(queue, found, buffer)
        cl.enqueue_marker(queue).wait()
        queue.finish()
        assert (found == data + number).all() and event.command_execution_status == cl.command_execution_status.COMPLETE
        if properties & TIMED:
            assert event.profile.end >= event.profile.start
        del queue, event


def test_a_queue_that_is_busy_is_let_go_later(context, by_python):
    gate = cl.UserEvent(context)
    for properties in KINDS:
        queue = cl.CommandQueue(context, properties=properties)
        event = cl.enqueue_marker(queue, wait_for=[gate])
        core = weakref.ref(queue._core)
        del queue
        assert core() is not None, "its event keeps it"
    gate.set_status(0)
    event.wait()
    del event
    until = time.monotonic() + 10  # A thread of the queue's may still have it.
    while core() is not None and time.monotonic() < until:
        time.sleep(0.01)
    # Whether streams have come to their ends CUDA says.
    assert core() is None and ("gone" in by_python or context.devices[0].type & cl.device_type.GPU)


WRONG = [((), {}), (("context", None, 0, 0), {}), (("context",), {"propertys": 0}), ((None,), {}), (("context", "context"), {}),
         (("context", None, 1 << 20), {}), (("context", None, -1), {}), (("context", None, 1 << 70), {}), (("context", None, 4), {}),
         (("context", None, "x"), {}), (("context", 3), {}), (("context",), {"properties": [1, 2]})]


@pytest.mark.parametrize("arguments, named", WRONG, ids=str)
def test_errors_are_those_of_python(context, arguments, named):
    plain = [context if each == "context" else each for each in arguments]
    found = []
    for make in (lambda *a, **k: cl.CommandQueue(*a, **k), made_in_python):
        with pytest.raises(Exception) as failure:
            make(*plain, **named)
        found.append((failure.type, str(failure.value).replace("_make_in_python", "__init__")))
    assert found[0] == found[1]


def test_other_ways_to_ask_are_pythons(context, by_python):
    for properties in (None, [], [cl.queue_properties.PROPERTIES, TIMED], np.int64(0), True):
        assert cl.CommandQueue(context, properties=properties)._core.context is context._core
    assert by_python.count("made") == 5


def test_a_queue_of_several_devices_or_of_another_device(by_python):
    devices = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name][-1:]
    parts = devices[0].create_sub_devices([cl.device_partition_property.EQUALLY, 1])[:2]
    if len(parts) < 2:
        pytest.skip("one processor")
    both, one = cl.Context(parts), cl.Context(parts[:1])
    for context, device in ((both, parts[0]), (both, parts[1]), (both, parts[1]), (one, parts[0])):
        assert cl.CommandQueue(context, device).device == device
    assert by_python.count("made") == 4 and not both._core.queue_kinds
    assert cl.CommandQueue(one, parts[0]).device == parts[0] and by_python.count("made") == 4
    for _ in range(2):
        with pytest.raises(cl.LogicError, match="not a device of the context"):
            cl.CommandQueue(one, parts[1])


def test_a_class_of_the_programs_and_a_with_block(context):
    class Named(cl.CommandQueue):
        def __init__(self, context, name):
            super().__init__(context)
            self.name = name

    queue = Named(context, "x")
    assert (queue.name, type(queue), queue.context) == ("x", Named, context)
    with cl.CommandQueue(context) as entered:
        cl.enqueue_marker(entered)
    with pytest.warns(cl.CommandQueueUsedAfterExit):
        assert entered.context == context


def test_signatures():
    assert list(inspect.signature(cl.CommandQueue.__init__).parameters) == ["self", "context", "device", "properties"]
    expected = inspect.signature(cl.CommandQueue._make_in_python)
    assert str(inspect.signature(cl.CommandQueue)) == str(expected).replace("self, ", "") and cl.CommandQueue.__init__.__doc__


@pytest.mark.parametrize("watch", ["debug mode", "a trace"])
def test_watched_queues_are_pythons_and_no_pattern_for_others(context, by_python, monkeypatch, tmp_path, watch):
    context._core.queue_kinds.clear()
    for _ in range(2):
        with monkeypatch.context() as patch:
            if watch == "a trace":
                patch.setattr(trace, "_RECORDER", trace.Recorder(tmp_path / "trace.json"))
            else:
                patch.setattr(debug_mode, "_active", True)
            watched = cl.CommandQueue(context)
        assert watched._core.needs_full_submit and by_python.count("made") == 1
        by_python.clear()
        watched = None
        for _ in range(2):
            queue = cl.CommandQueue(context)
            assert not queue._core.needs_full_submit
            queue = None
        by_python.clear()
    assert context._core.queue_kinds


@pytest.mark.parametrize("why", ["a thread watches it", "a stream that is busy", "enough rest", "memory is kept"])
def test_a_timeline_that_does_not_rest(context, compiled, by_python, monkeypatch, why):
    queue = cl.CommandQueue(context)
    held = ctypes.c_ulong.in_dll(compiled, "held")
    timeline, before = queue._core.timeline, len(resting(context))
    if why == "a thread watches it":
        assert timeline.watcher
    elif why == "a stream that is busy":
        if not context.devices[0].type & cl.device_type.GPU:
            pytest.skip("the host device's commands have ended when they return")
        monkeypatch.setattr(held, "value", -1)
        timeline.stream.fence(False)
    elif why == "enough rest":
        monkeypatch.setitem(context._core.devices[0].resting, queue._core.hints, before)
        resting_now = queue._core._resting
        resting_now.extend([timeline] * (stream_timeline.MOST_RESTING - len(resting_now)))
    else:
        timeline.keep(timeline.next_position(), None, object())
    del queue
    assert by_python == ["gone"] and timeline._closed
    if why == "enough rest":
        del resting_now[before:]
    else:
        assert len(resting(context)) == before


@pytest.mark.parametrize("scratch", ["native", "page-locked", "of Python's"])
def test_memory_of_the_stream_is_given_back_by_python(context, monkeypatch, scratch):
    if not context.devices[0].type & cl.device_type.GPU:
        pytest.skip("the host device has none")
    queue = cl.CommandQueue(context)
    stream = queue._core.timeline.stream
    runtime = stream.cuda.runtime
    monkeypatch.setattr(runtime, "mallocAsync", lambda size, stream: runtime.malloc(size), raising=False)
    monkeypatch.setattr(runtime, "freeAsync", lambda address, stream: runtime.free(address), raising=False)
    if scratch == "native":
        stream.scratch.lend(stream, 1 << 16)
        assert stream.scratch.native.memory
    elif scratch == "page-locked":
        stream.scratch.lend_staging(stream, 1 << 17)
        assert stream.scratch.native.staging
    else:
        assert stream.scratch.of(stream, 1 << 16)
    del queue
    assert resting(context)[-1].stream is stream and not stream.scratch.size
    assert not stream.scratch.native.memory and not stream.scratch.native.staging


@pytest.mark.parametrize("properties", [0, UNORDERED])
def test_queues_whose_commands_nobody_waits_for(context, compiled, by_python, monkeypatch, properties):
    """Whether these have ended CUDA says, where the queue goes: then its timeline rests."""
    if not context.devices[0].type & cl.device_type.GPU:
        pytest.skip("the host device's commands have ended when they return")
    other, fill, held = cl.CommandQueue(context), np.uint32(1), ctypes.c_ulong.in_dll(compiled, "held")
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
    cl.enqueue_fill_buffer(other, buffer, fill, 0, 256)
    other.finish()
    for is_busy in (False, True, False):
        queue, before = cl.CommandQueue(context, properties=properties), len(resting(context))
        timeline = queue._core.timeline
        cl.enqueue_marker(queue, wait_for=[cl.enqueue_fill_buffer(queue, buffer, fill, 0, 256)])
        assert timeline.busy and timeline.reached < timeline.native[stream_timeline.GIVEN]
        with monkeypatch.context() as patch:
            if is_busy:
                patch.setattr(held, "value", -1)
                timeline.stream.fence(False)
            del queue
        assert len(resting(context)) == before + (not is_busy) and ("gone" in by_python) == is_busy and timeline._closed
        if not is_busy:
            assert timeline.reached >= timeline.native[stream_timeline.GIVEN]
            assert cl.CommandQueue(context, properties=properties)._core.timeline is timeline
        by_python.clear()


def test_without_such_memory_python_is_not_asked(context, monkeypatch):
    queue, asked = cl.CommandQueue(context), []
    monkeypatch.setattr(type(queue._core.timeline.stream), "rests", lambda self: asked.append(self) or True)
    del queue
    assert not asked and resting(context)


def test_a_timeline_that_code_of_programs_in_c_knows_is_put_to_rest_by_python(context, by_python):
    queue = cl.CommandQueue(context)
    timeline = queue._core.timeline
    timeline.open_to_native_code()
    del queue
    assert by_python == ["gone"] and not timeline.has_native and resting(context)[-1] is timeline
    assert cl.CommandQueue(context)._core.timeline is timeline and by_python == ["gone"]


def test_fences_that_were_wanted_ahead_are_not_the_next_queues(context, by_python):
    queue = cl.CommandQueue(context)
    timeline = queue._core.timeline
    timeline.native[stream_timeline.FENCES_AHEAD_WANTED], timeline.fence_at = 1, 100
    del queue
    again = cl.CommandQueue(context)
    assert again._core.timeline is timeline and timeline.fence_at == stream_timeline.NEVER and by_python == ["made"]
    assert not timeline.native[stream_timeline.FENCES_AHEAD_WANTED]


def test_the_fence_that_others_wait_for_is_the_next_queues(context, by_python, monkeypatch):
    """Each queue has its stream wait for it: it is recorded anew."""
    if not context.devices[0].type & cl.device_type.GPU:
        pytest.skip("on the host device nothing waits")
    other, marks = cl.CommandQueue(context), set()
    for turn in range(4):
        queue = cl.CommandQueue(context, properties=KINDS[turn % 2])
        cl.enqueue_marker(other, wait_for=[cl.enqueue_marker(queue)])
        marks.add(queue._core.timeline.mark)
        queue.finish()
        del queue
    assert len(marks) == 1 and None not in marks and "gone" not in by_python


def test_nothing_is_given_back_at_the_end_of_the_process(context, monkeypatch):
    queue, before = cl.CommandQueue(context), len(resting(context))
    monkeypatch.setattr(ending._State, "begun", True)
    del queue
    assert len(resting(context)) == before


def test_an_error_of_the_context_leaves_no_queue(context, monkeypatch):
    """Python asks again, and has the error again."""
    def fail(queue):
        raise KeyError("no room")

    count = len(context._core._queues.living)
    with monkeypatch.context() as patch:
        patch.setattr(context._core, "add_queue", fail)
        with pytest.raises(KeyError, match="no room"):
            cl.CommandQueue(context)
    gc.collect()
    assert len(context._core._queues.living) == count and cl.CommandQueue(context).context == context


def test_several_threads(context):
    def work():
        for number in range(200):
            queue = cl.CommandQueue(context, properties=KINDS[number % 2])
            assert queue._core.timeline not in used and not queue._core.closed
            used.append(queue._core.timeline)
            used.remove(queue._core.timeline)
            wrong.append(queue._core.timeline._closed)

    used, wrong = [], []
    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(wrong) == 800 and not any(wrong)


def test_nothing_is_lost(context):
    core = context._core
    cl.CommandQueue(context, properties=UNORDERED)
    timeline = resting(context)[-1]
    counted = (core, core.devices[0], timeline, timeline.stream, CommandQueue, OutOfOrderQueue, cl.CommandQueue, type(core),
               *core.queue_kinds.values())

    def everything():
        for properties in KINDS:
            cl.CommandQueue(context, properties=properties)
        for call in (lambda: cl.CommandQueue(context, properties=1 << 20), lambda: cl.CommandQueue(None)):
            with pytest.raises((cl.Error, TypeError)):
                call()

    leaves_nothing(everything, counted, turns=50)


def test_as_many_rest_as_python_says():
    text = (library.HERE / "queues.c").read_text()
    assert f"MOST_RESTING = {stream_timeline.MOST_RESTING} " in text
