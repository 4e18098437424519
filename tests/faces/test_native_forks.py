"""Children made by `fork` while another thread is within the driver library, over a CUDA that is imagined: what that thread holds there it
never lets go of in the child."""

import pytest

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

HEAD = """
import os, signal, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 and later warn of forks beside threads, as these are
within = P.in_dll(compiled, "within")
inside, leave = threading.Event(), threading.Event()

@ctypes.CFUNCTYPE(None)
def pause():
    within.value = None
    inside.set()
    leave.wait(60)

# Another thread makes the call, and within it the child is made.
def fork_within(call, child_runs):
    within.value = ctypes.cast(pause, P).value
    worker = threading.Thread(target=call)
    worker.start()
    assert inside.wait(20), "the call has not come there"
    child = os.fork()
    if not child:
        signal.alarm(20)
        child_runs()
        os._exit(0)
    leave.set()
    worker.join()
    assert os.waitpid(child, 0)[1] == 0

def ask_python():
    found = P()
    ok(cl.clGetEventInfo(made[-1], 0x11D4, W(8), ctypes.byref(found), None))
    hear_of(made[-1])
    ok(cl.clGetEventInfo(made[-1], 0x11D4, W(8), ctypes.byref(found), None))
    assert found.value == cl_context.value
"""


def test_a_thread_that_makes_what_was_held_back(run_lanes):
    run_lanes(HEAD + """
def new_gate():
    return handle("clCreateUserEvent", cl_context)

for _ in range(3):
    for where in (queue, unordered):
        gate = new_gate()
        launch(gate, queue=where)
        ok(cl.clSetUserEventStatus(gate, 0)), ok(cl.clReleaseEvent(gate))
        finish(), ok(cl.clFinish(queue))
submitted.clear()
gate, other = new_gate(), new_gate()
held, later = launch(gate, queue=queue), launch(other)
assert not submitted

def child_runs():
    ask_python()
    for event in (held, later, gate, other):
        ok(cl.clReleaseEvent(event))
    ask_python()

fork_within(lambda: ok(cl.clSetUserEventStatus(gate, 0)), child_runs)
assert state(held) == 0 and state(later) == 3 and not submitted
ok(cl.clSetUserEventStatus(other, 0))
assert state(later) == 0
ask_python()
""")


def test_a_thread_that_looks_for_a_lane(run_lanes):
    run_lanes(HEAD + """
two_that_run()
make_busy(0)

def child_runs():
    ask_python()
    launch()
    ok(cl.clReleaseCommandQueue(unordered))

def launch_until_asked():
    while not inside.is_set():
        make_busy(0, 1)
        launch()

fork_within(launch_until_asked, child_runs)
launch()
""")
