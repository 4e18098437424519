"""Maps of images in C (runtime/native/image_maps.c): of arrays of an imagined CUDA, and of the host device's own memory, as Python's."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.arrays_in_c import CudaOfArrays
from support.image_bench import numbers
from support.imagined_device import device_of
from support.leaks import leaves_nothing
from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import image_transfers
from cl2cuda.runtime.commands import image_map
from cl2cuda.runtime.image.mapping import ImageMapping
from cl2cuda.runtime.image.region import Region
from cl2cuda.runtime.memory.mapping import Mapping
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, MAP, ORDER, TYPE, STATUS = cl.mem_flags, cl.map_flags, cl.channel_order, cl.channel_type, cl.command_execution_status
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
READ, WRITE, BOTH, INVALIDATE = MAP.READ, MAP.WRITE, MAP.READ | MAP.WRITE, MAP.WRITE_INVALIDATE_REGION
# Python's own steps, behind the function in C.
IN_PYTHON = image_transfers.enqueue_map_image.__self__[1] if library.calls() is not None else None


class Bench:
    """A queue, and an image of 8 x 6 with numbers in it that has been mapped once, since when maps are C's."""

    def __init__(self, context):
        self.context, self.queue = context, cl.CommandQueue(context)
        self.image = self.used((8, 6))
        self.write(self.image, numbers(6, 8, 4))

    def used(self, shape, flags=FLAGS.READ_WRITE, type_=TYPE.UNSIGNED_INT8, order=ORDER.RGBA, **named):
        image = cl.create_image(self.context, flags, cl.ImageFormat(order, type_), shape, **named)
        allowed = READ if flags & (FLAGS.HOST_READ_ONLY) else INVALIDATE
        region = tuple(shape)
        cl.enqueue_map_image(self.queue, image, allowed, (0,), region, (1,), np.uint8)[0].base.release()
        return image

    def write(self, image, data):
        image_transfers._enqueue_write_image(self.queue, image, (0, 0, 0), (*data.shape[-2::-1], 1, 1)[:3], data)

    def contents(self, image=None, shape=(6, 8, 4)):
        found = np.zeros(shape, np.uint8)
        image_transfers._enqueue_read_image(self.queue, image or self.image, (0, 0, 0), (*shape[-2::-1], 1, 1)[:3], found)
        return found

    def map(self, flags=READ, origin=(0, 0), region=(8, 6), shape=(6, 8, 4), dtype=np.uint8, way=cl.enqueue_map_image, queue=None, image=None,
            **how):
        return way(queue or self.queue, image or self.image, flags, origin, region, shape, dtype, **how)

    @property
    def mappings(self):
        return self.image._core.mappings


@pytest.fixture
def cuda():
    return CudaOfArrays()


@pytest.fixture(params=["imagined CUDA", *DEVICES], ids=lambda device: getattr(device, "name", device))
def bench(request):
    if request.param == "imagined CUDA":
        cuda = request.getfixturevalue("cuda")
        return Bench(cl.Context([device_of(cuda)]))
    return Bench(cl.Context([request.param]))


@pytest.fixture
def of_arrays(cuda, by_python, submitted):
    made = Bench(cl.Context([device_of(cuda)]))
    by_python.clear()
    submitted.clear()
    cuda.calls.clear()
    return made


@pytest.fixture
def by_python(monkeypatch):
    """The maps that Python's own steps have made."""
    made, genuine = [], image_map.enqueue_map_image
    monkeypatch.setattr(image_map, "enqueue_map_image", lambda *arguments: made.append(arguments) or genuine(*arguments))
    return made


def told(bench, found):
    """What can be seen of a map."""
    array, event, row_pitch, slice_pitch = found
    return (array.dtype, array.shape, array.strides, array.flags.writeable, array.__array_interface__["data"], type(array.base), array.base._queue,
            array.base._memory, array.base._mapped, hasattr(array.base, "__array_interface__"), type(event), event.command_type,
            event.command_execution_status, row_pitch, slice_pitch, {at: list(regions) for at, regions in bench.mappings.items()})


