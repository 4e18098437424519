"""Memory that runs out, of the device and of the host: the right error, nothing lost by it, and everything else goes on."""

from __future__ import annotations

import dataclasses
import gc
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from support.devices import first
from support.fails import fails
from support.fake_cuda import CudaError, FakeCuda
from support.fake_driver import FakeDevice
from support.lost_device import LostDevice

from cl2cuda.runtime.commands.buffer import (
    enqueue_fill_buffer,
    enqueue_migrate,
    enqueue_read_buffer,
    enqueue_write_buffer,
)
from cl2cuda.runtime.commands.image import enqueue_fill_image
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.commands.native_kernel import enqueue_native_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.module import Variant
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.memory import svm
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.pipe import Pipe
from cl2cuda.runtime.process import debug_mode
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

MIB = 1 << 20
NONE = "MEM_OBJECT_ALLOCATION_FAILURE"


# A device that is full.

MAKERS = {
    "clCreateBuffer": lambda context: Buffer(context, 0, 16 * MIB),
    "clCreateImage": lambda context: Image(context, 0, (0x10B5, 0x10DA), ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 2048, 1024)),
    "clCreatePipe": lambda context: Pipe(context, 0, 1024, 8192),
    "clSVMAlloc": lambda context: svm.svm_alloc(context, 0, 16 * MIB),
}


@pytest.mark.parametrize("routine", MAKERS)
def test_nothing_is_made_on_a_full_device_and_everything_once_there_is_room(fake, memory_at_once, routine):
    full = [Buffer(fake.context, 0, 16 * MIB) for _ in range(3)]
    full.append(Buffer(fake.context, 0, 15 * MIB))
    small = Buffer(fake.context, 0, 1 << 10)
    before = len(fake.driver.memory)
    assert fails(NONE, MAKERS[routine], fake.context).startswith(f"{routine} failed: ")
    assert len(fake.driver.memory) == before
    enqueue_fill_buffer(fake.queue, small, b"a", 0, 16).wait()
    full.pop().release()
    full.pop().release()
    assert MAKERS[routine](fake.context)


@pytest.fixture
def huge(real_device):
    """A context of a real device that is said to have far more memory than it has."""
    driver = first(real_device.driver_name).driver_device
    device = Device(real_device.platform, real_device.driver_name, driver)
    device.properties = dataclasses.replace(driver.properties, max_allocation=1 << 60)
    return Context([device])


