"""Copies, fills and markers in C (runtime/native): they give what Python's own steps give, leave to those what is not plain, and fail as
they do. So do single arguments of kernels."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")


from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import event as events
from cl2cuda.pyopencl_cl import transfers
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue.event import Event

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

READ, WRITE, COPY, FILL = (getattr(transfers, f"_enqueue_{name}_buffer") for name in ("read", "write", "copy", "fill"))
READ_RECT, WRITE_RECT, COPY_RECT = (getattr(transfers, f"_enqueue_{name}_buffer_rect") for name in ("read", "write", "copy"))
MARKER, BARRIER = (getattr(events, f"_enqueue_{name}_with_wait_list") for name in ("marker", "barrier"))
FUNCTIONS = [READ, WRITE, COPY, FILL, READ_RECT, WRITE_RECT, COPY_RECT, MARKER, BARRIER]
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
FLAGS = cl.mem_flags


def in_python(function):
    return function.__self__[1]


def test_functions_have_the_names_of_pythons():
    for function in FUNCTIONS:
        assert function.__name__ == in_python(function).__name__ and function.__module__ == "pyopencl._cl"
    with pytest.raises(TypeError, match="_enqueue_nothing"):
        library.calls().command("_enqueue_nothing", READ, cl.Event, 1, "m")


class Bench:
    def __init__(self, device, **properties):
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, **properties)
        self.data = np.arange(64, dtype=np.uint32)
        self.a, self.b = (cl.Buffer(self.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=self.data + n) for n in (0, 100))
        self.host = np.zeros(64, np.uint32)

    def contents(self, buffer):
        found = np.zeros(64, np.uint32)
        in_python(READ)(self.queue, buffer, found)
        return found


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def bench(request):
    return Bench(request.param)


# A call of each, and what of Python's it stands for.
CALLS = {
    "read": (READ, lambda x: (x.queue, x.a, x.host)),
    "write": (WRITE, lambda x: (x.queue, x.a, x.data)),
    "copy": (COPY, lambda x: (x.queue, x.a, x.b)),
    "copy_rect": (COPY_RECT, lambda x: (x.queue, x.a, x.b, (4, 1, 0), (4, 1), (8, 3, 1), (64,), (64,))),
    "fill": (FILL, lambda x: (x.queue, x.a, np.uint32(7), 0, 256)),
    "read_rect": (READ_RECT, lambda x: (x.queue, x.a, x.host, (4, 1, 0), (8, 2), (8, 3, 1), (64,), (32,))),
    "write_rect": (WRITE_RECT, lambda x: (x.queue, x.a, np.full(64, 7, np.uint32), (0, 0, 0), (0, 0, 0), (256,))),
    "marker": (MARKER, lambda x: (x.queue,)),
    "barrier": (BARRIER, lambda x: (x.queue,)),
}


def attributes(event):
    return {name: getattr(event._core, name) for name in Event.__slots__ if name != "__weakref__"}


@pytest.mark.parametrize("name", CALLS)
def test_events_are_those_of_python(bench, name):
    call, arguments = CALLS[name]
    found = [each(*arguments(bench)) for each in (in_python(call), call, in_python(call), call, call)]
    first, last = attributes(found[0]), 0
    for event in found:
        values = attributes(event)
        assert values.pop("position") > last
        last = event._core.position
        assert values == {key: value for key, value in first.items() if key != "position"}
        assert type(event) is type(found[0]) and type(event._core) is type(found[0]._core)
        assert not name.startswith(("read", "write")) or event.get_ward() is None
    found[-1].wait()
    assert {event.command_execution_status for event in found} == {cl.command_execution_status.COMPLETE}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_plain_takes_no_steps_of_pythons(bench, name, submitted):
    if bench.queue._core.stream.native() is None:
        pytest.skip("a stream without functions in C")
    call, arguments = CALLS[name]
    for wait_for in (None, (), [], [MARKER(bench.queue)], (MARKER(bench.queue),) * 2):
        call(*arguments(bench), wait_for=wait_for)
    assert submitted == []


def test_contents(bench):
    queue, a, b, data, host = bench.queue, bench.a, bench.b, bench.data, bench.host
    READ(queue, b, host)
    assert (host == data + 100).all()
    READ(queue, b, host[:4], 40)
    READ(queue, b, hostbuf=host[4:8], src_offset=4, is_blocking=True, wait_for=None)
    assert list(host[:8]) == [110, 111, 112, 113, 101, 102, 103, 104]
    WRITE(queue, a, data[:8] + 1000, 8)
    event = WRITE(queue, a, bytes([1, 0, 0, 0]), is_blocking=False)
    assert event.get_ward() == bytes([1, 0, 0, 0])
    assert list(bench.contents(a)[:11]) == [1, 1, *range(1000, 1008), 10]
    fortran = np.asfortranarray(data.reshape(8, 8))
    WRITE(queue, a, fortran)
    assert (bench.contents(a) == fortran.ravel(order="K")).all()
    WRITE(queue, a, np.float32(2))  # a number of NumPy's has its own memory
    assert bench.contents(a)[0] == 0x40000000
    COPY(queue, b, a, 16, 4, 8)
    assert list(bench.contents(a)[2:6]) == [101, 102, 103, 104]
    COPY(queue, b, a)
    assert (bench.contents(a) == data + 100).all()
    COPY(queue, a, a, byte_count=8, src_offset=0, dst_offset=8)
    assert list(bench.contents(a)[:4]) == [100, 101, 100, 101]
    for pattern, first in ((b"\x07", 0x07070707), (b"\x07\x01", 0x01070107), (b"abcd", 0x64636261), (b"\x05" * 16, 0x05050505),
                           (b"abcdefgh", 0x64636261), (np.zeros(2, np.uint32), 0)):
        FILL(queue, a, pattern, 0, 256)
        assert bench.contents(a)[0] == first
    FILL(queue, a, b"\x01", 6, 1)
    assert list(bench.contents(a)[:3]) == [0, 0x10000, 0]


ARGUMENTS = {
    READ: [(), ("queue",), ("queue", "a"), ("a", "queue", "host"), ("queue", "host", "a"), ("queue", "a", None), ("queue", "a", "host", -1),
           ("queue", "a", "host", 4), ("queue", "a", "host", 1 << 70), ("queue", "a", "host", 1.5), ("queue", "a", "host", 0, [3]),
           ("queue", "a", "host", 0, 5), ("queue", "a", np.zeros(65, np.uint32)), ("queue", "a", np.zeros(0, np.uint32), 257),
           ("queue", "a", b"abc"), ("queue", "a", np.zeros((4, 4))[:, ::2]), ("queue", "other", "host"), ("queue", "gone", "host"),
           ("queue", "unread", "host"), ("queue", "a", "host", 0, None, True, 1), ("queue", "a", "host", {"dst_offset": 0}),
           ("queue", "a", "host", {"mem": "a"}), ("queue", None, "host"), (None, "a", "host"), ("queue", "a", "host", 0, ["foreign"])],
    WRITE: [("queue", "a"), ("queue", "a", "host", 4), ("queue", "unwritten", "host"), ("queue", "a", {}), ("queue", "a", 3),
            ("queue", "a", np.zeros(0), 257), ("queue", "a", "host", {"src_offset": 0}), ("queue", "other", "host"), ("queue", "gone", "host"),
            ("queue", "a", np.zeros((4, 4))[:, ::2]), ("queue", "a", "host", 0, ["foreign"])],
    COPY: [("queue", "a"), ("queue", "a", "b", 257), ("queue", "a", "b", 8, 252), ("queue", "a", "b", 8, 0, 252), ("queue", "a", "b", 0, 257),
           ("queue", "a", "a"), ("queue", "a", "a", 8, 0, 4), ("queue", "a", "other"), ("queue", "gone", "a"), ("queue", "a", "b", -1, 4),
           ("queue", "a", "b", 1.5), ("queue", "a", "b", 8, -4), ("queue", "host", "b"), ("queue", "a", "b", 1 << 70)],
    FILL: [("queue", "a", b"abc", 0, 3), ("queue", "a", b"abcd", 2, 4), ("queue", "a", b"abcd", 0, 6), ("queue", "a", b"a", 0, 257),
           ("queue", "a", b"", 0, 4), ("queue", "a", b"a" * 256, 0, 256), ("queue", "a", 7, 0, 4), ("queue", "a", b"a", 0),
           ("queue", "a", b"a", -1, 4), ("queue", "a", b"a", 0, 1.5), ("queue", "other", b"a", 0, 4), ("queue", "gone", b"a", 0, 4),
           ("queue", "a", b"a", 256, 4)],
    READ_RECT: [("queue", "a", "host", (0, 0, 0), (0, 0, 0)), ("queue", "a", "host", (0,), (0,), (0,)),
                ("queue", "a", "host", (0,), (0,), (4, 0)), ("queue", "a", "host", (0,), (0,), (257,)),
                ("queue", "a", "host", (1,), (0,), (256,)), ("queue", "a", "host", (0,), (1,), (256,)),
                ("queue", "a", "host", (0,), (0,), (16, 4, 1), (8,)), ("queue", "a", "host", (0,), (0,), (16, 4, 1), (16,), (8,)),
                ("queue", "a", "host", (0,), (0,), (16, 4, 1), (16, 60)), ("queue", "a", "host", (0,), (0,), (16, 4, 1), (16, 72)),
                ("queue", "a", "host", (0,), (0,), (16, 4), (128,)), ("queue", "a", "host", (0,), (0,), (16, 4), (), (128,)),
                ("queue", "a", "host", (0, 0, 1), (0,), (16, 16)), ("queue", "a", "host", (0, 0, 0, 0), (0,), (4,)),
                ("queue", "a", "host", (-1,), (0,), (4,)), ("queue", "a", "host", (1.5,), (0,), (4,)),
                ("queue", "a", "host", (1 << 70,), (0,), (4,)), ("queue", "a", "host", (1 << 62, 1 << 62), (0,), (1 << 62, 1 << 62)),
                ("queue", "a", "host", (0,), (0,), (1 << 20, 1 << 20), (1 << 20,)), ("queue", "a", b"abc", (0,), (0,), (2,)),
                ("queue", "unread", "host", (0,), (0,), (4,)), ("queue", "other", "host", (0,), (0,), (4,)),
                ("queue", "gone", "host", (0,), (0,), (4,)), ("queue", "a", None, (0,), (0,), (4,)), ("queue", "a", "host", None, (0,), (4,)),
                ("closed", "a", "host", (0,), (0,), (4,)), ("queue", "a", "host", (0,), (0,), (4,), None, None, ["foreign"]),
                ("queue", "a", "host", (0,), (0,), (4,), None, None, None, True, 1), ("queue", "a", "host", (0,), (0,), (4,), {"mem": "a"})],
    WRITE_RECT: [("queue", "a", "host", (0,), (0,), (257,)), ("queue", "a", "host", (0,), (0,), (16, 4), (128,)),
                 ("queue", "unwritten", "host", (0,), (0,), (4,)), ("queue", "a", np.zeros((4, 4))[:, ::2], (0,), (0,), (4,)),
                 ("queue", "a", 3, (0,), (0,), (4,)), ("queue", "a", "host", (0, 0, 0), (0, 0, 0), (4, 1, 0))],
    MARKER: [(), ("a",), ("queue", [3]), ("queue", 5), ("queue", None, 1), ("queue", {"waits": None}), ("queue", ["foreign"]), ("closed",)],
    BARRIER: [(), ("queue", [None]), ("queue", {"queue": None}), ("closed",)],
}


@pytest.mark.parametrize("function, arguments", [(function, each) for function, rows in ARGUMENTS.items() for each in rows],
                         ids=lambda each: getattr(each, "__name__", str(each)))
def test_errors_are_those_of_python(bench, function, arguments):
    other = cl.Context(bench.context.devices)
    gone = cl.Buffer(bench.context, FLAGS.READ_WRITE, 256)
    gone.release()
    closed = cl.CommandQueue(bench.context)
    closed._core.release()
    foreign = MARKER(cl.CommandQueue(other))
    known = {"queue": bench.queue, "a": bench.a, "b": bench.b, "host": bench.host, "gone": gone, "closed": closed, "foreign": foreign,
             "other": cl.Buffer(other, FLAGS.READ_WRITE, 256),
             "unread": cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.HOST_WRITE_ONLY, 256),
             "unwritten": cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.HOST_READ_ONLY, 256)}

    def given(each):
        if isinstance(each, list):
            return [given(one) for one in each]
        return known.get(each, each) if isinstance(each, str) else each

    named = {key: given(each) for key, each in arguments[-1].items()} if arguments and isinstance(arguments[-1], dict) else {}
    plain = [given(each) for each in arguments if not isinstance(each, dict)]
    found = []
    for call in (in_python(function), function):
        with pytest.raises(Exception) as failure:
            call(*plain, **named)
        found.append((failure.type, str(failure.value)))
    assert found[0] == found[1]
    assert (bench.contents(bench.a) == bench.data).all()


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32, 64, 128])
def test_fills_of_many_bytes(bench, width, submitted):
    """A pattern is repeated to the end and no further, also where it is longer than what CUDA fills with, or has parts that repeat."""
    buffer, size = cl.Buffer(bench.context, FLAGS.READ_WRITE, 1 << 18), 1 << 18
    for pattern in (np.arange(1, width + 1, dtype=np.uint8), np.resize(np.arange(3, 3 + width // 2 or 4, dtype=np.uint8), width)):
        for start, count in ((0, 1), (3, 5), (1, (16 << 10) // width - 1), (2, (16 << 10) // width + 1), (4, (200 << 10) // width)):
            FILL(bench.queue, buffer, b"\xee", 0, size)
            FILL(bench.queue, buffer, pattern, start * width, count * width)
            found, expected = np.zeros(size, np.uint8), np.full(size, 0xEE, np.uint8)
            expected[start * width : (start + count) * width] = np.tile(pattern, count)
            READ(bench.queue, buffer, found)
            assert (found == expected).all()
    assert not (bench.context.devices[0].type == cl.device_type.CPU and submitted)


# (where in the buffer, where in the host's memory, region, pitches there, pitches here), of an array of 64 numbers.
RECTANGLES = [((0, 0, 0), (0, 0, 0), (256, 1, 1)), ((0,), (0,), (256,)), ((4, 1, 0), (8, 2, 0), (8, 3, 1), (64,), (32,)),
              ((4, 1), (8, 2), (8, 3), (64, 0), (32, 0)), ((0, 0, 1), (0, 0, 2), (16, 2, 1), (32, 64), (16, 32)),
              ((0, 0, 3), (0, 1, 0), (4, 4, 1), None, (), None), ((5, 3, 0), (7, 0, 0), (3, 5, 1), (17,), (11,)),
              ((0, 0, 0), (0, 0, 0), (4, 2, 3), (16, 64), (8, 24)), ([4], (0,), [np.int32(8)], [32])]


@pytest.mark.parametrize("place", RECTANGLES, ids=str)
@pytest.mark.parametrize("call", [READ_RECT, WRITE_RECT], ids=lambda call: call.__name__)
def test_rectangles_are_those_of_python(bench, call, place):
    found = []
    for each in (in_python(call), call):
        WRITE(bench.queue, bench.a, bench.data)
        host = np.arange(100, 164, dtype=np.uint32)
        each(bench.queue, bench.a, host, *place)
        found.append((list(host), list(bench.contents(bench.a))))
    assert found[0] == found[1] and (found[0][0] != list(range(100, 164))) == (call is READ_RECT)


@pytest.mark.parametrize("place", RECTANGLES, ids=str)
def test_rectangles_between_buffers_are_those_of_python(bench, place):
    found = []
    for each in (in_python(COPY_RECT), COPY_RECT):
        WRITE(bench.queue, bench.b, bench.data + 100)
        each(bench.queue, bench.a, bench.b, *place).wait()
        found.append(list(bench.contents(bench.b)))
    assert found[0] == found[1] != list(bench.data + 100)


def test_rectangles_of_one_buffer_may_not_overlap(bench):
    COPY_RECT(bench.queue, bench.a, bench.a, (0, 0), (32, 0), (16, 4), (64,), (64,))
    assert (bench.contents(bench.a).reshape(4, 16)[:, 8:12] == bench.data.reshape(4, 16)[:, :4]).all()
    with pytest.raises(cl.RuntimeError, match="MEM_COPY_OVERLAP"):
        COPY_RECT(bench.queue, bench.a, bench.a, (0, 0), (8, 0), (16, 4), (64,), (64,))


def test_many_rectangles_one_after_the_other(bench):
    """What the host's memory held when the call returned is what arrives, also where the next one follows at once."""
    large, size = cl.Buffer(bench.context, FLAGS.READ_WRITE, 1 << 20), 1 << 20
    host, back, expected = np.zeros((64, 64), np.uint32), np.zeros(size // 4, np.uint32), np.zeros((1024, 256), np.uint32)
    FILL(bench.queue, large, np.uint32(0), 0, size)
    for turn in range(300):
        host[:] = turn + 1
        x, y = turn * 7 % 192, turn * 13 % 960
        WRITE_RECT(bench.queue, large, host, (4 * x, y, 0), (0, 0, 0), (256, 64, 1) if turn % 2 else (200, 64, 1), (1024,), (256,),
                   is_blocking=bool(turn % 3))
        expected[y : y + 64, x : x + (64 if turn % 2 else 50)] = turn + 1
    READ(bench.queue, large, back)
    assert (back.reshape(1024, 256) == expected).all()
    for turn in range(100):
        x, y = turn * 7 % 192, turn * 13 % 960
        READ_RECT(bench.queue, large, host, (4 * x, y, 0), (0, 0, 0), (256, 64, 1), (1024,), (256,))
        assert (host == expected[y : y + 64, x : x + 64]).all()


def test_what_is_not_plain_is_left_to_python(bench):
    queue, a, host = bench.queue, bench.a, bench.host
    event = READ(queue, a, host, is_blocking=False)
    assert event.get_ward() is host
    event.wait()
    assert (host == bench.data).all()
    other = cl.CommandQueue(bench.context)
    WRITE(queue, a, bench.data + 1, wait_for=[MARKER(other)])
    READ(other, a, host, wait_for=[MARKER(queue)])
    assert (host == bench.data + 1).all()
    WRITE(queue, a, bench.data, np.int64(0))
    READ(queue, a, host, np.int64(0))
    assert (host == bench.data).all()


def test_parts_of_buffers(bench, submitted):
    """They begin somewhere in theirs, and commands of them are those of any buffer."""
    queue, align = bench.queue, bench.context.devices[0].mem_base_addr_align // 8
    expected = np.arange(4 * align, dtype=np.uint8)
    whole = cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=expected)
    first, second, overlapping = (whole.get_sub_region(place * align, size) for place, size in ((1, align), (2, 2 * align), (1, 2 * align)))
    a, b = expected[align : 2 * align], expected[2 * align :]
    host = np.zeros(16, np.uint8)
    FILL(queue, whole, b"\x09", 0, 16)
    expected[:16] = 9
    del submitted[:]
    for turn in range(3):
        READ(queue, first, host, 8)
        assert (host == a[8:24]).all()
        WRITE(queue, second, host + turn, 4)
        WRITE(queue, second, host, align + 4, is_blocking=False).wait()
        b[4:20], b[align + 4 : align + 20] = host + turn, host
        COPY(queue, first, second, 32, 0, 24)
        b[24:56] = a[:32]
        COPY(queue, second, whole, 8, 40, 16)
        expected[16:24] = b[40:48]
        FILL(queue, first, bytes([turn, 7]), 2, 4)
        a[2:6] = [turn, 7] * 2
        WRITE_RECT(queue, second, host, (4, 1, 0), (0, 0, 0), (4, 2, 1), (8,), (4,))
        b[12:16], b[20:24] = host[:4], host[4:8]
        READ_RECT(queue, second, host, (1, 1, 0), (0, 0, 0), (4, 2, 1), (16,), (4,))
        assert (host[:8] == [*b[17:21], *b[33:37]]).all()
        in_python(READ)(queue, whole, found := np.zeros_like(expected))
        assert (found == expected).all(), turn
    if queue._core.stream.native() is not None:
        assert set(submitted) == {"clEnqueueReadBuffer"} and len(submitted) == 3
    for call, *wrong in ((COPY, overlapping, second, 8, align - 4, 0), (COPY, first, overlapping, 8, 0, 4), (COPY, first, second, align, 8, 0),
                         (READ, first, host, align - 8), (WRITE, first, host, align - 8), (FILL, first, b"1", 0, align + 1)):
        with pytest.raises(cl.Error) as raised:
            call(queue, *wrong)
        with pytest.raises(cl.Error) as of_python:
            in_python(call)(queue, *wrong)
        assert raised.value.code == of_python.value.code