@pytest.mark.parametrize("flags", [READ, WRITE, BOTH, INVALIDATE])
@pytest.mark.parametrize("part", [
    ((0, 0), (8, 6), (6, 8, 4), np.uint8), ((0, 0, 0), (8, 6, 1), (192,), "u1"), ((2, 1), (3, 4), (4,), np.uint16), ((5,), (1,), 1, np.int32),
    ((0, 5, 0), (8, 1, 1), (8,), np.dtype("<f4")), ((7, 5), (1, 1), (1, 4), np.int8), ((0, 0), (), (2,), np.uint8)], ids=str)
def test_a_map_is_that_of_python(bench, by_python, submitted, flags, part):
    origin, region, shape, dtype = part
    before, found = bench.contents(), []
    for way in (cl.enqueue_map_image, IN_PYTHON):
        by_python.clear()
        submitted.clear()
        mapped = bench.map(flags, origin, region, shape, dtype, way=way)
        found.append((told(bench, mapped), mapped[0].tobytes() if flags != INVALIDATE else b""))
        (mapping,), = bench.mappings.values()
        assert type(mapping) is ImageMapping and type(mapping.region) is Region and type(mapping.region.size) is tuple
        if flags == INVALIDATE and mapping.copy:
            mapped[0][...] = 0
        event = mapped[0].base.release()
        found[-1] += (type(event), event.command_type)
        event.wait()
        assert len(by_python) == (way is IN_PYTHON) and not bench.mappings and mapped[0].base._mapped is None
        assert submitted == ["clEnqueueMapImage"] * (way is IN_PYTHON)
        assert flags == INVALIDATE or np.array_equal(bench.contents(), before)
    assert found[0] == found[1]


def test_what_is_written_comes_back(bench, by_python):
    by_python.clear()
    for flags in (WRITE, BOTH, INVALIDATE):
        expected = bench.contents()
        array, _, row_pitch, _ = bench.map(flags, (2, 1), (3, 4), (3 * 32 + 12,), np.uint8)
        assert row_pitch == 32
        rows = np.lib.stride_tricks.as_strided(array, (4, 3, 4), (row_pitch, 4, 1))
        assert flags == INVALIDATE or np.array_equal(rows, expected[1:5, 2:5])
        rows[:] = numbers(4, 3, 4, seed=flags + 5)
        expected[1:5, 2:5] = rows
        array.base.release()
        assert np.array_equal(bench.contents(), expected)
    array = bench.map(READ)[0]
    assert np.array_equal(array, expected)
    del array, rows
    gc.collect()
    assert not bench.mappings and not by_python


@pytest.mark.parametrize("shape, named", [((5, 4, 3), {}), ((5, 4, 3), {"is_array": True}), ((16,), {})], ids=["3D", "2D array", "1D"])
def test_other_types(bench, by_python, shape, named):
    image, data = bench.used(shape, **named), numbers(*shape[::-1], 4)
    bench.write(image, data)
    region, found = tuple(max(1, side - 1) for side in shape), []
    origin = tuple(side - part for side, part in zip(shape, region, strict=True))
    count = 1
    for way in (cl.enqueue_map_image, IN_PYTHON):
        by_python.clear()
        array, event, row_pitch, slice_pitch = bench.map(WRITE, origin, region, (count,), np.uint8, way=way, image=image)
        found.append((array.__array_interface__["data"], row_pitch, slice_pitch, image._core.mappings.copy(), event.command_type))
        assert len(by_python) == (way is IN_PYTHON)
        array.base.release()
        assert not image._core.mappings
    assert found[0] == found[1] and bool(found[0][2]) == (len(shape) == 3)
    assert np.array_equal(bench.contents(image, data.shape), data)


