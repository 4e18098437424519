"""The CUDA driver on a GPU, with hand-written CUDA text: memory, streams, modules, launches of every kind."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from support.cuda_text import SAXPY, CudaText
from support.kernel_facts import arg, kernel_info

from cl2cuda import translator
from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel, native_launch
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverError, DriverMissing
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.kernel.nd_range import NDRange
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.queue.stream_timeline import NATIVE
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import options as build_options

try:
    DEVICES = platforms.load_driver("cuda").devices()
except DriverMissing:
    DEVICES = []
if not DEVICES:
    pytest.skip("no CUDA device", allow_module_level=True)


@pytest.fixture
def cuda():
    return DEVICES[0]


@pytest.fixture
def stream(cuda):
    stream = cuda.open_stream()
    yield stream
    stream.close()


class Setup:
    """Context and queue on the GPU, and kernels out of CUDA text."""

    def __init__(self, monkeypatch, properties=0):
        self.monkeypatch = monkeypatch
        self.device = Device(platforms.Platform(), "cuda", DEVICES[0])
        self.context = Context([self.device])
        self.queue = CommandQueue(self.context, self.device, properties)

    def kernel(self, text, info, uses=(), options=""):
        program = CudaText(text, (info,), uses)
        self.monkeypatch.setattr(translator, "translate", lambda *a, **k: program, raising=False)
        parsed = build_options.BuildOptions(cl_std="CL2.0" if "CL2.0" in options else "CL1.2")
        self.monkeypatch.setattr(build_options, "parse_options", lambda text: parsed, raising=False)
        made = Program(self.context, text + str(uses))
        made.build(options)
        return Kernel(made, info.name)

    def buffer(self, array):
        return Buffer(self.context, codes.MEM_COPY_HOST_PTR, host=array)

    def read(self, buffer, dtype):
        array = np.empty(buffer.size // np.dtype(dtype).itemsize, dtype)
        enqueue_read_buffer(self.queue, buffer, True, 0, array)
        return array

    def run(self, kernel, size, local=None, offset=None, queue=None):
        return enqueue_nd_range_kernel(queue or self.queue, kernel, len(size), offset, size, local)


@pytest.fixture
def gpu(monkeypatch):
    return Setup(monkeypatch)


def address(array):
    return array.ctypes.data


def test_properties(cuda):
    found = cuda.properties
    assert found.vendor_id == 0x10DE and found.sub_group_size == 32
    assert found.local_memory >= 48 << 10
    assert cuda.capability >= (5, 0)
    assert found.global_memory > 1 << 30 and found.clock_mhz > 100


def test_copies_of_every_kind(cuda, stream):
    a, b = cuda.allocate(1 << 20), cuda.allocate(1 << 20)
    data = np.random.default_rng(1).integers(0, 256, 1 << 20, dtype=np.uint8)
    back = np.zeros_like(data)
    stream.copy("host_to_device", a, address(data), data.size)
    stream.copy("device_to_device", b, a, data.size)
    stream.copy("device_to_host", address(back), b, data.size)
    stream.synchronize()
    assert (back == data).all()
    cuda.free(a)
    cuda.free(b)


def test_page_locked_memory(cuda, stream):
    size = 1 << 24
    host, device = cuda.allocate_host(size), cuda.allocate(size)
    view = np.frombuffer((ctypes.c_ubyte * size).from_address(host), np.uint8)
    view[:] = 7
    stream.copy("host_to_device", device, host, size)
    view2 = np.zeros(size, np.uint8)
    stream.copy("device_to_host", address(view2), device, size)
    stream.synchronize()
    assert (view2 == 7).all()
    cuda.free(device)
    cuda.free_host(host)


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32, 64, 128])
def test_long_fills(cuda, stream, width):
    size = 128 * 12345
    memory = cuda.allocate(size + 256)
    stream.fill(memory, b"\xee", size + 256)
    pattern = bytes(range(1, width + 1))
    stream.fill(memory + 128, pattern, size)
    back = np.zeros(size + 256, np.uint8)
    stream.copy("device_to_host", address(back), memory, size + 256)
    stream.synchronize()
    assert back[128:-128].tobytes() == pattern * (size // width)
    assert (back[:128] == 0xEE).all() and (back[-128:] == 0xEE).all()
    cuda.free(memory)


def test_fills_beyond_2_gib(cuda, stream):
    size = (5 << 29) + 4096
    memory = cuda.allocate(size)
    for pattern in (b"x", b"0123456789abcdef"):
        stream.fill(memory, pattern, size)
        back = np.zeros(8192, np.uint8)
        for start in (0, (1 << 31) - 4096, size - 8192):
            stream.copy("device_to_host", address(back), memory + start, back.size)
            stream.synchronize()
            assert back.tobytes() == pattern * (8192 // len(pattern))
    cuda.free(memory)


@pytest.mark.parametrize("size", [65537, 800_000, 1 << 20, 5_000_001, 7 << 20, 64 << 20])
def test_pageable_copies_in_chunks(cuda, stream, size):
    data = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    back, memory = np.zeros_like(data), cuda.allocate(size)
    assert stream.copy("host_to_device", memory, address(data), size)
    assert stream.copy("device_to_host", address(back), memory, size)
    assert (back == data).all()
    cuda.free(memory)


def test_registered_memory(cuda, stream):
    data, memory = np.arange(1 << 20, dtype=np.uint32), cuda.allocate(4 << 20)
    assert cuda.register_host(address(data), data.nbytes // 2) and not cuda.register_host(address(data), data.nbytes // 2)
    assert not stream.blocks_caller("device_to_host", address(data), 4096)
    stream.copy("host_to_device", memory, address(data), data.nbytes)  # half of it page-locked
    back = np.zeros_like(data)
    stream.copy("device_to_host", address(back), memory, data.nbytes)
    stream.synchronize()
    assert (back == data).all()
    cuda.unregister_host(address(data))
    cuda.free(memory)


def test_waiting_sleeps(gpu):
    """A long wait costs the processor little."""
    text = "__global__ void f() { for (int spin = 0; spin < 1000; spin++) for (int i = 0; i < 600; i++) __nanosleep(1000); }"
    kernel = gpu.kernel(text, kernel_info("f"))
    gpu.run(kernel, (1,)).wait()
    for wait in (lambda event: gpu.queue.finish(), lambda event: event.wait()):
        event = gpu.run(kernel, (1,))
        start, used = time.perf_counter(), time.process_time()
        wait(event)
        assert time.process_time() - used < 0.3 * (time.perf_counter() - start)


def test_a_large_copy_behind_a_kernel_waits_asleep(gpu):
    """A read ends when the kernel and it have; a write has read the host's memory when it returns."""
    text = "__global__ void f() { for (int spin = 0; spin < 1000; spin++) for (int i = 0; i < 600; i++) __nanosleep(1000); }"
    kernel = gpu.kernel(text, kernel_info("f"))
    data = np.random.default_rng(3).integers(0, 256, 7 << 20, dtype=np.uint8)
    kept, back, buffer = data.copy(), np.zeros_like(data), gpu.buffer(data)
    enqueue_read_buffer(gpu.queue, buffer, True, 0, back)
    gpu.run(kernel, (1,)).wait()
    gpu.run(kernel, (1,))
    enqueue_write_buffer(gpu.queue, buffer, True, 0, data)
    data[:] = 0
    start, used = time.perf_counter(), time.process_time()
    enqueue_read_buffer(gpu.queue, buffer, True, 0, back)
    assert time.process_time() - used < 0.3 * (time.perf_counter() - start) + 0.05
    assert (back == kept).all()


