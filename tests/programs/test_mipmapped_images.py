"""Mipmapped images in kernels (cl_khr_mipmap_image), on every real device against the model of chapter 8: levels of detail given and
computed from gradients, filters in and between levels, limits of the sampler; and what hardware has no texture for."""

from __future__ import annotations

import numpy as np
import pytest
from support import image_model as model
from support.image_model import CLAMP, CLAMP_TO_EDGE, LINEAR, MIRRORED_REPEAT, NEAREST, NORMALIZED, REPEAT, Format
from support.image_objects import ADDRESS, IMAGE1D, IMAGE1D_ARRAY, IMAGE2D, IMAGE2D_ARRAY, IMAGE3D, NAMES, Images

from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.sampler import Sampler
from cl2cuda.runtime.spec import codes

# Powers of two, so that no coordinate within an element of the first level is on the edge of another level's.
SHAPES = {IMAGE1D: (16,), IMAGE1D_ARRAY: (3, 16), IMAGE2D: (8, 16), IMAGE2D_ARRAY: (3, 8, 16), IMAGE3D: (4, 8, 16)}
COORDINATES = {IMAGE1D: 1, IMAGE1D_ARRAY: 2, IMAGE2D: 2, IMAGE2D_ARRAY: 4, IMAGE3D: 4}
GRADIENTS = {IMAGE1D: 1, IMAGE1D_ARRAY: 1, IMAGE2D: 2, IMAGE2D_ARRAY: 2, IMAGE3D: 4}
RESULTS = {"f": ("float4", np.float32), "i": ("int4", np.int32)}
LEVELS = 4


def vector(width: int) -> str:
    return "float" + str(width) * (width > 1)



def kernel(images: Images, image_type: int, kind: str) -> Kernel:
    """Reads at each coordinate twice: at a level, and at that of gradients."""
    result, coord, gradient = RESULTS[kind][0], vector(COORDINATES[image_type]), vector(GRADIENTS[image_type])
    return images.kernel(f"""kernel void f(read_only {NAMES[image_type]} a, sampler_t s, global {coord} *at, global float *lod,
        global {gradient} *x, global {gradient} *y, global {result} *r) {{
        size_t i = get_global_id(0);
        r[i] = read_image{kind}(a, s, at[i], lod[i]);
        r[i + get_global_size(0)] = read_image{kind}(a, s, at[i], x[i], y[i]); }}""")


def filled(images: Images, image_type: int, format: Format) -> tuple[Image, list[np.ndarray]]:
    shape, layered = SHAPES[image_type], image_type in (IMAGE1D_ARRAY, IMAGE2D_ARRAY)
    image = images.create(image_type, format, shape, flags=codes.MEM_READ_ONLY, num_mip_levels=LEVELS)
    levels = []
    for level in range(LEVELS):
        size = shape[:layered] + tuple(max(1, n >> level) for n in shape[layered:])
        levels.append(images.random(format, size))
        origin = [0, 0, 0, 0]
        origin[len(shape)] = level
        images.write(image, levels[-1], tuple(origin))
    return image, levels


