"""Sub-group functions (6.15.20), run: every function and type over whole and partial sub-groups, uniform and divergent callers.

A model runs beside: sub-groups are 32 work-items in the order of local linear ids on every device, or as many as a kernel
requires (cl_intel_required_subgroup_size). Cases are (work-items of a group, of a sub-group)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.execute import execute

from cl2cuda import translator
from cl2cuda.runtime.spec import codes

TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32, "double": np.float64}
FLOATS = ("half", "float", "double")
OPS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
       "xor": np.bitwise_xor}
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
GROUPS = [(local, 32) for local in (1, 7, 32, 50, 96)] + [(44, 16), (21, 8)]
# Every type with whole warps, some with less.
TYPED = [(type_, 32) for type_ in TYPES] + [("int", 16), ("float", 16), ("uchar", 8), ("ulong", 8)]
# Work-groups of more than one dimension, by their work-items.
BOXES = {50: (5, 5, 2), 53: (53, 1, 1), 64: (4, 8, 2), 96: (32, 3), 44: (11, 4), 45: (3, 15), 29: (1, 29)}
C3 = "-cl-std=CL3.0"


def identity(op: str, dtype: type) -> object:
    limits = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else None
    return {"add": 0, "or": 0, "xor": 0, "mul": 1, "and": -1 if limits is None or limits.min else limits.max,
            "min": limits.max if limits else np.inf, "max": limits.min if limits else -np.inf,
            "logical_and": 1, "logical_or": 0, "logical_xor": 0}[op]


def given(dtype: type, count: int, op: str = "add") -> np.ndarray:
    random = np.random.default_rng(count)
    if np.issubdtype(dtype, np.floating):
        # Few and small, so that half holds what comes out.
        return random.choice([1, -1, 2, 0.5, 1, 1] if op == "mul" else [1, -3, 7, 20], count).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


def run(device, body: str, x: np.ndarray, results: int, *, local: int, element: str, result: str | None = None,
        width: int = 32) -> np.ndarray:
    """`body` writes r(k) for 0 <= k < results, from x and the sub-group local id `lane`. Work-groups follow each other in the last
    dimension, so that `i`, the global linear id, counts through one after the other."""
    element_result = result or element
    source = f"""#define r(k) out[(k) * n + i]
    {f"__attribute__((intel_reqd_sub_group_size({width})))" if width < 32 else ""} kernel void f(global const {element} *in, global {element_result} *out) {{
        size_t i = get_global_linear_id(), n = get_global_size(0) * get_global_size(1) * get_global_size(2);
        uint lane = get_sub_group_local_id();
        {element} x = in[i];
        {body}
    }}"""
    out = np.zeros((results, len(x)), TYPES[element_result])
    box = BOXES.get(local, (local,)) if len(x) % local == 0 else (local,)
    size = (*box[:-1], box[-1] * len(x) // local)
    execute(device, source, x, out, size=size, local=box, options=C3)
    return out


def sub_groups(count: int, local: int, width: int = 32) -> list[np.ndarray]:
    """The global ids of each sub-group's work-items."""
    ids = np.arange(count)
    return [g[s : s + width] for start in range(0, count, local) for g in [ids[start : start + local]] for s in range(0, len(g), width)]


def max_size(local: int, width: int) -> int:
    """A required size is what it says."""
    return width if width < 32 else min(local, width)


def model(function: Callable, op: str, x: np.ndarray, sets: list[np.ndarray]) -> np.ndarray:
    """Reduction, inclusive and exclusive scan over each set of work-items; 0 for those in none."""
    out = np.zeros((3, len(x)), x.dtype)
    with np.errstate(over="ignore"):
        for s in sets:
            if len(s):
                inclusive = function.accumulate(x[s], dtype=x.dtype)
                out[0, s], out[1, s] = inclusive[-1], inclusive
                out[2, s] = np.concatenate([np.array([identity(op, x.dtype)], x.dtype), inclusive[:-1]])
    return out


SHAPES = ("reduce", "scan_inclusive", "scan_exclusive")


def calls(prefix: str, ops: list[str], first: int = 0) -> str:
    return "".join(f"r({first + 3 * j + k}) = {prefix}{shape}_{op}(x);\n" for j, op in enumerate(ops) for k, shape in enumerate(SHAPES))


