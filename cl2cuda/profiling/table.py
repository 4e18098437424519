"""A profile as text, for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from .profile import CopyRow, DeviceProfile, KernelRow, Profile
from .units import NOTHING, counted, extent, percent, rate, size, time


def as_text(profile: Profile) -> str:
    parts = [_head(profile)]
    for device in profile.devices:
        parts += [_device(device), _kernels(device), _others(device), _gaps(device), "\n".join(device_notes(device))]
    if profile.host:
        parts.append(columns(("host", "calls", "total", "mean"), [
            (row.name, str(row.times.calls), time(row.times.total), time(row.times.mean)) for row in profile.host]))
    parts.append("\n".join(overhead(profile)))
    return "\n\n".join(part for part in parts if part)


def _head(profile: Profile) -> str:
    processes = f", {profile.processes} processes" if profile.processes > 1 else ""
    return f"{shlex.join(profile.program)}: {time(profile.wall)}{processes}, exit status {profile.status}"


def _device(device: DeviceProfile) -> str:
    share = percent(device.busy / device.span if device.span else None)
    return (f"{device.name}\n{time(device.span)} from the first command to the end of the last, busy {time(device.busy)} ({share}), "
            f"idle {time(device.idle)} in {counted(device.gaps, 'gap')}")


def _kernels(device: DeviceProfile) -> str:
    if not device.kernels:
        return ""
    heads: tuple[str, ...] = ("kernel", "calls", "total", "share", "mean", "min", "max", "spread", "regs", "spills", "private", "local",
                              "occupancy", "buffers/time", "of peak")
    rows = [_kernel(row, device.facts.get("peak_bandwidth")) for row in device.kernels]
    if any(row.counted for row in device.kernels):
        heads += ("memory", "memory rate", "of peak", "flop/s")
        rows = [(*cells, *_counters(row, device)) for cells, row in zip(rows, device.kernels, strict=True)]
    return columns(heads, rows)


def _kernel(row: KernelRow, peak: float | None) -> tuple[str, ...]:
    times, argument_rate = row.times, row.argument_rate
    return (row.name, str(times.calls), time(times.total), percent(row.share), time(times.mean), time(times.least), time(times.most),
            spread(row), extent(row.registers), spills(row), sizes(row.private_memory), sizes(row.local_memory), occupancy(row),
            rate(argument_rate), percent(argument_rate / peak if argument_rate is not None and peak else None))


def _counters(row: KernelRow, device: DeviceProfile) -> tuple[str, ...]:
    if row.counted is None:
        return (NOTHING,) * 4
    peak, moved = device.facts.get("peak_bandwidth"), row.counted_rate
    return (size(row.counted.bytes), rate(moved), percent(moved / peak if moved is not None and peak else None),
            rate(row.counted.operations / row.times.mean if row.times.mean else None, "Gflop/s"))


def spread(row: KernelRow) -> str:
    """The standard deviation, as a part of the mean."""
    return percent(row.times.deviation / row.times.mean) if row.times.calls > 1 and row.times.mean else NOTHING


def spills(row: KernelRow) -> str:
    return NOTHING if row.spill_stores is None else f"{extent(row.spill_stores)}/{extent(row.spill_loads)} B"


def sizes(values: tuple[float, float] | None) -> str:
    return NOTHING if values is None else " to ".join(dict.fromkeys(size(value) for value in values))


def occupancy(row: KernelRow) -> str:
    return NOTHING if row.occupancy is None else " to ".join(dict.fromkeys(percent(value) for value in row.occupancy))


def _others(device: DeviceProfile) -> str:
    rows = [_copy(row) for row in (*device.copies, *device.others)]
    return columns(("copies and other commands", "calls", "total", "mean", "bytes", "rate"), rows) if rows else ""


def _copy(row: CopyRow) -> tuple[str, ...]:
    return row.name, str(row.times.calls), time(row.times.total), time(row.times.mean), size(row.bytes), rate(row.rate)


def _gaps(device: DeviceProfile) -> str:
    rows = [(time(gap.seconds), f"{gap.start * 1e3:.3f} ms", gap.after, gap.before, ", ".join(gap.host) or NOTHING)
            for gap in device.longest]
    return columns(("longest gaps", "from", "after", "before", "the host meanwhile"), rows, left=(2, 3, 4)) if rows else ""


def device_notes(device: DeviceProfile) -> list[str]:
    """What a reader has to know of the figures."""
    notes = []
    if any(row.argument_bytes is not None for row in device.kernels):
        notes.append("buffers/time is the rate if a launch touches each byte of the buffers that it is given once; what it moves, only "
                     "counters tell")
    if device.kernels and all(row.registers is None for row in device.kernels):
        notes.append("registers, spills, private memory, occupancy: not known of this device")
    if device.facts.get("peak_bandwidth") is None:
        notes.append("of peak: the peak bandwidth of this device is not known")
    return notes


def overhead(profile: Profile) -> list[str]:
    """What profiling cost."""
    each = f", {time(profile.recording / profile.commands)} a command" if profile.commands else ""
    lines = [f"recording {counted(profile.commands, 'command')} took {time(profile.recording)} of the host's time{each}; "
             "each has two fences on the device beside"]
    if profile.plain_wall is not None:
        more = profile.wall / profile.plain_wall - 1
        lines.append(f"the program took {time(profile.wall)} with the profile and {time(profile.plain_wall)} without: {more * 100:+.1f} %")
    return lines + list(profile.notes)


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """A table: the first column and those of `left` begin at their left, the others end at their right."""
    lines = [heads, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    at_left = {0, *left}
    return "\n".join("  ".join(cell.ljust(width) if place in at_left else cell.rjust(width)
                               for place, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip() for line in lines)
