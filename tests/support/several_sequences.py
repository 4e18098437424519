"""Random commands in a context of two devices against a model (`python -m support.several_sequences host|cuda COUNT`).

Of half of the sequences each device has two queues, and commands wait for all that they have contents in common with; of the others it has
one, and nothing waits: contents that go from one device to another do so in the order in which commands were enqueued."""

from __future__ import annotations

import os
import random
import sys

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from . import compiled_calls  # isort: skip  # noqa: F401

import numpy as np

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import transfers

from .several_in_c import SeveralWorld

READ, WRITE, COPY, FILL = (getattr(transfers, f"_enqueue_{name}_buffer") for name in ("read", "write", "copy", "fill"))
N, BUFFERS, STEPS = 64, 4, 150


class Sequence:
    def __init__(self, kind: str, seed: int):
        self.random, self.world = random.Random(seed), SeveralWorld(kind, seed)
        self.waits = seed % 2 == 0
        self.queues = list(self.world.queues)
        if self.waits:
            self.queues += [cl.CommandQueue(self.world.context, device) for device in self.world.context.devices]
        self.models = [np.arange(N, dtype=np.uint32) * (number + 1) for number in range(BUFFERS)]
        self.buffers = [self.world.buffer(model, cl.mem_flags.READ_ONLY if number == BUFFERS - 1 else cl.mem_flags.READ_WRITE)
                        for number, model in enumerate(self.models)]
        self.events: list[list[cl.Event]] = [[] for _ in range(BUFFERS)]
        self.kernels = {name: self.world.kernel(name) for name in ("add", "mix")}

    def run(self) -> None:
        queue = self.queues[0]
        for _ in range(STEPS):
            if self.random.random() < 0.3:
                queue = self.random.choice(self.queues)
            self.random.choice((self.add, self.mix, self.mix, self.write, self.copy, self.fill, self.read, self.mark, self.migrate))(queue)
        for number in range(BUFFERS):
            self.read(self.random.choice(self.queues), number)
        if self.world.cuda is not None:
            assert not self.world.cuda.failures, self.world.cuda.failures

    def behind(self, *numbers: int) -> list[cl.Event] | None:
        return [event for number in numbers for event in self.events[number][-8:]] if self.waits else None

    def note(self, event: cl.Event, *numbers: int) -> None:
        for number in numbers:
            self.events[number].append(event)

    def written(self) -> int:
        return self.random.randrange(BUFFERS - 1)

    def launch(self, queue: cl.CommandQueue, name: str, *arguments: object, wait_for: list[cl.Event] | None) -> cl.Event:
        kernel = self.kernels[name]
        if self.random.random() < 0.5:
            return kernel(queue, (N,), (16,), *arguments, wait_for=wait_for)
        kernel.set_args(*arguments)
        return cl.enqueue_nd_range_kernel(queue, kernel, (N,), (16,), wait_for=wait_for)

    def add(self, queue: cl.CommandQueue) -> None:
        x, by = self.written(), np.uint32(self.random.randrange(1 << 20))
        self.note(self.launch(queue, "add", self.buffers[x], by, wait_for=self.behind(x)), x)
        self.models[x] = self.models[x] + by

    def mix(self, queue: cl.CommandQueue) -> None:
        y, value = self.written(), np.uint32(self.random.randrange(1 << 20))
        x = self.random.choice([number for number in range(BUFFERS) if number != y])
        event = self.launch(queue, "mix", self.buffers[x], self.buffers[y], value, wait_for=self.behind(x, y))
        self.note(event, x, y)
        self.models[y] = self.models[y] + (self.models[x] ^ value)

    def some(self) -> tuple[int, int]:
        """The first word of a part, and the one behind it: often of all."""
        if self.random.random() < 0.5:
            return 0, N
        start = self.random.randrange(N - 1)
        return start, self.random.randrange(start + 1, N + 1)

    def write(self, queue: cl.CommandQueue) -> None:
        x, (start, end) = self.random.randrange(BUFFERS), self.some()
        words = np.array([self.random.randrange(1 << 32) for _ in range(start, end)], np.uint32)
        event = WRITE(queue, self.buffers[x], words, 4 * start, wait_for=self.behind(x), is_blocking=self.random.random() < 0.5)
        self.note(event, x)
        self.models[x] = np.concatenate([self.models[x][:start], words, self.models[x][end:]])

    def copy(self, queue: cl.CommandQueue) -> None:
        x, y = self.random.sample(range(BUFFERS), 2)
        start, end = self.some() if self.waits else (0, N)  # A part goes to the device that has the rest, behind nothing that that has to do.
        event = COPY(queue, self.buffers[x], self.buffers[y], 4 * (end - start), 4 * start, 4 * start, wait_for=self.behind(x, y))
        self.note(event, x, y)
        self.models[y] = np.concatenate([self.models[y][:start], self.models[x][start:end], self.models[y][end:]])

    def fill(self, queue: cl.CommandQueue) -> None:
        x, (start, end), word = self.random.randrange(BUFFERS), self.some(), np.uint32(self.random.randrange(1 << 32))
        self.note(FILL(queue, self.buffers[x], word.tobytes(), 4 * start, 4 * (end - start), wait_for=self.behind(x)), x)
        self.models[x] = np.concatenate([self.models[x][:start], np.full(end - start, word, np.uint32), self.models[x][end:]])

    def read(self, queue: cl.CommandQueue, number: int | None = None) -> None:
        x, found = self.random.randrange(BUFFERS) if number is None else number, np.zeros(N, np.uint32)
        READ(queue, self.buffers[x], found, wait_for=self.behind(x))
        assert np.array_equal(found, self.models[x]), f"buffer {x}: {found} and not {self.models[x]}"

    def mark(self, queue: cl.CommandQueue) -> None:
        self.random.choice((cl.enqueue_marker, cl.enqueue_barrier))(queue)
        if self.random.random() < 0.3:
            queue.finish()

    def migrate(self, queue: cl.CommandQueue) -> None:
        x, flags = self.random.randrange(BUFFERS), self.random.choice((0, 0, cl.mem_migration_flags.HOST))
        self.note(cl.enqueue_migrate_mem_objects(queue, [self.buffers[x]], flags, wait_for=self.behind(x)), x)


def main() -> None:
    kind, count = sys.argv[1:]
    try:
        SeveralWorld(kind)
    except cl.RuntimeError as error:
        print(f"no NVRTC: {error}")
        return
    for seed in range(int(count)):
        try:
            Sequence(kind, seed).run()
        except BaseException:
            print(f"seed {seed}")
            raise


if __name__ == "__main__":
    main()
