"""Launches that are made again and again, as CUDA graphs of their own (runtime/native/graphs.c): of Python programs and of the driver library,
over a CUDA that is imagined."""

from __future__ import annotations

import ctypes
import gc
import os

import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.commands import nd_range
from cl2cuda.runtime.cuda import api
from cl2cuda.runtime.cuda.launching import HELD, LET_GO, WAITED_NS
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

REPEATED_FROM, MOST_REPEATED, CROWDED_FOR = 16, 128, 4096


class Launches:
    """Of a kernel in the first queue of the imagined device, which Python has launched once."""

    def __init__(self, imagined):
        self.imagined, self.queue = imagined, imagined.first
        try:
            self.program = cl.Program(imagined.context, "kernel void f(global int *a) { a[0] = 1; }").build()
        except cl.RuntimeError as error:
            pytest.skip(f"no NVRTC: {error}")
        self.kernel = self.made()

    def made(self):
        kernel = cl.Kernel(self.program, "f")
        kernel.set_args(self.imagined.buffer)
        self.launch(1, kernel)
        self.queue.finish()
        self.imagined.logged.value = 0
        return kernel

    def launch(self, count, kernel=None, queue=None, size=64):
        """What streams were given."""
        for _ in range(count):
            cl.enqueue_nd_range_kernel(queue or self.queue, kernel or self.kernel, (size,), (64,))
        return self.imagined.taken()


    def settle(self):
        """Other tests of the process may have launched from several threads."""
        kernel, found = self.made(), ""
        for _ in range(0, CROWDED_FOR + 1024, 512):
            found = self.launch(512, kernel)
        assert found.endswith("G")


@pytest.fixture
def launches(imagined):
    found = Launches(imagined)
    found.settle()
    return found


@pytest.fixture
def dependent(imagined):
    """Of a kernel that waits for the grid before it."""
    plain, _, extended = imagined.cuda.launch_addresses
    imagined.cuda.native_launching = library.calls().launching((plain, extended), HELD, LET_GO, WAITED_NS, imagined.cuda.graph_addresses)
    found = Launches(imagined)
    found.settle()
    return found


def repeated(what, count):
    return " ".join([what] * count)


def test_a_launch_that_is_made_again_and_again_is_a_graph_with_the_arguments_of_now(launches, imagined, submitted):
    assert launches.launch(REPEATED_FROM + 4) == f"{repeated('aL', REPEATED_FROM - 1)} {repeated('aG', 5)}"
    other = cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE, 4096)
    for buffer in (other, imagined.buffer):
        launches.kernel.set_arg(0, buffer)
        assert launches.launch(1) == "aG" and imagined.argument.value == buffer._core.address
    assert launches.launch(1, size=128).endswith("aL"), "another size is another launch"
    assert submitted == []


