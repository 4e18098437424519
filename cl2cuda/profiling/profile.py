"""The sums over a program's commands: kernels, copies and idle time of each device; and their form in files.

Times are in seconds, sizes in bytes, rates a second. A field is None where the device, or a trace, does not tell.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..version import VERSION
from .commands import Command, DeviceCommands, Recorded, Span

FORMAT = 1
# How many of the longest gaps are told one by one, and from which length on a gap is one: the clock's own steps are none.
GAPS_TOLD = 10
SHORTEST_GAP = 1e-6

Extent = tuple[float, float]


class NoProfile(Exception):
    """A file is none that `cl2cuda profile --json` wrote."""


@dataclass(frozen=True)
class Times:
    """Of several calls."""

    calls: int
    total: float
    mean: float
    least: float
    most: float
    deviation: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times:
        total = math.fsum(seconds)
        mean = total / len(seconds)
        deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in seconds) / len(seconds))
        return cls(len(seconds), total, mean, min(seconds), max(seconds), deviation)


@dataclass(frozen=True)
class Counted:
    """What Nsight Compute counted of a launch, on average: bytes between the device and its memory, and operations of floating point, an
    fma being two."""

    bytes: float
    operations: float


@dataclass(frozen=True)
class KernelRow:
    """share             of the time of all kernels
    sizes                the launches by global and local size, the most frequent first: (global size, local size, launches)
    registers            of a work-item, the least and the most of all launches; so the other extents
    spill_stores         bytes that a work-item stores since its registers do not hold them, `spill_loads` that it loads again
    private_memory       of a work-item, outside of registers; `local_memory` of a work-group
    occupancy            the part of a compute unit's places for work-items that can be taken at a time
    argument_bytes       of the buffers that a launch is given, on average
    """

    name: str
    times: Times
    share: float
    sizes: tuple[tuple[tuple[int, ...], tuple[int, ...], int], ...]
    registers: Extent | None
    spill_stores: Extent | None
    spill_loads: Extent | None
    private_memory: Extent | None
    local_memory: Extent | None
    occupancy: Extent | None
    argument_bytes: float | None
    counted: Counted | None = None

    @property
    def argument_rate(self) -> float | None:
        """Bytes a second if a launch touches each byte of its buffers once."""
        return None if self.argument_bytes is None or not self.times.mean else self.argument_bytes / self.times.mean

    @property
    def counted_rate(self) -> float | None:
        return self.counted.bytes / self.times.mean if self.counted and self.times.mean else None


@dataclass(frozen=True)
class CopyRow:
    """bytes is of all calls; None where the command does not tell."""

    name: str
    times: Times
    bytes: int | None

    @property
    def rate(self) -> float | None:
        return None if self.bytes is None or not self.times.total else self.bytes / self.times.total


@dataclass(frozen=True)
class Gap:
    """Time in which a device ran nothing: between which commands, and what the host did meanwhile that traces tell of."""

    start: float
    seconds: float
    after: str
    before: str
    host: tuple[str, ...]


@dataclass(frozen=True)
class DeviceProfile:
    """span   from the first command's start to the last one's end, of which `busy` has at least one running
    gaps      how many there are; `longest` are some of them
    """

    facts: dict[str, Any]
    span: float
    busy: float
    gaps: int
    longest: tuple[Gap, ...]
    kernels: tuple[KernelRow, ...]
    copies: tuple[CopyRow, ...]
    others: tuple[CopyRow, ...]

    @property
    def idle(self) -> float:
        return self.span - self.busy

    @property
    def name(self) -> str:
        return str(self.facts["name"])


@dataclass(frozen=True)
class Profile:
    """wall     seconds that the program ran, from its start to its end; `plain_wall` those of a run without the profile
    recording   seconds of the host's that recording took
    host        what the host did that traces tell of
    notes       what a reader has to know
    """

    program: tuple[str, ...]
    status: int
    wall: float
    plain_wall: float | None
    recording: float
    commands: int
    processes: int
    devices: tuple[DeviceProfile, ...]
    host: tuple[CopyRow, ...]
    notes: tuple[str, ...] = ()


def profiled(recorded: Recorded, program: Sequence[str], status: int, wall: float, plain_wall: float | None = None) -> Profile:
    devices = tuple(_device(each, recorded.host) for each in recorded.devices if each.commands)
    notes = []
    if recorded.failed:
        notes.append(f"{recorded.failed} commands are left out: their device had failed and told no times")
    return Profile(tuple(program), status, wall, plain_wall, recorded.recording, sum(len(each.commands) for each in recorded.devices),
                   recorded.processes, devices, _host(recorded.host), tuple(notes))


def _device(device: DeviceCommands, host: Sequence[Span]) -> DeviceProfile:
    commands = device.commands
    kernels = [each for each in commands if each.kind == "kernel"]
    total = sum(each.seconds for each in kernels)
    gaps, busy = _gaps(commands, host)
    gaps.sort(key=lambda gap: -gap.seconds)
    return DeviceProfile(
        device.facts, max(each.end for each in commands) - commands[0].start, busy, len(gaps), tuple(gaps[:GAPS_TOLD]),
        tuple(_by_total(_kernel(name, each, total) for name, each in _grouped(kernels, lambda one: one.name))),
        tuple(_by_total(_copies(commands, "copy", lambda one: one.category))),
        tuple(_by_total(_copies(commands, "other", lambda one: one.name))))


def _by_total(rows: Iterable[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: -row.times.total)


def _grouped(commands: Iterable[Command], name: Callable[[Command], str]) -> list[tuple[str, list[Command]]]:
    groups: dict[str, list[Command]] = {}
    for each in commands:
        groups.setdefault(name(each), []).append(each)
    return list(groups.items())


def _kernel(name: str, launches: list[Command], total: float) -> KernelRow:
    times = Times.of([each.seconds for each in launches])
    sizes: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for each in launches:
        size = tuple(each.facts.get("global_size", ())), tuple(each.facts.get("local_size", ()))
        sizes[size] = sizes.get(size, 0) + 1
    given = [each.facts.get("argument_bytes") for each in launches]
    known = [value for value in given if value is not None]

    def extent(fact: str) -> Extent | None:
        values = [value for each in launches if (value := each.facts.get(fact)) is not None]
        return (min(values), max(values)) if values else None

    return KernelRow(
        name, times, times.total / total if total else 0.0,
        tuple((*size, count) for size, count in sorted(sizes.items(), key=lambda pair: -pair[1])),
        extent("registers"), extent("spill_stores"), extent("spill_loads"), extent("private_memory"), extent("local_memory"),
        extent("occupancy"), sum(known) / len(known) if known and len(known) == len(given) else None)


def _copies(commands: Sequence[Command], kind: str, name: Callable[[Command], str]) -> list[CopyRow]:
    rows = []
    for group, each in _grouped((one for one in commands if one.kind == kind), name):
        sizes = [one.facts["bytes"] for one in each if "bytes" in one.facts]
        rows.append(CopyRow(group, Times.of([one.seconds for one in each]), sum(sizes) if sizes else None))
    return rows


def _host(spans: Sequence[Span]) -> tuple[CopyRow, ...]:
    names = dict.fromkeys(each.name for each in spans)
    return tuple(_by_total(CopyRow(name, Times.of([each.end - each.start for each in spans if each.name == name]), None) for name in names))


def _gaps(commands: Sequence[Command], host: Sequence[Span]) -> tuple[list[Gap], float]:
    """The times between commands in which none ran, and how long at least one did. The commands are in the order of their starts."""
    gaps, busy, last = [], 0.0, commands[0]
    begun, end = last.start, last.end
    for each in commands[1:]:
        if each.start - end > SHORTEST_GAP:
            during = dict.fromkeys(span.name for span in host if span.start < each.start and span.end > end)
            gaps.append(Gap(end, each.start - end, last.name, each.name, tuple(during)))
            busy += end - begun
            begun = each.start
        if each.end >= end:
            end, last = each.end, each
    return gaps, busy + end - begun


def noted(profile: Profile, note: str) -> Profile:
    return dataclasses.replace(profile, notes=(*profile.notes, note))



# Files

def to_json(profile: Profile) -> str:
    return json.dumps({"cl2cuda_profile": FORMAT, "cl2cuda": VERSION, **dataclasses.asdict(profile)}, indent=1)


def from_json(text: str, name: str) -> Profile:
    try:
        data = json.loads(text)
        if data.pop("cl2cuda_profile") != FORMAT:
            raise NoProfile(f"{name!r} is a profile of another version of cl2cuda, {data.get('cl2cuda')}: make it anew")
        del data["cl2cuda"]
        devices = tuple(_device_from(each) for each in data.pop("devices"))
        host = tuple(_row(CopyRow, each) for each in data.pop("host"))
        return Profile(tuple(data.pop("program")), devices=devices, host=host, notes=tuple(data.pop("notes")), **data)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NoProfile(f"{name!r} is no profile that `cl2cuda profile --json` wrote") from None


def _device_from(data: dict[str, Any]) -> DeviceProfile:
    longest = tuple(Gap(**{**each, "host": tuple(each["host"])}) for each in data.pop("longest"))
    kernels, copies, others = (tuple(_row(kind, each) for each in data.pop(name)) for kind, name in
                               ((KernelRow, "kernels"), (CopyRow, "copies"), (CopyRow, "others")))
    return DeviceProfile(longest=longest, kernels=kernels, copies=copies, others=others, **data)


def _row(kind: type[Any], data: dict[str, Any]) -> Any:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    values["times"] = Times(**data["times"])
    if "sizes" in data:
        values["sizes"] = tuple((tuple(whole), tuple(group), count) for whole, group, count in data["sizes"])
    if data.get("counted"):
        values["counted"] = Counted(**data["counted"])
    return kind(**values)
