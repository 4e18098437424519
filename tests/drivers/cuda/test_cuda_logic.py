"""The CUDA driver's own logic over an imagined CUDA: what it allocates, copies, loads and launches. NVRTC is real."""

import ctypes
import struct
import sys

import pytest
from support.cuda_text import INFO, SAXPY, CudaText
from support.fake_cuda import CudaError, FakeCuda
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.api import Cuda, prototype
from cl2cuda.runtime.cuda.capture import Capture
from cl2cuda.runtime.cuda.context import NOT_READY
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.launch import LaunchRecord
from cl2cuda.runtime.cuda.module import CompiledFunction
from cl2cuda.runtime.cuda.pooled_stream import MOST_RESTING
from cl2cuda.runtime.driver.device import NativeLaunch, Spills
from cl2cuda.runtime.driver.interface import DriverError, DriverMissing, StreamHints
from cl2cuda.runtime.process import debug_mode
from cl2cuda.translator.options import BuildOptions

try:
    nvrtc.nvrtc()
except DriverMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)



@pytest.fixture
def cuda():
    return CudaDevice(FakeCuda(), 0)


@pytest.fixture
def function(cuda):
    binary = cuda.compile(CudaText(SAXPY, (INFO,)), BuildOptions())
    return cuda.load(binary).function(INFO)


def launches(cuda):
    found = [(arguments[:3], arguments[3:6], arguments[6], LaunchRecord.from_buffer_copy(record))
             for _, arguments, record in cuda.cuda.driver.launches]
    cuda.cuda.driver.launches.clear()
    return found


def test_an_identity_with_a_zero_in_it(cuda, monkeypatch):
    """CuPy gives the bytes before it."""
    from cl2cuda.runtime.cuda import properties

    whole = b"\xe5" + bytes(15)
    monkeypatch.setattr(cuda.cuda, "uuid", lambda ordinal: whole)
    assert properties._identity(cuda.cuda, 0, {"uuid": b"\xe5"}) == {"uuid": whole}
    monkeypatch.setattr(cuda.cuda, "uuid", lambda ordinal: b"")
    assert properties._identity(cuda.cuda, 0, {"uuid": b"\xe5"}) == {}


class Facts:
    """The NVIDIA driver's library, of which cuDeviceTotalMem ends with the status."""

    def __init__(self, status=0):
        self.status = status

    def cuDeviceGet(self, device, ordinal):
        device._obj.value = 7
        return 0 if ordinal == 3 else 101

    def cuDeviceGetName(self, name, size, device):
        assert (size, device.value) == (256, 7)
        name.value = b"a GPU"
        return 0

    def cuDeviceTotalMem_v2(self, memory, device):
        memory._obj.value = 1 << 37
        return self.status


@pytest.mark.skipif(sys.platform == "win32", reason="there the runtime is asked")
def test_a_device_is_described_without_asking_for_all_there_is(cuda, monkeypatch):
    asked = []
    monkeypatch.setattr(cuda.cuda.runtime, "getDeviceProperties", lambda ordinal: asked.append(ordinal) or {"name": "by the runtime"})
    monkeypatch.setattr(cuda.cuda, "uuid", lambda ordinal: bytes(range(16)))
    monkeypatch.setattr(cuda.cuda, "library", Facts())
    assert cuda.cuda.description(3) == {"name": b"a GPU", "totalGlobalMem": 1 << 37, "uuid": bytes(range(16))} and asked == []
    for library, ordinal in ((Facts(), 4), (Facts(2), 3), (object(), 3), (None, 3)):
        monkeypatch.setattr(cuda.cuda, "library", library)
        assert cuda.cuda.description(ordinal) == {"name": "by the runtime"} and asked.pop() == ordinal


class Library:
    """The NVIDIA driver's, of which each call ends with the status."""

    def __init__(self, status=0):
        self.status, self.asked = status, []

    def cuStreamCreateWithPriority(self, stream, flags, priority):
        stream._obj.value = 0x70
        self.asked.append((flags, priority))
        return self.status


