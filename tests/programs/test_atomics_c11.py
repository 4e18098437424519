"""C11 atomics (6.15.12) and 64-bit legacy ones, run: every operation against a model, and what orders and scopes promise."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.builtins.table import overloads

INTEGERS = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "intptr_t": np.int64, "uintptr_t": np.uint64,
            "size_t": np.uint64, "ptrdiff_t": np.int64}
TYPES = {**INTEGERS, "float": np.float32, "double": np.float64}
ORDERS = ("memory_order_relaxed", "memory_order_acquire", "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst")
SCOPES = ("memory_scope_work_group", "memory_scope_device", "memory_scope_all_svm_devices")
KEYS = {"add": np.add, "sub": np.subtract, "or": np.bitwise_or, "xor": np.bitwise_xor, "and": np.bitwise_and, "min": np.minimum,
        "max": np.maximum}
C3 = "-cl-std=CL3.0"


def argument(type_: str) -> str:
    """A kernel cannot take pointers to the size_t family."""
    return {"size_t": "ulong", "uintptr_t": "ulong", "intptr_t": "long", "ptrdiff_t": "long"}.get(type_, type_)


def values(type_: str) -> tuple[np.ndarray, np.ndarray]:
    dtype = TYPES[type_]
    if type_ in INTEGERS:
        info = np.iinfo(dtype)
        edges = np.array([0, 1, 5, info.max, info.min, info.max - 3, 77], dtype)
        return np.repeat(edges, len(edges)), np.tile(edges, len(edges))
    edges = np.array([0, -0.0, 1.5, -3, np.inf, 1e30, 7], dtype)
    return np.repeat(edges, len(edges)), np.tile(edges, len(edges))


def calls_of(name: str, orders: tuple[str, ...] = ORDERS, more: str = ", b[i]", twice: bool = False) -> list[str]:
    """A call on PLACE in each of the function's forms, with every order and scope."""
    found = [f"{name}(PLACE{more})"]
    for order in orders:
        failure = "memory_order_relaxed" if order in ("memory_order_release", "memory_order_acq_rel") else order
        given = f"{order}, {failure}" if twice else order
        found += [f"{name}_explicit(PLACE{more}, {given}{scope})" for scope in ("", *(f", {s}" for s in SCOPES))]
    return found


def run_each(device, type_: str, calls: list[str], a: np.ndarray, b: np.ndarray, space: str) -> list[np.ndarray]:
    """Each call on a place that holds a, with the operand b: results, places, and `expected`, which was b, afterwards."""
    t, n = argument(type_), len(a)
    if space == "local":
        declared = f"local atomic_{type_} cells[7]; local atomic_{type_} *mine = cells + get_local_id(0);"
        before, place, after = "atomic_init(mine, a[i]);", "mine", f"p[at] = *(local {t} *)mine;"
    else:
        declared, before, place, after = "", "p[at] = a[i];", f"(volatile global atomic_{type_} *)(p + at)", ""
    body = "".join(
        f"    at = {j} * n + i; expected = b[i]; {before} result[at] = {call.replace('PLACE', place)}; {after} e[at] = expected;\n"
        for j, call in enumerate(calls)
    )
    source = (f"kernel void f(global {t} *p, global {t} *result, global {t} *e, global const {t} *a, global const {t} *b) {{\n"
              f"    size_t i = get_global_id(0), n = get_global_size(0), at; {type_} expected; {declared}\n{body}}}\n")
    place_, result, expected = (np.zeros(n * len(calls), TYPES[type_]) for _ in range(3))
    execute(device, source, place_, result, expected, a, b, size=n, local=(7,), options=C3)
    return [x.reshape(len(calls), n) for x in (result, place_, expected)]


def same(x: np.ndarray, y: np.ndarray) -> bool:
    return x.tobytes() == np.broadcast_to(y, x.shape).astype(x.dtype).tobytes()


@pytest.mark.parametrize("space", ["global", "local"])
@pytest.mark.parametrize("type_", INTEGERS)
def test_fetch_and_modify(real_device, type_, space):
    a, b = values(type_)
    calls = [c for key in KEYS for c in calls_of(f"atomic_fetch_{key}")]
    result, place, _ = run_each(real_device, type_, calls, a, b, space)
    assert same(result, a)
    for k, function in enumerate(KEYS.values()):
        each = len(calls) // len(KEYS)
        with np.errstate(over="ignore"):
            assert same(place[k * each : (k + 1) * each], function(a, b)), list(KEYS)[k]


