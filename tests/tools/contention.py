"""Programs whose work-items contend: histograms, locks, messages, barriers, each with an outcome that only right atomics give.

    python tests/tools/contention.py --runs 200           on every device that is found

Each is run many times with other sizes; the suite does it a few times (`test_contention.py`). Work-groups that wait for each other
take tickets, so that nobody waits for one that has not begun.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from tools.every_overload import device_of

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SCOPES = {"work_group": "memory_scope_work_group", "device": "memory_scope_device", "all": "memory_scope_all_svm_devices"}


@functools.cache
def _built(device: Device, source: str) -> tuple[CommandQueue, Program]:
    context = Context([device])
    program = Program(context, source)
    program.build("-cl-std=CL3.0")
    return CommandQueue(context, device), program


def run(device: Device, source: str, kernel: str, *args: np.ndarray | np.int32, size: int, local: int) -> None:
    """Runs a kernel of the program; arrays become buffers and are read back in place."""
    queue, program = _built(device, source)
    made = Kernel(program, kernel)
    buffers = []
    for index, value in enumerate(args):
        if isinstance(value, np.ndarray):
            buffers.append((Buffer(queue.context, codes.MEM_COPY_HOST_PTR, value.nbytes, value), value))
        made.set_arg(index, buffers[-1][0] if isinstance(value, np.ndarray) else value)
    enqueue_nd_range_kernel(queue, made, 1, None, (size,), (local,))
    for buffer, array in buffers:
        buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, array)


# How a message is announced, and whether it has arrived: F is the flag, V the value that it takes. Flags only grow.
_STORE, _LOAD = "atomic_store_explicit(F, V, memory_order_{}, SCOPE)", "atomic_load_explicit(F, memory_order_{}, SCOPE) >= V"
_FENCED = "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_{}, SCOPE)"
MESSAGES = {
    "release_acquire": (_STORE.format("release"), _LOAD.format("acquire")),
    "seq_cst": (_STORE.format("seq_cst"), _LOAD.format("seq_cst")),
    "acq_rel_exchange": ("atomic_exchange_explicit(F, V, memory_order_acq_rel, SCOPE)",
                         "atomic_fetch_add_explicit(F, 0, memory_order_acq_rel, SCOPE) >= V"),
    "release_or_acquire_max": ("atomic_fetch_max_explicit(F, V, memory_order_release, SCOPE)",
                               "atomic_fetch_or_explicit(F, 0, memory_order_acquire, SCOPE) >= V"),
    "seq_cst_rmw": ("atomic_fetch_max_explicit(F, V, memory_order_seq_cst, SCOPE)",
                    "atomic_fetch_sub_explicit(F, 0, memory_order_seq_cst, SCOPE) >= V"),
    "compare_exchange": ("{{ int before = V - 1; while (!atomic_compare_exchange_weak_explicit(F, &before, V, memory_order_release, "
                         "memory_order_relaxed, SCOPE)) before = V - 1; }}".format(), _LOAD.format("acquire")),
    "fences": (_FENCED.format("release") + "; " + _STORE.format("relaxed"), f"({_LOAD.format('relaxed')})"),
    "acq_rel_fences": (_FENCED.format("acq_rel") + "; " + _STORE.format("relaxed"), f"({_LOAD.format('relaxed')})"),
    "seq_cst_fences": (_FENCED.format("seq_cst") + "; " + _STORE.format("relaxed"), f"({_LOAD.format('relaxed')})"),
}
_AFTER = {"fences": "acquire", "acq_rel_fences": "acq_rel", "seq_cst_fences": "seq_cst"}


def _filled(text: str, flag: str, value: str, scope: str) -> str:
    return text.replace("SCOPE", scope).replace("F,", f"{flag},").replace("V", value)


def _announce(how: str, flag: str, value: str, scope: str) -> str:
    return _filled(MESSAGES[how][0], flag, value, scope) + ";"


def _await(how: str, flag: str, value: str, scope: str) -> str:
    waited = f"while (!({_filled(MESSAGES[how][1], flag, value, scope)})) ;"
    return waited + (" " + _filled(_FENCED.format(_AFTER[how]), "", "", scope) + ";" if how in _AFTER else "")


# -- histograms --------------------------------------------------------------------------------------------------------

HISTOGRAM = """
kernel void histogram(global const uint *in, global int *plain, global atomic_int *relaxed, global atomic_int *ordered, global int *by_group) {
    local int own[64];
    local atomic_int counted;
    size_t i = get_global_id(0);
    uint bin = in[i] % 64;
    if (get_local_id(0) < 64) own[get_local_id(0)] = 0;
    for (uint k = get_local_size(0) + get_local_id(0); k < 64; k += get_local_size(0)) own[k] = 0;
    if (get_local_id(0) == 0) atomic_init(&counted, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(plain + bin);
    atomic_fetch_add_explicit(relaxed + bin, 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add(ordered + bin, 1);
    atomic_add(own + bin, 1);
    atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_id(0); k < 64; k += get_local_size(0)) atomic_add(by_group + k, own[k]);
    if (get_local_id(0) == 0) atomic_add(by_group + 64, atomic_load_explicit(&counted, memory_order_relaxed, memory_scope_work_group));
}
"""


def histogram(device: Device, random: np.random.Generator) -> None:
    local = int(random.choice([1, 7, 32, 64, 100, 256]))
    n = int(random.integers(1, 1 + 65536 // local)) * local
    # Few bins are hot.
    given = np.minimum(random.geometric(0.2, n), 63).astype(np.uint32)
    plain, relaxed, ordered, by_group = (np.zeros(65, np.int32) for _ in range(4))
    run(device, HISTOGRAM, "histogram", given, plain, relaxed, ordered, by_group, size=n, local=local)
    expected = np.bincount(given, minlength=65)
    for found in (plain, relaxed, ordered, by_group[:64]):
        assert (found[:64] == expected[:64]).all()
    assert by_group[64] == n


# -- locks -------------------------------------------------------------------------------------------------------------

LOCKS = {
    "exchange": ("while (atomic_exchange_explicit(L, 1, memory_order_acquire, SCOPE)) ;", "atomic_store_explicit(L, 0, memory_order_release, SCOPE);"),
    "seq_cst": ("while (atomic_exchange_explicit(L, 1, memory_order_seq_cst, SCOPE)) ;", "atomic_store_explicit(L, 0, memory_order_seq_cst, SCOPE);"),
    "compare": ("int free = 0; while (!atomic_compare_exchange_strong_explicit(L, &free, 1, memory_order_acq_rel, memory_order_relaxed, SCOPE)) "
                "free = 0;", "atomic_fetch_sub_explicit(L, 1, memory_order_acq_rel, SCOPE);"),
    "fences": ("while (atomic_exchange_explicit(L, 1, memory_order_relaxed, SCOPE)) ; " + _FENCED.format("acquire") + ";",
               _FENCED.format("release") + "; atomic_store_explicit(L, 0, memory_order_relaxed, SCOPE);"),
    "legacy": ("while (atomic_cmpxchg((volatile SPACE int *)L, 0, 1)) ; mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
               "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); atomic_xchg((volatile SPACE int *)L, 0);"),
}


def _lock(name: str, scope: str, space: str) -> str:
    take, free = (text.replace("SCOPE", SCOPES[scope]).replace("SPACE", space).replace("(L", "(lock").replace(")L", ")lock")
                  for text in LOCKS[name])
    local = "local atomic_int own_lock; local int own_total; if (get_local_id(0) == 0) { atomic_init(&own_lock, 0); own_total = 0; } " \
            "barrier(CLK_LOCAL_MEM_FENCE); local atomic_int *lock = &own_lock; local int *total = &own_total;"
    shared = "global atomic_int *lock = (global atomic_int *)state; global int *total = state + 32;"
    after = "barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) atomic_add(state + 32, own_total);"
    return f"""
kernel void lock_{name}_{scope}_{space}(global int *state) {{
    {local if space == 'local' else shared}
    {{ {take} int seen = *total; *total = seen + 1; {free} }}
    {after if space == 'local' else ''}
}}"""


_LOCKED = [(name, scope, space) for name in LOCKS for scope, space in
           (("work_group", "local"), ("device", "global"), ("all", "global"))]
LOCK_PROGRAM = "".join(_lock(*each) for each in _LOCKED)


def locks(device: Device, random: np.random.Generator) -> None:
    for name, scope, space in _LOCKED:
        local = int(random.choice([1, 8, 32, 48]))
        n = int(random.integers(1, 20)) * local
        state = np.zeros(64, np.int32)
        run(device, LOCK_PROGRAM, f"lock_{name}_{scope}_{space}", state, size=n, local=local)
        assert state[32] == n, (name, scope, space, state[32], n)


# -- messages ----------------------------------------------------------------------------------------------------------


def _chain(how: str, scope: str) -> str:
    """Each work-group adds what its predecessor passed on; the data go by plain stores of all work-items."""
    flag = "((volatile global atomic_int *)flags + 1)"
    return f"""
kernel void chain_{how}_{scope}(global int *flags, volatile global int *data) {{
    local int ticket;
    if (get_local_id(0) == 0) ticket = atomic_inc(flags);
    barrier(CLK_LOCAL_MEM_FENCE);
    int n = get_local_size(0), l = get_local_id(0), mine = ticket;
    if (l == 0 && mine > 0) {{ {_await(how, flag, 'mine', SCOPES[scope])} }}
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, {SCOPES[scope]});
    data[mine * n + l] = mine ? data[(mine - 1) * n + (l + 1) % n] + 1 : l;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, {SCOPES[scope]});
    if (l == 0) {{ {_announce(how, flag, '(mine + 1)', SCOPES[scope])} }}
}}"""


def _inside(how: str, space: str) -> str:
    """Within a work-group, work-item to work-item: the first speaks, the others listen, whoever has listened speaks on."""
    flag = "flag" if space == "local" else "(volatile global atomic_int *)flags + 32 * get_group_id(0)"
    declared = "local atomic_int at; local int data[64]; volatile local atomic_int *flag = &at;" if space == "local" else ""
    where = "data" if space == "local" else "(passed + 64 * get_group_id(0))"
    return f"""
