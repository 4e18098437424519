"""Which loops are taken for ones that wait for other work-groups: by what ends them. The host device lets others run there."""

import pytest

from cl2cuda import translator
from cl2cuda.translator import parse_options

OPTIONS = parse_options("-cl-std=CL3.0")
GLOBAL = "volatile global int *f, global int *x, volatile global atomic_int *a, volatile local int *l, int n"

IDLE = [
    "while (f[n] == 0);",
    "while (f[n] == 0) {}",
    "while (*f == 0) mem_fence(CLK_GLOBAL_MEM_FENCE);",
    "while (x[n] == 0) mem_fence(CLK_GLOBAL_MEM_FENCE);",
    "for (;;) if (f[n]) break;",
    "for (;;) { int seen = f[n]; if (seen) { if (seen == 2) return; break; } }",
    "int seen; do { seen = f[n]; } while (!seen);",
    "int done = 0; while (!done) { done = 1; for (int i = 0; i < n; i++) if (f[i] == 0) done = 0; }",
    "while (atomic_load(a) < n);",
    "while (atomic_load_explicit(a, memory_order_acquire, memory_scope_device) < n);",
    "while (atomic_xchg(f, 1)) {}",
    "while (atomic_cmpxchg(f, 0, 1) != 0) {}",
    "while (atomic_cmpxchg(f, n, n + 1) != n) {}",
    "int none = 0; while (!atomic_compare_exchange_strong(a, &none, 1)) none = 0;",
    "while (atomic_add(f, 0) != n) {}",
    "while (atomic_fetch_add(a, 0) != n) {}",
    "while (atomic_or(f, 0) != n) {}",
    "while (*(volatile global int *)x == 0);",
    "while (is_there(f)) {}",
    "local int seen; do { if (!get_local_id(0)) seen = f[n]; barrier(CLK_LOCAL_MEM_FENCE); } while (!seen);",
    "int sum = 0, i = n; while (1) { int s = f[i]; if (s == 0) continue; sum += s; if (s == 2) break; i--; } x[n] = sum;",
    "int h; do { h = f[0]; if (h == f[1]) continue; if (atomic_cmpxchg(f, h, h + 1) == h) break; } while (1);",
]
BUSY = [
    "while (f[n] == 0) x[get_global_id(0)]++;",
    "while (f[n] == 0) { if (f[n + 1]) x[0] = work(x); }",
    "while (f[n] == 0) atomic_load(a), vstore4((int4)(n), 0, x);",
]
NOT = [
    "for (int i = 0; i < n; i++) x[i] = f[i];",
    "for (int i = 0; i < n; i++) atomic_inc(f + x[i]);",
    "int i; while ((i = atomic_inc(f)) < n) x[i] = i;",
    "int i; while ((i = atomic_add(f, 4)) < n) x[i] = i;",
    "int i; while ((i = atomic_fetch_add(a, 1)) < n) x[i] = i;",
    "int old; do { old = *f; } while (atomic_cmpxchg(f, old, old + n) != old);",
    "int old, seen = *f; do { old = seen; seen = atomic_cmpxchg(f, old, old * n); } while (seen != old);",
    "int old = atomic_load(a); while (!atomic_compare_exchange_weak(a, &old, max(old, n)));",
    "int old; do { old = *f; if (old >= n) break; } while (atomic_cmpxchg(f, old, n + old) != old);",
    "while (x[n] == 0);",
    "while (l[n] == 0);",
    "for (int s = n; s > 0; s >>= 1) { if (n < s) l[n] += l[n + s]; barrier(CLK_LOCAL_MEM_FENCE); }",
    "volatile int i = n; while (i) i--;",
]


def source(body):
    return f"""bool is_there(volatile global int *f) {{ return *f != 0; }}
int work(global int *x) {{ x[1]++; return x[2]; }}
kernel void k({GLOBAL}) {{ {body} }}"""


def translated(body, item_loops=True):
    found = translator.translate(source(body), OPTIONS, item_loops=item_loops)
    return found.kernels[0].waits, "give_way(rounds)" in found.user_source, "give_way_at_times(rounds)" in found.user_source


@pytest.mark.parametrize("body", IDLE)
def test_waits_and_does_nothing_else(body):
    assert translated(body) == (True, True, False)


@pytest.mark.parametrize("body", BUSY)
def test_waits_and_may_work(body):
    assert translated(body) == (True, False, True)


@pytest.mark.parametrize("body", NOT)
def test_does_not_wait(body):
    assert translated(body) == (False, False, False)


@pytest.mark.parametrize("body", [*IDLE, *BUSY])
def test_text_for_cuda_is_as_it_was(body):
    assert translated(body, item_loops=False) == (False, False, False)


def test_a_name_of_the_program_stays_its_own():
    text = "int give_way(int x) { return x + 1; } kernel void k(volatile global int *f) { while (f[0] != give_way(1)); }"
    found = translator.translate(text, OPTIONS, item_loops=True)
    assert "ocl::give_way(rounds);" in found.user_source


def test_jumps_and_names_around_a_loop():
    text = """kernel void k(volatile global int *f, int n, int rounds) {
        if (n > rounds) goto in;
        switch (n) {
            while (f[0] == 0) { case 3: n++; in: n += 2; }
            case 4: do { n++; } while (f[1] == 0);
        }
        f[2] = n;
    }"""
    found = translator.translate(text, OPTIONS, item_loops=True)
    assert found.kernels[0].waits and found.user_source.count("give_way(rounds_);") == 2


def test_functions_of_another_object():
    first = "void wait(volatile global int *f); kernel void k(volatile global int *f) { wait(f); }"
    second = "void wait(volatile global int *f) { while (f[0] == 0); }"
    objects = [translator.compile_object(text, OPTIONS) for text in (first, second)]
    (kernel,) = translator.link(objects, item_loops=True).kernels
    assert kernel.waits