@pytest.mark.parametrize("size", [64, 4096, 16 << 10, 64 << 10])
def test_small_writes_have_read_the_host_when_they_return(gpu, size):
    """Also behind a kernel that still runs."""
    text = "__global__ void f() { for (int spin = 0; spin < 100; spin++) for (int i = 0; i < 500; i++) __nanosleep(1000); }"
    kernel = gpu.kernel(text, kernel_info("f"))
    first, second = gpu.buffer(np.zeros(size, np.uint8)), gpu.buffer(np.zeros(size, np.uint8))
    host = np.full(size, 1, np.uint8)
    gpu.run(kernel, (1,)).wait()
    running = gpu.run(kernel, (1,))
    enqueue_write_buffer(gpu.queue, first, False, 0, host)
    host[:] = 2
    enqueue_write_buffer(gpu.queue, second, False, 0, host)
    host[:] = 3
    assert running.status > codes.COMPLETE
    assert (gpu.read(first, np.uint8) == 1).all() and (gpu.read(second, np.uint8) == 2).all()


def test_no_memory_left(cuda):
    with pytest.raises(DriverError) as caught:
        cuda.allocate(1 << 50)
    assert caught.value.status == "MEM_OBJECT_ALLOCATION_FAILURE"
    cuda.free(cuda.allocate(1 << 20))  # the error does not stick


