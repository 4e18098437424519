"""What a long run leaves behind: memory of the process and of the device after many enqueues, and after objects that came and went."""

from __future__ import annotations

import gc
import itertools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from cl2cuda.runtime.devices.platform import platforms

SOURCE = "__kernel void count(__global uint *x) { x[get_global_id(0)]++; }"


@dataclass
class Growth:
    """Bytes at the start, after a tenth of the repetitions, when everything has been used, and at the end."""

    start: int
    settled: int
    end: int

    @property
    def growth(self) -> int:
        return self.end - self.settled

    def __str__(self) -> str:
        start, settled, end = (f"{size / (1 << 20):.1f} MiB" for size in (self.start, self.settled, self.end))
        return f"{start} before, {settled} after a tenth, {end} at the end: grew by {self.growth >> 10} KiB"


class Found(NamedTuple):
    """How often it was repeated; memory of the process, device memory that cl2cuda holds, and that all processes use."""

    done: int
    process: Growth
    held: Growth
    used: Growth


def process_memory() -> int:
    """Bytes of the process that are in memory; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def device_memory(device: cl.Device) -> int:
    """Bytes in use on a CUDA device, by all processes; 0 of the host device."""
    if not device.type & cl.device_type.GPU:
        return 0
    from cl2cuda.runtime.cuda import api

    free, total = api.load().runtime.memGetInfo()
    return total - free


def memory(device: cl.Device) -> tuple[int, int, int]:
    """What Found has the growth of."""
    return process_memory(), held_memory(), device_memory(device)


def held_memory() -> int:
    """Bytes of CUDA devices that this process has, used or kept."""
    return sum(each.driver_device.memory.held for each in platforms()[0].devices() if each.is_cuda)


def measured(device: cl.Device, count: int, end: float, repeat: Callable[[int], None], settle: Callable[[], Any]) -> Found:
    """Repeats `count` times, a hundredth at a time, or as often as there is time for."""
    sizes = [memory(device)]
    done, step = 0, max(1, count // 100)
    tenth = -(-count // 10)
    while done < count:
        repeat(min(step, count - done))
        done += min(step, count - done)
        over = time.monotonic() > end
        if done == count or over or (len(sizes) == 1 and done >= tenth):
            settle()
            gc.collect()
            sizes.append(memory(device))
        if over:
            break
    start, settled, last = sizes[0], sizes[1], sizes[-1]
    return Found(done, *(Growth(*each) for each in zip(start, settled, last, strict=True)))


def enqueues(device: cl.Device, count: int, end: float) -> Found:
    """`count` launches without a wait in between: in-order, out-of-order and profiling queues in turn."""
    context = cl.Context([device])
    kernel = cl.Kernel(cl.Program(context, SOURCE).build(), "count")
    flags = cl.command_queue_properties
    queues = [cl.CommandQueue(context, properties=bits)
              for bits in (0, 0, 0, 0, 0, 0, 0, 0, flags.OUT_OF_ORDER_EXEC_MODE_ENABLE, flags.PROFILING_ENABLE)]
    buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(1, np.uint32)) for _ in queues]
    launched = [0] * len(queues)
    turns = itertools.count()

    def repeat(times: int) -> None:
        for start in range(0, times, 1000):
            number = next(turns) % len(queues)
            queue, event = queues[number], None
            for _ in range(min(1000, times - start)):
                event = kernel(queue, (1,), (1,), buffers[number], wait_for=None if event is None else [event])
            launched[number] += min(1000, times - start)
            queue.finish() if number >= 8 else queue.flush()

    grown = measured(device, count, end, repeat, lambda: [queue.finish() for queue in queues])
    for queue, buffer, times in zip(queues, buffers, launched, strict=True):
        found = np.zeros(1, np.uint32)
        cl.enqueue_copy(queue, found, buffer)
        assert found[0] == times, f"{times} launches, {found[0]} ran"
    return grown


def cycles(device: cl.Device, count: int, end: float) -> Found:
    """`count` times: buffer, sub-buffer, kernel, event and user event made, used and dropped; a queue every hundredth time."""
    context = cl.Context([device])
    program = cl.Program(context, SOURCE).build()
    queue, host = cl.CommandQueue(context), np.arange(256, dtype=np.uint32)
    sizes = [1 << 10, 1 << 12, 3 << 12, 1 << 16]
    turns = itertools.count()

    def repeat(times: int) -> None:
        nonlocal queue
        for turn in itertools.islice(turns, times):
            if turn % 100 == 0:
                queue = cl.CommandQueue(context, properties=turn % 200 and cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
            buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, sizes[turn % len(sizes)])
            part = buffer.get_sub_region(0, 1024)
            event = cl.enqueue_copy(queue, part, host, is_blocking=False)
            gate = cl.UserEvent(context)
            event = cl.Kernel(program, "count")(queue, (256,), None, part, wait_for=[event, gate])
            gate.set_status(cl.command_execution_status.COMPLETE)
            if turn % 50 == 0:
                found = np.empty_like(host)
                cl.enqueue_copy(queue, found, part, wait_for=[event])
                assert np.array_equal(found, host + 1), "a kernel did not run once"
            if turn % 2:
                buffer.release()

    return measured(device, count, end, repeat, lambda: queue.finish())
