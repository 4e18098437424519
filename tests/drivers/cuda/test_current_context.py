"""What a thread has current of CUDA's contexts, it keeps where it only releases, waits or shares memory: a program that uses CUDA beside us, on
another device, knows of none of that."""

from __future__ import annotations

import ctypes
import gc
import threading

import numpy as np
import pytest
from support.asynchronous_cuda import CONTEXTS, SeveralCuda
from support.several_devices import PLATFORM

from cl2cuda import interop
from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.handles import to_python
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver.image_formats import FORMATS
from cl2cuda.runtime.driver.image_layout import ImageLayout
from cl2cuda.runtime.driver.interface import DEFAULT_HINTS, DriverError

OTHERS = 1


@pytest.fixture
def cuda():
    return SeveralCuda()


@pytest.fixture
def device(cuda):
    """The first one, which has been used on this thread."""
    found = cuda.devices[0]
    found.enter()
    return found


@pytest.fixture(params=[OTHERS, None], ids=["another", "none"])
def current(request):
    """Which device's context the thread has current where it does not expect us; None for no one's."""
    return request.param


def make_current(cuda, ordinal):
    cuda.driver.ctxSetCurrent(0 if ordinal is None else CONTEXTS + ordinal)


def current_of(cuda):
    handle = cuda.driver.ctxGetCurrent()
    return handle - CONTEXTS if handle else None


# The driver


def memory(device):
    address = device.allocate(512)
    device.free(address)
    return device.memory.trim


def page_locked_memory(device):
    device.free_host(device.allocate_host(512))
    return device.host_memory.trim


def shared_memory(device):
    address = device.allocate_shared(512)
    return lambda: device.free_shared(address)


def registered_memory(device):
    block = (ctypes.c_ubyte * 64)()
    assert device.register_host(ctypes.addressof(block), 64)
    return lambda: device.unregister_host(ctypes.addressof(block))


def stream(device):
    return device.open_stream().close


def stream_that_rests(device):
    return device.open_stream().rests


def stream_with_scratch(device):
    made = device.open_stream()
    made.scratch.of(made, 512)
    return made.close


def borrowed_stream(device):
    return device.borrow_stream(1).close


def fence(device):
    made = device.open_stream()
    return lambda: made.fence(False)


def first_fence_with_time(device):
    made = device.open_stream()
    return lambda: made.fence(True).wait()


def module(device):
    from cl2cuda.runtime.cuda.module import Variant

    return Variant(device.context, b"code").unload


def prints(device):
    device.expect_printf()
    made = device.open_stream().fence(False)
    return made.wait


@pytest.mark.parametrize("make", [memory, page_locked_memory, shared_memory, registered_memory, stream, stream_that_rests, stream_with_scratch,
                                  borrowed_stream, fence, first_fence_with_time, module, prints], ids=lambda make: make.__name__)
def test_a_release_or_fence_leaves_what_is_current(cuda, device, current, monkeypatch, make):
    monkeypatch.setattr(cuda.several, "streamSynchronize", lambda stream: None)
    does, seen, entered = make(device), [], device.context.make_current_for_now
    monkeypatch.setattr(device.context, "make_current_for_now", lambda: (entered(), seen.append(current_of(cuda))))
    make_current(cuda, current)
    does()
    assert current_of(cuda) == current and set(seen) == {0}


def test_it_stays_where_it_is_the_devices_own(cuda, device):
    memory(device)()
    with device.keeping_current():
        device.enter()
    assert current_of(cuda) == 0


def test_it_is_made_ready_beside_what_is_current(cuda, current):
    device = cuda.devices[0]
    make_current(cuda, current)
    device.make_ready()
    assert current_of(cuda) == current and device.context.handle == CONTEXTS


def test_what_is_called_may_make_another_one_current(cuda, device, current):
    make_current(cuda, current)
    with device.keeping_current():
        device.enter()
        assert current_of(cuda) == 0
    assert current_of(cuda) == current


def test_an_error_leaves_what_is_current(cuda, device, monkeypatch):
    address = device.allocate(512)
    device.free(address)
    make_current(cuda, OTHERS)

    def fails(address):
        raise cuda.several.CUDARuntimeError(719)

    monkeypatch.setattr(cuda.several, "free", fails)
    with pytest.raises(DriverError):
        device.memory.trim()
    assert current_of(cuda) == OTHERS


def test_a_context_that_has_gone_meanwhile_is_no_error(cuda, device, monkeypatch):
    make_current(cuda, OTHERS)

    def fails(context):
        raise cuda.driver.CUDADriverError(201)

    with device.keeping_current():
        device.enter()
        monkeypatch.setattr(cuda.driver, "ctxSetCurrent", fails)


