"""CUDA's images without a GPU: which textures and surfaces are made, when, and that closing gives all of it back."""

import ctypes
from collections import defaultdict

import pytest
from support.fake_cuda import FakeCuda

from cl2cuda.runtime.cuda import arrays, image_pool
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.regions import parts
from cl2cuda.runtime.driver.image_argument import TEXTURE_STATES, ImageArgument
from cl2cuda.runtime.driver.image_formats import ORDERS, TYPES, ImageFormat
from cl2cuda.runtime.driver.image_layout import ImageLayout
from cl2cuda.runtime.driver.interface import DriverError, ImagePart, Linear
from cl2cuda.runtime.native import library as native

MAKES = {"cuArray3DCreate_v2": "array", "cuMipmappedArrayCreate": "mipmapped", "cuSurfObjectCreate": "surface", "cuTexObjectCreate": "texture"}
ENDS = {"cuArrayDestroy": "array", "cuMipmappedArrayDestroy": "mipmapped", "cuSurfObjectDestroy": "surface", "cuTexObjectDestroy": "texture"}


class Recorder:
    """In the place of `Cuda.driver_call`: what lives by kind, and every call."""

    def __init__(self):
        self.alive = defaultdict(set)
        self.calls = []
        self.next = 1000

    def __call__(self, name, *arguments):
        self.calls.append((name, arguments))
        if name in MAKES or name == "cuMipmappedArrayGetLevel":
            self.next += 1
            arguments[0]._obj.value = self.next
            if name in MAKES:
                self.alive[MAKES[name]].add(self.next)
        elif name in ENDS:
            self.alive[ENDS[name]].remove(arguments[0].value)

    def count(self, kind):
        return len(self.alive[kind])


@pytest.fixture
def cuda():
    fake = FakeCuda()
    fake.driver_call = Recorder()
    return fake


@pytest.fixture
def device(cuda):
    device = CudaDevice(cuda, 0)
    device.properties.extra.update(texture_alignment=512, texture_pitch_alignment=32)
    return device


def format_of(order="RGBA", type_="UNORM_INT8"):
    return ImageFormat(ORDERS[order], TYPES[type_])


def argument(image, view=None, sampled=True):
    return ImageArgument.from_buffer_copy(image.argument(view or image.layout.format, sampled))


def test_textures_are_made_once_and_only_for_what_samples(cuda, device):
    image = device.create_image(ImageLayout(2, format_of(), 16, 8))
    assert not argument(image, sampled=False).textures[0] and cuda.driver_call.count("texture") == 0
    first, again = argument(image), argument(image)
    assert bytes(first) == bytes(again) and cuda.driver_call.count("texture") == len(TEXTURE_STATES) == len(set(first.textures))
    assert first.surface and first.data == 0 and (first.width, first.height, first.element_size) == (16, 8, 4)
    srgb = argument(image, format_of("sRGBA"))
    assert not set(srgb.textures) & set(first.textures) and srgb.surface == first.surface
    image.close()
    assert device.create_image(image.layout) is image, "arrays rest with their textures until an image of the same layout comes"
    image.close()
    device.images.trim()
    assert not any(cuda.driver_call.alive.values())


def test_what_rests_is_bounded(cuda, device):
    """By a sixteenth of the device's memory, here one megabyte."""
    layouts = [ImageLayout(2, format_of(), 256, 256 + i) for i in range(8)]
    for image in [device.create_image(layout) for layout in layouts]:
        image.close()
    assert cuda.driver_call.count("array") == 3 and device.images.kept <= 1 << 20
    assert device.images.take(layouts[0]) is None and device.images.take(layouts[-1]) is not None


def test_only_so_many_rest(cuda, device):
    images = [device.create_image(ImageLayout(1, format_of(), 1 + number % 7)) for number in range(image_pool.MOST + 10)]
    for image in images:
        image.close()
    assert cuda.driver_call.count("array") == image_pool.MOST
    # The newest of a layout comes first, the oldest of all has gone.
    assert device.create_image(images[-1].layout) is images[-1] and device.create_image(images[-8].layout) is images[-8]
    for image in images[-1], images[-8]:
        image.close()
    rest = []
    while (image := device.images.take(images[0].layout)) is not None:
        rest.append(image)
    assert rest == [image for image in reversed(images[10:]) if image.layout == images[0].layout]
    for image in rest:
        image.close()
    device.images.trim()
    assert not any(cuda.driver_call.alive.values()) and not device.images.kept


