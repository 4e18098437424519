"""Unified shared memory (cl_intel_unified_shared_memory): allocations of each kind, commands, queries, kernels' arguments."""

import threading

import numpy as np
import pytest
from support.devices import needs_shared_memory
from support.fails import fails
from support.fake_driver import FakeDevice

from cl2cuda.runtime.commands import usm as commands
from cl2cuda.runtime.commands.buffer import enqueue_marker
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory import usm
from cl2cuda.runtime.memory.svm import svm_alloc, svm_free
from cl2cuda.runtime.process import host_memory
from cl2cuda.runtime.process.workers import Workers
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """
typedef struct Node { global struct Node *next; int value; } Node;
kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }
kernel void total(global Node *list, global int *sum) {
    int s = 0;
    for (; list; list = list->next) s += list->value;
    *sum = s;
}
kernel void count(global atomic_int *n) { atomic_fetch_add(n, 1); }
kernel void others(int a, local int *b, constant int *c) { }
"""
WHOLE = (codes.MEM_ALLOC_FLAGS_INTEL, codes.MEM_ALLOC_WRITE_COMBINED_INTEL)
KINDS = {
    "host": (codes.MEM_TYPE_HOST_INTEL, lambda on, size, properties=(), align=0: usm.host_mem_alloc(on.context, properties, size, align)),
    "device": (codes.MEM_TYPE_DEVICE_INTEL,
               lambda on, size, properties=(), align=0: usm.device_mem_alloc(on.context, on.device, properties, size, align)),
    "shared": (codes.MEM_TYPE_SHARED_INTEL,
               lambda on, size, properties=(), align=0: usm.shared_mem_alloc(on.context, on.device, properties, size, align)),
}
each_kind = pytest.mark.parametrize("kind", KINDS)


class On:
    def __init__(self, device):
        self.device = device
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)

    def alloc(self, kind, size, properties=(), align=0):
        return KINDS[kind][1](self, size, properties, align)

    def contents(self, address, size, type=np.uint8):
        """What a command copies from there."""
        found = np.zeros(size, np.uint8)
        commands.enqueue_memcpy(self.queue, True, found.ctypes.data, address, size)
        return found.view(type)


@pytest.fixture
def on(device):
    needs_shared_memory(device)
    return On(device)


@pytest.fixture
def built(real_device):
    found = On(real_device)
    found.program = Program(found.context, SOURCE)
    found.program.build("-cl-std=CL3.0")
    return found


@each_kind
def test_allocations_are_told_by_any_address_inside(on, kind):
    address = on.alloc(kind, 100, (WHOLE,), 128)
    device = None if kind == "host" else on.device
    for inside in (address, address + 99):
        found = [usm.get_mem_alloc_info(on.context, inside, code) for code in (
            codes.MEM_ALLOC_TYPE_INTEL, codes.MEM_ALLOC_BASE_PTR_INTEL, codes.MEM_ALLOC_SIZE_INTEL, codes.MEM_ALLOC_DEVICE_INTEL,
            codes.MEM_ALLOC_FLAGS_INTEL)]
        assert found == [KINDS[kind][0], address, 100, device, codes.MEM_ALLOC_WRITE_COMBINED_INTEL]
    fails("INVALID_VALUE", usm.get_mem_alloc_info, on.context, address, 0x1234)
    usm.mem_free(on.context, address)
    unknown = [usm.get_mem_alloc_info(on.context, address, code) for code in (
        codes.MEM_ALLOC_TYPE_INTEL, codes.MEM_ALLOC_BASE_PTR_INTEL, codes.MEM_ALLOC_SIZE_INTEL, codes.MEM_ALLOC_DEVICE_INTEL,
        codes.MEM_ALLOC_FLAGS_INTEL)]
    assert unknown == [codes.MEM_TYPE_UNKNOWN_INTEL, 0, 0, None, 0]


