"""What there is in a sequence of calls, as the specification has it: contexts, queues, events, memory, and what becomes of each.

A command's effect is put into the model when it is enqueued. It is right by then, since what a command comes after is known: it waits for
every earlier command with which it has bytes in common, unless the queue's order sees to that; and what becomes of a user event is decided
when it is made, so that of each command is known whether it will run.
"""

from __future__ import annotations

import ctypes
import random
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from ctypes import byref, c_int, c_uint, c_uint64, c_void_p
from dataclasses import dataclass, field
from typing import Any

import calls
import numpy as np
from calls import Calls

SOURCE = b"""
kernel void add(global int *a, int step) { a[get_global_id(0)] += step; }
kernel void mix(global const uint *x, global uint *y, uint value) {
    size_t i = get_global_id(0);
    y[i] = y[i] * 2654435761u + (x[i] ^ value);
}
"""


@dataclass(eq=False)
class Context:
    handle: int
    devices: list[int]
    kernels: dict[str, int] = field(default_factory=dict)
    program: int = 0


@dataclass(eq=False)
class Queue:
    handle: int
    context: Context
    device: int
    in_order: bool
    profiles: bool
    barriers: int = 0
    gates: set[Event] = field(default_factory=set)  # that commands of it wait for
    barred: set[Event] = field(default_factory=set)  # and its last barrier
    references: int = 1


@dataclass(eq=False)
class Event:
    """`fails`: what becomes of it is a negative status. `gates`: user events that it comes after."""

    handle: int
    context: Context
    queue: Queue | None
    fails: bool = False
    gates: set[Event] = field(default_factory=set)
    behind: list[Event] = field(default_factory=list)  # of a wait list
    references: int = 1
    will_be: int = 0  # of a user event, what it is set to
    is_set: bool = False
    barriers: int = 0  # of its queue before it
    callbacks: list[tuple[int, int]] = field(default_factory=list)
    wanted_callbacks: int = 0

    @property
    def waits_for_gates(self) -> bool:
        return any(not gate.is_set for gate in self.gates)


@dataclass(eq=False)
class Access:
    event: Event
    start: int
    end: int
    writes: bool


@dataclass(eq=False)
class Root:
    """Bytes: a buffer's with its parts, an image's, or an allocation's of shared memory."""

    context: Context
    model: np.ndarray
    accesses: list[Access] = field(default_factory=list)
    mapped: list[tuple[int, int, bool]] = field(default_factory=list)  # start, end, and whether for writing


KINDS = (0, calls.OUT_OF_ORDER, 0, calls.PROFILING, calls.PROFILING | calls.OUT_OF_ORDER)
Use = tuple[Root, int, int, bool]  # with its first byte, the one behind the last, and whether it writes


@dataclass
class Command:
    """Its event, or None where it was refused. `address`: of a mapped region."""

    event: Event | None
    address: int | None

    @property
    def runs(self) -> bool:
        return self.event is not None and not self.event.fails


@dataclass(eq=False)
class Memory:
    """A buffer or a part of one."""

    handle: int
    root: Root
    start: int
    size: int
    flags: int
    parent: Memory | None = None
    references: int = 1
    maps: int = 0
    parts: int = 0
    ended: list[int] = field(default_factory=list)
    wanted_ends: int = 0
    host: Any = None

    @property
    def model(self) -> np.ndarray:
        return self.root.model[self.start : self.start + self.size]


@dataclass(eq=False)
class Region:
    """A mapped one of a buffer, an image or shared memory. `bytes` are the places in the root's model, in the order of `rows`: the places in the
    region."""

    memory: Any
    address: int
    place: tuple[int, int, bool]
    event: Event
    bytes: np.ndarray
    rows: np.ndarray
    writes: bool
    invalidates: bool = False
    is_looked_at: bool = False


@dataclass(eq=False)
class Reading:
    event: Event
    found: np.ndarray
    expected: np.ndarray


@dataclass(frozen=True)
class Facts:
    """What there is: times that the device tells, offsets of launches, shared virtual memory, counts of the application's references
    alone, and codes of calls whose arguments a face takes for others."""

    has_times: bool = True
    has_offsets: bool = True
    has_shared: bool = True
    has_counts: bool = True
    has_errors: bool = True