def test_marks_order_streams_and_tell_time(cuda, stream):
    other = cuda.open_stream()
    memory = cuda.allocate(1 << 28)
    start = stream.fence(True)
    for _ in range(20):
        stream.fill(memory, b"a", 1 << 28)
    end = stream.fence(True)
    assert not end.done()
    other.after(end)
    other.fill(memory, b"b", 1 << 28)
    last = other.fence(True)
    last.wait()
    assert start.done() and end.done()
    assert 0 < end.time_ns() - start.time_ns() < 10**9
    assert end.time_ns() <= last.time_ns()
    back = np.zeros(16, np.uint8)
    other.copy("device_to_host", address(back), memory + (1 << 28) - 16, 16)
    other.synchronize()
    assert back.tobytes() == b"b" * 16
    cuda.free(memory)
    other.close()


def test_times_follow_the_hosts_clock(cuda, stream):
    for pause in (0.0, 0.12, 0.12, 0.3):  # over several bases
        time.sleep(pause)
        before = time.perf_counter_ns()
        fence = stream.fence(True)
        fence.wait()
        after = time.perf_counter_ns()
        assert before - 2_000_000 < fence.time_ns() < after + 2_000_000


def test_saxpy(gpu):
    kernel = gpu.kernel(SAXPY, kernel_info("saxpy", arg("y", "global"), arg("x", "global"), arg("a", "value", 4)))
    n = 1 << 20
    x = np.random.default_rng(1).random(n, np.float32)
    y = gpu.buffer(x)
    for index, value in enumerate((y, gpu.buffer(x), np.float32(3))):
        kernel.set_arg(index, value)
    gpu.run(kernel, (n,))
    assert np.allclose(gpu.read(y, np.float32), 4 * x)
    assert kernel.work_group_info(codes.KERNEL_WORK_GROUP_SIZE) == 1024
    assert kernel.function("test", gpu.device).registers > 0


def test_native_code_makes_the_same_launch(gpu):
    """By the addresses and words alone, on a thread that has the context, as driver/launches.c does."""
    kernel = gpu.kernel(SAXPY, kernel_info("saxpy", arg("y", "global"), arg("x", "global"), arg("a", "value", 4)))
    x = np.random.default_rng(1).random(1 << 16, np.float32)
    y = gpu.buffer(x)
    for index, value in enumerate((y, gpu.buffer(x), np.float32(3))):
        kernel.set_arg(index, value)
    gpu.run(kernel, (x.size,))
    native = native_launch(gpu.queue, kernel, NDRange(1, None, (x.size,), None))
    assert native is not None and native.kind == "grid" and native.fault is None
    unsigned, pointer = ctypes.c_uint, ctypes.c_void_p
    current = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(pointer))(native.current)
    launch = ctypes.CFUNCTYPE(ctypes.c_int, pointer, *[unsigned] * 7, pointer, pointer, pointer)(native.address)
    context = pointer()
    assert current(ctypes.byref(context)) == 0 and context.value == native.context
    address = gpu.queue.timeline.open_to_native_code()
    assert launch(*native.words) == 0
    ctypes.c_uint64.from_address(address + 8 * NATIVE).value += 1
    assert not gpu.queue.idle
    assert np.allclose(gpu.read(y, np.float32), 7 * x)
    offset = NDRange(1, (1,), (x.size - 1,), None)
    gpu.run(kernel, offset.global_size, offset=offset.global_offset)
    native = native_launch(gpu.queue, kernel, offset)
    assert native is not None and native.kind == "recorded grid" and native.record[:8] == b"\x01" + bytes(7)


