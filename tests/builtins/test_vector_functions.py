"""Miscellaneous vector functions (6.15.13) on both devices: vec_step, shuffle, shuffle2."""

from __future__ import annotations

import numpy as np
import pytest
from support.builtin_functions import DTYPES
from support.execute import execute

from cl2cuda.builtins.typenames import ARITHMETIC, WIDTHS, unsigned, vector
from cl2cuda.translator import CompileError, parse_options, translate

MASKS = [n for n in WIDTHS if n != 3]


def test_vec_step(real_device):
    """The number of elements, 4 of a 3-vector; of types and of expressions, which are not evaluated."""
    types = [vector(t, n) for t in ARITHMETIC for n in (1, *WIDTHS)]
    body = "".join(f"out[{i}] = vec_step({t}) * 100 + vec_step(*(global {t} *)0);\n" for i, t in enumerate(types))
    source = f"""kernel void f(global int *out) {{
        int once = 0;
        {body}
        out[{len(types)}] = vec_step((int2)(once++)) + 10 * once;
        int sizes[vec_step(float3)];
        out[{len(types) + 1}] = sizeof(sizes);
    }}"""
    out = np.zeros(len(types) + 2, np.int32)
    execute(real_device, source, out)
    steps = [1, 2, 4, 4, 8, 16] * len(ARITHMETIC)
    assert out.tolist() == [101 * step for step in steps] + [2, 16]


@pytest.mark.parametrize("type_", ARITHMETIC)
def test_shuffles(real_device, type_):
    """Every width to every other; of each mask element only the bits count that name one of the sources' elements."""
    mask = unsigned(type_)
    kernels = "".join(f"""
    kernel void f_{m}_{n}(global {type_} *out, global const {type_} *in, global const {mask} *masks) {{
        {vector(mask, n)} k = vload{n}(0, masks);
        {vector(type_, m)} a = vload{m}(0, in), b = vload{m}(1, in);
        vstore{n}(shuffle(a, k), 0, out);
        vstore{n}(shuffle2(a, b, k), 1, out);
    }}""" for m in MASKS for n in MASKS)
    random = np.random.default_rng(3)
    for m in MASKS:
        for n in MASKS:
            given = np.arange(1, 2 * m + 1).astype(DTYPES[type_])
            masks = random.integers(0, 256, n).astype(DTYPES[mask])
            out = np.zeros(2 * n, DTYPES[type_])
            execute(real_device, kernels, out, given, masks, kernel=f"f_{m}_{n}")
            k = masks.astype(np.int64)
            assert (out[:n] == given[k % m]).all() and (out[n:] == given[k % (2 * m)]).all(), (m, n)


@pytest.mark.parametrize("call", ["shuffle(a, (uint4)(1))", "shuffle(a, (ushort3)(1))", "shuffle2(a, a, (short8)(1))", "shuffle2(a, b, (ushort8)(1))"])
def test_masks_that_do_not_fit(call):
    with pytest.raises(CompileError):
        translate(f"kernel void f() {{ short8 a; short4 b; {call}; }}", parse_options("-cl-std=CL3.0"))
