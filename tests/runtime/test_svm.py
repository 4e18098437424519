"""Shared virtual memory: allocations, commands, kernel arguments, and buffers over it."""

import ctypes
import threading

import numpy as np
import pytest
from support.devices import needs_shared_memory
from support.fails import fails
from support.fake_cuda import FakeCuda
from support.fake_driver import FakeDevice
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.commands import svm as svm_commands
from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_marker, enqueue_read_buffer
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.svm import Pointer, svm_alloc, svm_free
from cl2cuda.runtime.process import host_memory
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """
typedef struct Node { global struct Node *next; int value; } Node;

kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }

kernel void total(global Node *list, global int *sum) {
    int s = 0;
    for (; list; list = list->next) s += list->value;
    *sum = s;
}

kernel void answer(global atomic_int *flags, int patience) {
    for (int i = 0; i < patience; i++)
        if (atomic_load_explicit(&flags[0], memory_order_acquire, memory_scope_all_svm_devices) == 1) {
            atomic_store_explicit(&flags[64], 42, memory_order_release, memory_scope_all_svm_devices);
            return;
        }
}

kernel void count(global atomic_int *n) { atomic_fetch_add(n, 1); }

kernel void by_value(int a, local int *b) { }
"""
NODE = np.dtype([("next", np.uint64), ("value", np.int32), ("pad", np.int32)])


class On:
    def __init__(self, device):
        self.device = device
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)
        self.can = device.properties.shared_memory

    def alloc(self, size, flags=0):
        """An address and the memory there as an array of bytes."""
        address = svm_alloc(self.context, flags, size)
        return address, self.bytes_at(address, size)

    @staticmethod
    def bytes_at(address, size):
        return np.frombuffer(host_memory.view(address, size, None), np.uint8)


@pytest.fixture
def on(device):
    needs_shared_memory(device)
    return On(device)


class Built(On):
    def __init__(self, device):
        super().__init__(device)
        self.program = Program(self.context, SOURCE)
        self.program.build("-cl-std=CL3.0")

    def run(self, name, size, *values):
        kernel = Kernel(self.program, name)
        for index, value in enumerate(values):
            kernel.set_arg(index, value)
        return enqueue_nd_range_kernel(self.queue, kernel, 1, None, (size,), None)


@pytest.fixture
def built(real_device):
    return Built(real_device)


# Allocation


def test_allocations_are_aligned_and_found_by_any_address_inside(on):
    shared = on.context.svm
    first, second = (svm_alloc(on.context, codes.MEM_READ_ONLY, 1000, 64) for _ in range(2))
    assert shared.find(first + 999).address == first and shared.find(second).address == second
    assert shared.find(first).flags == codes.MEM_READ_ONLY
    assert shared.find(0) is None
    svm_free(on.context, first)
    assert shared.find(first) is None and shared.find(second).size == 1000
    svm_free(on.context, second)
    svm_free(on.context, 0)


def test_default_alignment_is_that_of_long16(real_device):
    context = Context([real_device])
    addresses = [svm_alloc(context, 0, size) for size in (1, 3, 77)]
    assert not any(address % 128 for address in addresses)
    for address in addresses:
        svm_free(context, address)


def test_what_cannot_be_allocated(on):
    for flags in (codes.MEM_USE_HOST_PTR, codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY, codes.MEM_SVM_ATOMICS):
        fails("INVALID_VALUE", svm_alloc, on.context, flags, 64)
    for size in (0, -1, on.device.properties.max_allocation + 1):
        fails("INVALID_BUFFER_SIZE", svm_alloc, on.context, 0, size)
    for alignment in (3, 256, -1):
        fails("INVALID_VALUE", svm_alloc, on.context, 0, 64, alignment)
    if not on.can & codes.DEVICE_SVM_FINE_GRAIN_BUFFER:
        fails("INVALID_OPERATION", svm_alloc, on.context, codes.MEM_SVM_FINE_GRAIN_BUFFER, 64)


def test_no_more_managed_memory_than_the_device_has_free():
    """Two thirds of it twice, of which CUDA itself would give as much as anyone asks for."""
    device = CudaDevice(FakeCuda(), 0)
    size = (1 << 24) * 2 // 3
    first = device.allocate_shared(size)
    with pytest.raises(DriverError) as caught:
        device.allocate_shared(size)
    assert caught.value.status == "MEM_OBJECT_ALLOCATION_FAILURE"
    device.free_shared(first)
    device.free_shared(device.allocate_shared(size))


