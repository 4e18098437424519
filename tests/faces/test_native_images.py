"""Images, their descriptors and formats in C (runtime/native/images.c)."""

from __future__ import annotations

import gc
import os
import weakref

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.arrays_in_c import CudaOfArrays
from support.image_bench import READ, Bench
from support.imagined_device import device_of

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import image as face
from cl2cuda.runtime.image import image as runtime_image
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, TYPES = cl.mem_flags, cl.mem_object_type
FORMAT = (cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
STRUCTURES = [(cl.ImageFormat, name) for name in ("channel_order", "channel_data_type")] + [
    (cl.ImageDescriptor, name) for name in ("image_type", "array_size", "num_mip_levels", "num_samples", "shape", "pitches")]


@pytest.fixture
def context():
    return cl.Context([device for device in cl.get_platforms()[0].get_devices() if device.image_support][:1])


@pytest.fixture
def made(monkeypatch):
    """What Python's own steps have made."""
    found, genuine, of_kind = [], runtime_image.Image.__init__, runtime_image.Image.of_kind.__func__
    monkeypatch.setattr(runtime_image.Image, "__init__", lambda self, *more: found.append("checked") or genuine(self, *more))
    monkeypatch.setattr(runtime_image.Image, "of_kind", classmethod(lambda cls, *more: found.append("known") or of_kind(cls, *more)))
    return found


def descriptor(type_=TYPES.IMAGE2D, shape=(64, 32), **more):
    made = cl.ImageDescriptor()
    made.image_type, made.shape = type_, shape
    for name, value in more.items():
        setattr(made, name, value)
    return made


def image(context, desc, flags=FLAGS.READ_WRITE, pixels=FORMAT, host=None, make=face.Image._custom_init):
    handle = cl.Image.__new__(cl.Image)
    make(handle, context, flags, cl.ImageFormat(*pixels), desc, host)
    return handle


def described(handle):
    core = handle._core
    info = cl.image_info
    # Of the first one, which Python checks, Python makes the array, too.
    attributes = {name: getattr(core, name) for name in runtime_image.Image.__slots__ if name not in ("sizes", "array_kind")}
    return (attributes | {name: value for name, value in vars(core).items() if name != "_elements"},
            [handle.get_image_info(code) for code in (info.WIDTH, info.HEIGHT, info.DEPTH, info.ARRAY_SIZE, info.ROW_PITCH, info.ELEMENT_SIZE)])


@pytest.mark.parametrize("desc", [
    descriptor(), descriptor(shape=(64, 32, 1), pitches=(0, 0)), descriptor(TYPES.IMAGE1D, (16,)), descriptor(TYPES.IMAGE3D, (8, 4, 2)),
    descriptor(TYPES.IMAGE1D_ARRAY, (8, 3)), descriptor(TYPES.IMAGE2D_ARRAY, (8, 4, 3))], ids=lambda desc: str((desc.image_type, desc.shape)))
def test_images_are_those_of_python(context, made, desc):
    first = image(context, desc)
    assert made == ["checked"]
    second, third = image(context, desc), image(context, desc, make=face.Image._custom_init.__self__[0])
    assert made == ["checked", "known"]
    assert described(first) == described(second) == described(third) and second._core.context is context._core
    assert second._core.arguments == {} and second._core.arguments is not third._core.arguments
    assert second._core._elements is not None and second._core._elements is second._core._elements
    for each in (first, second, third):
        each.release()
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            each.release()


def test_kinds_are_told_apart(context, made):
    image(context, descriptor())
    for desc, flags, pixels in ((descriptor(shape=(64, 33)), 1, FORMAT), (descriptor(), FLAGS.READ_ONLY, FORMAT),
                                (descriptor(), 1, (cl.channel_order.RGBA, cl.channel_type.FLOAT)), (descriptor(pitches=(0, 0)), 1, FORMAT),
                                (descriptor(), 0, FORMAT)):
        assert image(context, desc, flags, pixels)._core.descriptor.width == 64
    assert made == ["checked"] * 4  # Those that differ in their sizes alone are not looked at.
    image(cl.Context(context.devices), descriptor())
    assert made == ["checked"] * 5


def test_a_kind_is_the_same_whatever_objects_say_so(context, made):
    """Images of two kinds in turn, in two contexts, of numbers that are equal but no more."""
    contexts, shapes = [context, cl.Context(context.devices)], [(64, 32), (640, 320)]
    for each in contexts:
        for shape in shapes:
            image(each, descriptor(shape=shape))
    assert made == ["checked"] * 2
    for _ in range(3):
        for each in contexts:
            for shape in shapes:
                for _ in range(2):
                    found = image(each, descriptor(shape=tuple(int(str(side)) for side in shape)), int(str(FLAGS.READ_WRITE)))
                    assert found._core.context is each._core and found.shape == shape
    assert made == ["checked"] * 4


SHAPES = [(TYPES.IMAGE2D, (16, 12)), (TYPES.IMAGE1D, (16,)), (TYPES.IMAGE3D, (16, 12, 4)), (TYPES.IMAGE1D_ARRAY, (16, 4)),
          (TYPES.IMAGE2D_ARRAY, (16, 12, 4))]


@pytest.mark.parametrize(("type_", "shape"), SHAPES)
def test_images_of_new_sizes_are_those_of_python(context, made, type_, shape):
    image(context, descriptor(type_, shape))
    for number in range(1, 4):
        desc = descriptor(type_, tuple(side + number for side in shape))
        found = image(context, desc)
        assert made == ["checked"]
        expected = image(cl.Context(context.devices), desc, make=face.Image._custom_init.__self__[0])
        told = described(found)
        assert told[0].pop("context") is context._core and told == (lambda both: (both[0].pop("context") and both[0], both[1]))(described(expected))
        assert found._core.size == found._core.layout.bytes and found._core.layout is expected._core.layout
        assert found.get_info(cl.mem_info.SIZE) == expected.get_info(cl.mem_info.SIZE)
        assert found._core._elements is found._core._elements
        found.release(), expected.release()
        made.clear()
        made.append("checked")


def test_sizes_that_come_again_are_a_kind(context, made):
    image(context, descriptor())
    for number in range(4):
        image(context, descriptor(shape=(16, 16)))
        assert made == ["checked"] * (1 + (number > 0))
    context._core.image_kinds.update(dict.fromkeys(range(300)))
    for _ in range(3):
        image(context, descriptor(shape=(16, 17)))
    assert made == ["checked"] * 2


def test_a_context_knows_so_many_kinds(context):
    for width in range(1, 150):
        for _ in range(3):
            image(context, descriptor(shape=(width, 1)))
            image(context, descriptor(shape=(width, 1)), FLAGS.READ_ONLY)
    assert len(context._core.image_kinds) == face._MOST_KINDS == 256  # MOST_KINDS of images.c


@pytest.mark.parametrize(("type_", "shape"), SHAPES)
def test_wrong_sizes_are_refused_as_by_python(context, type_, shape):
    image(context, descriptor(type_, shape))
    limits = context._core.devices[0].properties.images
    large = max(*limits.plane, *limits.volume, limits.layers) + 1
    for place in range(len(shape)):
        for size in (0, large, 1 << 40):
            found = []
            for make in (face.Image._custom_init, face.Image._custom_init.__self__[0]):
                with pytest.raises(cl.Error) as failure:
                    image(context, descriptor(type_, (*shape[:place], size, *shape[place + 1 :])), make=make)
                found.append(str(failure.value))
            assert found[0] == found[1]
    for more in ({"pitches": (64,)}, {"num_samples": 1}, {"num_mip_levels": 77}, {"array_size": 0}):
        if more == {"array_size": 0} and type_ not in (TYPES.IMAGE1D_ARRAY, TYPES.IMAGE2D_ARRAY):
            continue
        with pytest.raises(cl.Error):
            image(context, descriptor(type_, shape, **more))


def test_a_context_goes_whose_image_was_made_last(context):
    other = cl.Context(context.devices)
    for _ in range(3):
        image(other, descriptor(shape=(16, 16))).release()
    gone = weakref.ref(other._core)
    del other
    gc.collect()
    assert gone() is None
    image(context, descriptor(shape=(16, 16)))


def test_what_is_not_plain_is_pythons(context, made):
    known = descriptor()
    image(context, known)
    image(context, known, np.int64(1))
    image(context, known, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, host=np.zeros((32, 64, 4), np.uint8))
    assert made == ["checked", "known", "checked"]
    context._core._reclaimer.pressing = True
    image(context, known)
    assert made[-1] == "known"
    with pytest.warns(UserWarning, match="no memory flags"), pytest.raises(cl.LogicError, match="INVALID_HOST_PTR"):
        image(context, known, host=np.zeros((32, 64, 4), np.uint8))
    for arguments in ((context, 1 << 40, cl.ImageFormat(*FORMAT), known, None), (context, 1, cl.ImageFormat(1, 2), known, None),
                      (1, 1, cl.ImageFormat(*FORMAT), known, None), (context, 1, cl.ImageFormat(*FORMAT)), (context, 1, None, known, None)):
        found = []
        for make in (face.Image._custom_init, face.Image._custom_init.__self__[0]):
            with pytest.raises(Exception) as failure:
                make(cl.Image.__new__(cl.Image), *arguments)
            found.append((failure.type, str(failure.value)))
        assert found[0] == found[1]


def test_nothing_is_left(context):
    desc = descriptor()
    for _ in range(2):
        image(context, desc)
    kind = next(iter(context._core.image_kinds.values()))
    leaves_nothing(lambda: image(context, desc).release(), [context._core, desc, kind, *kind], turns=100)


# -- Structures ------------------------------------------------------------------------------------------------------------

VALUES = (0, 1, 7, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**64, -1, True, np.int32(3), np.uint64(2**40), 1.5, "x", None, (), (3,), (3, 4), (3, 4, 5),
          (3, 4, 5, 6), [3, 4], (np.int64(3), 4), (2**31, 4), (2**64, 1), (-1, 2), (1.5,), ("x", 1))


@pytest.mark.parametrize("structure, name", STRUCTURES, ids=lambda each: getattr(each, "__name__", each))
@pytest.mark.parametrize("type_", [TYPES.IMAGE2D, TYPES.IMAGE1D_ARRAY])
def test_attributes_are_those_of_python(structure, name, type_):
    in_python = getattr(structure, name)  # The class gives Python's own.
    for value in VALUES:
        found = []
        for put in (lambda made, given: setattr(made, name, given), in_python.__set__):
            made = structure(*FORMAT) if structure is cl.ImageFormat else descriptor(type_)
            try:
                put(made, value)
                outcome = None
            except Exception as error:
                outcome = type(error), str(error)
            got = getattr(made, name)
            found.append((outcome, got, type(got), [getattr(made, slot) for slot in structure.__slots__], in_python.__get__(made)))
        assert found[0] == found[1], value
    with pytest.raises(AttributeError):
        delattr(made, name)


@pytest.mark.parametrize("size", [(8, 6), (160, 128), (16, 12, 5)], ids=str)
def test_images_begin_with_contents_in_c(monkeypatch, size):
    """From the second of a kind on; what is more than their contents, or wrong, is Python's."""
    bench = Bench(cl.Context([device_of(CudaOfArrays())]))
    bench.prepare()
    made, genuine = [], runtime_image.Image.__init__
    monkeypatch.setattr(runtime_image.Image, "__init__", lambda self, *more: made.append(1) or genuine(self, *more))
    descriptor = cl.ImageDescriptor()
    descriptor.image_type, descriptor.shape = (
        cl.mem_object_type.IMAGE2D if len(size) == 2 else cl.mem_object_type.IMAGE3D), size
    region, shape = (*size, 1)[:3], (*reversed((*size, 1)[:3]), 4)
    pixels = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)

    def create(data, flags=FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR):
        handle = cl.Image.__new__(cl.Image)
        face.Image._custom_init(handle, bench.context, flags, pixels, descriptor, data)
        return handle

    def contents(image):
        found = np.zeros(shape, np.uint8)
        READ(bench.queue, image, (0, 0, 0), region, found)
        return found

    for number in range(4):
        data = np.random.default_rng(number).integers(1, 200, shape).astype(np.uint8)
        image, unused = create(data), create(data)
        assert len(made) == 1
        kept = data.copy()
        data[:] = 0
        unused.release()
        assert np.array_equal(contents(image), kept) and np.array_equal(contents(image), kept)
        assert image.get_info(cl.mem_info.FLAGS) == FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR and image.get_image_info(cl.image_info.WIDTH) == size[0]
        image.release()
    with pytest.raises(cl.LogicError, match="INVALID_HOST_PTR"):
        create(None)
    with pytest.raises(cl.LogicError, match="INVALID_HOST_PTR"), pytest.warns(UserWarning):
        create(data, FLAGS.READ_ONLY)
    with pytest.raises(cl.LogicError, match="INVALID_HOST_PTR"):
        create(data.reshape(-1)[:-4])
    assert len(made) == 4
    larger = np.concatenate([data.reshape(-1), data.reshape(-1)])
    assert np.array_equal(contents(create(larger)), data) and len(made) == 4


