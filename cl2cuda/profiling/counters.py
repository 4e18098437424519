"""What Nsight Compute's command line counts of each kernel, in a run of the program of its own: it runs every launch several times.

Counters may not be allowed to every user (NVIDIA's ERR_NVGPUCTRPERM); then its own words are what a person reads.
"""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .profile import Counted, DeviceProfile, KernelRow, Profile

PROGRAM = "ncu"
BYTES = "dram__bytes.sum"
# Operations of floating point in an instruction of a thread, by the part of the metric's name.
_OPERATIONS = {f"{width}{name}": 2 if name == "fma" else 1 for width in "fdh" for name in ("add", "mul", "fma")}
METRICS = {BYTES: 0, **{f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum": count for name, count in _OPERATIONS.items()}}


class NotCounted(Exception):
    """Nothing was counted; the text says why."""


@dataclass(frozen=True)
class Sums:
    """Of all launches of a kernel."""

    launches: int
    bytes: float
    operations: float


def command(log: Path, program: Sequence[str]) -> list[str]:
    """The command line that runs the program and writes what it counts to the file."""
    return [PROGRAM, "--csv", "--log-file", str(log), "--print-units", "base", "--print-kernel-base", "function",
            "--target-processes", "all", "--metrics", ",".join(METRICS), *program]


def read(log: str) -> dict[str, Sums]:
    """By the kernels' names what Nsight Compute wrote: a table of (launch, metric) in CSV between lines of its own, which begin with ==."""
    lines = [line for line in log.splitlines() if line.startswith('"')]
    launches: dict[str, set[tuple[str, str]]] = {}
    sums: dict[str, list[float]] = {}
    for row in csv.DictReader(lines):
        name, metric = kernel_name(row.get("Kernel Name", "")), row.get("Metric Name", "")
        if metric not in METRICS:
            continue
        launches.setdefault(name, set()).add((row.get("Process ID", ""), row.get("ID", "")))
        found = sums.setdefault(name, [0.0, 0.0])
        value = _number(row.get("Metric Value") or "")
        if not math.isfinite(value):
            raise NotCounted(f"Nsight Compute gave no number for {metric} of '{name}' but {row.get('Metric Value')!r}, as it does where "
                             "other programs use the GPU at the same time")
        found[metric != BYTES] += value if metric == BYTES else METRICS[metric] * value
    if not sums:
        said = [line for line in log.splitlines() if re.match(r"==(ERROR|WARNING)==", line)]
        raise NotCounted("\n".join(said) or "Nsight Compute counted no kernel")
    return {name: Sums(len(launches[name]), *found) for name, found in sums.items()}


def _number(text: str) -> float:
    """NaN where it is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def kernel_name(text: str) -> str:
    """The kernel's own name: without the namespaces that translated programs are in, and without parameters."""
    return text.split("(")[0].split("<")[0].rpartition("::")[2].strip().rpartition(" ")[2]


def add(profile: Profile, found: dict[str, Sums]) -> Profile:
    """The profile with the counters of its CUDA devices' kernels, for a launch on average."""
    return dataclasses.replace(profile, devices=tuple(_with(device, found) for device in profile.devices))


def _with(device: DeviceProfile, found: dict[str, Sums]) -> DeviceProfile:
    if device.facts.get("driver") != "cuda":
        return device
    return dataclasses.replace(device, kernels=tuple(_counted(row, found.get(row.name)) for row in device.kernels))


def _counted(row: KernelRow, sums: Sums | None) -> KernelRow:
    if sums is None:
        return row
    return dataclasses.replace(row, counted=Counted(sums.bytes / sums.launches, sums.operations / sums.launches))
