"""Programs with images on each real device against the model of chapter 8, with images made by hand: on a GPU by the hardware's
textures and surfaces, whose filters have weights of 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import image_model as model
from support.image_kernels import elements_of, make, run
from support.image_model import CLAMP, FORMATS, LINEAR, NEAREST, NONE, NORMALIZED, Format
from support.image_samples import COLOR_IMAGES, COORDS, SHAPE, STATES, colors_to_write

from cl2cuda.builtins.extensions import EXTENSIONS
from cl2cuda.runtime.devices.device import Device

# 8.3.5: "converted back to an sRGB value without rounding [...] within 0.5 ulp of the original sRGB value", which hardware makes
# full use of: half a step of 255, where the curve is steepest.
SRGB_TOLERANCE = 0.5 / 255 * 2.4 / 1.055 + 2**-7
RESULTS = {"f": "float4", "i": "int4", "ui": "uint4"}
SOME = [Format("RGBA", "UNORM_INT8"), Format("R", "FLOAT"), Format("BGRA", "SIGNED_INT8"), Format("RA", "UNSIGNED_INT32")]


def vector(element: str, type_: str) -> str:
    return element + str(COORDS[type_]) * (COORDS[type_] > 1)


def read(device: Device, type_: str, access: str, format: Format, image: Any, coords: np.ndarray, sampler: int | None) -> np.ndarray:
    result = RESULTS[format.kind] if "depth" not in type_ else "float"
    coord = vector("float" if coords.dtype == np.float32 else "int", type_)
    declared, passed = ("", "") if sampler is None else (" sampler_t s,", "s, ")
    source = (
        f"kernel void f({access} {type_} image,{declared} global {coord} *coords, global {result} *r) {{ size_t i = get_global_id(0);\n"
        f"    r[i] = read_image{format.kind}(image, {passed}coords[i]); }}\n"
    )
    dtype = {"f": np.float32, "i": np.int32, "ui": np.uint32}[format.kind]
    found = np.zeros((len(coords), 4) if result != "float" else (len(coords), 1), dtype)
    run(device, source, len(coords), image, *([] if sampler is None else [sampler]), np.ascontiguousarray(coords), found)
    return found.astype(float)


def within_elements(
    type_: str, sampler: int, rng: np.random.Generator, count: int = 120
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Coordinates off the edges of elements, where hardware's rounding would choose, and off those of the layers."""
    layered = "array" in type_
    shape = SHAPE[type_]
    sizes = shape[:0:-1] if layered else shape[::-1]
    plain = np.stack([rng.integers(-2 * n, 3 * n, count) + rng.uniform(0.1, 0.9, count) for n in sizes], -1)
    plain = (plain / (np.array(sizes) if sampler & NORMALIZED else 1)).astype(np.float32)
    layers = (rng.integers(-1, shape[0] + 1, count) + rng.uniform(-0.4, 0.4, count)).astype(np.float32) if layered else None
    parts = [plain, layers[:, None]] if layers is not None else [plain]
    return np.concatenate([*parts, np.full((count, 4), 9)], -1)[:, : COORDS[type_]].astype(np.float32), plain, layers


