"""Random commands of one host thread, on queues that it shares with others, against a model in NumPy.

A thread has buffers, sub-buffers and images of its own, and a model of each: what it holds when all commands enqueued so far have
ended. A command that writes waits for the last commands on what it touches, one that reads for the last that wrote it, unless its
queue's order sees to that; so whatever queues and devices do side by side, the model knows the result.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyopencl as cl

WORDS = 1024
SIDES = (32, 32)  # of images, whose elements are a word

SOURCE = """
__kernel void add(__global uint *x, uint value) { x[get_global_id(0)] += value; }
__kernel void mix(__global const uint *x, __global uint *y, uint value) {
    size_t i = get_global_id(0);
    y[i] = y[i] * 2654435761u + (x[i] ^ value);
}
"""

ERROR = -1000  # what user events that fail are set to
FAILED_WAIT = cl.status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST


@dataclass
class Memory:
    """A buffer or image, its model, the last command that wrote it and those that have read it since, each with its queue."""

    buffer: cl.Buffer | cl.Image
    model: np.ndarray
    written: tuple[cl.Event, cl.CommandQueue] | None = None
    read: list[tuple[cl.Event, cl.CommandQueue]] = field(default_factory=list)

    @property
    def last(self) -> cl.Event | None:
        return self.written[0] if self.written else None


@dataclass
class Report:
    commands: Counter[str] = field(default_factory=Counter)
    failed_as_meant: int = 0
    callbacks_wanted: int = 0
    callbacks: int = 0
    compared: int = 0


class Worker:
    """One host thread. `run` raises AssertionError at the first difference."""

    def __init__(self, queues: list[cl.CommandQueue], program: cl.Program, seed: int):
        self.random = random.Random(seed)
        self.context = queues[0].context
        self.queues = queues
        self.in_order = [not queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE for queue in queues]
        self.add, self.mix = cl.Kernel(program, "add"), cl.Kernel(program, "mix")
        rng = np.random.default_rng(seed)
        self.memories = []
        for flags in (0, 0, cl.mem_flags.ALLOC_HOST_PTR, cl.mem_flags.USE_HOST_PTR):
            model = rng.integers(0, 1 << 32, WORDS, dtype=np.uint32)
            how = flags if flags & cl.mem_flags.USE_HOST_PTR else flags | cl.mem_flags.COPY_HOST_PTR
            self.memories.append(Memory(cl.Buffer(self.context, how, hostbuf=model.copy()), model))
        whole = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 8 * WORDS)
        for part in range(2):
            model = rng.integers(0, 1 << 32, WORDS, dtype=np.uint32)
            buffer = whole.get_sub_region(4 * WORDS * part, 4 * WORDS)
            cl.enqueue_copy(queues[0], buffer, model)
            self.memories.append(Memory(buffer, model))
        self.images = []
        for _ in range(2):
            model = rng.integers(0, 1 << 32, WORDS, dtype=np.uint32)
            image = cl.Image(self.context, cl.mem_flags.COPY_HOST_PTR, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8),
                             shape=SIDES, hostbuf=model.copy())
            self.images.append(Memory(image, model))
        # User events that are not set yet, with the status that each will get.
        self.gates: list[tuple[cl.UserEvent, int]] = []
        self.reads: list[tuple[cl.Event, np.ndarray, np.ndarray]] = []
        self.writes: list[cl.Event] = []  # PyOpenCL waits when the last reference to a transfer's event goes
        self.lock = threading.Lock()
        self.report = Report()
        self.actions: list[tuple[int, Callable[[], None]]] = [
            (10, self.write), (8, self.read), (12, self.launch_add), (10, self.launch_mix), (6, self.copy), (6, self.fill),
            (4, self.rows), (4, self.to_image), (4, self.from_image), (3, self.migrate), (4, self.map), (3, self.marker),
            (2, self.barrier), (2, self.fail), (1, self.wait_for_something), (1, self.finish),
        ]

    def run(self, commands: int, end: float) -> None:
        """So many commands, or as many as there is time for (until `end`, by time.monotonic)."""
        weights, actions = zip(*self.actions, strict=True)
        for action in self.random.choices(actions, weights, k=commands):
            if time.monotonic() > end:
                break
            action()
            self.report.commands[action.__name__] += 1
            if self.gates and self.random.random() < 0.3:
                self.open_gate()
            if len(self.reads) > 50:
                self.check_reads()
        self.open_gates()
        self.check_reads()
        for memory in [*self.memories, *self.images]:
            self.check(memory)

    # What commands wait for.

    def queue_and_events(self, *written: Memory, reads: Sequence[Memory] = ()) -> tuple[cl.CommandQueue, list[cl.Event]]:
        """A queue, and what a command that writes and reads these memories has to wait for there; sometimes a user event, too."""
        index = self.random.randrange(len(self.queues))
        queue = self.queues[index]
        before = [memory.written for memory in (*written, *reads) if memory.written is not None]
        before += [one for memory in written for one in memory.read]
        events = [event for event, where in before if not (self.in_order[index] and where is queue)]
        if self.random.random() < 0.1:
            gate = cl.UserEvent(self.context)
            self.gates.append((gate, cl.command_execution_status.COMPLETE))
            events.append(gate)
        self.random.shuffle(events)
        return queue, events

    def touched(self, event: cl.Event, queue: cl.CommandQueue, *written: Memory, reads: Sequence[Memory] = ()) -> None:
        for memory in reads:
            memory.read.append((event, queue))
        for memory in written:
            memory.written = event, queue
            memory.read.clear()
        if self.random.random() < 0.1:
            self.report.callbacks_wanted += 1
            event.set_callback(cl.command_execution_status.COMPLETE, self.called)

    def called(self, status: int) -> None:
        assert status == cl.command_execution_status.COMPLETE
        with self.lock:
            self.report.callbacks += 1

    def open_gate(self) -> None:
        gate, status = self.gates.pop(self.random.randrange(len(self.gates)))
        gate.set_status(status)

    def open_gates(self) -> None:
        """To be called before anything that blocks: other threads may wait for what these hold back."""
        while self.gates:
            self.open_gate()

    # Commands.

    def write(self) -> None:
        memory = self.random.choice(self.memories)
        start, end = sorted(self.random.sample(range(WORDS + 1), 2))
        data = np.full(end - start, self.random.getrandbits(32), np.uint32)
        blocking = self.random.random() < 0.3
        queue, events = self.queue_and_events(memory)
        if blocking:
            self.open_gates()
        event = cl.enqueue_copy(queue, memory.buffer, data, dst_offset=4 * start, is_blocking=blocking, wait_for=events)
        memory.model[start:end] = data
        self.writes.append(event)
        self.touched(event, queue, memory)

    def read(self) -> None:
        memory = self.random.choice(self.memories)
        start, end = sorted(self.random.sample(range(WORDS + 1), 2))
        found = np.zeros(end - start, np.uint32)
        blocking = self.random.random() < 0.3
        queue, events = self.queue_and_events(reads=[memory])
        if blocking:
            self.open_gates()
        event = cl.enqueue_copy(queue, found, memory.buffer, src_offset=4 * start, is_blocking=blocking, wait_for=events)
        self.reads.append((event, found, memory.model[start:end].copy()))
        self.touched(event, queue, reads=[memory])

    def launch_add(self) -> None:
        memory, value = self.random.choice(self.memories), np.uint32(self.random.getrandbits(32))
        queue, events = self.queue_and_events(memory)
        event = self.add(queue, (WORDS,), self.random.choice([None, (64,)]), memory.buffer, value, wait_for=events)
        memory.model += value
        self.touched(event, queue, memory)

    def launch_mix(self) -> None:
        source, target = self.random.sample(self.memories, 2)
        value = np.uint32(self.random.getrandbits(32))
        queue, events = self.queue_and_events(target, reads=[source])
        event = self.mix(queue, (WORDS,), None, source.buffer, target.buffer, value, wait_for=events)
        target.model[:] = target.model * np.uint32(2654435761) + (source.model ^ value)
        self.touched(event, queue, target, reads=[source])

    def copy(self) -> None:
        source, target = self.random.sample(self.memories, 2)
        size = self.random.randrange(1, WORDS + 1)
        start, goal = (self.random.randrange(WORDS - size + 1) for _ in range(2))
        queue, events = self.queue_and_events(target, reads=[source])
        event = cl.enqueue_copy(queue, target.buffer, source.buffer, src_offset=4 * start, dst_offset=4 * goal, byte_count=4 * size,
                                wait_for=events)
        target.model[goal : goal + size] = source.model[start : start + size]
        self.touched(event, queue, target, reads=[source])

    def rows(self) -> None:
        """A rectangle of 32 rows of 32 words."""
        source, target = self.random.sample(self.memories, 2)
        (width, height), side = (self.random.randrange(1, 33) for _ in range(2)), 128
        (x, y), (u, v) = ((self.random.randrange(33 - width), self.random.randrange(33 - height)) for _ in range(2))
        queue, events = self.queue_and_events(target, reads=[source])
        event = cl.enqueue_copy(queue, target.buffer, source.buffer, src_origin=(4 * x, y, 0), dst_origin=(4 * u, v, 0),
                                region=(4 * width, height, 1), src_pitches=(side, 0), dst_pitches=(side, 0), wait_for=events)
        target.model.reshape(32, 32)[v : v + height, u : u + width] = source.model.reshape(32, 32)[y : y + height, x : x + width]
        self.touched(event, queue, target, reads=[source])

    def to_image(self) -> None:
        source, target = self.random.choice(self.memories), self.random.choice(self.images)
        queue, events = self.queue_and_events(target, reads=[source])
        event = cl.enqueue_copy(queue, target.buffer, source.buffer, offset=0, origin=(0, 0), region=SIDES, wait_for=events)
        target.model[:] = source.model
        self.touched(event, queue, target, reads=[source])

    def from_image(self) -> None:
        source, target = self.random.choice(self.images), self.random.choice(self.memories)
        queue, events = self.queue_and_events(target, reads=[source])
        event = cl.enqueue_copy(queue, target.buffer, source.buffer, offset=0, origin=(0, 0), region=SIDES, wait_for=events)
        target.model[:] = source.model
        self.touched(event, queue, target, reads=[source])

    def migrate(self) -> None:
        """A prefetch, which reads, in whatever direction."""
        memory = self.random.choice([*self.memories, *self.images])
        queue, events = self.queue_and_events(reads=[memory])
        flags = self.random.choice([0, 0, cl.mem_migration_flags.HOST])
        self.touched(cl.enqueue_migrate_mem_objects(queue, [memory.buffer], flags, wait_for=events), queue, reads=[memory])

    def fill(self) -> None:
        memory, width = self.random.choice(self.memories), self.random.choice([1, 4, 16, 128])
        pattern = np.frombuffer(self.random.randbytes(width), np.uint8)
        size = 128 * self.random.randrange(1, 4 * WORDS // 128 + 1)
        start = 128 * self.random.randrange((4 * WORDS - size) // 128 + 1)
        queue, events = self.queue_and_events(memory)
        event = cl.enqueue_fill_buffer(queue, memory.buffer, pattern, start, size, wait_for=events)
        memory.model.view(np.uint8)[start : start + size] = np.tile(pattern, size // width)
        self.touched(event, queue, memory)

    def map(self) -> None:
        """Looks at all, changes a part, unmaps in a queue of its own choice."""
        memory = self.random.choice(self.memories)
        queue, events = self.queue_and_events(memory)
        self.open_gates()
        array, event = cl.enqueue_map_buffer(queue, memory.buffer, cl.map_flags.READ | cl.map_flags.WRITE, 0, (WORDS,), np.uint32,
                                             wait_for=events, is_blocking=self.random.random() < 0.5)
        event.wait()
        assert np.array_equal(array, memory.model), "a mapped buffer differs from the model"
        self.report.compared += 1
        part = slice(self.random.randrange(WORDS), None)
        array[part] ^= np.uint32(0xFFFF)
        memory.model[part] ^= np.uint32(0xFFFF)
        queue = self.random.choice(self.queues)
        self.touched(array.base.release(queue), queue, memory)

    def marker(self) -> None:
        queue, events = self.queue_and_events(*self.random.sample(self.memories, 2))
        event = cl.enqueue_marker(queue, wait_for=events)
        if self.random.random() < 0.2:
            self.open_gates()
            event.wait()

    def barrier(self) -> None:
        queue, events = self.queue_and_events(*self.random.sample(self.memories, 2))
        cl.enqueue_barrier(queue, wait_for=self.random.choice([None, events]))

    def fail(self) -> None:
        """A command that waits for a user event that fails: it must not run, and its event must say so."""
        memory = self.random.choice(self.memories)
        queue, events = self.queue_and_events(memory)
        gate = cl.UserEvent(self.context)
        event = cl.enqueue_fill_buffer(queue, memory.buffer, np.uint32(0xDEAD), 0, 4 * WORDS, wait_for=[*events, gate])
        later = cl.enqueue_marker(queue, wait_for=[event])
        self.gates.append((gate, ERROR))
        if self.random.random() < 0.2:
            self.open_gates()
            for failed in (event, later):
                try:
                    failed.wait()
                except cl.Error:
                    assert failed.command_execution_status == FAILED_WAIT
                    self.report.failed_as_meant += 1
                else:
                    raise AssertionError("a command ran although what it waited for had failed")

    def wait_for_something(self) -> None:
        memory = self.random.choice(self.memories)
        self.open_gates()
        if memory.last is not None:
            memory.last.wait()
            assert memory.last.command_execution_status == cl.command_execution_status.COMPLETE

    def finish(self) -> None:
        self.open_gates()
        self.random.choice(self.queues).finish()

    # Checks.

    def check_reads(self) -> None:
        self.open_gates()
        for event, found, expected in self.reads:
            event.wait()
            assert np.array_equal(found, expected), "what was read differs from the model"
            self.report.compared += 1
        self.reads.clear()
        self.writes.clear()

    def check(self, memory: Memory) -> None:
        found = np.empty_like(memory.model)
        queue = self.random.choice(self.queues)
        more = {"origin": (0, 0), "region": SIDES} if isinstance(memory.buffer, cl.Image) else {}
        cl.enqueue_copy(queue, found, memory.buffer, wait_for=[memory.last] if memory.last is not None else None, **more)
        assert np.array_equal(found, memory.model), "a buffer differs from the model"
        self.report.compared += 1


def run(devices: Sequence[cl.Device], commands: int, threads: int, seed: int, end: float) -> Report:
    """`threads` workers on six queues of each device, in-order and out-of-order, some of which profile; about `commands` commands in
    all, fewer if the time is over."""
    context = cl.Context(devices)
    out_of_order, profiling = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE, cl.command_queue_properties.PROFILING_ENABLE
    queues = [cl.CommandQueue(context, device, properties) for device in devices
              for properties in (0, out_of_order, 0, out_of_order, profiling, out_of_order | profiling)]
    program = cl.Program(context, SOURCE).build()
    workers = [Worker(queues, program, seed * 1000 + number) for number in range(threads)]
    failures: list[BaseException] = []

    def work(worker: Worker) -> None:
        try:
            worker.run(commands // threads, end)
        except BaseException as failure:
            failures.append(failure)
            worker.open_gates()

    sys.setswitchinterval(1e-4)  # 5 ms otherwise: threads that take turns more often meet in more places
    running = [threading.Thread(target=work, args=[worker]) for worker in workers]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if failures:
        raise failures[0]
    for queue in queues:
        queue.finish()
    # clFinish waits for commands, not for the callbacks of their events.
    patience = time.monotonic() + 10
    while any(worker.report.callbacks < worker.report.callbacks_wanted for worker in workers) and time.monotonic() < patience:
        time.sleep(0.01)
    return total([worker.report for worker in workers])


def total(reports: list[Report]) -> Report:
    found = Report()
    for report in reports:
        found.commands += report.commands
        found.failed_as_meant += report.failed_as_meant
        found.callbacks_wanted += report.callbacks_wanted
        found.callbacks += report.callbacks
        found.compared += report.compared
    return found
