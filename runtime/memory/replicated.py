"""Storage in a context of several devices: contents that are valid in several places at once.

What commands only read is copied to each device that reads it, and stays valid where it was. What a command may write is valid on its
device only from then on. Which bytes are valid where is in a `Directory`, so that parts of a buffer may have different owners.

A copy that a command needs is put into the command's own stream, right before the command. So it comes after all that the command
waits for, which is every command that wrote the contents, and before all that waits for the command, which is every one that
writes them later. Commands that only read the same contents need not wait for each other: a second one on a device may come before
the copy for the first has ended, and waits for that copy alone.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..context.context import Context
from ..context.stream_ordered_memory import Block
from ..devices.device import Device
from ..devices.transfer import PART, Part
from ..driver.interface import CommandFailed, DeviceLost, DriverError, Fence, Stream
from ..native import library as native
from ..process import debug_mode, ending
from . import known_memory
from .directory import OVERWRITE, READ, WRITE, Access, Directory, Segment
from .mapping import Mapping
from .resident import Known, lock_for
from .storage import BufferStorage, Memory, Region, Storage, run_now
from .uses import Uses


class Ready(NamedTuple):
    """A copy is there behind the fence, and for what comes later in the stream. `driver_name` is the driver's of both."""

    fence: Fence
    stream: Stream
    driver_name: str


Piece = Segment[Device, Ready]