def test_a_size_that_comes_again_has_one_of_its_own(launches, imagined, submitted, monkeypatch):
    """Also where others come in between. Python makes no plan of it."""
    made, genuine = [], nd_range._plan
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))
    launches.launch(REPEATED_FROM)
    assert launches.launch(REPEATED_FROM, size=128) == f"{repeated('aL', REPEATED_FROM - 1)} aG"
    assert launches.launch(1) == "aG" and list(imagined.sizes)[:4] == [2, 1, 1, 64]
    for _ in range(REPEATED_FROM // 2):
        found = [launches.launch(2, size=size) for size in (192, 256)]
    assert found == ["aL aG"] * 2 and list(imagined.sizes)[:4] == [4, 1, 1, 64]
    assert [launches.launch(2, size=size) for size in (128, 192, 256)] == ["aG aG"] * 3
    assert not made and not submitted
    launches.kernel._core.drop_plans()
    assert launches.launch(2, size=128).endswith("aL") and len(made) == 1
    imagined.fails.value = 700
    for _ in range(2):
        with pytest.raises(cl.Error):
            launches.launch(2, size=192)


def test_queues_have_graphs_of_their_own(launches, imagined):
    """One would not run beside itself: of a queue that is out of order the stream has it in which it was made. Those that are timed are
    others."""
    launches.launch(REPEATED_FROM)
    assert launches.launch(1, queue=imagined.second).endswith("L")
    launches.launch(REPEATED_FROM, queue=imagined.second)
    assert (launches.launch(1), launches.launch(1, queue=imagined.second)) == ("aG", "bG")
    assert launches.launch(2 * REPEATED_FROM, queue=imagined.unordered).endswith("uG")
    imagined.make_busy(imagined.stream(imagined.unordered))
    found = launches.launch(2 * REPEATED_FROM, queue=imagined.unordered)
    assert "u1L" in found and "u1G" not in found
    imagined.busy.value = 0
    timed = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    imagined.handles[imagined.stream(timed)] = "t"
    assert launches.launch(2 * REPEATED_FROM, queue=timed) == repeated("tT", 2 * REPEATED_FROM)


def test_a_queue_of_high_priority_has_none(launches, imagined):
    """Kernels of graphs have CUDA's default one."""
    for priority, kind in ((0x1, "L"), (0x2, "G"), (0x4, "G")):  # CL_QUEUE_PRIORITY_HIGH_KHR, _MED_, _LOW_
        queue = cl.CommandQueue(imagined.context, properties=[0x1096, priority])
        imagined.handles[imagined.stream(queue)] = "p"
        assert launches.launch(2 * REPEATED_FROM, queue=queue).endswith(f"p{kind}")


def test_commands_behind_one_come_in_order(launches, imagined, waited):
    launches.launch(REPEATED_FROM)
    event = cl.enqueue_nd_range_kernel(launches.queue, launches.kernel, (64,), (64,))
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert imagined.taken() == "aG b<<a"
    event.wait()
    assert event.command_execution_status == cl.command_execution_status.COMPLETE and not waited


def test_a_thread_that_has_no_context_of_cudas_makes_no_graph(launches, imagined, compiled_streams):
    current = ctypes.c_void_p.in_dll(compiled_streams, "current")
    context, current.value = current.value, None
    assert launches.launch(2 * REPEATED_FROM) == repeated("aL", 2 * REPEATED_FROM)
    current.value = context
    assert launches.launch(REPEATED_FROM) == f"{repeated('aL', REPEATED_FROM - 1)} aG"
    current.value = None
    assert launches.launch(1) == "aL"
    current.value = context
    assert launches.launch(1) == "aG"


def test_brief_ones_that_wait_for_the_grid_before_them(dependent, imagined):
    """Are measured, before which they are as they were; and again later."""
    dependent.launch(REPEATED_FROM - 1)
    assert dependent.launch(9) == f"aR aG aR {repeated('aL', 7)} aG"
    assert dependent.launch(1015) == repeated("aG", 1015)
    assert dependent.launch(1) == "aR aG aR"


def test_one_measurement_does_not_say_that_they_are_not_brief_any_more(dependent, imagined):
    """The host may have been kept from it."""
    dependent.launch(REPEATED_FROM + 1023)
    imagined.us_per_record.value = 10
    assert dependent.launch(1) == "aR aG aR"
    assert dependent.launch(64) == f"{repeated('aG', 63)} aR aG aR"
    imagined.us_per_record.value = 1
    assert dependent.launch(960) == f"{repeated('aG', 959)} aR aG aR"
    imagined.us_per_record.value = 10
    for _ in range(2):
        assert dependent.launch(64) == f"{repeated('aG', 63)} aR aG aR"
    assert dependent.launch(9) == f"{repeated('aG', 7)} aL aL"


def test_a_slow_beginning_does_not_say_so_either(dependent, imagined):
    imagined.us_per_record.value = 10
    dependent.launch(REPEATED_FROM - 1)
    assert dependent.launch(9) == f"aR aG aR {repeated('aL', 8)}"
    imagined.us_per_record.value = 1
    assert dependent.launch(64) == f"{repeated('aL', 55)} aR aG aR {repeated('aL', 7)} aG"


def test_longer_ones_are_graphs_where_nothing_is_before_them(dependent, imagined):
    imagined.us_per_record.value = 10
    dependent.launch(REPEATED_FROM + 9)
    assert dependent.launch(2) == "aL aL"
    for _ in range(3):
        dependent.queue.finish()
        assert dependent.launch(3) == "aG aL aL"
    dependent.queue.finish()
    cl.enqueue_fill_buffer(dependent.queue, imagined.buffer, b"\0\0\0\0", 0, 4096)
    assert dependent.launch(1) == "aC aL"


def test_what_cuda_refuses_is_launched_as_before(launches, imagined):
    imagined.no_graphs.value = 1
    before = imagined.graphs.value, imagined.events.value
    assert launches.launch(2 * REPEATED_FROM) == repeated("aL", 2 * REPEATED_FROM)
    assert (imagined.graphs.value, imagined.events.value) == before
    imagined.no_graphs.value = 0
    assert launches.launch(2) == "aL aL", "it is not asked again"
    kernel = launches.made()
    launches.launch(REPEATED_FROM, kernel)
    imagined.graph_fails.value = 1
    assert launches.launch(1, kernel) == "aL"
    imagined.graph_fails.value = 0
    assert launches.launch(1, kernel) == "aL"


def test_there_are_so_many_graphs_and_they_end_with_their_kernels(dependent, imagined):
    gc.collect()
    before = imagined.graphs.value, imagined.events.value
    kernels = [dependent.made() for _ in range(4)]
    found = [dependent.launch(REPEATED_FROM + 1, kernel, size=64 * groups).count("G")
             for kernel in kernels for groups in range(1, MOST_REPEATED // 4 + 3)]
    made = sum(found)  # Kernels of other tests may have the others.
    assert 0 < made <= MOST_REPEATED and found[-1] == 0
    assert imagined.graphs.value - before[0] == made and imagined.events.value - before[1] == 2 * made
    del kernels
    gc.collect()
    assert (imagined.graphs.value, imagined.events.value) == before


def test_threads_that_meet_launch_as_before_for_a_while(launches, imagined, compiled_streams):
    """What is launched within a launch stands for a thread that meets another."""
    other = launches.made()
    launches.launch(REPEATED_FROM, queue=imagined.second, kernel=other)
    launches.launch(REPEATED_FROM)
    assert launches.launch(2) == "aG aG"
    within = ctypes.c_void_p.in_dll(compiled_streams, "within")

    @ctypes.CFUNCTYPE(None)
    def meet():
        within.value = None
        cl.enqueue_nd_range_kernel(imagined.second, other, (64,), (64,))

    within.value = ctypes.cast(meet, ctypes.c_void_p).value
    assert launches.launch(1) == "bL aG"
    for _ in range(0, CROWDED_FOR, 512):
        assert launches.launch(512) == repeated("aL", 512)
    assert launches.launch(2) == "aG aG"


def test_under_a_tool_that_cuda_loads_launches_stay_launches(monkeypatch):
    """A profiler would show them by the names of their graphs."""
    found = {name: number for number, name in enumerate((*api.GRAPH_CALLS, *api.REPEATED_CALLS), 1)}
    cuda = object.__new__(api.Cuda)
    monkeypatch.setattr(api.Cuda, "_addresses", lambda self, *names: tuple(found[name] for name in names))
    for name in api.INJECTED:
        monkeypatch.delenv(name, raising=False)
    assert api.Cuda.graph_addresses.func(cuda) == tuple(found.values())
    for name in api.INJECTED:
        with monkeypatch.context() as tool:
            tool.setenv(name, "libtool.so")
            assert api.Cuda.graph_addresses.func(cuda) == (*range(1, len(api.GRAPH_CALLS) + 1), 0, 0, 0, 0)


IN_ORDER = """
def in_order(count):
    for _ in range(count):
        ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (W * 1)(64), (W * 1)(64), 0, None, None))
    return taken()

def value(name):
    return ctypes.c_long.in_dll(compiled, name)

value("no_repeated").value = 0
before = value("graphs").value, value("events").value
learnt = in_order(11)  # some are made already
assert learnt == " ".join(["aL"] * 11), learnt
"""


def test_the_driver_library_does_so_too(run_lanes):
    run_lanes(IN_ORDER + """
while "G" not in (found := in_order(1)):
    pass
assert found == "aR aG aR", found
assert in_order(8) == " ".join(["aL"] * 7 + ["aG"])
assert in_order(1015) == " ".join(["aG"] * 1015) and in_order(1) == "aR aG aR"
other = handle("clCreateBuffer", cl_context, W(0), W(4096), None)
ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(other)))
assert in_order(1) == "aG" and value("argument").value != 0
value("us_per_record").value = 10
assert in_order(62) == " ".join(["aG"] * 62) and in_order(1) == "aR aG aR"
assert in_order(63) == " ".join(["aG"] * 63) and in_order(1) == "aR aG aR"
assert in_order(8) == " ".join(["aG"] * 7 + ["aL"])
ok(cl.clFinish(queue))
assert in_order(2) == "aG aL"
assert not submitted
# The graph ends with the kernel, which goes with its program: released ones become other ones before, but for a program that goes first.
made = value("graphs").value, value("events").value
assert made == (before[0] + 1, before[1] + 2), (before, made)
ok(cl.clReleaseProgram(program))
ok(cl.clReleaseKernel(kernel))
ended = value("graphs").value, value("events").value
assert ended == before, (before, ended)
""")


def test_a_thread_of_the_driver_library_that_has_no_context_of_cudas_makes_no_graph(run_lanes):
    run_lanes(IN_ORDER + """
current = P.in_dll(compiled, "current")
context, current.value = current.value, None
cuda.driver.ctxSetCurrent = lambda handle: None
assert "G" not in in_order(40)
current.value = context
assert "G" in in_order(20)
""")


def test_what_cuda_refuses_the_driver_library_launches_as_before(run_lanes):
    run_lanes(IN_ORDER + """
value("no_graphs").value = 1
assert in_order(40) == " ".join(["aL"] * 40)
assert (value("graphs").value, value("events").value) == before
value("no_graphs").value = 0
assert in_order(40) == " ".join(["aL"] * 40)
assert not submitted
""")


def test_launches_with_an_offset_are_graphs_behind_its_record(run_lanes):
    run_lanes(IN_ORDER + """
def shifted(count, offset=64):
    for _ in range(count):
        ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, (W * 1)(offset), (W * 1)(64), (W * 1)(64), 0, None, None))
    return taken()

shifted(18)
assert shifted(2) == "aG aG"
assert shifted(2, 128) == "aC aG aG"
in_order(20)
assert shifted(2, 128) == "aG aG"
assert not submitted
""")


def test_threads_of_the_driver_library_launch_one_kernel_at_once(run_lanes):
    run_lanes(IN_ORDER + """
def work(number):
    for _ in range(200):
        ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (W * 1)(64), (W * 1)(64), 0, None, None))

in_order(30)
in_four_threads(work)
ok(cl.clFinish(queue))
found = taken().split()
assert found.count("aL") + found.count("aG") == 800, found
""")


def test_launches_with_an_offset_write_what_they_are_in_their_turn(launches, imagined, submitted):
    """As the kernel reads it: once for all launches that are alike, also from an offset that comes for the first time, and behind those of
    another stream's turn by Python, which imagines no calls here."""

    def at(offset, queue=launches.queue):
        cl.enqueue_nd_range_kernel(queue, launches.kernel, (64,), (64,), (offset,))
        return imagined.taken()

    assert [at(offset) for offset in (64, 64, 64, 128, 128)] == ["", "aL", "aL", "aC aL", "aL"]
    assert [at(offset) for offset in (64, 64, 128, 64)] == ["aC aL", "aL", "aC aL", "aC aL"]
    other = cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE, 4096)
    launches.kernel.set_arg(0, other)
    assert at(64) == "aL" and imagined.argument.value == other._core.address
    assert [at(64, imagined.second) for _ in range(3)] == ["", "bL", "bL"] and at(64) == "aL"
    assert {at(64, imagined.unordered) for _ in range(3)} == {""} and submitted == ["clEnqueueNDRangeKernel"] * 3
    imagined.fails.value = 1
    assert at(64) == "aL" and at(128) == "aC"  # which have failed, and are Python's, then
    imagined.fails.value = 0
    assert at(64) == "aC aL"