def test_pinned_memory_where_host_and_device_may_not_share_pages(monkeypatch):
    """Such as under WSL2. Coarse-grained sharing is all that is promised there."""
    cuda = FakeCuda()
    attribute = cuda.runtime.deviceGetAttribute
    monkeypatch.setattr(cuda.runtime, "deviceGetAttribute", lambda number, ordinal: 0 if number == 89 else attribute(number, ordinal))
    on = On(Device(object(), "cuda", CudaDevice(cuda, 0)))
    assert on.device.get_info(0x1053) == codes.DEVICE_SVM_COARSE_GRAIN_BUFFER
    address, memory = on.alloc(64)
    svm_commands.enqueue_svm_fill(on.queue, address, b"ab", 64)
    svm_commands.enqueue_svm_map(on.queue, True, codes.MAP_READ, address, 64)
    assert bytes(memory) == b"ab" * 32
    svm_free(on.context, address)


def test_a_device_without_shared_memory():
    none = On(Device(object(), "fake", FakeDevice(shared_memory=0)))
    assert none.device.get_info(0x1053) == 0
    fails("INVALID_OPERATION", svm_alloc, none.context, 0, 64)
    fails("INVALID_OPERATION", svm_commands.enqueue_svm_free, none.queue, (1,))
    fails("INVALID_OPERATION", svm_commands.enqueue_svm_memcpy, none.queue, True, 64, 128, 8)
    fails("INVALID_OPERATION", svm_commands.enqueue_svm_fill, none.queue, 64, b"a", 8)
    fails("INVALID_OPERATION", svm_commands.enqueue_svm_map, none.queue, True, codes.MAP_READ, 64, 8)
    fails("INVALID_OPERATION", svm_commands.enqueue_svm_unmap, none.queue, 64)
    fails("INVALID_OPERATION", svm_commands.enqueue_svm_migrate, none.queue, ((64, 8),))


def test_kernels_in_a_context_without_shared_memory(fake):
    fake.kernels[:] = [kernel_info("k", arg("p", "global", parameter=True))]
    context = Context([Device(fake.device.platform, "fake", FakeDevice(shared_memory=0))])
    program = Program(context, "")
    program.build()
    kernel = Kernel(program, "k")
    fails("INVALID_OPERATION", kernel.set_arg_svm_pointer, 0, 64)
    fails("INVALID_OPERATION", kernel.set_exec_info, codes.KERNEL_EXEC_INFO_SVM_PTRS, ())


def test_memory_that_is_not_there(fake):
    on = On(Device(fake.device.platform, "fake", FakeDevice(global_memory=40 << 20)))
    for _ in range(2):
        svm_alloc(on.context, 0, 16 << 20)
    fails("MEM_OBJECT_ALLOCATION_FAILURE", svm_alloc, on.context, 0, 16 << 20)


# Commands


def test_fill_copy_and_map(on):
    address, memory = on.alloc(4096)
    other, _ = on.alloc(4096)
    svm_commands.enqueue_svm_fill(on.queue, address, b"\x01\x02\x03\x04", 4096)
    svm_commands.enqueue_svm_memcpy(on.queue, False, other, address + 1024, 1024)
    back = np.zeros(1024, np.uint8)
    svm_commands.enqueue_svm_memcpy(on.queue, True, back.ctypes.data, other, 1024)
    assert (back.reshape(-1, 4) == (1, 2, 3, 4)).all()
    svm_commands.enqueue_svm_map(on.queue, True, codes.MAP_READ | codes.MAP_WRITE, address, 4096)
    assert (memory.reshape(-1, 4) == (1, 2, 3, 4)).all()
    memory[:] = 7
    svm_commands.enqueue_svm_unmap(on.queue, address)
    svm_commands.enqueue_svm_memcpy(on.queue, True, back.ctypes.data, address, 1024)
    assert (back == 7).all()
    for one in (address, other):
        svm_free(on.context, one)


