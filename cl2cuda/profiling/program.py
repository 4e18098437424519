"""Running the program that is profiled: as `cl2cuda run` runs it, in a process of its own, which leaves traces in a folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..runtime.process import trace

_FILES = "trace{}.json"


@dataclass(frozen=True)
class Ran:
    """status   as a shell counts it: 128 and the signal's number for a program that a signal ended
    seconds     from its start to its end
    """

    status: int
    seconds: float
    traces: tuple[Path, ...] = ()


def command(words: Sequence[str]) -> list[str]:
    """The command line that runs a program, `words`, on cl2cuda."""
    return [sys.executable, "-m", "cl2cuda", "run", *words]


def recorded(command: Sequence[str], folder: Path) -> Ran:
    """With a trace of every process, in the folder, which is empty."""
    status, seconds = _run(command, {trace.VARIABLE: str(folder / _FILES.format(trace.PROCESS))})
    return Ran(status, seconds, tuple(sorted(folder.glob(_FILES.format("*")))))


def plain(command: Sequence[str]) -> Ran:
    """Without a trace. What the program prints is left out: it was printed once."""
    return Ran(*_run(command, {trace.VARIABLE: ""}, quiet=True))


def _run(command: Sequence[str], variables: dict[str, str], quiet: bool = False) -> tuple[int, float]:
    sys.stdout.flush()
    begun = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL if quiet else None)
    while True:
        try:
            status = process.wait()
            break
        except KeyboardInterrupt:  # The terminal has told the program, too: what it does is its own affair.
            continue
    seconds = time.perf_counter() - begun
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    return status if status >= 0 else 128 - status, seconds
