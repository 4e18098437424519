"""Queues on the device (5.1): how they are made, what they tell, and what the host must not do with them. On the fake driver."""

from __future__ import annotations

import gc

from support.fails import fails

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.queries import MAX_ON_DEVICE_EVENTS, MAX_ON_DEVICE_QUEUES
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.device_memory import QUEUE_SLOTS, memory_of
from cl2cuda.runtime.queue.device_queue import DeviceQueue
from cl2cuda.runtime.spec import codes

ON_DEVICE = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE


def made(fake, bits=ON_DEVICE, *more):
    return create_command_queue(fake.context, fake.device, [(codes.QUEUE_PROPERTIES, bits), *more])


def test_what_a_device_offers(device):
    assert device.get_info(codes.DEVICE_DEVICE_ENQUEUE_CAPABILITIES) == codes.DEVICE_QUEUE_SUPPORTED | codes.DEVICE_QUEUE_REPLACEABLE_DEFAULT
    assert device.get_info(codes.DEVICE_QUEUE_ON_DEVICE_PROPERTIES) == (
        codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE)
    preferred, most = (device.get_info(each) for each in (codes.DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, codes.DEVICE_QUEUE_ON_DEVICE_MAX_SIZE))
    assert 16 << 10 <= preferred <= most and most >= 256 << 10
    assert device.get_info(codes.DEVICE_MAX_ON_DEVICE_QUEUES) == MAX_ON_DEVICE_QUEUES >= 1
    assert device.get_info(codes.DEVICE_MAX_ON_DEVICE_EVENTS) == MAX_ON_DEVICE_EVENTS >= 1024
    assert device.get_info(codes.DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT)


def test_what_a_queue_tells(fake):
    queue = made(fake)
    assert isinstance(queue, DeviceQueue)
    assert queue.get_info(codes.QUEUE_CONTEXT) is fake.context and queue.get_info(codes.QUEUE_DEVICE) is fake.device
    assert queue.get_info(codes.QUEUE_PROPERTIES) == ON_DEVICE
    assert queue.get_info(codes.QUEUE_PROPERTIES_ARRAY) == (codes.QUEUE_PROPERTIES, ON_DEVICE, 0)
    assert queue.get_info(codes.QUEUE_SIZE) == fake.device.get_info(codes.DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE)
    assert made(fake, ON_DEVICE, (codes.QUEUE_SIZE, 5000)).get_info(codes.QUEUE_SIZE) == 5000
    assert fake.queue.get_info(codes.QUEUE_DEVICE_DEFAULT) is None


def test_the_search_for_garbage_gives_no_memory_back(fake, monkeypatch):
    """Its thread may hold the driver's locks. What is next asked for comes after that."""
    context, freed, genuine = Context([fake.device]), [], type(fake.driver).free
    made = memory_of(context, fake.device)
    addresses, context.itself = list(made._addresses), context
    monkeypatch.setattr(type(fake.driver), "free", lambda self, address: freed.append(address) or genuine(self, address))
    del context, made
    gc.collect()
    assert not freed
    memory_of(fake.context, fake.device)
    assert freed == addresses and len(freed) == 2


def test_what_creation_refuses(fake):
    fails("INVALID_VALUE", made, fake, codes.QUEUE_ON_DEVICE)
    fails("INVALID_VALUE", made, fake, codes.QUEUE_ON_DEVICE_DEFAULT)
    fails("INVALID_VALUE", create_command_queue, fake.context, fake.device, ON_DEVICE)
    most = fake.device.get_info(codes.DEVICE_QUEUE_ON_DEVICE_MAX_SIZE)
    fails("INVALID_QUEUE_PROPERTIES", made, fake, ON_DEVICE, (codes.QUEUE_SIZE, most + 1))
    fails("INVALID_QUEUE_PROPERTIES", made, fake, ON_DEVICE, (codes.QUEUE_SIZE, 0))
    fails("INVALID_CONTEXT", create_command_queue, None, fake.device, [(codes.QUEUE_PROPERTIES, ON_DEVICE)])
    fails("INVALID_DEVICE", create_command_queue, fake.context, "device", [(codes.QUEUE_PROPERTIES, ON_DEVICE)])


def test_a_full_device_has_room_once_commands_have_ended(fake, memory_at_once):
    most = fake.driver.properties.max_allocation
    buffers = [Buffer(fake.context, 0, most) for _ in range(fake.driver.properties.global_memory // most)]
    fails("MEM_OBJECT_ALLOCATION_FAILURE", made, fake)
    buffer_commands.enqueue_fill_buffer(fake.queue, buffers[-1], b"x", 0, 16)
    del buffers[-1]
    assert made(fake).handle


def test_only_kernels_enqueue_there(fake):
    queue, buffer = made(fake), Buffer(fake.context, 0, 16)
    fails("INVALID_COMMAND_QUEUE", buffer_commands.enqueue_fill_buffer, queue, buffer, b"x", 0, 16)
    fails("INVALID_COMMAND_QUEUE", buffer_commands.enqueue_read_buffer, queue, buffer, True, 0, bytearray(16))
    fails("INVALID_COMMAND_QUEUE", buffer_commands.enqueue_marker, queue)
    fails("INVALID_COMMAND_QUEUE", queue.finish)
    fails("INVALID_COMMAND_QUEUE", queue.flush)


def test_there_are_only_so_many(fake):
    queues = [made(fake, ON_DEVICE, (codes.QUEUE_SIZE, 1024)) for _ in range(QUEUE_SLOTS)]
    assert len({queue.handle for queue in queues}) == QUEUE_SLOTS > MAX_ON_DEVICE_QUEUES
    fails("OUT_OF_RESOURCES", made, fake)
    old = queues.pop().handle
    new = made(fake)
    assert new.handle & 0xFFFFFFFF == old & 0xFFFFFFFF and new.handle != old  # the old handle is not the new queue's


def test_a_queue_that_goes_gives_its_memory_back(fake):
    memory = memory_of(fake.context, fake.device)
    before = len(memory._addresses)
    queue = made(fake, ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT)
    assert len(memory._addresses) == before + 1
    del queue
    gc.collect()
    assert memory.default is None
    fake.context.reclaim()  # finalizers make a note and no more
    assert len(memory._addresses) == before


def test_each_context_has_its_default(fake):
    default = made(fake, ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT)
    assert made(fake, ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT) is default
    others = Context([fake.device])
    other = create_command_queue(others, fake.device, [(codes.QUEUE_PROPERTIES, ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT)])
    assert other is not default
    assert other.get_info(codes.QUEUE_DEVICE_DEFAULT) is other and default.get_info(codes.QUEUE_DEVICE_DEFAULT) is default


def test_a_queue_that_goes_while_a_kernel_may_use_it(fake):
    memory = memory_of(fake.context, fake.device)
    queue = made(fake)
    number, before = (queue.handle & 0xFFFFFFFF) - 1, len(memory._addresses)
    with memory.lock:
        queue.release()
        assert queue.closed and len(memory._addresses) == before and memory.environment.queues[number].capacity
    memory.drop_leaving()
    assert len(memory._addresses) == before - 1 and not memory.environment.queues[number].capacity
    queue = made(fake)
    number = (queue.handle & 0xFFFFFFFF) - 1
    with memory.lock:  # by a kernel's family, then by the next one's, before anyone else sees to it
        queue.release()
        memory.drop_left()
        assert not memory.environment.queues[number].capacity
