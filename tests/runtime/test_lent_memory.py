"""USE_HOST_PTR on the host device, which works in the application's memory: programs that see a processor count on that."""

import gc
import mmap
import weakref

import numpy as np
import pytest
from support.devices import first
from support.fails import read

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.partition import create_sub_devices
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import host_memory
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes

USE = codes.MEM_USE_HOST_PTR
ADD = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }"


class Bench:
    def __init__(self, devices):
        self.context = Context(devices)
        self.queue = create_command_queue(self.context, devices[0])
        program = Program(self.context, ADD)
        program.build()
        self.kernel = Kernel(program, "add")

    def add(self, buffer, n, wait_for=()):
        self.kernel.set_arg(0, buffer)
        self.kernel.set_arg(1, np.int32(n))
        return enqueue_nd_range_kernel(self.queue, self.kernel, 1, None, (buffer.size // 4,), None, wait_for)


@pytest.fixture
def on(compiler):
    return Bench([first("host")])


def aligned(size, offset=0):
    """Bytes of a page."""
    memory = mmap.mmap(-1, 4 * mmap.PAGESIZE)
    return np.frombuffer(memory, np.int32, size // 4, offset)


def mapped(on, buffer, flags=codes.MAP_READ):
    view, _ = enqueue_map_buffer(on.queue, buffer, True, flags, 0, buffer.size)
    values = np.frombuffer(view, np.int32).copy()
    enqueue_unmap(on.queue, buffer, view)
    on.queue.finish()
    return values


def test_both_see_what_the_other_writes(on):
    host = aligned(1024)
    buffer = Buffer(on.context, USE, 1024, host)
    on.add(buffer, 3)
    on.queue.finish()
    assert (host == 3).all()
    host[:] = 10
    on.add(buffer, 1)
    on.queue.finish()
    assert (host == 11).all() and (mapped(on, buffer) == 11).all()
    assert buffer.address == host.ctypes.data and not buffer.uses_svm
    part = buffer.sub_buffer(0, 256, 256)
    on.add(part, 5)
    on.queue.finish()
    assert (host[:64] == 11).all() and (host[64:128] == 16).all() and (host[128:] == 11).all()


def test_commands_that_copy_it_to_itself(on):
    host = aligned(1024)
    host[:] = np.arange(256)
    buffer = Buffer(on.context, USE, 1024, host)
    enqueue_read_buffer(on.queue, buffer, True, 0, host)
    enqueue_write_buffer(on.queue, buffer, True, 0, host)
    enqueue_fill_buffer(on.queue, buffer, b"\1\0\0\0", 512, 512)
    on.queue.finish()
    assert (host[:128] == np.arange(128)).all() and (host[128:] == 1).all()


@pytest.mark.parametrize("offset", [4, 16, 64])
def test_memory_that_is_not_aligned_is_copied(on, offset):
    """Kernels count on vectors that lie at multiples of their size."""
    host = aligned(1024, offset)
    host[:] = 2
    buffer = Buffer(on.context, USE, 1024, host)
    on.add(buffer, 3)
    assert buffer.address != host.ctypes.data
    assert (mapped(on, buffer) == 5).all() and (host == 5).all()


def test_memory_that_nobody_may_write_is_copied(on):
    host = aligned(1024)
    host[:] = 2
    host.flags.writeable = False
    buffer = Buffer(on.context, USE | codes.MEM_READ_ONLY, 1024, host)
    enqueue_fill_buffer(on.queue, buffer, b"\7\0\0\0", 0, 1024)
    on.queue.finish()
    assert (host == 2).all() and (np.frombuffer(read(on, buffer), np.int32) == 7).all()


def test_the_memory_lives_as_long_as_commands_use_it(on):
    class Owner:
        """Something with memory."""

    owner, memory = Owner(), aligned(1024)
    gone = weakref.ref(owner)
    buffer = Buffer(on.context, USE, 1024, host_memory.view(memory.ctypes.data, 1024, owner))
    gate = UserEvent(on.context)
    on.add(buffer, 1, (gate,))
    on.kernel.set_arg(0, Buffer(on.context, 0, 1024))
    del buffer, owner
    gc.collect()
    assert gone() is not None
    gate.set_status(codes.COMPLETE)
    on.queue.finish()
    on.context.reclaim_all()
    gc.collect()
    assert gone() is None and (memory == 1).all()


def test_several_devices_have_copies(compiler):
    """The contents may be valid in several places there."""
    parts = create_sub_devices(first("host"), (codes.DEVICE_PARTITION_BY_COUNTS, 1, 1)) if first("host").properties.compute_units > 1 else ()
    if not parts:
        pytest.skip("one processor")
    on = Bench(list(parts))
    host = aligned(1024)
    buffer = Buffer(on.context, USE, 1024, host)
    on.add(buffer, 4)
    assert (mapped(on, buffer) == 4).all() and (host == 4).all()