@pytest.mark.parametrize("properties", [cl.command_queue_properties.PROFILING_ENABLE,
                                        cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE], ids=str)
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_queues_that_are_not_plain(device, properties):
    bench = Bench(device, properties=properties)
    for call, arguments in CALLS.values():
        event = call(*arguments(bench))
        event.wait()
        if properties == cl.command_queue_properties.PROFILING_ENABLE:
            assert event.profile.end >= event.profile.start
    bench.queue.finish()
    assert (bench.contents(bench.a) == 7).all() and (bench.contents(bench.b) == bench.data).all()


def test_commands_wait_for_what_is_held_back(bench):
    gate = cl.UserEvent(bench.context)
    held = WRITE(bench.queue, bench.a, bench.data + 5, wait_for=[gate], is_blocking=False)
    behind = [COPY(bench.queue, bench.a, bench.b), MARKER(bench.queue)]
    assert all(each.command_execution_status > 0 for each in (held, *behind))
    gate.set_status(cl.command_execution_status.COMPLETE)
    behind[-1].wait()
    READ(bench.queue, bench.b, bench.host)
    assert (bench.host == bench.data + 5).all()


def test_a_read_comes_after_what_is_before_it(bench):
    big = cl.Buffer(bench.context, FLAGS.READ_WRITE, 64 << 20)
    for value in range(1, 30):
        FILL(bench.queue, big, np.uint32(value), 0, big.size)
        READ(bench.queue, big, bench.host, big.size - 256)
        assert (bench.host == value).all()