def test_native_code_copies_in_the_same_stream(gpu):
    """As driver/commands.c does: by the addresses alone."""
    native = gpu.queue.stream.native()
    assert native is not None and not native.flushes and native.poll_ns > 0
    x = np.random.default_rng(2).random(16, np.float32)
    found, buffer = np.zeros_like(x), gpu.buffer(np.zeros_like(x))
    word, pointer = ctypes.c_uint64, ctypes.c_void_p
    query = ctypes.CFUNCTYPE(ctypes.c_int, pointer)(native.query)
    read = ctypes.CFUNCTYPE(ctypes.c_int, pointer, word, ctypes.c_size_t, pointer)(native.read)
    write = ctypes.CFUNCTYPE(ctypes.c_int, word, pointer, ctypes.c_size_t, pointer)(native.write)
    current, context = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(pointer))(native.current), pointer()
    assert current(ctypes.byref(context)) == 0 and context.value == native.context
    assert write(buffer.address, x.ctypes.data, x.nbytes, native.handle) == 0
    assert read(found.ctypes.data, buffer.address, x.nbytes, native.handle) == 0
    while (status := query(native.handle)) == 600:
        pass
    assert status == 0 and (found == x).all() and (gpu.read(buffer, np.float32) == x).all()


IDS = """__global__ void ids(unsigned *out) {
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    atomicAdd(&out[i], 1u); }"""


@pytest.mark.parametrize(("size", "local"), [
    ((1000,), (250,)), ((1000,), (256,)), ((1021,), None), ((40, 50), (8, 8)), ((13, 11, 7), (4, 4, 2)), ((2, 70000), (2, 1)),
    ((1, 2, 70001), (1, 1, 1)),
])
def test_every_work_item_runs_once(gpu, size, local):
    kernel = gpu.kernel(IDS, kernel_info("ids", arg("out", "global")), options="-cl-std=CL2.0")
    out = gpu.buffer(np.zeros(int(np.prod(size)), np.uint32))
    kernel.set_arg(0, out)
    gpu.run(kernel, size, local)
    assert (gpu.read(out, np.uint32) == 1).all()


def test_offsets(gpu):
    text = """__global__ void f(unsigned long long *out) {
        size_t i = get_global_id(0); out[i - 1000000000000ull] = i; }"""
    kernel = gpu.kernel(text, kernel_info("f", arg("out", "global")))
    out = gpu.buffer(np.zeros(1024, np.uint64))
    kernel.set_arg(0, out)
    gpu.run(kernel, (1024,), (64,), (10**12,))
    assert (gpu.read(out, np.uint64) == np.arange(1024, dtype=np.uint64) + 10**12).all()


def test_more_than_32_bits_of_work_items(gpu):
    text = """__global__ void f(unsigned long long *out) {
        size_t i = get_global_id(0); if (i >= (1ull << 32) - 8) out[i - ((1ull << 32) - 8)] = i; }"""
    kernel = gpu.kernel(text, kernel_info("f", arg("out", "global")))
    out = gpu.buffer(np.zeros(1032, np.uint64))
    kernel.set_arg(0, out)
    gpu.run(kernel, ((1 << 32) + 1024,), (1024,))
    assert (gpu.read(out, np.uint64) == np.arange(1032, dtype=np.uint64) + (1 << 32) - 8).all()


