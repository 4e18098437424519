"""The machine's processors, as far as this process may use them."""

from __future__ import annotations

import os


def count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
