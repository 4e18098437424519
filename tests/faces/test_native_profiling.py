"""Queues in order that take times, of the driver library (driver/times.c), over a CUDA that is imagined: what it calls, what it leaves to
Python, and which times it tells."""

import pytest
from support import c_library, driver_library

from cl2cuda.opencl_icd.build import compilers

# What one stream was given, a letter each: a launch, a copy, a record, a graph of a launch or of a copy on the device. Each takes a thousand
# nanoseconds, and has ended as soon as `ended` is as many. An event is the address of the count at which it was recorded.
CUDA = r"""
#include <stddef.h>
#include <stdint.h>
#include <string.h>
char given[1 << 20];
long count, ended = 1L << 40, fails, graph_fails, graphs, made;
void *current = (void *)77;
static int note(char what) { given[count++] = what; return 0; }
int context(void **found) { *found = current; return 0; }
int query(void *s) { return ended >= count ? 0 : 600; }
int copied(char *to, const char *from, size_t n, void *s) { return fails ? fails : (memmove(to, from, n), note('C')); }
int record(long *event, void *s) { *event = count; return fails ? fails : note('R'); }
int elapsed(float *ms, long *start, long *end)
{
    *ms = (*end - *start) * 1e-3f;
    return fails ? fails : *end >= ended ? 600 : 0;
}
int launch(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned h, void *s, void **p, void **x)
{
    return fails ? fails : note('L');
}
int launch_dependent(void *config, void *f, void **p, void **x) { return fails ? fails : note('L'); }
struct around { void *command; int (*begin)(void *), (*end)(void *); };
int write_box(void *s, void *array, void *box, void *rows, int waits, struct around *around) /* WAS_GIVEN, or left to Python */
{
    if (fails || (around && !around->begin(around->command)))
        return 0;
    note('B');
    return !around || around->end(around->command);
}
static long *events[2];
static char what;
int create(void **g, unsigned flags) { *g = events; graphs++; return graph_fails; }
int end(void *g) { graphs--; return 0; }
int add_record(long *node, void *g, void **behind, size_t n, long *e) { *node = n; events[n] = e; return 0; }
int add_kernel(long *node, void *g, void **behind, size_t n, void *grid) { *node = 5; return 0; }
int add_copy(long *node, void *g, void **behind, size_t n, void *copy, void *context) { *node = 6; what = 'D'; return 0; }
int instantiate(void **m, void *g, unsigned long long flags) { *m = events; made++; return 0; }
int end_made(void *m) { made--; return 0; }
int set_kernel(void *m, long node, long **grid) { what = 'T'; return node != 5; }
int set_copy(void *m, long node, uint64_t *copy, void *context) { what = 'D'; return node != 6; }
int set_event(void *m, long node, long *e) { ((long **)m)[node] = e; return graph_fails; }
int launch_graph(long **m, void *s)
{
    int status = record(m[0], s);
    count -= !status;
    return status || note(what) ? status : (*m[1] = count, 0);
}
"""
GRAPH = ("create", "end", "add_record", "add_kernel", "instantiate", "end_made", "set_kernel", "set_event", "launch_graph", "add_copy", "set_copy")