def test_streams_of_a_priority_where_cupy_makes_none(cuda, monkeypatch):
    """CuPy 13."""
    monkeypatch.delattr(type(cuda.cuda.runtime), "streamCreateWithPriority")
    library = cuda.cuda._library = Library()
    assert cuda.cuda.new_stream(-5) == 0x70 and library.asked == [(1, -5)]
    cuda.cuda._library = Library(2)
    with pytest.raises(DriverError, match="2"):
        cuda.cuda.new_stream(-4)


def test_properties(cuda):
    assert cuda.properties.name == "imagined" and cuda.capability == (9, 0)
    assert cuda.properties.driver_version == "CUDA 13.0"
    assert cuda.properties.local_memory == 227 << 10


def test_peaks(cuda):
    # 2 transfers a cycle of 2 GHz, 128 bytes wide; an fma on 128 numbers a cycle of 1 GHz in each of 10 multiprocessors.
    assert (cuda.properties.extra["peak_bandwidth"], cuda.properties.extra["peak_flops"]) == (512 * 10**9, 2 * 128 * 10 * 10**9)


SPILLING = '''
__global__ void __launch_bounds__(1024, 2) spilling(float *a, int n) {
    float v[80];
    for (int i = 0; i < 80; i++) v[i] = a[i * n];
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 80; i++) v[i] = v[i] * v[(i * 7 + 3) % 80] + r;
    for (int i = 0; i < 80; i++) a[i * n] = v[i];
}
'''


def test_what_a_kernel_needs(cuda, function):
    assert (function.registers, function.spills, function.occupancy((100, 1, 1), 0)) == (20, Spills(0, 0), 10 * 128 / 2048)
    info = kernel_info("spilling", arg("a", "global"), arg("n", "value", 4))
    spilling = cuda.load(cuda.compile(CudaText(SPILLING, (info,)), BuildOptions())).function(info)
    assert spilling.spills.stores > 0 and spilling.spills.loads > 0


def test_identity_names_compiler_architecture_and_flags(cuda):
    first, second = (cuda.compiler_identity(BuildOptions(debug=debug)) for debug in (False, True))
    assert "sm_90" in first and "libnvrtc" in first and first != second


def test_plain_launches_take_one_call(cuda, function):
    stream = cuda.open_stream()
    run = function.prepare(stream, 1, (1024, 1, 1), (64, 1, 1), (0, 0, 0), 0, 4242)
    for _ in range(2):
        run()
    assert [arguments for _, arguments, _ in cuda.cuda.driver.launches] == [(16, 1, 1, 64, 1, 1, 0, stream.handle, 4242, 0)] * 2
    assert len(cuda.cuda.driver.modules) == 1


def test_native_code_is_given_the_one_call(cuda, function):
    stream = cuda.open_stream()
    given = stream, 1, (1024, 1, 1), (64, 1, 1), (0, 0, 0), 96, 4242
    assert function.native_launch(*given) is None  # The imagined CUDA is no library.
    cuda.cuda.launch_addresses = (1001, 1002, 1003)
    function.prepare(*given)()
    symbol, arguments, _ = cuda.cuda.driver.launches[-1]
    found = function.native_launch(*given)
    handle = found.words[0]
    assert cuda.cuda.driver.symbols[handle] == symbol
    assert found == NativeLaunch("grid", 1001, (handle, *arguments), current=1002, context=cuda.cuda.driver.ctxGetCurrent())


def test_native_code_is_given_the_stream(cuda, monkeypatch):
    stream = cuda.open_stream(StreamHints(throttle="low"))
    assert stream.native() is None  # The imagined CUDA is no library.
    cuda.cuda.stream_addresses = tuple(range(1001, 1013))
    found = stream.native()
    assert (found.current, found.query, found.read, found.write) == (1001, 1002, 1003, 1004)
    assert (found.copy, found.fill_1, found.fill_2, found.fill_4) == (1005, 1006, 1007, 1008)
    assert (found.handle, found.context, found.poll_ns) == (stream.handle, cuda.cuda.driver.ctxGetCurrent(), 0)
    assert not found.flushes or sys.platform == "win32"
    monkeypatch.setattr(type(cuda.cuda.runtime), "deviceSetLimit", lambda self, limit, size: None, raising=False)
    assert ctypes.c_uint64.from_address(found.prints).value == 0
    cuda.expect_printf()
    assert ctypes.c_uint64.from_address(found.prints).value == 1  # Python waits, and brings out what kernels print.


