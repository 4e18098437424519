"""Which variant of a program on CUDA images ask for."""

import ctypes
import json

import pytest
from support.cuda_programs import compile_for_cuda
from support.fake_cuda import FakeCuda
from support.image_model import Format
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.image_variant import Wanted, images_of, variant_for
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.cuda.program import CudaProgram
from cl2cuda.runtime.driver.image_argument import TEXTURE_STATES, ImageArgument
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.translator import parse_options, translate
from cl2cuda.translator.ir.kernel_info import ArgInfo, KernelInfo
from cl2cuda.translator.options import BuildOptions

RGBA8, R32F, RGB565 = Format("RGBA", "UNORM_INT8"), Format("R", "FLOAT"), Format("RGB", "UNORM_SHORT_565")


def image(format: Format, missing: str = "", surface: int = 1) -> ImageArgument:
    order, data_type = format.codes
    textures = [int(not missing or (state.address != missing and missing != "all")) for state in TEXTURE_STATES]
    return ImageArgument((ctypes.c_uint64 * len(TEXTURE_STATES))(*textures), surface, channel_order=order, channel_data_type=data_type)


def image_parameter(access: str, type_: str = "image2d_t") -> ArgInfo:
    return arg("a", "image", 152, 8, type_name="pictures", image=type_, access_qualifier=access)


def wanted(access: str, *given: ImageArgument) -> Wanted:
    """The variant that a kernel with a buffer before its images asks for."""
    kernel = kernel_info("f", arg("b", "global"), *(image_parameter(access) for _ in given))
    images = images_of(kernel)
    assert images == tuple((place, 0, "textures" if access == "read_only" else "surface") for place in range(1, len(given) + 1))
    values = [ctypes.c_uint64(), *given]
    parameters = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    return variant_for(images, ctypes.addressof(parameters))()


@pytest.mark.parametrize(
    ("access", "given", "variant"),
    [
        ("read_only", image(RGBA8, surface=0), Wanted.PLAIN),
        ("read_only", image(RGBA8, missing="clamp"), Wanted.GENERAL),  # as of Rx
        ("read_only", image(RGB565, missing="all"), Wanted.GENERAL),
        ("read_only", image(Format("ARGB", "UNORM_INT8")), Wanted.GENERAL),
        ("read_only", image(Format("BGRA", "UNORM_INT8")), Wanted.SWAPPED),
        ("read_only", image(Format("sRGBA", "UNORM_INT8")), Wanted.PLAIN),  # which textures convert
        ("read_only", image(Format("sBGRA", "UNORM_INT8")), Wanted.SWAPPED),
        ("write_only", image(Format("BGRA", "UNORM_INT8")), Wanted.SWAPPED),
        ("write_only", image(Format("sRGBA", "UNORM_INT8")), Wanted.SWAPPED),
        ("write_only", image(Format("sBGRA", "UNORM_INT8")), Wanted.SWAPPED),
        ("write_only", image(Format("BGRA", "SIGNED_INT8")), Wanted.SWAPPED),
        ("write_only", image(Format("sRGBA", "UNORM_INT8"), surface=0), Wanted.GENERAL),
        ("write_only", image(Format("ABGR", "UNORM_INT8")), Wanted.GENERAL),
        ("write_only", image(RGBA8, missing="all"), Wanted.PLAIN),
        ("write_only", image(RGBA8, surface=0), Wanted.GENERAL),
        ("write_only", image(RGB565), Wanted.GENERAL),
        ("read_write", image(R32F, missing="all"), Wanted.PLAIN),
        ("read_write", image(R32F, surface=0), Wanted.GENERAL),
        ("read_write", image(Format("sRGBA", "UNORM_INT8")), Wanted.SWAPPED),
        ("read_write", image(Format("BGRA", "UNSIGNED_INT8")), Wanted.SWAPPED),
    ],
)
def test_what_images_ask_for(access: str, given: ImageArgument, variant: Wanted) -> None:
    assert wanted(access, given) == wanted(access, given, image(R32F)) == wanted(access, image(R32F), given) == variant


def test_what_images_ask_for_together() -> None:
    assert wanted("read_only", image(Format("BGRA", "UNORM_INT8")), image(RGB565, missing="all")) == Wanted.GENERAL


def test_integers_need_no_linear_filter() -> None:
    argument = image(Format("RGBA", "SIGNED_INT8"))
    for place, state in enumerate(TEXTURE_STATES):
        if state.linear:
            argument.textures[place] = 0
    assert wanted("read_only", argument) == Wanted.PLAIN


def test_changed_arguments_are_seen() -> None:
    kernel = kernel_info("f", image_parameter("read_only"))
    argument = image(RGBA8)
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    now = variant_for(images_of(kernel), ctypes.addressof(parameters))
    assert now() == Wanted.PLAIN
    argument.textures[0] = 0
    assert now() == Wanted.GENERAL


@pytest.mark.parametrize("access", ["read_only", "write_only", "read_write"])
def test_images_of_buffers(access: str) -> None:
    """They are plain memory, so only their formats matter."""
    images = images_of(kernel_info("f", image_parameter(access, "image1d_buffer_t")))
    assert images == ((0, 0, "memory"),)
    for format, variant in (
        (RGBA8, Wanted.PLAIN),
        (R32F, Wanted.PLAIN),
        (Format("RG", "SIGNED_INT16"), Wanted.PLAIN),
        (Format("BGRA", "UNORM_INT8"), Wanted.SWAPPED),
        (Format("A", "UNORM_INT8"), Wanted.GENERAL),
        (Format("RGBA", "UNORM_INT_101010_2"), Wanted.GENERAL),
    ):
        argument = image(format, missing="all", surface=0)
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
        assert variant_for(images, ctypes.addressof(parameters))() == variant


