"""Buffers: creation, flags, sub-buffers, lifetime. On the fake driver; test_commands.py has the transfers."""

import gc
import subprocess
import sys
import time

import pytest
from support.fails import fails, read
from support.fake_driver import FakeDevice
from support.processes import ROOT, environment

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.memory.buffer import FILLED_IN_ORDER, Buffer
from cl2cuda.runtime.memory.storage import MAPS_UNTIL_LOCKED
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


def test_copy_host_ptr_copies_at_once(fake):
    host = bytearray(b"abcdefgh")
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=host)
    host[:] = b"________"
    assert buffer.size == 8
    assert read(fake, buffer) == b"abcdefgh"
    assert buffer.get_info(codes.MEM_FLAGS) == codes.MEM_COPY_HOST_PTR
    assert buffer.get_info(codes.MEM_HOST_PTR) is None


# What is asked for is what CL_MEM_FLAGS tells; 0 stands for the default.
FLAGS = [codes.MEM_READ_WRITE, codes.MEM_READ_ONLY, codes.MEM_ALLOC_HOST_PTR, codes.MEM_HOST_READ_ONLY, codes.MEM_HOST_NO_ACCESS,
         codes.MEM_WRITE_ONLY | codes.MEM_ALLOC_HOST_PTR, codes.MEM_READ_WRITE | codes.MEM_HOST_WRITE_ONLY]


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_are_those_that_were_given(fake, flags):
    buffer = Buffer(fake.context, flags, 4096)
    assert buffer.get_info(codes.MEM_FLAGS) == flags
    assert buffer.sub_buffer(0, 0, 64).get_info(codes.MEM_FLAGS) == flags
    access = codes.MEM_READ_WRITE | codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY
    if not flags & access & ~codes.MEM_READ_WRITE:
        part = buffer.sub_buffer(codes.MEM_READ_ONLY, 0, 64)
        assert part.get_info(codes.MEM_FLAGS) == flags & ~access | codes.MEM_READ_ONLY


def test_no_flags_are_the_default(fake):
    assert Buffer(fake.context, 0, 64).get_info(codes.MEM_FLAGS) == codes.MEM_READ_WRITE
    used = Buffer(fake.context, codes.MEM_USE_HOST_PTR, host=bytearray(64))
    assert used.get_info(codes.MEM_FLAGS) == codes.MEM_USE_HOST_PTR == used.sub_buffer(0, 0, 8).get_info(codes.MEM_FLAGS)


def test_use_host_ptr_takes_its_contents_and_reports_its_address(fake):
    host = bytearray(range(64))
    buffer = Buffer(fake.context, codes.MEM_USE_HOST_PTR, 32, host)
    assert read(fake, buffer) == bytes(range(32))
    assert buffer.get_info(codes.MEM_HOST_PTR)
    assert buffer.get_info(codes.MEM_SIZE) == 32


@pytest.mark.parametrize(("size", "maps"), [(64, MAPS_UNTIL_LOCKED[0][1]), *MAPS_UNTIL_LOCKED[:-1], (9 << 20, 2)])
def test_use_host_ptr_is_page_locked_once_it_is_mapped_again_and_again(fake, size, maps):
    host = bytearray(range(64)) * (size // 64)
    buffer = Buffer(fake.context, codes.MEM_USE_HOST_PTR, host=host)
    for turn in range(1, maps + 2):
        mapped, _ = enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_READ | codes.MAP_WRITE, 0, size)
        assert bytes(mapped[:64]) == bytes([turn - 1] * 8 + [*range(8, 64)] if turn > 1 else range(64))
        assert fake.driver.registered == [buffer.get_info(codes.MEM_HOST_PTR)] * (turn >= maps)
        mapped[:8] = bytes([turn] * 8)
        enqueue_unmap(fake.queue, buffer, mapped)
    enqueue_fill_buffer(fake.queue, buffer, b"x", 0, 64)
    buffer.release()
    del buffer, mapped
    assert fake.driver.registered
    for _ in range(1000):  # What contexts of before have left may come first, or the thread that looks after their callbacks be at it.
        fake.queue.finish()
        if not fake.driver.registered:
            break
        time.sleep(0.001)
    assert not fake.driver.registered


