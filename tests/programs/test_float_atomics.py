"""cl_ext_float_atomics, run: every operation against a model in each address space, order and scope, NaNs and infinities included,
and right totals where all work-items use one place."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.builtins.extensions import EXTENSIONS, FEATURES
from cl2cuda.runtime.devices.queries import QUERIES

TYPES = {"float": np.float32, "double": np.float64, "half": np.float16}
WORDS = {"float": "uint", "double": "ulong", "half": "ushort"}
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("work_group", "device", "all_svm_devices")
C3 = "-cl-std=CL3.0"

KEYS = {"add": np.add, "sub": np.subtract, "min": np.fmin, "max": np.fmax}


def bits(type_: str, values) -> np.ndarray:
    return np.asarray(values, TYPES[type_]).view({2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(TYPES[type_]).itemsize])


def needs(type_: str) -> None:
    if type_ == "half" and not EXTENSIONS["cl_khr_fp16"].offered:
        pytest.skip("half is not offered")


def operands(type_: str) -> tuple[np.ndarray, np.ndarray]:
    """Among them what the hardware would flush: subnormal numbers, and sums that are."""
    facts = np.finfo(TYPES[type_])
    tiny, least = facts.smallest_normal, facts.smallest_subnormal
    edges = np.array([0, -0.0, 1, -1.5, 3, -0.25, np.inf, -np.inf, np.nan, -np.nan, 100, -100, tiny, tiny * TYPES[type_](-1.5), least, least * -3,
                      TYPES[type_](64) * tiny], TYPES[type_])
    return np.repeat(edges, len(edges)), np.tile(edges, len(edges))


def forms(name: str, more: str, orders=ORDERS) -> list[str]:
    found = [f"{name}(P{more})"]
    for order in orders:
        found += [f"{name}_explicit(P{more}, memory_order_{order}{scope})" for scope in ("", *(f", memory_scope_{s}" for s in SCOPES))]
    return found


def run(device, type_: str, space: str, calls: list[str], a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each call returns with a in its place and the operand b, and what is in the place then."""
    w, local = WORDS[type_], space == "local"
    place = "(mine" if local else f"((volatile global atomic_{type_} *)(places + at)"
    before, after = (f"*(local {w} *)mine = a[i];", f"places[at] = *(local {w} *)mine;") if local else ("", "")
    body = "".join(f"""
        at = {k} * n + i; places[at] = a[i]; operand = as_{type_}(b[i]);
        {before} results[at] = as_{w}({call.replace("(P", place, 1)}); {after}""" for k, call in enumerate(calls))
    source = f"""kernel void f(global {w} *results, global {w} *places, global const {w} *a, global const {w} *b) {{
        local atomic_{type_} cells[17];
        local atomic_{type_} *mine = cells + get_local_id(0);
        size_t i = get_global_id(0), n = get_global_size(0), at;
        {type_} operand;
        {body}
    }}"""
    results, places = (np.zeros((len(calls), len(a)), bits(type_, 0).dtype) for _ in range(2))
    execute(device, source, results, places, bits(type_, a), bits(type_, b), size=len(a), local=(17,), options=C3)
    return results.view(TYPES[type_]), places.view(TYPES[type_])


@pytest.mark.parametrize("space", ["global", "local"])
@pytest.mark.parametrize("type_", TYPES)
def test_fetch_and_modify(real_device, type_, space):
    needs(type_)
    a, b = operands(type_)
    calls = [call for key in KEYS for call in forms(f"atomic_fetch_{key}", ", operand")]
    results, places = run(real_device, type_, space, calls, a, b)
    assert np.array_equal(results, np.broadcast_to(a, results.shape), equal_nan=True)
    each = len(calls) // len(KEYS)
    for k, (key, model) in enumerate(KEYS.items()):
        with np.errstate(invalid="ignore"):
            expected = np.broadcast_to(model(a, b), (each, len(a)))
        assert np.array_equal(places[k * each : (k + 1) * each], expected, equal_nan=True), key


@pytest.mark.parametrize("space", ["global", "local"])
def test_a_sum_of_halves_that_is_a_nan_keeps_an_operands_sign_and_payload(real_device, space):
    """As a processor's, of which one operand at most is a NaN here; opposed infinities make its own NaN. Khronos' tests compare bits."""
    needs("half")
    given = np.array([0x7FFF, 0xFFFF, 0x7E01, 0xFE55, 0x7D01, 0xFC01, 0x7C00, 0xFC00], np.uint16)
    added = np.array([0x3C00, 0x7C00, 0xFC00, 0x8000, 0x0001, 0xFBFF, 0xFC00, 0x7C00], np.uint16)
    sums = np.array([0x7FFF, 0xFFFF, 0x7E01, 0xFE55, 0x7F01, 0xFE01, 0xFE00, 0xFE00], np.uint16)
    a, b = np.concatenate([given, added, added]), np.concatenate([added, given, added])
    a, b = np.resize(a, 34).view(np.float16), np.resize(b, 34).view(np.float16)
    _, places = run(real_device, "half", space, forms("atomic_fetch_add", ", operand", ("relaxed", "seq_cst")), a, b)
    with np.errstate(invalid="ignore"):
        plain = (a + b).view(np.uint16)
    expected = np.resize(np.concatenate([sums, sums, plain[16:24]]), 34)
    assert (bits("half", places) == expected).all()