CAPTURES = """
kernel void f(read_only image2d_t from, sampler_t s, read_write image3d_t both, read_only image1d_buffer_t line, char n) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{
        int i = get_global_id(0);
        write_imagef(both, (int4)(i, n, 0, 0), read_imagef(from, s, (int2)(i, 0)) + read_imagef(line, i)); });
}
"""


def test_images_that_a_block_has_captured() -> None:
    """As they are in each record of it: a plan is made before the first one."""
    parent, block = sorted(translate(CAPTURES, parse_options("-cl-std=CL3.0")).kernels, key=lambda kernel: kernel.block)
    assert [each.use for each in images_of(parent)] == ["textures", "surface", "memory"]
    assert images_of(KernelInfo.from_json(json.loads(json.dumps(block.to_json())))) == images_of(block)
    places = {each.use: each.offset for each in images_of(block)}
    assert len(images_of(block)) == len(places) == 3 and not any(offset % 8 for offset in places.values())
    captures = ctypes.create_string_buffer(block.args[0].size)
    for offset in places.values():
        ctypes.memmove(ctypes.addressof(captures) + offset, bytes(image(RGBA8)), 152)
    parameters = (ctypes.c_void_p * 1)()
    now = variant_for(images_of(block), ctypes.addressof(parameters))
    parameters[0] = ctypes.addressof(captures)
    assert now() == Wanted.PLAIN
    for use, expected in (("textures", Wanted.PLAIN), ("surface", Wanted.SWAPPED), ("memory", Wanted.SWAPPED)):
        argument = ImageArgument.from_buffer(captures, places[use])
        argument.channel_order = Format("sRGBA", "UNORM_INT8").codes[0]
        assert now() == expected
        argument.channel_order = Format("ARGB", "UNORM_INT8").codes[0]
        assert now() == Wanted.GENERAL
        argument.channel_order = RGBA8.codes[0]
        assert now() == Wanted.PLAIN


COPY = """
kernel void copy(read_only image2d_t image, global float4 *out) {
    int i = get_global_id(0);
    out[i] = read_imagef(image, (int2)(i, 0));
}
"""
FILL = """
kernel void fill(write_only image2d_t image, global float4 *in) {
    int i = get_global_id(0);
    write_imagef(image, (int2)(i, 0), in[i]);
}
kernel void other(global float *x) { x[get_global_id(0)] = 0; }
"""
GIVEN = (image(RGBA8), image(Format("BGRA", "UNORM_INT8")), image(RGB565, missing="all"))
SRGBA8 = image(Format("sRGBA", "UNORM_INT8"))


def compiled(source: str) -> tuple[CudaProgram, nvrtc.Nvrtc]:
    try:
        compiler = nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    options = parse_options("-cl-std=CL3.0")
    return compile_for_cuda(translate(source, options), "compute_90", flags(options, compiler.version), compiler), compiler


@pytest.mark.parametrize("access", ["write_only", "read_write"])
def test_only_the_swapped_variant_converts_to_srgb(access: str) -> None:
    """By powers, which PTX has as logarithms."""
    program, compiler = compiled(FILL.replace("write_only", access))
    assert b"sust.p" in program.plain[0] and b"lg2" not in program.plain[0]
    assert b"sust.p" in program.swapped(compiler) and b"lg2" in program.swapped(compiler)
    again = CudaProgram.unpack(program.pack())
    assert again == program and again.swapped(compiler) == program.swapped(compiler)


def test_programs_without_images_have_no_swapped_variant() -> None:
    assert compiled("kernel void f(global int *x) { x[0] = 1; }")[0].swapped_source == ""


@pytest.fixture(params=[COPY, FILL], ids=["read", "written"])
def launched(monkeypatch, request):
    """A kernel that reads or writes an image, over an imagined CUDA: from its image and the size to the functions that Python and native
    code launch."""
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    device, handles = CudaDevice(FakeCuda(), 0), []
    driver = device.cuda.driver
    monkeypatch.setattr(driver, "launchKernel", lambda handle, *arguments: handles.append(handle))
    device.cuda.launch_addresses = (1001, 1002, 1003)
    translation = translate(request.param, BuildOptions())
    function = device.load(device.compile(translation, BuildOptions())).function(translation.kernels[0])
    argument, out, stream = image(RGBA8), ctypes.c_uint64(), device.open_stream()
    parameters = (ctypes.c_void_p * 2)(ctypes.addressof(argument), ctypes.addressof(out))
    plans = {}

    def launch(given: ImageArgument, offset: int = 0) -> tuple[int, int | None]:
        ctypes.memmove(ctypes.addressof(argument), ctypes.addressof(given), ctypes.sizeof(given))
        size = stream, 1, (64, 1, 1), (64, 1, 1), (offset, 0, 0), 0, ctypes.addressof(parameters)
        if offset not in plans:
            plans[offset] = function.prepare(*size)
        plans[offset]()
        native = function.native_launch(*size)
        return handles[-1], native and native.words[0]

    return launch


def test_python_and_native_code_launch_the_same(launched) -> None:
    found = [launched(given) for given in (*GIVEN, *GIVEN[::-1])]
    assert found[:3] == found[:2:-1] and len({handle for handle, _ in found}) == 3
    assert all(python == native for python, native in found)
    python, native = zip(*(launched(given, offset=5) for given in GIVEN), strict=True)
    assert set(python) == set(native) == {found[2][0]}


def test_a_written_srgb_image_is_launched_otherwise_than_a_read_one(launched, request) -> None:
    plain, swapped = launched(GIVEN[0]), launched(GIVEN[1])
    assert launched(SRGBA8) == (swapped if request.node.callspec.id == "written" else plain) != launched(GIVEN[2])
    assert launched(GIVEN[0]) == plain
