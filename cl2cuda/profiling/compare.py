"""Two profiles side by side: what became quicker or slower, kernel by kernel."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import asdict, dataclass

from .profile import CopyRow, KernelRow, Profile, Times
from .table import columns
from .units import NOTHING, time

# Means that differ by less than so many of their standard errors differ by chance.
CERTAIN = 3.0


@dataclass(frozen=True)
class Change:
    """A kernel, or a kind of copy, on the device of that place in both profiles; None where a profile does not have it."""

    device: str
    name: str
    before: Times | None
    after: Times | None

    @property
    def ratio(self) -> float | None:
        """The mean time after, in parts of that before."""
        return self.after.mean / self.before.mean if self.before and self.after and self.before.mean else None

    @property
    def certain(self) -> bool:
        """Whether the means differ by more than calls do by chance."""
        if self.before is None or self.after is None:
            return True
        error = math.hypot(*(times.deviation / math.sqrt(times.calls) for times in (self.before, self.after)))
        return abs(self.after.mean - self.before.mean) > CERTAIN * error

    @property
    def total(self) -> float:
        """Seconds more of all calls."""
        return (self.after.total if self.after else 0.0) - (self.before.total if self.before else 0.0)


def compared(before: Profile, after: Profile) -> list[Change]:
    """The largest changes of the total time first."""
    one, two = _rows(before), _rows(after)
    changes = [Change(*key, one.get(key), two.get(key)) for key in dict.fromkeys((*one, *two))]
    return sorted(changes, key=lambda change: -abs(change.total))


def _rows(profile: Profile) -> dict[tuple[str, str], Times]:
    """Devices are the same in both by their place among the profile's: the runs may be of two machines."""
    found: dict[tuple[str, str], Times] = {}
    for number, device in enumerate(profile.devices, 1):
        rows: tuple[KernelRow | CopyRow, ...] = (*device.kernels, *device.copies, *device.others)
        for row in rows:
            found[f"device {number}", row.name] = row.times
    return found


def as_text(before: Profile, after: Profile, names: tuple[str, str]) -> str:
    heads = [f"{letter}: {name}: {shlex.join(profile.program)}, {time(profile.wall)}, on {_devices(profile)}"
             for letter, name, profile in zip("AB", names, (before, after), strict=True)]
    several = max(len(before.devices), len(after.devices)) > 1
    rows = [(f"{each.device}: {each.name}" if several else each.name, _calls(each.before), _calls(each.after), _mean(each.before),
             _mean(each.after), word(each), f"{'+' if each.total > 0 else ''}{time(each.total)}") for each in compared(before, after)]
    table = columns(("kernel or copy", "calls A", "calls B", "mean A", "mean B", "change", "total B - A"), rows)
    note = f"(by chance): the means differ by less than {CERTAIN:g} standard errors of the calls"
    return "\n".join([*heads, "", table, "", note])


def _devices(profile: Profile) -> str:
    return ", ".join(device.name for device in profile.devices) or "no device"


def _calls(times: Times | None) -> str:
    return str(times.calls) if times else NOTHING


def _mean(times: Times | None) -> str:
    return time(times.mean) if times else NOTHING


def word(change: Change) -> str:
    """The change of the mean, in words."""
    if change.ratio is None:
        return "gone" if change.after is None else "new" if change.before is None else NOTHING
    return f"{(change.ratio - 1) * 100:+.1f} %" + ("" if change.certain else " (by chance)")


def as_json(before: Profile, after: Profile, names: tuple[str, str]) -> str:
    changes = [{**asdict(each), "ratio": each.ratio, "certain": each.certain, "total": each.total} for each in compared(before, after)]
    return json.dumps({"before": names[0], "after": names[1], "wall": [before.wall, after.wall], "changes": changes}, indent=1)