def test_work_dimension(gpu):
    text = "__global__ void f(unsigned *out) { *out = get_work_dim(); }"
    kernel = gpu.kernel(text, kernel_info("f", arg("out", "global")), uses=(("fn", "get_work_dim", "uint"),))
    out = gpu.buffer(np.zeros(1, np.uint32))
    kernel.set_arg(0, out)
    for size in ((1,), (1, 1), (1, 1, 1)):
        gpu.run(kernel, size)
        assert gpu.read(out, np.uint32)[0] == len(size)


def test_general_launches_of_several_queues_do_not_disturb_each_other(gpu):
    text = """__global__ void f(unsigned *out) {
        for (int spin = 0; spin < 2000; spin++) __nanosleep(100);
        out[get_global_id(0)] = get_global_id(0); }"""
    kernel = gpu.kernel(text, kernel_info("f", arg("out", "global")))
    queues = [CommandQueue(gpu.context, gpu.device) for _ in range(4)]
    out = gpu.buffer(np.zeros(4 * 1024, np.uint32))
    kernel.set_arg(0, out)
    for turn in range(4):
        gpu.run(kernel, (1024,), (64,), (1024 * turn,), queues[turn])
    for queue in queues:
        queue.finish()
    assert (gpu.read(out, np.uint32) == np.arange(4 * 1024)).all()


