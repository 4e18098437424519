"""Memory of contexts of several devices: what makes room when it is short, and what must not be freed yet."""

import functools
import threading

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import words
from support.several_devices import N, Several, devices_of, random_bytes

from cl2cuda.runtime.commands import buffer as commands
from cl2cuda.runtime.commands.map import enqueue_map_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.replicated import ReplicatedBuffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


def test_copies_that_are_out_of_date_make_room():
    world = Several(devices_of("fake"))
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


def test_two_threads_make_one_shadow(monkeypatch):
    """One maps a sub-buffer while the other brings another one of the same buffer to the host."""
    world, data = Several(devices_of("host")), random_bytes(N)
    (first, second), buffer = world.queues, world.buffer(data)
    halves = [buffer.sub_buffer(0, start, N // 2) for start in (0, N // 2)]
    allocate, threads = world.devices[0].driver_device.allocate_host, []

    def other():
        commands.enqueue_migrate(first, [halves[0]], codes.MIGRATE_MEM_OBJECT_HOST).wait()

    def slow(size):
        if not threads:
            threads.append(threading.Thread(target=other))
            threads[0].start()
            threads[0].join(0.3)  # It ends here only if it makes a shadow of its own.
        return allocate(size)

    monkeypatch.setattr(world.devices[0].driver_device, "allocate_host", slow)
    mapped, _ = enqueue_map_buffer(second, halves[1], True, codes.MAP_READ, 0, N // 2)
    threads[0].join()
    assert bytes(mapped) == data[N // 2 :].tobytes()
    assert bytes(enqueue_map_buffer(second, halves[0], True, codes.MAP_READ, 0, N // 2)[0]) == data[: N // 2].tobytes()


@pytest.mark.parametrize("way", ["launch", "launch that waits for another queue's", "read"])
def test_a_copy_stays_until_the_command_that_acquired_it_is_with_its_driver(way, monkeypatch):
    """Between the two, another thread has the copy put out of date, by a command that counts as a writer, and memory run short."""
    world = Several(devices_of("fake"))
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
    world = Several(devices_of("imagined cuda"))
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
    world = Several(devices_of("fake"))
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
    world = Several(devices_of("imagined cuda"))
    buffer = world.buffer(random_bytes())
    peers = world.devices[1].driver_device.peer_copies

    def refuse(*arguments):
        raise DriverError("the link is down")

    with monkeypatch.context() as broken:
        broken.setattr(peers, "copy", refuse)
        fails("OUT_OF_RESOURCES", commands.enqueue_migrate, world.queues[1], [buffer], 0)
    assert world.places(buffer) == [True, False]
    assert np.array_equal(world.read(world.queues[1], buffer), random_bytes())