def test_many_commands_leave_nothing_behind(bench):
    queue, timeline = bench.queue, bench.queue._core.timeline
    wait_for = [MARKER(queue)]
    counted = (queue._core, timeline, bench.a._core, bench.a._core._storage, bench.data, bench.host, cl.Event, cl.NannyEvent, Event, wait_for,
               wait_for[0], None, True)

    def every_command():
        for call, arguments in CALLS.values():
            call(*arguments(bench))
            call(*arguments(bench), wait_for=wait_for)
        bench.queue.finish()

    leaves_nothing(every_command, counted, turns=300)


def test_threads_copy_on_queues_of_their_own(bench):
    failures = []

    def copy(number):
        queue = cl.CommandQueue(bench.context)
        mine, host = cl.Buffer(bench.context, FLAGS.READ_WRITE, 256), np.zeros(64, np.uint32)
        for turn in range(200):
            WRITE(queue, mine, bench.data + number * 1000 + turn)
            READ(queue, mine, host)
            if (host != bench.data + number * 1000 + turn).any():
                failures.append((number, turn))

    threads = [threading.Thread(target=copy, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures


def test_single_arguments_of_kernels(bench):
    program = cl.Program(bench.context, "kernel void f(global uint *a, uint b, float c, local int *d) { a[0] = b + (uint)c; }"
                                        "kernel void g(global uint *a, uint b) { a[0] = b; }").build()
    kernel, local = cl.Kernel(program, "g"), cl.Kernel(program, "f")
    for turn in range(3):
        kernel.set_arg(0, bench.a)
        kernel.set_arg(1, np.uint32(turn + 3))
        cl.enqueue_nd_range_kernel(bench.queue, kernel, (1,), None)
        assert bench.contents(bench.a)[0] == turn + 3
    kernel.set_arg(arg_index=1, arg=np.int32(9))
    kernel.set_arg(0, bench.b)
    kernel.set_arg(0, None)
    kernel.set_arg(0, bench.b)
    cl.enqueue_nd_range_kernel(bench.queue, kernel, (1,), None)
    assert bench.contents(bench.b)[0] == 9 and bench.contents(bench.a)[0] == 5
    for wrong in ((1, 3), (2, bench.a), (-1, bench.a), (1, np.float64(3)), (0, 3), (0,), (0, 1, 2), (None, bench.a), (1, bench.a)):
        found = []
        for call in (kernel._argument_in_python, kernel.set_arg):
            with pytest.raises(Exception) as failure:
                call(*wrong)
            found.append((failure.type, str(failure.value)))
        assert found[0] == found[1]
    local.set_arg(0, bench.a)
    local.set_arg(3, cl.LocalMemory(4))
    local.set_arg(1, np.uint32(2))
    local.set_arg(2, np.float32(4))
    local.set_arg(1, np.uint32(3))
    cl.enqueue_nd_range_kernel(bench.queue, local, (1,), None)
    assert bench.contents(bench.a)[0] == 7
    typed = cl.Kernel(program, "g")
    typed.set_scalar_arg_dtypes([None, np.uint32])
    typed(bench.queue, (1,), None, bench.a, 4)
    typed.set_arg(1, np.uint32(6))
    with pytest.raises(cl.LogicError):
        typed.set_arg(1, 8)  # A plain number has no size, also where calls know one.
    cl.enqueue_nd_range_kernel(bench.queue, typed, (1,), None)
    assert bench.contents(bench.a)[0] == 6


def test_a_context_of_several_devices_is_pythons(submitted):
    if len(DEVICES) < 2:
        pytest.skip("one device")
    context = cl.Context(DEVICES)
    queue, buffer = cl.CommandQueue(context), cl.Buffer(context, FLAGS.READ_WRITE, 64)
    WRITE(queue, buffer, bytes(range(64)))
    found = np.zeros(64, np.uint8)
    READ(queue, buffer, found)
    assert submitted == ["clEnqueueWriteBuffer", "clEnqueueReadBuffer"] and (found == np.arange(64)).all()


@pytest.mark.parametrize("size", [(64 << 10) + 1, 700_000, 768 << 10, (3 << 20) + 5, 6 << 20, (33 << 20) + 77])
def test_large_copies_are_right(bench, size):
    """Behind launches in the queue, over and over, and part by part."""
    buffer, data = cl.Buffer(bench.context, FLAGS.READ_WRITE, size + 100), np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    back = np.zeros_like(data)
    for turn in range(3):
        WRITE(bench.queue, buffer, data, turn, is_blocking=turn != 1).wait()
        FILL(bench.queue, buffer, b"\x07", turn + 1000, 5000)
        event = READ(bench.queue, buffer, back, turn, is_blocking=turn != 2)
        event.wait()
        assert (back[1000:6000] == 7).all()
        assert np.array_equal(back[:1000], data[:1000]) and np.array_equal(back[6000:], data[6000:])
        assert event.command_execution_status == cl.command_execution_status.COMPLETE
        data += 1
        back[:] = 0


def test_large_copies_of_several_threads_at_once(bench):
    """On streams that share what copies go through."""
    size, wrong = 9 << 20, []

    def work(seed):
        queue, buffer = cl.CommandQueue(bench.context), cl.Buffer(bench.context, FLAGS.READ_WRITE, size)
        data = np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
        back = np.zeros_like(data)
        for _ in range(5):
            WRITE(queue, buffer, data)
            READ(queue, buffer, back)
            if not np.array_equal(back, data):
                wrong.append(seed)
            data[:] = back[::-1]

    threads = [threading.Thread(target=work, args=[seed]) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not wrong and not any(thread.is_alive() for thread in threads)
