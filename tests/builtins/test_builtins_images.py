"""Image functions (OpenCL C 6.15.15): the host's, with images made by hand, against the model of chapter 8; and that all compile."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support import image_model as model
from support.builtin_functions import FLAGS
from support.image_model import CLAMP, CLAMP_TO_EDGE, FORMATS, LINEAR, NEAREST, NONE, NORMALIZED, REPEAT, Format
from support.image_samples import (
    COLOR_IMAGES,
    COORDS,
    SHAPE,
    SOME,
    STATES,
    Argument,
    Image,
    Levels,
    colors_to_write,
    coordinates,
    integers,
    level_shapes,
)
from support.overload_units import SECTIONS, cpp, unit

from cl2cuda.builtins.opaque import ARGUMENTS, MIP_FILTER_LINEAR, lod_bits
from cl2cuda.builtins.prelude import prelude
from cl2cuda.builtins.table import Overload, names, overloads
from cl2cuda.builtins.typenames import split
from cl2cuda.runtime.host import HostDriver
from cl2cuda.translator import BuildOptions, translate

DTYPES = {"int": np.int32, "uint": np.uint32, "float": np.float32, "half": np.uint16, "size_t": np.uint64}


@cache
def functions() -> tuple[ctypes.CDLL, dict[Overload, int]]:
    """Every image function as one over arrays: (results, image, sampler, up to three arrays of arguments, count)."""
    folder = Path(tempfile.mkdtemp())
    found = {o: i for i, o in enumerate(o for name in names() if "_image" in name for o in overloads(name))}
    uses: list[tuple[str, ...]] = [("fn", o.name, o.result, *o.parameters) for o in found]
    uses += [("type", word) for o in found for t in (o.result, *o.parameters) for word in cpp(t).split()]
    text = "".join(_function(i, o) for o, i in found.items())
    source = folder / "images.cpp"
    source.write_text(prelude("host", uses) + "namespace ocl {\n" + text + "}\n", encoding="utf-8")
    library = source.with_suffix(".so")
    command = ["g++", *FLAGS.split(), "-O1", str(source), "-o", str(library), "-lm", "-lc"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    loaded = ctypes.CDLL(str(library))
    shutil.rmtree(folder)
    return loaded, found


def _function(number: int, o: Overload) -> str:
    image, *others = map(cpp, o.parameters)
    sampler = ["sampler"] * ("sampler_t" in others)
    arrays = zip(others[len(sampler) :], "abc", strict=False)
    arguments = [f"*(const {image}*)image", *sampler, *(f"((const {type_}*){name})[i]" for type_, name in arrays)]
    result = "" if o.result == "void" else f"(({o.result}*)result)[i] = "
    return (
        f'extern "C" __attribute__((visibility("default"))) void call_{number}(void* result, const void* image, sampler_t sampler, '
        f"const void* a, const void* b, const void* c, long n) {{\n"
        f"    for (long i = 0; i < n; i++) {result}{o.name}({', '.join(arguments)});\n}}\n"
    )


def call(name: str, parameters: tuple[str, ...], image: Image | Levels, *arrays: np.ndarray, sampler: int = 0) -> np.ndarray:
    library, found = functions()
    o = next(o for o in found if o.name == name and o.parameters == parameters)
    count = len(arrays[0]) if arrays else 1
    element, width = split("int" if o.result == "void" else o.result)
    result = np.zeros((count, width), DTYPES[element])
    contiguous = [np.ascontiguousarray(a) for a in arrays]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in contiguous] + [None] * (3 - len(arrays))
    function = getattr(library, f"call_{found[o]}")
    function(ctypes.c_void_p(result.ctypes.data), ctypes.byref(image.argument), ctypes.c_uint(sampler), *pointers, ctypes.c_long(count))
    return result


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
        exact = format.kind != "f" or (format.type in ("FLOAT", "HALF_FLOAT") and not sampler & LINEAR)
        close(read("image2d_t", format, image, sampler, taken), expected, exact)


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


@needs_compiler
@pytest.mark.parametrize("format", SOME, ids=str)
@pytest.mark.parametrize("type_", [t for t in COLOR_IMAGES if "buffer" not in t])
def test_integer_coordinates_with_a_sampler(type_: str, format: Format, rng: np.random.Generator) -> None:
    elements = model.random_elements(format, SHAPE[type_], rng)
    image = Image(type_, format, elements)
    for mode in (NONE, CLAMP_TO_EDGE, CLAMP):
        taken, plain, layers = integers(type_, rng, 3)
        expected = model.sample(elements, format, mode | NEAREST, plain + 0.5, layers)
        close(read(type_, format, image, mode | NEAREST, taken), expected, exact=False)


def coord_type(type_: str) -> str:
    return "int" + str(COORDS[type_]) * (COORDS[type_] > 1)


RESULTS = {"f": "float4", "i": "int4", "ui": "uint4", "h": "half4"}


@needs_compiler
@pytest.mark.parametrize("access", ["read_only", "read_write"])
@pytest.mark.parametrize("type_", COLOR_IMAGES)
def test_reads_without_a_sampler(type_: str, access: str, rng: np.random.Generator) -> None:
    for format in SOME:
        elements = model.random_elements(format, SHAPE[type_], rng)
        taken, plain, layers = integers(type_, rng, 0)
        expected = model.sample(elements, format, NEAREST, plain + 0.5, layers)
        found = call(f"read_image{format.kind}", (f"{access} {type_}", coord_type(type_)), Image(type_, format, elements), taken)
        close(found.astype(float), expected, exact=False)


@needs_compiler
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_every_format_is_written(format: Format, rng: np.random.Generator) -> None:
    image = Image("image2d_t", format, np.zeros((5, 7, *format.element.shape), format.element.base))
    y, x = np.indices((5, 7)).reshape(2, -1)
    color = colors_to_write(format, (35,), rng)
    coords = np.stack([x, y], -1).astype(np.int32)
    call(f"write_image{format.kind}", ("write_only image2d_t", "int2", RESULTS[format.kind]), image, coords, color)
    got, expected = image.elements[0].reshape(35, -1), model.elements_of(color, format)
    seen = [i for i, c in enumerate(format.channels) if c != "x"] if format.type not in model.PACKED else [0]
    if format.is_srgb:
        assert np.abs(got - expected)[:, seen].max() <= 0.6
    else:
        np.testing.assert_array_equal(got[:, seen], expected[:, seen])
    assert not image.padded[0, 5].any() and not image.padded[0, :, 7:].any()


@needs_compiler
@pytest.mark.parametrize("access", ["write_only", "read_write"])
@pytest.mark.parametrize("type_", COLOR_IMAGES)
def test_every_dimension_is_written(type_: str, access: str, rng: np.random.Generator) -> None:
    """And what is outside of the image is not."""
    for format in SOME:
        image = Image(type_, format, np.zeros((*SHAPE[type_], *format.element.shape), format.element.base))
        taken, plain, layers = integers(type_, rng, 2, count=400)
        color = colors_to_write(format, (len(taken),), rng)
        call(f"write_image{format.kind}", (f"{access} {type_}", coord_type(type_), RESULTS[format.kind]), image, taken, color)
        expected = np.zeros_like(image.padded)
        places = np.concatenate([plain, np.zeros((len(plain), 3), int)], 1)[:, :3]
        if layers is not None:
            places[:, 2] = layers
        for (x, y, z), element in zip(places, model.elements_of(color, format), strict=True):
            planes, rows, row = image.elements.shape[:3]
            if 0 <= x < row and 0 <= y < rows and 0 <= z < planes:
                expected[z, y, x] = element
        np.testing.assert_array_equal(image.padded, expected)


@needs_compiler
@pytest.mark.parametrize("type_", ["image2d_depth_t", "image2d_array_depth_t"])
@pytest.mark.parametrize("data_type", ["FLOAT", "UNORM_INT16"])
def test_depth_is_one_number(type_: str, data_type: str, rng: np.random.Generator) -> None:
    format = Format("DEPTH", data_type)
    elements = model.random_elements(format, SHAPE[type_], rng)
    image = Image(type_, format, elements)
    for sampler in (NORMALIZED | CLAMP | LINEAR, CLAMP | NEAREST, NORMALIZED | REPEAT | NEAREST):
        taken, plain, layers = coordinates(type_, sampler, rng)
        close(read(type_, format, image, sampler, taken), model.sample(elements, format, sampler, plain, layers)[:, :1], exact=False)
    taken, plain, layers = integers(type_, rng, 0)
    found = call("read_imagef", (f"read_write {type_}", coord_type(type_)), image, taken)
    close(found, model.sample(elements, format, NEAREST, plain + 0.5, layers)[:, :1], exact=False)
    call("write_imagef", (f"write_only {type_}", coord_type(type_), "float"), image, taken[:1], np.float32([[0.25]]))
    assert call("read_imagef", (f"read_only {type_}", coord_type(type_)), image, taken[:1])[0, 0] == pytest.approx(0.25, abs=1e-5)


MIPMAPPED = [t for t in SHAPE if "buffer" not in t]


@needs_compiler
@pytest.mark.parametrize("type_", MIPMAPPED)
def test_mipmapped_images_are_read_at_a_level_of_detail(type_: str, rng: np.random.Generator) -> None:
    """Given, or computed from gradients; also by integers, which take the nearest level; within the sampler's limits."""
    for format in [Format("DEPTH", "FLOAT")] if "depth" in type_ else [Format("RGBA", "FLOAT"), Format("RG", "SIGNED_INT16")]:
        levels = [model.random_elements(format, shape, rng) for shape in level_shapes(type_)]
        image = Levels(type_, format, levels)
        for filter, between in ((LINEAR, True), (NEAREST, True), (LINEAR, False), (NEAREST, False)):
            if format.kind == "i" and (filter == LINEAR or between):
                continue
            sampler = NORMALIZED | CLAMP | filter
            taken, plain, layers = coordinates(type_, sampler, rng)
            lods = rng.uniform(-1, 4, len(plain)).astype(np.float32)
            expected = model.sample_levels(levels, format, sampler, plain, lods, between, layers)[:, : 1 if "depth" in type_ else 4]
            bits = sampler | (MIP_FILTER_LINEAR if between else 0)
            close(read_level(type_, format, image, bits, taken, lods), expected, exact=False)
            least, greatest = 0.5, 1.25
            expected = model.sample_levels(levels, format, sampler, plain, np.clip(lods, least, greatest), between, layers)
            found = read_level(type_, format, image, bits | lod_bits(least, greatest), taken, lods)
            close(found, expected[:, : found.shape[1]], exact=False)
            x, y = gradients_for(type_, lods, rng)
            found = read_level(type_, format, image, bits, taken, x, y)
            # Near the border between two levels the logarithm's last bits decide.
            sure = np.abs(lods % 1 - 0.5) > 1e-3
            expected = model.sample_levels(levels, format, sampler, plain, lods, between, layers)[:, : found.shape[1]]
            close(found[sure], expected[sure], exact=False)


