"""Calls of kernels with declared argument types: what goes the quick way, and what PyOpenCL's generated code is left with."""

import os
import threading

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import invoker
from cl2cuda.runtime.native import library

import pyopencl.array as cla  # isort: skip
from pyopencl.elementwise import ElementwiseKernel  # isort: skip

DEVICES = cl.get_platforms()[0].get_devices()
SOURCE = """
kernel void mixed(char c, global double *out, int i, constant float *in, ulong l, float f) {
    out[0] = c; out[1] = i; out[2] = in[0]; out[3] = l; out[4] = f;
}
kernel void sums(global float *out, float2 v, local float *room, float f) { out[0] = v.x + v.y + f; }
"""


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def queue(request):
    return cl.CommandQueue(cl.Context([request.param]))


@pytest.fixture
def program(queue):
    return cl.Program(queue.context, SOURCE).build()


def mixed(program):
    kernel = cl.Kernel(program, "mixed")
    kernel.set_arg_types([np.int8, None, np.int32, None, np.uint64, np.float32])
    return kernel


def buffer_of(queue, values):
    return cl.Buffer(queue.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.array(values))


def read(queue, buffer):
    found = np.empty(5)
    cl.enqueue_copy(queue, found, buffer)
    return found.tolist()


def is_quick(kernel):
    return "call" in (type(kernel).__call__.__name__, kernel._call_in_python.__name__)


def test_all_arguments_arrive(queue, program):
    kernel, out, numbers = mixed(program), buffer_of(queue, np.zeros(5)), buffer_of(queue, np.float32([0.5]))
    assert is_quick(kernel)
    event = kernel(queue, (1,), None, -3, out, 1 << 20, numbers, 1 << 40, 0.25)
    assert isinstance(event, cl.Event) and read(queue, out) == [-3, 1 << 20, 0.5, 1 << 40, 0.25]
    kernel(queue, (1,), (1,), np.int8(4), out, np.int64(5), numbers, np.uint8(6), np.float64(7), wait_for=[event])
    assert read(queue, out) == [4, 5, 0.5, 6, 7]
    kernel.set_args(1, out, 2, numbers, 3, 4)
    cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
    assert read(queue, out) == [1, 2, 0.5, 3, 4]


def test_kernels_of_one_shape_do_not_share_their_arguments(queue, program):
    first, second = mixed(program), mixed(program)
    outs, numbers = [buffer_of(queue, np.zeros(5)) for _ in range(2)], buffer_of(queue, np.float32([0.5]))
    first(queue, (1,), None, 1, outs[0], 1, numbers, 1, 1)
    second(queue, (1,), None, 2, outs[1], 2, numbers, 2, 2)
    cl.enqueue_nd_range_kernel(queue, first, (1,), None)
    assert [read(queue, out) for out in outs] == [[1, 1, 0.5, 1, 1], [2, 2, 0.5, 2, 2]]


def test_what_does_not_fit_is_said_and_nothing_runs(queue, program):
    kernel, out, numbers = mixed(program), buffer_of(queue, np.zeros(5)), buffer_of(queue, np.float32([0.5]))
    foreign = buffer_of(cl.CommandQueue(cl.Context(queue.context.devices)), np.zeros(5))
    good = (1, out, 1, numbers, 1, 1)
    for place, value in ((0, 1 << 40), (0, "x"), (1, foreign), (1, 7), (2, 1.5), (4, -1), (5, None), (5, 1j)):
        with pytest.raises((cl.LogicError, RuntimeError), match=f"arg#{place + 1} "):
            kernel(queue, (1,), None, *good[:place], value, *good[place + 1 :])
    assert read(queue, out) == [0] * 5
    for wrong in ((1, out), (*good, 1)):
        with pytest.raises(TypeError):
            kernel(queue, (1,), None, *wrong)
    with pytest.raises(cl.LogicError, match=r"INVALID_WORK_(GROUP|ITEM)_SIZE"):
        kernel(queue, (1 << 20,), (1 << 20,), *good)


def test_null_and_pooled_memory(queue):
    program = cl.Program(queue.context, "kernel void f(global int *a, global int *b, int n) { if (!b) a[0] = n; }").build()
    kernel, pool = cl.Kernel(program, "f"), cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))
    kernel.set_arg_types([None, None, np.int32])
    block = pool.allocate(40)
    kernel(queue, (1,), None, block, None, 5)
    found = np.zeros(1, np.int32)
    cl.enqueue_copy(queue, found, block)
    assert is_quick(kernel) and found[0] == 5


def test_vectors_and_local_memory_go_the_other_way(queue, program):
    kernel, out = cl.Kernel(program, "sums"), buffer_of(queue, np.zeros(5))
    kernel.set_arg_types([None, cl.cltypes.float2, None, np.float32])
    assert not is_quick(kernel)
    kernel(queue, (1,), None, out, cl.cltypes.make_float2(1, 2), cl.LocalMemory(16), 4)
    found = np.zeros(1, np.float32)
    cl.enqueue_copy(queue, found, out)
    assert found[0] == 7


def test_arrays(queue):
    double = ElementwiseKernel(queue.context, "float *x, float *y, float a", "y[i] = a * x[i]", "double_")
    x, y = cla.arange(queue, 100, dtype=np.float32), cla.zeros(queue, 100, np.float32)
    double(x, y, 2)
    double(x[10:20], y[:10], 3)
    assert (y.get() == [3 * i for i in range(10, 20)] + [2 * i for i in range(10, 100)]).all()
    x += y
    assert (x.get()[10:] == 3 * np.arange(10, 100)).all()
    with pytest.raises(RuntimeError, match="contiguous"):
        x[::2] + x[::2]


