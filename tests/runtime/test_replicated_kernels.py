"""Kernels in contexts of several devices: what they only read is on all of them."""


import numpy as np
import pytest
from support.several_devices import N, Several, devices_of, random_bytes

from cl2cuda.runtime.commands import image as image_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes

SOURCE = """
kernel void add(global const uint *x, constant uint *c, global uint *y) { y[get_global_id(0)] += x[get_global_id(0)] + c[0]; }
kernel void casts(global const uint *x) { ((global uint *)x)[get_global_id(0)] = 7; }
kernel void plain(global uint *x, global uint *y) { y[get_global_id(0)] = x[get_global_id(0)] + 1; }
kernel void paint(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, at) + 1);
}
"""


@pytest.fixture(params=["host", "cuda"])
def computing(request):
    world = Several(devices_of(request.param))
    world.programs = {}

    def kernel(name, *arguments, without=""):
        source = SOURCE.replace(without, "") if without else SOURCE
        if source not in world.programs:
            world.programs[source] = Program(world.context, source)
            world.programs[source].build("-cl-std=CL2.0")
        made = Kernel(world.programs[source], name)
        for index, argument in enumerate(arguments):
            made.set_arg(index, argument)
        return made

    world.kernel = kernel
    return world


CASTS = SOURCE.splitlines()[2]


def launch(queue, kernel, wait_for=()):
    return enqueue_nd_range_kernel(queue, kernel, 1, None, (N // 4,), None, wait_for)


def test_what_kernels_only_read_is_on_all_devices(computing):
    words = random_bytes().view(np.uint32)
    x, c = computing.buffer(words), computing.buffer(np.array([5], np.uint32))
    results = [computing.buffer(np.zeros(N, np.uint8)) for _ in computing.devices]
    for _ in range(3):
        events = [launch(queue, computing.kernel("add", x, c, y, without=CASTS))
                  for queue, y in zip(computing.queues, results, strict=True)]
        assert computing.places(x) == computing.places(c) == [True, True]
    assert [computing.places(y) for y in results] == [[True, False], [False, True]]
    for queue, y, event in zip(reversed(computing.queues), results, events, strict=True):
        assert np.array_equal(computing.read(queue, y, [event]).view(np.uint32), 3 * (words + np.uint32(5)))


def test_const_that_is_cast_away_counts_as_written(computing):
    x = computing.buffer(random_bytes())
    computing.read(computing.queues[1], x)
    event = launch(computing.queues[1], computing.kernel("casts", x))
    assert computing.places(x) == [False, True]
    assert (computing.read(computing.queues[0], x, [event]).view(np.uint32) == 7).all()


def test_read_only_buffers_are_replicated_whatever_the_kernel_says(computing):
    words = random_bytes().view(np.uint32)
    x, y = computing.buffer(words, codes.MEM_READ_ONLY), computing.buffer()
    event = launch(computing.queues[1], computing.kernel("plain", x, y))
    assert computing.places(x) == [True, True] and computing.places(y) == [False, True]
    assert np.array_equal(computing.read(computing.queues[0], y, [event]).view(np.uint32), words + np.uint32(1))


def test_one_buffer_as_two_arguments(computing):
    """Read by one and written by the other, which decides."""
    words = random_bytes().view(np.uint32)
    x = computing.buffer(words)
    c = computing.buffer(np.array([1], np.uint32))
    event = launch(computing.queues[1], computing.kernel("add", x, c, x, without=CASTS))
    assert computing.places(x) == [False, True]
    assert np.array_equal(computing.read(computing.queues[0], x, [event]).view(np.uint32), 2 * words + np.uint32(1))


def test_images_that_kernels_read_are_replicated(computing):
    elements = random_bytes(2, 4 * 32 * 16).reshape(16, 32, 4) % 100
    descriptor = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 32, 16)
    image = Image(computing.context, codes.MEM_COPY_HOST_PTR, (0x10B5, 0x10DA), descriptor, elements)
    painted = Image(computing.context, 0, (0x10B5, 0x10DA), descriptor)
    event = enqueue_nd_range_kernel(computing.queues[1], computing.kernel("paint", image, painted), 2, None, (32, 16), None)
    assert image.elements.places() == set(computing.devices) and painted.elements.places() == {computing.devices[1]}
    found = np.zeros_like(elements)
    image_commands.enqueue_read_image(computing.queues[0], painted, True, (0, 0, 0), (32, 16, 1), 0, 0, found, [event])
    assert np.array_equal(found, elements + 1)


@pytest.mark.parametrize("leave", ["release", "drop"])
def test_a_launch_that_waits_keeps_what_is_released(computing, leave):
    """"After the memobj reference count becomes zero and commands queued for execution on a command-queue(s) that use memobj have finished,
    the memory object is deleted" (5.5.1)."""
    words, elements = random_bytes().view(np.uint32), random_bytes(2, 4 * 32 * 16).reshape(16, 32, 4) % 100
    descriptor = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 32, 16)
    x, y = computing.buffer(words), computing.buffer()
    image = Image(computing.context, codes.MEM_COPY_HOST_PTR, (0x10B5, 0x10DA), descriptor, elements)
    painted = Image(computing.context, 0, (0x10B5, 0x10DA), descriptor)
    gate = UserEvent(computing.context)
    computed = launch(computing.queues[1], computing.kernel("plain", x, y), [gate])
    paint = enqueue_nd_range_kernel(computing.queues[1], computing.kernel("paint", image, painted), 2, None, (32, 16), None, [gate])
    if leave == "release":
        x.release()
        image.release()
    del x, image
    others = [computing.buffer(random_bytes(3)) for _ in range(4)]  # which take what is free
    gate.set_status(codes.COMPLETE)
    assert np.array_equal(computing.read(computing.queues[0], y, [computed]).view(np.uint32), words + np.uint32(1))
    found = np.zeros_like(elements)
    image_commands.enqueue_read_image(computing.queues[0], painted, True, (0, 0, 0), (32, 16, 1), 0, 0, found, [paint])
    assert np.array_equal(found, elements + 1)
    del others
