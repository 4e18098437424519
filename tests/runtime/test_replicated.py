"""Contexts of several devices: contents valid in several places, copies between devices, and the order that both keep.

`several` is two devices of each driver: host devices, real GPUs where there are two, an imagined CUDA whose streams run late, with and
without peer access, and the tests' own driver, which has no peer copies.
"""

import functools
import gc
import threading

import numpy as np
import pytest
from support.asynchronous_cuda import SeveralCuda
from support.fails import fails
from support.fake_driver import FakeDevice, words

from cl2cuda.runtime.commands import buffer as commands
from cl2cuda.runtime.commands import buffer_rect
from cl2cuda.runtime.commands import image as image_commands
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverError, DriverMissing
from cl2cuda.runtime.host import host_devices
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.replicated import ReplicatedBuffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

N = 4096
PLATFORM = platforms.platforms()[0]


def devices_of(kind, count=2):
    if kind == "host":
        return [Device(PLATFORM, "host", each) for each in host_devices(count)]
    if kind == "fake":
        return [Device(PLATFORM, "fake", FakeDevice()) for _ in range(count)]
    if kind == "cuda":
        try:
            found = platforms.load_driver("cuda").devices()
        except DriverMissing:
            found = []
        if len(found) < count:
            pytest.skip(f"needs {count} GPUs")
        return [Device(PLATFORM, "cuda", each) for each in found[:count]]
    return SeveralCuda(count, peers=kind == "imagined cuda").devices_of(PLATFORM)


class World:
    def __init__(self, devices):
        self.devices = devices
        self.context = Context(devices)
        self.queues = [CommandQueue(self.context, device) for device in devices]

    def buffer(self, data=None, flags=0, size=N):
        if data is None:
            return Buffer(self.context, flags, size)
        return Buffer(self.context, flags | codes.MEM_COPY_HOST_PTR, host=np.ascontiguousarray(data))

    def read(self, queue, buffer, wait_for=()):
        found = np.zeros(buffer.size, np.uint8)
        commands.enqueue_read_buffer(queue, buffer, True, 0, found, wait_for)
        return found

    def places(self, buffer):
        return [device in buffer.storage.places() for device in self.devices]


KINDS = ["host", "fake", "imagined cuda", "imagined cuda without peer access", "cuda"]


@pytest.fixture(params=KINDS)
def several(request):
    return World(devices_of(request.param))


@pytest.fixture
def imagined():
    return World(devices_of("imagined cuda", 3))


def random_bytes(seed=1, size=N):
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


# Contents in several places


def test_reading_replicates_and_writing_makes_one_owner(several):
    data = random_bytes()
    buffer, (first, second) = several.buffer(data), several.queues
    assert several.places(buffer) == [True, False]
    assert np.array_equal(several.read(second, buffer), data)
    assert several.places(buffer) == [True, True]
    done = commands.enqueue_fill_buffer(second, buffer, b"x", 0, N)
    assert several.places(buffer) == [False, True]
    assert (several.read(first, buffer, [done]) == ord("x")).all()
    assert several.places(buffer) == [True, True]


def test_a_part_that_is_written_has_an_owner_of_its_own(several):
    data = random_bytes()
    buffer, (first, second) = several.buffer(data), several.queues
    events = [commands.enqueue_fill_buffer(second, buffer, b"y", 1024, 512), commands.enqueue_fill_buffer(first, buffer, b"z", 2048, 16)]
    assert several.places(buffer) == [False, False]
    data[1024:1536], data[2048:2064] = ord("y"), ord("z")
    for queue in (first, second, first):
        assert np.array_equal(several.read(queue, buffer, events), data)
    assert several.places(buffer) == [True, True]