def places(image_type: int, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Coordinates as the functions and as the model take them, and the images of an array."""
    layered = image_type in (IMAGE1D_ARRAY, IMAGE2D_ARRAY)
    sizes = np.array(SHAPES[image_type][layered:][::-1])
    plain = np.stack([rng.integers(-n, 2 * n, count) + rng.uniform(0.15, 0.85, count) for n in sizes], -1) / sizes
    layers = (rng.integers(-1, 4, count) + rng.uniform(-0.4, 0.4, count)) if layered else None
    taken = np.column_stack([plain, *([layers] if layers is not None else []), np.full((count, 4), 9)])
    return taken[:, : COORDINATES[image_type]].astype(np.float32), plain.astype(np.float32), layers


def gradients(image_type: int, lods: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The longer one is 2 to the power of the level elements long."""
    layered = image_type in (IMAGE1D_ARRAY, IMAGE2D_ARRAY)
    sizes = np.array(SHAPES[image_type][layered:][::-1])
    steps = rng.normal(size=(2, len(lods), len(sizes)))
    steps *= (np.exp2(lods.astype(float)) * np.array([[1], [0.8]]) / np.linalg.norm(steps, axis=-1))[..., None]
    padded = np.zeros((2, len(lods), GRADIENTS[image_type]), np.float32)
    padded[..., : len(sizes)] = steps / sizes
    return padded[0], padded[1]


def sampler_of(images: Images, mode: int, filter: int, between: bool, limits: tuple[float, float] | None) -> Sampler:
    linear = {True: codes.FILTER_LINEAR, False: codes.FILTER_NEAREST}
    properties = [codes.SAMPLER_ADDRESSING_MODE, ADDRESS[mode], codes.SAMPLER_FILTER_MODE, linear[filter == LINEAR],
                  codes.SAMPLER_MIP_FILTER_MODE, linear[between]]  # fmt: skip
    for name, limit in zip((codes.SAMPLER_LOD_MIN, codes.SAMPLER_LOD_MAX), limits or (), strict=False):
        properties += [name, int(np.float32(limit).view(np.uint32))]
    return Sampler(images.context, properties)


FORMATS = [Format("RGBA", "FLOAT"), Format("BGRA", "UNORM_INT8"), Format("RA", "UNORM_INT16"), Format("RGB", "UNORM_SHORT_565")]
STATES = [(CLAMP_TO_EDGE, NEAREST, False, None), (CLAMP, LINEAR, True, None), (REPEAT, LINEAR, False, None), (CLAMP, NEAREST, True, None),
          (MIRRORED_REPEAT, LINEAR, True, (0.75, 2.25)), (CLAMP, LINEAR, False, (1.0, 9.0))]  # fmt: skip


def try_format(images: Images, program: Kernel, image_type: int, format: Format) -> None:
    count, rng = 150, images.rng
    image, levels = filled(images, image_type, format)
    for mode, filter, between, limits in STATES:
        if format.kind != "f" and (filter == LINEAR or between):
            continue
        taken, plain, layers = places(image_type, rng, count)
        # Not where the nearest level is a matter of the last bits.
        lods = (rng.integers(-1, 5, count) + rng.uniform(-0.45, 0.45, count)).astype(np.float32)
        found = np.zeros((2, count, 4), RESULTS[format.kind][1])
        images.run(program, (count,), image, sampler_of(images, mode, filter, between, limits), taken, lods,
                   *gradients(image_type, lods, rng), found)  # fmt: skip
        expected = model.sample_levels(levels, format, NORMALIZED | mode | filter, plain, np.clip(lods, *(limits or (-9, 9))), between, layers)
        scale = max(float(np.abs(expected).max()), 1.0)
        # Weights of 8 bits along each axis and between levels.
        weights = (plain.shape[1] if filter == LINEAR else 0) + between
        tolerance = scale * (2**-7 * weights + 4e-6) if format.kind == "f" else 0
        for got, by in zip(found, ("level", "gradients"), strict=True):
            np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance, err_msg=f"{format} by {by}, {mode} {filter} {between} {limits}")


@pytest.mark.parametrize("image_type", SHAPES, ids=NAMES.get)
def test_levels_and_gradients(real_device: Device, image_type: int) -> None:
    images = Images(real_device)
    program = kernel(images, image_type, "f")
    for format in FORMATS:
        try_format(images, program, image_type, format)


def test_integers_take_the_nearest_level(real_device: Device) -> None:
    images = Images(real_device)
    try_format(images, kernel(images, IMAGE2D_ARRAY, "i"), IMAGE2D_ARRAY, Format("RGBA", "SIGNED_INT16"))


def test_without_a_level_the_first_one_is_read(real_device: Device) -> None:
    """6.15.15.2: "read from mip level 0 if image is a mipmapped image": with and without a sampler, and of every size."""
    images = Images(real_device)
    format = Format("RGBA", "FLOAT")
    image, levels = filled(images, IMAGE2D, format)
    program = images.kernel("""kernel void f(read_only image2d_t a, sampler_t s, sampler_t t, global float2 *at, global float4 *r) {
        size_t i = get_global_id(0), n = get_global_size(0); float2 u = at[i] * convert_float2(get_image_dim(a));
        r[i] = read_imagef(a, s, at[i]); r[i + n] = read_imagef(a, t, u); r[i + 2 * n] = read_imagef(a, convert_int2(u)); }""")
    taken, plain, _ = places(IMAGE2D, images.rng, 100)
    taken, plain = np.clip(taken, 0.01, 0.99), np.clip(plain, 0.01, 0.99)
    found = np.zeros((3, 100, 4), np.float32)
    samplers = [sampler_of(images, CLAMP_TO_EDGE, NEAREST, True, None), Sampler(images.context, (codes.SAMPLER_NORMALIZED_COORDS, 0))]
    images.run(program, (100,), image, *samplers, taken, found)
    expected = model.sample(levels[0], format, NORMALIZED | CLAMP_TO_EDGE | NEAREST, plain)
    for got in found:
        np.testing.assert_array_equal(got, expected.astype(np.float32))