HEAD = """
import ctypes, time
from cl2cuda.opencl_icd import application
from cl2cuda.runtime.commands import nd_range
from cl2cuda.runtime.cuda.stream import _Graphs
from cl2cuda.runtime.driver.device import NativeLaunch
from cl2cuda.runtime.driver.interface import NativeStream
from cl2cuda.runtime.host.stream import HostStream
from cl2cuda.runtime.queue.queue import CommandQueue

cl = ctypes.CDLL(%r)
W, P = ctypes.c_uint64, ctypes.c_void_p

def address(function):
    return ctypes.cast(function, P).value

def word(name):
    return ctypes.c_long.in_dll(cuda, name)

cuda = ctypes.CDLL(CUDA)
count, ended, fails, graph_fails, graphs, made = map(word, ("count", "ended", "fails", "graph_fails", "graphs", "made"))
calls = _Graphs(tuple(address(getattr(cuda, name)) for name in GRAPH), 77)
nothing_printed = W()
stream = NativeStream(address(cuda.query), 13, 10**12, address(cuda.copied), address(cuda.copied), most_read=64, most_written=64,
                      current=address(cuda.context), context=77, prints=ctypes.addressof(nothing_printed), copy=address(cuda.copied),
                      record=address(cuda.record), elapsed=address(cuda.elapsed), graphs=ctypes.addressof(calls))
HostStream.native = lambda self: stream
START = time.perf_counter_ns()
bases, fences, by_python, waited = [], [], [], []

class Base:
    def __init__(self):
        self.place = ctypes.c_long()
        self.event = ctypes.addressof(self.place)
        self.until = time.perf_counter_ns() + 10**12
        bases.append(self)

    def time_ns(self):
        waited.append(self)
        return START

class Fence:
    living = 0

    def __init__(self):
        Fence.living += 1
        self.place = ctypes.c_long()
        self.base = None

    def wait(self):
        assert self.done()

    def done(self):
        return self.place.value < ended.value

    def time_ns(self):
        return self.base.time_ns() + 1000 * self.place.value

    def __del__(self):
        Fence.living -= 1

def timed_fences(self):
    by_python.append("fences")
    pair = Fence(), Fence()
    return (*pair, *(ctypes.addressof(each.place) for each in pair))

def counted_from(self, base, fences):
    for each in fences[:2]:
        each.base = base
    return fences[:2]

HostStream.timed_fences, HostStream.counted_from = timed_fences, counted_from
HostStream.time_base = lambda self: bases[-1] if bases and time.perf_counter_ns() < bases[-1].until else Base()
zeros = (P * 1)()
kind = "grid"
nd_range.native_launch = lambda *_: NativeLaunch(kind, address(cuda.launch if kind == "grid" else cuda.launch_dependent), (1, 1, 1, 1, 1, 1, 1, 0, 13, ctypes.addressof(zeros)),
                                                address(cuda.context), 77)
submit = CommandQueue.submit
CommandQueue.submit = lambda self, routine, *more, **named: by_python.append(routine) or submit(self, routine, *more, **named)
""" + driver_library.OPENED + """
def new_queue():
    return handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 2, 0))

queue = new_queue()
one, other = (handle("clCreateBuffer", cl_context, W(0), W(128), None) for _ in range(2))
host = (ctypes.c_char * 128)()
text = ctypes.c_char_p(b"kernel void f(global int *a) { a[get_global_id(0)] = 1; }")
program = handle("clCreateProgramWithSource", cl_context, 1, ctypes.byref(text), None)
ok(cl.clBuildProgram(program, 0, None, b"", None, None))

def new_kernel():
    kernel = handle("clCreateKernel", program, b"f")
    ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(one)))
    return kernel

def given(function, *arguments, behind=()):
    event = P()
    ok(getattr(cl, function)(queue, *arguments, len(behind), (P * len(behind))(*behind) if behind else None, ctypes.byref(event)))
    return event

def launch(**named):
    return given("clEnqueueNDRangeKernel", kernel, 1, None, ctypes.byref(W(1)), ctypes.byref(W(1)), **named)

def read(size=8):
    return given("clEnqueueReadBuffer", one, 1, W(0), W(size), host)

def write(size=8):
    return given("clEnqueueWriteBuffer", one, 1, W(0), W(size), host)

def copy():
    return given("clEnqueueCopyBuffer", one, other, W(0), W(64), W(64))

def marker(**named):
    return given("clEnqueueMarkerWithWaitList", **named)

def status(event):
    found = ctypes.c_int(77)
    ok(cl.clGetEventInfo(event, 0x11D3, W(4), ctypes.byref(found), None))
    return found.value

def times(event):
    found = [W() for _ in range(5)]
    codes = {cl.clGetEventProfilingInfo(event, 0x1280 + i, W(8), ctypes.byref(each), None) for i, each in enumerate(found)}
    assert len(codes) == 1
    return codes.pop() or [each.value for each in found]

seen = 0

def taken():
    global seen
    found = ctypes.string_at(cuda.given, count.value)[seen:]
    seen = count.value
    return found.decode()

def release(*events):
    for event in events:
        ok(cl.clReleaseEvent(event))

NOT_AVAILABLE = -7
kernel = new_kernel()
for each in range(3):
    release(launch(), copy(), write(), read())
ok(cl.clFinish(queue))
by_python.clear()
taken()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    if not compilers():
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("cuda")
    c_library.load(CUDA, folder)
    place = folder / "library.so"

    def run(text):
        assert driver_library.run(f"CUDA, GRAPH = {str(place)!r}, {GRAPH}\n" + HEAD, text) == ""

    return run


def test_commands_are_given_between_events(run):
    run("""