@dataclass(frozen=True)
class Habits:
    """What sequences differ in. `errors`: how many of the calls that may be wrong are; `gates`: which share of the commands gets a user event
    of its own; `others`: how many events a command waits for without need; `queues`: numbers of those that there are; `functions`: the share
    of what is done at all."""

    errors: float
    gates: float
    others: tuple[int, ...]
    queues: tuple[int, ...]
    functions: float

    @classmethod
    def of(cls, chance: random.Random) -> Habits:
        queues = chance.choice(((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (0,), (1,), (0, 2), (0, 1), (3,), (4,), (1, 3)))
        return cls(chance.choice((0, 0, 1)), chance.choice((0, 0.02, 0.08)), chance.choice(((0,), (0, 0, 0, 1), (0, 0, 1, 2))), queues,
                   chance.choice((0.4, 0.7, 1)))


class World:
    def __init__(self, cl: Calls, seed: int, devices: Sequence[int], facts: Facts, says: bool = False):
        self.cl, self.seed, self.random = cl, seed, random.Random(seed)
        self.facts, self.says = facts, says
        self.habits = Habits.of(self.random)
        self.said: list[str] = []
        self.made: dict[Event, int] = {}
        self.contexts = [self.new_context(list(devices)), self.new_context(list(devices[:1]))]
        self.queues: list[Queue] = []
        self.events: list[Event] = []
        self.gates: list[Event] = []
        self.buffers: list[Memory] = []
        self.images: list[Any] = []
        self.shared: list[Any] = []
        self.kernels: list[Any] = []
        self.called: list[Event] = []  # with callbacks that are to come
        self.regions: list[Region] = []
        self.readings: list[Reading] = []
        self.hosts: list[Any] = []
        self.kept: list[Any] = []  # what commands read later
        self.ends: list[Memory] = []  # with callbacks that are to come
        self.opening: list[threading.Thread] = []
        for context in self.contexts:
            for number in self.habits.queues if context is self.contexts[0] else (0, 1):
                self.queues.append(self.new_queue(context, KINDS[number]))

    # Chance

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def choice(self, *what: Any) -> Any:
        return self.random.choice(what)

    def errs(self, share: float) -> bool:
        """Whether the next call is to be wrong."""
        return self.facts.has_errors and self.chance(share * self.habits.errors)

    def one_of(self, what: Iterable[Any]) -> Any:
        found = list(what)
        return self.random.choice(found) if found else None

    def span(self, whole: int, unit: int = 1) -> tuple[int, int]:
        """A start and an end within so many bytes, of at least one unit."""
        units = whole // unit
        if self.chance(0.2):
            return 0, units * unit
        start, end = sorted(self.random.sample(range(units + 1), 2))
        return start * unit, end * unit

    def data(self, count: int) -> np.ndarray:
        return np.frombuffer(self.random.randbytes(count), np.uint8).copy()

    # Checks

    def check_count(self, name: str, handle: int, query: int, wanted: int) -> None:
        if self.facts.has_counts:
            self.check(self.cl.answer(name, handle, query), (wanted, 0), f"the answer of {name} to {query:#x}")

    def check(self, found: Any, wanted: Any, what: str) -> None:
        assert found == wanted, f"{what}: {found}, not {wanted}"

    # Objects

    def new_context(self, devices: list[int]) -> Context:
        made = Context(self.cl.made("clCreateContext", None, c_uint(len(devices)), calls.pointers(devices), None, None), devices)
        text = ctypes.c_char_p(SOURCE)
        made.program = self.cl.made("clCreateProgramWithSource", c_void_p(made.handle), c_uint(1), byref(text), None)
        self.check(self.cl.code("clBuildProgram", c_void_p(made.program), c_uint(0), None, b"", None, None), 0, "clBuildProgram")
        return made

    def new_queue(self, context: Context, properties: int) -> Queue:
        given = (c_uint64 * 3)(calls.QUEUE_PROPERTIES, properties, 0)
        device = self.choice(*context.devices)
        handle = self.cl.made("clCreateCommandQueueWithProperties", c_void_p(context.handle), c_void_p(device), given)
        return Queue(handle, context, device, not properties & calls.OUT_OF_ORDER, bool(properties & calls.PROFILING))

    def roots(self) -> list[Root]:
        return [each.root for each in (*self.buffers, *self.images, *self.shared, *self.hosts)] + [region.memory.root for region in self.regions]

    def any_queue(self, context: Context) -> Queue:
        return self.random.choice([queue for queue in self.queues if queue.context is context])

    def new_gate(self, context: Context, may_fail: bool = True) -> Event:
        handle = self.cl.made("clCreateUserEvent", c_void_p(context.handle))
        will_be = self.choice(0, 0, 0, -5, -1000) if may_fail else 0
        gate = Event(handle, context, None, will_be < 0, will_be=will_be)
        gate.gates.add(gate)
        self.made[gate] = len(self.made)
        self.gates.append(gate)
        self.events.append(gate)
        return gate

    def open_gate(self, gate: Event) -> None:
        self.gates.remove(gate)
        self.check(self.cl.code("clSetUserEventStatus", c_void_p(gate.handle), c_int(gate.will_be)), 0, "clSetUserEventStatus")
        gate.is_set = True

    def open_gates(self) -> None:
        """To be called before what waits: now, or meanwhile by another thread."""
        gates = self.gates[:]
        self.random.shuffle(gates)
        if not gates or self.chance(0.6):
            for gate in gates:
                self.open_gate(gate)
            return
        pause = self.random.random() * 2e-3

        def work() -> None:
            for gate in gates:
                time.sleep(pause)
                assert self.cl.code("clSetUserEventStatus", c_void_p(gate.handle), c_int(gate.will_be)) == 0

        self.gates.clear()
        for gate in gates:
            gate.is_set = True
        thread = threading.Thread(target=work)
        self.opening.append(thread)
        thread.start()

    def end_opening(self) -> None:
        for thread in self.opening:
            thread.join()
        self.opening.clear()

    # Commands

    def is_ordered(self, access: Access, queue: Queue) -> bool:
        """Whether the queue's order has a command of it come after the access."""
        return access.event.queue is queue and (queue.in_order or access.event.barriers < queue.barriers)

    def waits_for(self, queue: Queue, uses: Sequence[Use], may_fail: bool = True) -> list[Event]:
        found: list[Event] = []
        for root, start, end, writes in uses:
            several = len(root.context.devices) > 1
            for access in root.accesses:
                if ((writes or access.writes) and (several or (access.start < end and start < access.end)) and not self.is_ordered(access, queue)
                        and access.event not in found):
                    found.append(access.event)
        others = [event for event in self.events if event.context is queue.context and event not in found]
        for _ in range(self.choice(*self.habits.others)):
            event = self.one_of(others)
            if event is not None and (not event.fails or (may_fail and self.chance(0.3))) and event not in found:
                found.append(event)
        if self.chance(self.habits.gates) and len(self.gates) < 4:
            found.append(self.new_gate(queue.context, may_fail))
        self.random.shuffle(found)
        return found

    def free(self, root: Root, start: int, end: int, writes: bool) -> bool:
        """Whether no mapped region is in the way."""
        return not any((writes or mapped_writes) and a < end and start < b for a, b, mapped_writes in root.mapped)

    def enqueue(self, name: str, queue: Queue, arguments: Sequence[Any], uses: Sequence[Use] = (), apply: Callable[[], None] | None = None,
                blocks: bool = False, wrong: int = 0, makes: bool = False, may_fail: bool = True, has_list: bool = True, is_first: bool = False) -> Command:
        """`wrong`: the code of a call that is wrong. `makes`: the call gives an address, and its code at the end. `has_list`: None may stand
        for the wait list, as barriers and markers take it. `is_first`: it gives memory its first contents, and is right."""
        waits = self.waits_for(queue, uses, may_fail and not is_first) if has_list else []
        if blocks:
            self.open_gates()
        list_, count = calls.pointers([event.handle for event in waits]), len(waits)
        if not wrong and not is_first and self.errs(0.03):
            wrong, list_, count = self.wrong_wait_list(queue, list_, count)
        fails = any(event.fails for event in waits)
        event = c_void_p() if uses or self.chance(0.6) else None
        given = [c_void_p(queue.handle), *arguments, c_uint(count), list_, None if event is None else byref(event)]
        address = None
        if makes:
            address, code = self.cl.make(name, *given)
        else:
            code = self.cl.code(name, *given)
        self.end_opening()
        self.say(f"{name} in {self.queues.index(queue)}{' blocks' * blocks} waits for {[self.name(each) for each in waits]} gives {code}"
                 f"{f' e{len(self.made)}' if event else ''}{' fails' * fails}")
        self.check(code, wrong or (calls.FAILED_WAIT if fails and blocks else 0), name)
        if code:
            return Command(None, None)
        gates = set().union(*[each.gates for each in waits], queue.gates if queue.in_order or not has_list else queue.barred)
        made = Event(event.value or 0 if event else 0, queue.context, queue, fails, {gate for gate in gates if not gate.is_set}, waits,
                     barriers=queue.barriers)
        self.made[made] = len(self.made)
        if not fails:
            queue.gates = {gate for gate in queue.gates | gates if not gate.is_set}
        if event:
            self.events.append(made)
        if not fails:
            for root, start, end, writes in uses:
                if writes:
                    root.accesses = [each for each in root.accesses if not (start <= each.start and each.end <= end)]
                root.accesses.append(Access(made, start, end, writes))
            if apply:
                apply()
        return Command(made, address)

    def name(self, event: Event) -> str:
        return f"e{self.made[event]}" if event.queue else f"gate {self.made[event]}"

    def say(self, text: str) -> None:
        self.said.append(text)
        if self.says:
            print(text, flush=True)

    def wrong_wait_list(self, queue: Queue, list_: Any, count: int) -> tuple[int, Any, int]:
        other = self.one_of(event for event in self.events if event.context is not queue.context)
        kind = self.choice("none", "no count", "null", "context")
        if kind == "none":
            return calls.INVALID_WAIT_LIST, None, self.choice(1, 3)
        if kind == "no count":
            return calls.INVALID_WAIT_LIST, calls.pointers([None]), 0
        if kind == "null" or other is None:
            return calls.INVALID_WAIT_LIST, calls.pointers([None]), 1
        return calls.INVALID_CONTEXT, calls.pointers([other.handle]), 1
