"""cl_ext_buffer_device_address: buffers whose address is fixed and known, and kernels that are given addresses."""

import ctypes

import numpy as np
import pytest
from support.devices import needs_shared_memory
from support.fails import fails
from support.fake_driver import FakeDevice

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.device_address import create_buffer_with_properties
from cl2cuda.runtime.memory.svm import svm_alloc, svm_free
from cl2cuda.runtime.process import host_memory
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

FIXED = ((codes.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1),)
SOURCE = """
kernel void address(global int *a, global ulong *out) { *out = (ulong)a; }
kernel void follow(global ulong *place, global int *out) { *out = *(global int *)*place; }
kernel void before(global int *a, global int *out, local int *b, int c) { *out = a[-2]; }
"""


def read(queue, buffer, count, type):
    found = np.zeros(count, type)
    buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, found)
    return found.tolist()


@pytest.fixture
def program(real_device):
    context = Context([real_device])
    found = Program(context, SOURCE)
    found.build()
    return found


def test_kernels_meet_the_address_that_is_told(program, real_device):
    context, queue = program.context, CommandQueue(program.context, real_device)
    data = np.arange(100, 116, dtype="i4")
    buffer = create_buffer_with_properties(context, FIXED, codes.MEM_COPY_HOST_PTR, 64, data)
    (address,) = buffer.get_info(codes.MEM_DEVICE_ADDRESS_EXT)
    assert buffer.get_info(codes.MEM_PROPERTIES) == FIXED
    out = Buffer(context, 0, 8)
    kernel = Kernel(program, "address")
    kernel.set_arg(0, buffer)
    kernel.set_arg(1, out)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
    assert read(queue, out, 1, "u8") == [address]
    buffer_commands.enqueue_write_buffer(queue, out, True, 0, np.array([address + 4], "u8"))
    follow, found = Kernel(program, "follow"), Buffer(context, 0, 4)
    follow.set_exec_info(codes.KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, (address,))
    follow.set_arg(0, out)
    follow.set_arg(1, found)
    enqueue_nd_range_kernel(queue, follow, 1, None, (1,), (1,))
    assert read(queue, found, 1, "i4") == [101]
    before = Kernel(program, "before")
    before.set_arg_device_pointer(0, address + 20)
    before.set_arg(1, found)
    fails("INVALID_ARG_INDEX", before.set_arg_device_pointer, 2, address)
    fails("INVALID_ARG_INDEX", before.set_arg_device_pointer, 3, address)
    fails("INVALID_ARG_INDEX", before.set_arg_device_pointer, 4, address)
    before.set_arg(2, LocalMemory(4))
    before.set_arg(3, bytes(4))
    enqueue_nd_range_kernel(queue, before, 1, None, (1,), (1,))
    assert read(queue, found, 1, "i4") == [103]


def test_a_buffer_over_shared_virtual_memory_has_its_address(device):
    needs_shared_memory(device)
    context = Context([device])
    address = svm_alloc(context, 0, 64)
    buffer = create_buffer_with_properties(context, FIXED, codes.MEM_USE_HOST_PTR, 64, host_memory.view(address, 64, None))
    assert buffer.get_info(codes.MEM_DEVICE_ADDRESS_EXT) == (address,)
    buffer.release()
    svm_free(context, address)


def test_errors(device):
    context = Context([device])
    fails("INVALID_OPERATION", Buffer(context, 0, 64).get_info, codes.MEM_DEVICE_ADDRESS_EXT)
    plain = create_buffer_with_properties(context, ((codes.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 0),), 0, 64)
    fails("INVALID_OPERATION", plain.get_info, codes.MEM_DEVICE_ADDRESS_EXT)
    for properties in (((codes.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2),), FIXED * 2, ((0x1234, 1),)):
        fails("INVALID_PROPERTY", create_buffer_with_properties, context, properties, 0, 64)


class Two:
    """A context of two devices that share memory at one address, as managed memory is."""

    def __init__(self, platform, **properties):
        self.devices = [Device(platform, "fake", FakeDevice(**properties)) for _ in range(2)]
        self.devices[1].driver_device.memory = self.devices[0].driver_device.memory
        self.context = Context(self.devices)
        self.queues = [CommandQueue(self.context, device) for device in self.devices]


def test_the_address_stays_where_contents_would_move(real_device):
    two = Two(real_device.platform)
    data = np.arange(16, dtype="i4")
    buffer = create_buffer_with_properties(two.context, FIXED, codes.MEM_COPY_HOST_PTR, 64, data)
    addresses = buffer.get_info(codes.MEM_DEVICE_ADDRESS_EXT)
    assert len(addresses) == 2 and addresses[0] == addresses[1]
    for number, queue in enumerate(two.queues):
        buffer_commands.enqueue_write_buffer(queue, buffer, True, 4 * number, np.array([-1 - number], "i4"))
        assert buffer.address_on(queue.device) == addresses[0]
    data[:2] = -1, -2
    assert read(two.queues[0], buffer, 16, "i4") == data.tolist()
    assert ctypes.string_at(addresses[0], 64) == data.tobytes()
    buffer.release()
    none = Two(real_device.platform, shared_memory=0)
    fails("INVALID_OPERATION", create_buffer_with_properties, none.context, FIXED, 0, 64)
