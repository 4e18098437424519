"""Images in Python programs whose arrays code in C makes at their first use (runtime/native/own_arrays.c), over a CUDA that is imagined: what
kernels are given for them, when Python has them, and what becomes of their arrays."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
import weakref

import numpy as np
import pytest
from support.arrays_in_c import CudaOfArrays
from support.image_bench import FILL, READ, WRITE, Bench
from support.imagined_device import device_of
from support.leaks import leaves_nothing

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.driver.image_argument import ALL_STATES, ImageArgument
from cl2cuda.runtime.image import elements
from cl2cuda.runtime.image.image import layout_of
from cl2cuda.runtime.native import library
from cl2cuda.runtime.spec.errors import CLError

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS = cl.mem_flags
NOT_READY = 600
TYPES = [((8, 6), False), ((8,), False), ((8, 6, 3), False), ((8, 6, 3), True)]  # shape, whether it is an array


@pytest.fixture
def quick_turns():
    """Threads of Python's take turns a hundred times as often."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.fixture
def bench():
    bench = Bench(cl.Context([device_of(CudaOfArrays())]))
    bench.cuda = bench.context.devices[0]._core.driver_device.cuda
    bench.prepare()
    return bench


def image(bench, shape, data=None, is_array=False):
    flags = FLAGS.READ_WRITE if data is None else FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR
    pixels = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    return cl.create_image(bench.context, flags, pixels, shape, is_array=is_array, hostbuf=data)


def learn(bench, shape=(8, 6), data=None, is_array=False):
    """The context has had one like that."""
    image(bench, shape, data, is_array)


def pattern(*shape):
    return (np.arange(np.prod(shape)) % 251).astype(np.uint8).reshape(shape)


def is_own(made):
    return made._core.own_array is not None and "_elements" not in vars(made._core)


def facts(argument):
    found = ImageArgument.from_buffer_copy(argument)
    more = [list(map(bool, found.textures)), bool(found.surface)]
    return more + [getattr(found, name) for name, _ in ImageArgument._fields_ if name not in ("textures", "surface")]


@pytest.mark.parametrize(("shape", "is_array"), TYPES)
@pytest.mark.parametrize("sampled", [True, False])
def test_kernels_are_given_what_python_gives(bench, shape, is_array, sampled):
    learn(bench, shape, is_array=is_array)
    for more in range(1, 4):
        made = image(bench, tuple(side + more for side in shape), is_array=is_array)
        given = made._core.argument(ALL_STATES * sampled)
        assert is_own(made) and facts(given)[0] == [sampled] * 10
        in_python = made._core.elements.on(bench.context.devices[0]._core).argument(made._core.format, sampled)
        assert facts(given) == facts(in_python) and not is_own(made)
        assert ImageArgument.from_buffer_copy(in_python).surface == ImageArgument.from_buffer_copy(given).surface
        made.release()


def test_textures_are_made_as_kernels_need_them(bench):
    """In place of one that is not needed stands another one: whether there can be one is what the choice of code goes by."""
    learn(bench)
    made, before = image(bench, (9, 6)), len(bench.cuda.made)
    for states, count in ((1, 1), (1, 1), (1 | 1 << 8, 2), (1 << 2, 2), (0, 2), (ALL_STATES, 6)):  # integers are not filtered
        given = ImageArgument.from_buffer_copy(made._core.argument(states))
        assert len(bench.cuda.made) - before == 1 + count and all(given.textures) == (states != 0)
    assert len(set(given.textures)) == 6 and given.textures[2] == given.textures[8]


def test_a_size_that_comes_again_is_no_different(bench):
    learn(bench)
    for number in range(5):
        made = image(bench, (20, 10))
        assert facts(made._core.argument(ALL_STATES))[5:9] == [20, 10, 1, 1]
        assert is_own(made) == (number != 1)  # The second one is made by Python, which notes the kind.


@pytest.mark.parametrize("side", [16, 160])  # few contents are bytes, more are in page-locked memory
def test_contents_are_there_whoever_looks(bench, side):
    data = pattern(side, side, 4)
    learn(bench, (side, side), data)
    for more in range(1, 6):
        width, data = side + more, pattern(side, side + more, 4)
        made, found = image(bench, (width, side), data), np.zeros_like(data)
        if more % 2:
            made._core.argument(ALL_STATES)
        READ(bench.queue, made, (0, 0, 0), (width, side, 1), found)
        assert np.array_equal(found, data) and (is_own(made) or side > 16)  # Python has read what is more than little.
        arrays = len(bench.cuda.arrays.arrays)
        mapped, *_ = cl.enqueue_map_image(bench.queue, made, cl.map_flags.READ, (0, 0), (width, side), (side, width, 4), np.uint8)
        assert np.array_equal(mapped, data) and not is_own(made) and len(bench.cuda.arrays.arrays) == arrays
        mapped.base.release()
        made.release()


