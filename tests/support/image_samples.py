"""Images and coordinates to try the image functions with: an image in memory and its argument, as image.cuh lays it out."""

from __future__ import annotations

import ctypes

import numpy as np
from support.image_model import CLAMP, CLAMP_TO_EDGE, LINEAR, MIRRORED_REPEAT, NEAREST, NONE, NORMALIZED, REPEAT, Format

COORDS = {"image1d_t": 1, "image1d_buffer_t": 1, "image1d_array_t": 2, "image2d_t": 2, "image2d_array_t": 4, "image3d_t": 4,
          "image2d_depth_t": 2, "image2d_array_depth_t": 4}  # fmt: skip
SHAPE = {"image1d_t": (7,), "image1d_buffer_t": (7,), "image1d_array_t": (4, 7), "image2d_t": (5, 7), "image2d_array_t": (4, 5, 7),
         "image3d_t": (3, 5, 7), "image2d_depth_t": (5, 7), "image2d_array_depth_t": (4, 5, 7)}  # fmt: skip
STATES = [
    *(NORMALIZED | mode | filter for mode in (NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT) for filter in (NEAREST, LINEAR)),
    *(mode | filter for mode in (NONE, CLAMP_TO_EDGE, CLAMP) for filter in (NEAREST, LINEAR)),
]


class Argument(ctypes.Structure):
    """`image_argument` of image.cuh, field by field."""

    _fields_ = [
        ("textures", ctypes.c_uint64 * 10), ("surface", ctypes.c_uint64), ("data", ctypes.c_uint64), ("row_pitch", ctypes.c_uint64),
        ("slice_pitch", ctypes.c_uint64), ("width", ctypes.c_int), ("height", ctypes.c_int), ("depth", ctypes.c_int),
        ("array_size", ctypes.c_int), ("channel_order", ctypes.c_int), ("channel_data_type", ctypes.c_int),
        ("element_size", ctypes.c_int), ("mip_levels", ctypes.c_int), ("levels", ctypes.c_uint64),
    ]  # fmt: skip


class Image:
    """An image in memory, its rows and planes padded; `elements` is a view of (planes, rows, elements, channels)."""

    def __init__(self, type_: str, format: Format, elements: np.ndarray):
        layered = "array" in type_
        shape = elements.shape[:-1]
        width = shape[-1]
        height = shape[-2] if len(shape) - layered > 1 else 1
        planes = shape[0] if layered or type_ == "image3d_t" else 1
        size = elements.dtype.itemsize * elements.shape[-1]
        self.padded = np.zeros((planes, height + 1, width + 3, elements.shape[-1]), elements.dtype)
        self.elements = self.padded[:, :height, :width]
        self.elements[...] = elements.reshape(self.elements.shape)
        order, data_type = format.codes
        self.argument = Argument(
            data=self.padded.ctypes.data, row_pitch=self.padded.strides[1], slice_pitch=self.padded.strides[0], width=width, height=height,
            depth=1 if layered else planes, array_size=planes if layered else 1, channel_order=order, channel_data_type=data_type,
            element_size=size, mip_levels=1,
        )  # fmt: skip


class Levels:
    """A mipmapped image in memory: each level half the one before."""

    def __init__(self, type_: str, format: Format, levels: list[np.ndarray]):
        self.images = [Image(type_, format, elements) for elements in levels]
        self.table = (Argument * len(levels))(*(image.argument for image in self.images))
        self.argument = Argument.from_buffer_copy(self.images[0].argument)
        self.argument.mip_levels, self.argument.levels = len(levels), ctypes.addressof(self.table)


def level_shapes(type_: str) -> list[tuple[int, ...]]:
    """The shapes of all levels of SHAPE's image; an array keeps its images."""
    shape, layered = SHAPE[type_], "array" in type_
    sizes, count = shape[layered:], max(shape[layered:]).bit_length()
    return [shape[:layered] + tuple(max(1, n >> level) for n in sizes) for level in range(count)]


def coordinates(type_: str, sampler: int, rng: np.random.Generator, count: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Coordinates as the functions take them, as the model takes them, and the images of an array: everywhere in and around the
    image, on the edges of elements, and at those of the image."""
    layered = "array" in type_
    shape = SHAPE[type_]
    sizes = shape[:0:-1] if layered else shape[::-1]
    spread = [1.0 if sampler & NORMALIZED else size for size in sizes]
    free = np.stack([rng.uniform(-2.5 * s, 3.5 * s, count) for s in spread], -1)
    steps = np.stack([rng.integers(-2 * n, 3 * n, count) / (n if sampler & NORMALIZED else 1) for n in sizes], -1)
    edges = np.stack([rng.choice([-1e-9, 0, s, -s, 0.5 * s, np.nextafter(np.float32(s), np.float32(0))], 40) for s in spread], -1)
    plain = np.concatenate([free, steps, edges]).astype(np.float32)
    layers = rng.uniform(-1, shape[0] + 1, len(plain)).astype(np.float32) if layered else None
    parts = [plain, layers[:, None]] if layers is not None else [plain]
    taken = np.concatenate([*parts, np.full((len(plain), 4), 9)], -1)[:, : COORDS[type_]].astype(np.float32)
    return taken, plain, layers


def integers(type_: str, rng: np.random.Generator, beyond: int, count: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """As `coordinates`: whole numbers, at most `beyond` outside of the image."""
    layered = "array" in type_
    shape = SHAPE[type_]
    sizes = shape[:0:-1] if layered else shape[::-1]
    plain = np.stack([rng.integers(-beyond, n + beyond, count) for n in sizes], -1)
    layers = rng.integers(-beyond, shape[0] + beyond, count) if layered else None
    parts = [plain, layers[:, None]] if layers is not None else [plain]
    taken = np.concatenate([*parts, np.full((count, 4), 9)], -1)[:, : COORDS[type_]].astype(np.int32)
    return taken, plain, layers


SOME = [Format("RGBA", "FLOAT"), Format("R", "UNORM_INT16"), Format("BGRA", "SIGNED_INT8"), Format("RA", "UNSIGNED_INT32")]
COLOR_IMAGES = [t for t in SHAPE if "depth" not in t]



def colors_to_write(format: Format, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Inside and outside of what the format holds."""
    if format.kind == "f":
        values = rng.uniform(-1.5, 1.5, (*shape, 4)).astype(np.float32)
        return np.where(rng.random(values.shape) < 0.1, rng.choice([0, 1, -1, 2, -2, 0.5], values.shape), values).astype(np.float32)
    dtype = np.int32 if format.kind == "i" else np.uint32
    small = rng.integers(0, 300, (*shape, 4), dtype) - (150 if format.kind == "i" else 0)
    return np.where(rng.random(small.shape) < 0.5, small, rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, small.shape, dtype))