def test_host_memory_reaches_shared_memory(on):
    address, _ = on.alloc(1 << 16)
    data = np.random.default_rng(1).integers(0, 256, 1 << 16, dtype=np.uint8)
    svm_commands.enqueue_svm_memcpy(on.queue, False, address, data.ctypes.data, data.nbytes, keep=data)
    back = np.zeros_like(data)
    svm_commands.enqueue_svm_memcpy(on.queue, True, back.ctypes.data, address, data.nbytes)
    assert (back == data).all()
    svm_free(on.context, address)


def test_migration_moves_ranges_and_whole_allocations(on):
    address, memory = on.alloc(8192)
    svm_commands.enqueue_svm_fill(on.queue, address, b"z", 8192)
    svm_commands.enqueue_svm_migrate(on.queue, ((address, 4096), (address + 5000, 0)), codes.MIGRATE_MEM_OBJECT_HOST)
    svm_commands.enqueue_svm_migrate(on.queue, ((address + 10, 0),))
    on.queue.finish()
    assert (memory == ord("z")).all()
    svm_free(on.context, address)


def test_large_regions_move_to_the_host_and_back(on):
    """Small ones are left to the host's page faults."""
    size = 1 << 20
    address, memory = on.alloc(size)
    svm_commands.enqueue_svm_fill(on.queue, address, b"abcd", size)
    svm_commands.enqueue_svm_map(on.queue, True, codes.MAP_READ | codes.MAP_WRITE, address, size)
    assert bytes(memory[-4:]) == b"abcd"
    memory[::4] = ord("x")
    svm_commands.enqueue_svm_unmap(on.queue, address)
    svm_commands.enqueue_svm_migrate(on.queue, ((address, 0),))
    svm_commands.enqueue_svm_migrate(on.queue, ((address + 1, 1), (address, 0)), codes.MIGRATE_MEM_OBJECT_HOST)
    back = np.zeros(size, np.uint8)
    svm_commands.enqueue_svm_memcpy(on.queue, True, back.ctypes.data, address, size)
    assert bytes(back[:4]) == bytes(back[-4:]) == b"xbcd"
    svm_free(on.context, address)


def test_maps_and_migrations_bring_the_pages_to_their_next_user(fake):
    on = On(fake.device)
    address, _ = on.alloc(8192)
    svm_commands.enqueue_svm_map(on.queue, True, codes.MAP_WRITE, address + 100, 5000)
    svm_commands.enqueue_svm_unmap(on.queue, address + 100)
    svm_commands.enqueue_svm_migrate(on.queue, ((address + 10, 0),), codes.MIGRATE_MEM_OBJECT_HOST)
    on.queue.finish()
    assert fake.driver.prefetches == [(address + 100, 5000, True), (address + 100, 5000, False), (address, 8192, True)]


def test_free_comes_after_the_commands_before_it(fake):
    on = On(fake.device)
    address, _ = on.alloc(64)
    gate = UserEvent(on.context)
    svm_commands.enqueue_svm_fill(on.queue, address, b"a", 64, (gate,))
    svm_commands.enqueue_svm_free(on.queue, (address,))
    assert on.context.svm.find(address)
    gate.set_status(0)
    on.queue.finish()
    on.context.reclaim()
    assert on.context.svm.find(address) is None and address not in fake.driver.memory


def test_free_by_callback(on):
    address, _ = on.alloc(64)
    own = ctypes.create_string_buffer(64)
    called = threading.Event()
    got = []

    def free(queue, pointers):
        got.extend((queue, *pointers))
        called.set()

    event = svm_commands.enqueue_svm_free(on.queue, (address, ctypes.addressof(own)), free)
    assert event.command_type == codes.COMMAND_SVM_FREE
    event.wait()
    assert called.wait(10)
    assert got == [on.queue, address, ctypes.addressof(own)] and on.context.svm.find(address)
    svm_free(on.context, address)


def test_free_of_nothing(on):
    svm_commands.enqueue_svm_free(on.queue, None).wait()
    svm_commands.enqueue_svm_free(on.queue, (0,)).wait()
    fails("INVALID_VALUE", svm_commands.enqueue_svm_free, on.queue, ())
    fails("INVALID_VALUE", svm_commands.enqueue_svm_free, on.queue, (12345,))


