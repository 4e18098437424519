"""What traces tell: the commands of a program, whatever the number of its processes, on one time line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Kind = Literal["kernel", "copy", "other"]

_KERNELS = {"ndrange_kernel", "task"}
_COPIES = {
    "read_buffer", "write_buffer", "copy_buffer", "read_buffer_rect", "write_buffer_rect", "copy_buffer_rect", "fill_buffer",
    "read_image", "write_image", "copy_image", "copy_image_to_buffer", "copy_buffer_to_image", "fill_image",
    "map_buffer", "map_image", "unmap_mem_object", "migrate_mem_objects",
    "svm_memcpy", "svm_memfill", "svm_map", "svm_unmap", "svm_migrate_mem",
}
# They occupy no device: they are places in the order of others.
_PLACES = {"marker", "barrier", "user", "semaphore_wait_khr", "semaphore_signal_khr", "svm_free"}


class NoTrace(Exception):
    """A file is no trace, or the program left none; the text says which."""


@dataclass(frozen=True)
class Command:
    """Times are in seconds since the program's first process began to record. `facts` are a trace's `args`; `queue` is the name of its
    row."""

    name: str
    kind: Kind
    category: str
    queue: str
    start: float
    end: float
    facts: dict[str, Any]

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class Span:
    """Something that the host did."""

    name: str
    start: float
    end: float


@dataclass
class DeviceCommands:
    """In the order of their starts."""

    facts: dict[str, Any]
    commands: list[Command] = field(default_factory=list)


@dataclass
class Recorded:
    """recording    seconds of the host's that recording took
    failed          commands of which a device told no times, since it had failed
    """

    devices: list[DeviceCommands]
    host: list[Span]
    processes: int
    recording: float
    failed: int


def read(paths: Iterable[Path]) -> Recorded:
    """The traces of a program's processes as one."""
    loaded = [_load(path) for path in sorted(paths)]
    if not loaded:
        raise NoTrace("the program made no command-queue on cl2cuda, or was ended before it could write its trace")
    first = min(each["otherData"]["started_ns"] for each in loaded)
    found = Recorded([], [], len(loaded), 0.0, 0)
    for each in loaded:
        _add(found, each, (each["otherData"]["started_ns"] - first) / 1e9, len(loaded) > 1)
    for device in found.devices:
        device.commands.sort(key=lambda command: command.start)
    return found


def _load(path: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if {"devices", "started_ns", "recording_ns"} <= data["otherData"].keys():
            return data
    except OSError as error:
        raise NoTrace(f"cannot read {str(path)!r}: {error.strerror}") from None
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    raise NoTrace(f"{path.name!r} is no whole trace: was the process that wrote it ended?")


def _add(found: Recorded, trace: dict[str, Any], later: float, several: bool) -> None:
    """Adds one process's trace. A device is the same in all of them if its facts are."""
    other = trace["otherData"]
    devices = {int(number): _device(found, facts) for number, facts in other["devices"].items()}
    found.recording += other["recording_ns"] / 1e9
    rows: dict[tuple[int, int], str] = {}
    for record in trace["traceEvents"]:
        place = record["pid"], record["tid"]
        if record["ph"] == "M":
            if record["name"] == "thread_name":
                rows[place] = record["args"]["name"] + (f" (process {other['process']})" if several else "")
            continue
        start = record["ts"] / 1e6 + later
        end = start + record["dur"] / 1e6
        if record["pid"] not in devices:
            found.host.append(Span(record["name"], start, end))
        elif "error" in record["args"]:
            found.failed += 1
        elif record["cat"] not in _PLACES:
            devices[record["pid"]].commands.append(
                Command(record["name"], _kind(record["cat"]), record["cat"], rows.get(place, ""), start, end, record["args"]))


def _device(found: Recorded, facts: dict[str, Any]) -> DeviceCommands:
    for device in found.devices:
        if device.facts == facts:
            return device
    found.devices.append(DeviceCommands(facts))
    return found.devices[-1]


def _kind(category: str) -> Kind:
    return "kernel" if category in _KERNELS else "copy" if category in _COPIES else "other"