def ops_of(type_: str) -> list[str]:
    return list(OPS)[:4] if type_ in FLOATS else list(OPS)


@pytest.mark.parametrize(("local", "width"), GROUPS)
@pytest.mark.parametrize("type_", TYPES)
def test_uniform_reductions_and_scans(real_device, type_, local, width):
    if width < 32 and (type_, width) not in TYPED:
        pytest.skip("enough of this size")
    ops = ["add", "min", "max"]
    x = given(TYPES[type_], 2 * local)
    out = run(real_device, calls("sub_group_", ops), x, 9, local=local, width=width, element=type_)
    for j, op in enumerate(ops):
        assert np.array_equal(out[3 * j : 3 * j + 3], model(OPS[op], op, x, sub_groups(2 * local, local, width))), op


DIVERGENT = {"i % 3 == 1": lambda i, lane: i % 3 == 1, "lane > 20": lambda i, lane: lane > 20, "lane == 5": lambda i, lane: lane == 5,
             "(i * 7919) % 5 < 2": lambda i, lane: (i * 7919) % 5 < 2}


@pytest.mark.parametrize("condition", DIVERGENT)
@pytest.mark.parametrize(("type_", "width"), TYPED)
def test_non_uniform_arithmetic(real_device, type_, width, condition):
    """In a branch that some take, in its other side, and afterwards together."""
    ops, local = ops_of(type_), 50
    for op in ops:
        x = given(TYPES[type_], 2 * local, op)
        one = calls("sub_group_non_uniform_", [op]).replace("\n", " ")
        body = f"if ({condition}) {{ {one} }} else {{ {one} }} {calls('sub_group_non_uniform_', [op], 3)}"
        out = run(real_device, body, x, 6, local=local, width=width, element=type_)
        sets = sub_groups(2 * local, local, width)
        taken = DIVERGENT[condition](np.arange(2 * local), np.concatenate([np.arange(len(s)) for s in sets]))
        halves = [s[taken[s]] for s in sets] + [s[~taken[s]] for s in sets]
        same = np.allclose if op == "mul" and type_ in FLOATS else np.array_equal
        assert same(out[:3], model(OPS[op], op, x, halves)), op
        assert same(out[3:], model(OPS[op], op, x, sets)), op


def test_non_uniform_logic(real_device):
    x = np.arange(96, dtype=np.int32) % 4 * (np.arange(96) < 70)
    x[40:64] = 1
    x = x.astype(np.int32)
    out = run(real_device, calls("sub_group_non_uniform_", list(LOGICAL)), x, 9, local=48, element="int")
    for j, (op, function) in enumerate(LOGICAL.items()):
        expected = model(function, op, (x != 0), sub_groups(96, 48))
        assert np.array_equal(out[3 * j : 3 * j + 3] != 0, expected), op


@pytest.mark.parametrize("local", (7, 64))
@pytest.mark.parametrize(("type_", "width"), TYPED)
def test_clustered_reductions(real_device, type_, width, local):
    ops = ops_of(type_)
    sizes = (1, 2, 8, width) if local == 64 else (1, 2, 4)
    for op in ops:
        x = given(TYPES[type_], 2 * local, op)
        body = "".join(f"r({k}) = sub_group_clustered_reduce_{op}(x, {size});" for k, size in enumerate(sizes))
        body += f"if (lane % 3) r({len(sizes)}) = sub_group_clustered_reduce_{op}(x, 4);"
        out = run(real_device, body, x, len(sizes) + 1, local=local, width=width, element=type_)
        lanes = sub_groups(2 * local, local, width)
        for k, size in enumerate(sizes):
            clusters = [s[c : c + size] for s in lanes for c in range(0, len(s), size)]
            assert np.allclose(out[k], model(OPS[op], op, x, clusters)[0]), (op, size)
        some = [c[(c - s[0]) % 3 != 0] for s in lanes for c in (s[a : a + 4] for a in range(0, len(s), 4))]
        assert np.allclose(out[-1], model(OPS[op], op, x, some)[0]), op