COMMANDS = {
    "free": lambda queue, address, wait_for=(): svm_commands.enqueue_svm_free(queue, (address,), lambda *_: None, wait_for=wait_for),
    "memcpy": lambda queue, address, wait_for=(): svm_commands.enqueue_svm_memcpy(queue, False, address, address + 64, 64, wait_for=wait_for),
    "fill": lambda queue, address, wait_for=(): svm_commands.enqueue_svm_fill(queue, address, b"ab", 64, wait_for=wait_for),
    "map": lambda queue, address, wait_for=(): svm_commands.enqueue_svm_map(queue, False, codes.MAP_READ, address, 64, wait_for=wait_for),
    "unmap": lambda queue, address, wait_for=(): svm_commands.enqueue_svm_unmap(queue, address, wait_for=wait_for),
    "migrate": lambda queue, address, wait_for=(): svm_commands.enqueue_svm_migrate(queue, ((address, 64),), wait_for=wait_for),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_errors_that_every_command_has(on, name):
    address, _ = on.alloc(4096)
    enqueue = COMMANDS[name]
    if name == "unmap":
        for _ in range(3):
            COMMANDS["map"](on.queue, address)
    fails("INVALID_COMMAND_QUEUE", enqueue, None, address)
    fails("INVALID_EVENT_WAIT_LIST", enqueue, on.queue, address, ("no event",))
    fails("INVALID_CONTEXT", enqueue, on.queue, address, (UserEvent(Context([on.device])),))
    enqueue(on.queue, address, (enqueue_marker(on.queue),)).wait()
    svm_free(on.context, address)


def test_errors_of_memcpy(on):
    address, _ = on.alloc(4096)
    memcpy = svm_commands.enqueue_svm_memcpy
    fails("INVALID_VALUE", memcpy, on.queue, True, 0, address, 8)
    fails("INVALID_VALUE", memcpy, on.queue, True, address, 0, 8)
    fails("MEM_COPY_OVERLAP", memcpy, on.queue, True, address, address + 7, 8)
    host = np.zeros(8192, np.uint8).ctypes.data
    assert "go beyond the allocation" in fails("INVALID_VALUE", memcpy, on.queue, True, address, host, 4097)
    assert "go beyond the allocation" in fails("INVALID_VALUE", memcpy, on.queue, True, host, address + 4000, 97)
    memcpy(on.queue, True, address, address + 8, 8)
    gate = UserEvent(on.context)
    gate.set_status(-5)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", memcpy, on.queue, True, address, address + 8, 8, (gate,))
    svm_free(on.context, address)


def test_errors_of_fill(on):
    address, _ = on.alloc(4096)
    fill = svm_commands.enqueue_svm_fill
    fails("INVALID_VALUE", fill, on.queue, 0, b"abcd", 8)
    fails("INVALID_VALUE", fill, on.queue, address + 2, b"abcd", 8)
    fails("INVALID_VALUE", fill, on.queue, address, b"abcd", 6)
    for size in (4100, 1 << 40, (1 << 64) - 4):
        assert "go beyond the allocation" in fails("INVALID_VALUE", fill, on.queue, address, b"abcd", size)
    for pattern in (b"", b"abc", bytes(256)):
        fails("INVALID_VALUE", fill, on.queue, address, pattern, 1024)
    if not on.can & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM:
        own = np.zeros(64, np.uint64)
        fails("INVALID_VALUE", fill, on.queue, own.ctypes.data, b"a", 8)
    svm_free(on.context, address)


def test_errors_of_map_and_unmap(on):
    address, _ = on.alloc(4096)
    both = codes.MAP_WRITE | codes.MAP_WRITE_INVALIDATE_REGION
    for bad in ((codes.MAP_READ, 0, 64), (codes.MAP_READ, address, 0), (both, address, 64), (8, address, 64)):
        fails("INVALID_VALUE", svm_commands.enqueue_svm_map, on.queue, True, *bad)
    fails("INVALID_VALUE", svm_commands.enqueue_svm_unmap, on.queue, 0)
    fails("INVALID_VALUE", svm_commands.enqueue_svm_unmap, on.queue, address)
    svm_commands.enqueue_svm_map(on.queue, True, codes.MAP_READ, address, 64)
    svm_commands.enqueue_svm_unmap(on.queue, address)
    fails("INVALID_VALUE", svm_commands.enqueue_svm_unmap, on.queue, address)
    gate = UserEvent(on.context)
    gate.set_status(-5)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", svm_commands.enqueue_svm_map, on.queue, True, codes.MAP_READ, address, 64,
          (gate,))
    svm_free(on.context, address)