def test_more_than_48_kb_of_local_memory(gpu):
    text = """__global__ void f(unsigned *out, unsigned start, unsigned words) {
        unsigned *tile = (unsigned *)(local_memory + start);
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x) tile[i] = i;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x) out[i] = tile[words - 1 - i]; }"""
    kernel = gpu.kernel(text, kernel_info("f", arg("out", "global"), arg("tile", "local"), arg("words", "value", 4)))
    words = gpu.device.properties.local_memory // 4
    out = gpu.buffer(np.zeros(words, np.uint32))
    kernel.set_arg(0, out)
    for count in (1000, words, words // 2):
        kernel.set_arg(1, LocalMemory(count * 4))
        kernel.set_arg(2, np.uint32(count))
        gpu.run(kernel, (256,), (256,))
        assert (gpu.read(out, np.uint32)[:count] == np.arange(count)[::-1]).all()


def test_structs_by_value(gpu):
    text = """struct alignas(16) S { float4 v; char c; };
    __global__ void f(float *out, const __grid_constant__ S s) { out[0] = s.v.x; out[1] = s.v.w; out[2] = s.c; }"""
    kernel = gpu.kernel(text, kernel_info("f", arg("out", "global"), arg("s", "value", 32, 16)))
    out = gpu.buffer(np.zeros(3, np.float32))
    kernel.set_arg(0, out)
    kernel.set_arg(1, np.array([1, 2, 3, 4], np.float32).tobytes() + bytes([5]) + bytes(15))
    gpu.run(kernel, (1,))
    assert gpu.read(out, np.float32).tolist() == [1, 4, 5]


def test_launches_from_other_threads(gpu):
    kernel = gpu.kernel(IDS, kernel_info("ids", arg("out", "global")))
    out = gpu.buffer(np.zeros(1024, np.uint32))
    kernel.set_arg(0, out)

    def work():
        for _ in range(100):
            gpu.run(kernel, (1024,), (64,)).wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (gpu.read(out, np.uint32) == 400).all()


def test_profiled_kernels(monkeypatch):
    gpu = Setup(monkeypatch, codes.QUEUE_PROFILING_ENABLE)
    text = "__global__ void f() { for (int spin = 0; spin < 1000; spin++) __nanosleep(1000); }"
    kernel = gpu.kernel(text, kernel_info("f"))
    gpu.run(kernel, (1,)).wait()
    event = gpu.run(kernel, (1,))
    event.wait()
    start, end = (event.profile(code) for code in (codes.PROFILING_COMMAND_START, codes.PROFILING_COMMAND_END))
    assert event.profile(codes.PROFILING_COMMAND_QUEUED) <= start
    assert 500_000 < end - start < 20_000_000


def test_binaries_load_in_another_process_and_run_both_variants(gpu, tmp_path):
    kernel = gpu.kernel(IDS, kernel_info("ids", arg("out", "global")))
    (binary,) = kernel.program.binaries()
    (tmp_path / "binary").write_bytes(binary)
    code = """
import sys, numpy as np
from cl2cuda.runtime.devices import platform
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.translator import options
options.parse_options = lambda text: options.BuildOptions()
device = platform.platforms()[0].devices(codes.DEVICE_TYPE_GPU)[0]
context = Context([device])
queue = CommandQueue(context, device)
program = Program.from_binaries(context, [device], [open(sys.argv[1], "rb").read()])
program.build()
kernel = Kernel(program, "ids")
out = np.zeros(128, np.uint32)
buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=out)
kernel.set_arg(0, buffer)
enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), None)
enqueue_nd_range_kernel(queue, kernel, 1, (64,), (64,), None)
enqueue_read_buffer(queue, buffer, True, 0, out)
assert (out == 1).all()
"""
    _python(code, str(tmp_path / "binary"), CL2CUDA_DEVICE="cuda")


def _python(code, *arguments, **environment):
    root = Path(__file__).resolve().parents[3]
    path = os.pathsep.join([str(root), str(root / "tests"), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True, cwd=root,
                          env={**os.environ, "PYTHONPATH": path, **environment})


def test_an_access_out_of_bounds_says_what_happened():
    code = """
import pytest
import test_cuda_driver as t
from cl2cuda.runtime.spec.errors import CLError
gpu = t.Setup(pytest.MonkeyPatch())
kernel = gpu.kernel("__global__ void f(int *x) { x[1ull << 40] = 1; }", t.kernel_info("f", t.arg("x", "global")))
kernel.set_arg(0, None)
try:
    gpu.run(kernel, (1,))
    gpu.queue.finish()
except CLError as error:
    print(error.status, error.message)
"""
    output = _python(code).stdout
    assert output.startswith("OUT_OF_RESOURCES clFinish failed: OUT_OF_RESOURCES")
    assert "a kernel accessed memory that is not its own" in output


def test_memory_freed_while_commands_run_is_not_lost(gpu):
    for turn in range(50):
        buffer = Buffer(gpu.context, 0, 1 << 26)
        enqueue_fill_buffer(gpu.queue, buffer, bytes([turn]), 0, 1 << 26)
    del buffer
    gpu.queue.finish()
    assert not gpu.context._reclaimer.retired and not gpu.context._reclaimer.noted


def test_what_an_enqueue_costs(gpu, capsys):
    """Prints the microseconds of the hot path; the bound only catches accidents."""
    info = kernel_info("f", arg("a", "global"), arg("b", "global"), arg("n", "value", 4), arg("x", "value", 4))
    kernel = gpu.kernel("__global__ void f(float *a, float *b, int n, float x) {}", info)
    a, n = gpu.buffer(np.zeros(4, np.float32)), bytes(4)
    size, local = (1024,), (64,)

    def bare():
        enqueue_nd_range_kernel(gpu.queue, kernel, 1, None, size, local)

    def with_arguments():
        set_a, set_b, set_n, set_x = kernel.setters
        set_a(a), set_b(a), set_n(n), set_x(n)
        enqueue_nd_range_kernel(gpu.queue, kernel, 1, None, size, local)

    def waited():
        enqueue_nd_range_kernel(gpu.queue, kernel, 1, None, size, local).wait()

    host = bytearray(16)

    def read():
        enqueue_read_buffer(gpu.queue, a, True, 0, host)

    with_arguments()
    costs = {}
    for call in (bare, with_arguments, waited, read):
        best = 1.0
        for _ in range(10):
            gpu.queue.finish()
            start = time.perf_counter()
            for _ in range(500):
                call()
            best = min(best, (time.perf_counter() - start) / 500)
        costs[call.__name__] = round(best * 1e6, 2)
    with capsys.disabled():
        print(f"\n  microseconds: {costs}")
    assert costs["bare"] < 50
