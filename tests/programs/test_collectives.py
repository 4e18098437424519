"""Work-group collective functions (6.15.16, 6.15.17), run: every operation and type, work-groups of many sizes and shapes."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda import translator
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes

TYPES = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "float": np.float32, "double": np.float64}
OPS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
       "xor": np.bitwise_xor}
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
SHAPES = [(1,), (5,), (31,), (32,), (33,), (64,), (100,), (256,), (1000,), (1024,), (8, 8), (7, 5), (3, 4, 5), (33, 2, 3), (3, 2, 70)]
C3 = "-cl-std=CL3.0"


def identity(op: str, dtype: type) -> object:
    limits = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else None
    return {"add": 0, "or": 0, "xor": 0, "mul": 1, "and": -1 if limits is None or limits.min else limits.max,
            "min": limits.max if limits else np.inf, "max": limits.min if limits else -np.inf,
            "logical_and": 1, "logical_or": 0, "logical_xor": 0}[op]


def given(dtype: type, count: int, op: str) -> np.ndarray:
    """Values whose sums and products floats hold exactly, in whatever order they are made."""
    random = np.random.default_rng(count)
    if np.issubdtype(dtype, np.floating):
        return random.choice([1, -1, 2, 0.5] if op == "mul" else [1, -3, 7, 100], count).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


def scans(function: np.ufunc, x: np.ndarray, first: object) -> tuple[np.ndarray, np.ndarray]:
    """Inclusive and exclusive, in the type of x."""
    with np.errstate(over="ignore"):
        inclusive = function.accumulate(x, dtype=x.dtype)
    return inclusive, np.concatenate([np.array([first], x.dtype), inclusive[:-1]])


def kernel(type_: str, ops: list[str]) -> str:
    body = "".join(f"""    r[({3 * j} + 0) * n + i] = work_group_reduce_{op}(x[i]);
    r[({3 * j} + 1) * n + i] = work_group_scan_inclusive_{op}(x[i]);
    r[({3 * j} + 2) * n + i] = work_group_scan_exclusive_{op}(x[i]);