def test_errors_of_migrate(on):
    address, _ = on.alloc(4096)
    for ranges, flags in (((), 0), (((address, 4097),), 0), (((8, 0),), 0), (((address, 0),), 4)):
        fails("INVALID_VALUE", svm_commands.enqueue_svm_migrate, on.queue, ranges, flags)
    svm_free(on.context, address)


# Buffers over shared memory


def test_a_buffer_over_an_allocation_is_the_same_memory(on):
    address, memory = on.alloc(4096)
    buffer = Buffer(on.context, codes.MEM_USE_HOST_PTR, 1024, host_memory.view(address + 1024, 1024, None))
    assert buffer.get_info(codes.MEM_USES_SVM_POINTER) and buffer.get_info(codes.MEM_HOST_PTR) == address + 1024
    part = buffer.sub_buffer(0, 256, 256)
    assert part.get_info(codes.MEM_USES_SVM_POINTER) and part.address == address + 1280
    enqueue_fill_buffer(on.queue, part, b"\x05", 0, 256)
    view, _ = enqueue_map_buffer(on.queue, buffer, True, codes.MAP_READ | codes.MAP_WRITE, 0, 1024)
    assert host_memory.extent("", view)[0] == address + 1024
    assert (memory[1280:1536] == 5).all()
    memory[1024] = 9
    enqueue_unmap(on.queue, buffer, view)
    back = np.zeros(1, np.uint8)
    enqueue_read_buffer(on.queue, buffer, True, 0, back)
    assert back[0] == 9
    fails("INVALID_BUFFER_SIZE", Buffer, on.context, codes.MEM_USE_HOST_PTR, 4096, host_memory.view(address + 8, 4096, None))
    own = Buffer(on.context, codes.MEM_USE_HOST_PTR, host=np.zeros(64, np.uint8))
    assert not own.get_info(codes.MEM_USES_SVM_POINTER)
    buffer.release()
    part.release()
    svm_free(on.context, address)


# Kernels


def test_kernels_follow_pointers(built):
    """A list built by the host, in its own order, with the host's pointers."""
    address, memory = built.alloc(NODE.itemsize * 100)
    sum_address, sum_memory = built.alloc(64)
    svm_commands.enqueue_svm_map(built.queue, True, codes.MAP_WRITE, address, memory.nbytes)
    nodes = memory.view(NODE)
    order = np.random.default_rng(2).permutation(100)
    nodes["value"] = np.arange(100)
    nodes["next"][order] = [*(address + NODE.itemsize * order[1:]), 0]
    first = int(address + NODE.itemsize * order[0])
    svm_commands.enqueue_svm_unmap(built.queue, address)
    built.run("total", 1, Pointer(first), Pointer(sum_address))
    svm_commands.enqueue_svm_map(built.queue, True, codes.MAP_READ, sum_address, 64)
    assert sum_memory.view(np.int32)[0] == sum(range(100))
    svm_commands.enqueue_svm_unmap(built.queue, sum_address)
    for one in (address, sum_address):
        svm_free(built.context, one)


def test_buffers_and_pointers_take_turns_in_one_argument(built):
    address, memory = built.alloc(16 * 4)
    numbers = np.arange(16, dtype=np.float32)
    kernel = Kernel(built.program, "twice")
    buffer = Buffer(built.context, codes.MEM_COPY_HOST_PTR, host=numbers)
    svm_commands.enqueue_svm_memcpy(built.queue, True, address, numbers.ctypes.data, 64)
    for value in (buffer, Pointer(address), buffer):
        kernel.set_arg(0, value)
        enqueue_nd_range_kernel(built.queue, kernel, 1, None, (16,), None)
    kernel.set_arg_svm_pointer(0, address + 32)
    enqueue_nd_range_kernel(built.queue, kernel, 1, None, (8,), None)
    built.queue.finish()
    assert (memory.view(np.float32) == numbers * np.repeat((2, 4), 8)).all()
    back = np.zeros(16, np.float32)
    enqueue_read_buffer(built.queue, buffer, True, 0, back)
    assert (back == numbers * 4).all()
    svm_free(built.context, address)