@pytest.mark.parametrize("space", ["global", "local"])
@pytest.mark.parametrize("type_", TYPES)
def test_exchange_load_and_store(real_device, type_, space):
    a, b = values(type_)
    result, place, _ = run_each(real_device, type_, calls_of("atomic_exchange"), a, b, space)
    assert same(result, a) and same(place, b)
    loads = calls_of("atomic_load", tuple(o for o in ORDERS if "rel" not in o or "relaxed" in o), "")
    result, place, _ = run_each(real_device, type_, loads, a, b, space)
    assert same(result, a) and same(place, a)
    stores = [f"({c}, b[i])" for c in calls_of("atomic_store", tuple(o for o in ORDERS if "acq" not in o))]
    result, place, _ = run_each(real_device, type_, stores, a, b, space)
    assert same(place, b)


@pytest.mark.parametrize("space", ["global", "local"])
@pytest.mark.parametrize("type_", TYPES)
def test_compare_exchange(real_device, type_, space):
    a, b = values(type_)
    calls = calls_of("atomic_compare_exchange_strong", more=", &expected, 3", twice=True)
    result, place, expected = run_each(real_device, type_, calls, a, b, space)
    equal = np.array([x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True)])
    assert equal.any() and same(result, equal.astype(a.dtype))
    assert same(place, np.where(equal, a.dtype.type(3), a)) and same(expected, np.where(equal, b, a))


@pytest.mark.parametrize("type_", ["int", "float", "size_t"])
def test_weak_compare_exchange_in_a_loop(real_device, type_):
    source = f"""kernel void f(global atomic_{type_} *p) {{
        {type_} old = atomic_load_explicit(p, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(p, &old, old + 1, memory_order_relaxed, memory_order_relaxed)) ;
    }}"""
    p = np.zeros(1, TYPES[type_])
    execute(real_device, source, p, size=5000, options=C3)
    assert p[0] == 5000


@pytest.mark.parametrize(("name", "function"), [
    ("add", np.add), ("sub", np.subtract), ("xchg", lambda a, b: b), ("min", np.minimum), ("max", np.maximum), ("and", np.bitwise_and),
    ("or", np.bitwise_or), ("xor", np.bitwise_xor), ("inc", lambda a, b: a + a.dtype.type(1)), ("dec", lambda a, b: a - a.dtype.type(1)),
    ("cmpxchg", lambda a, b: np.where(a == b, a.dtype.type(9), a)),
])  # fmt: skip
@pytest.mark.parametrize("type_", ["long", "ulong"])
def test_64_bit_legacy_atomics(real_device, type_, name, function):
    a, b = values(type_)
    given = {"inc": "", "dec": "", "cmpxchg": ", b[i], 9"}.get(name, ", b[i]")
    source = f"""#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
    kernel void f(global {type_} *p, global {type_} *old, global {type_} *q, global const {type_} *b) {{
        local {type_} cells[49]; size_t i = get_global_id(0);
        cells[i] = p[i];
        old[i] = atom_{name}(&p[i]{given});
        atom_{name}(&cells[i]{given});
        q[i] = cells[i];
    }}"""
    p, old, q = a.copy(), np.zeros_like(a), np.zeros_like(a)
    execute(real_device, source, p, old, q, b, size=49, local=(49,))
    with np.errstate(over="ignore"):
        assert same(old, a) and same(p, function(a, b)) and same(q, function(a, b))


# -- contention ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["atomic_fetch_add(&bins[x], 1)", "atomic_fetch_add_explicit(&bins[x], 1, memory_order_relaxed)",
                                  "atomic_fetch_add_explicit(&bins[x], 1, memory_order_acq_rel, memory_scope_work_group)"])
def test_a_histogram(real_device, call):
    source = f"""kernel void f(global const uchar *data, global atomic_uint *out) {{
        local atomic_uint bins[256];
        size_t l = get_local_id(0);
        for (size_t i = l; i < 256; i += get_local_size(0)) atomic_init(&bins[i], 0);
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        uint x = data[get_global_id(0)];
        {call};
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t i = l; i < 256; i += get_local_size(0))
            atomic_fetch_add_explicit(&out[i], atomic_load_explicit(&bins[i], memory_order_relaxed), memory_order_relaxed);
    }}"""
    data = np.random.default_rng(1).integers(0, 256, 1 << 14).astype(np.uint8)
    out = np.zeros(256, np.uint32)
    execute(real_device, source, data, out, size=len(data), local=(128,), options=C3)
    assert (out == np.bincount(data, minlength=256)).all()


