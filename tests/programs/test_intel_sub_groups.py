"""Intel's sub-group functions (cl_intel_subgroups, _short, _char, _long), run: shuffles, and block reads and writes of buffers, with
sub-groups of every size."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.builtins.extensions import EXTENSIONS

TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32, "double": np.float64}
SIZES = (8, 16, 32)
WIDTHS = {"char": "3 16", "uchar": "1 4", "short": "2 8", "ushort": "1 3", "int": "1 4", "uint": "2 16", "long": "1 2", "ulong": "1 8",
          "half": "1", "float": "1 3 8", "double": "1 16"}


def required(size: int) -> str:
    return f"__attribute__((intel_reqd_sub_group_size({size})))" if size < 32 else ""


def sub_groups(count: int, local: int, size: int) -> list[np.ndarray]:
    return [np.arange(s, min(s + size, start + local)) for start in range(0, count, local) for s in range(start, start + local, size)]


def agree(found: np.ndarray, expected: np.ndarray, there: np.ndarray) -> bool:
    """Where the source is a work-item that is there."""
    return bool((found[there] == expected[there]).all())


def shuffles(element: str, n: int, size: int) -> str:
    """A kernel `f{n}_{size}`."""
    type_ = element if n == 1 else f"{element}{n}"
    load = "{0}[i]" if n == 1 else f"vload{n}(i, {{0}})"
    store = "out[({0}) * count + i] = {1}" if n == 1 else f"vstore{n}({{1}}, ({{0}}) * count + i, out)"
    results = ["intel_sub_group_shuffle(x, (lane * 5 + 3) % size)", "intel_sub_group_shuffle_xor(x, 1)",
               "intel_sub_group_shuffle_down(x, y, 3u)", "intel_sub_group_shuffle_up(y, x, 3u)",
               "intel_sub_group_shuffle_down(x, y, lane)", "intel_sub_group_shuffle_up(y, x, lane / 2 + 1)"]
    stores = "".join(f"        {store.format(k, result)};\n" for k, result in enumerate(results))
    return f"""
    {required(size)} kernel void f{n}_{size}(global const {element} *a, global const {element} *b, global {element} *out) {{
        uint i = get_global_id(0), count = get_global_size(0), lane = get_sub_group_local_id(), size = get_sub_group_size();
        {type_} x = {load.format("a")}, y = {load.format("b")};
{stores}        if (lane % 2) {store.format(6, "intel_sub_group_shuffle_xor(x, 2)")};
        else {store.format(6, "intel_sub_group_shuffle(x, 0u)")};
    }}"""


@pytest.mark.parametrize("element", TYPES)
def test_shuffles(real_device, element):
    """Shuffles of scalars and vectors, by the same and by different distances, and among the work-items of a branch."""
    if element == "half" and not EXTENSIONS["cl_khr_fp16"].offered:
        pytest.skip("there is no half")
    widths = list(map(int, WIDTHS[element].split()))
    source = "".join(shuffles(element, n, size) for n in widths for size in SIZES)
    if element == "half":
        source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + source
    local, count = 43, 86
    for n in widths:
        random = np.random.default_rng(n)
        a, b = (random.integers(0, 100, (count, n)).astype(TYPES[element]) for _ in range(2))
        for size in SIZES:
            out = np.zeros((7, count, n), TYPES[element])
            execute(real_device, source, a, b, out, size=count, local=(local,), options="-cl-std=CL3.0", kernel=f"f{n}_{size}")
            for s in sub_groups(count, local, size):
                m, lane = len(s), np.arange(len(s))
                x, y = np.zeros((size, n), a.dtype), np.zeros((size, n), a.dtype)
                x[:m], y[:m] = a[s], b[s]
                here = np.arange(2 * size) % size < m  # of current and next, of previous and current
                down, up = np.concatenate([x, y]), np.concatenate([y, x])
                assert (out[0, s] == x[(lane * 5 + 3) % m]).all(), (n, size)
                assert agree(out[1, s], x[lane ^ 1], here[lane ^ 1]), (n, size)
                assert agree(out[2, s], down[lane + 3], here[lane + 3]), (n, size)
                assert agree(out[3, s], up[size + lane - 3], here[size + lane - 3]), (n, size)
                assert agree(out[4, s], down[2 * lane], here[2 * lane]), (n, size)
                assert agree(out[5, s], up[size + lane - lane // 2 - 1], here[size + lane - lane // 2 - 1]), (n, size)
                assert agree(out[6, s], np.where(lane[:, None] % 2, x[lane ^ 2], x[0]), np.where(lane % 2, here[lane ^ 2], True)), (n, size)


BLOCKS = {"": ("uint", (1, 2, 4, 8)), "_ui": ("uint", (1, 2, 4, 8)), "_us": ("ushort", (1, 2, 4, 8, 16)),
          "_uc": ("uchar", (1, 2, 4, 8, 16)), "_ul": ("ulong", (1, 2, 4, 8))}


def blocks(suffix: str, size: int) -> str:
    """A kernel `f_{size}` that reads blocks of every width, one after the other."""
    element, widths = BLOCKS[suffix]
    statements, first = "", 0
    for n in widths:
        number = "" if n == 1 else str(n)
        keep = "own[first + i] = x" if n == 1 else f"vstore{n}(x, i, own + first)"
        statements += f"""{{ uint first = {first} * get_global_size(0);
        {element}{number} x = intel_sub_group_block_read{suffix}{number}(in + first + base * {n});
        {keep}; intel_sub_group_block_write{suffix}{number}(out + first + base * {n}, x); }}\n"""
        first += n
    return f"""{required(size)} kernel void f_{size}(global const {element} *in, global {element} *out, global {element} *own) {{
        uint i = get_global_id(0), base = i - get_sub_group_local_id();
        {statements}
    }}\n"""


@pytest.mark.parametrize("suffix", BLOCKS)
def test_blocks_of_buffers(real_device, suffix):
    """Every work-item takes its column of the block; writing puts it where it came from."""
    element, widths = BLOCKS[suffix]
    source = "".join(blocks(suffix, size) for size in SIZES)
    for size in SIZES:
        count, local = 4 * size, 2 * size
        x = np.random.default_rng(size).integers(0, 200, sum(widths) * count).astype(TYPES[element])
        out, own = np.zeros_like(x), np.zeros_like(x)
        execute(real_device, source, x, out, own, size=count, local=(local,), options="-cl-std=CL3.0", kernel=f"f_{size}")
        assert (out == x).all()
        first = 0
        for n in widths:
            read = x[first : first + n * count].reshape(-1, n, size)
            assert (own[first : first + n * count].reshape(-1, size, n) == read.transpose(0, 2, 1)).all(), (size, n)
            first += n * count


@pytest.mark.parametrize("size", SIZES)
def test_blocks_by_the_last_sub_group(real_device, size):
    """It may be smaller: its rows still are as long as those of the others."""
    source = f"""{required(size)} kernel void f(global const uint *in, global uint *out) {{
        uint4 x = intel_sub_group_block_read4(in + 4 * {size} * get_sub_group_id());
        intel_sub_group_block_write4(out + 4 * {size} * get_sub_group_id(), x + 1);
    }}"""
    local = 3 * size - 3
    x, out = np.arange(12 * size, dtype=np.uint32), np.zeros(12 * size, np.uint32)
    execute(real_device, source, x, out, size=local, local=(local,), options="-cl-std=CL3.0")
    there = np.concatenate([np.ones(8 * size, bool), np.tile(np.arange(size) < size - 3, 4)])
    assert (out == np.where(there, x + 1, 0)).all()


def test_blocks_of_local_memory(real_device):
    source = """__attribute__((intel_reqd_sub_group_size(16))) kernel void f(global ushort *out) {
        local ushort cells[256];
        uint l = get_local_id(0), base = 64 * get_sub_group_id();
        intel_sub_group_block_write_us4(cells + base, (ushort4)(l, l + 100, l + 200, l + 300));
        barrier(CLK_LOCAL_MEM_FENCE);
        vstore4(intel_sub_group_block_read_us4(cells + (base + 64) % 256), l, out);
    }"""
    out = np.zeros((64, 4), np.uint16)
    execute(real_device, source, out, size=64, local=(64,), options="-cl-std=CL3.0")
    assert (out == (np.arange(64)[:, None] + 16) % 64 + np.arange(4) * 100).all()


@pytest.mark.parametrize("type_", ["char", "uchar", "short", "ushort"])
def test_arithmetic_of_small_types(real_device, type_):
    calls = "".join(f"r({3 * j + k}) = intel_sub_group_{shape}_{op}(x);\n" for j, op in enumerate(("add", "min", "max"))
                    for k, shape in enumerate(("reduce", "scan_inclusive", "scan_exclusive")))
    source = "#define r(k) out[(k) * get_global_size(0) + i]\n" + "".join(f"""
    {required(size)} kernel void f_{size}(global const {type_} *in, global {type_} *out) {{
        size_t i = get_global_id(0);
        {type_} x = in[i];
        {calls}
        r(9) = intel_sub_group_broadcast(x, 2u); r(10) = intel_sub_group_broadcast(({type_}3)(x), 1u).z;
    }}""" for size in SIZES)
    info = np.iinfo(TYPES[type_])
    x = np.random.default_rng(3).integers(info.min, info.max, 83, TYPES[type_], endpoint=True)
    for size in SIZES:
        out = np.zeros((11, 83), x.dtype)
        execute(real_device, source, x, out, size=83, local=(83,), options="-cl-std=CL3.0", kernel=f"f_{size}")
        for s in sub_groups(83, 83, size):
            for j, (function, first) in enumerate(((np.add, 0), (np.minimum, info.max), (np.maximum, info.min))):
                inclusive = function.accumulate(x[s], dtype=x.dtype)
                assert (out[3 * j, s] == inclusive[-1]).all() and (out[3 * j + 1, s] == inclusive).all(), (size, j)
                assert (out[3 * j + 2, s] == np.concatenate([np.array([first], x.dtype), inclusive[:-1]])).all(), (size, j)
            assert (out[9, s] == x[s][2]).all() and (out[10, s] == x[s][1]).all()


def test_in_opencl_1_2(real_device):
    source = """#pragma OPENCL EXTENSION cl_intel_subgroups : enable
    #if !defined(cl_intel_subgroups) || !defined(cl_intel_required_subgroup_size) || !defined(cl_intel_subgroups_short)
    #error
    #endif
    __attribute__((intel_reqd_sub_group_size(16))) kernel void f(global uint *r) {
        r[get_global_id(0)] = intel_sub_group_shuffle(get_sub_group_local_id(), 5u) + 100 * get_max_sub_group_size();
    }"""
    r = np.zeros(32, np.uint32)
    execute(real_device, source, r, size=32, local=(32,))
    assert (r == 1605).all()
