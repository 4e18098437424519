"""clEnqueueNativeKernel on every kind of device."""

import ctypes
import struct
import threading

import numpy as np
import pytest
from support.fails import fails

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.native_kernel import enqueue_native_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


@pytest.fixture
def context(device):
    return Context([device])


@pytest.fixture
def queue(context, device):
    return CommandQueue(context, device)


def buffer_of(context, values):
    data = np.array(values, np.int32)
    return Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, data.nbytes, data)


def read(queue, buffer):
    data = np.zeros(buffer.size // 4, np.int32)
    buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, data)
    return data.tolist()


def add(block):
    """*(int *)first[i] += *(int *)second[i] for i < count, of a block {count, first, second}."""
    count, first, second = struct.unpack("qQQ", block)
    a, b = (np.ctypeslib.as_array((ctypes.c_int32 * count).from_address(where)) for where in (first, second))
    a += b


def test_it_sees_and_changes_buffers_in_the_queues_order(context, queue, device):
    first, second = buffer_of(context, [1, 2, 3]), buffer_of(context, [10, 20, 30])
    buffer_commands.enqueue_fill_buffer(queue, second, struct.pack("i", 5), 0, 4)
    block = bytearray(struct.pack("qQQ", 3, 0, 0))
    event = enqueue_native_kernel(queue, add, block, [first, second], [8, 16])
    block[:] = bytes(len(block))  # the arguments are copied
    enqueue_native_kernel(queue, add, struct.pack("qQQ", 3, 0, 0), [first, first], [8, 16], [event])
    assert read(queue, first) == [12, 44, 66]
    assert read(queue, second) == [5, 20, 30]
    assert event.get_info(codes.EVENT_COMMAND_TYPE) == codes.COMMAND_NATIVE_KERNEL
    assert device.get_info(0x1029) == codes.EXEC_KERNEL | codes.EXEC_NATIVE_KERNEL


def test_without_arguments_and_after_a_user_event(context, queue):
    called = []
    start = UserEvent(context)
    event = enqueue_native_kernel(queue, lambda block: called.append(bytes(block)), wait_for=[start])
    assert not called
    start.set_status(0)
    event.wait()
    assert called == [b""]


def test_sub_buffers(context, queue, device):
    align = device.properties.base_address_align
    whole = buffer_of(context, range(align // 2))
    part = whole.sub_buffer(0, align, 4)
    enqueue_native_kernel(queue, add, struct.pack("qQQ", 1, 0, 0), [part, whole], [8, 16])
    enqueue_native_kernel(queue, add, struct.pack("qQQ", 1, 0, 0), [part, part], [8, 16])
    assert read(queue, part) == [align // 2]


def test_an_error_of_the_function_goes_to_the_threads_hook(context, queue, monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append(args.exc_value))
    enqueue_native_kernel(queue, lambda block: 1 / 0).wait()
    queue.finish()
    assert isinstance(seen[0], ZeroDivisionError)


def test_what_is_refused(context, queue, device):
    buffer = buffer_of(context, [1])
    enqueue = enqueue_native_kernel
    fails("INVALID_VALUE", enqueue, queue, None)
    fails("INVALID_VALUE", enqueue, queue, add, bytes(8), [buffer], [])
    fails("INVALID_VALUE", enqueue, queue, add, b"", [buffer], [0])
    fails("INVALID_VALUE", enqueue, queue, add, bytes(8), [buffer], [4])
    fails("INVALID_COMMAND_QUEUE", enqueue, None, add)
    fails("INVALID_MEM_OBJECT", enqueue, queue, add, bytes(8), ["buffer"], [0])
    fails("INVALID_EVENT_WAIT_LIST", enqueue, queue, add, b"", (), (), ["event"])
    other = Context([device])
    fails("INVALID_CONTEXT", enqueue, queue, add, bytes(8), [buffer_of(other, [1])], [0])
    fails("INVALID_CONTEXT", enqueue, queue, add, b"", (), (), [UserEvent(other)])


def test_compiled_code(context, queue):
    """By its address, and by an object that knows it."""

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def compiled(arguments):
        count, values = struct.unpack("qQ", ctypes.string_at(arguments, 16))
        np.ctypeslib.as_array((ctypes.c_int32 * count).from_address(values))[:] *= 2

    class Compiled:
        address = ctypes.cast(compiled, ctypes.c_void_p).value

    buffer = buffer_of(context, [1, 2, 3])
    for function in (Compiled.address, Compiled):
        enqueue_native_kernel(queue, function, struct.pack("qQ", 3, 0), [buffer], [8])
    assert read(queue, buffer) == [4, 8, 12]
    fails("INVALID_VALUE", enqueue_native_kernel, queue, 0)


def test_compiled_code_without_arguments(queue):
    seen = []
    compiled = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    enqueue_native_kernel(queue, ctypes.cast(compiled, ctypes.c_void_p).value).wait()
    assert seen == [None]