""" for j, op in enumerate(ops))
    return f"kernel void f(global const {type_} *x, global {type_} *r, ulong n) {{ size_t i = get_global_linear_id();\n{body}}}\n"


@pytest.mark.parametrize("type_", TYPES)
def test_reductions_and_scans(real_device, type_):
    dtype = TYPES[type_]
    ops = [op for op in OPS if type_ not in ("float", "double") or op in ("add", "mul", "min", "max")]
    for shape in SHAPES:
        n = int(np.prod(shape))  # the groups follow each other in the last dimension, so in the linear order too
        for op in ops if shape in ((33,), (100,)) else ops[:2]:
            x, r = given(dtype, 2 * n, op), np.zeros((3, 2 * n), dtype)
            execute(real_device, kernel(type_, [op]), x, r, np.uint64(2 * n), size=(*shape[:-1], 2 * shape[-1]), local=shape, options=C3)
            for group in (slice(n), slice(n, 2 * n)):
                inclusive, exclusive = scans(OPS[op], x[group], identity(op, dtype))
                # Products may leave the range of float on the way, in an order of their own.
                same = np.array_equal if op != "mul" or type_ not in ("float", "double") else np.allclose
                assert same(r[0, group], np.full(n, inclusive[-1])), (op, shape)
                assert same(r[1, group], inclusive) and same(r[2, group], exclusive), (op, shape)


def test_results_of_several_types_in_a_row(real_device):
    """Who has its result goes on to the next function, whose values may be wider, before others have taken theirs."""
    source = """kernel void f(global const int *x, global int *r) {
        size_t i = get_global_linear_id();
        r[4 * i] = work_group_reduce_add(x[i]);
        long product = work_group_reduce_mul((long)x[i] | 1);
        r[4 * i + 1] = work_group_broadcast(x[i], 5);
        r[4 * i + 2] = convert_int(work_group_reduce_max((double)x[i])) + (int)(product - product);
        r[4 * i + 3] = work_group_scan_inclusive_min(x[i]);
        r[4 * i] += (int)work_group_scan_exclusive_add(0L);
    }"""
    for size in (33, 64, 100, 256):
        x, r = np.random.default_rng(size).integers(-1000, 1000, size, dtype=np.int32), np.zeros((size, 4), np.int32)
        execute(real_device, source, x, r, size=size, local=(size,), options=C3)
        assert (r[:, 0] == x.sum()).all() and (r[:, 1] == x[5]).all() and (r[:, 2] == x.max()).all()
        assert (r[:, 3] == np.minimum.accumulate(x)).all()


def test_many_operations_in_a_row(real_device):
    ops = list(OPS)
    x, r = given(np.int32, 300, "add"), np.zeros((3 * len(ops), 300), np.int32)
    execute(real_device, kernel("int", ops), x, r, np.uint64(300), size=300, local=(100,), options=C3)
    for j, op in enumerate(ops):
        for g in range(0, 300, 100):
            inclusive, exclusive = scans(OPS[op], x[g : g + 100], identity(op, np.int32))
            assert (r[3 * j, g : g + 100] == inclusive[-1]).all(), op
            assert (r[3 * j + 1, g : g + 100] == inclusive).all() and (r[3 * j + 2, g : g + 100] == exclusive).all(), op


@pytest.mark.parametrize("size", [1, 31, 65, 128])
def test_logical_operations(real_device, size):
    source = kernel("int", list(LOGICAL))
    for x in (np.zeros(size, np.int32), np.full(size, 4, np.int32), np.arange(size, dtype=np.int32) % 3 * 2):
        r = np.zeros((9, size), np.int32)
        execute(real_device, source, x, r, np.uint64(size), size=size, local=(size,), options=C3)
        for j, (op, function) in enumerate(LOGICAL.items()):
            inclusive = function.accumulate(x != 0)
            exclusive = np.concatenate([[bool(identity(op, np.int32))], inclusive[:-1]])
            expected = [np.full(size, inclusive[-1]), inclusive, exclusive]
            assert all(np.array_equal(r[3 * j + k] != 0, expected[k]) for k in range(3)), op


@pytest.mark.parametrize("shape", [(1,), (40,), (256,), (6, 7), (3, 4, 5), (1, 2, 70)])
@pytest.mark.parametrize("type_", TYPES)
def test_broadcasts(real_device, type_, shape):
    ids = ", ".join("xyz"[: len(shape)])
    source = f"""kernel void f(global const {type_} *in, global {type_} *out) {{
        size_t i = get_local_linear_id(), k = 0, n = get_local_size(0) * get_local_size(1) * get_local_size(2);
        for (size_t z = 0; z < get_local_size(2); z++)
            for (size_t y = 0; y < get_local_size(1); y++)
                for (size_t x = 0; x < get_local_size(0); x++)
                    out[n * k++ + i] = work_group_broadcast(in[i], {ids});
    }}"""
    n = int(np.prod(shape))
    x, out = given(TYPES[type_], n, "add"), np.zeros((n, n), TYPES[type_])
    execute(real_device, source, x, out, size=shape, local=shape, options=C3)
    assert (out == x[:, None]).all()


def test_all_and_any(real_device):
    source = """kernel void f(global const int *x, global int *r) {
        size_t i = get_global_id(0);
        r[i] = (work_group_all(x[i]) != 0) + 2 * (work_group_any(x[i]) != 0);
    }"""
    x, r = np.array([5] * 50 + [0] * 49 + [-1] + [0] * 50, np.int32), np.zeros(150, np.int32)
    execute(real_device, source, x, r, size=150, local=(50,), options=C3)
    assert r.tolist() == [3] * 50 + [2] * 50 + [0] * 50


def test_edges_of_the_range_are_groups_too(real_device):
    source = "kernel void f(global uint *r) { r[get_global_id(0)] = work_group_scan_inclusive_add((uint)1) + 1000 * work_group_reduce_add(1u); }"
    r = np.zeros(170, np.uint32)
    execute(real_device, source, r, size=170, local=(64,), options=C3)
    size = np.array([64] * 128 + [42] * 42)
    assert (r == 1000 * size + np.arange(170) % 64 + 1).all()


@pytest.mark.parametrize("required", ["", "__attribute__((reqd_work_group_size(20, 4, 1))) "])
def test_edges_in_two_dimensions(real_device, required):
    """Work-groups that are smaller in one dimension or in both, at an offset: three kinds beside the whole ones. Those at the
    edges are smaller than what a kernel requires, too."""
    source = required + """kernel void f(global uint *r) {
        size_t i = get_global_linear_id(), n = get_global_size(0) * get_global_size(1);
        r[i] = work_group_reduce_add(1u); r[n + i] = work_group_scan_exclusive_add((uint)get_local_linear_id());
        r[2 * n + i] = work_group_broadcast((uint)i, get_local_size(0) - 1, get_local_size(1) - 1);
        r[3 * n + i] = work_group_all(get_local_size(0) == get_enqueued_local_size(0)) != 0;
    }"""
    size, local = (45, 10), (20, 4)
    r = np.zeros((4, *size[::-1]), np.uint32)
    execute(real_device, source, r, size=size, local=local, offset=(3, 5), options=C3)
    linear = np.arange(450, dtype=np.uint32).reshape(size[::-1])
    for y in range(0, size[1], local[1]):
        for x in range(0, size[0], local[0]):
            group = (slice(y, y + local[1]), slice(x, x + local[0]))
            count, shape = linear[group].size, linear[group].shape
            before = np.cumsum(np.arange(count)) - np.arange(count)
            assert (r[0][group] == count).all() and (r[1][group] == before.reshape(shape)).all(), (x, y)
            assert (r[2][group] == linear[group][-1, -1]).all() and (r[3][group] == (shape[1] == local[0])).all(), (x, y)


def test_beside_barriers_and_local_memory(real_device):
    """A radix sort's step: counts by scans, between loops with barriers."""
    source = """kernel void f(global uint *keys) {
        local uint a[200], b[200];
        uint l = get_local_id(0);
        a[l] = keys[l];
        for (uint bit = 0; bit < 16; bit++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint key = a[l], one = key >> bit & 1;
            uint before = work_group_scan_exclusive_add(one), ones = work_group_reduce_add(one);
            b[one ? get_local_size(0) - ones + before : l - before] = key;
            work_group_barrier(CLK_LOCAL_MEM_FENCE);
            a[l] = b[l];
        }
        keys[l] = a[l];
    }"""
    keys = np.random.default_rng(2).integers(0, 1 << 16, 200).astype(np.uint32)
    expected = np.sort(keys)
    execute(real_device, source, keys, size=200, local=(200,), options=C3)
    assert (keys == expected).all()


def test_their_local_memory_counts(real_device):
    """Whether a kernel's own is static or too much for that: what the collectives use is the difference."""
    def size(cells: int, value: str) -> int:
        source = f"""kernel void f(global uint *r) {{
            local uint cells[{cells}];
            cells[get_local_id(0)] = {value};
            barrier(CLK_LOCAL_MEM_FENCE);
            r[get_global_id(0)] = cells[get_local_size(0) - 1 - get_local_id(0)];
        }}"""
        program = Program(Context([real_device]), source)
        program.build(C3)
        return Kernel(program, "f").work_group_info(codes.KERNEL_LOCAL_MEM_SIZE)

    few, many = size(100, "1") - 400, size(20000, "1") - 80000
    assert few == many == 0
    assert size(100, "work_group_reduce_add(1u)") - 400 == size(20000, "work_group_reduce_add(1u)") - 80000 == (
        512 if real_device.is_cuda else 0)


def test_they_are_collective():
    for call in ("work_group_all(1)", "work_group_reduce_add(1)", "work_group_broadcast(1, 0)"):
        source = f"int f(void) {{ return {call}; }} kernel void k(global int *r) {{ *r = f(); }}"
        assert translator.translate(source, translator.options.parse_options(C3)).kernels[0].uses_barrier
