"""Builds with a callback: they return at once, and the callback sees the state that they leave."""

import threading
from types import SimpleNamespace

import pytest
from support.fails import fails
from support.kernel_facts import kernel_info

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel, create_kernels_in_program
from cl2cuda.runtime.program.link import link_program
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes


class Called:
    """A callback that remembers the program, its build statuses and the thread of its call."""

    def __init__(self):
        self.event = threading.Event()

    def __call__(self, program):
        self.program, self.thread = program, threading.current_thread()
        self.statuses = [program.build_status(device) for device in program.devices]
        self.event.set()

    def wait(self):
        assert self.event.wait(60)
        return self


@pytest.fixture
def gate(fake, monkeypatch):
    """The driver's compiler waits for `open`."""
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    fake.kernels[:] = [kernel_info("add")]
    gate, compile = threading.Event(), fake.driver.compile

    def waiting(translation, options):
        assert gate.wait(60)
        return compile(translation, options)

    monkeypatch.setattr(fake.driver, "compile", waiting)
    return SimpleNamespace(open=gate.set)


def test_while_it_builds(fake, gate):
    program, called = Program(fake.context, "source"), Called()
    program.build("-cl-std=CL1.2", callback=called)
    assert program.build_status(fake.device) == codes.BUILD_IN_PROGRESS
    assert program.build_options(fake.device) == "-cl-std=CL1.2"
    assert program.binary_type(fake.device) == codes.PROGRAM_BINARY_TYPE_NONE
    # "CL_INVALID_OPERATION if the build of a program executable [...] by a previous call [...] has not completed"
    for again in (program.build, program.compile):
        assert "has not completed" in fails("INVALID_OPERATION", again)
    assert "has not completed" in fails("INVALID_OPERATION", link_program, fake.context, None, "", [program])
    gate.open()
    assert called.wait().program is program
    assert called.thread is not threading.main_thread()
    assert called.statuses == [codes.BUILD_SUCCESS]
    Kernel(program, "add").release()
    program.build()


@pytest.mark.parametrize("use", [lambda program: Kernel(program, "add"), lambda program: create_kernels_in_program(program)[0],
                                 lambda program: program.get_info(codes.PROGRAM_NUM_KERNELS)])
def test_who_uses_the_program_waits_for_its_build(fake, gate, use):
    program, called = Program(fake.context, "source"), Called()
    program.build(callback=called)
    threading.Timer(0.1, gate.open).start()
    assert use(program)
    assert program.build_status(fake.device) == codes.BUILD_SUCCESS
    called.wait()


def test_who_uses_the_program_hears_that_its_build_failed(fake, gate):
    program, called = Program(fake.context, "error"), Called()
    program.build(callback=called)
    threading.Timer(0.1, gate.open).start()
    fails("INVALID_PROGRAM_EXECUTABLE", Kernel, program, "add")
    called.wait()


def test_a_callback_uses_what_was_built(fake, gate):
    gate.open()
    made, program = [], Program(fake.context, "source")
    done = threading.Event()
    program.build(callback=lambda program: (made.append(Kernel(program, "add")), done.set()))
    assert done.wait(60) and made


def test_a_failed_build_calls_too(fake, gate):
    gate.open()
    program, called = Program(fake.context, "error"), Called()
    program.build(callback=called)
    assert called.wait().statuses == [codes.BUILD_ERROR]
    assert "the source says so" in program.build_log(fake.device)


def test_what_is_wrong_from_the_start_raises_and_calls_nothing(fake):
    program, called = Program(fake.context, "source"), Called()
    fails("INVALID_BUILD_OPTIONS", program.build, "-bad", None, called)
    fails("INVALID_DEVICE", program.build, "", ["device"], called)
    assert program.build_status(fake.device) == codes.BUILD_NONE
    assert not called.event.is_set()


def test_a_driver_that_fails(fake, monkeypatch):
    def fail(*args):
        raise OSError("no such luck")

    monkeypatch.setattr(fake.driver, "compile", fail)
    seen, program, called = [], Program(fake.context, "source"), Called()
    monkeypatch.setattr(threading, "excepthook", seen.append)
    program.build(callback=called)
    assert called.wait().statuses == [codes.BUILD_ERROR]
    assert "no such luck" in program.build_log(fake.device)
    assert isinstance(seen[0].exc_value, OSError)


def test_an_error_in_a_callback_goes_to_the_threads_hook(fake, gate, monkeypatch):
    gate.open()
    seen, done = [], threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda args: (seen.append(args.exc_value), done.set()))
    Program(fake.context, "source").build(callback=lambda program: 1 / 0)
    assert done.wait(60)
    assert isinstance(seen[0], ZeroDivisionError)


def test_all_three_on_a_real_device(real_device):
    context = Context([real_device])
    sources = ("float f(float x); kernel void k(global float *p) { *p = f(1); }", "float f(float x) { return x; }")
    programs, calls = [Program(context, source) for source in sources], []
    for program in programs:
        calls.append(Called())
        program.compile("", None, (), calls[-1])
    assert [call.wait().statuses for call in calls] == [[codes.BUILD_SUCCESS]] * 2
    called = Called()
    linked = link_program(context, None, "", programs, called)
    assert called.wait().program is linked
    assert called.statuses == [codes.BUILD_SUCCESS]
    assert Kernel(linked, "k").num_args == 1
    called = Called()
    failed = link_program(context, None, "", programs[:1], called)
    assert called.wait().statuses == [codes.BUILD_ERROR]
    assert "undefined function 'f'" in failed.build_log(real_device)
    called = Called()
    whole = Program(context, "\n".join(sources))
    whole.build("", None, called)
    assert called.wait().statuses == [codes.BUILD_SUCCESS]
    assert Kernel(whole, "k").num_args == 1


def test_without_room_for_a_thread_the_call_builds(fake, gate, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    gate.open()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    program, called = Program(fake.context, "source"), Called()
    program.build(callback=called)
    assert called.statuses == [codes.BUILD_SUCCESS] and called.thread is threading.current_thread()
    assert program.built("clCreateKernel")