def test_events_of_arrays_are_waited_for(queue):
    """Also those that no queue orders."""
    other = cl.CommandQueue(queue.context)
    x, gate = cla.zeros(queue, 4, np.float32), cl.UserEvent(queue.context)
    x.add_event(gate)
    y = x + 1
    assert y.events[-1].command_execution_status > cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert (y.get() == 1).all()
    with pytest.raises((AssertionError, RuntimeError)):
        x.events.clear()
        x._axpbyz(x, 1, x, 1, y.with_queue(other), queue=queue)


@pytest.fixture
def add(queue):
    """A kernel of arrays, which has been called, with three of them: the first one gets the sum."""
    kernel = cla.elementwise.get_axpbyz_kernel(queue.context, *[np.dtype(np.float32)] * 3)
    arrays = [cla.to_device(queue, np.full(64, value, np.float32)) for value in (0, 1, 2)]

    def call(*arrays, on=queue, named=None):
        z, x, y = arrays
        return kernel(on, (64,), (32,), z, np.float32(2), x, 3, y, z.size, **(named or {}))

    call(*arrays)
    return call, kernel, arrays


@pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")
def test_calls_with_arrays_take_no_step_of_pythons(add, monkeypatch, queue):
    call, kernel, (z, x, y) = add
    monkeypatch.setattr(type(kernel), "_call_in_python", lambda *_, **__: pytest.fail("in Python"))
    for named in ({}, {"wait_for": None}, {"wait_for": []}, {"wait_for": [cl.enqueue_marker(queue)]}):
        z.fill(0)
        call(z, x, y, named=named)
        assert (z.get() == 8).all()
    call(z, z, z.with_queue(None))
    call(z[:], x, y[10:20])
    assert isinstance(call(z, x, y), cl.Event)


def test_what_is_asked_of_arrays_is_asked(add, queue):
    call, _, (z, x, y) = add
    other, foreign = cl.CommandQueue(queue.context), cl.CommandQueue(cl.Context(queue.context.devices))
    again = cl.CommandQueue.from_int_ptr(queue.int_ptr)
    call(z.with_queue(again), x, y)
    assert (z.get() == 8).all()
    for wrong, failure in (((z, x, y[::2]), RuntimeError), ((z, x, y.with_queue(other)), AssertionError), ((z, x, 5), AttributeError),
                           ((z, x, cla.zeros(foreign, 64, np.float32)), (AssertionError, cl.LogicError, RuntimeError))):
        with pytest.raises(failure):
            call(*wrong)
    with pytest.raises(TypeError):
        call(z, x, y, named={"waits": None})
    y.base_data.release()
    with pytest.raises((cl.LogicError, RuntimeError)):
        call(z, x, y)


def test_flags_of_a_class_of_the_programs_own_are_asked(add):
    call, _, (z, x, y) = add

    class Mine(cla.Array):
        flags = property(lambda self: self.mine)

    y.__class__ = Mine
    for contiguous in (True, False):
        y.mine = type("Flags", (), {"forc": contiguous})()
        if contiguous:
            call(z, x, y)
        else:
            with pytest.raises(RuntimeError, match="contiguous"):
                call(z, x, y)


@pytest.mark.parametrize("given", [list, tuple, iter], ids=["list", "tuple", "iterator"])
def test_a_call_waits_for_its_list_and_for_events_of_arrays(add, queue, given):
    call, _, (z, x, y) = add
    gates = [cl.UserEvent(queue.context) for _ in range(3)]
    x.add_event(gates[0])
    y.add_event(gates[1])
    events = list(x.events), list(y.events), list(z.events)
    event = call(z, x, y, named={"wait_for": given([gates[2]])})
    assert (x.events, y.events, z.events) == events
    for gate in gates:
        assert event.command_execution_status > cl.command_execution_status.COMPLETE
        gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert (z.get() == 8).all()


def test_events_that_are_no_list_are_waited_for(add, queue):
    call, _, (z, x, y) = add
    gate = cl.UserEvent(queue.context)
    x.events = (gate,)
    event = call(z, x, y)
    assert event.command_execution_status > cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()


def test_threads_with_arrays_of_their_own(queue):
    """Each with a kernel of its own, too."""
    wrong = []

    def work(number):
        kernel = ElementwiseKernel(queue.context, "float *z, float *x, float a", "z[i] = x[i] + a", f"plus{number}")
        z, x = cla.empty(queue, 64, np.float32), cla.to_device(queue, np.full(64, number, np.float32))
        for turn in range(50):
            kernel(z, x, turn)
            if not (z.get() == number + turn).all():
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")
def test_calls_with_arrays_leave_nothing_behind(add):
    call, _, (z, x, y) = add
    kept = [z, x, y, z.base_data, z.events, x.events, z.queue, np.float32, None]
    leaves_nothing(lambda: call(z, x, y).wait(), kept)


def test_a_function_of_another_kind_stays():
    def generated(self, queue, global_size, local_size, arg0, global_offset=None):
        self._set_arg_buf_multi((0, arg0))

    class Arguments:
        class info:
            args = (None,)

    assert invoker.quick(Arguments, generated, None) == (generated, None)