def test_clustered_logic(real_device):
    x = (np.arange(64) % 5 * (np.arange(64) % 16 < 12)).astype(np.int32)
    body = "".join(f"r({k}) = sub_group_clustered_reduce_{op}(x, 8) != 0;" for k, op in enumerate(LOGICAL))
    out = run(real_device, body, x, 3, local=64, element="int")
    for k, function in enumerate(LOGICAL.values()):
        assert np.array_equal(out[k].reshape(8, 8)[:, 0] != 0, function.reduce(x.reshape(8, 8) != 0, axis=1))


@pytest.mark.parametrize(("local", "width"), GROUPS)
def test_queries(real_device, local, width):
    body = """r(0) = get_sub_group_size(); r(1) = get_max_sub_group_size(); r(2) = get_num_sub_groups();
    r(3) = get_enqueued_num_sub_groups(); r(4) = get_sub_group_id(); r(5) = lane; r(6) = get_local_linear_id();"""
    count = 2 * local + local // 2  # the last work-group is smaller
    out = run(real_device, body, np.zeros(count, np.uint32), 7, local=local, width=width, element="uint")
    for start in range(0, count, local):
        group = np.arange(start, min(start + local, count))
        l = group - start
        for s in range(0, len(group), width):
            assert (out[0, group[s : s + width]] == len(group[s : s + width])).all()
        assert (out[1, group] == max_size(local, width)).all() and (out[2, group] == -(-len(group) // width)).all()
        assert (out[3, group] == -(-local // width)).all()
        assert (out[4, group] == l // width).all() and (out[5, group] == l % width).all() and (out[6, group] == l).all()


def test_sub_groups_of_a_box(real_device):
    source = """kernel void f(global uint *out) {
        out[get_global_linear_id()] = 100 * get_sub_group_id() + sub_group_reduce_max(get_sub_group_local_id());
    }"""
    out = np.zeros(3 * 5 * 7, np.uint32)
    execute(real_device, source, out, size=(3, 5, 7), local=(3, 5, 7), options=C3)
    i = np.arange(105)
    assert (out == 100 * (i // 32) + np.where(i < 96, 31, 8)).all()


@pytest.mark.parametrize("local", (7, 53, 64))
@pytest.mark.parametrize(("type_", "width"), TYPED)
def test_shuffles_and_broadcasts(real_device, type_, width, local):
    x = given(TYPES[type_], 2 * local)
    size = min(local, width)
    body = f"""r(0) = sub_group_shuffle(x, (lane * 5 + 3) % get_sub_group_size());
    r(1) = (lane ^ 1) < get_sub_group_size() ? sub_group_shuffle_xor(x, 1) : 0;
    r(2) = x; if (lane >= 2) r(2) = sub_group_shuffle_up(x, 0);
    r(3) = sub_group_broadcast(x, get_sub_group_size() - 1);
    r(4) = sub_group_non_uniform_broadcast(x, 2);
    r(5) = sub_group_broadcast_first(x);
    r(6) = 0; if (lane >= 3) r(6) = sub_group_broadcast_first(x);
    {type_} up = sub_group_shuffle_up(x, lane), down = sub_group_shuffle_down(x, get_sub_group_size() - 1 - lane);
    r(7) = up; r(8) = down;"""
    out = run(real_device, body, x, 9, local=local, width=width, element=type_)
    for s in sub_groups(2 * local, local, width):
        n, lane = len(s), np.arange(len(s))
        assert (out[0, s] == x[s][(lane * 5 + 3) % n]).all()
        assert (out[1, s] == np.where((lane ^ 1) < n, x[s][np.minimum(lane ^ 1, n - 1)], 0)).all()
        assert (out[2, s] == x[s]).all() and (out[3, s] == x[s][-1]).all() and (out[4, s] == x[s][2]).all()
        assert (out[5, s] == x[s][0]).all() and (out[6, s] == np.where(lane < 3, 0, x[s][3])).all()
        assert (out[7, s] == x[s][0]).all() and (out[8, s] == x[s][-1]).all()
    assert size == len(sub_groups(2 * local, local, width)[0])


@pytest.mark.parametrize("local", (7, 64))
@pytest.mark.parametrize(("type_", "width"), TYPED)
def test_rotation(real_device, type_, width, local):
    x = given(TYPES[type_], local)
    if max_size(local, width) > local:
        pytest.skip("rotates by the required size")
    deltas = (0, 1, 3, -2, 31, -33)
    body = "".join(f"r({k}) = sub_group_rotate(x, {d});" for k, d in enumerate(deltas))
    body += "".join(f"r({len(deltas) + k}) = lane < {local // 4 * 4} ? sub_group_clustered_rotate(x, {d}, 4) : 0;" for k, d in enumerate(deltas))
    out = run(real_device, body, x, 2 * len(deltas), local=local, width=width, element=type_)
    for s in sub_groups(local, local, width):
        n, lane = len(s), np.arange(len(s))
        for k, d in enumerate(deltas):
            assert (out[k, s] == x[s][(lane + d) % n]).all(), d
            inside = lane < n // 4 * 4
            there = (lane & ~3) | ((lane + d) & 3)
            assert (out[len(deltas) + k, s] == np.where(inside, x[s][np.minimum(there, n - 1)], 0)).all(), d


@pytest.mark.parametrize("type_", ["char3", "short2", "int4", "ulong16", "float8", "double2"])
def test_vectors(real_device, type_):
    element = type_.rstrip("0123456789")
    n = int(type_.removeprefix(element))
    source = f"""kernel void f(global const {element} *in, global {element} *out) {{
        size_t i = get_global_id(0);
        {type_} x = vload{n}(i, in);
        vstore{n}(sub_group_broadcast(x, 9), i, out);
        if (i % 2) vstore{n}(sub_group_non_uniform_broadcast(x, 11), i + get_global_size(0), out);
    }}"""
    x, out = given(TYPES[element], 64 * n).reshape(64, n), np.zeros((128, n), TYPES[element])
    execute(real_device, source, x, out, size=64, local=(64,), options=C3)
    assert (out[:32] == x[9]).all() and (out[32:64] == x[41]).all()
    assert (out[65:96:2] == x[11]).all() and (out[97::2] == x[43]).all() and (out[64::2] == 0).all()


@pytest.mark.parametrize(("local", "width"), [(7, 32), (32, 32), (45, 32), (45, 16), (29, 8)])
def test_ballots(real_device, local, width):
    body = """uint4 b = sub_group_ballot(x & 1), c = {0, 0, 0, 0};
    r(0) = b.x; r(1) = b.y | b.z | b.w;
    if (x & 2) { c = sub_group_ballot(x & 1); } else { c = sub_group_ballot(1); }
    r(2) = c.x; r(3) = sub_group_inverse_ballot(b) != 0; r(4) = sub_group_ballot_bit_extract(b, get_sub_group_size() - 1) != 0;
    r(5) = sub_group_ballot_bit_count(b); r(6) = sub_group_ballot_inclusive_scan(b); r(7) = sub_group_ballot_exclusive_scan(b);
    r(8) = sub_group_ballot_find_lsb(b); r(9) = sub_group_ballot_find_msb(b);
    r(10) = get_sub_group_eq_mask().x; r(11) = get_sub_group_ge_mask().x; r(12) = get_sub_group_gt_mask().x;
    r(13) = get_sub_group_le_mask().x; r(14) = get_sub_group_lt_mask().x;
    r(15) = get_sub_group_ge_mask().y | get_sub_group_gt_mask().z | get_sub_group_lt_mask().w;
    r(16) = sub_group_ballot_bit_count((uint4)(0xffffffff));"""
    x = np.random.default_rng(4).integers(0, 4, local).astype(np.uint32)
    x[::width] = 1
    out = run(real_device, body, x, 17, local=local, width=width, element="uint")
    all_bits = (1 << max_size(local, width)) - 1
    for s in sub_groups(local, local, width):
        bits = sum(int(v & 1) << k for k, v in enumerate(x[s]))
        then = sum(1 << k for k, v in enumerate(x[s]) if v & 1 and v & 2)
        other = sum(1 << k for k, v in enumerate(x[s]) if not v & 2)
        for lane, i in enumerate(s):
            below = (1 << lane) - 1
            assert out[:, i].tolist() == [
                bits, 0, then if x[i] & 2 else other, bits >> lane & 1, bits >> (len(s) - 1) & 1, bits.bit_count(),
                (bits & (2 * below + 1)).bit_count(), (bits & below).bit_count(), (bits & -bits).bit_length() - 1, bits.bit_length() - 1,
                1 << lane, all_bits & ~below, all_bits & ~(2 * below + 1), 2 * below + 1, below, 0, max_size(local, width),
            ], lane  # fmt: skip


@pytest.mark.parametrize(("local", "width"), [(7, 32), (32, 32), (45, 32), (45, 16), (29, 8)])
def test_votes(real_device, local, width):
    body = """r(0) = sub_group_all(x != 3) != 0; r(1) = sub_group_any(x == 3) != 0;
    if (x & 1) { r(2) = sub_group_elect() != 0; r(3) = sub_group_non_uniform_all(x == 1) != 0; r(4) = sub_group_non_uniform_any(x == 3) != 0; }
    else r(2) = sub_group_elect() != 0;
    r(5) = sub_group_elect() != 0;"""
    for seed in range(3):
        x = np.random.default_rng(seed).integers(0, 4 - seed, local).astype(np.int32)
        out = run(real_device, body, x, 6, local=local, width=width, element="int")
        for s in sub_groups(local, local, width):
            odd = s[x[s] % 2 == 1]
            even = s[x[s] % 2 == 0]
            assert (out[0, s] == (x[s] != 3).all()).all() and (out[1, s] == (x[s] == 3).any()).all()
            assert set(s[out[2, s] == 1]) == {*odd[:1], *even[:1]} and s[out[5, s] == 1].tolist() == [s[0]]
            assert (out[3, odd] == (x[odd] == 1).all()).all() and (out[4, odd] == (x[odd] == 3).any()).all()


@pytest.mark.parametrize("type_", TYPES)
def test_equality(real_device, type_):
    body = f"""r(0) = sub_group_non_uniform_all_equal(x) != 0;
    r(1) = 0; if (lane % 2) r(1) = sub_group_non_uniform_all_equal(x) != 0;
    r(2) = sub_group_non_uniform_all_equal(({type_})7) != 0;"""
    x = np.full(96, 5, TYPES[type_])
    x[40], x[64:] = 6, np.nan if type_ in FLOATS else 5
    out = run(real_device, body, x, 3, local=96, element=type_, result="int")
    last = type_ not in FLOATS  # an ordered comparison
    assert out[0].tolist() == [1] * 32 + [0] * 32 + [last] * 32
    assert out[1].tolist() == [0, 1] * 32 + [0, last] * 16 and out[2].all()


def test_barriers_and_local_memory(real_device):
    """Sub-groups that go different ways: each has loops and barriers of its own, between barriers of all."""
    source = """kernel void f(global uint *out) {
        local uint cells[100], sums[4];
        uint l = get_local_id(0), s = get_sub_group_id(), lane = get_sub_group_local_id();
        cells[l] = l;
        for (uint turn = 0; turn <= s; turn++) {
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            uint next = cells[s * 32 + (lane + 1) % get_sub_group_size()];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
            cells[l] = next;
        }
        uint sum = sub_group_reduce_add(cells[l]);
        if (lane == 0) sums[s] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = cells[l] + 1000 * (sums[0] + sums[1] + sums[2] + sums[3]);
    }"""
    out = np.zeros(200, np.uint32)
    execute(real_device, source, out, size=200, local=(100,), options=C3)
    l = np.arange(100)
    s, size = l // 32, np.where(l < 96, 32, 4)
    expected = 1000 * 4950 + s * 32 + (l % 32 + s + 1) % size
    assert (out == np.tile(expected, 2)).all()


def test_loops_of_different_lengths(real_device):
    """Work-items leave a loop one after the other; in each turn the rest vote. OpenCL C does not say that those which go on are
    together: on the host they are, on CUDA the compiler may send them different ways. After the loop all are together."""
    body = "uint left = x, seen = 0; while (left > 0) { left--; seen = seen * 3 + sub_group_ballot_bit_count(sub_group_ballot(1)); } r(0) = seen;"
    x = np.random.default_rng(9).integers(0, 6, 70).astype(np.uint32)
    out = run(real_device, body + "r(1) = sub_group_ballot_bit_count(sub_group_ballot(1));", x, 2, local=70, element="uint")
    for s in sub_groups(70, 70):
        counts = [int((x[s] > turn).sum()) for turn in range(6)]
        for i in s:
            expected = 0
            for turn in range(x[i]):
                expected = expected * 3 + counts[turn]
            assert out[1, i] == len(s)
            assert out[0, i] == expected or real_device.driver_name == "cuda"


def test_items_that_have_returned(real_device):
    """The usual guard: work-items past the end leave before the others combine."""
    source = """kernel void f(global uint *out, uint n) {
        uint i = get_global_id(0);
        if (i >= n) return;
        out[i] = sub_group_non_uniform_reduce_add(i);
    }"""
    out = np.zeros(64, np.uint32)
    execute(real_device, source, out, np.uint32(40), size=64, local=(64,), options=C3)
    assert (out == np.where(np.arange(64) < 32, 496, np.where(np.arange(64) < 40, sum(range(32, 40)), 0))).all()


def test_they_are_collective():
    for call in ("sub_group_all(1)", "sub_group_shuffle(1, 0u)", "sub_group_ballot(1).x", "sub_group_elect()"):
        source = f"int f(void) {{ return {call}; }} kernel void k(global int *r) {{ *r = f(); }}"
        assert translator.translate(source, translator.options.parse_options(C3)).kernels[0].uses_barrier


def test_functions_of_all_work_items_are_free_of_masks():
    """Their lanes are a constant, whatever the work-group: no instruction asks who is there. (Of tiles it is the tile's own.)"""
    nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    try:
        nvrtc.getVersion()
    except RuntimeError as e:
        pytest.skip(f"NVRTC cannot be loaded: {e}")
    calls = ["reduce_add(x[i])", "reduce_max(y[i])", "scan_inclusive_add(y[i])", "scan_exclusive_min(x[i])", "broadcast(y[i], 3)",
             "all(x[i])", "any(x[i])"]  # fmt: skip
    for width in (32, 16):
        body = "".join(f"x[i] = sub_group_{call};\n" for call in calls) + "sub_group_barrier(CLK_LOCAL_MEM_FENCE);"
        required = "" if width == 32 else f"__attribute__((intel_reqd_sub_group_size({width})))"
        source = f"{required} kernel void f(global int *x, global float *y) {{ uint i = get_local_id(0);\n{body} }}"
        text = translator.translate(source, translator.options.parse_options(C3)).source("cuda")
        program = nvrtc.createProgram(text, "f.cu", (), ())
        nvrtc.compileProgram(program, ("--minimal", "--std=c++20", "-arch=compute_90"))
        instructions = nvrtc.getPTX(program).decode()
        assert "activemask" not in instructions and instructions.count("shfl.sync") > 10
        assert ("bar.warp.sync \t-1" in instructions) == (width == 32)


def test_extensions_in_older_dialects(real_device):
    source = """#pragma OPENCL EXTENSION cl_khr_subgroups : enable
    #if !defined(cl_khr_subgroup_shuffle)
    #error
    #endif
    kernel void f(global int *r) { r[get_global_id(0)] = sub_group_reduce_add(1) + sub_group_shuffle(1, 0); }"""
    r = np.zeros(32, np.int32)
    execute(real_device, source, r, size=32, local=(32,))
    assert (r == 33).all()


def test_sub_groups_that_wait_for_each_other_are_promised_only_where_they_can(real_device):
    """"The Khronos subgroups extension guarantees that subgroups in a work group will make independent forward progress"."""
    promised = bool(real_device.get_info(codes.DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS))
    assert ("cl_khr_subgroups" in dict(real_device.extensions)) == promised
    source = """kernel void f(global int *r) {
    #ifdef cl_khr_subgroups
        r[get_global_id(0)] = sub_group_reduce_add(1);
    #else
        r[get_global_id(0)] = -sub_group_reduce_add(1);
    #endif
    }"""
    r = np.zeros(32, np.int32)
    execute(real_device, source, r, size=32, local=(32,))
    assert (r == (32 if promised else -32)).all()
