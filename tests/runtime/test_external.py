"""External memory and semaphores by file descriptor (cl_khr_external_memory_opaque_fd, cl_khr_external_semaphore_opaque_fd): what is
refused everywhere, and sharing with CUDA and with Vulkan on a CUDA device."""

import ctypes
import os

import numpy as np
import pytest
from support.fails import fails
from support.vulkan import Vulkan

from cl2cuda.runtime.commands import external
from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_marker, enqueue_read_buffer
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.commands.semaphore import Semaphore, enqueue_signal_semaphores, enqueue_wait_semaphores
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.foreign import imported_buffer
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

OPAQUE_FD = codes.EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR
BINARY = (codes.SEMAPHORE_TYPE_KHR, codes.SEMAPHORE_TYPE_BINARY_KHR)


class On:
    def __init__(self, device):
        self.device = device
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)


@pytest.fixture
def on(device):
    return On(device)


@pytest.fixture
def importing(real_device):
    if not real_device.properties.extra.get("memory_handles"):
        pytest.skip("the device imports nothing")
    return On(real_device)


@pytest.fixture
def importing_semaphores(real_device):
    if not real_device.properties.extra.get("semaphore_handles"):
        pytest.skip("the device imports no semaphores")
    return On(real_device)


class _AllocationProperties(ctypes.Structure):
    """CUmemAllocationProp."""

    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", ctypes.c_int), ("device", ctypes.c_int),
                ("win32", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]


class Exported:
    """Memory that CUDA made and exported, seen through CUDA's own mapping of it."""

    SIZE = 2 << 20

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        properties = _AllocationProperties(1, 1, 1, 0)  # pinned, by POSIX file descriptor, on device 0
        handle, self.address, fd = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_int()
        self.call("cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(self.SIZE), ctypes.byref(properties), ctypes.c_uint64(0))
        self.call("cuMemAddressReserve", ctypes.byref(self.address), ctypes.c_size_t(self.SIZE), ctypes.c_size_t(0),
                  ctypes.c_uint64(0), ctypes.c_uint64(0))
        self.call("cuMemMap", self.address, ctypes.c_size_t(self.SIZE), ctypes.c_size_t(0), handle, ctypes.c_uint64(0))
        access = (ctypes.c_int * 3)(1, 0, 3)  # read and write on device 0
        self.call("cuMemSetAccess", self.address, ctypes.c_size_t(self.SIZE), ctypes.byref(access), ctypes.c_size_t(1))
        self.call("cuMemExportToShareableHandle", ctypes.byref(fd), handle, 1, ctypes.c_uint64(0))
        self.call("cuMemRelease", handle)
        self.fd = fd.value

    def call(self, name, *arguments):
        assert getattr(self.cuda, name)(*arguments) == 0, name

    def fill(self, byte):
        self.call("cuMemsetD8_v2", self.address, ctypes.c_ubyte(byte), ctypes.c_size_t(self.SIZE))
        self.call("cuCtxSynchronize")

    def read(self):
        array = np.zeros(self.SIZE, np.uint8)
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), self.address, ctypes.c_size_t(self.SIZE))
        return array


def test_a_buffer_over_the_memory_of_others(importing):
    on = importing
    on.device.driver_device.enter()
    memory = Exported()
    memory.fill(7)
    properties = ((OPAQUE_FD, memory.fd),)
    buffer = imported_buffer(on.context, properties, 0, memory.SIZE)
    assert buffer.get_info(codes.MEM_PROPERTIES) == properties and buffer.size == memory.SIZE
    external.enqueue_acquire_external_mem_objects(on.queue, [buffer])
    back = np.zeros(memory.SIZE, np.uint8)
    enqueue_read_buffer(on.queue, buffer, True, 0, back)
    assert (back == 7).all()
    enqueue_fill_buffer(on.queue, buffer, b"\x09", 0, 4096)
    view, _ = enqueue_map_buffer(on.queue, buffer, True, codes.MAP_WRITE, 8192, 16)
    view[:] = bytes(range(16))
    enqueue_unmap(on.queue, buffer, view)
    event = external.enqueue_release_external_mem_objects(on.queue, [buffer])
    assert event.command_type == codes.COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR
    event.wait()
    seen = memory.read()
    assert (seen[:4096] == 9).all() and (seen[4096:8192] == 7).all() and bytes(seen[8192:8208]) == bytes(range(16))
    buffer.release()
    on.queue.finish()