def test_images_of_new_sizes_begin_with_contents_in_c(monkeypatch):
    """Also where the pitches say what they are without, as image_from_array has them."""
    bench = Bench(cl.Context([device_of(CudaOfArrays())]))
    bench.prepare()
    made, genuine = [], runtime_image.Image.__init__
    monkeypatch.setattr(runtime_image.Image, "__init__", lambda self, *more: made.append(1) or genuine(self, *more))
    random = np.random.default_rng(1)

    def create(data, pitches=None, shape=None):
        handle = cl.Image.__new__(cl.Image)
        desc = descriptor(TYPES.IMAGE2D if data.ndim == 3 else TYPES.IMAGE3D, shape or data.shape[-2::-1])
        desc.pitches = pitches
        face.Image._custom_init(handle, bench.context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR,
                                cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8), desc, data)
        return handle

    def contents(image, shape):
        found = np.zeros(shape, np.uint8)
        READ(bench.queue, image, (0, 0, 0), (*shape[-2::-1], 1)[:3], found)
        return found

    for shape in ((6, 8, 4), (3, 6, 8, 4)):
        for number in range(5):
            data = random.integers(1, 200, (shape[0] + 30 * number, *shape[1:])).astype(np.uint8)
            kept, strides = data.copy(), data.strides[-3::-1]
            image = create(data, strides if number % 2 else None)
            data[:] = 0
            assert len(made) == 1 and np.array_equal(contents(image, data.shape), kept)
            image.release()
        wide = random.integers(1, 200, (*shape[:-2], 16, 4)).astype(np.uint8)
        image = create(wide, wide.strides[-3::-1], shape[-2::-1])
        assert len(made) == 2 and np.array_equal(contents(image, shape), wide[..., :8, :])
        with pytest.raises(cl.LogicError, match="INVALID_HOST_PTR"):
            create(wide, shape=(77, 77, 77)[: len(shape) - 1])
        made.clear()