@pytest.mark.parametrize("flags", [0, codes.MEM_ALLOC_HOST_PTR])
def test_true_devices_refuse_what_they_do_not_have_and_go_on(huge, flags):
    queue = CommandQueue(huge, huge.devices[0])
    buffers = [Buffer(huge, flags, MIB) for _ in range(3)]
    for buffer in buffers:
        enqueue_fill_buffer(queue, buffer, b"abcd", 0, MIB)
    for _ in range(2):
        fails(NONE, Buffer, huge, flags, 1 << 46)
        found = np.zeros(MIB, np.uint8)
        enqueue_read_buffer(queue, buffers[1], True, 0, found)
        assert found.tobytes() == b"abcd" * (MIB // 4)
    fails(NONE, svm.svm_alloc, huge, 0, 1 << 46)
    Buffer(huge, flags, 2 * MIB).release()


# The pool of a CUDA device.

@pytest.fixture
def cuda(monkeypatch):
    """An imagined CUDA device of 32 MiB, of which CUDA keeps nothing for itself."""
    device = CudaDevice(FakeCuda(), 0)
    runtime, most = device.cuda.runtime, 32 * MIB
    genuine = runtime.malloc

    def malloc(size):
        if sum(map(len, runtime.memory.values())) + size > most:
            raise CudaError(2)
        return genuine(size)

    monkeypatch.setattr(runtime, "malloc", malloc)
    runtime.memory.clear()
    device.__dict__["properties"] = dataclasses.replace(device.properties, global_memory=16 * most)  # so that the pool keeps all
    return device


def test_the_pool_gives_back_what_it_keeps_before_an_allocation_fails(cuda):
    pieces = [cuda.allocate(2 * MIB) for _ in range(16)]
    for piece in pieces[::2]:
        cuda.free(piece)
    assert cuda.memory.kept == 16 * MIB  # in holes of 2 MiB
    large = cuda.allocate(14 * MIB)
    assert cuda.memory.kept == 0
    with pytest.raises(Exception, match="the device has no memory left of this size") as caught:
        cuda.allocate(4 * MIB)
    assert caught.value.status == NONE
    for piece in (*pieces[1::2], large):
        cuda.free(piece)
    assert cuda.allocate(16 * MIB) and cuda.allocate(16 * MIB)


def test_images_at_rest_are_given_back_for_a_buffer(cuda, monkeypatch):
    images = [cuda.allocate(16 * MIB) for _ in range(2)]
    monkeypatch.setattr(cuda.images, "trim", lambda: [cuda.free(image) for image in images])
    assert cuda.allocate(16 * MIB)


@pytest.mark.parametrize("status", [2, 218])
def test_what_is_kept_is_given_back_for_a_module(cuda, monkeypatch, status):
    """A module that is no good takes nothing from what is kept."""
    def load(code):
        if cuda.memory.kept:
            raise CudaError(status)
        return genuine(code)

    genuine = cuda.cuda.driver.moduleLoadData
    monkeypatch.setattr(cuda.cuda.driver, "moduleLoadData", load)
    cuda.free(cuda.allocate(2 * MIB))
    if status == 2:
        assert Variant(cuda.context, b"code").handle and cuda.memory.kept == 0
        cuda.free(cuda.allocate(2 * MIB))
        monkeypatch.setattr(cuda.memory, "trim", lambda: False)
    with pytest.raises(DriverError):
        Variant(cuda.context, b"code")
    assert cuda.memory.kept == 2 * MIB


def test_an_image_waits_for_a_thread_that_gives_back(cuda):
    class Image:
        layout = SimpleNamespace(key=(), bytes=MIB)

        def destroy(self):
            begun.set()
            time.sleep(0.05)
            ended.set()

    begun, ended = threading.Event(), threading.Event()
    cuda.images.give(Image())
    thread = threading.Thread(target=cuda.images.trim)
    thread.start()
    assert begun.wait(10) and cuda.context.give_back() and ended.is_set()
    thread.join()
    assert not cuda.context.give_back()


def test_a_buffer_waits_for_what_commands_still_use(cuda, memory_at_once):
    context = Context([Device(platforms.Platform(), "cuda", cuda)])
    queue = CommandQueue(context, context.devices[0])
    for _ in range(6):
        buffer = Buffer(context, 0, 14 * MIB)
        enqueue_fill_buffer(queue, buffer, b"a", 0, 64)
        buffer.release()
    kept = [Buffer(context, 0, 14 * MIB) for _ in range(2)]
    assert "clCreateBuffer failed: MEM_OBJECT_ALLOCATION_FAILURE - " in fails(NONE, Buffer, context, 0, 14 * MIB)
    del kept


# Page-locked memory, which mapping and copies need.

@pytest.fixture
def locked():
    """A context and a queue of a device that has no page-locked memory left."""
    device = Device(platforms.Platform(), "fake", LostDevice())
    device.driver_device.left_on_host = 0
    context = Context([device])
    return device.driver_device, context, CommandQueue(context, device)


def test_mapping_without_room_on_the_host(locked):
    driver, context, queue = locked
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"abcd" * 16)
    for _ in range(2):
        fails("MAP_FAILURE", enqueue_map_buffer, queue, buffer, True, codes.MAP_READ, 0, 64)
        assert buffer.map_count == 0
    driver.left_on_host = None
    mapped, _ = enqueue_map_buffer(queue, buffer, True, codes.MAP_READ, 0, 64)
    assert bytes(mapped) == b"abcd" * 16


def test_a_buffer_that_wants_page_locked_memory(locked):
    """It is told at the first use, as that there is no memory of the device's."""
    driver, context, queue = locked
    buffer = Buffer(context, codes.MEM_ALLOC_HOST_PTR, 64)
    for _ in range(2):
        fails(NONE, enqueue_map_buffer, queue, buffer, True, codes.MAP_READ, 0, 64)
        fails(NONE, enqueue_write_buffer, queue, buffer, True, 0, bytes(64))
    gc.collect()
    context.reclaim_all()
    assert not driver.memory  # the half that there was has gone
    driver.left_on_host = None
    enqueue_write_buffer(queue, buffer, True, 0, b"abcd" * 16)
    mapped, _ = enqueue_map_buffer(queue, buffer, True, codes.MAP_READ, 0, 64)
    assert bytes(mapped) == b"abcd" * 16