@pytest.mark.parametrize(("format", "without"), [
    (format_of("RGBx"), 3), (format_of("RGB", "UNORM_SHORT_565"), len(TEXTURE_STATES)), (format_of("R", "SIGNED_INT32"), 0),
    (format_of("sRGBA"), 6), (format_of("RGBA", "SNORM_INT8"), 6), (format_of("RGBA", "SNORM_INT16"), 0),
], ids=str)
def test_states_without_textures(cuda, device, format, without):
    """Packed elements have none; on the border, orders with an x have none; nor have linear filters that are not good enough."""
    image = device.create_image(ImageLayout(2, format, 16, 8))
    assert list(argument(image).textures).count(0) == without
    image.destroy()
    assert not any(cuda.driver_call.alive.values())


def test_integers_have_one_texture_for_both_filters(cuda, device):
    """"The read_image{i|ui} calls support a nearest filter only.\""""
    image = device.create_image(ImageLayout(2, format_of("R", "SIGNED_INT32"), 16, 8))
    textures = argument(image).textures
    for place, state in enumerate(TEXTURE_STATES):
        assert textures[place] == textures[TEXTURE_STATES.index(state._replace(linear=not state.normalized))]
    assert cuda.driver_call.count("texture") == len(set(textures)) == 6


def described(resource, descriptor):
    return tuple([tuple(value) if isinstance(value, ctypes.Array) else value for value in (getattr(each, name) for name, _ in each._fields_)]
                 for each in (resource, descriptor))


@pytest.mark.skipif(native.calls() is None, reason="the calls were not compiled")
@pytest.mark.parametrize("memory", [None, Linear(4096, 64, 512)])
@pytest.mark.parametrize(("format", "levels"), [(format_of(), 1), (format_of("sRGBA"), 1), (format_of("R", "SIGNED_INT32"), 1), (format_of(), 3)])
def test_textures_are_made_in_c(cuda, device, format, levels, memory):
    """Just those that Python makes, and where one cannot be made, those before it go with the image."""
    if memory and levels > 1:
        pytest.skip("memory has one level")
    layout = ImageLayout(2, format, 16, 8, levels=levels)
    in_python = argument(device.create_image(layout, memory))
    asked = [described(given[1]._obj, given[2]._obj) for name, given in cuda.driver_call.calls if name == "cuTexObjectCreate"]
    found, fails_after, recorder = [], [99], cuda.driver_call

    def create(texture, resource, descriptor, view):
        assert not view
        if len(found) == fails_after[0]:
            return 2
        found.append(described(arrays._Resource.from_address(resource), arrays._Texture.from_address(descriptor)))
        recorder.next += 1
        recorder.alive["texture"].add(recorder.next)
        ctypes.c_uint64.from_address(texture).value = recorder.next
        return 0

    kept = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(create)
    cuda.create_texture_address = ctypes.cast(kept, ctypes.c_void_p).value
    image = device.create_image(layout, memory)
    in_c = argument(image)
    handles = [each[0][1] for each in found]
    assert len(set(handles)) == 1 and [(each[0][:1] + each[0][2:], each[1]) for each in found] == [
        (each[0][:1] + each[0][2:], each[1]) for each in asked]
    assert [each != 0 for each in in_c.textures] == [each != 0 for each in in_python.textures]
    assert [in_c.textures[:].index(each) for each in in_c.textures] == [in_python.textures[:].index(each) for each in in_python.textures]
    found.clear()
    fails_after[0] = 2
    short = device.create_image(layout, memory)
    before = recorder.count("texture")
    for number in range(2):
        with pytest.raises(DriverError):
            argument(short)
        found.clear()
        assert recorder.count("texture") == before + 2 * (number + 1)
    short.destroy(), image.destroy()
    assert recorder.count("texture") == before - len(asked)