def test_freed_shared_memory_may_be_anothers_at_once(cuda, monkeypatch):
    """CUDA gives its address to a thread that allocates before the one that has freed it comes to its next step."""
    cuda.shared_memory.__dict__["managed"] = True
    cuda.context.enter()
    given, free = [], cuda.cuda.runtime.free
    monkeypatch.setattr(cuda.cuda.runtime, "memGetInfo", lambda: (1 << 30, 1 << 30), raising=False)
    monkeypatch.setattr(cuda.cuda.runtime, "mallocManaged", lambda size: 4096)

    def freed(address):
        monkeypatch.setattr(cuda.cuda.runtime, "free", free)
        given.append(cuda.shared_memory.allocate(64))

    monkeypatch.setattr(cuda.cuda.runtime, "free", freed)
    cuda.shared_memory.free(cuda.shared_memory.allocate(64))
    assert given == [4096]
    monkeypatch.setattr(cuda.cuda.runtime, "free", lambda address: None)
    cuda.shared_memory.free(4096)


@pytest.mark.parametrize("size", [64, 1 << 20, 16 << 20])
def test_a_read_that_has_ended_brings_out_what_kernels_printed(cuda, monkeypatch, size):
    """Who has read a kernel's results need not wait for anything any more: what it printed would come with the next wait, or at the end."""
    brought_out = []
    monkeypatch.setattr(cuda.cuda, "is_pageable", lambda address: True)
    monkeypatch.setattr(cuda.cuda.runtime, "streamQuery", lambda stream: 0)
    monkeypatch.setattr(cuda.context, "flush_printf", lambda: brought_out.append(size))
    stream, memory, host = cuda.open_stream(), cuda.allocate(size), ctypes.create_string_buffer(size)
    assert stream.copy("device_to_host", ctypes.addressof(host), memory, size) and not brought_out
    cuda.context.prints = 77  # the stream by which it is brought out
    assert stream.copy("device_to_host", ctypes.addressof(host), memory, size) and brought_out == [size]
    assert stream.copy("host_to_device", memory, ctypes.addressof(host), size) and brought_out == [size]


def test_native_code_makes_no_launch_that_is_more_than_a_call(cuda, function, monkeypatch):
    stream = cuda.open_stream()
    cuda.cuda.launch_addresses = (1001, 1002, 1003)
    assert function.native_launch(stream, 1, (1000, 1, 1), (64, 1, 1), (0, 0, 0), 0, 4242) is None  # a smaller last work-group
    monkeypatch.setattr(debug_mode, "_active", True)
    assert function.native_launch(stream, 1, (1024, 1, 1), (64, 1, 1), (0, 0, 0), 0, 4242) is None


def test_general_launches_write_their_record_first(cuda, function):
    stream = cuda.open_stream()
    function.prepare(stream, 2, (10, 70000, 1), (4, 1, 1), (5, 0, 0), 0, 4242)()
    found = launches(cuda)
    assert len(cuda.cuda.driver.modules) == 2
    assert [(grid, block) for grid, block, _, _ in found] == [
        ((2, 65535, 1), (4, 1, 1)), ((1, 65535, 1), (2, 1, 1)), ((2, 4465, 1), (4, 1, 1)), ((1, 4465, 1), (2, 1, 1)),
    ]
    for _, _, _, record in found:
        assert tuple(record.offset) == (5, 0, 0) and tuple(record.groups) == (3, 70000, 1)
        assert tuple(record.enqueued_local) == (4, 1, 1) and record.work_dim == 2
        assert tuple(record.global_size) == (10, 70000, 1)
    assert [tuple(record.group_base) for *_, record in found] == [(0, 0, 0), (2, 0, 0), (0, 65535, 0), (2, 65535, 0)]