def test_sub_buffers_of_one_buffer_have_different_owners(several):
    whole = several.buffer(np.zeros(N, np.uint8))
    parts = [whole.sub_buffer(0, origin, N // 2) for origin in (0, N // 2)]
    moved = []
    for turn in range(4):
        events = [commands.enqueue_fill_buffer(queue, part, bytes([turn + 10 * side]), 0, N // 2)
                  for side, (queue, part) in enumerate(zip(several.queues, parts, strict=True))]
        moved.append(several.context.devices[0].driver_device)
    expected = np.repeat([3, 13], N // 2)
    assert [each.storage.owner(each.offset, each.offset + each.size) for each in parts] == several.devices
    for queue in several.queues:
        assert np.array_equal(several.read(queue, whole, events), expected)


def test_migration_brings_contents_before_they_are_used(several):
    data = random_bytes()
    buffer, (first, second) = several.buffer(data), several.queues
    commands.enqueue_migrate(second, [buffer], 0).wait()
    assert several.places(buffer) == [True, True]
    commands.enqueue_migrate(second, [buffer], codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED).wait()
    assert several.places(buffer) == [False, True]
    commands.enqueue_fill_buffer(second, buffer, b"a", 0, N).wait()
    commands.enqueue_migrate(first, [buffer], codes.MIGRATE_MEM_OBJECT_HOST | codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED).wait()
    assert several.places(buffer) == [False, True]
    assert (several.read(first, buffer) == ord("a")).all()


def test_migration_to_the_host_is_what_mapping_finds(several):
    data = random_bytes()
    buffer, (first, second) = several.buffer(data), several.queues
    whole = codes.MIGRATE_MEM_OBJECT_HOST
    commands.enqueue_fill_buffer(second, buffer, b"m", 0, 512).wait()
    migrated = commands.enqueue_migrate(second, [buffer.sub_buffer(0, 0, 1024)], whole)
    data[:512] = ord("m")
    copies = []
    acquire = buffer.storage.acquire
    buffer.storage.acquire = lambda *arguments: copies.append(arguments[-2:]) or acquire(*arguments)
    for queue, start, size, copied in ((first, 0, 1024, 0), (second, 256, 512, 0), (first, 512, 1024, 1)):
        view, event = enqueue_map_buffer(queue, buffer, True, codes.MAP_READ, start, size, [migrated])
        assert np.array_equal(np.frombuffer(view, np.uint8), data[start : start + size])
        assert len(copies) == copied
        enqueue_unmap(queue, buffer, view, [event]).wait()
    # A part that is written is copied again.
    done = commands.enqueue_fill_buffer(first, buffer, b"w", 128, 128)
    data[128:256] = ord("w")
    for start, size, more in ((0, 128, 0), (64, 128, 1), (128, 128, 1), (256, 512, 0)):
        del copies[:]
        view, event = enqueue_map_buffer(second, buffer, True, codes.MAP_READ, start, size, [done])
        assert np.array_equal(np.frombuffer(view, np.uint8), data[start : start + size])
        assert len(copies) == more
        enqueue_unmap(second, buffer, view, [event]).wait()


def test_what_is_written_through_a_map_is_what_the_next_map_finds(several):
    buffer, (first, second) = several.buffer(np.zeros(N, np.uint8)), several.queues
    migrated = commands.enqueue_migrate(first, [buffer], codes.MIGRATE_MEM_OBJECT_HOST)
    view, event = enqueue_map_buffer(first, buffer, True, codes.MAP_WRITE_INVALIDATE_REGION, 0, 64, [migrated])
    view[:] = b"v" * 64
    done = enqueue_unmap(first, buffer, view, [event])
    moved = commands.enqueue_fill_buffer(second, buffer, b"u", 32, 32, [done])
    view, event = enqueue_map_buffer(second, buffer, True, codes.MAP_READ, 0, 128, [moved])
    assert bytes(view) == b"v" * 32 + b"u" * 32 + bytes(64)
    enqueue_unmap(second, buffer, view, [event]).wait()


def test_memory_is_only_on_devices_that_use_it(several):
    buffer = several.buffer()
    assert not buffer.storage.addresses
    commands.enqueue_fill_buffer(several.queues[1], buffer, b"a", 0, N).wait()
    assert len(buffer.storage.addresses) == 1 and several.places(buffer) == [False, True]


@pytest.mark.parametrize("flags", [codes.MEM_USE_HOST_PTR, codes.MEM_ALLOC_HOST_PTR])
def test_maps_and_devices(several, flags):
    data = random_bytes()
    host = data.copy() if flags == codes.MEM_USE_HOST_PTR else None
    buffer = Buffer(several.context, flags, N, host)
    first, second = several.queues
    if host is None:
        commands.enqueue_write_buffer(first, buffer, True, 0, data)
    event = commands.enqueue_fill_buffer(first, buffer, b"q", 0, 64)
    data[:64] = ord("q")
    view, mapped = enqueue_map_buffer(second, buffer, True, codes.MAP_READ | codes.MAP_WRITE, 32, 128, [event])
    assert np.array_equal(np.frombuffer(view, np.uint8), data[32:160])
    view[:4] = b"abcd"
    data[32:36] = list(b"abcd")
    done = enqueue_unmap(second, buffer, view, [mapped])
    assert np.array_equal(several.read(first, buffer, [done]), data)


# Copies


def test_copies_between_buffers_of_two_devices(several):
    data = random_bytes()
    first, second = several.queues
    for queue in several.queues:
        source, target = several.buffer(data), several.buffer(np.zeros(N, np.uint8))
        ready = commands.enqueue_fill_buffer(second, target, b"b", 0, N)
        done = commands.enqueue_copy_buffer(queue, source, target, 16, 64, 1000, [ready])
        expected = np.full(N, ord("b"), np.uint8)
        expected[64:1064] = data[16:1016]
        assert np.array_equal(several.read(first, target, [done]), expected)


def test_a_copy_into_a_part_goes_to_the_owner_of_the_rest(imagined):
    """A halo that is pushed: one copy between devices, and none when the neighbour uses it."""
    first, second, _ = imagined.queues
    mine, yours = imagined.buffer(random_bytes()), imagined.buffer(np.zeros(N, np.uint8))
    cuda = imagined.devices[0].driver_device.cuda.several
    ready = commands.enqueue_fill_buffer(second, yours, b"b", 0, N)
    done = commands.enqueue_copy_buffer(first, mine, yours, 0, 128, 256, [ready])
    assert imagined.places(yours) == [False, True, False]
    imagined.read(second, yours, [done])
    assert cuda.peer_copied == 256


def test_a_copy_gathers_from_all_devices(several):
    whole, target = several.buffer(np.zeros(N, np.uint8)), several.buffer()
    parts = [whole.sub_buffer(0, origin, N // 2) for origin in (0, N // 2)]
    events = [commands.enqueue_fill_buffer(queue, part, bytes([side + 1]), 0, N // 2)
              for side, (queue, part) in enumerate(zip(several.queues, parts, strict=True))]
    done = commands.enqueue_copy_buffer(several.queues[1], whole, target, 0, 0, N, events)
    assert np.array_equal(several.read(several.queues[0], target, [done]), np.repeat([1, 2], N // 2))


def test_rectangles_between_devices(several):
    data = random_bytes().reshape(16, 16, 16)
    source, target = several.buffer(data), several.buffer(np.zeros(N, np.uint8))
    second = several.queues[1]
    done = buffer_rect.enqueue_copy_buffer_rect(second, source, target, (1, 2, 3), (4, 5, 6), (7, 8, 9), (16, 256), (16, 256))
    expected = np.zeros_like(data)
    expected[6:15, 5:13, 4:11] = data[3:12, 2:10, 1:8]
    assert np.array_equal(several.read(several.queues[0], target, [done]), expected.reshape(-1))
    back = np.zeros((9, 8, 7), np.uint8)
    buffer_rect.enqueue_read_buffer_rect(several.queues[0], target, True, (4, 5, 6), (0, 0, 0), (7, 8, 9), (16, 256), (0, 0), back)
    assert np.array_equal(back, data[3:12, 2:10, 1:8])


@pytest.mark.parametrize("kind", KINDS)
def test_images_between_devices(kind):
    world = World(devices_of(kind))
    first, second = world.queues
    elements = random_bytes(2, 4 * 64 * 48).reshape(48, 64, 4)
    descriptor = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 64, 48)
    image = Image(world.context, codes.MEM_COPY_HOST_PTR, (0x10B5, 0x10DA), descriptor, elements)
    other = Image(world.context, 0, (0x10B5, 0x10DA), descriptor)
    written = image_commands.enqueue_copy_image(second, image, other, (0, 0, 0), (0, 0, 0), (64, 48, 1))
    assert image.elements.places() == set(world.devices)
    painted = image_commands.enqueue_fill_image(first, other, np.array([1, 2, 3, 4], np.uint32), (3, 4, 0), (5, 6, 1), [written])
    elements = elements.copy()
    elements[4:10, 3:8] = (1, 2, 3, 4)
    found = np.zeros_like(elements)
    image_commands.enqueue_read_image(second, other, True, (0, 0, 0), (64, 48, 1), 0, 0, found, [painted])
    assert np.array_equal(found, elements)


def test_large_contents_go_in_parts():
    """Without peer copies: more parts than there are pieces of host memory."""
    world = World(devices_of("fake"))
    size = (14 << 20) + 12345
    data = random_bytes(3, size)
    buffer = world.buffer(data)
    second = world.queues[1]
    found = np.zeros(size, np.uint8)
    event = commands.enqueue_read_buffer(second, buffer, False, 0, found)
    assert not found.any()  # nothing was waited for
    event.wait()
    assert np.array_equal(found, data)
    assert sum(map(len, world.devices[1].driver_device.host_memory.values())) <= 16 << 20


# Order


def test_a_copy_comes_after_what_the_command_waits_for(imagined):
    first, second, _ = imagined.queues
    for turn in range(50):
        buffer = imagined.buffer(np.zeros(N, np.uint8))
        written = commands.enqueue_fill_buffer(first, buffer, bytes([turn + 1]), 0, N)
        found = np.zeros(N, np.uint8)
        read = commands.enqueue_read_buffer(second, buffer, False, 0, found, [written])
        over = commands.enqueue_fill_buffer(first, buffer, b"\xff", 0, N, [read])
        over.wait()
        assert (found == turn + 1).all()


def test_a_second_reader_waits_for_the_copy_of_the_first(imagined):
    """Two queues of one device, without an event between them."""
    other = CommandQueue(imagined.context, imagined.devices[1])
    for turn in range(50):
        buffer, target = imagined.buffer(random_bytes(turn)), imagined.buffer()
        commands.enqueue_migrate(imagined.queues[1], [buffer], 0)
        commands.enqueue_copy_buffer(other, buffer, target, 0, 0, N)
        assert np.array_equal(imagined.read(other, target), random_bytes(turn))


def test_a_reader_waits_for_the_copy_for_a_command_that_may_write(imagined):
    """As kernels do whose arguments are not const: a rectangle, here, which is read around and not told."""
    other = CommandQueue(imagined.context, imagined.devices[1])
    for turn in range(50):
        data = random_bytes(turn)
        buffer, target, patch = imagined.buffer(data), imagined.buffer(), imagined.buffer(data)
        commands.enqueue_migrate(imagined.queues[1], [patch], 0).wait()
        buffer_rect.enqueue_copy_buffer_rect(imagined.queues[1], patch, buffer, (0, 0, 0), (0, 0, 0), (8, 64, 1), (64, 0), (64, 0))
        commands.enqueue_copy_buffer(other, buffer, target, 1024, 1024, 1024)
        assert np.array_equal(imagined.read(other, target)[1024:2048], data[1024:2048])


def test_readers_on_two_devices_do_not_wait_for_each_other(imagined):
    """A user event holds the first; the second reads the same buffer, and ends."""
    buffer = imagined.buffer(random_bytes())
    first, second, third = imagined.queues
    gate = UserEvent(imagined.context)
    one = np.zeros(N, np.uint8)
    held = commands.enqueue_read_buffer(first, buffer, False, 0, one, [gate])
    assert np.array_equal(imagined.read(second, buffer), random_bytes())
    assert np.array_equal(imagined.read(third, buffer), random_bytes())
    assert not one.any()
    gate.set_status(codes.COMPLETE)
    held.wait()
    assert np.array_equal(one, random_bytes())


def test_readers_put_no_wait_into_each_others_streams(imagined):
    """The streams' own waits are counted: a reader waits for no other reader, on whatever device."""
    cuda = imagined.devices[0].driver_device.cuda.several
    waits = []
    plain = cuda.streamWaitEvent
    cuda.streamWaitEvent = lambda stream, event: waits.append((stream, event)) or plain(stream, event)
    buffer = imagined.buffer(random_bytes())
    found = [np.zeros(N, np.uint8) for _ in imagined.queues]
    events = [commands.enqueue_read_buffer(queue, buffer, False, 0, each) for queue, each in zip(imagined.queues, found, strict=True)]
    assert not waits
    for event in events:
        event.wait()
    assert all(np.array_equal(each, random_bytes()) for each in found)


def test_programs_without_events_keep_the_order_in_which_they_enqueue(several):
    """OpenCL promises it to nobody, and implementations that move whole buffers keep it."""
    buffer, target, (first, second) = several.buffer(np.zeros(N, np.uint8)), several.buffer(), several.queues
    for turn in range(1, 20):
        commands.enqueue_fill_buffer(first, buffer, bytes([turn]), 0, N)
        commands.enqueue_copy_buffer(second, buffer, target, 0, 0, N)
        commands.enqueue_fill_buffer(first, buffer, b"\xff", 0, N)
        assert (several.read(second, target) == turn).all()


def test_memory_that_another_device_copies_from_is_not_freed(imagined):
    """The copy is a command of the second device: the first one's commands have all ended."""
    _, second, _ = imagined.queues
    cuda = imagined.devices[0].driver_device.cuda
    for device in imagined.devices:
        device.driver_device.memory._limit = 0  # what is freed is gone
    for turn in range(50):
        buffer, target = imagined.buffer(random_bytes(turn)), imagined.buffer()
        event = commands.enqueue_copy_buffer(second, buffer, target, 0, 0, N)
        buffer.release()
        del buffer
        gc.collect(1)
        imagined.context.reclaim()
        assert np.array_equal(imagined.read(second, target, [event]), random_bytes(turn))
    assert cuda.several.peer_copied == 50 * N


def test_deferred_commands_find_the_contents_of_then(several):
    buffer, (first, second) = several.buffer(np.zeros(N, np.uint8)), several.queues
    gate = UserEvent(several.context)
    filled = commands.enqueue_fill_buffer(first, buffer, b"g", 0, N, [gate])
    found = np.zeros(N, np.uint8)
    read = commands.enqueue_read_buffer(second, buffer, False, 0, found, [filled])
    assert several.places(buffer) == [True, False]
    gate.set_status(codes.COMPLETE)
    read.wait()
    assert (found == ord("g")).all()


# CUDA


def test_peer_access_is_enabled_once_both_ways():
    world = World(devices_of("imagined cuda"))
    cuda = world.devices[0].driver_device.cuda.several
    assert not cuda.enabled
    cuda.setDevice(1)
    cuda.deviceEnablePeerAccess(0)  # as another library in the process may have done
    for _ in range(2):
        world.read(world.queues[1], world.buffer(random_bytes()))
    assert cuda.enabled == {(0, 1), (1, 0)} and cuda.peer_copied == 2 * N


def test_without_peer_access_cuda_copies_all_the_same():
    world = World(devices_of("imagined cuda without peer access"))
    cuda = world.devices[0].driver_device.cuda.several
    assert np.array_equal(world.read(world.queues[1], world.buffer(random_bytes())), random_bytes())
    assert not cuda.enabled and cuda.peer_copied == N


# Memory that is short


def test_copies_that_are_out_of_date_make_room():
    world = World(devices_of("fake"))
    first, second = world.queues
    size = 1 << 24  # of which a device has four
    buffers = [world.buffer(size=size) for _ in range(4)]
    for buffer in buffers:
        commands.enqueue_fill_buffer(first, buffer, b"1", 0, size).wait()
    for buffer in buffers:
        commands.enqueue_fill_buffer(second, buffer, b"2", 0, size).wait()
    fresh = [world.buffer(size=size) for _ in range(4)]
    for number, buffer in enumerate(fresh):
        commands.enqueue_fill_buffer(first, buffer, bytes([number]), 0, size).wait()
    assert [world.read(first, buffer)[-1] for buffer in fresh] == [0, 1, 2, 3]
    fails("MEM_OBJECT_ALLOCATION_FAILURE", commands.enqueue_fill_buffer, first, world.buffer(size=size), b"3", 0, size)
    assert [world.read(second, buffer)[0] for buffer in buffers] == [ord("2")] * 4


@pytest.mark.parametrize("way", ["launch", "launch that waits for another queue's", "read"])
def test_a_copy_stays_until_the_command_that_acquired_it_is_with_its_driver(way, monkeypatch):
    """Between the two, another thread has the copy put out of date, by a command that counts as a writer, and memory run short."""
    world = World(devices_of("fake"))
    (first, second), size = world.queues, 1 << 24  # of which a device has four
    device, beside = world.devices[0], CommandQueue(world.context, world.devices[0])
    buffer, fresh, launched = world.buffer(size=size), [world.buffer(size=size) for _ in range(4)], []
    before = commands.enqueue_fill_buffer(second, buffer, b"1", 0, size)
    commands.enqueue_migrate(first, [buffer], 0, [before]).wait()

    def touch(parameters, sizes):
        address, = words(parameters, 1)
        launched.append(address)
        return lambda: device.driver_device.check(address, size)

    def others():
        commands.enqueue_fill_buffer(second, buffer, b"2", 0, size).wait()
        for each in fresh[:3]:
            commands.enqueue_fill_buffer(beside, each, b"3", 0, size).wait()
        fails("MEM_OBJECT_ALLOCATION_FAILURE", commands.enqueue_fill_buffer, beside, fresh[3], b"3", 0, size)

    device.driver_device.bodies["touch"] = touch
    program = Program(world.context, "kernel void touch(global const uchar *p) { }")
    program.build()
    kernel = Kernel(program, "touch")
    kernel.set_arg(0, buffer)
    interrupted_after(monkeypatch, "acquire", buffer, others)
    if way == "read":
        world.read(first, buffer)
    else:
        enqueue_nd_range_kernel(first, kernel, 1, None, (1,), None, [before] if "waits" in way else [])
        first.finish()
        assert len(launched) == 1
    commands.enqueue_fill_buffer(beside, fresh[3], b"3", 0, size).wait()  # There is room now.
    assert world.places(buffer) == [False, True]


def test_a_copy_stays_until_a_copy_from_it_is_with_the_driver(monkeypatch):
    world = World(devices_of("imagined cuda"))
    _, second = world.queues
    for device in world.devices:
        device.driver_device.memory._limit = 0  # what is freed is gone
    buffer, target, other = world.buffer(random_bytes()), world.buffer(), world.buffer()

    def others():
        commands.enqueue_migrate(second, [buffer], codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED).wait()
        world.context.drop_copies(other.storage)

    interrupted_after(monkeypatch, "sources", buffer, others)
    commands.enqueue_copy_buffer(second, buffer, target, 0, 0, N)
    assert np.array_equal(world.read(second, target), random_bytes())
    assert world.context.drop_copies(other.storage)


def test_a_copy_stays_while_a_launch_is_with_the_driver_that_has_no_number_yet(monkeypatch):
    world = World(devices_of("fake"))
    (first, second), device = world.queues, world.devices[0]
    buffer = world.buffer()
    commands.enqueue_migrate(second, [buffer], 0).wait()
    commands.enqueue_migrate(first, [buffer], 0).wait()
    device.driver_device.bodies["touch"] = lambda parameters, sizes: functools.partial(
        device.driver_device.check, words(parameters, 1)[0], N)
    program = Program(world.context, "kernel void touch(global const uchar *p) { }")
    program.build()
    kernel = Kernel(program, "touch")
    kernel.set_arg(0, buffer)
    issued, dropped = CommandQueue.issued, []

    def interrupted(queue, *arguments):
        if queue is first and not dropped:
            dropped.append(None)
            commands.enqueue_fill_buffer(second, buffer, b"2", 0, N).wait()
            dropped.append(buffer.storage.drop_copies())
            world.context.reclaim()
        return issued(queue, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(CommandQueue, "issued", interrupted)
        enqueue_nd_range_kernel(first, kernel, 1, None, (1,), None)
    first.finish()
    assert dropped == [None, True]


def interrupted_after(monkeypatch, name, buffer, others):
    """The next call of a method of the buffer's storage is followed by what another thread does, once."""
    original, threads, failures = getattr(ReplicatedBuffer, name), [], []

    def run():
        try:
            others()
        except BaseException as failure:
            failures.append(failure)

    def method(storage, *arguments):
        found = original(storage, *arguments)
        found = iter(list(found)) if name == "sources" else found
        if storage is buffer.storage and not threads:
            threads.append(threading.Thread(target=run))
            threads[0].start()
            threads[0].join()
            assert not failures, failures
        return found

    monkeypatch.setattr(ReplicatedBuffer, name, method)


def test_a_copy_that_fails_leaves_the_contents_where_they_are(monkeypatch):
    world = World(devices_of("imagined cuda"))
    buffer = world.buffer(random_bytes())
    peers = world.devices[1].driver_device.peer_copies

    def refuse(*arguments):
        raise DriverError("the link is down")

    with monkeypatch.context() as broken:
        broken.setattr(peers, "copy", refuse)
        fails("OUT_OF_RESOURCES", commands.enqueue_migrate, world.queues[1], [buffer], 0)
    assert world.places(buffer) == [True, False]
    assert np.array_equal(world.read(world.queues[1], buffer), random_bytes())


def test_out_of_order_queues(several):
    out_of_order = codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    queues = [create_command_queue(several.context, device, out_of_order) for device in several.devices]
    buffer = several.buffer(np.zeros(N, np.uint8))
    last = ()
    for turn in range(20):
        last = [commands.enqueue_fill_buffer(queues[turn % 2], buffer, bytes([turn]), 128 * turn, 128, last)]
    expected = np.zeros(N, np.uint8)
    expected[: 20 * 128] = np.repeat(np.arange(20), 128)
    found = np.zeros(N, np.uint8)
    commands.enqueue_read_buffer(queues[0], buffer, True, 0, found, last)
    assert np.array_equal(found, expected)


# Kernels


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
    world = World(devices_of(request.param))
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