def test_each_thread_keeps_its_own(cuda, device):
    found = {}

    def work(ordinal):
        make_current(cuda, ordinal)
        for _ in range(50):
            device.context.handle and memory(device)()
            make_current(cuda, ordinal)
            device.memory.trim()
            device.open_stream().fence(False)
            make_current(cuda, ordinal)
            with device.context.entered():
                pass
        found[ordinal] = current_of(cuda)

    threads = [threading.Thread(target=work, args=(ordinal,)) for ordinal in (0, 1, None)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {0: 0, 1: 1, None: None}


# Objects


class Ours:
    """A context of the first device, with a queue and a buffer that it has used."""

    def __init__(self, cuda):
        self.device = cuda.devices_of(PLATFORM)[0]
        self.context = cl.Context([to_python(self.device)])
        self.queue = cl.CommandQueue(self.context)
        self.buffer = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 1 << 20)
        self.data = np.arange(1 << 18, dtype=np.int32)
        self.unused = cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=self.data[:64])
        cl.enqueue_copy(self.queue, self.buffer, self.data)


@pytest.fixture
def ours(cuda):
    return Ours(cuda)


def test_a_queue_that_goes_while_its_commands_run(cuda, ours, current):
    cl.enqueue_fill_buffer(ours.queue, ours.buffer, b"a", 0, 1 << 20)
    make_current(cuda, current)
    del ours.queue
    gc.collect()
    assert current_of(cuda) == current


def test_what_a_context_leaves_is_freed_by_another_devices(cuda, ours, current):
    """By its waits and releases: what the first one has left is not its own."""
    other = Context([cuda.devices_of(PLATFORM)[1]])
    freed = len(cuda.several.freed)
    ours.device.driver_device.memory._limit = 0
    cl.enqueue_fill_buffer(ours.queue, ours.buffer, b"a", 0, 1 << 20)
    ours.buffer = ours.unused = None
    ours.queue = ours.context = None
    gc.collect()
    make_current(cuda, current)
    for _ in range(100):
        other.reclaim()
    assert current_of(cuda) == current and len(cuda.several.freed) > freed


def test_an_event_that_goes_and_waits(cuda, ours, current):
    """For a large copy, which the thread that waits first may make itself."""
    found = np.zeros_like(ours.data)
    event = cl.enqueue_copy(ours.queue, found, ours.buffer, is_blocking=False)
    make_current(cuda, current)
    del event
    gc.collect()
    assert current_of(cuda) == current and (found == ours.data).all()


def test_a_mapped_array_that_goes(cuda, ours, current):
    array, _ = cl.enqueue_map_buffer(ours.queue, ours.buffer, cl.map_flags.WRITE, 0, (16,), np.int32)
    array[:] = 7
    make_current(cuda, current)
    del array
    gc.collect()
    assert current_of(cuda) == current
    cl.enqueue_copy(ours.queue, ours.data, ours.buffer)
    assert (ours.data[:16] == 7).all()


def test_shared_virtual_memory_that_goes(cuda, ours, current):
    memory = cl.SVMAllocation(ours.context, 4096, 64, cl.svm_mem_flags.READ_WRITE, ours.queue)
    cl.enqueue_copy(ours.queue, memory, np.zeros(4096, np.uint8))
    make_current(cuda, current)
    del memory
    gc.collect()
    assert current_of(cuda) == current


# Sharing


class Theirs:
    """An array of another library's on the first device."""

    def __init__(self, cuda, stream):
        self.device = type("Device", (), {"id": 0})
        address = cuda.devices[0].allocate(64)
        self.__cuda_array_interface__ = {"shape": (16,), "typestr": "<i4", "data": (address, False), "version": 3, "stream": stream}


@pytest.mark.parametrize("call", [
    lambda ours, theirs, stream: interop.from_dlpack(ours.queue, theirs),
    lambda ours, theirs, stream: interop.as_buffer(ours.context, theirs),
    lambda ours, theirs, stream: interop.queue_from_stream(ours.context, stream),
    lambda ours, theirs, stream: interop.wait_for_stream(ours.queue, stream),
    lambda ours, theirs, stream: interop.let_stream_wait(stream, ours.queue),
    lambda ours, theirs, stream: ours.buffer.__cuda_array_interface__,
    lambda ours, theirs, stream: ours.buffer.__dlpack__(stream=stream),
    lambda ours, theirs, stream: ours.buffer.__dlpack_device__(),
    lambda ours, theirs, stream: ours.unused.__dlpack_device__(),
], ids=["from_dlpack", "as_buffer", "queue_from_stream", "wait_for_stream", "let_stream_wait", "interface", "dlpack", "place", "contents"])
def test_sharing_leaves_what_is_current(cuda, ours, current, call):
    stream = cuda.devices[0].open_stream(DEFAULT_HINTS).handle
    theirs = Theirs(cuda, stream)
    make_current(cuda, current)
    call(ours, theirs, stream)
    assert current_of(cuda) == current


def test_commands_have_their_own_devices_current(cuda, ours):
    """What follows them then does not look."""
    make_current(cuda, OTHERS)
    cl.enqueue_copy(ours.queue, ours.buffer, ours.data)
    assert current_of(cuda) == 0


def test_images_that_are_destroyed(cuda, device, current):
    image = device.create_image(ImageLayout(2, FORMATS[0], 64, 64))
    image.close()
    make_current(cuda, current)
    device.images.trim()
    assert current_of(cuda) == current
