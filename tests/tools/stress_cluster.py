"""Random commands over the devices of several workers, one of which is killed at a random moment; again and again.

    python tests/tools/stress_cluster.py                     # 50 workers are killed
    python tests/tools/stress_cluster.py --kills 3 --seed 7
    python tests/tools/stress_cluster.py --driver cuda       # each worker has a GPU; workers share GPUs where there are too few

A round has workers in processes of their own (without Dask, which has no part in what runs between client and worker), a context of
all their devices, a queue of each, and buffers with a model in NumPy. Commands go to random queues until a thread kills a worker, and
for a while after that. Then every command has ended, with a right result or with an error; a buffer that the model is sure of has its
contents, unless the killed worker has used it since it was written; what is on living devices can be used as before. Exit status: 0; 1 at the
first wrong byte, wrong error, or call that takes longer than --patience.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from support.remote_workers import WorkerProcess

from cl2cuda.runtime.commands.buffer import enqueue_copy_buffer, enqueue_fill_buffer, enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import Event
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

WORDS = 20_000  # 80 kB: data that does not travel in a batch
SOURCE = "__kernel void add(__global uint *x, uint value) { x[get_global_id(0)] += value; }"
# What may be heard of a worker that is gone, and of what waited for it.
ALLOWED = {"DEVICE_NOT_AVAILABLE", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"}


@dataclass
class Memory:
    """A buffer, its model, the commands on it in order, and the queues that it was used in from the one on that wrote it last: its
    contents are on one of their devices, or on all."""

    buffer: Buffer
    model: np.ndarray
    queues: set[CommandQueue]
    last: Event | None = None
    events: list[Event] = field(default_factory=list)
    sure: bool = True


class Round:
    def __init__(self, workers: int, seed: int, patience: float, found: Counter[str], driver: str = "host"):
        self.random = random.Random(seed)
        self.patience = patience
        self.found = found
        self.workers = [WorkerProcess(f"worker {number}", driver, number) for number in range(workers)]
        devices = [device for worker in self.workers for device in worker.devices(seconds=10)]
        self.context = Context(devices)
        kinds = self.random.choices((0, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), (3, 1), k=workers)
        self.queues = [create_command_queue(self.context, device, kind) for device, kind in zip(devices, kinds, strict=True)]
        program = Program(self.context, SOURCE)
        program.build("")
        self.add = Kernel(program, "add")
        self.memories = []
        for number in range(4 * workers):
            model = np.full(WORDS, number, np.uint32)
            self.memories.append(Memory(Buffer(self.context, codes.MEM_COPY_HOST_PTR, host=model.copy()), model, {self.queues[0]}))
        self.killed: int | None = None
        self.kept: list[object] = []

    def run(self) -> None:
        delay = self.random.random() * 0.6
        victim = self.random.randrange(len(self.workers))

        def kill() -> None:
            time.sleep(delay)
            self.killed = victim
            self.workers[victim].kill()

        killer = threading.Thread(target=kill)
        killer.start()
        after = 60
        while after:
            after -= self.killed is not None
            self._bounded(self._command)
        killer.join()
        for queue in self.queues:
            self._bounded(lambda queue=queue: self._allowed(queue.finish))
        for memory in self.memories:
            self._bounded(lambda memory=memory: self._check(memory))
        self._bounded(self._living_go_on)

    def end(self) -> None:
        for worker in self.workers:
            worker.kill()

    def _bounded(self, call) -> None:
        start = time.monotonic()
        call()
        took = time.monotonic() - start
        assert took < self.patience, f"a call took {took:.1f} s"

    def _allowed(self, call) -> bool:
        """Whether it succeeded; an error is one that a dead worker explains."""
        try:
            call()
        except CLError as error:
            assert self.killed is not None and error.status in ALLOWED, error
            self.found[error.status] += 1
            return False
        return True

    # Commands

    def _command(self) -> None:
        action = self.random.choice((self._write, self._fill, self._launch, self._launch, self._copy, self._read))
        number = self.random.randrange(len(self.memories))
        # Most commands on a buffer are one device's, so that there are buffers that the killed one has nothing to do with.
        home = self.queues[number % len(self.queues)]
        queue = home if self.random.random() < 0.8 else self.random.choice(self.queues)
        self.found["commands"] += 1
        action(queue, self.memories[number])
        if self.random.random() < 0.1:
            self._allowed(queue.finish)

    def _submit(self, queue: CommandQueue, memory: Memory, enqueue, change, *others: Memory) -> None:
        """One command that changes `memory`, and reads the others, after all that touched any of them."""
        touched = (memory, *others)
        events = [each.last for each in touched if each.last is not None]
        made: list[Event] = []
        if not self._allowed(lambda: made.append(enqueue(events))):
            # Nobody knows how far it came, or where the contents are.
            for each in touched:
                each.sure = False
            return
        for each in touched:
            each.last = made[0]
            each.queues.add(queue)
            each.events.append(made[0])
        if change is not None:
            change()
            memory.queues = {queue}
            if others:
                memory.events += [event for other in others for event in other.events]
                memory.sure &= all(other.sure for other in others)

    def _write(self, queue: CommandQueue, memory: Memory) -> None:
        data = np.full(WORDS, self.random.getrandbits(32), np.uint32)
        self.kept.append(data)
        self._submit(queue, memory, lambda events: enqueue_write_buffer(queue, memory.buffer, False, 0, data, events),
                     lambda: memory.model.__setitem__(slice(None), data))

    def _fill(self, queue: CommandQueue, memory: Memory) -> None:
        value = self.random.getrandbits(32)
        self._submit(queue, memory, lambda events: enqueue_fill_buffer(queue, memory.buffer, value.to_bytes(4, "little"), 0, 4 * WORDS, events),
                     lambda: memory.model.fill(value))

    def _launch(self, queue: CommandQueue, memory: Memory) -> None:
        value = np.uint32(self.random.getrandbits(32))

        def enqueue(events):
            self.add.set_arg(0, memory.buffer)
            self.add.set_arg(1, value)
            return enqueue_nd_range_kernel(queue, self.add, 1, None, (WORDS,), None, events)

        def change() -> None:
            memory.model += value

        self._submit(queue, memory, enqueue, change)

    def _copy(self, queue: CommandQueue, memory: Memory) -> None:
        home = self.memories.index(memory) % len(self.queues)
        near = [each for place, each in enumerate(self.memories) if each is not memory and place % len(self.queues) == home]
        source = self.random.choice(near if self.random.random() < 0.7 else [each for each in self.memories if each is not memory])
        self._submit(queue, memory, lambda events: enqueue_copy_buffer(queue, source.buffer, memory.buffer, 0, 0, 4 * WORDS, events),
                     lambda: memory.model.__setitem__(slice(None), source.model), source)

    def _read(self, queue: CommandQueue, memory: Memory) -> None:
        data = np.zeros(WORDS, np.uint32)
        blocking = self.random.random() < 0.5
        expected = memory.model.copy()
        self.kept.append(data)
        self._submit(queue, memory, lambda events: enqueue_read_buffer(queue, memory.buffer, blocking, 0, data, events), None)
        if blocking and memory.sure and all(event.error == 0 for event in memory.events) and self.killed is None:
            assert (data == expected).all(), "a blocking read differs from the model"
            self.found["compared before"] += 1

    # The end

    def _check(self, memory: Memory) -> None:
        """What every command on it has done, it holds; unless the last one was the killed worker's."""
        done = [self._allowed(event.wait) for event in memory.events]
        if not (memory.sure and all(done)):
            self.found["buffers left in doubt"] += 1
            return
        lost = self.queues[self.killed or 0] in memory.queues
        living = [queue for number, queue in enumerate(self.queues) if number != self.killed]
        data = np.zeros(WORDS, np.uint32)
        read = self._allowed(lambda: enqueue_read_buffer(self.random.choice(living), memory.buffer, True, 0, data))
        if read:
            assert (data == memory.model).all(), "a buffer differs from the model"
            self.found["buffers right"] += 1
        else:
            assert lost, "a buffer of a living device was lost"
            self.found["buffers gone with their worker"] += 1

    def _living_go_on(self) -> None:
        for number, queue in enumerate(self.queues):
            if number == self.killed:
                continue
            fresh = Context([queue.device])
            own = create_command_queue(fresh, queue.device)
            buffer = Buffer(fresh, codes.MEM_COPY_HOST_PTR, host=np.full(WORDS, 5, np.uint32))
            enqueue_fill_buffer(own, buffer, b"\7\0\0\0", 0, 2 * WORDS)
            data = np.zeros(WORDS, np.uint32)
            enqueue_read_buffer(own, buffer, True, 0, data)
            assert (data[: WORDS // 2] == 7).all() and (data[WORDS // 2 :] == 5).all()
            self.found["living devices used"] += 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/tools/stress_cluster.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="rounds, in each of which a worker is killed")
    parser.add_argument("--workers", type=int, default=3, help="workers of a round")
    parser.add_argument("--driver", choices=("host", "cuda"), default="host", help="what devices the workers have")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=30, help="seconds that a call may take")
    parser.add_argument("--limit", type=int, default=1800, help="seconds for all of it, after which every thread's stack is shown")
    arguments = parser.parse_args()
    faulthandler.dump_traceback_later(arguments.limit, exit=True)
    found: Counter[str] = Counter()
    start = time.monotonic()
    for number in range(arguments.kills):
        round_ = Round(arguments.workers, arguments.seed * 1000 + number, arguments.patience, found, arguments.driver)
        try:
            round_.run()
        except AssertionError as error:
            print(f"round {number}, seed {arguments.seed}: {error}", file=sys.stderr)
            return 1
        finally:
            round_.end()
    print(f"{arguments.kills} of {arguments.workers * arguments.kills} workers were killed in {time.monotonic() - start:.0f} s: "
          + ", ".join(f"{count:,} {name}" for name, count in found.most_common()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
