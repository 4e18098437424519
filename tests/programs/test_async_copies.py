"""Async copies (6.15.11), run: every type, both directions, strides, counts that no work-group divides."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda import translator
from cl2cuda.builtins.typenames import SIZES, WIDTHS, WITH_HALF, size, vector

COUNTS = (1, 5, 64, 100)
TYPES = [vector(element, n) for element in WITH_HALF for n in (1, *WIDTHS)]


def random(type_: str, count: int) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 256, (count, size(type_))).astype(np.uint8)


def equal(type_: str, x: np.ndarray, y: np.ndarray) -> bool:
    """The fourth place of a 3-vector holds nothing."""
    used = size(type_) * 3 // 4 if type_.endswith("3") else size(type_)
    return (x.reshape(-1, size(type_))[:, :used] == y.reshape(-1, size(type_))[:, :used]).all()


@pytest.mark.parametrize("local", [(64,), (7,), (4, 3, 5)])
@pytest.mark.parametrize("type_", ["char", "short3", "float", "int2", "float4", "double16"])
def test_copies_through_local_memory(real_device, type_, local):
    source = f"""kernel void f(global const {type_} *in, global {type_} *out, uint n) {{
        local {type_} tile[100];
        event_t e = async_work_group_copy(tile, in, n, 0);
        wait_group_events(1, &e);
        event_t back[2];
        back[0] = async_work_group_copy(out, tile, n, (event_t)0);
        back[1] = async_work_group_copy(out + n, tile, (size_t)n, back[0]);
        wait_group_events(2, back);
    }}"""
    for n in COUNTS:
        data, out = random(type_, n), np.zeros((2 * n, size(type_)), np.uint8)
        execute(real_device, source, data, out, np.uint32(n), size=local, local=local)
        assert equal(type_, out, np.tile(data, (2, 1)))


def test_every_type(real_device):
    kernels = "".join(f"""kernel void f_{t}(global const {t} *in, global {t} *out) {{
        local {t} tile[10];
        event_t e = async_work_group_copy(tile, in, 10, 0);
        wait_group_events(1, &e);
        e = async_work_group_strided_copy(tile + 5, in, 5, 2, 0);
        wait_group_events(1, &e);
        e = async_work_group_copy(out, (const local {t} *)tile, 10, 0);
        wait_group_events(1, &e);
        barrier(CLK_GLOBAL_MEM_FENCE);
        e = async_work_group_strided_copy(out + 10, tile, 3, 3, 0);
        wait_group_events(1, &e);
        prefetch(in, 10);
    }}
    """ for t in TYPES)
    for t in TYPES:
        data, out = random(t, 10), np.zeros((20, size(t)), np.uint8)
        execute(real_device, kernels, data, out, size=4, local=(4,), kernel=f"f_{t}")
        expected = np.zeros_like(out)
        expected[:5], expected[5:10] = data[:5], data[::2]
        expected[10:19:3] = expected[:3]
        assert equal(t, out[:10], expected[:10]) and equal(t, out[10:], expected[10:]), t


def test_a_pipelined_sum(real_device):
    """Two tiles in turn: the next is on its way while the present one is read."""
    source = """kernel void f(global const float *in, global float *out, uint tiles) {
        local float tile[2][32];
        size_t l = get_local_id(0);
        float sum = 0;
        event_t e[2];
        e[0] = async_work_group_copy(tile[0], in, 32, 0);
        for (uint i = 0; i < tiles; i++) {
            if (i + 1 < tiles) e[(i + 1) % 2] = async_work_group_copy(tile[(i + 1) % 2], in + (i + 1) * 32, 32, 0);
            wait_group_events(1, &e[i % 2]);
            sum += tile[i % 2][31 - l];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[l] = sum;
    }"""
    data, out = np.arange(320, dtype=np.float32), np.zeros(32, np.float32)
    execute(real_device, source, data, out, np.uint32(10), size=32, local=(32,))
    assert (out == data.reshape(10, 32).sum(0)[::-1]).all()


def test_kernels_that_copy_are_collective():
    source = """void get(local float *l, global const float *g) { event_t e = async_work_group_copy(l, g, 4, 0); wait_group_events(1, &e); }
    kernel void f(local float *l, global const float *g) { get(l, g); }"""
    assert translator.translate(source).kernels[0].uses_barrier


def test_sizes_are_those_of_the_table():
    assert {size(t) for t in TYPES} >= {SIZES["char"], 16 * SIZES["double"]}
