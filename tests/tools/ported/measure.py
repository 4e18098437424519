"""Runs one prepared case, in a process of its own: OpenCL's results beside NumPy's, each way's beside OpenCL's, and the times.

Writes what it has found after each step, so that a way which ends the process takes nothing along. On a machine without a GPU it
compares the host device's results with NumPy's, and that is all.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tools.ported.cases import Case
from tools.ported.ways import ROUNDED, UNFUSED, WAYS, Absent, Arguments, Gpu, HostDevice, Launcher, numba_unfused, opencl

ROUND_MS = 25.0  # the time of one round of launches
AGAIN = "opencl again"  # OpenCL beside itself: what a ratio means here

Results = list[np.ndarray]


def measure(case: Case, folder: Path, ways: list[str], file: Path, *, gpu: bool, rounds: int) -> None:
    """Writes {"numpy": text, "ways": {way: {"absent" or "failed": text} or {"equal": text, "time", "opencl": ms, "speed": ratios}}} as JSON.
    A text is "" where all is well; "fused" is what differs by `Case.fused` alone."""
    found: dict[str, Any] = {"numpy": "", "ways": {way: {} for way in ways}}

    def note() -> None:
        file.write_text(json.dumps(found))

    source = (folder / f"{case.name}.cl").read_text(encoding="utf-8")
    device = Gpu() if gpu else HostDevice()
    small = Arguments(device, case.launch(False))
    baselines = Baselines(case, source, small)
    for options in [(), (ROUNDED,)] if gpu else [()]:
        found["numpy"] = found["numpy"] or _beside_numpy(case, small, baselines.results(*options))
    note()
    if not gpu:
        return
    _run_ways(found["ways"], case, folder, baselines, note)
    big = Arguments(device, case.launch(True))
    baselines = Baselines(case, source, big)
    launchers = _run_ways(found["ways"], case, folder, baselines, note)
    for way, (launch, options) in launchers.items():
        found["ways"][way] |= _speed(device, launch, baselines.launcher(*options), rounds)
        note()
    found[AGAIN] = _speed(device, baselines.launcher(), baselines.launcher(), rounds)
    note()


class Baselines:
    """What OpenCL makes of a case's arguments, by the options it is built with."""

    def __init__(self, case: Case, source: str, arguments: Arguments) -> None:
        self.case, self.source, self.arguments = case, source, arguments
        self._launchers: dict[tuple[str, ...], Launcher] = {}
        self._results: dict[tuple[str, ...], Results] = {}

    def launcher(self, *options: str) -> Launcher:
        if options not in self._launchers:
            self._launchers[options] = opencl(self.case, self.source, self.arguments, options)
        return self._launchers[options]

    def results(self, *options: str) -> Results:
        if options not in self._results:
            self._results[options] = run(self.launcher(*options), self.arguments)
        return self._results[options]


def run(launch: Launcher, arguments: Arguments) -> Results:
    arguments.reset()
    launch()
    return arguments.results()


def _run_ways(found: dict[str, Any], case: Case, folder: Path, baselines: Baselines,
              note: Callable[[], None]) -> dict[str, tuple[Launcher, tuple[str, ...]]]:
    """Compares each way's results with OpenCL's of the same options. Returns the launchers of what runs, with these options."""
    launchers = {}
    for way in [way for way, state in found.items() if not {"absent", "failed"} & set(state)]:
        options = (ROUNDED,) if way == "numba" else ()
        try:
            launch = WAYS[way](case, folder, baselines.arguments)
            ours, theirs = run(launch, baselines.arguments), baselines.results(*options)
            said = differences(ours, theirs)
            if said and way == "numba" and _are_near(case, ours, theirs):
                unfused = _unfused_differences(case, folder, baselines)
                if not unfused:
                    found[way]["fused"], said = said, ""
                else:
                    said += f"; with no product fused {unfused}"
            found[way]["equal"] = found[way].get("equal") or said
            launchers[way] = launch, options
        except Absent as why:
            found[way]["absent"] = str(why)
        except Exception as error:
            found[way]["failed"] = f"{type(error).__name__}: {error}"[:2000]
            note()
            _go_on(baselines.arguments.device)
        note()
    return launchers


def _are_near(case: Case, ours: Results, theirs: Results) -> bool:
    return all(np.allclose(a, b, rtol=0, atol=case.fused, equal_nan=True) for a, b in zip(ours, theirs, strict=True))


def _unfused_differences(case: Case, folder: Path, baselines: Baselines) -> str:
    """Of Numba's results to OpenCL's where neither fuses a product."""
    unfused = Baselines(case, UNFUSED + baselines.source, baselines.arguments).results(ROUNDED)
    return differences(run(numba_unfused(case, folder, baselines.arguments), baselines.arguments), unfused)


def _go_on(device: Any) -> None:
    """After a fault that CUDA reports from now on for everything, the process is of no use: others run the other ways."""
    try:
        device.stream.synchronize()
    except Exception:
        os._exit(3)


def differences(ours: Results, theirs: Results) -> str:
    """Bit by bit, in words; "" for none."""
    said = []
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        unequal = a.view(f"u{a.itemsize}") != b.view(f"u{b.itemsize}")
        if unequal.any():
            apart = np.abs(a[unequal].astype(float) - b[unequal]).max()
            said.append(f"output {number}: {np.count_nonzero(unequal)} of {a.size} differ, by at most {apart:.3g}")
    return "; ".join(said)


def _beside_numpy(case: Case, arguments: Arguments, results: Results) -> str:
    relative, absolute = case.tolerance
    said = []
    for number, (found, expected) in enumerate(zip(results, arguments.launch.expected(), strict=True)):
        right = np.isclose(found, expected, rtol=relative, atol=absolute, equal_nan=True)
        if not right.all():
            place = tuple(int(each) for each in np.argwhere(~right)[0])
            said.append(f"output {number}: {np.count_nonzero(~right)} of {right.size} are wrong, {found[place]} for {expected[place]} at {place}")
    return "; ".join(said)


def _speed(device: Gpu, launch: Launcher, reference: Launcher, rounds: int) -> dict[str, Any]:
    """Medians in ms, and OpenCL's time through the way's, round by round: above 1 the way is faster. Which is first changes."""
    for each in (launch, reference):
        device.time(each, 2)
    times = max(2, round(ROUND_MS / max(device.time(reference, 3), 1e-3)))
    ours, theirs = [], []
    for number in range(rounds):
        pair = [(ours, launch), (theirs, reference)]
        for samples, each in pair if number % 2 else reversed(pair):
            samples.append(device.time(each, times))
    ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
    return {"time": statistics.median(ours), "opencl": statistics.median(theirs), "speed": statistics.median(ratios),
            "spread": [ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]], "launches": times}