def test_errors_of_arguments_and_execution_information(built):
    address, _ = built.alloc(64)
    kernel, other = Kernel(built.program, "twice"), Kernel(built.program, "by_value")
    fails("INVALID_ARG_INDEX", kernel.set_arg_svm_pointer, 1, address)
    fails("INVALID_ARG_VALUE", other.set_arg_svm_pointer, 0, address)
    fails("INVALID_ARG_VALUE", other.set_arg_svm_pointer, 1, address)
    kernel.set_arg_svm_pointer(0, 0)
    own = np.zeros(16, np.float32)
    system = built.can & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM
    if not system:
        fails("INVALID_ARG_VALUE", kernel.set_arg_svm_pointer, 0, own.ctypes.data)
        fails("INVALID_OPERATION", kernel.set_exec_info, codes.KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, True)
    kernel.set_exec_info(codes.KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, bool(system))
    kernel.set_exec_info(codes.KERNEL_EXEC_INFO_SVM_PTRS, (address, address + 8))
    assert kernel.exec_info[codes.KERNEL_EXEC_INFO_SVM_PTRS] == (address, address + 8)
    kernel.set_exec_info(codes.KERNEL_EXEC_INFO_SVM_PTRS, ())
    fails("INVALID_VALUE", kernel.set_exec_info, codes.KERNEL_EXEC_INFO_SVM_PTRS, (8,))
    fails("INVALID_VALUE", kernel.set_exec_info, 0x9999, 1)
    kernel.release()
    fails("INVALID_KERNEL", kernel.set_arg_svm_pointer, 0, address)
    fails("INVALID_KERNEL", kernel.set_exec_info, codes.KERNEL_EXEC_INFO_SVM_PTRS, ())
    svm_free(built.context, address)


def test_any_memory_of_the_host_where_the_device_reaches_it(built):
    if not built.can & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM:
        pytest.skip("no fine-grained system sharing")
    own = np.arange(16, dtype=np.float32)
    built.run("twice", 16, Pointer(own.ctypes.data))
    built.queue.finish()
    assert (own == 2 * np.arange(16)).all()


def test_fine_grained_memory_needs_no_maps(built):
    if not built.can & codes.DEVICE_SVM_FINE_GRAIN_BUFFER:
        pytest.skip("no fine-grained buffers")
    address, memory = built.alloc(64, codes.MEM_SVM_FINE_GRAIN_BUFFER)
    numbers = memory.view(np.float32)
    for round in range(3):
        numbers[:] = round
        built.run("twice", 16, Pointer(address))
        built.queue.finish()
        assert (numbers == 2 * round).all()
    svm_free(built.context, address)


def test_host_and_device_talk_while_a_kernel_runs(built):
    if not built.can & codes.DEVICE_SVM_ATOMICS:
        pytest.skip("no atomics in shared virtual memory")
    address, memory = built.alloc(4096, codes.MEM_SVM_FINE_GRAIN_BUFFER | codes.MEM_SVM_ATOMICS)
    flags = memory.view(np.int32)
    flags[:] = 0

    def say() -> None:
        flags[0] = 1

    later = threading.Timer(0.05, say)
    later.start()
    built.run("answer", 1, Pointer(address), np.int32(1 << 30))  # The host device runs it in this call, the other thread talks.
    built.queue.finish()
    later.join()
    assert flags[64] == 42
    svm_free(built.context, address)


def test_system_pointers_need_a_device_that_reaches_them(fake):
    """In a context of several devices, one that can and one that cannot."""
    able = Device(fake.device.platform, "fake", FakeDevice(shared_memory=7))
    context = Context([fake.device, able])
    fake.kernels[:] = [kernel_info("k", arg("p", "global", parameter=True))]
    for driver in (fake.driver, able.driver_device):
        driver.bodies["k"] = lambda parameters, sizes: None
    program = Program(context, "")
    program.build()
    kernel = Kernel(program, "k")
    own = np.zeros(4)
    queues = [CommandQueue(context, device) for device in (fake.device, able)]
    kernel.set_arg(0, Buffer(context, 0, 64))
    enqueue_nd_range_kernel(queues[0], kernel, 1, None, (1,), None)
    kernel.set_arg_svm_pointer(0, own.ctypes.data)
    enqueue_nd_range_kernel(queues[1], kernel, 1, None, (1,), None)
    fails("INVALID_OPERATION", enqueue_nd_range_kernel, queues[0], kernel, 1, None, (1,), None)
    kernel.set_arg(0, Buffer(context, 0, 64))
    enqueue_nd_range_kernel(queues[0], kernel, 1, None, (1,), None)