class Replicated(Storage[Memory, Region]):
    """device, memory   where the contents were written last; memory is had on a device when that first uses the contents."""

    def __init__(self, context: Context, device: Device, size: int):
        Storage.__init__(self, context, device, size)
        self._directory: Directory[Device, Ready] = Directory(size)
        self._memories: dict[Device, Memory] = {}
        self._writes, self._reads_elsewhere = Uses(), Uses()
        # A command that is given to a driver may have callbacks called that use the same contents.
        self._lock: Any = threading.RLock()
        self._shares_fences = len({each.driver_name for each in context.devices}) == 1
        # What most commands need to know: the devices that have everything, with nothing to wait for, and the one that alone has it.
        self._settled: frozenset[Device] = frozenset()
        self._sole: Device | None = None
        self._host_has_some = False
        self.has_memory = True
        context.add_replicated(self)

    def _copy(self, stream: Stream, device: Device, memory: Memory, source: Device, there: Memory, start: int, end: int) -> None:
        """Copies the bytes from one device to the other, whose stream this is."""
        raise NotImplementedError

    # Commands

    def acquire(self, device: Device, stream: Stream, access: Access, start: int = 0, end: int | None = None) -> Memory:
        end = self.size if end is None else end
        # First, so that `drop_copies` either knows of it, or has changed what is looked at next.
        self._note_use(device)
        if device in self._settled:
            if access is READ:
                return self._memories[device]
            if device is self._sole and not self._reads_elsewhere and not self._host_has_some:
                self._writes.note(stream, start, end)
                return self._memories[device]
        with self._lock:
            return self._acquire(device, stream, access, start, end)

    def _acquire(self, device: Device, stream: Stream, access: Access, start: int, end: int) -> Memory:
        had_memory = device in self._memories
        memory = self._memory_on(device)
        try:
            pieces = self._directory.cut(start, end)
            if access is not OVERWRITE:
                self._bring(device, stream, memory, pieces)
            if access is not READ:
                self._reads_elsewhere.come_before(stream, start, end, shares_fences=self._shares_fences)
                # What came before an OVERWRITE, and whether it has failed, is nothing to those who come after that.
                ready = None if access is OVERWRITE else self._still_coming(device, stream, pieces)
                self._directory.put(start, end, {device: ready})
                self._writes.note(stream, start, end)
                self._changed_on_device(start, end)
                self.device, self.memory = device, memory
        except DriverError:
            if not had_memory:
                self._free(device, self._memories.pop(device))
            raise
        finally:
            self._update(start, end)
        return memory

    def _note_use(self, device: Device) -> None:
        """The command that is about to be given to a stream uses the memory there: another thread's may put it out of date before that."""
        self.context.issuing.note((self, device))

    def _is_used_on(self, device: Device) -> bool:
        """Whether a command that uses the memory there is being given to a stream. With the lock."""
        return self.context.issuing.has((self, device))

    def _changed_on_device(self, start: int, end: int) -> None:
        """What the host has of the range is out of date."""

    def _update(self, start: int, end: int) -> None:
        """After the directory of a range has changed."""
        self._directory.join(start, end)
        self._settled, self._sole = self._directory.settled(), self._directory.sole()

    def _bring(self, device: Device, stream: Stream, memory: Memory, pieces: Sequence[Piece]) -> None:
        """Makes the pieces valid on the device, for what comes next in the stream. Undefined contents stay undefined."""
        missing = []
        for piece in pieces:
            _drop_failed(piece)
            if device in piece.valid:
                self._wait(device, stream, piece, device)
            elif piece.valid:
                missing.append(piece)
        if not missing:
            return
        stream.begin_contents()
        try:
            ready = self._copy_missing(device, stream, memory, missing)
        finally:
            stream.end_contents()
        for piece in missing:
            piece.valid[device] = ready
        _wait_for(ready, device, stream)

    def _copy_missing(self, device: Device, stream: Stream, memory: Memory, missing: Sequence[Piece]) -> Ready | None:
        for source, start, end, parts in _runs(missing, functools.partial(_source, device)):
            self._read_elsewhere(device, stream, source, start, end, parts)
            self._copy(stream, device, memory, source, self._memories[source], start, end)
        return _ready(device, stream)

    def _read_elsewhere(self, device: Device, stream: Stream, source: Device, start: int, end: int, pieces: Sequence[Piece]) -> None:
        """What comes next in the stream, which is of one device, reads the pieces on another."""
        self._note_use(source)
        for piece in pieces:
            self._wait(device, stream, piece, source)
        self._writes.come_before(stream, start, end, shares_fences=self._shares_fences)
        self._reads_elsewhere.note(stream, start, end)

    @staticmethod
    def _still_coming(device: Device, stream: Stream, pieces: Sequence[Piece]) -> Ready | None:
        """What others have to wait for before the pieces are all on the device, where the stream has waited already. (A command that
        may write, but does not, need not be ordered with others that only read: these wait for the copy for it, too.)"""
        coming = {ready for piece in pieces if not _is_there(piece, device) and (ready := piece.valid[device]) is not None}
        if not coming:
            return None
        first = next(iter(coming))
        if len(coming) == 1 and first.stream is stream:
            return first
        stream.begin_contents()
        try:
            for ready in coming if stream.fails_apart else ():
                _wait_for(ready, device, stream)
            return _ready(device, stream)
        finally:
            stream.end_contents()

    @staticmethod
    def _wait(device: Device, stream: Stream, piece: Piece, place: Device) -> None:
        """Later commands of the stream, which is of the device, find the piece at the place."""
        if not _is_there(piece, place):
            _wait_for(piece.valid[place], device, stream)

    def _memory_on(self, device: Device) -> Memory:
        memory = self._memories.get(device)
        if memory is None:
            try:
                memory = self._allocate(device)
            except DriverError:
                if not self.context.drop_copies(self):
                    raise
                memory = self._allocate(device)
            self._memories[device] = memory
            if len(self._memories) == 1:
                self.device, self.memory = device, memory
        return memory

    def sources(self, device: Device, stream: Stream, start: int, end: int) -> Iterator[tuple[Device, Memory, int, int]]:
        """Where a command of the device, about to be given to the stream, is to read the bytes from: (device, memory there, start,
        end). Another device than its own is one that its driver's peer copies reach."""
        with self._lock:
            pieces = [piece for piece in self._directory.cut(start, end)]
            for piece in pieces:
                _drop_failed(piece)
            unreached = [piece for piece in pieces if piece.valid and not _reached(device, piece)]
            if unreached:
                self._bring(device, stream, self._memory_on(device), unreached)
            answer = []
            for source, first, last, parts in _runs(pieces, lambda piece: _source(device, piece) if piece.valid else device):
                self._note_use(source)
                answer.append((source, self._memory_on(source), first, last))
                if source is not device:
                    self._read_elsewhere(device, stream, source, first, last, parts)
                elif parts[0].valid:
                    for piece in parts:
                        self._wait(device, stream, piece, source)
            self._update(start, end)
        yield from answer

    def nearest(self, device: Device, stream: Stream, start: int, end: int) -> tuple[Device, Memory]:
        found = list(self.sources(device, stream, start, end))
        if len(found) == 1:
            return found[0][0], found[0][1]
        return super().nearest(device, stream, start, end)

    def owner(self, start: int, end: int) -> Device | None:
        """The one device that has all of the range; None if there are several, or none."""
        with self._lock:
            owners = {device for piece in self._directory.cut(start, end) for device in piece.valid}
            self._update(start, end)
        return owners.pop() if len(owners) == 1 else None

    # Others

    def places(self) -> frozenset[Device]:
        """The devices that have all of the contents."""
        with self._lock:
            pieces = self._directory.cut(0, self.size)
            return frozenset(device for device in self._memories if all(device in piece.valid for piece in pieces))

    def on(self, device: Device) -> Memory:
        for queue in self.context.queues():
            queue.settle()  # What is deferred is ordered by its own events.
        found: list[Memory] = []
        run_now(device, lambda stream: found.append(self.acquire(device, stream, WRITE)))
        with self._lock:
            for piece in self._directory.cut(0, self.size):
                _is_there(piece, device)
            self._update(0, self.size)
        return found[0]

    def drop_copies(self) -> bool:
        """Gives back memory on devices where nothing is valid any more, and which no command uses that its stream does not have yet.
        Whether there was any."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            stale = [device for device in self._memories if device is not self.device and not self._directory.has_any(device)
                     and not self._is_used_on(device)]
            for device in stale:
                self._free(device, self._memories.pop(device))
            return bool(stale)
        finally:
            self._lock.release()

    @ending.finalizer
    def __del__(self) -> None:
        if getattr(self, "has_memory", False):
            for device, memory in self._memories.items():
                self._free(device, memory)
            self._free_shadow()


def _is_there(piece: Piece, place: Device) -> bool:
    """Whether there is nothing to wait for at the place; what has ended is forgotten."""
    ready = piece.valid.get(place)
    try:
        if ready is not None and ready.fence.done():
            piece.valid[place] = ready = None
    except DeviceLost:
        raise
    except DriverError:  # What waits for it will hear of it.
        return False
    return ready is None


def _has_failed(ready: Ready | None) -> bool:
    """Whether the copy is known to have failed, or is lost with its device. Where streams do not fail apart, nothing is asked."""
    try:
        if ready is not None and ready.stream.fails_apart:
            ready.fence.done()
    except DriverError:
        return True
    return False


def _drop_failed(piece: Piece) -> None:
    """The contents are where no copy of them has failed; if there is no such place, nothing else can be said than before."""
    failed = [place for place, ready in piece.valid.items() if _has_failed(ready)]
    for place in failed if len(failed) < len(piece.valid) else ():
        del piece.valid[place]


def _ready(device: Device, stream: Stream) -> Ready | None:
    """Behind the copies that the stream was just given."""
    return None if stream.immediate else Ready(stream.fence(False), stream, device.driver_name)


def _wait_for(ready: Ready | None, device: Device, stream: Stream) -> None:
    """Later commands of the stream, which is of the device, come after the copy, and are left out where it fails."""
    if ready is None or (ready.stream is stream and not stream.fails_apart):
        return
    if ready.driver_name == device.driver_name:
        stream.after(ready.fence)
    else:
        try:
            ready.fence.wait()
        except CommandFailed as failure:  # of another stream than the command's
            raise DriverError(f"the contents could not be brought: {failure}", failure.status) from failure


def _reached(device: Device, piece: Piece) -> bool:
    return any(place is device or device.peer_copies(place) is not None for place in piece.valid)


def _source(device: Device, piece: Piece) -> Device:
    """The place to copy from: the device itself, else one that is not lost, one by peer copies, one where there is nothing to wait for."""
    def cost(place: Device) -> tuple[bool, ...]:
        if _has_failed(piece.valid[place]):
            return place is not device, True
        return place is not device, place.driver_device.lost, device.peer_copies(place) is None, not _is_there(piece, place)

    return min(piece.valid, key=cost)


def _runs(pieces: Sequence[Piece], source: Callable[[Piece], Device]) -> Iterator[tuple[Device, int, int, list[Piece]]]:
    """Pieces side by side with one source: the source, where they start and end, and the pieces."""
    run: list[Piece] = []
    for place, group in groupby(pieces, source):
        run = []
        for piece in group:
            if run and run[-1].end != piece.start:
                yield place, run[0].start, run[-1].end, run
                run = []
            run.append(piece)
        yield place, run[0].start, run[-1].end, run


@native.know_slots
class ReplicatedBuffer(Replicated[int, Mapping], BufferStorage):
    """The memory of a buffer and of its sub-buffers, on the devices that use them. `residents` are for code in C (`resident`)."""

    __slots__ = ("_changing", "residents")
    memory = 0  # until a device uses it

    def __init__(self, context: Context, size: int):
        living = (device for device in context.devices if not device.driver_device.lost)
        self.residents: tuple[native.NativeResident, ...] = ()
        Replicated.__init__(self, context, next(living, context.devices[0]), size)
        self._changing = lock_for(self, self._writes)
        if self._changing is not None:
            self._lock = self._changing
        # Which bytes the shadow has as the devices have them.
        self._on_host: Directory[None, Ready] = Directory(size)
        if debug_mode.active():  # whose messages tell a launch's addresses before it has them
            self._memory_on(self.device)
        known_memory.remember(self)

    @property
    def addresses(self) -> Sequence[int]:
        return tuple(self._memories.values())

    def known_residents(self) -> list[Known]:
        may_write = not self._reads_elsewhere and not self._host_has_some
        return [(device, self._memories[device], may_write and device is self._sole) for device in self._settled]

    def _is_used_on(self, device: Device) -> bool:
        return super()._is_used_on(device) or (self._changing is not None and self._changing.is_used_on(device))

    def bring_to_host(self, device: Device, stream: Stream, start: int, end: int) -> None:
        if not self.copies:
            return
        host = self.host_address()
        with self._lock:
            stream.begin_contents()
            try:
                memory = self.acquire(device, stream, READ, start, end)
                stream.copy("device_to_host", host + start, memory + start, end - start)
                ready = _ready(device, stream)
            finally:
                stream.end_contents()
            _wait_for(ready, device, stream)
            self._on_host.put(start, end, {None: ready})
            self._on_host.join(start, end)
            self._host_has_some = True

    def is_on_host(self, device: Device, stream: Stream, start: int, end: int) -> bool:
        if not self._host_has_some:
            return False
        with self._lock:
            pieces = self._on_host.cut(start, end)
            there = all(None in piece.valid and not _has_failed(piece.valid[None]) for piece in pieces)
            for piece in pieces if there else ():
                _wait_for(piece.valid[None], device, stream)
            self._on_host.join(start, end)
        return there

    def _changed_on_device(self, start: int, end: int) -> None:
        if self._host_has_some:
            self._on_host.put(start, end, {})
            self._on_host.join(start, end)
            self._host_has_some = self._on_host.has_any(None)

    def _free(self, device: Device, memory: int) -> None:
        self.context.retire(self.context.freeing_device(device), Block(device, memory, self.size), self.size)

    def _copy(self, stream: Stream, device: Device, memory: int, source: Device, there: int, start: int, end: int) -> None:
        peers = device.peer_copies(source)
        if peers is not None:
            peers.copy(stream, device.driver_device, memory + start, source.driver_device, there + start, end - start)
            return
        device.transfer_from(source).copy(stream, [
            _part(memory + at, there + at, min(PART, end - at)) for at in range(start, end, PART)])


def _part(memory: int, there: int, size: int) -> Part:
    return Part(size, lambda stream, host: stream.copy("device_to_host", host, there, size),
                lambda stream, host: stream.copy("host_to_device", memory, host, size))


def buffer_storage(context: Context, size: int, *, ordered: bool = False) -> BufferStorage:
    """Memory for a buffer, at once. `ordered` says that only commands of queues are going to use it."""
    return BufferStorage(context, size, ordered=ordered) if context.one_device else ReplicatedBuffer(context, size)


def copy_between(stream: Stream, device: Device, source: BufferStorage, start: int, destination: BufferStorage, goal: int,
                 size: int) -> None:
    """A copy of `size` bytes as a command of the device: straight from the devices that have them, and for a part of a larger buffer
    that another device owns, straight to that device."""
    if not isinstance(source, Replicated) or not isinstance(destination, Replicated):
        there = source.acquire(device, stream, READ, start, start + size)
        here = destination.acquire(device, stream, OVERWRITE, goal, goal + size)
        stream.copy("device_to_device", here + goal, there + start, size)
        return
    pieces = list(source.sources(device, stream, start, start + size))
    target = _target(device, pieces, destination, goal, goal + size)
    here = destination.acquire(target, stream, OVERWRITE, goal, goal + size)
    for place, there, first, last in pieces:
        to, of = here + goal + first - start, there + first
        if place is target is device:
            stream.copy("device_to_device", to, of, last - first)
        else:
            peers = device.peer_copies(place if place is not device else target)
            assert peers is not None, "`sources` and `_target` have seen to it"
            peers.copy(stream, target.driver_device, to, place.driver_device, of, last - first)


def _target(device: Device, pieces: Sequence[tuple[Device, int, int, int]], destination: Replicated[int, Mapping], goal: int,
            end: int) -> Device:
    """The device whose memory a copy goes to: the owner of the rest of the buffer, if all bytes come from the command's own."""
    if end - goal == destination.size or any(place is not device for place, *_ in pieces):
        return device
    owner = destination.owner(goal, end)
    return owner if owner is not None and device.peer_copies(owner) is not None else device
