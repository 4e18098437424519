"""NVIDIA's tools on programs that cl2cuda runs: kernels under their names, lines of the source, queues and commands. For machines with a
GPU and the tools; each test says what its tool shows."""

import csv
import fcntl
import math
import os
import re
import shutil
import subprocess
import sys

import pytest
from support.processes import cuda_devices, environment

from cl2cuda.profiling import counters, profile

pytestmark = pytest.mark.faulting

TOOLKIT = "/usr/local/cuda/bin"
PROGRAM = """
import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, '''
kernel void poke(global int *a, int far)
{
    int i = get_global_id(0);
    a[i + far] = i;
}
kernel void stream(global const float *a, global float *b)
{
    b[get_global_id(0)] = 2 * a[get_global_id(0)];
}
kernel void blend(global const float16 *a, global float16 *b)
{
    float16 x = a[get_global_id(0)], y = x + 1;
    for (int i = 0; i < 1000; i++) {
        x = x * y + y;
        y = y * x + x;
    }
    b[get_global_id(0)] = x + y;
}
''').build()
a, b = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 256 << 20) for _ in range(2))
"""
FAULT = PROGRAM + "program.poke(queue, (64,), (64,), a, np.int32(1 << 30))\nqueue.finish()\n"
STREAM = PROGRAM + "for _ in range(20):\n    program.stream(queue, (64 << 20,), (256,), a, b)\nqueue.finish()\n"
BOTH = STREAM + "for _ in range(20):\n    program.blend(queue, (1 << 20,), (256,), a, b)\nqueue.finish()\n"
# What Nsight Compute says where the driver has refused it a launch, which has a grid of 0 then.
REFUSED, NOT_ALLOWED = "==ERROR==", "ERR_NVGPUCTRPERM"
# Nsight Compute says as many of a kernel that needs less; CUDA says what it needs.
FEWEST_REGISTERS = 16