@pytest.mark.parametrize("how", [
    {"order": "F"}, {"strides": (32, 4, 0)}, {"is_blocking": False}, {"dtype": ">u4", "shape": (8,)}, {"flags": np.uint64(1)},
    {"origin": [0, 0]}, {"origin": (np.int64(0), 0)}, {"shape": [6, 8, 4]}, {"shape": (0,)}, {"queue": "unordered"}, {"queue": "timed"}], ids=str)
def test_other_maps_are_pythons(bench, by_python, how):
    kinds = cl.command_queue_properties
    queues = {"unordered": kinds.OUT_OF_ORDER_EXEC_MODE_ENABLE, "timed": kinds.PROFILING_ENABLE}
    by_python.clear()
    given = dict(how)
    if "queue" in given:
        given["queue"] = cl.CommandQueue(bench.context, properties=queues[given["queue"]])
    array, event, *_ = bench.map(**given)
    event.wait()
    assert len(by_python) == 1
    array.base.release().wait()
    assert not bench.mappings


@pytest.mark.parametrize("wrong", [
    {"flags": 5}, {"flags": 8}, {"flags": -1}, {"origin": (8, 0)}, {"region": (9, 6)}, {"region": (0, 6)}, {"origin": (0, 0, 1)}, {"origin": (-1,)},
    {"region": (8, 6, 2)}, {"shape": (-1,)}, {"dtype": "no type"}, {"order": "Z"}, {"origin": (1 << 70,)}, {"origin": (0, 0, 0, 0)},
    {"region": (2, 2), "shape": (6, 8, 4)}, {"shape": (193,)}, {"queue": 5}, {"image": 5}, {"wait_for": [None]}], ids=str)
def test_errors_are_those_of_python(bench, wrong):
    found = []
    for way in (cl.enqueue_map_image, IN_PYTHON):
        with pytest.raises(Exception) as raised:
            bench.map(way=way, **wrong)
        found.append((raised.type, str(raised.value)))
        bench.mappings.clear()  # of an array that could not be made
    assert found[0] == found[1]
    with pytest.raises(TypeError):
        cl.enqueue_map_image(bench.queue, bench.image)


@pytest.mark.parametrize("refused, flags", [
    (FLAGS.HOST_WRITE_ONLY, READ), (FLAGS.HOST_READ_ONLY, INVALIDATE), (FLAGS.HOST_READ_ONLY, BOTH)])
def test_what_the_host_may_not_do(bench, refused, flags):
    image = bench.used((8, 6), FLAGS.READ_WRITE | refused)
    for way in (cl.enqueue_map_image, IN_PYTHON):
        with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
            bench.map(flags, way=way, image=image)


def test_images_that_no_command_changes(bench):
    data = numbers(6, 8, 4)
    image = cl.create_image(bench.context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR | 1 << 6, cl.ImageFormat(ORDER.RGBA, TYPE.UNSIGNED_INT8), (8, 6),
                            hostbuf=data)
    for way in (cl.enqueue_map_image, cl.enqueue_map_image, IN_PYTHON):
        array = bench.map(READ, way=way, image=image)[0]
        assert np.array_equal(array, data)
        array.base.release()
        with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
            bench.map(WRITE, way=way, image=image)


def test_regions_that_overlap_are_refused_and_others_are_not(bench, by_python):
    by_python.clear()
    first = bench.map(WRITE, (0, 0), (2, 2), (8,))[0]
    with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
        bench.map(READ)
    second = bench.map(READ, (4, 4), (2, 2), (8,))[0]
    assert len(by_python) == 2 and len(bench.mappings) == 2
    first.base.release()
    second.base.release()
    assert not bench.mappings


