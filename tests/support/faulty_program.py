"""A program with a kernel that fails, for tests/runtime/test_faults.py: it then does what a program may still do, and prints what came of
each step, one JSON line a step.

    python faulty_program.py KERNEL [KIND OF QUEUE]
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cl2cuda.runtime.commands.buffer import enqueue_marker, enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.map import enqueue_map_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory import svm
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import Event, UserEvent
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

SIZE = 4096
FAULTY = 1234  # the work-item

SOURCE = """
__kernel void far(__global int *x, int n) {
    size_t i = get_global_id(0);
    if (i == 1234) x[(size_t)n << 40] = 1; else x[i] = 2;
}
__kernel void reads_far(__global int *x, int n) {
    size_t i = get_global_id(0);
    x[i] = x[i == 1234 ? (size_t)n << 40 : i];
}
__kernel void null(__global int *x, int n) {
    size_t i = get_global_id(0);
    __global int *p = i == 1234 ? (__global int *)(size_t)(n - 1) : x + i;
    *p = 2;
}
__kernel void at_a_barrier(__global int *x, int n) {
    __local int part[64];
    size_t i = get_global_id(0);
    part[get_local_id(0)] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = part[63 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 1234) x[(size_t)n << 40] = 1; else x[i] = other;
    barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void misaligned_vector(__global int *x, int n) {
    size_t i = get_global_id(0);
    if (i == 1234) *(__global int4 *)(x + n) = 7; else x[i] = 2;
}
__kernel void add(__global int *x, int n) { x[get_global_id(0)] += n; }
"""
# Only CUDA devices know these.
CUDA_SOURCE = """
__kernel void traps(__global int *x, int n) {
    if (get_global_id(0) == 1234) __asm__ volatile("trap;");
    x[get_global_id(0)] = n;
}
__kernel void misaligned(__global char *x, int n) {
    if (get_global_id(0) == 1234) *(__global int *)(x + n) = 1;
}
__kernel void far_in_local_memory(__global int *x, int n) {
    __local int part[64];
    part[get_local_id(0)] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 1234) part[n << 22] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = part[63 - get_local_id(0)];
}
"""
QUEUES = {"in-order": 0, "out-of-order": codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, "profiling": codes.QUEUE_PROFILING_ENABLE}


def say(step: str, outcome: Any) -> None:
    print(json.dumps([step, outcome]), flush=True)


def attempt(step: str, call: Callable[[], Any]) -> Any:
    """Prints "ok", or the error's status and text; what the call gave."""
    try:
        result = call()
    except CLError as error:
        say(step, [error.status, error.message])
        return None
    say(step, "ok")
    return result


class Place:
    """A context with a queue, a buffer and its kernels."""

    def __init__(self, device: Any, kind: str = "in-order"):
        self.device = device
        self.context = Context([device])
        self.queue = create_command_queue(self.context, device, QUEUES[kind])
        self.buffer = Buffer(self.context, 0, 4 * SIZE)
        self.program = Program(self.context, SOURCE + (CUDA_SOURCE if device.is_cuda else ""))
        self.program.build()

    def launch(self, name: str, wait_for: Any = ()) -> Event:
        kernel = Kernel(self.program, name)
        kernel.set_arg(0, self.buffer)
        kernel.set_arg(1, np.int32(1))
        return enqueue_nd_range_kernel(self.queue, kernel, 1, None, (SIZE,), (64,), wait_for)

    def adds(self) -> None:
        """A launch whose result is checked."""
        before, after = np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32)
        enqueue_read_buffer(self.queue, self.buffer, True, 0, before)
        event = self.launch("add")
        enqueue_read_buffer(self.queue, self.buffer, True, 0, after, [event])
        assert np.array_equal(after, before + 1)


def main() -> None:
    name, kind = (*sys.argv[1:], "in-order")[:2]
    device = next(device for device in platforms()[0].devices())
    place, other = Place(device, kind), Place(device)
    second = create_command_queue(place.context, device)
    place.adds()
    other.adds()
    ended = enqueue_marker(place.queue)
    ended.wait()
    gate = UserEvent(place.context)
    held = enqueue_marker(second, [gate])
    called: list[int] = []
    everything = threading.Event()

    def fail() -> None:
        event = place.launch(name)
        for status in (codes.RUNNING, codes.COMPLETE):
            event.set_callback(status, called.append)
        event.set_callback(codes.COMPLETE, lambda status: everything.set())
        try:
            event.wait()
        finally:
            say("callbacks came", everything.wait(20))
            say("callbacks", sorted(called))
            say("status", event.status)

    attempt("fault", fail)
    attempt("launch", lambda: place.launch("add"))
    attempt("finish", place.queue.finish)
    attempt("what had ended", ended.wait)
    gate.set_status(codes.COMPLETE)
    attempt("what was deferred", held.wait)
    attempt("second queue", lambda: enqueue_write_buffer(second, place.buffer, True, 0, bytes(64)))
    attempt("map", lambda: enqueue_map_buffer(second, place.buffer, True, codes.MAP_READ, 0, 64))
    attempt("same context", place.adds)
    attempt("other context", other.adds)
    attempt("new buffer", lambda: Buffer(place.context, 0, 1 << 22))
    attempt("new image", lambda: Image(place.context, 0, (0x10B5, 0x10DA), ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 16, 16)))
    attempt("new queue", lambda: create_command_queue(place.context, device))
    attempt("new shared memory", lambda: svm.svm_alloc(place.context, 0, 1 << 16))
    attempt("new context", lambda: Place(device).adds())
    for each in (place.buffer, place.queue, second, place.program, place.context):
        attempt("release", each.release)


def work() -> None:
    """For as long as the standard input is open: right results, over and over."""
    place = Place(next(device for device in platforms()[0].devices()))
    say("at work", "ok")
    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
    while not closed.is_set():
        place.adds()
        time.sleep(0.01)
    say("still at work", "ok")


if __name__ == "__main__":
    work() if sys.argv[1:] == ["work"] else main()
