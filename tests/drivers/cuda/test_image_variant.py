"""Which variant of a program on CUDA images ask for."""

import ctypes

import pytest
from support.fake_cuda import FakeCuda
from support.image_model import Format
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.image_variant import Wanted, images_of, variant_for
from cl2cuda.runtime.driver.image_argument import TEXTURE_STATES, ImageArgument
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.translator import translate
from cl2cuda.translator.options import BuildOptions

RGBA8, R32F, RGB565 = Format("RGBA", "UNORM_INT8"), Format("R", "FLOAT"), Format("RGB", "UNORM_SHORT_565")


def image(format: Format, missing: str = "", surface: int = 1) -> ImageArgument:
    order, data_type = format.codes
    textures = [int(not missing or (state.address != missing and missing != "all")) for state in TEXTURE_STATES]
    return ImageArgument((ctypes.c_uint64 * len(TEXTURE_STATES))(*textures), surface, channel_order=order, channel_data_type=data_type)


def wanted(access: str, *given: ImageArgument) -> Wanted:
    """The variant that a kernel with a buffer before its images asks for."""
    kernel = kernel_info("f", arg("b", "global"), *(arg("a", "image", 152, 8, type_name="image2d_t", access_qualifier=access) for _ in given))
    images = images_of(kernel)
    assert images == tuple((place, access == "read_only") for place in range(1, len(given) + 1))
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
        ("write_only", image(Format("BGRA", "UNORM_INT8")), Wanted.PLAIN),
        ("write_only", image(RGBA8, missing="all"), Wanted.PLAIN),
        ("write_only", image(RGBA8, surface=0), Wanted.GENERAL),
        ("write_only", image(RGB565), Wanted.GENERAL),
        ("read_write", image(R32F, missing="all"), Wanted.PLAIN),
        ("read_write", image(R32F, surface=0), Wanted.GENERAL),
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
    kernel = kernel_info("f", arg("a", "image", 152, 8, type_name="image2d_t", access_qualifier="read_only"))
    argument = image(RGBA8)
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    now = variant_for(images_of(kernel), ctypes.addressof(parameters))
    assert now() == Wanted.PLAIN
    argument.textures[0] = 0
    assert now() == Wanted.GENERAL


def test_images_of_buffers_do_not_matter() -> None:
    assert images_of(kernel_info("f", arg("a", "image", 152, 8, type_name="image1d_buffer_t", access_qualifier="read_only"))) == ()


COPY = """
kernel void copy(read_only image2d_t image, global float4 *out) {
    int i = get_global_id(0);
    out[i] = read_imagef(image, (int2)(i, 0));
}
"""
GIVEN = (image(RGBA8), image(Format("BGRA", "UNORM_INT8")), image(RGB565, missing="all"))


@pytest.fixture
def launched(monkeypatch):
    """A kernel that reads an image, over an imagined CUDA: from its image and the size to the functions that Python and native code launch."""
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    device, handles = CudaDevice(FakeCuda(), 0), []
    driver = device.cuda.driver
    monkeypatch.setattr(driver, "launchKernel", lambda handle, *arguments: handles.append(handle))
    device.cuda.launch_addresses = (1001, 1002, 1003)
    translation = translate(COPY, BuildOptions())
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
