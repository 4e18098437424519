"""Launches of the host driver: work-items, barriers, local memory, divisions, threads."""

from __future__ import annotations

import math
import os
import sys
import time
from typing import Any

import numpy as np
import pytest
from support.host_bench import GLOBAL_IDS_ONLY, REVERSE, SAXPY, Bench, kernel

from cl2cuda.runtime.host import HostDriver, compiler, toolchain
from cl2cuda.translator.options import BuildOptions


@pytest.fixture(scope="module")
def device() -> Any:
    return HostDriver().devices()[0]


@pytest.fixture
def bench(device: Any) -> Bench:
    return Bench(device)


@pytest.mark.parametrize("prelude", ["", GLOBAL_IDS_ONLY], ids=["groups", "flat"])
@pytest.mark.parametrize("count", [1, 7, 256, 100_003])
def test_saxpy(bench: Bench, prelude: str, count: int) -> None:
    x, y = np.arange(count, dtype="f"), np.arange(count, dtype="f") % 17
    expected = 3 * x + y
    bench.run(SAXPY, kernel("saxpy"), y, x, np.float32(3), np.int32(count), prelude=prelude, global_size=count + 13, local_size=64)
    assert (y == expected).all()


def test_ten_million_items(bench: Bench) -> None:
    count = 10_000_000
    x, y = np.ones(count, "f"), np.zeros(count, "f")
    for name, prelude in (("flat", GLOBAL_IDS_ONLY), ("groups", "")):
        function = bench.function(SAXPY, kernel("saxpy"), prelude)
        best = math.inf
        for _ in range(5):
            start = time.perf_counter()
            bench.launch(function, (y, x, np.float32(1), np.int32(count)), count, 256)
            best = min(best, time.perf_counter() - start)
        print(f"saxpy of 10 million items, {name}: {best * 1e3:.2f} ms")
    assert (y == 10).all()


# Every work-item function of one item, as a row of numbers.
IDS = """
__global__ void ids(unsigned long *out) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t at = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + y) * get_global_size(0) + x;
    unsigned long *row = out + at * 21;
    for (uint d = 0; d < 3; d++) {
        *row++ = get_global_id(d); *row++ = get_local_id(d); *row++ = get_group_id(d);
        *row++ = get_local_size(d); *row++ = get_num_groups(d); *row++ = get_enqueued_local_size(d);
    }
    *row++ = get_global_linear_id(); *row++ = get_local_linear_id(); *row++ = get_work_dim();
    BARRIER
}
"""