def test_a_buffer_and_an_image_over_it_are_mapped_as_one(bench):
    buffer = cl.Buffer(bench.context, FLAGS.READ_WRITE, 1 << 16)
    image = cl.create_image(bench.context, FLAGS.READ_WRITE, cl.ImageFormat(ORDER.RGBA, TYPE.UNSIGNED_INT8), shape=(64,), buffer=buffer)

    def of_buffer(flags, offset=4, way=cl.enqueue_map_buffer):
        return way(bench.queue, buffer, flags, offset, (4,), np.uint8)[0]

    def of_image(flags, x=1, way=cl.enqueue_map_image):
        return bench.map(flags, (x,), (2,), (2, 4), image=image, way=way)[0]

    for mapped, other in ((of_buffer, of_image), (of_image, of_buffer)):
        for _ in range(3):
            array = mapped(WRITE)
            with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
                other(READ)
            array[...] = 7
            array.base.release()
            array, second = mapped(READ), other(READ)
            assert array.flat[0] == second.flat[0] == 7
            with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
                mapped(INVALIDATE)
            array.base.release()
            with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
                mapped(WRITE)
            second.base.release()
    assert not buffer._core.mappings


def test_a_map_of_pythons_is_unmapped_in_c_and_the_other_way_round(bench, submitted):
    expected = bench.contents()
    array = bench.map(WRITE, way=IN_PYTHON)[0]
    array[0, 0] = expected[0, 0] = (9, 8, 7, 6)
    submitted.clear()
    array.base.release()
    assert not submitted and not bench.mappings
    array = bench.map(WRITE)[0]
    array[1, 1] = expected[1, 1] = (1, 2, 3, 4)
    array.base._release_in_python()
    assert not bench.mappings and np.array_equal(bench.contents(), expected)
    for way in (array.base.release, array.base._release_in_python):
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            way()


def test_an_unmap_behind_other_commands(bench, submitted):
    other, gate = cl.CommandQueue(bench.context), cl.UserEvent(bench.context)
    array = bench.map(WRITE)[0]
    submitted.clear()
    event = array.base.release(queue=other, wait_for=[cl.enqueue_marker(bench.queue)])
    assert event.command_queue == other and len(submitted) <= 1
    event.wait()
    array = bench.map(WRITE)[0]
    submitted.clear()
    event = array.base.release(None, [gate])
    assert submitted == ["clEnqueueUnmapMemObject"] and event.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    event.wait()


def test_a_released_image(bench):
    array = bench.map(WRITE)[0]
    bench.image.release()
    found = []
    for way in (array.base._release_in_python, array.base.release):
        with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT") as raised:
            array.base._mapped = array.base._mapped or 1
            way()
        found.append(str(raised.value))
    assert found[0] == found[1]
    for way in (cl.enqueue_map_image, IN_PYTHON):
        with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT"):
            bench.map(way=way)


def test_the_memory_stays_as_long_as_the_array(bench):
    array = bench.map(READ)[0]
    expected = array.copy()
    image, bench.image = bench.image, None
    del image
    gc.collect()
    assert np.array_equal(array, expected)
    array.base.release()


def test_maps_leave_nothing_behind(bench):
    core, elements = bench.image._core, bench.image._core.elements
    counted = (core, elements, elements.mappings, core.known_array, bench.queue._core, None, ImageMapping, Region)

    def turn():
        for flags in (READ, WRITE, INVALIDATE):
            bench.map(flags, (1, 1), (2, 2), (8,))[0].base.release()
        with pytest.raises(cl.LogicError):
            bench.map(READ, (9, 9))
        bench.queue.finish()

    for _ in range(20):
        turn()
    leaves_nothing(turn, counted, blocks=3000)  # an imagined CUDA notes its calls


# Over an imagined CUDA


def test_what_cuda_is_given(of_arrays, cuda, by_python, submitted):
    array = of_arrays.map(READ)[0]
    array.base.release()
    assert cuda.calls == ["array"]
    of_arrays.map(WRITE)[0].base.release()
    assert cuda.calls == ["array"] * 3
    of_arrays.map(INVALIDATE, (1, 1), (2, 2), (8,))[0].base.release()
    assert cuda.calls == ["array"] * 4 and not by_python and not submitted


