"""What a read of an image costs on CUDA: one texture instruction and hardly anything beside it."""

from __future__ import annotations

import re

import pytest

from cl2cuda.translator import parse_options, translate

nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
try:
    nvrtc.getVersion()
except RuntimeError as e:
    pytest.skip(f"NVRTC cannot be loaded: {e}", allow_module_level=True)

KERNEL = """
constant sampler_t s = {sampler};
kernel void f(read_only {image} a, global {result} *r) {{
    int x = get_global_id(0), y = get_global_id(1);
    r[y * 4096 + x] = {read};
}}"""
BARE = """extern "C" __global__ void f(unsigned long long t, float4 *r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float4 c;
    asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w) : "l"(t), "f"(x + 0.5f), "f"(y + 0.5f));
    r[y * 4096 + x] = c;
}"""
EDGE, BORDER = "CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST", "CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST"
FILTERED = "CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR"


def instructions(source: str) -> list[str]:
    program = nvrtc.createProgram(source, "unit.cu", (), ())
    nvrtc.compileProgram(program, ("--minimal", "--std=c++20", "-arch=compute_90", "--prec-div=false", "-w"))
    text = nvrtc.getPTX(program).decode()
    nvrtc.destroyProgram(program)
    body = text[text.index("ld.param") :]
    return re.findall(r"^\s+(?:@\S+\s+)?([a-z]\w*(?:\.\w+)*)[^\n]*;", body, re.MULTILINE)


@pytest.mark.parametrize(
    ("image", "sampler", "read"),
    [
        ("image2d_t", EDGE, "read_imagef(a, (int2)(x, y))"),
        ("image2d_t", BORDER, "read_imagef(a, s, (int2)(x, y))"),
        ("image2d_t", EDGE, "read_imagef(a, s, (float2)(x, y))"),
        ("image2d_t", FILTERED, "read_imagef(a, s, (float2)(x, y))"),
        ("image1d_t", FILTERED, "read_imagef(a, s, (float)x)"),
        ("image3d_t", FILTERED, "read_imagef(a, s, (float4)(x, y, 1, 0))"),
    ],
)
def test_a_read_is_one_texture_instruction(image: str, sampler: str, read: str) -> None:
    source = translate(KERNEL.format(image=image, sampler=sampler, read=read, result="float4"), parse_options("")).source("cuda")
    found = instructions(source)
    assert sum(name.startswith("tex.") for name in found) == 1
    assert not [name for name in found if name.startswith(("call", "suld"))]


def test_a_read_takes_little_more_than_a_bare_texture() -> None:
    """A few selects, by what is known before the texture answers: the order of the channels."""
    source = KERNEL.format(image="image2d_t", sampler=FILTERED, read="read_imagef(a, s, (float2)(x + 0.5f, y + 0.5f))", result="float4")
    ours, bare = (instructions(text) for text in (translate(source, parse_options("")).source("cuda"), BARE))
    assert len(ours) <= len(bare) + 12, (ours, bare)
    assert not [name for name in ours if name.startswith("bra")]
