"""Image functions (OpenCL C 6.15.15): the host's, with images made by hand, against the model of chapter 8; and that all compile."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import image_model as model
import numpy as np
import pytest
from builtin_functions import FLAGS
from image_model import CLAMP, CLAMP_TO_EDGE, FORMATS, LINEAR, MIRRORED_REPEAT, NEAREST, NONE, NORMALIZED, REPEAT, Format
from test_builtins_compile import SECTIONS, cpp, unit

from cl2cuda.builtins.opaque import ARGUMENTS
from cl2cuda.builtins.prelude import prelude
from cl2cuda.builtins.table import Overload, names, overloads
from cl2cuda.builtins.typenames import split

DTYPES = {"int": np.int32, "uint": np.uint32, "float": np.float32, "half": np.uint16, "size_t": np.uint64}
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
        ("textures", ctypes.c_uint64 * 12), ("surface", ctypes.c_uint64), ("data", ctypes.c_uint64), ("row_pitch", ctypes.c_uint64),
        ("slice_pitch", ctypes.c_uint64), ("width", ctypes.c_int), ("height", ctypes.c_int), ("depth", ctypes.c_int),
        ("array_size", ctypes.c_int), ("channel_order", ctypes.c_int), ("channel_data_type", ctypes.c_int),
        ("element_size", ctypes.c_int), ("mip_levels", ctypes.c_int),
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


@cache
def functions() -> tuple[ctypes.CDLL, dict[Overload, int]]:
    """Every image function as one over arrays: (results, image, sampler, coordinates, colours, count)."""
    folder = Path(__import__("tempfile").mkdtemp())
    found = {o: i for i, o in enumerate(o for name in names() if "_image" in name for o in overloads(name))}
    uses: list[tuple[str, ...]] = [("fn", o.name, o.result, *o.parameters) for o in found]
    uses += [("type", word) for o in found for t in (o.result, *o.parameters) for word in cpp(t).split()]
    text = "".join(_function(i, o) for o, i in found.items())
    source = folder / "images.cpp"
    source.write_text(prelude("host", uses) + "namespace ocl {\n" + text + "}\n", encoding="utf-8")
    library = source.with_suffix(".so")
    command = ["g++", *FLAGS.split(), str(source), "-o", str(library), "-lm", "-lc"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    loaded = ctypes.CDLL(str(library))
    shutil.rmtree(folder)
    return loaded, found


def _function(number: int, o: Overload) -> str:
    image, *others = map(cpp, o.parameters)
    arguments = [f"*(const {image}*)image"]
    for type_, name in zip(others, ("coord", "color") if "sampler_t" not in others else ("sampler", "coord"), strict=False):
        arguments.append(name if name == "sampler" else f"((const {type_}*){name})[i]")
    result = "" if o.result == "void" else f"(({o.result}*)result)[i] = "
    return (
        f'extern "C" __attribute__((visibility("default"))) void call_{number}(void* result, const void* image, sampler_t sampler, '
        f"const void* coord, const void* color, long n) {{\n    for (long i = 0; i < n; i++) {result}{o.name}({', '.join(arguments)});\n}}\n"
    )


def call(name: str, parameters: tuple[str, ...], image: Image, coords: np.ndarray | None = None, color: np.ndarray | None = None,
         sampler: int = 0) -> np.ndarray:  # fmt: skip
    library, found = functions()
    o = next(o for o in found if o.name == name and o.parameters == parameters)
    count = 1 if coords is None else len(coords)
    element, width = split("int" if o.result == "void" else o.result)
    result = np.zeros((count, width), DTYPES[element])
    address = [None if a is None else np.ascontiguousarray(a) for a in (coords, color)]
    pointers = [None if a is None else ctypes.c_void_p(a.ctypes.data) for a in address]
    function = getattr(library, f"call_{found[o]}")
    function(ctypes.c_void_p(result.ctypes.data), ctypes.byref(image.argument), ctypes.c_uint(sampler), *pointers, ctypes.c_long(count))
    return result


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


def read(type_: str, format: Format, image: Image, sampler: int, coords: np.ndarray) -> np.ndarray:
    result = {"f": "float4", "i": "int4", "ui": "uint4"}[format.kind]
    coord = ("float" if coords.dtype == np.float32 else "int") + str(COORDS[type_]) * (COORDS[type_] > 1)
    found = call(f"read_image{format.kind}", (f"read_only {type_}", "sampler_t", coord), image, coords, sampler=sampler)
    assert split(result)[1] == found.shape[1] or "depth" in type_
    return found.astype(float)


def close(got: np.ndarray, expected: np.ndarray, exact: bool) -> None:
    """1.5 ulp of what is converted (8.3.1.1); a filter sums up to eight of them."""
    error = np.abs(got - expected) / np.maximum(np.abs(expected).max(), 1)
    assert error.max() <= (0 if exact else 2e-6), (got[error.max(1).argmax()], expected[error.max(1).argmax()])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(8)


needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


@needs_compiler
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_every_format_with_every_sampler(format: Format, rng: np.random.Generator) -> None:
    elements = model.random_elements(format, SHAPE["image2d_t"], rng)
    image = Image("image2d_t", format, elements)
    for sampler in STATES:
        if sampler & LINEAR and format.kind != "f":
            continue
        taken, plain, _ = coordinates("image2d_t", sampler, rng)
        expected = model.sample(elements, format, sampler, plain)
        close(read("image2d_t", format, image, sampler, taken), expected, exact=format.kind != "f" or format.type == "FLOAT" and not sampler & LINEAR)


@needs_compiler
@pytest.mark.parametrize("format", [Format("RGBA", "UNORM_INT8"), Format("R", "FLOAT"), Format("RG", "SIGNED_INT16")], ids=str)
@pytest.mark.parametrize("type_", ["image1d_t", "image1d_array_t", "image2d_array_t", "image3d_t"])
def test_every_dimension_with_every_sampler(type_: str, format: Format, rng: np.random.Generator) -> None:
    elements = model.random_elements(format, SHAPE[type_], rng)
    image = Image(type_, format, elements)
    for sampler in STATES:
        if sampler & LINEAR and format.kind != "f":
            continue
        taken, plain, layers = coordinates(type_, sampler, rng)
        expected = model.sample(elements, format, sampler, plain, layers)
        close(read(type_, format, image, sampler, taken), expected, exact=False)