@pytest.fixture(autouse=True)
def gpu(tmp_path_factory):
    """One tool at a time, of all processes that run tests: Nsight Compute refuses launches where another has the GPU's counters."""
    if not cuda_devices():
        pytest.skip("no CUDA device")
    with (tmp_path_factory.getbasetemp().parent / "nvidia_tools.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def run(tmp_path):
    """Runs a tool on a program; returns what both say."""

    def run(text, tool, *words, **variables):
        path = shutil.which(tool, path=f"{os.environ['PATH']}{os.pathsep}{TOOLKIT}")
        if path is None:
            pytest.skip(f"{tool} is not installed")
        (tmp_path / "program.py").write_text(text)
        program = [sys.executable, "-m", "cl2cuda", "run", str(tmp_path / "program.py")]
        done = subprocess.run([path, *words, *(program if text else [])], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                              env=environment(CL2CUDA_DEVICE="cuda", CL2CUDA_CACHE_DIR=str(tmp_path / "cache"), **variables))
        return done.stdout + done.stderr

    return run


def faulting_line(said, tmp_path):
    """The text of the line of a kept source that a tool names. The debugger names where the exception was triggered, and where the
    threads are, which is a few instructions later."""
    place = r"([0-9a-f]{16}\.cl):(\d+)"
    found = set(re.findall(rf"triggered at PC .*{place}", said) or re.findall(place, said))
    assert len(found) == 1, said
    [(name, line)] = found
    return (tmp_path / "cache" / "sources" / name).read_text().splitlines()[int(line) - 1].strip()


def test_the_sanitizer_names_kernel_and_line(run, tmp_path):
    said = run(FAULT, "compute-sanitizer", CL2CUDA_LINE_INFO="1", CL2CUDA_DEBUG="1")
    assert "Invalid __global__ write" in said and "poke" in said, said
    assert faulting_line(said, tmp_path) == "a[i + far] = i;"


def test_the_debugger_stops_in_the_line(run, tmp_path):
    said = run(FAULT, "cuda-gdb", "-batch", "-ex", "run", "-ex", "bt", "--args", CL2CUDA_LINE_INFO="1")
    assert "poke" in said and "CUDA_EXCEPTION" in said, said
    assert faulting_line(said, tmp_path) == "a[i + far] = i;"


def test_nsight_systems_shows_queues_commands_and_kernels(run, tmp_path):
    pytest.importorskip("nvtx")
    run(STREAM, "nsys", "profile", "--trace=cuda,nvtx", "--output=report", "--force-overwrite=true", CL2CUDA_NVTX="1")
    said = run("", "nsys", "stats", "--report=nvtx_sum,cuda_gpu_kern_sum", "--format=csv", "report.nsys-rep")
    assert re.search(r"queue 1.*:stream", said) and re.search(r"^.*,\"?.*stream", said, re.MULTILINE), said


def test_a_profile_agrees_with_nsight_compute(run, tmp_path):
    """Times of a kernel of a millisecond within 3 %, registers exactly. Between the fences around a launch are some microseconds beside
    the kernel's own; and other programs on the GPU make some launches longer: the shortest are compared, of three attempts. Beside thirty processes on the
    GPU the driver has twice refused Nsight Compute one of its launches, which the program alone makes without fail: it is asked again,
    when the program has run without it."""
    words = ("ncu", "--csv", "--print-units", "base", "--print-kernel-base", "function", "--clock-control", "none",
             "--metrics", "gpu__time_duration.sum,launch__registers_per_thread")

    def counted():
        """What Nsight Compute says, and a function that reads it."""
        for _ in range(4):
            said = run(BOTH, *words)
            if REFUSED not in said or NOT_ALLOWED in said:
                break
            alone = subprocess.run([sys.executable, "-m", "cl2cuda", "run", "program.py"], cwd=tmp_path, capture_output=True, text=True,
                                   env=environment(CL2CUDA_DEVICE="cuda"))
            assert alone.returncode == 0, alone.stderr
        if NOT_ALLOWED in said:
            pytest.skip("counters are not allowed here")
        rows = list(csv.DictReader(line for line in said.splitlines() if line.startswith('"')))

        def values(kernel, metric):
            found = [float(row["Metric Value"].replace(",", "")) for row in rows
                     if (counters.kernel_name(row["Kernel Name"]), row["Metric Name"]) == (kernel, metric)
                     and row["Metric Value"] not in ("nan", "n/a")]  # of a launch that Nsight Compute was refused
            assert found, said
            return found

        return said, values

    def profiled():
        words = [sys.executable, "-m", "cl2cuda", "profile", "--json", "p.json", "program.py"]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, env=environment(CL2CUDA_DEVICE="cuda"))
        return {row.name: row for row in profile.from_json((tmp_path / "p.json").read_text(), "p.json").devices[0].kernels}

    ours = theirs = math.inf
    for _ in range(3):
        (said, values), kernels = counted(), profiled()
        for name, row in kernels.items():
            given = {max(count, FEWEST_REGISTERS) for count in row.registers}
            assert given == set(values(name, "launch__registers_per_thread")), (name, row.registers, said)
        assert kernels["blend"].registers[0] > FEWEST_REGISTERS
        ours, theirs = min(ours, kernels["blend"].times.least), min(theirs, *values("blend", "gpu__time_duration.sum"))
        if ours == pytest.approx(theirs / 1e9, rel=0.03):
            return
    raise AssertionError(f"{ours * 1e9} ns, and {theirs} by Nsight Compute: {said}")


def test_a_profile_has_counters_where_they_are_allowed(tmp_path):
    if shutil.which("ncu") is None:
        pytest.skip("ncu is not on the PATH")
    (tmp_path / "program.py").write_text(STREAM)
    words = [sys.executable, "-m", "cl2cuda", "profile", "--counters", "--json", "p.json", "program.py"]
    for _ in range(3):  # what else is on the GPU may end
        done = subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, text=True, env=environment(CL2CUDA_DEVICE="cuda"))
        if "but 'nan', as it does where other programs use the GPU" not in done.stdout:
            break
    else:
        pytest.skip("other programs use the GPU: Nsight Compute counts nothing")
    if "nothing was counted" in done.stdout:
        assert "ERR_NVGPUCTRPERM" in done.stdout, done.stdout
        pytest.skip("counters are not allowed here")
    [row] = profile.from_json((tmp_path / "p.json").read_text(), "p.json").devices[0].kernels
    assert row.counted.operations == 64 << 20
    assert row.counted.bytes == pytest.approx(512 << 20, rel=0.2)  # a part of it may stay in the cache
