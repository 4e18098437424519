"""Faults of kernels on the host device: the launch fails, and the process and its other work go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.devices import first
from support.processes import environment

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.partition import create_sub_devices
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import debug_mode
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the handler knows Linux's registers only")

SOURCE = """
#define FAR(i) (x[(size_t)(n + 1) << 40])
__kernel void flat(__global int *x, int n, int bad) { int i = get_global_id(0); if (i == bad) FAR(i) = 1; else x[i] += 1; }
__kernel void groups(__global int *x, int n, int bad) {
    __local int part[1];
    int i = get_global_id(0);
    part[0] = i;
    if (i == bad) FAR(i) = 1; else x[i] += 1 + part[0] - i;
}
__kernel void loops(__global int *x, int n, int bad) {
    __local int part[256];
    int i = get_global_id(0);
    part[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int one = part[get_local_size(0) - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == bad) FAR(i) = 1; else x[i] += one;
    barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void fibers(__global int *x, int n, int bad) {
    __local int part[256];
    int i = get_global_id(0);
    volatile int always = 1;
    part[get_local_id(0)] = 1;
    if (always) barrier(CLK_LOCAL_MEM_FENCE);  // as far as the translator knows, some may not come
    int one = part[get_local_size(0) - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == bad) FAR(i) = 1; else x[i] += one;
    barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void sub_groups(__global int *x, int n, int bad) {
    int i = get_global_id(0);
    int one = sub_group_reduce_max(1);
    if (i == bad) FAR(i) = 1;
    x[i] += sub_group_broadcast(one, 0);
}
__kernel void deep(__global int *x, int n, int bad) {
    volatile int much[1 << 20];
    int i = get_global_id(0);
    if (i == bad) for (int k = (1 << 20) - 1; k >= 0; k--) much[k] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] += i == bad ? much[n] : 1;
}
__kernel void planes(__global int *x, int n, int bad) {
    size_t i = (get_global_id(2) * 4 + get_global_id(1)) * 8 + get_global_id(0);
    if (i == bad) FAR(i) = 1;
}
struct large { int of[4096]; };
__kernel void in_the_library(__global struct large *x, int n, int bad) {
    struct large one = x[get_global_id(0) == bad ? (size_t)(n + 1) << 30 : 0];
    x[1] = one;
}
"""
SIZE = 2048
KERNELS = ["flat", "groups", "loops", "fibers", "sub_groups"]


@pytest.fixture(scope="module")
def host():
    return first("host")


def made(host, devices=None):
    context = Context(devices or [host])
    program = Program(context, SOURCE)
    program.build("-cl-std=CL3.0")
    return context, program


@pytest.fixture(scope="module")
def program(host, tmp_path_factory):
    return made(host)[1]


class Run:
    """Launches of a kernel on one queue, with one buffer that counts each good launch."""

    def __init__(self, program, name, properties=0, device=None):
        self.queue = create_command_queue(program.context, device or program.devices[0], properties)
        self.buffer = Buffer(program.context, codes.MEM_COPY_HOST_PTR, host=np.zeros(4 * SIZE, np.int32))
        self.kernel = Kernel(program, name)
        self.kernel.set_arg(0, self.buffer)
        self.kernel.set_arg(1, np.int32(0))

    def __call__(self, bad=-1, size=(SIZE,), local=(64,)):
        self.kernel.set_arg(2, np.int32(bad))
        event = enqueue_nd_range_kernel(self.queue, self.kernel, len(size), None, size, local)
        event.wait()

    def fails(self, bad, *sizes):
        with pytest.raises(CLError) as caught:
            self(bad, *sizes)
        return caught.value

    def counts(self):
        found = np.zeros(SIZE, np.int32)
        enqueue_read_buffer(self.queue, self.buffer, True, 0, found)
        return found


@pytest.mark.parametrize("name", KERNELS)
def test_what_comes_after_is_right(program, name):
    run = Run(program, name)
    run()
    before = run.counts()
    assert (before == 1).all()
    for bad in (0, 777, SIZE - 1) * 3:
        error = run.fails(bad)
        assert error.status == "OUT_OF_RESOURCES" and f"kernel '{name}' accessed memory at 0x" in error.reason
        before = run.counts()
        run()
        assert (run.counts() == before + 1).all()


@pytest.mark.parametrize("name", KERNELS)
def test_work_items_of_many_threads_fail(program, name):
    """Each of them: one is named, and all threads come back."""
    context, source = program.context, SOURCE.replace("i == bad", "bad")
    every = Program(context, source)
    every.build("-cl-std=CL3.0")
    run = Run(every, name)
    for _ in range(5):
        run.fails(1)
    run(0)
    assert run.counts().max() >= 1


def test_out_of_order_queue_and_sub_device(program, host):
    run = Run(program, "fibers", codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    assert "kernel 'fibers' accessed memory" in run.fails(5).reason
    run()
    (part,) = create_sub_devices(host, (codes.DEVICE_PARTITION_BY_COUNTS, 1, 0))
    run = Run(made(host, [part])[1], "fibers")
    run.fails(5)
    run()


def test_a_stack_that_is_overrun(program):
    for _ in range(3):
        assert "overran its stack (CL2CUDA_HOST_STACK" in Run(program, "deep").fails(70, (128,)).reason
    run = Run(program, "fibers")
    run()
    assert (run.counts() == 1).all()


def test_threads_of_python(program):
    """Each of several threads fails at times, and gets its own error."""
    from concurrent.futures import ThreadPoolExecutor

    def work(number):
        run = Run(program, KERNELS[number % len(KERNELS)])
        for turn in range(20):
            if (turn + number) % 3 == 0:
                assert f"'{run.kernel.name}'" in run.fails(turn * 7).reason
            else:
                before = run.counts()
                run()
                assert (run.counts() == before + 1).all()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


@pytest.fixture
def debugging(monkeypatch):
    monkeypatch.setattr(debug_mode, "_active", True)


@pytest.mark.parametrize("name", KERNELS)
def test_debug_mode_knows_the_work_item(host, debugging, name):
    run = Run(made(host)[1], name)
    for bad in (0, 777, SIZE - 1):
        assert f"in the work-item with global id {bad}." in run.fails(bad).reason
    run()


def test_debug_mode_knows_work_items_of_three_dimensions(host, debugging):
    reason = Run(made(host)[1], "planes").fails(2 * 32 + 3 * 8 + 5, (8, 4, 4), (4, 2, 1)).reason
    assert "in the work-item with global id (5, 3, 2)." in reason
    assert "global size (8, 4, 4), local size (4, 2, 1), with\n  argument 0, int* x = 0x" in reason


@pytest.mark.parametrize("size", [32, 64, 1024, 12345 * 32])  # buffers begin where 128 divides the address
def test_debug_mode_guards_buffers(host, debugging, size):
    context = Context([host])
    program = Program(context, "__kernel void near(__global int *x, int at) { x[at] = at; }")
    program.build()
    kernel, queue, buffer = Kernel(program, "near"), create_command_queue(context, host), Buffer(context, 0, 4 * size)
    kernel.set_arg(0, buffer)
    for at in (0, size - 1, size, -1):
        kernel.set_arg(1, np.int32(at))
        if 0 <= at < size:
            enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,)).wait()
        elif at >= size or size % 1024 == 0:
            with pytest.raises(CLError) as caught:
                enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,)).wait()
            assert f"a buffer of {4 * size} bytes" in caught.value.reason


def test_debug_mode_notices_memory_that_is_gone(host, debugging):
    context = Context([host])
    program = Program(context, "__kernel void late(__global ulong *keep, __global int *x, int use) {"
                               "if (use) *(__global int *)keep[0] = 1; else keep[0] = (ulong)x; }")
    program.build()
    kernel, queue = Kernel(program, "late"), create_command_queue(context, host)
    keep, gone, other = Buffer(context, 0, 8), Buffer(context, 0, 1 << 16), Buffer(context, 0, 8)

    def launch(x, use):
        for index, value in enumerate((keep, x, np.int32(use))):
            kernel.set_arg(index, value)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,)).wait()

    launch(gone, 0)
    launch(other, 1)
    gone.release()
    del gone
    context.reclaim()
    with pytest.raises(CLError, match="accessed memory at 0x"):
        launch(other, 1)


ELSEWHERE = """
import ctypes, sys
sys.path[:0] = [{tests!r}, {here!r}, {root!r}]
import test_host_faults as t
run = t.Run(t.made(t.first("host"))[1], {kernel!r})
run.fails(3) if {kernel!r} != "in_the_library" else run(-1, (1,), (1,))
print("so far", flush=True)
run(0, (1,), (1,)) if {kernel!r} == "in_the_library" else ctypes.string_at(8)
"""


@pytest.mark.parametrize("faulthandler", [False, True])
@pytest.mark.parametrize("kernel", ["flat", "in_the_library"])
def test_faults_elsewhere_end_the_process_as_they_would(kernel, faulthandler, tmp_path):
    """Faults of the process's own code, and inside of the C library, which may hold a lock."""
    script = ELSEWHERE.format(tests=str(ROOT / "tests"), here=str(Path(__file__).parent), root=str(ROOT), kernel=kernel)
    result = subprocess.run([sys.executable, *["-X", "faulthandler"][: 2 * faulthandler], "-c", script], capture_output=True, text=True,
                            env={**os.environ, "PYTHONFAULTHANDLER": ""}, timeout=60)
    assert result.stdout == "so far\n", result.stderr
    assert result.returncode == -signal.SIGSEGV
    assert ("by a fault in the kernel in_the_library" in result.stderr) == (kernel == "in_the_library")
    assert ("Segmentation fault" in result.stderr) == faulthandler


OVERWRITTEN = """
import numpy as np
import pyopencl as cl

context = cl.create_some_context(False)
queue = cl.CommandQueue(context)
smash = cl.Program(context, '''
kernel void smash(global uchar *x, uint n)
{
    uchar own[64];
    for (uint i = 0; i < n; i++)
        own[i] = x[i % 8];
    for (uint i = 0; i < n; i++)
        x[i % 8] += own[i ^ 3];
}''').build().smash
x = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(8, np.uint8))
smash(queue, (1,), None, x, np.uint32(4096))
queue.finish()
"""


def test_a_kernel_that_overwrites_the_stack_is_named_once(tmp_path):
    """The thread has nowhere to go on. What the handler reads lies elsewhere: it would fault itself, again and again."""
    script = tmp_path / "overwritten.py"
    script.write_text(OVERWRITTEN)
    result = subprocess.run([sys.executable, "-m", "cl2cuda", "run", str(script)], capture_output=True, text=True, timeout=60,
                            env=environment(CL2CUDA_DEVICE="host"))
    assert result.returncode == -signal.SIGSEGV
    assert result.stderr.count("by a fault in the kernel smash") == 1