def test_a_record_that_is_there_is_not_written_again(cuda, function, monkeypatch):
    written, copy = [], cuda.cuda.runtime.memcpyAsync
    monkeypatch.setattr(cuda.cuda.runtime, "memcpyAsync", lambda *words: written.append(words[2]) or copy(*words))
    stream = cuda.open_stream()
    one, two = (function.prepare(stream, 1, (64, 1, 1), (64, 1, 1), (offset, 0, 0), 0, 4242) for offset in (5, 7))
    for run, so_far in ((one, 1), (one, 1), (two, 2), (two, 2), (one, 3)):
        run()
        assert len(written) == so_far
    assert [record.offset[0] for *_, record in launches(cuda)] == [5, 5, 7, 7, 5]
    # A graph writes when it is launched, and whatever was there before.
    stream.capture = Capture(cuda.allocate, cuda.free)
    one()
    (variant,), stream.capture = stream.capture.serial, None
    assert len(written) == 4
    one()
    assert len(written) == 4
    variant.note_use(stream)
    one()
    assert len(written) == 5


def test_work_groups_deeper_than_cudas_are_folded_into_rows(cuda, function):
    stream = cuda.open_stream()
    function.prepare(stream, 3, (3, 2, 300), (3, 2, 100), (0, 0, 0), 0, 4242)()
    ((grid, block, _, record),) = launches(cuda)
    assert (grid, block) == ((1, 1, 3), (600, 1, 1))
    assert tuple(record.folded) == tuple(record.enqueued_local) == (3, 2, 100) and tuple(record.groups) == (1, 1, 3)
    # What is left at the edge is no deeper than CUDA's, and keeps its dimensions.
    function.prepare(stream, 3, (1, 1, 230), (1, 1, 100), (0, 0, 0), 0, 4242)()
    (_, whole, _, first), (_, rest, _, last) = launches(cuda)
    assert (whole, tuple(first.folded)) == ((100, 1, 1), (1, 1, 100))
    assert (rest, tuple(last.folded)) == ((1, 1, 30), (0, 0, 0))


def test_cuda_code_runs_in_cudas_own_blocks(cuda, monkeypatch):
    info = kernel_info("saxpy", arg("y", "global"), arg("x", "global"), arg("a", "value", 4), cuda_code=True)
    monkeypatch.setattr(CompiledFunction, "_first_variant", lambda self, kernel: self.module.plain(kernel))
    compiled = CompiledFunction(cuda.load(cuda.compile(CudaText(SAXPY, (INFO,)), BuildOptions())), info)
    assert compiled.max_global_size[2] == 65535 * 64
    with pytest.raises(DriverError, match="at most 64 deep") as caught:
        compiled.prepare(cuda.open_stream(), 3, (1, 1, 128), (1, 1, 128), (0, 0, 0), 0, 4242)
    assert caught.value.status == "INVALID_WORK_ITEM_SIZE"


def test_much_local_memory_is_asked_for_once(cuda, function):
    stream = cuda.open_stream()
    for size in (1000, 100_000, 60_000, 200_000):
        function.prepare(stream, 1, (64, 1, 1), (64, 1, 1), (0, 0, 0), size, 4242)()
    assert list(cuda.cuda.driver.allowed.values()) == [200_000]
    assert [dynamic for _, _, dynamic, _ in launches(cuda)] == [1000, 100_000, 60_000, 200_000]


def test_errors_say_what_to_do(cuda, function):
    cuda.cuda.driver.fail = 700
    with pytest.raises(DriverError, match="a kernel accessed memory that is not its own") as caught:
        function.prepare(cuda.open_stream(), 1, (64, 1, 1), (64, 1, 1), (0, 0, 0), 0, 4242)()
    assert caught.value.status == "OUT_OF_RESOURCES"
    with pytest.raises(DriverError) as caught:
        cuda.allocate(1 << 30)
    assert caught.value.status == "MEM_OBJECT_ALLOCATION_FAILURE"


