"""Contexts of several devices: contents valid in several places, copies between devices, and the order that both keep.

`several` is two devices of each driver: host devices, real GPUs where there are two, an imagined CUDA whose streams run late, with and
without peer access, and the tests' own driver, which has no peer copies.
"""

import gc

import numpy as np
import pytest
from support.several_devices import KINDS, N, Several, devices_of, random_bytes

from cl2cuda.runtime.commands import buffer as commands
from cl2cuda.runtime.commands import buffer_rect
from cl2cuda.runtime.commands import image as image_commands
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


@pytest.fixture(params=KINDS)
def several(request):
    return Several(devices_of(request.param))


@pytest.fixture
def imagined():
    return Several(devices_of("imagined cuda", 3))


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
    world = Several(devices_of(kind))
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
    world = Several(devices_of("fake"))
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


# CUDA


def test_peer_access_is_enabled_once_both_ways():
    world = Several(devices_of("imagined cuda"))
    cuda = world.devices[0].driver_device.cuda.several
    assert not cuda.enabled
    cuda.setDevice(1)
    cuda.deviceEnablePeerAccess(0)  # as another library in the process may have done
    for _ in range(2):
        world.read(world.queues[1], world.buffer(random_bytes()))
    assert cuda.enabled == {(0, 1), (1, 0)} and cuda.peer_copied == 2 * N


def test_without_peer_access_cuda_copies_all_the_same():
    world = Several(devices_of("imagined cuda without peer access"))
    cuda = world.devices[0].driver_device.cuda.several
    assert np.array_equal(world.read(world.queues[1], world.buffer(random_bytes())), random_bytes())
    assert not cuda.enabled and cuda.peer_copied == N