def test_what_cuda_refuses_is_pythons(of_arrays, cuda, by_python, submitted):
    cuda.status = 1
    array = of_arrays.map(WRITE)[0]
    assert len(by_python) == 1
    submitted.clear()
    array.base.release()
    assert submitted == ["clEnqueueUnmapMemObject"] and not of_arrays.mappings and array.base._mapped is None


def test_planes_of_one_row_are_pythons(of_arrays, by_python, submitted):
    """As CUDA counts them (`_in_memory` of cuda/regions.py)."""
    image = of_arrays.used((5, 1, 3))
    by_python.clear()
    submitted.clear()
    of_arrays.map(WRITE, (0, 0, 0), (5, 1, 3), (1,), image=image)[0].base.release()
    assert len(by_python) == 1 and submitted == ["clEnqueueMapImage", "clEnqueueUnmapMemObject"]


def test_a_map_that_waits_long_is_pythons(of_arrays, cuda, by_python):
    """Until Python asks: by then what is in C has waited as long as it does."""
    def asked(handle):
        was_busy, cuda.busy = cuda.busy, False
        return 600 if was_busy else 0

    expected, cuda.busy = of_arrays.contents(), True
    cuda.runtime.streamQuery = asked
    array, event, *_ = of_arrays.map(READ)
    assert np.array_equal(array, expected) and event.command_execution_status == STATUS.COMPLETE and len(by_python) == 1
    (regions,) = of_arrays.mappings.values()
    assert len(regions) == 1
    array.base.release()
    assert not of_arrays.mappings


def test_memory_of_the_applications(bench, by_python):
    """It is not page-locked, and on the host device a copy."""
    data = numbers(6, 8, 4)
    image = cl.create_image(bench.context, FLAGS.READ_WRITE | FLAGS.USE_HOST_PTR, cl.ImageFormat(ORDER.RGBA, TYPE.UNSIGNED_INT8), (8, 6), hostbuf=data)
    for _ in range(3):
        by_python.clear()
        array = bench.map(BOTH, image=image)[0]
        assert np.array_equal(array, data) and len(by_python) == 1
        array.base.release()


# On the devices there are


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_many_maps_from_several_threads(device):
    """Each thread in an image of its own, in one queue and in several."""
    context = cl.Context([device])
    shared = cl.CommandQueue(context)

    def work(seed, queue, failures):
        random = np.random.default_rng(seed)
        image = cl.create_image(context, FLAGS.READ_WRITE, cl.ImageFormat(ORDER.R, TYPE.UNSIGNED_INT8), (64, 64))
        cl.enqueue_fill_image(queue, image, np.zeros(4, np.uint32), (0, 0), (64, 64))
        expected = np.zeros((64, 64), np.uint8)
        for turn in range(60):
            x, y = (int(n) for n in random.integers(0, 32, 2))
            w, h = (int(n) for n in random.integers(1, 33, 2))
            flags = (WRITE, INVALIDATE)[turn % 2]
            array, _, pitch, _ = cl.enqueue_map_image(queue, image, flags, (x, y), (w, h), ((h - 1) * 64 + w,), np.uint8)
            rows = np.lib.stride_tricks.as_strided(array, (h, w), (pitch, 1))
            rows[:] = expected[y : y + h, x : x + w] = random.integers(0, 256, (h, w), np.uint8)
            array.base.release(queue)
            found = cl.enqueue_map_image(queue, image, READ, (0, 0), (64, 64), (64, 64), np.uint8)[0]
            if not np.array_equal(found, expected):
                failures.append((seed, turn))
            found.base.release()

    for queue in (shared, None):
        failures: list[object] = []
        run_together(work, *[(seed, queue or cl.CommandQueue(context), failures) for seed in range(4)])
        assert not failures


# What code in C goes by


def test_the_fields_are_those_that_code_in_c_knows():
    assert ImageMapping._fields[:4] == ("region", "rows", "flags", "copy") and Region._fields == ("level", "offset", "size")
    assert Mapping._fields[2:] == ImageMapping._fields[2:4]  # MAP_FLAGS and IS_COPY of maps.h