@pytest.mark.parametrize("busy", [False, True])
def test_much_is_page_locked_when_the_buffer_is_made(fake, monkeypatch, busy):
    """Before its contents go to the device, unless the queue has something to do: the host's memory is to have been read on return."""
    seen, genuine = [], type(fake.queue.timeline.stream).copy
    monkeypatch.setattr(type(fake.queue.timeline.stream), "copy",
                        lambda self, *arguments: seen.append(bool(fake.driver.registered)) or genuine(self, *arguments))
    monkeypatch.setattr(type(fake.queue), "idle", property(lambda self: not busy))
    monkeypatch.setattr(fake.driver, "unregister_host", lambda address: None)
    for size, is_locked in ((64 << 10, False), (512 << 10, True), (2 << 20, True), (9 << 20, False)):
        seen.clear(), fake.driver.registered.clear()
        buffer = Buffer(fake.context, codes.MEM_USE_HOST_PTR, host=bytearray([7]) * size)
        assert bool(fake.driver.registered) == is_locked
        assert seen == [is_locked and not (busy and size <= FILLED_IN_ORDER)]
        assert read(fake, buffer) == bytes([7]) * size


def test_what_cannot_be_page_locked_is_not_tried_again(fake, monkeypatch):
    tried = []
    monkeypatch.setattr(fake.driver, "register_host", lambda *arguments: bool(tried.append(arguments)))
    buffer = Buffer(fake.context, codes.MEM_USE_HOST_PTR, host=bytearray(1 << 20))
    for _ in range(5):
        enqueue_unmap(fake.queue, buffer, enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_READ, 0, 64)[0])
    buffer.release()
    fake.queue.finish()
    assert len(tried) == 1 and not fake.driver.registered


# In a process of its own, since whatever else looks at a process's frames may keep what is in them.
HOST_MEMORY = """
import sys, weakref

sys.path.insert(0, sys.argv[1])
from support.fake_driver import FakeDevice

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import Platform
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

class Host(bytearray):
    pass

device = Device(Platform(), "fake", FakeDevice())
context = Context([device])
queue = CommandQueue(context, device)
for size in (0, 64):
    host = Host(1 << 20)
    gone = weakref.ref(host)
    buffer = Buffer(context, codes.MEM_USE_HOST_PTR, size, host)
    enqueue_fill_buffer(queue, buffer, b"x", 0, 64)
    buffer.release()
    del host, buffer
    print(gone() is not None)
    queue.finish()
    context.reclaim()
    print(gone() is None)
"""


def test_host_memory_lives_until_no_command_uses_it():
    result = subprocess.run([sys.executable, "-c", HOST_MEMORY, str(ROOT / "tests")], capture_output=True, text=True, env=environment())
    assert result.stdout.split() == ["True"] * 4, result.stderr


@pytest.mark.parametrize(("flags", "size", "host", "status"), [
    (0, 0, None, "INVALID_BUFFER_SIZE"),
    (0, (1 << 24) + 1, None, "INVALID_BUFFER_SIZE"),
    (0, 8, b"12345678", "INVALID_HOST_PTR"),
    (codes.MEM_COPY_HOST_PTR, 8, None, "INVALID_HOST_PTR"),
    (codes.MEM_COPY_HOST_PTR, 9, b"12345678", "INVALID_HOST_PTR"),
    (codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY, 8, None, "INVALID_VALUE"),
    (codes.MEM_HOST_READ_ONLY | codes.MEM_HOST_NO_ACCESS, 8, None, "INVALID_VALUE"),
    (codes.MEM_USE_HOST_PTR | codes.MEM_COPY_HOST_PTR, 8, b"12345678", "INVALID_VALUE"),
    (1 << 40, 8, None, "INVALID_VALUE"),
])
def test_what_creation_refuses(fake, flags, size, host, status):
    assert fails(status, Buffer, fake.context, flags, size, host).startswith("clCreateBuffer failed: ")