kernel void inside_{how}_{space}(global int *flags, volatile global int *passed, global int *out) {{
    {declared}
    int l = get_local_id(0);
    {'if (l == 0) atomic_init(&at, 0);' if space == 'local' else ''}
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l > 0) {{ {_await(how, flag, 'l', SCOPES['work_group'])} }}
    {where}[l] = l ? {where}[l - 1] + 3 : 5;
    {_announce(how, flag, '(l + 1)', SCOPES['work_group'])}
    out[get_global_id(0)] = {where}[l];
}}"""


_CHAINED = [(how, scope) for how in MESSAGES for scope in ("device", "all")]
_INSIDE = [(how, space) for how in MESSAGES for space in ("local", "global")]
MESSAGE_PROGRAM = "".join(_chain(*each) for each in _CHAINED) + "".join(_inside(*each) for each in _INSIDE)


def messages(device: Device, random: np.random.Generator) -> None:
    for how, scope in _CHAINED:
        local, groups = int(random.choice([1, 5, 32, 96])), int(random.integers(2, 40))
        flags, data = np.zeros(4, np.int32), np.zeros(local * groups, np.int32)
        run(device, MESSAGE_PROGRAM, f"chain_{how}_{scope}", flags, data, size=local * groups, local=local)
        g, lane = np.indices((groups, local))
        assert (data.reshape(groups, local) == (lane + g) % local + g).all(), (how, scope)


def messages_inside(device: Device, random: np.random.Generator) -> None:
    for how, space in _INSIDE:
        local, groups = int(random.choice([2, 31, 64])), int(random.integers(1, 9))
        flags, passed, out = np.zeros(32 * groups, np.int32), np.zeros(64 * groups, np.int32), np.zeros(local * groups, np.int32)
        run(device, MESSAGE_PROGRAM, f"inside_{how}_{space}", flags, passed, out, size=local * groups, local=local)
        assert (out.reshape(groups, local) == 5 + 3 * np.arange(local)).all(), (how, space)


# -- sequential consistency ----------------------------------------------------------------------------------------------

STORE_BUFFERING = "".join(f"""
kernel void both_{name}(global atomic_int *x, global atomic_int *y, global int *seen) {{
    size_t n = get_global_size(0) / 2, i = get_global_id(0);
    global atomic_int *own = i < n ? x + i : y + (i - n), *other = i < n ? y + i : x + (i - n);
    {store}
    seen[i] = {load};
}}""" for name, store, load in (
    ("plain", "atomic_store(own, 1);", "atomic_load(other)"),
    ("explicit", "atomic_store_explicit(own, 1, memory_order_seq_cst, memory_scope_all_svm_devices);",
     "atomic_load_explicit(other, memory_order_seq_cst, memory_scope_all_svm_devices)"),
    ("rmw", "atomic_fetch_add(own, 1);", "atomic_fetch_or(other, 0)"),
    ("fence", "atomic_store_explicit(own, 1, memory_order_relaxed, memory_scope_device); "
              "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);",
     "atomic_load_explicit(other, memory_order_relaxed, memory_scope_device)"),
))


def store_buffering(device: Device, random: np.random.Generator) -> None:
    """Two work-items each announce themselves and then look for the other: one at least sees the other."""
    for name in ("plain", "explicit", "rmw", "fence"):
        n = int(random.integers(1, 200)) * 64
        x, y, seen = np.zeros(n // 2, np.int32), np.zeros(n // 2, np.int32), np.zeros(n, np.int32)
        run(device, STORE_BUFFERING, f"both_{name}", x, y, seen, size=n, local=32)
        assert (seen[: n // 2] | seen[n // 2 :]).all(), name


# -- barriers ----------------------------------------------------------------------------------------------------------

BARRIERS = """
kernel void turn(global int *out, int rounds, volatile global int *space) {
    local int ring[256];
    int n = get_local_size(0), l = get_local_id(0);
    volatile global int *far = space + get_group_id(0) * 256;
    ring[l] = l; far[l] = 2 * l;
    for (int r = 0; r < rounds; r++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        int next = ring[(l + 1) % n], after = far[(l + 3) % n];
        if (r % 2) work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device); else barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        ring[l] = next; far[l] = after;
    }
    out[get_global_id(0)] = ring[l] * 1000 + far[l];
}
"""


def barriers(device: Device, random: np.random.Generator) -> None:
    local, groups, rounds = int(random.choice([2, 33, 64, 250])), int(random.integers(1, 30)), int(random.integers(1, 60))
    out, space = np.zeros(local * groups, np.int32), np.zeros(256 * groups, np.int32)
    run(device, BARRIERS, "turn", out, np.int32(rounds), space, size=local * groups, local=local)
    lane = np.arange(local)
    assert (out.reshape(groups, local) == (lane + rounds) % local * 1000 + (lane + 3 * rounds) % local * 2).all()


CHECKS: dict[str, Callable[[Device, np.random.Generator], None]] = {
    each.__name__: each for each in (histogram, locks, messages, messages_inside, store_buffering, barriers)
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=int(os.environ.get("CL2CUDA_TEST_RUNS", "50")))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for driver in ("host", "cuda"):
        device = device_of(driver)
        if device is None:
            continue
        for name, check in CHECKS.items():
            random, started = np.random.default_rng(given.seed), time.perf_counter()
            for _ in range(given.runs):
                check(device, random)
            print(f"{device.properties.name}: {name}: {given.runs} runs right, {time.perf_counter() - started:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
