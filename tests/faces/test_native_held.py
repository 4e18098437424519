"""Launches that the driver library holds back behind user events (driver/held.c), over a CUDA that notes what each stream was given."""

import pytest

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


def test_a_launch_behind_a_user_event_needs_no_python(run_held):
    """It has the arguments of then."""
    run_held("""
for where, name in ((queue, "a"), (unordered, "0")):
    gate = new_gate()
    event = launch(gate, queue=where)
    assert state(event) == 3 and taken() == ""
    take(other)
    ok(set_gate(gate))
    assert not submitted and taken() == name + "L" and argument.value == old and state(event) == 0
    ok(cl.clWaitForEvents(1, ctypes.byref(event)))
    launch(event, queue=where)
    assert not submitted and taken() == name + "L" and argument.value == new
    take(buffer)
    ok(cl.clReleaseEvent(gate))
finish(), ok(cl.clFinish(queue))
assert command_type(event) == 0x11F0
""")


def test_what_comes_later_in_the_queue_stays_behind(run_held):
    run_held("""
gate = new_gate()
first = launch(gate, queue=queue)
take(other)
second, third = launch(queue=queue), launch(first, queue=queue)
ok(cl.clFlush(queue))
assert not submitted and taken() == "" and [state(each) for each in (first, second, third)] == [3, 3, 3]
ok(set_gate(gate))
assert not submitted and taken() == "aL aL aL" and argument.value == new and state(third) == 0
fourth = launch(third, queue=queue)
assert not submitted and taken() == "aL"
""")


def test_in_queues_out_of_order_others_go_on(run_held):
    run_held("""
gate = new_gate()
held = launch(gate)
launch()
assert not submitted and taken() == "0L" and state(held) == 3
ok(set_gate(gate))
assert not submitted and taken() == "0L"
# A barrier waits for it.
finish()
gate = new_gate()
held = launch(gate)
behind = barrier()
assert submitted and state(held) == state(behind) == 3 and taken() == ""
last = launch()
assert state(last) == 3 and taken() == ""
ok(set_gate(gate))
assert taken() and [state(each) for each in (held, behind, last)] == [0, 0, 0]
finish()
for _ in range(3):
    launch()
finish(), taken()
gate = new_gate()
launch(gate)
ok(set_gate(gate))
assert not submitted and taken().endswith("L")
finish()
""")


def test_python_is_told_when_it_is_asked(run_held):
    run_held("""
gate = new_gate()
held, behind = launch(gate, queue=queue), launch(queue=queue)
take(other)
assert command_type(held) == 0x11F0 and len(submitted) == 2 and len(in_order._deferred) == 2
known = application.core(held.value, "E")
assert known.queue is in_order and known.pending and state(held) == state(behind) == 3
again = launch(queue=queue)
assert taken() == ""
ok(set_gate(gate))
assert taken() == "aL aL aL"
ok(cl.clFinish(queue))
assert [state(each) for each in (held, behind, again)] == [0, 0, 0]
# The next ones are the library's again.
take(buffer), launch(queue=queue), taken()
gate = new_gate()
held = launch(gate, queue=queue)
ok(set_gate(gate))
assert not submitted and taken() == "aL"
""")


def test_python_launches_with_the_arguments_of_then(run_held):
    run_held("""
gate = new_gate()
held = launch(gate, queue=queue)
take(other)
command_type(held)
ok(set_gate(gate))
assert taken() == "aL" and argument.value == old
""")


def test_user_events_that_fail(run_held):
    """What is behind the launch in its queue runs all the same."""
    run_held("""
gate = new_gate()
held, behind = launch(gate, queue=queue), launch(queue=queue)
last = launch(held, queue=queue)
ok(set_gate(gate, -5))
assert state(held) == state(last) == -14 and cl.clWaitForEvents(1, ctypes.byref(held)) == -14 and state(behind) == 0
assert taken() == "aL"
gate = new_gate()
held = launch(gate)
ok(set_gate(gate, -1))
assert state(held) == state(launch(held)) == -14 and taken() == ""
finish(), ok(cl.clFinish(queue))
""")


def test_what_is_wrong(run_held):
    run_held("""
gate = new_gate()
held = launch(gate, queue=queue)
assert set_gate(gate, 1) == -30 and state(held) == 3
ok(set_gate(gate))
assert set_gate(gate) == -59 and set_gate(gate, -1) == -59 and state(held) == 0 and taken() == "aL"
elsewhere = handle("clCreateContext", None, 1, ctypes.byref(device), None, None)
foreign = handle("clCreateUserEvent", elsewhere)
foreign = handle("clCreateUserEvent", elsewhere)
launch(foreign, queue=queue, status=-34)
gate = new_gate()
one = (P * 1)(gate)
for local, status in ((0, -54), (5000, -54), (W(-1).value, -54)):
    assert cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (W * 1)(64), (W * 1)(local), 1, one, None) in (status, -55)
assert cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (W * 1)(64), (W * 1)(64), 1, None, None) == -57
assert cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (W * 1)(64), (W * 1)(64), 0, one, None) == -57
ok(set_gate(gate))
""")


def test_what_cuda_refuses_is_pythons(run_held):
    run_held("""
gate = new_gate()
held, behind = launch(gate, queue=queue), launch(queue=queue)
before, current.value = current.value, 12345
ok(set_gate(gate))
current.value = before
assert submitted and taken() == "aL aL" and argument.value == old and state(held) == state(behind) == 0
""")


