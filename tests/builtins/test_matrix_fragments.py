"""CUDA's code of matrix products by sub-groups, run on a model of a warp: the exchanges between OpenCL's layout and mma's."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.overload_units import cpp, use
from support.sub_group_matrices import Matrices, functions

from cl2cuda.builtins.prelude import prelude
from cl2cuda.builtins.typenames import split

FUNCTIONS = [o for o in functions() if split(o.parameters[0])[1] in (2, 8)]
MODEL = Path(__file__).parents[1] / "support" / "warp_model.cpp"
# What is PTX, in C++.
PTX = {
    'asm("mov.u32 %0, %%laneid;" : "=r"(lane));': "lane = model_lane;",
    'asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; selp.b32 %0, %2, %3, p; }" : "=r"(r) : "r"(condition), "r"(x), "r"(y));':
        "r = condition ? x : y;",
    'asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));': "y = __builtin_bit_cast(_Float16, x.bits);",
    'asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));': "y.bits = __builtin_bit_cast(ushort, (_Float16)x);",
    'asm("cvt.rn.f16.f64 %0, %1;" : "=h"(y.bits) : "d"(x));': "y.bits = __builtin_bit_cast(ushort, (_Float16)x);",
}
PRODUCT = """#define OCL_MATRIX_PRODUCT(first, second, shape, sum, letter) \\
    __device__ void matrix_product(first, second, sum (&d)[4], uint a0, uint a1, uint a2, uint a3, uint b0, uint b1) { \\
        model_product<first, second>(d, a0, a1, a2, a3, b0, b1); \\
    }
"""


def program() -> str:
    uses = [use(o) for o in FUNCTIONS] + [("type", word) for o in FUNCTIONS for word in (o.result, *o.parameters)]
    text = prelude("cuda", uses)
    for ptx, plain in PTX.items():
        assert ptx in text
        text = text.replace(ptx, plain)
    text, found = re.subn(r"#define OCL_MATRIX_PRODUCT(?:.*\\\n)*.*\n", lambda _: PRODUCT, text)
    assert found == 1 and "asm" not in text
    calls = "".join(
        f"""extern "C" void f{i}(const {cpp(o.parameters[0])} *a, const {cpp(o.parameters[1])} *b, {cpp(o.result)} *acc) {{
        model_warp([=](unsigned lane) {{ acc[lane] = {o.code}(a[lane], b[lane], acc[lane]); }});
        }}\n"""
        for i, o in enumerate(FUNCTIONS)
    )
    return f"{MODEL.read_text(encoding='utf-8')}{text}using namespace ocl;\n{calls}"


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_fragments(tmp_path):
    """Functions of each mix of elements, in four or two sub-groups, each with matrices of its own: by mma, and as where lanes of the warp are missing."""
    flags = ["-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-pthread"]
    library = tmp_path / "warp.so"
    done = subprocess.run(["g++", *flags, "-x", "c++", "-", "-o", str(library)], input=program(), text=True, capture_output=True, check=False)
    if "_Float16" in done.stderr:
        pytest.skip("the compiler has no _Float16")
    assert done.returncode == 0, done.stderr[:4000]
    loaded = ctypes.CDLL(str(library))
    active = ctypes.c_uint.in_dll(loaded, "model_active")
    for i, overload in enumerate(FUNCTIONS):
        matrices = Matrices(overload, 4 if "int" in overload.parameters[0] else 2)
        a, b, acc, expected = matrices.arguments()
        for active.value in (0xFFFFFFFF, 0x7FFFFFFF) if matrices.rows == 2 else (0xFFFFFFFF,):
            sums = acc.copy()
            loaded[f"f{i}"](*(ctypes.c_void_p(array.ctypes.data) for array in (a, b, sums)))
            assert (sums.view(f"u{sums.itemsize}") == expected.view(f"u{sums.itemsize}")).all(), (overload, hex(active.value))