def test_a_handle_that_is_none(importing):
    fd = os.open(os.devnull, os.O_RDONLY)
    fails("INVALID_PROPERTY", imported_buffer, importing.context, ((OPAQUE_FD, fd),), 0, 4096)
    fails("INVALID_PROPERTY", Semaphore, importing.context, (BINARY, (codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR, fd)))
    os.close(fd)


def test_semaphores_shared_with_vulkan(importing_semaphores):
    """Vulkan exports them; each side waits for the other."""
    on = importing_semaphores
    vulkan = Vulkan(bytes(on.device.get_info(codes.DEVICE_UUID_KHR)))
    theirs = [vulkan.semaphore() for _ in range(2)]
    ours = [Semaphore(on.context, (BINARY, (codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR, one.exported()))) for one in theirs]
    theirs[0].signal()  # CUDA wants the signal submitted before the wait
    enqueue_wait_semaphores(on.queue, ours[:1])
    enqueue_signal_semaphores(on.queue, ours[1:]).wait()
    theirs[1].wait()
    on.queue.finish()
    fails("INVALID_VALUE", ours[0].get_info, codes.SEMAPHORE_PAYLOAD_KHR)
    for one in ours:
        one.release()


# What is refused


def test_what_no_buffer_is_made_of(on, fake):
    make = imported_buffer
    listed = (codes.MEM_DEVICE_HANDLE_LIST_KHR, (on.device,))
    for properties in (((0x1234, 0), (OPAQUE_FD, 0)), ((OPAQUE_FD, 0), (OPAQUE_FD, 0)), (listed,), ()):
        fails("INVALID_PROPERTY", make, on.context, properties, 0, 64)
    for devices in ((), (fake.device,), (on.device, on.device)):
        fails("INVALID_DEVICE", make, on.context, ((OPAQUE_FD, 0), (codes.MEM_DEVICE_HANDLE_LIST_KHR, devices)), 0, 64)
    if on.device.properties.extra.get("memory_handles"):
        for flag in (codes.MEM_USE_HOST_PTR, codes.MEM_ALLOC_HOST_PTR, codes.MEM_COPY_HOST_PTR):
            fails("INVALID_VALUE", make, on.context, ((OPAQUE_FD, 0),), flag, 64)
        fails("INVALID_BUFFER_SIZE", make, on.context, ((OPAQUE_FD, 0), listed), 0, 0)
    else:
        fails("INVALID_PROPERTY", make, on.context, ((OPAQUE_FD, 0), listed), 0, 64)
        fails("INVALID_VALUE", on.device.get_info, 0x204F)
        assert "cl_khr_external_memory" not in dict(on.device.extensions)


@pytest.mark.parametrize("enqueue", [external.enqueue_acquire_external_mem_objects, external.enqueue_release_external_mem_objects])
def test_what_cannot_be_handed_over(on, enqueue):
    fails("INVALID_COMMAND_QUEUE", enqueue, None, None)
    fails("INVALID_VALUE", enqueue, on.queue, ())
    fails("INVALID_MEM_OBJECT", enqueue, on.queue, (Buffer(on.context, 0, 64),))
    fails("INVALID_MEM_OBJECT", enqueue, on.queue, ("memory",))
    fails("INVALID_EVENT_WAIT_LIST", enqueue, on.queue, None, ("event",))
    fails("INVALID_CONTEXT", enqueue, on.queue, None, (UserEvent(Context([on.device])),))
    failed = UserEvent(on.context)
    failed.set_status(-5)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", enqueue, on.queue, None, (failed,))
    enqueue(on.queue, None, (enqueue_marker(on.queue),)).wait()