def check(got: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    expected = expected[:, : got.shape[1]]
    error = np.abs(got - expected).max(1)
    assert error.max() <= tolerance, (got[error.argmax()], expected[error.argmax()], f"{(error > tolerance).sum()} of {len(error)}")


def tolerance_of(device: Device, format: Format, sampler: int, expected: np.ndarray, axes: int) -> float:
    if format.kind != "f":
        return 0
    if format.is_srgb and device.driver_name == "cuda":
        return SRGB_TOLERANCE
    scale = max(float(np.abs(expected).max()), 1.0)
    # Weights of 8 bits, of coordinates that were rounded before, between neighbours that may differ by twice the scale.
    return scale * (2e-6 if device.driver_name == "host" or not sampler & LINEAR else 2**-7 * axes * 1.5)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(9)


def sampling_source(type_: str, kind: str, states: list[int], constant: bool) -> str:
    """A kernel that reads an image with each sampler at coordinates of its own: arguments, or constants of the program."""
    names = [f"s{i}" for i in range(len(states))]
    declared = "".join(f"constant sampler_t {name} = {state};\n" for name, state in zip(names, states, strict=True)) if constant else ""
    arguments = "" if constant else "".join(f"sampler_t {name}, " for name in names)
    result = RESULTS[kind] if "depth" not in type_ else "float"
    reads = "".join(f"    r[i + {k} * n] = read_image{kind}(image, {name}, coords[i + {k} * n]);\n" for k, name in enumerate(names))
    return (
        f"{declared}kernel void f(read_only {type_} image, {arguments}global {vector('float', type_)} *coords, global {result} *r) {{\n"
        f"    size_t i = get_global_id(0), n = get_global_size(0);\n{reads}}}\n"
    )


def read_all(device: Device, type_: str, format: Format, image: Any, states: list[int], coords: list[np.ndarray], constant: bool) -> np.ndarray:
    """(states, coordinates, components)."""
    count = len(coords[0])
    width = 4 if "depth" not in type_ else 1
    found = np.zeros((len(states), count, width), {"f": np.float32, "i": np.int32, "ui": np.uint32}[format.kind])
    samplers = [] if constant else states
    source = sampling_source(type_, format.kind, states, constant)
    run(device, source, count, image, *samplers, np.ascontiguousarray(np.stack(coords)), found)
    return found.astype(float)


def states_for(format: Format) -> list[int]:
    """Without CLK_ADDRESS_NONE for the orders whose border has another alpha than what is fetched outside."""
    states = [state for state in STATES if format.kind == "f" or not state & LINEAR]
    return [state for state in states if state != NONE | NEAREST] if format.order.endswith("x") else states


def try_samplers(device: Device, type_: str, format: Format, rng: np.random.Generator, constant: bool = False) -> None:
    elements = model.random_elements(format, SHAPE[type_], rng)
    image, states = make(device, type_, format, elements), states_for(format)
    points = [within_elements(type_, sampler, rng) for sampler in states]
    found = read_all(device, type_, format, image, states, [taken for taken, _, _ in points], constant)
    for sampler, (_, plain, layers), got in zip(states, points, found, strict=True):
        expected = model.sample(elements, format, sampler, plain, layers)
        try:
            check(got, expected, tolerance_of(device, format, sampler, expected, plain.shape[1]))
        except AssertionError as e:
            raise AssertionError(f"{type_} sampler {sampler:#x}: {e}") from None
    if device.driver_name == "cuda":
        image.close()


SAMPLED_TYPES = [t for t in SHAPE if "buffer" not in t and "depth" not in t]


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_every_format_of_every_dimension_with_every_sampler(real_device: Device, format: Format, rng: np.random.Generator) -> None:
    for type_ in SAMPLED_TYPES:
        try_samplers(real_device, type_, format, rng)


@pytest.mark.parametrize("type_", SAMPLED_TYPES)
def test_samplers_in_the_program(real_device: Device, type_: str, rng: np.random.Generator) -> None:
    """What is known of a sampler when a program is built makes the same of it."""
    for format in (Format("RGBA", "UNORM_INT8"), Format("R", "SIGNED_INT16"), Format("RG", "UNORM_INT16")):
        try_samplers(real_device, type_, format, rng, constant=True)


@pytest.mark.parametrize("type_", ["image2d_depth_t", "image2d_array_depth_t"])
def test_depth(real_device: Device, type_: str, rng: np.random.Generator) -> None:
    for data_type in ("FLOAT", "UNORM_INT16"):
        try_samplers(real_device, type_, Format("DEPTH", data_type), rng)
        try_samplers(real_device, type_, Format("DEPTH", data_type), rng, constant=True)


@pytest.mark.parametrize("type_", SAMPLED_TYPES)
def test_images_of_one_element(real_device: Device, type_: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHAPE, type_, (1,) * len(SHAPE[type_]))
    for format in (Format("RGBA", "FLOAT"), Format("BGRA", "UNORM_INT8"), Format("RGB", "UNORM_SHORT_565")):
        try_samplers(real_device, type_, format, rng)


@pytest.mark.parametrize("type_", SAMPLED_TYPES)
def test_coordinates_that_are_no_numbers_do_no_harm(real_device: Device, type_: str, rng: np.random.Generator) -> None:
    """8.2: "If values in (u, v, w) are INF or NaN, the behavior of read_image{f|i|ui} is undefined": but it ends."""
    wild = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 2.0**31, -(2.0**31), 1e-40, -0.0], np.float32)
    coords = rng.choice(wild, (100, COORDS[type_]))
    for format in (Format("RGBA", "FLOAT"), Format("RGB", "UNORM_SHORT_565")):
        image = make(real_device, type_, format, model.random_elements(format, SHAPE[type_], rng))
        read_all(real_device, type_, format, image, states_for(format), [coords] * len(states_for(format)), constant=False)