assert (launch(), taken())[1] == "T" and (copy(), taken())[1] == "D"
assert (write(), taken())[1] == "RCR" and (read(), taken())[1] == "RCR" and (marker(), taken())[1] == "RR"
assert set(by_python) <= {"fences"}
kept, last = [launch(), copy(), write(), read(), marker()], 0
for event in kept:
    queued, submitted, start, end, complete = times(event)
    assert START < queued <= submitted <= start < end == complete and start >= last
    last = start
    assert status(event) == 0
assert set(by_python) <= {"fences"} and len(waited) == 1, "a base is asked once"
release(*kept)
""")


def test_launches_that_wait_for_the_grid_before_them_are_given_as_one_with_their_events(run):
    """CUDA's graph puts each behind the record, which it would not be behind otherwise."""
    run("""
kind = "dependent grid"
kernel = new_kernel()
for _ in range(2):
    release(launch())
taken()
kept = [launch() for _ in range(3)]
assert taken() == "TTT" and all(len(times(each)) == 5 for each in kept)
ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(W(1)), ctypes.byref(W(1)), 0, None, None))
assert taken() == "L", "there is no event"
graph_fails.value = 1
event = launch()
assert taken() == "RLR" and len(times(event)) == 5
release(event, *kept)
""")


def test_times_are_those_that_python_tells(run):
    run("""
ended.value = count.value
kept = [launch(), launch(behind=()), copy(), marker()]
kept.append(marker(behind=kept))
assert all(times(each) == NOT_AVAILABLE for each in kept)
core = [application.core(each.value, "E") for each in kept]
assert [type(each).__name__ for each in core] == ["CountedEvent"] * 5
ended.value = 1 << 40
for event, known in zip(kept, core):
    assert times(event) == [known.profile(0x1280 + i) for i in range(5)] and status(event) == 0
""")


def test_an_event_is_asked_by_its_own_end(run):
    run("""
ended.value = count.value
kept = [launch() for _ in range(9)]
ended.value += 4
assert [status(each) for each in kept[:3]] == [0] * 3 and not {"submit"} & set(by_python)
found = (P * 3)(*kept[:3])
ok(cl.clWaitForEvents(3, found))
assert all(len(times(each)) == 5 for each in kept[:3])
assert times(kept[6]) == NOT_AVAILABLE and status(kept[6]) > 0, "those behind have not ended"
core = application.core(kept[0].value, "E")
assert core.status == 0 and status(kept[6]) > 0 and core.timeline.reached < core.position
ended.value = 1 << 40
assert status(kept[6]) == 0 and status(kept[8]) == 0
""")


def test_fences_are_used_again(run):
    run("""
release(launch(), marker())
before, by_python[:] = Fence.living, []
for _ in range(300):
    release(launch(), copy(), marker())
assert not by_python and Fence.living == before
kept = [launch() for _ in range(100)]
assert 60 < by_python.count("fences") < 200 and set(by_python) == {"fences"}
for each in kept[:50]:
    application.core(each.value, "E")
release(*kept)
ok(cl.clFinish(queue))
before = Fence.living
assert before >= 100
queue, first = new_queue(), queue
ok(cl.clReleaseCommandQueue(first))
release(launch())
assert Fence.living < 100
""")


def test_bases_are_renewed_and_go(run):
    run("""
import gc, weakref
kept, old = launch(), weakref.ref(bases[-1])
before, known = len(bases), times(kept)
release(launch())
assert len(bases) == before
queue, first = new_queue(), queue
bases[-1].until = 0
later = launch()
assert len(bases) == before + 1
assert times(later)[2] >= START and times(kept) == known
queue = first
release(kept, later)
ok(cl.clReleaseCommandQueue(queue))
waited.clear(), bases.clear(), gc.collect()
queue = new_queue()
release(launch(), launch())
gc.collect()
assert old() is None
""")


def test_where_cuda_refuses_graphs_events_are_recorded_around(run):
    run("""
graph_fails.value = 1
before = graphs.value, made.value
for _ in range(3):
    event = launch()
    assert taken() == "RLR" and len(times(event)) == 5
    event = copy()
    assert taken() == "RCR" and len(times(event)) == 5
graph_fails.value = 0
release(launch())
assert taken() == "RLR", "it is not asked again"
""")