def test_mipmapped_images_have_a_table_of_their_levels(cuda, device):
    image = device.create_image(ImageLayout(3, format_of("R", "FLOAT"), 16, 8, 4, levels=3))
    made = argument(image)
    assert made.mip_levels == 3 and cuda.driver_call.count("surface") == 3 and cuda.driver_call.count("array") == 0
    size = ctypes.sizeof(ImageArgument)
    levels = [ImageArgument.from_address(made.levels + size * level) for level in range(3)]
    assert [(each.width, each.height, each.depth, each.mip_levels) for each in levels] == [(16, 8, 4, 1), (8, 4, 2, 1), (4, 2, 1, 1)]
    assert made.surface == levels[0].surface and len({each.surface for each in levels}) == 3
    image.destroy()
    assert not any(cuda.driver_call.alive.values())
    kept = len(cuda.runtime.memory)
    again = device.create_image(image.layout)
    again.argument(image.layout.format, True)
    assert len(cuda.runtime.memory) == kept


@pytest.mark.parametrize(("address", "pitch", "textures"), [(4096, 64, True), (4096 + 128, 64, False), (4096, 72, False)])
def test_images_in_memory_have_textures_where_it_is_aligned(cuda, device, address, pitch, textures):
    image = device.create_image(ImageLayout(2, format_of(), 16, 8), Linear(address, pitch, 8 * pitch))
    made = argument(image)
    assert any(made.textures) == textures and not made.surface
    assert (made.data, made.row_pitch, made.slice_pitch) == (address, pitch, 8 * pitch)
    image.close()
    assert not any(cuda.driver_call.alive.values())


def test_an_image_gets_the_memory_that_is_at_rest(cuda, device):
    """Arrays know nothing of that memory."""
    record, failures = cuda.driver_call, [2]

    def short_of_memory(name, *arguments):
        if name in MAKES and failures:
            raise DriverError(f"error {failures.pop()}", "MEM_OBJECT_ALLOCATION_FAILURE")
        record(name, *arguments)

    cuda.driver_call = short_of_memory
    device.free(device.allocate(1 << 20))
    device.create_image(ImageLayout(2, format_of(), 16, 8))
    assert not device.memory.kept and record.count("array") == 1
    device.images.trim()
    failures.append(2)
    with pytest.raises(DriverError):
        device.create_image(ImageLayout(2, format_of(), 16, 8))


def copies(cuda):
    return [arguments[0]._obj for name, arguments in cuda.driver_call.calls if name == "cuMemcpy3DAsync_v2"]


def test_copies_name_arrays_by_level_and_planes_by_rows(cuda, device):
    image = device.create_image(ImageLayout(3, format_of(), 16, 8, 4, levels=2))
    stream = device.open_stream()
    stream.copy_image("host_to_device", ImagePart(image, 1, (8, 1, 0)), Linear(1 << 20, 24, 24 * 5), (16, 2, 2))
    copy, = copies(cuda)
    assert (copy.source_host, copy.source_pitch, copy.source_height) == (1 << 20, 24, 5)
    assert (copy.target_array, copy.target_x, copy.target_y, copy.target_z) == (image.levels[1], 8, 1, 0)
    assert (copy.width, copy.height, copy.depth) == (16, 2, 2)


def test_planes_that_are_no_whole_rows_apart_go_one_by_one(cuda, device):
    image = device.create_image(ImageLayout(3, format_of(), 16, 8, 4))
    device.open_stream().copy_image("device_to_host", Linear(1 << 20, 24, 100), ImagePart(image, 0, (0, 0, 1)), (16, 2, 3))
    assert [(c.target_host, c.source_z, c.depth) for c in copies(cuda)] == [((1 << 20) + 100 * z, 1 + z, 1) for z in range(3)]


@pytest.mark.parametrize(("rows", "region", "limit", "expected"), [
    (Linear(0, 8, 32), (8, 4, 5), 64, [((0, 0, 0), (8, 4, 2)), ((0, 0, 2), (8, 4, 2)), ((0, 0, 4), (8, 4, 1))]),
    (Linear(0, 8, 32), (8, 4, 2), 31, [((0, 0, 0), (8, 3, 1)), ((0, 3, 0), (8, 1, 1)), ((0, 0, 1), (8, 3, 1)), ((0, 3, 1), (8, 1, 1))]),
    (Linear(0, 8, 36), (8, 4, 2), 99, [((0, 0, 0), (8, 4, 1)), ((0, 0, 1), (8, 4, 1))]),
    (Linear(0, 100, 200), (8, 2, 1), 10, [((0, 0, 0), (8, 1, 1)), ((0, 1, 0), (8, 1, 1))]),
])
def test_parts_of_regions(rows, region, limit, expected):
    assert list(parts(rows, region, limit)) == expected
