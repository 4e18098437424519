"""The machine's processors, as far as this process may use them."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

# Where the kernel says how much of the processors' time a container has: of each period so much, both in microseconds.
CGROUPS = Path("/sys/fs/cgroup")


def count() -> int:
    """How many may work at a time: those that there are, or as many as a container's share of their time is."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(there, _share()))


@cache
def _share() -> int:
    """The processors that a container's limit amounts to, rounded up; more than there are where it has none."""
    with suppress(OSError, ValueError, ZeroDivisionError):
        quota, period = _limit()
        if quota > 0:
            return math.ceil(quota / period)
    return 1 << 16


def _limit() -> tuple[int, int]:
    """The time and the period; -1 is all of it. ("max" of the second version of control groups is no number.)"""
    second = CGROUPS / "cpu.max"
    if second.exists():
        quota, period = second.read_text().split()
    else:
        quota, period = ((CGROUPS / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
    return int(quota), int(period)