def test_objects_may_go_before(run_held):
    run_held("""
gate = new_gate()
events = [launch(gate, queue=queue) for _ in range(2)]
for event in events:
    ok(cl.clReleaseEvent(event))
    made.remove(event)
ok(set_gate(gate)), ok(cl.clReleaseEvent(gate))
assert not submitted and taken() == "aL aL"
# A buffer that is released is no other one's before; so are kernels and queues.
temporary = handle("clCreateBuffer", cl_context, W(0), W(2048), None)
take(temporary), launch(queue=queue), ok(cl.clFinish(queue)), taken()
gate = new_gate()
launch(gate, queue=queue)
ok(cl.clReleaseMemObject(temporary))
another = handle("clCreateBuffer", cl_context, W(0), W(2048), None)
take(another)
used = argument.value
launch(queue=queue)
ok(set_gate(gate))
ok(cl.clFinish(queue))
text = ctypes.c_char_p(b"kernel void g(global int *a) { a[0] = 2; }")
second = handle("clCreateProgramWithSource", cl_context, 1, ctypes.byref(text), None)
ok(cl.clBuildProgram(second, 0, None, None, None, None))
kernel = handle("clCreateKernel", second, b"g")
take(buffer)
for _ in range(3):
    launch(queue=queue)
ok(cl.clFinish(queue)), taken()
gate = new_gate()
held = launch(gate, queue=queue)
ok(cl.clReleaseKernel(kernel)), ok(cl.clReleaseProgram(second)), ok(cl.clReleaseCommandQueue(queue))
ok(set_gate(gate))
ok(cl.clWaitForEvents(1, ctypes.byref(held)))
assert state(held) == 0 and argument.value == old
""")


def test_a_user_event_that_goes_unset(run_held):
    run_held("""
gate = new_gate()
held = launch(gate, queue=queue)
ok(cl.clReleaseEvent(gate))
assert state(held) == 3 and taken() == ""
""")


def test_waiting_and_callbacks(run_held):
    run_held("""
called = []

@ctypes.CFUNCTYPE(None, P, ctypes.c_int, P)
def call(event, status, data):
    called.append(status)

for where in (queue, unordered):
    gate = new_gate()
    held = launch(gate, queue=where)
    threading.Timer(0.05, set_gate, (gate,)).start()
    ok(cl.clWaitForEvents(1, ctypes.byref(held)))
    assert state(held) == 0
    gate = new_gate()
    held = launch(gate, queue=where)
    threading.Timer(0.05, set_gate, (gate,)).start()
    ok(cl.clFinish(where))
    assert state(held) == 0
    gate = new_gate()
    held = launch(gate, queue=where)
    ok(cl.clSetEventCallback(held, 0, call, None))
    assert not called
    ok(set_gate(gate))
    for _ in range(1000):
        if called:
            break
        time.sleep(0.01)
    assert called.pop() == 0
""")


def test_several_user_events(run_held):
    run_held("""
gates = [new_gate() for _ in range(3)]
first, second = launch(gates[0], queue=queue), launch(gates[1])
third = launch(gates[2], queue=queue)  # Python's, behind both.
ok(set_gate(gates[2])), ok(set_gate(gates[1]))
assert state(second) == 0 and state(first) == state(third) == 3
ok(set_gate(gates[0]))
assert state(first) == state(third) == 0
finish(), ok(cl.clFinish(queue)), launch(queue=queue), launch(), finish(), taken()
gates = [new_gate() for _ in range(3)]
events = [launch(gate) for gate in gates]
for gate, event in reversed(list(zip(gates, events))):
    ok(set_gate(gate))
    assert state(event) == 0
assert not submitted
finish()
""")


def test_threads_hold_back_and_set(run_held):
    run_held("""
failures = []

def work(seed):
    try:
        for turn in range(60):
            gate = new_gate()
            event = launch(gate, queue=queue if (turn + seed) % 3 == 0 else unordered)
            if turn % 7 == seed % 7:
                command_type(event)
            if turn % 5 == 0:
                launch()
            ok(set_gate(gate, -3 if turn % 11 == 10 else 0))
            if turn % 4 == 0:
                assert cl.clWaitForEvents(1, ctypes.byref(event)) == (-14 if turn % 11 == 10 else 0)
            ok(cl.clReleaseEvent(gate))
    except BaseException as failure:
        failures.append(failure)

threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
finish(), ok(cl.clFinish(queue))
assert not failures, failures
given = taken().split()
assert len([each for each in given if each.endswith("L")]) == 4 * (60 - 5 + 12), len(given)
""")


def test_a_user_event_set_by_another_thread_while_launches_come(run_held):
    run_held("""
failures, wanted = [], 0
for turn in range(100):
    gate, events = new_gate(), []
    setter = threading.Thread(target=set_gate, args=(gate,))
    setter.start()
    for _ in range(3):
        events.append(launch(gate, queue=queue if turn % 2 else unordered))
    setter.join()
    ok(cl.clFinish(queue)), finish()
    assert [state(each) for each in events] == [0, 0, 0]
assert len([each for each in taken().split() if each.endswith("L")]) == 300
""")