def test_the_first_command_takes_no_steps_of_pythons(bench):
    learn(bench)
    data = pattern(10, 30, 4)
    WRITE(bench.queue, image(bench, (30, 10)), (0, 0, 0), (30, 10, 1), data)
    for height in range(11, 16):
        made, data, found = image(bench, (30, height)), pattern(height, 30, 4), np.zeros((height, 30, 4), np.uint8)
        assert not steps_of(lambda made=made, data=data, height=height: WRITE(bench.queue, made, (0, 0, 0), (30, height, 1), data)) and is_own(made)
        READ(bench.queue, made, (0, 0, 0), (30, height, 1), found)
        assert np.array_equal(found, data)
        FILL(bench.queue, made, np.array([1, 2, 3, 4], np.uint32), (0, 0, 0), (30, height, 1))
        READ(bench.queue, made, (0, 0, 0), (30, height, 1), found)
        assert (found == (1, 2, 3, 4)).all()


LOOK = "__kernel void look(__read_only image2d_t image, __global float *x) { x[0] = read_imagef(image, (int2)(0, 1)).x; }"


def steps_of(call):
    """cl2cuda's functions in Python that are called, but for what ends of other tests' objects."""
    steps = []
    gc.collect()
    gc.disable()
    sys.setprofile(lambda frame, event, argument: event == "call" and "cl2cuda" in frame.f_code.co_filename and steps.append(frame.f_code.co_name))
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return steps


def look_of(bench):
    return cl.Kernel(cl.Program(bench.context, LOOK).build(), "look")


def given(kernel, index=0):
    return ImageArgument.from_buffer_copy(kernel._core.arguments.value_bytes(index))


def test_kernels_take_images_without_steps_of_pythons(bench):
    """Those of a kind that was taken before, and those that were given before; what they are given is what the setter gives."""
    learn(bench)
    look, buffer, made = look_of(bench), cl.Buffer(bench.context, FLAGS.READ_WRITE, 4), [image(bench, (9 + more, 6)) for more in range(6)]
    in_python = cl.create_image(bench.context, FLAGS.READ_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8), (5, 5))
    for each in (in_python, made[0], made[1]):
        look.set_args(each, buffer)
    plans = look._core.plans_number.value
    for each in (made[2], made[0], in_python, made[3], made[3]):
        assert steps_of(lambda each=each: look.set_args(each, buffer)) == []
        found, expected = given(look), ImageArgument.from_buffer_copy(each._core.argument(1))
        assert bytes(found) == bytes(expected) and found.width == each.width
    assert look._core.plans_number.value == plans


def test_kernels_take_no_other_images(bench):
    """The setter says what is wrong with images of other kinds, and with those that are no more; others are asked what plans depend on."""
    learn(bench)
    look, buffer = look_of(bench), cl.Buffer(bench.context, FLAGS.READ_WRITE, 4)
    good, gone = image(bench, (9, 6)), image(bench, (10, 6))
    for each in (gone, good):
        look.set_args(each, buffer)
    gone.release()
    pixels = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    other = Bench(cl.Context([device_of(CudaOfArrays())]))
    elsewhere = cl.create_image(other.context, FLAGS.READ_WRITE, pixels, (9, 6))
    written = cl.create_image(bench.context, FLAGS.WRITE_ONLY, pixels, (9, 6))
    line = image(bench, (9,))
    for bad, reason in ((gone, "released"), (elsewhere, "another context"), (written, "do not allow"), (line, "another type"), (buffer, "takes an image")):
        with pytest.raises(cl.LogicError, match=reason):
            look.set_args(bad, buffer)
        assert given(look).width == 9
    plans = look._core.plans_number.value
    look.set_args(cl.create_image(bench.context, FLAGS.READ_WRITE, cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT), (7, 6)), buffer)
    assert look._core.plans_number.value != plans and given(look).width == 7
    look.set_args(image(bench, (12, 6)), buffer)
    assert given(look).width == 12


def test_arrays_go_back(bench):
    learn(bench)
    begun = len(bench.cuda.arrays.arrays)
    for width in range(9, 209):
        made = image(bench, (width, 6))
        made._core.argument(ALL_STATES)
        bench.queue.finish()
        if width % 2:
            made.release()
        del made
    assert len(bench.cuda.arrays.arrays) - begun <= 64 + 64 + 1
    textures = len(bench.cuda.made)
    assert textures <= 7 * (begun + 129)


def test_what_commands_may_use_stays(bench):
    learn(bench)
    data = pattern(6, 300, 4)
    WRITE(bench.queue, image(bench, (300, 6)), (0, 0, 0), (300, 6, 1), data, is_blocking=False)
    begun = len(bench.cuda.arrays.arrays)
    bench.cuda.runtime.eventQuery = lambda event: NOT_READY if bench.cuda.busy else 0
    bench.cuda.busy, events = True, []
    for width in range(9, 109):
        made = image(bench, (width, 6))
        events.append(WRITE(bench.queue, made, (0, 0, 0), (width, 6, 1), data, is_blocking=False))  # which waits when it goes
        made.release()
    assert len(bench.cuda.arrays.arrays) == begun + 100
    bench.cuda.busy = False
    del events
    bench.queue.finish()
    for width in range(9, 109):
        image(bench, (width, 7))._core.argument(0)
        bench.queue.finish()
    assert len(bench.cuda.arrays.arrays) < begun + 200  # Some have gone back by now.