def test_a_native_kernel_whose_copies_find_no_room(locked):
    driver, context, queue = locked
    buffer, called = Buffer(context, 0, 64), []
    event = enqueue_native_kernel(queue, called.append, bytes(8), (buffer,), (0,))
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", event.wait)
    assert not called and event.status < 0
    driver.left_on_host = None
    enqueue_native_kernel(queue, called.append, bytes(8), (buffer,), (0,)).wait()
    assert called


@pytest.mark.parametrize("size", [1 << 10, 8 * MIB])
def test_copies_without_page_locked_memory(cuda, monkeypatch, size):
    """Chunks through page-locked memory are a quicker way, not the only one."""
    def refuse(size, flags):
        raise CudaError(2)

    monkeypatch.setattr(cuda.cuda.runtime, "hostAlloc", refuse)
    monkeypatch.setattr(cuda.cuda, "is_pageable", lambda address: True)
    context = Context([Device(platforms.Platform(), "cuda", cuda)])
    queue, buffer = CommandQueue(context, context.devices[0]), Buffer(context, 0, size)
    data, found = np.random.default_rng(1).integers(0, 256, size, np.uint8), np.zeros(size, np.uint8)
    for blocking in (True, False):
        enqueue_write_buffer(queue, buffer, blocking, 0, data).wait()
        found[:] = 0
        enqueue_read_buffer(queue, buffer, blocking, 0, found).wait()
        assert np.array_equal(found, data)


def test_page_locked_memory_at_rest_is_used_again_and_given_back(cuda, monkeypatch):
    runtime, taken, given, allocate, free = cuda.cuda.runtime, [], [], cuda.cuda.runtime.hostAlloc, cuda.cuda.runtime.freeHost
    monkeypatch.setattr(runtime, "hostAlloc", lambda size, flags: taken.append(size) or allocate(size, flags))
    monkeypatch.setattr(runtime, "freeHost", lambda address: given.append(address) or free(address))
    context = Context([Device(platforms.Platform(), "cuda", cuda)])
    queue = CommandQueue(context, context.devices[0])
    for _ in range(5):  # Programs make, map and release memory over and over.
        buffer = Buffer(context, codes.MEM_ALLOC_HOST_PTR, 5000)
        mapped = enqueue_map_buffer(queue, buffer, True, codes.MAP_WRITE, 0, 5000)
        enqueue_unmap(queue, buffer, mapped[0]).wait()
        del mapped, buffer
        gc.collect()
        context.reclaim_all()
    context.reclaim_all()
    assert taken == [5120] and not given and cuda.host_memory.kept == 5120
    sizes = []

    def short_of_memory(size, flags):
        sizes.append(size)
        if cuda.host_memory.kept:
            raise CudaError(2)
        return allocate(size, flags)

    monkeypatch.setattr(runtime, "hostAlloc", short_of_memory)
    cuda.free_host(cuda.allocate_host(4 * MIB))
    assert sizes == [4 * MIB] * 2 and len(given) == 1 and cuda.host_memory.kept == 4 * MIB
    monkeypatch.setattr(runtime, "hostAlloc", lambda size, flags: taken.append(size) or allocate(size, flags))
    monkeypatch.setattr(debug_mode, "_active", True)  # The sanitizer sees where memory ends.
    cuda.free_host(cuda.allocate_host(100))
    assert taken[-1] == 100 and len(given) == 2


# The process's own memory.

def test_copies_between_devices_without_room_on_the_host(monkeypatch):
    platform = platforms.Platform()
    first, second = (Device(platform, "fake", FakeDevice()) for _ in range(2))
    context = Context([first, second])
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"abcd" * 16)
    image = Image(context, 0, (0x10B5, 0x10DA), ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 16, 16))
    queue, found = CommandQueue(context, second), bytearray(64)

    def refuse(size):
        raise DriverError("no page-locked memory", "MEM_OBJECT_ALLOCATION_FAILURE")

    enqueue_fill_image(CommandQueue(context, first), image, bytes(16), (0, 0, 0), (16, 16, 1)).wait()
    with monkeypatch.context() as short:
        short.setattr(second.driver_device, "allocate_host", refuse)
        for memory in (buffer, image):
            fails("MEM_OBJECT_ALLOCATION_FAILURE", enqueue_migrate, queue, [memory], 0)
        fails("MEM_OBJECT_ALLOCATION_FAILURE", enqueue_read_buffer, queue, buffer, True, 0, found)
    context.reclaim_all()
    assert not second.driver_device.memory
    enqueue_read_buffer(queue, buffer, True, 0, found)
    assert found == b"abcd" * 16
