"""The host driver: compilers, the native runtime, modules, memory and streams. Launches are test_host_launch.py's."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from support.host_bench import GLOBAL_IDS_ONLY, SAXPY, Bench, Program, kernel

from cl2cuda.runtime.driver.interface import BuildFailure, DriverError, DriverMissing
from cl2cuda.runtime.host import HostDriver, native, toolchain
from cl2cuda.translator.options import BuildOptions


@pytest.fixture(scope="module")
def device() -> Any:
    return HostDriver().devices()[0]


@pytest.fixture
def bench(device: Any) -> Bench:
    return Bench(device)


def test_division_by_zero_elsewhere_still_ends_the_process(tmp_path: Any) -> None:
    if toolchain.platform.machine() != "x86_64":
        pytest.skip("only x86 traps")
    script = f"""
import sys, ctypes; sys.path[:0] = {sys.path!r} + [{os.path.dirname(__file__)!r}]
from support import host_bench as t
from cl2cuda.runtime.host import HostDriver
from cl2cuda.runtime.host.toolchain import find_compiler
bench = t.Bench(HostDriver().devices()[0])
out = t.np.zeros(1, "i4")
bench.run("__global__ void f(int *out) {{ *out = 1 + (7 / *out & 0); }}", t.kernel("f"), out, global_size=1)
print("in a kernel:", out[0], flush=True)
open(sys.argv[1], "wb").write(find_compiler().build('extern "C" int f(int a, int b) {{ return a / b; }}', ()))
ctypes.CDLL(sys.argv[1]).f(1, 0)
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "f.so")], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("in a kernel: 1\n", -8), done.stderr


def test_compile_error_names_the_users_line(device: Any) -> None:
    text = '#line 17 "user.cl"\n__global__ void f(int *out) { *out = nothing; }'
    with pytest.raises(BuildFailure) as failure:
        device.compile(Program(text, (kernel("f"),)), BuildOptions())
    assert "user.cl:17" in failure.value.log and "nothing" in failure.value.log


def test_missing_compiler_says_what_to_install(device: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("CL2CUDA_CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "zig", lambda: None)
    toolchain.compiler_for.cache_clear()
    with pytest.raises(DriverMissing, match="pip install ziglang"):
        device.compile(Program("", ()), BuildOptions())
    monkeypatch.setenv("CL2CUDA_CXX", "no-such-compiler")
    with pytest.raises(DriverMissing, match="no-such-compiler"):
        device.compiler_identity(BuildOptions())


def test_two_modules_with_one_kernel_name(bench: Bench) -> None:
    functions = [bench.function(f"__global__ void f(int *out) {{ *out = {n}; }}", kernel("f")) for n in (1, 2)]
    out = np.zeros(1, "i4")
    for n, function in enumerate(functions, 1):
        bench.launch(function, (out,), 1)
        assert out[0] == n


def test_what_does_not_load(device: Any) -> None:
    with pytest.raises(DriverError) as failure:
        device.load(b"no shared object")
    assert failure.value.status == "INVALID_BINARY"
    info = kernel("f")
    module = device.load(device.compile(Program("__global__ void f() {}", (info,)), BuildOptions()))
    with pytest.raises(DriverError, match="other"):
        module.function(kernel("other"))
    module.unload()
    module.unload()
    with pytest.raises(DriverError):
        module.function(info)


def test_allocation(device: Any) -> None:
    for size in (0, 1, 1000, 1 << 20):
        address = device.allocate(size)
        assert address and address % 128 == 0
        device.free(address)
    with pytest.raises(DriverError) as failure:
        device.allocate(1 << 60)
    assert failure.value.status == "MEM_OBJECT_ALLOCATION_FAILURE"


def test_the_last_vector_of_an_allocation_may_be_stored_whole(device: Any) -> None:
    """A kernel that stores four floats where three are left works on GPUs, whose memory ends at multiples of 256 bytes."""
    usable = ctypes.CDLL(None).malloc_usable_size
    usable.argtypes, usable.restype = [ctypes.c_void_p], ctypes.c_size_t
    for size in (1, 31 * 31 * 4, 128, 1000):
        address = device.allocate(size)
        assert usable(address) >= -(-size // 128) * 128
        device.free(address)


def test_copies_and_fills(device: Any) -> None:
    stream = device.open_stream()
    a, b = np.arange(1000, dtype="u1"), np.zeros(1000, "u1")
    stream.copy("device_to_device", b.ctypes.data, a.ctypes.data, 500)
    assert (b[:500] == a[:500]).all() and not b[500:].any()
    for pattern in (b"\x05", b"ab", bytes(range(16)), bytes(range(128))):
        size = 900 // len(pattern) * len(pattern)
        b[:] = 0
        stream.fill(b.ctypes.data, pattern, size)
        assert b[:size].tobytes() == pattern * (size // len(pattern)) and not b[size:].any()


def test_rectangles(device: Any) -> None:
    stream = device.open_stream()
    source = np.random.randint(0, 255, (4, 6, 10), "u1")
    target = np.zeros((5, 7, 12), "u1")
    at = target.ctypes.data + 1 * 84 + 2 * 12 + 3
    stream.copy_rect("host_to_device", at, (12, 84), source.ctypes.data + 60 + 10 + 1, (10, 60), (8, 4, 3))
    expected = np.zeros_like(target)
    expected[1:4, 2:6, 3:11] = source[1:4, 1:5, 1:9]
    assert (target == expected).all()


def test_marks_are_on_one_time_line(device: Any) -> None:
    stream, other = device.open_stream(), device.open_stream()
    first = stream.fence(True)
    other.after(first)
    second = other.fence(True)
    second.wait()
    assert first.done() and first.time_ns() <= second.time_ns()


def test_properties(device: Any) -> None:
    p = device.properties
    assert p.name.startswith("cl2cuda host device (") and p.vendor == "cl2cuda" and not p.is_gpu


def test_damaged_native_runtime_is_built_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    native.runtime()  # Kernels are bound to the first that is loaded: it must be the one that has been told its settings.
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("CL2CUDA_NO_CACHE", raising=False)
    native.built()
    (path,) = tmp_path.glob("*/*.so")
    assert native.kept(path)
    whole = path.read_bytes()
    for damage in (b"", whole[:100], whole[:5000] + b"?" + whole[5001:]):
        path.unlink()  # the loaded file must not change under the process
        path.write_bytes(damage)
        assert not native.kept(path)
        native.built()
        assert native.kept(path)


def test_native_runtime_without_a_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    native.runtime()
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    assert native.built().ocl_host_barrier
    assert not list(tmp_path.iterdir())


def test_cold_build_time(device: Any) -> None:
    start = time.perf_counter()
    device.compile(Program(SAXPY, (kernel("saxpy"),), GLOBAL_IDS_ONLY), BuildOptions())
    print(f"cold build: {(time.perf_counter() - start) * 1e3:.0f} ms")
