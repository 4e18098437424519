"""Which samplers kernels are known to read images with (ir/samplers.py), and the states of textures that those take."""

import pytest

from cl2cuda.runtime.driver.image_argument import ALL_STATES, TEXTURE_STATES, TextureState, states_of
from cl2cuda.translator import translate

PROGRAM = """
constant sampler_t first = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t other = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
float4 helper(read_only image2d_t i, sampler_t s) { return read_imagef(i, s, (float2)(0)); }
float4 by_itself(read_only image2d_t i) { return read_imagef(i, other, (float2)(0)); }
kernel void k(read_only image2d_t i, global float4 *o%s) { %s }
"""


@pytest.mark.parametrize(("parameter", "body", "samplers"), [
    ("", "o[0] = read_imagef(i, (int2)(0));", ()),
    ("", "o[0] = read_imagef(i, first, (int2)(0));", (20,)),
    ("", "o[0] = read_imagef(i, first, (int2)(0)) + read_imagef(i, first, (float2)(0));", (20,)),
    ("", "const sampler_t own = CLK_ADDRESS_NONE | CLK_FILTER_LINEAR; o[0] = read_imagef(i, own, (float2)(0));", (32,)),
    ("", "o[0] = read_imagef(i, CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_NEAREST, (float2)(0));", (17,)),
    ("", "o[0] = helper(i, first) + helper(i, other);", (20, 39)),
    ("", "o[0] = by_itself(i);", (39,)),
    ("", "o[0] = 1;", ()),
    (", sampler_t s", "o[0] = read_imagef(i, first, (int2)(0));", None),
    (", sampler_t s", "o[0] = helper(i, s);", None),
])
def test_samplers_of_a_kernel(parameter, body, samplers):
    kernel = translate(PROGRAM % (parameter, body)).kernels[0]
    assert kernel.samplers == samplers and type(kernel).from_json(kernel.to_json()) == kernel


def test_kernels_without_images_are_not_looked_through():
    assert translate("kernel void k(global int *o) { o[0] = 1; }").kernels[0].samplers is None


@pytest.mark.parametrize(("samplers", "states"), [
    ((), []),
    ((20,), [TextureState(True, "clamp", False)]),
    ((16,), []),
    ((32,), [TextureState(False, "clamp_to_edge", True)]),
    ((36,), [TextureState(True, "clamp", False), TextureState(False, "clamp", True)]),
    ((39,), [TextureState(True, "repeat", False), TextureState(True, "repeat", True)]),
    ((41, 25), [TextureState(True, "mirrored_repeat", False), TextureState(True, "mirrored_repeat", True)]),
])
def test_states_of_samplers(samplers, states):
    """The first state is that of reads without a sampler; where there is a linear one, integers have the nearest one's."""
    wanted = {TEXTURE_STATES[0], *states}
    assert {state for number, state in enumerate(TEXTURE_STATES) if states_of(samplers) >> number & 1} == wanted


def test_unknown_samplers_have_any_state():
    assert states_of(None) == ALL_STATES