@pytest.mark.parametrize("space", ["global", "local"])
def test_half_loads_stores_and_exchanges(real_device, space):
    needs("half")
    a, b = operands("half")
    results, places = run(real_device, "half", space, forms("atomic_exchange", ", operand"), a, b)
    assert (bits("half", results) == bits("half", a)).all() and (bits("half", places) == bits("half", b)).all()
    loads = forms("atomic_load", "", ("relaxed", "acquire", "seq_cst"))
    assert (bits("half", run(real_device, "half", space, loads, a, b)[0]) == bits("half", a)).all()
    stores = [f"({c}, operand)" for c in forms("atomic_store", ", operand", ("relaxed", "release", "seq_cst"))]
    assert (bits("half", run(real_device, "half", space, stores, a, b)[1]) == bits("half", b)).all()
    inits = ["(atomic_init(P, operand), operand)"]
    assert (bits("half", run(real_device, "half", space, inits, a, b)[1]) == bits("half", b)).all()


@pytest.mark.parametrize("order", ["relaxed", "acq_rel", "seq_cst"])
@pytest.mark.parametrize("space", ["global", "local"])
def test_each_exchanged_value_is_found_once(real_device, space, order):
    """By many work-items in a few places, in groups that diverge, as often as a test of contention has it."""
    needs("half")
    source = f"""
    kernel void f(global ushort *kept, global ushort *left, global const ushort *brought, int rounds) {{
        local atomic_half own[2];
        size_t i = get_global_id(0), l = get_local_id(0);
        if (l < 2) atomic_init(own + l, (half)-1);
        barrier(CLK_LOCAL_MEM_FENCE);
        volatile {space} atomic_half *place = {"own" if space == "local" else "(volatile global atomic_half *)left"} + (i % 5 == 0);
        half mine = as_half(brought[i]);
        for (int k = 0; k < rounds + (i % 3 == 0); k++)
            mine = atomic_exchange_explicit(place, mine, memory_order_{order}, memory_scope_{"work_group" if space == "local" else "device"});
        kept[i] = as_ushort(mine);
        barrier(CLK_LOCAL_MEM_FENCE);
        if ({int(space == "local")} && l < 2) left[2 * get_group_id(0) + l] = as_ushort(atomic_load(own + l));
    }}"""
    n, group = 768, 192
    brought = np.arange(n, dtype=np.uint16)  # also bits of subnormal numbers
    kept, left = np.zeros(n, np.uint16), np.full(2 * (n // group if space == "local" else 1), np.float16(-1).view(np.uint16))
    execute(real_device, source, kept, left, brought, np.int32(50), size=n, local=(group,), options=C3)
    expected = np.concatenate([brought, np.full(len(left), np.float16(-1).view(np.uint16))])
    assert (np.sort(np.concatenate([kept, left])) == np.sort(expected)).all()


@pytest.mark.parametrize("type_", TYPES)
def test_totals_of_many(real_device, type_):
    """Sums that are exact in any order, extremes of both signs, of all work-items in one place."""
    needs(type_)
    source = f"""
    kernel void f(global atomic_{type_} *total, global const {type_} *in) {{
        local atomic_{type_} own[3];
        size_t i = get_global_id(0);
        {type_} x = in[i];
        if (get_local_id(0) < 3) atomic_init(own + get_local_id(0), ({type_})0);
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_fetch_add_explicit(own, ({type_})1, memory_order_relaxed, memory_scope_work_group);
        atomic_fetch_min_explicit(own + 1, x, memory_order_relaxed, memory_scope_work_group);
        atomic_fetch_max_explicit(own + 2, x, memory_order_relaxed, memory_scope_work_group);
        atomic_fetch_min(total + 1, x);
        atomic_fetch_max(total + 2, x);
        atomic_fetch_add(total + 3, ({type_})1);
        atomic_fetch_sub(total + 3, ({type_})1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) {{
            local {type_} *mine = (local {type_} *)own;
            atomic_fetch_add(total, mine[0]);
            atomic_fetch_min(total + 1, mine[1]);
            atomic_fetch_max(total + 2, mine[2]);
        }}
    }}"""
    n = 2048  # the whole numbers of half
    given = np.random.default_rng(4).permutation(np.arange(n) - n // 2).astype(TYPES[type_])
    total = np.zeros(4, TYPES[type_])
    execute(real_device, source, total, given, size=n, local=(128,), options=C3)
    assert total.tolist() == [n, given.min(), given.max(), 0]


def test_capabilities_are_the_features(device):
    values = {row.name: QUERIES.get(device, row.code) for row in QUERIES.rows if "FP_ATOMIC" in row.name}
    assert values["DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT"] == values["DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT"] == 0x70007
    half = 0x70007 if EXTENSIONS["cl_khr_fp16"].offered else 0
    assert values["DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT"] == half
    assert FEATURES["__opencl_c_ext_fp16_local_atomic_add"].offered == bool(half)


@pytest.mark.parametrize(("version", "there"), [("CL1.1", False), ("CL1.2", False), ("CL2.0", True), ("CL3.0", True)])
def test_macros_are_there_with_the_types(real_device, version, there):
    """Programs that see them name `atomic_float`, which OpenCL C 1.x has not; else they take another way."""
    total, found = np.zeros(1, np.float32), np.zeros(1, np.int32)
    execute(real_device, """
        kernel void f(volatile global float *x, global int *r) {
        #ifdef __opencl_c_ext_fp32_global_atomic_add
            atomic_fetch_add_explicit((volatile global atomic_float *)x, 1.5f, memory_order_relaxed); r[0] = 1;
        #else
            float old = 1.5f; while ((old = atomic_xchg(x, atomic_xchg(x, 0.0f) + old)) != 0.0f); r[0] = 2;
        #endif
        #ifdef cl_ext_float_atomics
            r[0] += 10;
        #endif
        }""", total, found, options=f"-cl-std={version}")
    assert total[0] == 1.5 and found[0] == (11 if there else 2)