def read_level(type_: str, format: Format, image: Levels, sampler: int, coords: np.ndarray, *detail: np.ndarray) -> np.ndarray:
    coord = "float" + str(COORDS[type_]) * (COORDS[type_] > 1)
    gradient = "float" + ("2" if "2d" in type_ else "4" if "3d" in type_ else "") if len(detail) == 2 else "float"
    parameters = (f"read_only {type_}", "sampler_t", coord, *[gradient] * len(detail))
    return call(f"read_image{format.kind}", parameters, image, coords, *detail, sampler=sampler).astype(float)


def gradients_for(type_: str, lods: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two gradients, the longer one 2 to the power of the level elements long."""
    layered = "array" in type_
    sizes = np.array(SHAPE[type_][:0:-1] if layered else SHAPE[type_][::-1], float)
    directions = rng.normal(size=(2, len(lods), len(sizes)))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True) * sizes
    length = np.exp2(lods.astype(float))[:, None]
    shorter = directions[1] * length * rng.uniform(0, 0.9, (len(lods), 1))
    width = {1: 1, 2: 2, 3: 4}[len(sizes)]
    x, y = (np.pad(g, [(0, 0), (0, width - len(sizes))]).astype(np.float32) for g in (directions[0] * length, shorter))
    return (x, y) if rng.random() < 0.5 else (y, x)


@needs_compiler
@pytest.mark.parametrize("type_", MIPMAPPED)
def test_mipmapped_images_are_written_at_a_level(type_: str, rng: np.random.Generator) -> None:
    """Without one, the first level is; and read, and asked for its size."""
    format = Format("DEPTH" if "depth" in type_ else "RGBA", "FLOAT")
    shapes = level_shapes(type_)
    image = Levels(type_, format, [np.zeros((*shape, *format.element.shape), np.float32) for shape in shapes])
    value, width = ("float", 1) if "depth" in type_ else ("float4", 4)
    for level in range(len(shapes)):
        place = np.zeros((1, COORDS[type_]), np.int32)
        color = np.full((1, width), level + 1, np.float32)
        parameters = (f"write_only {type_}", coord_type(type_), "int", value)
        call("write_imagef", parameters, image, place, np.int32([[level]]), color)
    assert [each.elements.sum() for each in image.images] == [(n + 1) * width for n in range(len(shapes))]
    call("write_imagef", (f"write_only {type_}", coord_type(type_), value), image, place, color * 10)
    assert image.images[0].elements.max() == 10 * len(shapes)
    assert call("read_imagef", (f"read_only {type_}", coord_type(type_)), image, place)[0, 0] == 10 * len(shapes)
    assert call("get_image_num_mip_levels", (f"read_only {type_}",), image)[0] == len(shapes)
    assert call("get_image_width", (f"read_only {type_}",), image)[0] == 7


@needs_compiler
def test_halves(rng: np.random.Generator) -> None:
    format = Format("RGBA", "HALF_FLOAT")
    elements = model.random_elements(format, (5, 7), rng)
    image = Image("image2d_t", format, elements)
    place = np.array([[3, 2]], np.int32)
    found = call("read_imageh", ("read_only image2d_t", "sampler_t", "int2"), image, place, sampler=CLAMP | NEAREST)
    np.testing.assert_array_equal(found.view(np.float16)[0], elements[2, 3])
    call("write_imageh", ("read_write image2d_t", "int2", "half4"), image, place, np.float16([[1, -2, 0.5, 7]]).view(np.uint16))
    assert image.elements[0, 2, 3].tolist() == [1, -2, 0.5, 7]


@needs_compiler
@pytest.mark.parametrize("type_", SHAPE)
def test_queries(type_: str) -> None:
    format = Format("DEPTH" if "depth" in type_ else "ABGR", "FLOAT" if "depth" in type_ else "UNORM_INT8")
    image = Image(type_, format, np.zeros((*SHAPE[type_], *format.element.shape), format.element.base))
    expected = {"width": [7], "height": [5], "depth": [3], "array_size": [4], "dim": [7, 5, 3, 0] if type_ == "image3d_t" else [7, 5],
                "channel_order": [format.codes[0]], "channel_data_type": [format.codes[1]], "num_mip_levels": [1]}  # fmt: skip
    asked = [name.removeprefix("get_image_") for name in names() if name.startswith("get_image_")]
    asked = [name for name in asked if any(o.parameters == (f"write_only {type_}",) for o in overloads(f"get_image_{name}"))]
    assert {"width", "channel_order"} <= set(asked) <= set(expected) and ("array_size" in asked) == ("array" in type_)
    assert ("num_mip_levels" in asked) == ("buffer" not in type_)
    for name in asked:
        assert call(f"get_image_{name}", (f"write_only {type_}",), image)[0].tolist() == expected[name], name


def test_every_function_of_images_has_its_types() -> None:
    """6.15.15: 5 images are read with integers and floats by 4 functions, 2 depth images by one; and so on. Mipmapped ones are read
    with a level or gradients and written at a level, by 3 functions."""
    count = {name: len(overloads(name)) for name in names() if "_image" in name}
    assert count == {
        **dict.fromkeys(("read_imagei", "read_imageui"), 5 * 2 + 6 * 2 + 5 * 2), "read_imageh": 5 * 2 + 6 * 2,
        "read_imagef": 7 * 2 + 8 * 2 + 7 * 2, **dict.fromkeys(("write_imagei", "write_imageui"), 6 * 2 + 5), "write_imageh": 6 * 2,
        "write_imagef": 8 * 2 + 7,
        **dict.fromkeys(("get_image_width", "get_image_channel_order", "get_image_channel_data_type"), 8 * 3), "get_image_height": 5 * 3,
        "get_image_depth": 3, "get_image_dim": 5 * 3, "get_image_array_size": 4 * 3 - 3, "get_image_num_mip_levels": 7 * 3,
    }  # fmt: skip


def layout_checks(port: str) -> str:
    """What both compilers must find in a program that names all these types."""
    sizes = [(name, *ARGUMENTS["image"]) for image in SHAPE for name in (image, f"read_write_{image}")]
    sizes += [("sampler_t", *ARGUMENTS["sampler"])]
    checks = [f"sizeof({name}) == {size} && alignof({name}) == {align}" for name, size, align in sizes]
    if port == "host":  # NVRTC has no __builtin_offsetof before 13.5
        checks += [f"__builtin_offsetof(image2d_t, {name}) == {getattr(Argument, name).offset}" for name, _ in Argument._fields_]
    return "".join(f"static_assert({check});" for check in checks)


def layout_unit(port: str) -> str:
    types = [("type", cpp(t)) for o in overloads("read_imagef") for t in o.parameters]
    return prelude(port, types) + f"namespace ocl {{ {layout_checks(port)} }}\n"  # type: ignore[arg-type]


def kernels_unit(found: list[Overload], general: bool) -> str:
    """A kernel for each, so that the assembler sees them."""
    text = unit("cuda", found, general)
    distinct = {(o.name, tuple(map(cpp, o.parameters))): o for o in found}.values()
    kernels = ""
    for i, o in enumerate(distinct):
        declared = "".join(f"const __grid_constant__ {cpp(t)} a{k}, " for k, t in enumerate(o.parameters))
        store = "" if o.result == "void" else "*r = "
        passed = ", ".join(f"a{k}" for k in range(len(o.parameters)))
        kernels += f"__global__ void k{i}({declared}{cpp(o.result)}* r) {{ {store}f{i}({passed}); }}\n"
    return text + f"namespace ocl {{ namespace user {{\n{kernels}}} }}\n"


@needs_compiler
def test_the_argument_is_laid_out_as_said() -> None:
    assert (ctypes.sizeof(Argument), ctypes.alignment(Argument)) == ARGUMENTS["image"]
    command = ["g++", "-std=c++20", "-fsyntax-only", "-w", "-x", "c++", "-"]
    done = subprocess.run(command, input=layout_unit("host"), text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


UNITS = {section: found for section, found in SECTIONS.items() if section.startswith("6.15.15")}


VARIANTS = [("sm_75", "plain"), ("sm_90", "plain"), ("sm_90", "swapped"), ("sm_90", "general"), ("sm_120", "plain")]


@pytest.mark.parametrize(("architecture", "variant"), VARIANTS)
@pytest.mark.parametrize("name", [*UNITS, "layout"])
def test_compiles_for_cuda(name: str, variant: str, architecture: str) -> None:
    nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    try:
        nvrtc.getVersion()
    except RuntimeError as e:
        pytest.skip(f"NVRTC cannot be loaded: {e}")
    source = kernels_unit(UNITS[name], variant == "general") if name in UNITS else layout_unit("cuda")
    program = nvrtc.createProgram(source, "unit.cu", (), ())
    options = ("--minimal", "--std=c++20", f"-arch={architecture}", "--prec-div=false", "--prec-sqrt=false", "-w")
    try:
        nvrtc.compileProgram(program, (*options, f"-DOCL_SWAPPED={int(variant == 'swapped')}"))
    except nvrtc.NVRTCError:
        pytest.fail(nvrtc.getProgramLog(program)[:4000])
    finally:
        nvrtc.destroyProgram(program)


PROGRAM = """
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
float4 left(read_only image2d_t image, int2 place) { return read_imagef(image, border, place - (int2)(1, 0)); }
kernel void f(read_only image2d_t a, write_only image2d_t b, sampler_t chosen, global float4 *c) {
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, place, left(a, place) + read_imagef(a, CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR, (float2)(0.5f, 0.5f)));
    c[place.y * get_global_size(0) + place.x] = read_imagef(a, chosen, convert_float2(place) / convert_float2(get_image_dim(a)));
}
"""


@needs_compiler
def test_a_program_with_images_runs_on_the_host(rng: np.random.Generator) -> None:
    translation = translate(PROGRAM)
    assert [(a.kind, a.size, a.access_qualifier) for a in translation.kernels[0].args] == [
        ("image", ARGUMENTS["image"][0], "read_only"), ("image", ARGUMENTS["image"][0], "write_only"), ("sampler", 4, "none"),
        ("global", 8, "none")]  # fmt: skip
    device = HostDriver().devices()[0]
    function = device.load(device.compile(translation, BuildOptions())).function(translation.kernels[0])
    format, sampler = Format("RGBA", "FLOAT"), NORMALIZED | REPEAT | LINEAR
    elements = model.random_elements(format, (5, 7), rng)
    source, target, out = Image("image2d_t", format, elements), Image("image2d_t", format, np.zeros_like(elements)), np.zeros((35, 4), "f")
    values = [source.argument, target.argument, ctypes.c_uint(sampler), ctypes.c_void_p(out.ctypes.data)]
    parameters = (ctypes.c_void_p * 4)(*map(ctypes.addressof, values))
    function.prepare(device.open_stream(), 2, (7, 5, 1), (7, 1, 1), (0, 0, 0), 0, ctypes.addressof(parameters))()
    place = np.stack(np.indices((5, 7))[::-1], -1).reshape(35, 2).astype("f")
    middle = model.sample(elements, format, NORMALIZED | LINEAR, np.full((1, 2), 0.5))
    left = model.sample(elements, format, CLAMP | NEAREST, place + np.float32((-0.5, 0.5)))
    close(target.elements[0].reshape(35, 4), left + middle, exact=False)
    close(out, model.sample(elements, format, sampler, place / np.float32([7, 5])), exact=False)
