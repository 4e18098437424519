"""Named barriers (cl_khr_subgroup_named_barrier), run: some sub-groups of a work-group wait for each other and not for the rest."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda import translator

C3 = "-cl-std=CL3.0"
SIZES = (8, 16, 32)


def required(size: int) -> str:
    return f"__attribute__((intel_reqd_sub_group_size({size})))" if size < 32 else ""


@pytest.mark.parametrize("size", SIZES)
def test_two_teams_in_turns(real_device, size):
    """Each team of sub-groups, one even, one odd, works in turns of its own number; then all meet. The last sub-group is smaller."""
    source = f"""{required(size)} kernel void f(global uint *out) {{
        local uint cells[6 * {size}];
        local named_barrier_t *even = named_barrier_init(3), *odd = named_barrier_init(3);
        uint l = get_local_id(0), s = get_sub_group_id(), team = s % 2, last = get_local_size(0) - 1;
        cells[l] = l;
        local named_barrier_t *own = team ? odd : even;
        work_group_named_barrier(own, CLK_LOCAL_MEM_FENCE);
        for (uint turn = 0; turn < 5 + 20 * team; turn++) {{
            uint there = l + 2 * {size}, next = cells[there > last ? l % (2 * {size}) : there];
            work_group_named_barrier(own, CLK_LOCAL_MEM_FENCE);
            cells[l] = next + 1;
            work_group_named_barrier(own, CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = cells[last - l];
    }}"""
    n, groups = 6 * size - 3, 3
    out = np.zeros(groups * n, np.uint32)
    execute(real_device, source, out, size=groups * n, local=(n,), options=C3)
    cells = np.arange(n)
    l = np.arange(n)
    there = np.where(l + 2 * size < n, l + 2 * size, l % (2 * size))
    for turn in range(25):
        cells = np.where((l // size % 2 == 1) | (turn < 5), cells[there] + 1, cells)
    assert (out.reshape(groups, n) == cells[::-1]).all()


@pytest.mark.parametrize("size", SIZES)
def test_a_pipeline_of_sub_groups(real_device, size):
    """Each sub-group takes from the one before it and hands on to the next, by a barrier between each two; those at the ends go
    on to the work-group's barrier while others still wait."""
    count = 5
    source = f"""
    local named_barrier_t *between_two(void) {{ return named_barrier_init(2); }}
    void hand_over(local named_barrier_t *at) {{ work_group_named_barrier(at, CLK_LOCAL_MEM_FENCE, memory_scope_device); }}
    {required(size)} kernel void f(global uint *out) {{
        local uint cells[{count * size}];
        local named_barrier_t *links[{count - 1}];
        for (int i = 0; i < {count - 1}; i++) links[i] = between_two();
        uint l = get_local_id(0), s = get_sub_group_id();
        for (uint round = 0; round < 3; round++) {{
            if (s > 0) hand_over(links[s - 1]);
            cells[l] = s == 0 ? l + round : cells[l - {size}] + 1;
            if (s < {count - 1}) hand_over(links[s]);
            barrier(CLK_LOCAL_MEM_FENCE);
            out[round * {count * size} + l] = cells[l];
        }}
    }}"""
    out = np.zeros((3, count, size), np.uint32)
    execute(real_device, source, out, size=count * size, local=(count * size,), options=C3)
    assert (out == np.arange(3)[:, None, None] + np.arange(count)[:, None] + np.arange(size)).all()


def test_a_work_group_has_fifteen(real_device):
    source = """kernel void f(global uint *out) {
        local uint sums[16];
        local named_barrier_t *all[15];
        uint s = get_sub_group_id(), total = 0;
        for (int i = 0; i < 15; i++) all[i] = named_barrier_init(i % 4 + 1);
        if (get_local_id(0) < 16) sums[get_local_id(0)] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 15; i++) {
            if (s > i % 4) continue;
            if (get_sub_group_local_id() == 0) atomic_add(&sums[i], s + 1);
            work_group_named_barrier(all[i], CLK_LOCAL_MEM_FENCE);
            total = total * 3 + sums[i];
        }
        out[get_global_id(0)] = total;
    }"""
    out = np.zeros(256, np.uint32)
    execute(real_device, source, out, size=256, local=(128,), options=C3)
    expected = []
    for s in range(4):
        total = 0
        for i in range(15):
            if s <= i % 4:
                total = total * 3 + sum(range(1, i % 4 + 2))
        expected += [total % 2**32] * 32
    assert (out.reshape(2, 128) == expected).all() and real_device.get_info(0x2035) == 15


@pytest.mark.parametrize(
    ("options", "source", "message"),
    [
        (C3, "kernel void f(void) { local named_barrier_t b; }", "cannot be declared"),
        (C3, "kernel void f(local named_barrier_t *b) { }", "cannot be a pointer to 'named_barrier_t'"),
        (C3, "typedef struct { named_barrier_t b; } s;", "cannot be used to declare a structure"),
        ("", "void f(local named_barrier_t *b) { }", "named_barrier_t"),
    ],
)  # fmt: skip
def test_what_may_not_be_said(options, source, message):
    with pytest.raises(translator.CompileError, match=message):
        translator.translate(source, translator.parse_options(options))
