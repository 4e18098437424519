"""What tests of commands that the driver library holds back begin with: for `driver_lanes`, what `EARLY` is run before."""

from __future__ import annotations

# Launches of Python's own are noted, too.
EARLY = """
def launch_from_python(function, *sizes):
    *sizes, stream, parameters, extra = sizes
    compiled.launch(P(function), *sizes, P(stream), P(parameters), None)

cuda.driver.launchKernel = launch_from_python
"""
HEAD = """
argument = ctypes.c_long.in_dll(compiled, "argument")
current = P.in_dll(compiled, "current")
other = handle("clCreateBuffer", cl_context, W(0), W(4096), None)
in_order = application.core(queue.value, "Q")

def address_of(memory):
    return application.core(memory.value, "M").address

old, new = address_of(buffer), address_of(other)

def take(memory):
    ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(memory)))

def new_gate():
    return handle("clCreateUserEvent", cl_context)

def set_gate(gate, status=0):
    return cl.clSetUserEventStatus(gate, status)

def command_type(event):
    found = ctypes.c_uint()
    ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(found), None))
    hear_of(event)
    ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(found), None))
    return found.value

# The second user event of a context is known, and the second launch of a kernel that is held back.
for _ in range(3):
    for where in (queue, unordered):
        gate = new_gate()
        launch(gate, queue=where)
        ok(set_gate(gate)), ok(cl.clReleaseEvent(gate))
        finish(), ok(cl.clFinish(queue))
taken()
"""
