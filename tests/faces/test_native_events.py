"""User events in C (runtime/native/events.c), and launches that wait for them."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.cuda import module as cuda_module
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue import event as runtime_event

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, STATUS = cl.mem_flags, cl.command_execution_status
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


def launch(kernel, queue, wait_for=None):
    return cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,), wait_for=wait_for)


# -- Launches that are held back ---------------------------------------------------------------------------------------------


@pytest.fixture
def held(imagined, kernel):
    """A launch behind a user event, whose kernel has got another argument since."""
    gate, other = cl.UserEvent(imagined.context), cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64)
    event = launch(kernel, imagined.first, [gate])
    kernel.set_args(other)
    return gate, event


def test_a_launch_keeps_its_arguments(imagined, kernel, held, monkeypatch):
    prepared = []
    monkeypatch.setattr(cuda_module.CudaFunction, "prepare", lambda *arguments: prepared.append(arguments))
    gate, event = held
    assert imagined.taken() == ""
    gate.set_status(STATUS.COMPLETE)
    event.wait()
    assert imagined.taken() == "aL" and imagined.argument.value == imagined.buffer._core.address and not prepared


def test_a_launch_in_another_context_has_them_too(imagined, kernel, held, monkeypatch):
    """CUDA refuses it, and Python makes it where it belongs."""
    gate, event = held
    imagined.fails.value = 201
    monkeypatch.setattr(imagined.cuda.driver, "check_status", lambda status: setattr(imagined.fails, "value", 0), raising=False)
    gate.set_status(STATUS.COMPLETE)
    event.wait()
    assert imagined.taken() == "aL aL" and imagined.argument.value == imagined.buffer._core.address
    assert event.command_execution_status == STATUS.COMPLETE


def test_a_launch_that_fails_then_is_terminated(imagined, held):
    gate, event = held
    imagined.fails.value = 701
    gate.set_status(STATUS.COMPLETE)
    assert event.command_execution_status < 0
    with pytest.raises(cl.RuntimeError, match="terminated"):
        event.wait()


def test_frozen_parameters_are_those_of_then_and_aligned_alike(imagined, kernel):
    source = "kernel void g(char a, double4 b, global int *c, short d, local int *e, float16 f) { *c = a + d + *e + (int)(b.x + f.x); }"
    made = cl.Kernel(cl.Program(imagined.context, source).build(), "g")
    for value in (1, 2):
        made.set_args(np.int8(value), np.arange(4.0) + value, imagined.buffer, np.int16(value), cl.LocalMemory(64), np.arange(16, dtype=np.float32) + value)
        launch(made, imagined.first)
    arguments, (plan, *_) = made._core.arguments, made._core.plans.values()
    given, count, values, size = arguments.native_parameters
    frozen = library.calls().frozen_launch(plan, arguments.native_parameters, lambda status, parameters: None)
    pointers = [list((ctypes.c_uint64 * count).from_address(address)) for address in (given, frozen.parameters())]
    moved = pointers[1][0] - pointers[0][0]
    assert [there - here for here, there in zip(*pointers, strict=True)] == [moved] * count and moved % 128 == 0
    before = ctypes.string_at(values, size)
    made.set_arg(0, np.int8(7))
    assert ctypes.string_at(values + moved, size) == before != ctypes.string_at(values, size)
    imagined.taken()
    frozen()
    assert imagined.taken() == "aL"


def test_no_frozen_launch_of_what_is_no_grid(imagined, kernel):
    assert library.calls().frozen_launch(lambda: None, kernel._core.arguments.native_parameters, print) is None


def test_a_launch_of_another_stream_has_them_too(imagined, kernel):
    """In a queue out of order, whose first stream has something to do."""
    queue, gate, other = imagined.unordered, cl.UserEvent(imagined.context), cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64)
    event = launch(kernel, queue, [gate])
    kernel.set_args(other)
    launch(kernel, queue)
    assert imagined.argument.value == other._core.address
    imagined.make_busy(*imagined.streams)
    gate.set_status(STATUS.COMPLETE)
    assert event._core.timeline is not queue._core.timeline
    assert imagined.argument.value == imagined.buffer._core.address
    imagined.make_busy()
    queue.finish()


def test_what_was_held_back_and_has_ended_is_known_to_have(imagined, kernel, waited):
    """A marker behind a gate has ended with what came before it; a launch when somebody has waited for its stream."""
    gates = [cl.UserEvent(imagined.context) for _ in range(3)]
    marker, event = cl.enqueue_marker(imagined.first, wait_for=gates[:1]), launch(kernel, imagined.first, gates[1:2])
    assert marker.command_execution_status == event.command_execution_status == STATUS.QUEUED
    for gate in gates[:2]:
        gate.set_status(STATUS.COMPLETE)
    marker.wait()
    imagined.first.finish()
    for each in (event, marker):
        each.wait()
        assert each.command_execution_status == STATUS.COMPLETE
    cl.wait_for_events([marker, event])
    assert not waited
    terminated = cl.enqueue_marker(imagined.first, wait_for=gates[2:])
    gates[2].set_status(-7)
    assert terminated.command_execution_status < 0
    with pytest.raises(cl.RuntimeError, match="EXEC_STATUS_ERROR"):
        terminated.wait()
    assert [each.command_execution_status for each in gates] == [STATUS.COMPLETE, STATUS.COMPLETE, -7]


# -- User events -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def context():
    return cl.Context([DEVICES[0]])


def test_user_events_have_the_fields_of_pythons(context):
    made, core = cl.UserEvent(context), runtime_event.UserEvent(context._core)
    for name in ("queue", "command_type", "timeline", "position", "fence", "times", "own_end", "status", "shut", "pending", "error", "behind",
                 "theirs", "reason", "context", "_key", "_hooks"):
        assert getattr(made._core, name) == getattr(core, name), name
    assert type(made._core) is type(core) and made._core.gate is made._core
    assert made.command_execution_status == STATUS.SUBMITTED and made.command_type == cl.command_type.USER


@pytest.mark.parametrize("arguments", [(), (1,), (None,), ("context", 1)], ids=str)
def test_wrong_contexts_are_refused_alike(context, arguments):
    given = [context if each == "context" else each for each in arguments]
    found = []
    for begin in (cl.UserEvent._begin_in_python, cl.UserEvent.__init__):
        with pytest.raises(TypeError) as failure:
            begin(cl.UserEvent.__new__(cl.UserEvent), *given)
        found.append(str(failure.value).replace("__init__", "begin"))
    assert found[0] == found[1]


@pytest.mark.parametrize("status", [1, 3, 1.5, "0", None, 1 << 31, -(1 << 31) - 1, 1 << 70], ids=str)
def test_wrong_statuses_are_refused_alike(context, status):
    event, found = cl.UserEvent(context), []
    for call in (event._set_in_python, event.set_status):
        with pytest.raises(Exception) as failure:
            call(status)
        found.append((failure.type, str(failure.value)))
    assert found[0] == found[1] and event.command_execution_status == STATUS.SUBMITTED
    event.set_status(status=-1)
    assert event.command_execution_status == -1


@pytest.mark.parametrize("status", [0, -7, -(1 << 31), False, np.int32(-3)], ids=str)
def test_a_status_is_set_once(context, status):
    event, called = cl.UserEvent(context), []
    done = threading.Event()
    event.set_callback(STATUS.COMPLETE, lambda status: (called.append(status), done.set()))
    event.set_status(status)
    assert event.command_execution_status == int(status)
    assert done.wait(60) and called == [int(status)]
    for call in (event.set_status, event._set_in_python):
        with pytest.raises(cl.LogicError, match="set already"):
            call(0)


def test_one_thread_sets_it(context):
    for _ in range(100):
        event, begin, won = cl.UserEvent(context), threading.Barrier(4), []

        def set_it(call, event=event, begin=begin, won=won):
            begin.wait()
            try:
                call(0)
                won.append(call)
            except cl.LogicError:
                pass

        threads = [threading.Thread(target=set_it, args=(call,)) for call in (event.set_status, event._set_in_python) * 2]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(won) == 1


def test_subclasses_and_lifetimes(context):
    class Named(cl.UserEvent):
        def __init__(self, context, name):
            super().__init__(context)
            self.name = name

    event = Named(context, "n")
    event.set_status(STATUS.COMPLETE)
    event.wait()
    assert event.name == "n" and event.context == context
    gone = weakref.ref(event._core)
    del event
    assert gone() is None
    counted = (context._core, runtime_event.UserEvent, cl.UserEvent, True)
    leaves_nothing(lambda: cl.UserEvent(context).set_status(0), counted)