@pytest.mark.parametrize("offset", [0, 1])
def test_a_launch_that_lacks_memory_comes_again_once_some_was_given_back(cuda, function, monkeypatch, offset):
    """Its stacks: of the plain variant and of the general one."""
    given = []

    def give_back():
        given.append(cuda.cuda.driver.fail)
        cuda.cuda.driver.fail = 0
        return len(given) < 2

    monkeypatch.setattr(cuda.context, "give_back", give_back)
    run = function.prepare(cuda.open_stream(), 1, (64, 1, 1), (64, 1, 1), (offset, 0, 0), 0, 4242)
    cuda.cuda.driver.fail = 2
    run()
    assert given == [2] and len(launches(cuda)) == 1
    cuda.cuda.driver.fail = 2
    with pytest.raises(DriverError, match="no memory left") as caught:
        run()
    assert given == [2, 2] and caught.value.status == "MEM_OBJECT_ALLOCATION_FAILURE"
    cuda.cuda.driver.fail = 719
    with pytest.raises(DriverError):
        run()
    assert given == [2, 2]


def test_modules_unload_both_variants(cuda, function):
    function.prepare(cuda.open_stream(), 1, (64, 1, 1), (64, 1, 1), (1, 0, 0), 0, 4242)()
    function.module.unload()
    assert not cuda.cuda.driver.modules


def test_events_go_back_to_their_pool(cuda):
    stream = cuda.open_stream()
    fence = stream.fence(False)
    event = fence.event
    assert fence.done()
    del fence
    assert stream.fence(False).event == event


def test_times_of_marks(cuda, monkeypatch):
    from cl2cuda.runtime.cuda import timeline

    monkeypatch.setattr(timeline, "RENEW_NS", 0)  # a new base for every fence
    stream = cuda.open_stream()
    times = [fence.time_ns() for fence in reversed([stream.fence(True) for _ in range(20)])]
    assert times == sorted(times, reverse=True)


def test_fences_that_native_code_records_are_counted_from_its_base(cuda, monkeypatch):
    """Which may be another one than when they were made."""
    from cl2cuda.runtime.cuda import timeline

    monkeypatch.setattr(timeline, "RENEW_NS", 0)
    stream = cuda.open_stream()
    unrecorded = stream.timed_fences()
    base = stream.time_base()
    assert stream.time_base() is not base
    for event in unrecorded[2:]:
        stream.record(event)
    begun, ended = stream.counted_from(base, unrecorded)
    later = stream.fence(True)
    assert base.time_ns() <= begun.time_ns() <= ended.time_ns() <= later.time_ns()
    elapsed = cuda.cuda.runtime.eventElapsedTime(base.event, unrecorded[2])
    assert begun.time_ns() == base.time_ns() + round(elapsed * 1e6)


def test_a_stream_at_rest_serves_the_next_queue(cuda, monkeypatch):
    runtime, destroyed, busy = cuda.cuda.runtime, [], set()
    monkeypatch.setattr(runtime, "streamDestroy", destroyed.append)
    monkeypatch.setattr(runtime, "streamQuery", lambda stream: NOT_READY if stream in busy else 0)
    first, urgent = cuda.open_stream(), cuda.open_stream(StreamHints(priority="high"))
    handle, urgent_handle = first.handle, urgent.handle
    first.close()
    urgent.close()
    first.close()
    assert (first.handle, destroyed) == (0, [])
    again, other = cuda.open_stream(), cuda.open_stream()
    assert again.handle == handle and other.handle not in (handle, urgent_handle)
    assert cuda.open_stream(StreamHints(priority="high")).handle == urgent_handle
    # What comes next is not to wait for what still runs.
    busy.add(handle)
    again.close()
    assert destroyed == [handle]
    many = [cuda.open_stream() for _ in range(MOST_RESTING + 3)]
    for stream in many:
        stream.close()
    assert len(destroyed) == 1 + 3


def test_a_stream_may_be_anothers_as_it_is_where_nothing_runs(cuda, monkeypatch):
    runtime, freed, busy = cuda.cuda.runtime, [], set()
    monkeypatch.setattr(runtime, "streamQuery", lambda stream: NOT_READY if stream in busy else 0)
    monkeypatch.setattr(runtime, "mallocAsync", lambda size, stream: 77, raising=False)
    monkeypatch.setattr(runtime, "freeAsync", lambda address, stream: freed.append(address), raising=False)
    stream = cuda.open_stream()
    assert stream.scratch.of(stream, 64) == 77
    busy.add(stream.handle)
    assert not stream.rests() and freed == [77]
    busy.clear()
    assert stream.rests() and freed == [77] and stream.handle
    stream.close()
    assert not stream.rests()


