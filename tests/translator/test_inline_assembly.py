"""Inline PTX: constraint "i", and immediates that are parameters of functions which every call gives a constant."""

from __future__ import annotations

import numpy as np
import pytest
from support.cuda_programs import compile_for_cuda
from support.execute import execute

from cl2cuda.runtime.cuda.options import flags
from cl2cuda.translator import parse_options, translate

LOP3 = """
inline uint lop3(uint a, uint b, uint c, const int table) {
    uint r; asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "i"(table)); return r;
}
uint through(uint a, uint b, uint table) { return lop3(a, b, a, table) + lop3(a, b, b, table & 0xf0); }
"""
KERNEL = """
kernel void k(global uint *o, uint a, uint b, uint c) {
    uint r; const uint three = 3;
    asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "i"(12)); o[0] = r;
    o[1] = lop3(a, b, c, 0x96); o[2] = through(a, b, 0xe8); o[3] = through(a, b, 3 * 5);
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "i"(three)); o[4] = r;
    asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "i"(b)); o[5] = r;
    for (int i = 0; i < 3; i++) asm("add.u32 %0, %0, %1;" : "+r"(r) : "n"(i));
    o[6] = r;
}
"""


def table_of(a: int, b: int, c: int, table: int) -> int:
    """What lop3 computes."""
    bits = ((table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i for i in range(32))
    return sum(bits)


def test_immediates_compile(compiler):
    translation = translate(LOP3 + KERNEL)
    text = translation.user_source
    assert "auto table" in text and '"n"(table.value)' in text and '"r"(b)' in text and '"i"' not in text
    compile_for_cuda(translation, "sm_90", flags(parse_options(""), compiler.version), compiler)


def test_immediates_compute(cuda_device):
    a, b, c = 0x12345678, 0x9ABCDEF0, 0x0F0F3C3C
    out = np.zeros(8, np.uint32)
    execute(cuda_device, LOP3 + KERNEL, out, np.uint32(a), np.uint32(b), np.uint32(c), kernel="k")
    through = [(table_of(a, b, a, t) + table_of(a, b, b, t & 0xF0)) & 0xFFFFFFFF for t in (0xE8, 15)]
    shifted = ((b << 32 | a) << 3 >> 32) & 0xFFFFFFFF
    total = (a + b) & 0xFFFFFFFF
    assert out[:7].tolist() == [a + 12, table_of(a, b, c, 0x96), *through, shifted, total, (total + 3) & 0xFFFFFFFF]


@pytest.mark.parametrize("body", [
    "uint f(uint a, uint n) { n++; uint r; asm(\"add.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"i\"(n)); return r; } "
    "kernel void k(global uint *o) { o[0] = f(o[1], 3); }",
    "uint f(uint a, uint n) { uint r; asm(\"add.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"i\"(n)); return r; } "
    "kernel void k(global uint *o, uint n) { o[0] = f(o[1], n) + f(o[2], 2); }",
])  # fmt: skip
def test_what_is_no_constant_goes_into_a_register(body, compiler):
    translation = translate(body)
    assert '"r"(n)' in translation.user_source and "auto" not in translation.user_source
    compile_for_cuda(translation, "sm_90", flags(parse_options(""), compiler.version), compiler)


def test_condition_codes_are_not_named(compiler):
    """NVRTC: "The cc clobber constraint is not supported"."""
    translation = translate("""
        kernel void k(global uint *o) {
            uint r; asm volatile("add.cc.u32 %0, %1, %1;" : "=r"(r) : "r"(o[0]) : "cc"); o[0] = r;
            asm volatile("membar.gl;" ::: "cc", "memory");
        }""")
    assert '"cc"' not in translation.user_source and ': "memory"' in translation.user_source
    compile_for_cuda(translation, "sm_90", flags(parse_options(""), compiler.version), compiler)