@pytest.mark.parametrize("barrier", [False, True], ids=["groups", "fibers"])
@pytest.mark.parametrize(
    ("size", "local", "offset"),
    [
        ((10,), (4,), (0,)),
        ((7, 5), (4, 2), (100, 3)),
        ((5, 4, 3), (2, 3, 2), (1, 2, 2**33)),
        ((8, 1, 2), (4, 1, 1), (2**31 - 3, 0, 0)),
    ],
)
def test_work_item_functions(bench: Bench, barrier: bool, size: Any, local: Any, offset: Any) -> None:
    out = np.zeros((math.prod(size), 21), "u8")
    text = IDS.replace("BARRIER", "barrier(1);" if barrier else "")
    bench.run(text, kernel("ids", uses_barrier=barrier), out, global_size=size, local_size=local, offset=offset)
    size, local, offset = (*size, 1, 1)[:3], (*local, 1, 1)[:3], (*offset, 0, 0)[:3]
    dimensions = len(np.trim_zeros(np.array(size) - 1)) or 1
    for linear, row in enumerate(out):
        item = [linear % size[0], linear // size[0] % size[1], linear // size[0] // size[1]]
        sizes = []
        for d in range(3):
            group = item[d] // local[d]
            sizes.append(min(local[d], size[d] - group * local[d]))
            expected = [offset[d] + item[d], item[d] % local[d], group, sizes[d], -(-size[d] // local[d]), local[d]]
            assert row[6 * d : 6 * d + 6].tolist() == expected
        inside = [item[d] % local[d] for d in range(3)]
        assert row[18] == linear
        assert row[19] == (inside[2] * sizes[1] + inside[1]) * sizes[0] + inside[0]
        assert row[20] >= dimensions


@pytest.mark.parametrize("offset", [0, 5, 2**31 - 100, 2**40])
def test_flat_rows_with_offsets(bench: Bench, offset: int) -> None:
    text = """
    __global__ void f(unsigned long *out, unsigned long base) {
        size_t x = get_global_id(0);
        out[(x - base) + 1000 * get_global_id(1)] = x;
    }
    """
    out = np.zeros((37, 1000), "u8")
    bench.run(text, kernel("f"), out, np.uint64(offset), prelude=GLOBAL_IDS_ONLY, global_size=(1000, 37), offset=(offset, 0))
    assert (out == offset + np.arange(1000)).all()


def test_struct_and_many_parameters(bench: Bench) -> None:
    text = """
    struct pair { double a; char b; };
    __global__ void f(double *out, const pair p, char c, short s, long l, const double *const in) {
        out[get_global_id(0)] = p.a + p.b + c + s + l + *in;
    }
    """
    pair = np.array([(0.5, 7)], dtype=np.dtype([("a", "f8"), ("b", "i1")], align=True))[0]
    out, one = np.zeros(3), np.ones(1)
    bench.run(text, kernel("f"), out, pair, np.int8(-1), np.int16(300), np.int64(1 << 40), one, global_size=3)
    assert (out == 0.5 + 7 - 1 + 300 + 2.0**40 + 1).all()


@pytest.mark.parametrize("local", [1, 2, 64, 1024])
def test_local_memory_and_barrier(bench: Bench, local: int) -> None:
    data = np.arange(5000, dtype="i4")
    expected = np.concatenate([data[i : i + local][::-1] for i in range(0, 5000, local)])
    info = kernel("reverse", uses_barrier=True, uses_local_memory=True)
    bench.run(REVERSE, info, data, np.uint32(128), global_size=5000, local_size=local, dynamic_local=128 + 4 * local)
    assert (data == expected).all()


def test_tree_reduction_in_static_local_memory(bench: Bench) -> None:
    text = """
    __global__ void sum(const float *in, float *out) {
        __shared__ float part[256];
        uint i = get_local_id(0);
        part[i] = in[get_global_id(0)];
        barrier(1);
        for (uint n = get_local_size(0) / 2; n; n /= 2) {
            if (i < n) part[i] += part[i + n];
            barrier(1);
        }
        if (i == 0) out[get_group_id(0)] = part[0];
    }
    """
    data = np.random.randint(0, 100, 256 * 300).astype("f")
    out = np.zeros(300, "f")
    bench.run(text, kernel("sum", uses_barrier=True), data, out, global_size=data.size, local_size=256)
    assert (out == data.reshape(300, 256).sum(1)).all()


def test_two_dimensional_transposition(bench: Bench) -> None:
    text = """
    __global__ void transpose(const int *in, int *out, int w, int h) {
        __shared__ int tile[16][17];
        size_t lx = get_local_id(0), ly = get_local_id(1);
        if (get_global_id(0) < w && get_global_id(1) < h) tile[ly][lx] = in[get_global_id(1) * w + get_global_id(0)];
        barrier(1);
        size_t x = get_group_id(1) * 16 + lx, y = get_group_id(0) * 16 + ly;
        if (x < h && y < w) out[y * h + x] = tile[lx][ly];
    }
    """
    w, h = 100, 37
    data, out = np.arange(w * h, dtype="i4").reshape(h, w), np.zeros((w, h), "i4")
    info = kernel("transpose", uses_barrier=True)
    bench.run(text, info, data, out, np.int32(w), np.int32(h), global_size=(112, 48), local_size=(16, 16))
    assert (out == data.T).all()


@pytest.mark.parametrize("condition", ["i % 3 == 0", "i < 5", "i > 5", "i == 31", "true"])
def test_items_that_return_before_the_barrier(bench: Bench, condition: str) -> None:
    text = f"""
    __global__ void f(int *out) {{
        int i = get_local_id(0);
        out[get_global_id(0)] = 1;
        if ({condition}) return;
        barrier(1);
        out[get_global_id(0)] = 2;
        barrier(1);
        out[get_global_id(0)] += i;
    }}
    """
    out = np.zeros(96, "i4")
    bench.run(text, kernel("f", uses_barrier=True), out, global_size=96, local_size=32)
    expected = [1 if eval(condition, {"i": i % 32, "true": True}) else 2 + i % 32 for i in range(96)]
    assert out.tolist() == expected


def test_different_numbers_of_barriers_end(bench: Bench) -> None:
    text = "__global__ void f(int *out) { int i = get_local_id(0); for (int n = 0; n < i; n++) barrier(1); out[i] = i; }"
    out = np.zeros(64, "i4")
    bench.run(text, kernel("f", uses_barrier=True), out, global_size=64, local_size=64)
    assert (out == np.arange(64)).all()


def test_private_arrays_and_floats_survive_barriers(bench: Bench) -> None:
    text = """
    __global__ void f(double *out) {
        double own[500]; int i = get_local_id(0);
        for (int n = 0; n < 500; n++) own[n] = n * i;
        double sum = 0;
        for (int n = 0; n < 500; n += 100) { sum += own[n] * 0.5; barrier(1); }
        out[get_global_id(0)] = sum;
    }
    """
    out = np.zeros(1000)
    bench.run(text, kernel("f", uses_barrier=True), out, global_size=1000, local_size=100)
    assert (out == (np.arange(1000) % 100) * 500).all()


INTEGERS = {"signed char": "i1", "unsigned char": "u1", "short": "i2", "unsigned short": "u2", "int": "i4", "unsigned": "u4",
            "long": "i8", "unsigned long": "u8"}


@pytest.mark.parametrize("barrier", ["", "barrier(1);"], ids=["groups", "fibers"])
@pytest.mark.parametrize("type_", INTEGERS)
def test_division_by_zero(bench: Bench, type_: str, barrier: str) -> None:
    text = f"""
    __global__ void f(const {type_} *a, const {type_} *b, {type_} *q, {type_} *r) {{
        size_t i = get_global_id(0);
        {barrier}
        q[i] = a[i] / b[i];
        {barrier}
        r[i] = a[i] % b[i];
        {type_} z = b[i] - b[i];
        if (i == 0) r[i] = (a[i] / z) & 0;
    }}
    """
    numpy_type = np.dtype(INTEGERS[type_])
    least = np.iinfo(numpy_type).min
    a = np.array([1, 100, least, 100, 7, least] * 50, numpy_type)
    b = np.array([0, 7, 1, 0, 2, np.array(-1).astype(numpy_type)] * 50, numpy_type)
    q, r = np.zeros_like(a), np.zeros_like(a)
    bench.run(text, kernel("f", uses_barrier=bool(barrier)), a, b, q, r, global_size=300, local_size=10)
    assert q[1] == 14 and r[1] == 2 and q[4] == 3 and r[4] == 1


def test_division_by_zero_with_operands_in_memory(bench: Bench) -> None:
    text = """
    struct s { int pad[40]; int d; };
    __global__ void f(int *out, s *divisors, int n) {
        int i = get_global_id(0);
        out[2 * i] = 1;
        int r = n / divisors[i].d + n % divisors->pad[i] + n / divisors[i].pad[39];
        out[2 * i + 1] = r & 0;
        if (n / divisors[i].d == 5 || divisors[i].d == 0) out[2 * i + 1] = 3;
    }
    """
    out, divisors = np.zeros(20, "i4"), np.zeros((10, 41), "i4")
    bench.run(text, kernel("f"), out, divisors, np.int32(12), global_size=10)
    assert (out[::2] == 1).all()
    if toolchain.find_compiler().kind.name == "gnu":  # newer LLVMs conclude from the division that the divisor is not 0
        assert (out[1::2] == 3).all()


def test_constant_zero_divisor(bench: Bench) -> None:
    """Survives; what LLVM makes of the quotient is anybody's guess."""
    text = "__global__ void f(int *out, int n) { out[0] = 1; out[1] = n / 0; out[2] = n % 0; out[3] = 4; }"
    out = np.zeros(4, "i4")
    bench.run(text, kernel("f"), out, np.int32(12), global_size=1)
    assert out[0] == 1 and out[3] == 4


def test_printf_comes_out_at_synchronize(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    bench.run('__global__ void f() { printf("item %d\\n", (int)get_global_id(0)); }', kernel("f", uses_printf=True), global_size=3)
    assert sorted(capfd.readouterr().out.split("\n")) == ["", "item 0", "item 1", "item 2"]


def test_launches_after_a_fork(bench: Bench) -> None:
    count = 3_000_000
    x, y = np.ones(count, "f"), np.zeros(count, "f")
    function = bench.function(SAXPY, kernel("saxpy"))
    args = (y, x, np.float32(1), np.int32(count))
    bench.launch(function, args, count, 64)
    child = os.fork()
    if child == 0:
        bench.launch(function, args, count, 64)
        os._exit(0 if (y == 2).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_launches_from_several_threads(bench: Bench) -> None:
    from concurrent.futures import ThreadPoolExecutor

    function = bench.function(REVERSE, kernel("reverse", uses_barrier=True, uses_local_memory=True))
    data = [np.arange(64_000, dtype="i4") for _ in range(8)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda one: bench.launch(function, (one, np.uint32(0)), one.size, 64, dynamic_local=256), data))
    expected = np.arange(64_000).reshape(-1, 64)[:, ::-1].ravel()
    assert all((one == expected).all() for one in data)


@pytest.mark.parametrize("command", ["g++", "clang++", f"{sys.executable} -m ziglang c++"])
def test_every_compiler(device: Any, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    words = command.split()
    if not toolchain.shutil.which(words[0]) or ("ziglang" in words and toolchain.zig() is None):
        pytest.skip(f"no {command} here")
    monkeypatch.setenv("CL2CUDA_CXX", command)
    bench = Bench(device)
    test_saxpy(bench, "", 1000)
    test_saxpy(bench, GLOBAL_IDS_ONLY, 1000)
    test_local_memory_and_barrier(bench, 64)
    test_division_by_zero(bench, "int", "barrier(1);")


@pytest.mark.parametrize("option", ["opt_disable", *compiler.OPTION_FLAGS, "denorms_are_zero"])
def test_options(device: Any, option: str) -> None:
    options = BuildOptions(**{option: True})
    test_saxpy(Bench(device, options), "", 100)
    changes = option in compiler.OPTION_FLAGS or option == "opt_disable"
    assert (device.compiler_identity(options) != device.compiler_identity(BuildOptions())) == changes