@each_kind
def test_errors_of_allocating(on, kind):
    for size in (0, on.device.properties.max_allocation + 1):
        fails("INVALID_BUFFER_SIZE", on.alloc, kind, size)
    for align in (3, 256):
        fails("INVALID_VALUE", on.alloc, kind, 64, (), align)
    both = codes.MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | codes.MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
    for properties in (((0x1234, 1),), (WHOLE, WHOLE), ((WHOLE[0], 8),), ((WHOLE[0], both),)):
        fails("INVALID_PROPERTY", on.alloc, kind, 64, properties)
    placed = ((codes.MEM_ALLOC_FLAGS_INTEL, codes.MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL),)
    if kind == "shared":
        usm.mem_free(on.context, on.alloc(kind, 64, placed))
    else:
        fails("INVALID_PROPERTY", on.alloc, kind, 64, placed)


def test_devices_are_the_contexts_and_can_share(on):
    other = Device(on.device.platform, "fake", FakeDevice())
    fails("INVALID_DEVICE", usm.device_mem_alloc, on.context, other, (), 64)
    fails("INVALID_DEVICE", usm.shared_mem_alloc, on.context, other, (), 64)
    none = Context([Device(on.device.platform, "fake", FakeDevice(shared_memory=0))])
    fails("INVALID_OPERATION", usm.shared_mem_alloc, none, none.devices[0], (), 64)
    fails("INVALID_OPERATION", usm.shared_mem_alloc, none, None, (), 64)
    assert none.devices[0].get_info(codes.DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL) == 0
    address = usm.shared_mem_alloc(on.context, None, (), 64)
    assert usm.get_mem_alloc_info(on.context, address, codes.MEM_ALLOC_DEVICE_INTEL) is None
    usm.mem_free(on.context, address)


def test_what_is_freed(on):
    usm.mem_free(on.context, 0)
    usm.mem_blocking_free(on.context, 0)
    address = on.alloc("host", 64)
    for free in (usm.mem_free, usm.mem_blocking_free):
        fails("INVALID_VALUE", free, on.context, address + 1)
        fails("INVALID_VALUE", free, on.context, 12345)
    shared = svm_alloc(on.context, 0, 64)
    fails("INVALID_VALUE", usm.mem_free, on.context, shared)
    svm_free(on.context, shared)
    usm.mem_blocking_free(on.context, address)
    fails("INVALID_VALUE", usm.mem_free, on.context, address)


def test_freeing_waits_for_the_commands_that_use_it(on):
    address, gate = on.alloc("device", 1 << 16), UserEvent(on.context)
    late = commands.enqueue_mem_fill(on.queue, address, b"late", 1 << 16, (gate,))
    copied = np.zeros(1 << 16, np.uint8)
    commands.enqueue_memcpy(on.queue, False, copied.ctypes.data, address, 1 << 16, keep=copied)
    gate.set_status(codes.COMPLETE)
    usm.mem_blocking_free(on.context, address)
    assert late.status == codes.COMPLETE and copied.tobytes() == b"late" * (1 << 14)


def test_a_destructor_frees_without_waiting(on):
    """Python's search for garbage calls destructors anywhere: within the command that uses the memory, and on threads that run commands."""
    gate, copied = UserEvent(on.context), [np.zeros(1 << 16, np.uint8) for _ in range(2)]
    addresses = [on.alloc("device", 1 << 16) for _ in copied]
    for address, target in zip(addresses, copied, strict=True):
        commands.enqueue_mem_fill(on.queue, address, b"late", 1 << 16, (gate,))
        commands.enqueue_memcpy(on.queue, False, target.ctypes.data, address, 1 << 16, keep=target)
    usm.free_within_a_call(on.context, 0)
    usm.free_within_a_call(on.context, addresses[0])
    fails("INVALID_VALUE", usm.free_within_a_call, on.context, addresses[0] + 1)
    freed = threading.Event()
    Workers().put(lambda: (usm.mem_blocking_free(on.context, addresses[1]), freed.set()))
    assert freed.wait(60)
    gate.set_status(codes.COMPLETE)
    on.queue.finish()
    assert all(target.tobytes() == b"late" * (1 << 14) for target in copied)
    on.context.reclaim()
    assert not any(on.context.usm.starts_at(address) for address in addresses)