def test_sub_buffers_share_memory_and_inherit_flags(fake):
    buffer = Buffer(fake.context, codes.MEM_READ_ONLY | codes.MEM_COPY_HOST_PTR, host=bytes(1024))
    sub = buffer.sub_buffer(0, 256, 16)
    assert sub.address == buffer.address + 256
    assert sub.flags == codes.MEM_READ_ONLY | codes.MEM_COPY_HOST_PTR
    assert sub.get_info(codes.MEM_ASSOCIATED_MEMOBJECT) is buffer
    assert sub.get_info(codes.MEM_OFFSET) == 256
    enqueue_fill_buffer(fake.queue, sub, b"x", 0, 16)
    assert read(fake, buffer)[250:280] == bytes(6) + b"x" * 16 + bytes(8)


def test_what_sub_buffers_refuse(fake):
    buffer = Buffer(fake.context, codes.MEM_READ_ONLY, 1024)
    fails("MISALIGNED_SUB_BUFFER_OFFSET", buffer.sub_buffer, 0, 4, 16)
    fails("INVALID_VALUE", buffer.sub_buffer, 0, 1024, 16)
    fails("INVALID_BUFFER_SIZE", buffer.sub_buffer, 0, 0, 0)
    fails("INVALID_VALUE", buffer.sub_buffer, codes.MEM_READ_WRITE, 0, 16)
    fails("INVALID_VALUE", buffer.sub_buffer, codes.MEM_COPY_HOST_PTR, 0, 16)
    fails("INVALID_MEM_OBJECT", buffer.sub_buffer(0, 0, 16).sub_buffer, 0, 0, 8)


def test_memory_is_freed_with_the_last_object_that_shares_it(fake):
    buffer = Buffer(fake.context, 0, 1024)
    sub = buffer.sub_buffer(0, 0, 16)
    assert sub.address
    buffer.release()
    assert len(fake.driver.memory) == 1
    fails("INVALID_MEM_OBJECT", lambda: buffer.address)
    sub.release()
    fake.context.reclaim_all()
    assert not fake.driver.memory


def test_memory_outlives_commands_that_use_it(fake):
    buffer = Buffer(fake.context, 0, 16)
    enqueue_fill_buffer(fake.queue, buffer, b"x", 0, 16)
    del buffer
    gc.collect()
    assert len(fake.driver.memory) == 1
    fake.context.reclaim_all()
    assert not fake.driver.memory


def test_a_queue_that_goes_leaves_memory_in_peace(fake):
    buffer = Buffer(fake.context, 0, 16)
    queue = CommandQueue(fake.context, fake.device)
    enqueue_fill_buffer(queue, buffer, b"x", 0, 16)
    queue.release()
    buffer.release()
    fake.context.reclaim()
    assert fake.context._reusable.bytes == 16, "it waits for the next buffer"
    fake.context.reclaim_all()
    assert not fake.driver.memory


def test_allocation_waits_for_memory_that_is_still_in_use(fake, memory_at_once):
    size = 1 << 24
    for _ in range(8):  # more than the device has, but never more than one at a time is in use
        buffer = Buffer(fake.context, 0, size)
        enqueue_fill_buffer(fake.queue, buffer, b"x", 0, 16)
        buffer.release()
    kept = [Buffer(fake.context, 0, size) for _ in range(4)]
    assert fails("MEM_OBJECT_ALLOCATION_FAILURE", Buffer, fake.context, 0, size)
    del kept


def test_a_buffer_follows_its_queues_from_device_to_device():
    platform = object()
    devices = [Device(platform, "fake", FakeDevice()) for _ in range(2)]
    context = Context(devices)
    queues = [CommandQueue(context, device) for device in devices]
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"abcdefgh")
    enqueue_fill_buffer(queues[0], buffer, b"x", 0, 4)
    host = bytearray(8)
    enqueue_read_buffer(queues[1], buffer, True, 0, host)
    assert host == b"xxxxefgh"
    assert buffer.storage.places() == set(devices)
    assert [len(device.driver_device.memory) for device in devices] == [1, 1]
