"""intel_reqd_sub_group_size (cl_intel_required_subgroup_size), run: kernels of one program with sub-groups of different sizes.

That every sub-group function works with each size is test_subgroups' part."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda import translator

CL2 = "-cl-std=CL2.0"  # has blocks
OPTIONS = translator.parse_options(CL2)
REQUIRES = "__attribute__((intel_reqd_sub_group_size({})))"
SIZES = {"eight": 8, "sixteen": 16, "whole": 32, "any": 32}
HELPERS = """
uint last(uint x);  // declared before it is defined
__attribute__((noinline)) uint sum(uint x) { return sub_group_reduce_add(x); }
uint last(uint x) { return sub_group_broadcast(x, get_sub_group_size() - 1); }
void results(global uint *out) {
    uint i = get_global_id(0), n = get_global_size(0), sub_group = get_sub_group_id();
    uint (^twice)(uint) = ^(uint x) { return 2 * sub_group_reduce_max(x); };
    out[i] = sum(i); out[n + i] = last(i); out[2 * n + i] = sub_group; out[3 * n + i] = ({ sub_group_scan_inclusive_add(1u); });
    out[4 * n + i] = twice(i); out[5 * n + i] = get_max_sub_group_size();
}
"""
KERNELS = "".join(f"{REQUIRES.format(size) if name != 'any' else ''} kernel void {name}(global uint *out) {{ results(out); }}\n"
                  for name, size in SIZES.items())  # fmt: skip


@pytest.mark.parametrize("name", [*SIZES, "caller"])
def test_kernels_of_one_program_have_sizes_of_their_own(real_device, name):
    """The functions that they share, also through prototypes, blocks and statement expressions; a kernel that another one calls."""
    caller = f"{REQUIRES.format(8)} kernel void caller(global uint *out) {{ eight(out); }}\n"
    local, n, size = 70, 140, SIZES.get(name, 8)
    out = np.zeros((6, n), np.uint32)
    execute(real_device, HELPERS + KERNELS + caller, out, size=n, local=(local,), options=CL2, kernel=name)
    for start in range(0, n, local):
        for first in range(start, start + local, size):
            ids = np.arange(first, min(first + size, start + local))
            expected = [ids.sum(), ids[-1], (first - start) // size, ids - first + 1, 2 * ids[-1], size]
            assert all((out[k, ids] == e).all() for k, e in enumerate(expected)), (first, out[:, ids])


@pytest.mark.parametrize("size", [8, 16])
def test_sub_groups_of_a_warp_go_different_ways(real_device, size):
    """Sub-groups that share a warp take other branches and loops, with barriers, reductions and votes of their own."""
    source = f"""{REQUIRES.format(size)} kernel void f(global uint *out) {{
        local uint cells[64];
        uint l = get_local_linear_id(), s = get_sub_group_id(), lane = get_sub_group_local_id(), base = s * {size}, sum = 0;
        cells[l] = l;
        for (uint turn = 0; turn <= s; turn++) {{
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            uint next = cells[base + (lane + 1) % get_sub_group_size()];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
            cells[l] = next;
        }}
        if (s % 2) sum = sub_group_reduce_add(l); else sum = sub_group_scan_inclusive_add(l);
        if (s % 3 == 1 && lane % 2) sum += 1000 * sub_group_non_uniform_reduce_add(1);
        else if (s % 3) sum += 1000 * (sub_group_ballot_bit_count(sub_group_ballot(lane != 3)) + sub_group_non_uniform_any(s == 2));
        out[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[64 + l] = cells[l] + 100 * work_group_reduce_add(sub_group_elect());
    }}"""
    out = np.zeros(128, np.uint32)
    n, shape = 60, (5, 4, 3)  # the last sub-group has four
    execute(real_device, source, out, size=shape, local=shape, options=CL2)
    groups = [np.arange(b, min(b + size, n)) for b in range(0, n, size)]
    for s, ids in enumerate(groups):
        count, lane = len(ids), np.arange(len(ids))
        expected = np.full(count, ids.sum()) if s % 2 else np.cumsum(ids)
        if s % 3 == 1:
            others = (lane != 3)[lane % 2 == 0].sum()  # those who do not go into the first branch
            expected = expected + 1000 * np.where(lane % 2, count // 2, others)
        elif s % 3 == 2:
            expected = expected + 1000 * (count - 1 + (s == 2))
        assert (out[ids] == expected).all(), (s, out[ids], expected)
        assert (out[64 + ids] == ids[0] + (lane + s + 1) % count + 100 * len(groups)).all(), s


@pytest.mark.parametrize("size", [8, 16, 32])
def test_smaller_work_groups_at_the_edges(real_device, size):
    source = f"""{REQUIRES.format(size)} kernel void f(global uint *out) {{
        uint i = get_global_linear_id(), n = get_global_size(0) * get_global_size(1);
        out[i] = sub_group_reduce_add(i); out[n + i] = get_num_sub_groups() * 100 + get_enqueued_num_sub_groups();
        out[2 * n + i] = sub_group_non_uniform_scan_inclusive_add(1) + 100 * get_sub_group_id() + 10000 * get_sub_group_size();
    }}"""
    shape, local = (29, 11), (12, 4)
    out = np.zeros((3, *shape[::-1]), np.uint32)
    execute(real_device, source, out, size=shape, local=local, options=CL2)
    linear = np.arange(29 * 11).reshape(shape[::-1])
    for y in range(0, shape[1], local[1]):
        for x in range(0, shape[0], local[0]):
            group = (slice(y, y + local[1]), slice(x, x + local[0]))
            ids, found = linear[group].ravel(), [out[k][group].ravel() for k in range(3)]
            assert (found[1] == -(-len(ids) // size) * 100 - (-48 // size)).all(), (x, y)
            for s in range(0, len(ids), size):
                own = slice(s, min(s + size, len(ids)))
                lane = np.arange(own.stop - s)
                assert (found[0][own] == ids[own].sum()).all(), (x, y, s)
                assert (found[2][own] == lane + 1 + 100 * (s // size) + 10000 * len(lane)).all(), (x, y, s)


def test_only_functions_that_act_on_sub_groups_are_told():
    source = HELPERS + "uint plain(uint x) { return x + 1; }\n" + KERNELS + "kernel void k(global uint *x) { *x = plain(*x); }"
    text = translator.translate(source, OPTIONS).user_source
    assert "__device__ __noinline__ uint sum(uint x, auto sub_group_)" in text and "constexpr sub_group_tile<8> sub_group_{};" in text
    assert "__device__ uint plain(uint x) {" in text and "__global__ void k(uint *x) {\n    *x = plain(*x);" in text


def test_programs_of_whole_warps_say_nothing():
    source = HELPERS + "".join(line for line in KERNELS.splitlines(True) if "(8)" not in line and "(16)" not in line)
    text = translator.translate(source, OPTIONS).user_source
    assert "auto sub_group" not in text and "sub_group_tile" not in text and "sub_group_reduce_add(x);" in text


def test_metadata(real_device):
    kernels = {k.name: k for k in translator.translate(HELPERS + KERNELS, OPTIONS).kernels}
    assert {name: kernels[name].reqd_sub_group_size for name in SIZES} == {"eight": 8, "sixteen": 16, "whole": 32, "any": None}
    assert kernels["eight"].attributes == "intel_reqd_sub_group_size(8)"


def test_a_size_that_there_is_not():
    with pytest.raises(translator.CompileError, match="sub-group sizes"):
        translator.translate(f"{REQUIRES.format(64)} kernel void f(void) {{}}", OPTIONS)