def test_a_lock(real_device):
    """One work-item of each group adds to plain memory under a lock that acquires and releases."""
    source = """kernel void f(global atomic_flag *lock, global uint *sum) {
        for (int i = 0; i < 20; i++) {
            while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) ;
            sum[0] += 1; sum[1] += sum[0];
            atomic_flag_clear_explicit(lock, memory_order_release);
        }
    }"""
    lock, total = np.zeros(1, np.int32), np.zeros(2, np.uint32)
    execute(real_device, source, lock, total, size=64, local=(1,), options=C3)
    n = 64 * 20
    assert total.tolist() == [n, n * (n + 1) // 2] and lock[0] == 0


@pytest.mark.parametrize(("stores", "loads"), [
    ("atomic_store(flag, 1)", "atomic_load(flag)"),
    ("atomic_store_explicit(flag, 1, memory_order_release)", "atomic_load_explicit(flag, memory_order_acquire)"),
    ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"
     "atomic_store_explicit(flag, 1, memory_order_relaxed)", "atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)"),
    ("atomic_fetch_or_explicit(flag, 1, memory_order_release, memory_scope_all_svm_devices)", "atomic_fetch_or(flag, 0)"),
])  # fmt: skip
def test_message_passing(real_device, stores, loads):
    """The last work-group to arrive sees what all others have written before: the pattern of single-pass reductions."""
    source = f"""kernel void f(global uint *data, global atomic_int *flags, global uint *out) {{
        size_t g = get_group_id(0);
        data[g] = g + 1;
        global atomic_int *flag = flags + g;
        {stores};
        if (g == get_num_groups(0) - 1) {{
            uint sum = 0;
            for (size_t i = 0; i < get_num_groups(0); i++) {{
                flag = flags + i;
                while (!({loads})) ;
                sum += data[i];
            }}
            *out = sum;
        }}
    }}"""
    # No more groups than run at the same time, and the last one alone waits.
    data, flags, out = np.zeros(32, np.uint32), np.zeros(32, np.int32), np.zeros(1, np.uint32)
    execute(real_device, source, data, flags, out, size=32, local=(1,), options=C3)
    assert out[0] == 32 * 33 // 2


def test_program_scope_and_generic_atomics(real_device):
    source = """global atomic_int counter = ATOMIC_VAR_INIT(40);
    global atomic_flag guard = ATOMIC_FLAG_INIT;
    int next(volatile atomic_int *p) { return atomic_fetch_add(p, 1); }
    kernel void f(global int *out) {
        local atomic_int own;
        atomic_init(&own, 7);
        out[0] = next(&counter) + next(&own); out[1] = atomic_load(&counter); out[2] = atomic_load(&own);
        out[3] = atomic_flag_test_and_set(&guard); out[4] = atomic_flag_test_and_set(&guard);
        atomic_flag_clear(&guard); out[5] = atomic_flag_test_and_set(&guard);
    }"""
    out = np.zeros(6, np.int32)
    execute(real_device, source, out, options="-cl-std=CL2.0")
    assert out.tolist() == [47, 41, 8, 0, 1, 0]


def test_initial_values_are_converted(real_device):
    """"ATOMIC_VAR_INIT [...] can be used to initialize an atomic object of a type that is initialization-compatible with value" (6.15.12.1)."""
    source = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    global volatile atomic_half h[2] = {ATOMIC_VAR_INIT(255), ATOMIC_VAR_INIT(-2.5f)};
    global atomic_half single = ATOMIC_VAR_INIT(7u);
    global atomic_int i[2] = {ATOMIC_VAR_INIT(3.75f), ATOMIC_VAR_INIT(4294967295u)};
    global atomic_float f[2] = {ATOMIC_VAR_INIT(1 << 24), ATOMIC_VAR_INIT(2.5)};
    global atomic_double d = ATOMIC_VAR_INIT(-3);
    kernel void read(global float *out) {
        out[0] = atomic_load(&h[0]); out[1] = atomic_load(&h[1]); out[2] = atomic_load(&single);
        out[3] = atomic_load(&i[0]); out[4] = atomic_load(&i[1]);
        out[5] = atomic_load(&f[0]); out[6] = atomic_load(&f[1]); out[7] = atomic_load(&d);
    }"""
    out = np.zeros(8, np.float32)
    execute(real_device, source, out, options=C3)
    assert out.tolist() == [255, -2.5, 7, 3, -1, 1 << 24, 2.5, -3]


def test_every_form_is_in_the_table():
    core = [o for o in overloads("atomic_fetch_add_explicit") if o.row.code == ""]  # without those of cl_ext_float_atomics
    assert len(core) == 2 * 3 * len(INTEGERS)
    assert len(overloads("atomic_compare_exchange_strong")) == 7 * len(TYPES)
    assert {o.row.requires for o in overloads("atomic_load") if not {"generic", "atomic_half"} & set(o.parameters[0].split())} == {"__opencl_c_atomic_order_seq_cst"}