def test_times_of_a_base_that_its_stream_has_not_come_to(cuda, monkeypatch):
    """A fence's stream and the bases' do not wait for each other: CUDA has no time yet, and says so by an error."""
    from cl2cuda.runtime.cuda import timeline

    runtime, late, waited = cuda.cuda.runtime, set(), []
    query, elapsed = runtime.eventQuery, runtime.eventElapsedTime

    def between(start, end):
        if late & {start, end}:
            raise CudaError(NOT_READY)
        return elapsed(start, end)

    def asked(event):
        waited.append(event)
        late.discard(event)
        return query(event)

    monkeypatch.setattr(runtime, "eventElapsedTime", between)
    monkeypatch.setattr(runtime, "eventQuery", asked)
    monkeypatch.setattr(timeline, "RENEW_NS", 0)
    stream = cuda.open_stream()
    fences = [stream.fence(True) for _ in range(3)]
    late = {fence.base.event for fence in fences} | {fences[1].event}
    behind = set(late)
    times = [fence.time_ns() for fence in fences]
    assert times == sorted(times) and not late and behind <= set(waited)

    def fails(start, end):
        raise CudaError(400)

    monkeypatch.setattr(runtime, "eventElapsedTime", fails)
    assert [fence.time_ns() for fence in fences] == times  # which are known now
    with pytest.raises(DriverError, match="error 400"):
        stream.fence(True).time_ns()


def test_pages_go_to_the_host_by_the_drivers_own_call(monkeypatch):
    """CuPy's call, built for CUDA 13, knows devices only."""
    library, cuda = DriverCalls(), FakeCuda()
    monkeypatch.setattr(FakeCuda, "prefetch", Cuda.prefetch)
    cuda._prefetch = prototype(library, "cuMemPrefetchAsync")
    device = CudaDevice(cuda, 0)
    address = device.allocate_shared(1 << 20)
    stream = device.open_stream()
    stream.prefetch(address, 1 << 20, True)
    stream.prefetch(address, 1 << 20, False)
    stream.prefetch(address, 64, True)  # The host's page faults are quicker.
    assert library.calls == [(address, 1 << 20, -1, stream.handle), (address, 1 << 20, 0, stream.handle)]
    library.status = 1
    with pytest.raises(DriverError, match="error 1"):
        stream.prefetch(address, 1 << 20, True)


class DriverCalls:
    """A library with one call."""

    def __init__(self):
        self.calls, self.status = [], 0

        def call(*arguments):
            self.calls.append(arguments)
            return self.status

        self.cuMemPrefetchAsync = call


@pytest.mark.parametrize("only", [{"used_builtins": (("fn", "get_work_dim"),)}, {"global_size": 4}], ids=["work dimension", "variables"])
def test_a_program_of_one_variant_is_compiled_once(cuda, monkeypatch, only):
    built, build = [], nvrtc.build
    monkeypatch.setattr(nvrtc, "build", lambda source, *more, **named: built.append(source) or build(source, *more, **named))
    binary = cuda.compile(CudaText(SAXPY, (INFO,), **only), BuildOptions())
    function = cuda.load(binary).function(INFO)
    for offset in (0, 5):
        function.prepare(cuda.open_stream(), 1, (64, 1, 1), (64, 1, 1), (offset, 0, 0), 0, 4242)()
    assert len(built) == 1 and "ocl_launch" in built[0]
    assert [tuple(record.offset) for *_, record in launches(cuda)] == [(0, 0, 0), (5, 0, 0)]


def test_a_packed_program_is_all_that_loading_needs(cuda):
    binary = cuda.compile(CudaText(SAXPY, (INFO,)), BuildOptions())
    (length,) = struct.unpack_from("<I", binary)
    assert b"general_source" in binary[4 : 4 + length]
    other = CudaDevice(FakeCuda(), 0)
    other.load(binary).function(INFO).prepare(other.open_stream(), 1, (3, 1, 1), (2, 1, 1), (0, 0, 0), 0, 1)()
    assert len(launches(other)) == 2