def test_unnormalized_nearest_is_exact(real_device: Device, rng: np.random.Generator) -> None:
    """8.2: "the location of the image element [...] will be computed without any loss of precision"."""
    format = Format("R", "FLOAT")
    elements = model.random_elements(format, SHAPE["image2d_t"], rng)
    below = [np.nextafter(np.float32(k), np.float32(-9)) for k in range(-1, 8)]
    coords = np.array([(x, y) for x in (*below, *range(-1, 8)) for y in (*below, *range(-1, 8))], np.float32)
    expected = model.sample(elements, format, CLAMP | NEAREST, coords)
    image = make(real_device, "image2d_t", format, elements)
    check(read(real_device, "image2d_t", "read_only", format, image, coords, CLAMP | NEAREST), expected, 0)


def places(type_: str, rng: np.random.Generator, beyond: int, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Integer coordinates as the functions take them, and as (plane, row, element)."""
    shape = SHAPE[type_]
    where = np.stack([rng.integers(-beyond, n + beyond, count) for n in shape], -1)
    taken = np.concatenate([where[:, ::-1], np.full((count, 4), 9)], -1)[:, : COORDS[type_]].astype(np.int32)
    if type_ == "image1d_array_t":
        return np.ascontiguousarray(taken), where[:, [0, 0, 1]] * [1, 0, 1]
    full = np.concatenate([np.zeros((count, 3 - len(shape)), int), where], -1)
    return np.ascontiguousarray(taken), full


@pytest.mark.parametrize("type_", SAMPLED_TYPES)
def test_integer_coordinates_with_a_sampler(real_device: Device, type_: str, rng: np.random.Generator) -> None:
    """Outside of the image too, by far."""
    shape, layered = SHAPE[type_], "array" in type_
    for format in (Format("RGBA", "UNORM_INT8"), Format("R", "FLOAT"), Format("RA", "UNSIGNED_INT32"), Format("RG", "SIGNED_INT8")):
        elements = model.random_elements(format, shape, rng)
        image = make(real_device, type_, format, elements)
        where = np.stack([rng.integers(-3, n + 3, 150) for n in shape], -1)
        where = np.where(rng.random(where.shape) < 0.1, rng.choice([-(2**31), 2**31 - 1, 1 << 16, -(1 << 20)], where.shape), where)
        taken = np.concatenate([where[:, ::-1], np.full((150, 4), 9)], -1)[:, : COORDS[type_]].astype(np.int32)
        plain, layers = where[:, layered:][:, ::-1], where[:, 0] if layered else None
        for mode in (NONE, model.CLAMP_TO_EDGE, CLAMP):
            expected = model.sample(elements, format, mode | NEAREST, plain + 0.5, layers)
            got = read(real_device, type_, "read_only", format, image, np.ascontiguousarray(taken), mode | NEAREST)
            check(got, expected, 2e-6 if format.kind == "f" else 0)


@pytest.mark.parametrize("format", SOME, ids=str)
@pytest.mark.parametrize("access", ["read_only", "read_write"])
@pytest.mark.parametrize("type_", COLOR_IMAGES)
def test_reads_without_a_sampler(real_device: Device, type_: str, access: str, format: Format, rng: np.random.Generator) -> None:
    if real_device.driver_name == "host":
        pytest.skip("test_builtins_images has it")
    elements = model.random_elements(format, SHAPE[type_], rng)
    taken, where = places(type_, rng, 0)
    image = make(real_device, type_, format, elements)
    expected = model.colors(image.host.elements, format)[tuple(where.T)]
    check(read(real_device, type_, access, format, image, taken, None), expected, 2e-6)
    if access == "read_only" and "buffer" not in type_:
        check(read(real_device, type_, access, format, image, taken, CLAMP | NEAREST), expected, 2e-6)


def write(device: Device, type_: str, access: str, format: Format, image: Any, coords: np.ndarray, color: np.ndarray) -> None:
    source = (
        f"kernel void f({access} {type_} image, global {vector('int', type_)} *coords, global {RESULTS[format.kind]} *color) {{\n"
        f"    size_t i = get_global_id(0); write_image{format.kind}(image, coords[i], color[i]); }}\n"
    )
    run(device, source, len(coords), image, np.ascontiguousarray(coords), color)


def same_elements(got: np.ndarray, expected: np.ndarray, format: Format) -> None:
    seen = [i for i, c in enumerate(format.channels) if c != "x"] if format.type not in model.PACKED else [0]
    if format.is_srgb:
        assert np.abs(got - expected)[..., seen].max() <= 0.6
    else:
        np.testing.assert_array_equal(got[..., seen], expected[..., seen])


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_every_format_is_written_and_read_back(real_device: Device, format: Format, rng: np.random.Generator) -> None:
    image = make(real_device, "image2d_t", format, np.zeros((5, 7, *format.element.shape), format.element.base))
    y, x = np.indices((5, 7)).reshape(2, -1)
    coords, color = np.stack([x, y], -1).astype(np.int32), colors_to_write(format, (35,), rng)
    write(real_device, "image2d_t", "read_write", format, image, coords, color)
    got = elements_of(image)[0].reshape(35, -1)
    same_elements(got, model.elements_of(color, format), format)
    check(read(real_device, "image2d_t", "read_write", format, image, coords, None), model.colors(got, format), 2e-6 * 4)


@pytest.mark.parametrize("format", SOME, ids=str)
@pytest.mark.parametrize("type_", COLOR_IMAGES)
def test_every_dimension_is_written(real_device: Device, type_: str, format: Format, rng: np.random.Generator) -> None:
    """And outside of the image nothing is."""
    if real_device.driver_name == "host":
        pytest.skip("test_builtins_images has it")
    image = make(real_device, type_, format, np.zeros((*SHAPE[type_], *format.element.shape), format.element.base))
    taken, where = places(type_, rng, 2, count=80)
    taken, first = np.unique(taken, axis=0, return_index=True)
    where, color = where[first], colors_to_write(format, (len(first),), rng)
    write(real_device, type_, "write_only", format, image, taken, color)
    expected = np.zeros_like(image.host.elements)
    inside = ((where >= 0) & (where < expected.shape[:3])).all(1)
    expected[tuple(where[inside].T)] = model.elements_of(color, format)[inside]
    same_elements(image.read(), expected, format)


def test_samplers_in_kernels_and_calls(real_device: Device, rng: np.random.Generator) -> None:
    """Samplers in the program's text: at program scope, in the kernel, in the call; handed to a function."""
    format = Format("RGBA", "FLOAT")
    elements = model.random_elements(format, SHAPE["image2d_t"], rng)
    taken, plain, _ = within_elements("image2d_t", NORMALIZED, rng)
    modes = (model.REPEAT, model.MIRRORED_REPEAT, CLAMP, model.CLAMP_TO_EDGE)
    expected = [model.sample(elements, format, NORMALIZED | mode | NEAREST, plain) for mode in modes]
    source = """
    const sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
    float4 look(read_only image2d_t image, sampler_t s, float2 place) { return read_imagef(image, s, place); }
    kernel void f(read_only image2d_t image, global float2 *coords, global float4 *r) {
        const sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
        size_t i = get_global_id(0), n = get_global_size(0);
        r[i] = look(image, repeat, coords[i]);
        r[i + n] = read_imagef(image, mirrored, coords[i]);
        r[i + 2 * n] = read_imagef(image, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, coords[i]);
        r[i + 3 * n] = look(image, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST, coords[i]);
    }
    """
    found = np.zeros((4 * len(taken), 4), np.float32)
    run(real_device, source, len(taken), make(real_device, "image2d_t", format, elements), taken, found)
    check(found, np.concatenate(expected), 0)


@pytest.mark.parametrize("type_", SHAPE)
def test_queries(real_device: Device, type_: str) -> None:
    """6.15.15.5, on images of every access."""
    format = Format("DEPTH" if "depth" in type_ else "ABGR", "FLOAT" if "depth" in type_ else "UNORM_INT8")
    expected = {"width": 7, "channel_order": format.codes[0], "channel_data_type": format.codes[1]}
    expected |= {"height": 5} if "1d" not in type_ else {}
    expected |= {"depth": 3} if "3d" in type_ else {}
    expected |= {"array_size": 4} if "array" in type_ else {}
    calls = "".join(f"*r++ = get_image_{name}(a); *r++ = get_image_{name}(b); *r++ = get_image_{name}(c);\n" for name in expected)
    if "1d" not in type_:
        calls += "r[0] = get_image_dim(a).x; r[1] = get_image_dim(b).y;\n"
        calls += "r[2] = get_image_dim(c).z; r[3] = get_image_dim(c).w;\n" if "3d" in type_ else ""
    source = f"kernel void f(read_only {type_} a, write_only {type_} b, read_write {type_} c, global int *r) {{\n{calls}}}\n"
    image = make(real_device, type_, format, np.zeros((*SHAPE[type_], *format.element.shape), format.element.base))
    found = np.zeros(3 * len(expected) + 4, np.int32)
    run(real_device, source, 1, image, image, image, found)
    assert found[:-4].tolist() == [value for value in expected.values() for _ in range(3)]
    assert found[-4:].tolist() == ([7, 5] if "1d" not in type_ else [0, 0]) + ([3, 0] if "3d" in type_ else [0, 0])


def test_halves(real_device: Device, rng: np.random.Generator) -> None:
    """8.3.1.2, 8.3.2: read_imageh and write_imageh, where cl_khr_fp16 is offered."""
    if not EXTENSIONS["cl_khr_fp16"].offered:
        pytest.skip("cl_khr_fp16 is not offered yet")
    for format in (Format("RGBA", "HALF_FLOAT"), Format("RGBA", "UNORM_INT8"), Format("BGRA", "SNORM_INT8")):
        elements = model.random_elements(format, SHAPE["image2d_t"], rng)
        source, target = (make(real_device, "image2d_t", format, each) for each in (elements, np.zeros_like(elements)))
        text = f"""#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        kernel void f(read_only image2d_t a, write_only image2d_t b, global half4 *r) {{ size_t i = get_global_id(0); int2 p = (int2)(i % 7, i / 7);
            r[i] = read_imageh(a, p); write_imageh(b, p, read_imageh(a, s, convert_float2(p) + 0.5f)); }} // {format}"""
        found = np.zeros((35, 4), np.float16)
        run(real_device, text, 35, source, target, found)
        expected = model.colors(elements, format).reshape(35, 4)
        np.testing.assert_allclose(found.astype(float), expected, rtol=1.5 * 2**-10, atol=2**-12)
        stored = elements_of(target)[0].reshape(35, 4)
        if format.type == "HALF_FLOAT":
            np.testing.assert_array_equal(stored, elements.reshape(35, 4))
        else:
            np.testing.assert_array_equal(stored, model.elements_of(found.astype(float), format))