@each_kind
def test_fill_and_copy(on, kind):
    address, other = on.alloc(kind, 4096), on.alloc("device", 4096)
    data = np.arange(1024, dtype="i4")
    commands.enqueue_memcpy(on.queue, True, address, data.ctypes.data, 4096)
    commands.enqueue_mem_fill(on.queue, address + 16, np.array([7, 8], "i4").tobytes(), 16)
    commands.enqueue_memcpy(on.queue, False, other, address, 4096)
    data[4:8] = (7, 8, 7, 8)
    assert (on.contents(other, 4096, "i4") == data).all()
    if kind != "device":
        on.queue.finish()
        assert bytes(host_memory.view(address, 4096, None)) == data.tobytes()
    for one in (address, other):
        usm.mem_free(on.context, one)


def test_hints_change_nothing(on):
    address = on.alloc("shared", 4096)
    commands.enqueue_mem_fill(on.queue, address, b"ab", 4096)
    for flags in (0, codes.MIGRATE_MEM_OBJECT_HOST):
        commands.enqueue_migrate_mem(on.queue, address, 4096, flags)
    commands.enqueue_mem_advise(on.queue, address, 4096, 0x4208)
    assert on.contents(address, 4096).tobytes() == b"ab" * 2048
    fails("INVALID_VALUE", commands.enqueue_migrate_mem, on.queue, address, 64, 1 << 9)
    fails("INVALID_VALUE", commands.enqueue_mem_advise, on.queue, address, 64, 7)
    usm.mem_free(on.context, address)


COMMANDS = {
    codes.COMMAND_MEMCPY_INTEL: lambda queue, address, wait_for=(): commands.enqueue_memcpy(queue, False, address, address + 64, 64, wait_for),
    codes.COMMAND_MEMFILL_INTEL: lambda queue, address, wait_for=(): commands.enqueue_mem_fill(queue, address, b"ab", 64, wait_for),
    codes.COMMAND_MIGRATEMEM_INTEL: lambda queue, address, wait_for=(): commands.enqueue_migrate_mem(queue, address, 64, 0, wait_for),
    codes.COMMAND_MEMADVISE_INTEL: lambda queue, address, wait_for=(): commands.enqueue_mem_advise(queue, address, 64, 0, wait_for),
}


@pytest.mark.parametrize("code", COMMANDS)
def test_errors_that_every_command_has(on, code):
    address, enqueue = on.alloc("shared", 4096), COMMANDS[code]
    fails("INVALID_COMMAND_QUEUE", enqueue, None, address)
    fails("INVALID_VALUE", enqueue, on.queue, 0)
    fails("INVALID_EVENT_WAIT_LIST", enqueue, on.queue, address, ("no event",))
    fails("INVALID_CONTEXT", enqueue, on.queue, address, (UserEvent(Context([on.device])),))
    assert "go beyond the allocation" in fails("INVALID_VALUE", enqueue, on.queue, address + 4080)
    event = enqueue(on.queue, address, (enqueue_marker(on.queue),))
    event.wait()
    assert event.get_info(codes.EVENT_COMMAND_TYPE) == code
    usm.mem_free(on.context, address)


def test_errors_of_copy_and_fill(on):
    address = on.alloc("device", 4096)
    fails("INVALID_VALUE", commands.enqueue_memcpy, on.queue, True, address, 0, 8)
    fails("MEM_COPY_OVERLAP", commands.enqueue_memcpy, on.queue, True, address, address + 7, 8)
    gate = UserEvent(on.context)
    gate.set_status(-5)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", commands.enqueue_memcpy, on.queue, True, address, address + 8, 8, (gate,))
    for pattern in (b"", b"abc", bytes(256)):
        fails("INVALID_VALUE", commands.enqueue_mem_fill, on.queue, address, pattern, 1024)
    fails("INVALID_VALUE", commands.enqueue_mem_fill, on.queue, address + 2, b"abcd", 8)
    fails("INVALID_VALUE", commands.enqueue_mem_fill, on.queue, address, b"abcd", 6)
    if not on.device.properties.shared_memory & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM:
        own = np.zeros(64, np.uint64)
        fails("INVALID_VALUE", commands.enqueue_mem_fill, on.queue, own.ctypes.data, b"a", 8)
    usm.mem_free(on.context, address)


@each_kind
def test_kernels_use_it(built, kind):
    address = built.alloc(kind, 4096, (), 128)
    assert address % 128 == 0
    kernel = Kernel(built.program, "twice")
    commands.enqueue_mem_fill(built.queue, address, np.int32(21).tobytes(), 4096)
    kernel.set_arg_mem_pointer(0, address + 2048)
    enqueue_nd_range_kernel(built.queue, kernel, 1, None, (512,), (64,))
    assert built.contents(address, 4096, "i4").tolist() == [21] * 512 + [42] * 512
    usm.mem_blocking_free(built.context, address)


