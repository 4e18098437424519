"""The timeline: what every queue did and when, as a trace that Perfetto and chrome://tracing show.

Off unless started by `start` or by CL2CUDA_TRACE=FILE; queues ask once, when they are made, so it costs
nothing then. On, every queue takes times as a profiling one does. The file is written at the interpreter's
exit. Times are microseconds since the start; one process of the trace is the host, each device is another,
and its threads are the streams of queues.

A command's `args` are what is known of it beside its times: the bytes that it moves, or a kernel's sizes and
what it needs. The file's `otherData` has facts about the devices, by their process's number in the trace, when
recording began (`time.perf_counter_ns`), how long it lasted, and how much of the host's time it took.
`cl2cuda profile` reads all of it.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from ..driver.interface import DriverError, Fence, Stream
from ..spec import codes
from . import environment, nvtx_ranges

VARIABLE = "CL2CUDA_TRACE"
# In the name of the file, the process's number.
PROCESS = ".%p"
HOST = 1  # the trace's number for the host; devices count on from there

# Commands whose times are not asked for yet hold CUDA events: above this many the ended ones are asked.
MANY = 256

_KINDS = {code: name[len("COMMAND_"):].lower() for name, code in vars(codes).items() if name.startswith("COMMAND_")}

Record = dict[str, Any]
Facts = Mapping[str, object]


class Place(NamedTuple):
    """Where a command ran: on a device, which tells devices apart, and of which the facts have its `name`; in a
    queue by its number, in a stream."""

    device: Hashable
    device_facts: Facts
    queue: int
    out_of_order: bool
    stream: Stream


class Recorder:
    """Collects records (the Trace Event Format's, as dictionaries) and writes them."""

    def __init__(self, path: str):
        self.path = path
        self._process = os.getpid()
        self._start = time.perf_counter_ns()
        self._lock = threading.Lock()
        self._records: list[Record] = [_name("process_name", HOST, 0, "host")]
        self._processes: dict[Hashable, int] = {}
        self._devices: dict[str, Facts] = {}
        self._recording = 0
        self._threads: dict[tuple[int, Stream, int], int] = {}
        self._unasked: collections.deque[tuple[Record, tuple[int, int, Fence], Fence]] = collections.deque()

    def command(self, place: Place, command_type: int, label: str, facts: Facts, times: tuple[int, int, Fence], end: Fence) -> None:
        """A command that has been given to a driver. `times` are the host's when it was queued and submitted,
        and the fence before it; `end` is the fence behind it."""
        begun = time.perf_counter_ns()
        kind = kind_of(command_type)
        with self._lock:
            process, thread = self._numbers(place)
            record = {"name": label or kind, "cat": kind, "ph": "X", "pid": process, "tid": thread, "args": dict(facts)}
            self._unasked.append((record, times, end))
            if len(self._unasked) > MANY:
                self._ask(only_ended=True)
            self._recording += time.perf_counter_ns() - begun

    def spent(self, nanoseconds: int) -> None:
        """The host has spent this time on recording, outside of the recorder."""
        with self._lock:
            self._recording += nanoseconds

    @contextlib.contextmanager
    def span(self, name: str, **details: object) -> Iterator[None]:
        """Something that the host does."""
        start = time.perf_counter_ns()
        try:
            yield
        finally:
            self.since(start, name, **details)

    def since(self, start: int, name: str, **details: object) -> None:
        """Something that the host has done since the start, by the thread that tells it."""
        record = {"name": name, "cat": "host", "ph": "X", "pid": HOST, "tid": threading.get_native_id(), "args": details}
        with self._lock:
            self._records.append(record | self._extent(start, time.perf_counter_ns()))

    def write(self) -> None:
        """In the process that began: one that it forked has no part in the file."""
        if os.getpid() != self._process:
            return
        with self._lock:
            end = time.perf_counter_ns()
            self._ask(only_ended=False)
            other = {"devices": self._devices, "process": self._process, "started_ns": self._start, "recorded_ns": end - self._start,
                     "recording_ns": self._recording}
            import json  # which a process that writes no trace has no use for here

            text = json.dumps({"displayTimeUnit": "ns", "traceEvents": self._records, "otherData": other})
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def _numbers(self, place: Place) -> tuple[int, int]:
        """The trace's numbers of the device and of the stream, which are named when they first come up."""
        process = self._processes.get(place.device)
        if process is None:
            process = self._processes[place.device] = HOST + 1 + len(self._processes)
            self._records.append(_name("process_name", process, 0, str(place.device_facts["name"])))
            self._devices[str(process)] = place.device_facts
        # Where commands run in the threads that issue them, those are what runs side by side.
        key = (place.queue, place.stream, threading.get_ident() if place.stream.immediate else 0)
        if key not in self._threads:
            number = 1 + sum(queue == place.queue for queue, _, _ in self._threads)
            self._threads[key] = len(self._threads) + 1
            name = f"queue {place.queue}, out of order, stream {number}" if place.out_of_order else f"queue {place.queue}, in order"
            self._records.append(_name("thread_name", process, self._threads[key], name))
        return process, self._threads[key]

    def _ask(self, only_ended: bool) -> None:
        """Asks the driver for the times of commands in turn: of all, or up to the first that has not
        ended."""
        while self._unasked:
            record, (queued, submitted, start), end = self._unasked[0]
            try:
                if only_ended and not end.done():
                    return
                end.wait()
                details: Record = {"queued": self._microseconds(queued), "submitted": self._microseconds(submitted)}
                self._records.append(record | self._extent(start.time_ns(), end.time_ns()) | {"args": details | record["args"]})
            except DriverError as error:  # A device that failed tells no times.
                details = {"error": str(error)}
                self._records.append(record | self._extent(submitted, submitted) | {"args": details | record["args"]})
            self._unasked.popleft()

    def _extent(self, start: int, end: int) -> Record:
        return {"ts": self._microseconds(start), "dur": max(end - start, 0) / 1000}

    def _microseconds(self, time_ns: int) -> float:
        return (time_ns - self._start) / 1000


def kind_of(command_type: int) -> str:
    """CL_COMMAND_*, in small letters."""
    return _KINDS.get(command_type, f"command {command_type:#x}")


def _name(kind: str, process: int, thread: int, name: str) -> Record:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


_RECORDER: Recorder | None = None
# Held while the variable's recorder is made: the threads that ask first get the same one.
_START = threading.Lock()


def start(path: str) -> Recorder:
    """Records the queues made from now on; the file is written at exit. A `.%p` in its name is the process's
    number."""
    global _RECORDER
    _RECORDER = Recorder(path.replace(PROCESS, f".{os.getpid()}"))
    atexit.register(_RECORDER.write)
    return _RECORDER


def stop() -> None:
    """Writes the file now; queues made from now on are not recorded."""
    global _RECORDER
    if _RECORDER is not None:
        atexit.unregister(_RECORDER.write)
        _RECORDER.write()
    _RECORDER = None


def current() -> Recorder | None:
    """The recorder, where `start` has been called, or `recorder` has found that the environment asks for a trace."""
    return _RECORDER


def recorder() -> Recorder | None:
    """The recorder, or None where nobody asked for a trace. Finding the devices calls it."""
    path = environment.text(VARIABLE)
    if _RECORDER is None and path:
        with _START:
            return _RECORDER or start(path)
    return _RECORDER


def beside(name: str) -> Callable[[], None]:
    """Something that goes on beside the caller, until what this gives is called, in whichever thread."""
    active, start = recorder(), time.perf_counter_ns()
    return (lambda: active.since(start, name)) if active else (lambda: None)


@contextlib.contextmanager
def span(name: str, **details: object) -> Iterator[None]:
    """A `with` block that is something the host does, for traces and NVIDIA's tools; nothing where neither is wanted."""
    active = recorder()
    with nvtx_ranges.span(name), active.span(name, **details) if active else contextlib.nullcontext():
        yield