def test_a_context_goes(bench):
    learn(bench)
    made = image(bench, (9, 6))
    made._core.argument(ALL_STATES)
    gone = weakref.ref(bench.context._core)
    del made, bench.queue, bench.buffer, bench.context
    gc.collect()
    assert gone() is None


def test_without_memory_it_is_pythons_to_say(bench, monkeypatch):
    from cl2cuda.runtime.cuda.device import CudaDevice
    from cl2cuda.runtime.driver.interface import DriverError

    def nothing_left(*given):
        raise DriverError("nothing left", "MEM_OBJECT_ALLOCATION_FAILURE")

    learn(bench)
    made, data, found = image(bench, (9, 6)), pattern(6, 9, 4), np.zeros((6, 9, 4), np.uint8)
    bench.cuda.no_arrays = 2
    with monkeypatch.context() as patched:
        patched.setattr(CudaDevice, "create_image", nothing_left)
        for _ in range(2):
            with pytest.raises(cl.MemoryError, match="MEM_OBJECT_ALLOCATION_FAILURE"):
                WRITE(bench.queue, made, (0, 0, 0), (9, 6, 1), data)
            with pytest.raises(CLError, match="nothing left"):
                made._core.argument(ALL_STATES)
    bench.cuda.no_arrays = 0
    WRITE(bench.queue, made, (0, 0, 0), (9, 6, 1), data)
    READ(bench.queue, made, (0, 0, 0), (9, 6, 1), found)
    assert np.array_equal(found, data)


def test_released_images_are_refused(bench):
    learn(bench)
    made = image(bench, (9, 6))
    made._core.argument(ALL_STATES)
    core = made._core
    made.release()
    assert core.released and library.calls().own_argument(core, ALL_STATES) is None
    with pytest.raises(CLError, match="released"):
        core.argument(ALL_STATES)


def test_threads_that_meet(bench, quick_turns, monkeypatch):
    """Of threads that use an image for the first time, and some that ask for its elements, all find one array, and its contents."""
    learn(bench, (8, 6), pattern(6, 8, 4))
    taken, genuine = [], elements.LateImageStorage.in_memory.__func__
    monkeypatch.setattr(elements.LateImageStorage, "in_memory", classmethod(lambda cls, *given: taken.append(1) or genuine(cls, *given)))
    for width in range(100, 160):
        data = pattern(6, width, 4)
        made, found, start = image(bench, (width, 6), data), [], threading.Barrier(6)

        def use(number, made=made, found=found, start=start, width=width):
            own = np.zeros((6, width, 4), np.uint8)
            start.wait()
            if number < 2:
                made._core.argument(ALL_STATES)
            elif number < 4:
                assert made._core.elements is made._core.elements
            READ(bench.queue, made, (0, 0, 0), (width, 6, 1), own)
            found.append(own)

        threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(found) == 6 and all(np.array_equal(each, data) for each in found)
        made.release()


@pytest.mark.parametrize("when", ["before it reads the contents", "after"])
def test_python_begins_what_code_in_c_has_begun_meanwhile(bench, monkeypatch, when):
    data, found, made = pattern(6, 9, 4), np.zeros((6, 9, 4), np.uint8), None
    learn(bench, data=pattern(6, 8, 4))

    def after_the_array(genuine):
        def call(*given, **named):
            if made is not None and made._core.own_array is None:
                thread = threading.Thread(target=made._core.argument, args=(0,))
                thread.start()
                thread.join()
            return genuine(*given, **named)
        return call

    with monkeypatch.context() as patched:
        if when == "after":
            patched.setattr(elements.LateImageStorage, "__init__", after_the_array(elements.LateImageStorage.__init__))
        else:
            patched.setattr("cl2cuda.runtime.image.image.layout_of", after_the_array(layout_of))
        made = image(bench, (9, 6), data)
        assert made._core.elements is made._core.elements
    READ(bench.queue, made, (0, 0, 0), (9, 6, 1), found)
    assert np.array_equal(found, data)


def test_nothing_is_left(bench):
    learn(bench)
    for width in (9, 10):
        image(bench, (width, 6))._core.argument(ALL_STATES)
    core = bench.context._core
    counted = [core, core.devices[0], next(kind for kind in core.image_kinds.values() if hasattr(kind, "lately")).array_kind]
    bench.queue.finish()
    widths = itertools.count(20)

    def turn():
        width = next(widths)
        made = image(bench, (width, 6))
        made._core.argument(ALL_STATES * (width % 2))
        made.release()
        bench.queue.finish()

    leaves_nothing(turn, counted, turns=40)


def test_a_context_that_went_before_has_its_arrays_freed_by_others(bench):
    learn(bench)
    made = image(bench, (9, 6))
    made._core.argument(1)
    begun, reclaimer = len(bench.cuda.arrays.arrays), bench.context._core._reclaimer
    reclaimer._context_gone = True
    made.release()
    assert len(reclaimer.noted) == 1
    reclaimer._context_gone = False
    bench.context._core.reclaim()
    assert not reclaimer.noted and len(bench.cuda.arrays.arrays) == begun  # It waits for the next one of its size.