def test_without_the_calls_for_graphs_too(run):
    run("""
stream = stream._replace(graphs=0)
queue = new_queue()
for _ in range(2):
    launch()
taken()
event = launch()
assert taken() == "RLR" and len(times(event)) == 5
event = copy()
assert taken() == "RCR" and len(times(event)) == 5
""")


def test_graphs_end_with_their_kernel_and_with_older_plans(run):
    run("""
kernel = new_kernel()
for size in range(1, 33):  # The buffer has so many elements: each size is once Python's launch, which runs.
    for group in (None, ctypes.byref(W(1))):
        for _ in range(3):
            given("clEnqueueNDRangeKernel", kernel, 1, None, ctypes.byref(W(size)), group)
assert 0 < made.value <= 1 + 1 + 32
held = made.value
application.core(kernel.value, "K")  # One that others know does not become another one.
ok(cl.clReleaseKernel(kernel))
marker()
assert made.value <= 2 and graphs.value <= 2, (held, made.value)
""")


def test_what_no_event_is_wanted_of_is_not_timed(run):
    run("""
for _ in range(2):
    ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(W(1)), ctypes.byref(W(1)), 0, None, None))
ok(cl.clEnqueueCopyBuffer(queue, one, other, W(0), W(64), W(64), 0, None, None))
ok(cl.clEnqueueMarkerWithWaitList(queue, 0, None, None))
assert taken() == "LLC" and not by_python
""")


def test_another_context_and_a_fault_are_pythons(run):
    run("""
current = P.in_dll(cuda, "current")
current.value = 78
event = marker()
assert by_python == ["clEnqueueMarkerWithWaitList"]
event = copy()
assert by_python[1:] == ["clEnqueueCopyBuffer"] and taken() == ""
current.value = 77
fails.value = 700
event = launch()
assert by_python[-1] == "clEnqueueNDRangeKernel" and taken() == ""
""")


def test_threads_share_a_kernel_and_its_graph(run):
    run("""
import threading
failed = []

def work():
    try:
        for _ in range(300):
            release(launch(), marker())
    except BaseException as error:
        failed.append(error)
        raise

threads = [threading.Thread(target=work) for _ in range(6)]
for each in threads: each.start()
for each in threads: each.join()
assert not failed and made.value <= 4 and set(by_python) <= {"fences"}
""")


def test_transfers_of_images_have_times(run):
    """Around what is larger, and around reads, the copy itself has its times taken: CUDA would time the processor's work, too."""
    run("""
import struct
from cl2cuda.runtime.host.image import HostImage

HostImage.array = 5
stream = stream._replace(copy_3d=address(cuda.copied), write_box=address(cuda.write_box), read_box=address(cuda.write_box))
queue = new_queue()
described = struct.pack("<I4x6QIIQ", 0x10F1, 64, 128, 0, 0, 0, 0, 0, 0, 0)
image = handle("clCreateImage", cl_context, W(0), struct.pack("<II", 0x10B5, 0x10DA), described, None)
pixels = ctypes.create_string_buffer(64 * 128 * 4)

def transfer(rows=64, blocking=1, name="clEnqueueWriteImage"):
    return given(name, image, blocking, (W * 3)(), (W * 3)(64, rows, 1), W(0), W(0), pixels)

release(transfer())
taken(), by_python.clear()
for blocking in (0, 1):
    event = transfer(blocking=blocking)
    assert taken() == "RBR" and set(by_python) <= {"fences"}
    queued, submitted, start, end, complete = times(event)
    assert START < queued <= submitted <= start < end == complete and status(event) == 0
    release(event)
by_python.clear()
fails.value = 700
event = transfer()
fails.value = 0
assert "clEnqueueWriteImage" in by_python
release(event)
taken(), by_python.clear()
for further in ({"rows": 65}, {"rows": 65, "blocking": 0}, {"name": "clEnqueueReadImage"}):
    event = transfer(**further)
    assert taken() == "RBR" and set(by_python) <= {"fences"}, further
    queued, submitted, start, end, complete = times(event)
    assert START < queued <= submitted <= start < end == complete and status(event) == 0
    release(event)
fails.value = 700
event = transfer(65)
fails.value = 0
assert "clEnqueueWriteImage" in by_python
release(event), taken()
ok(cl.clEnqueueWriteImage(queue, image, 1, (W * 3)(), (W * 3)(64, 65, 1), W(0), W(0), pixels, 0, None, None))
assert taken() == "B", "nobody wants its times"
""")