@each_kind
def test_atomic_operations(built, kind):
    address = built.alloc(kind, 64)
    kernel = Kernel(built.program, "count")
    commands.enqueue_mem_fill(built.queue, address, b"\0", 64)
    kernel.set_arg_mem_pointer(0, address)
    enqueue_nd_range_kernel(built.queue, kernel, 1, None, (4096,), (64,))
    assert built.contents(address, 4, "i4").tolist() == [4096]
    usm.mem_blocking_free(built.context, address)


def test_a_list_through_all_kinds_is_followed(built):
    """Pointers in memory, of which the kernel is told nothing but the first."""
    addresses = [built.alloc(kind, 16) for kind in KINDS]
    node = np.dtype([("next", "u8"), ("value", "i4"), ("pad", "i4")])
    for place, next_, value in zip(addresses, [*addresses[1:], 0], (1, 20, 300), strict=True):
        one = np.array([(next_, value, 0)], node)
        commands.enqueue_memcpy(built.queue, True, place, one.ctypes.data, 16)
    kernel, result = Kernel(built.program, "total"), built.alloc("device", 4)
    for code in (codes.KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, codes.KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                 codes.KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL):
        kernel.set_exec_info(code, True)
    kernel.set_exec_info(codes.KERNEL_EXEC_INFO_USM_PTRS_INTEL, addresses)
    kernel.set_arg_mem_pointer(0, addresses[0])
    kernel.set_arg_mem_pointer(1, result)
    enqueue_nd_range_kernel(built.queue, kernel, 1, None, (1,), (1,))
    assert built.contents(result, 4, "i4").tolist() == [321]
    for address in (*addresses, result):
        usm.mem_blocking_free(built.context, address)


def test_errors_of_arguments(built):
    kernel = Kernel(built.program, "others")
    kernel.set_arg_mem_pointer(2, 0)
    kernel.set_arg_mem_pointer(2, 12345)
    for index in (0, 1):
        fails("INVALID_ARG_VALUE", kernel.set_arg_mem_pointer, index, 0)
    for index in (-1, 3):
        fails("INVALID_ARG_INDEX", kernel.set_arg_mem_pointer, index, 0)


def test_the_host_device_has_a_gpus_memory_copied_by_the_gpu(real_device):
    """In a context of two drivers; the GPU here is one in memory, whose memory nobody else may touch."""
    gpu = Device(real_device.platform, "fake", FakeDevice())
    context = Context([gpu, real_device])
    if not real_device.host_addressable:
        pytest.skip("the device reaches the memory of the other by itself")
    queue = CommandQueue(context, real_device)
    there, here = usm.device_mem_alloc(context, gpu, (), 64), usm.device_mem_alloc(context, real_device, (), 64)
    commands.enqueue_mem_fill(queue, here, b"abcd", 64)
    commands.enqueue_memcpy(queue, True, there, here, 64)
    back = np.zeros(64, np.uint8)
    commands.enqueue_memcpy(queue, True, back.ctypes.data, there, 64)
    assert back.tobytes() == b"abcd" * 16
    fails("INVALID_VALUE", commands.enqueue_mem_fill, queue, there, b"a", 64)
    for address in (there, here):
        usm.mem_free(context, address)


def test_what_shares_nothing_with_the_host_has_none():
    """A remote device: nothing says that it could, and it says so."""
    device = Device(platforms()[0], "fake", FakeDevice(shared_memory=0))
    assert "cl_intel_unified_shared_memory" not in dict(device.extensions)
    assert not device.get_info(codes.DEVICE_HOST_MEM_CAPABILITIES_INTEL) and not device.get_info(codes.DEVICE_DEVICE_MEM_CAPABILITIES_INTEL)
    context = Context([device])
    fails("INVALID_OPERATION", usm.host_mem_alloc, context, (), 64)
    fails("INVALID_OPERATION", usm.device_mem_alloc, context, device, (), 64)
    fails("INVALID_OPERATION", usm.shared_mem_alloc, context, None, (), 64)
