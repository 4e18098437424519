"""Processes that import the cl2cuda of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(**variables: str) -> dict[str, str]:
    """For a process that is to import the cl2cuda of this checkout, wherever it starts."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), **variables}


def cuda_devices() -> bool:
    """Whether this machine has a CUDA device that cl2cuda can use; asked in a process of its own."""
    probe = ("import cl2cuda; cl2cuda.install(); import pyopencl as cl; "
             "print([d.type for p in cl.get_platforms() for d in p.get_devices()])")
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, env=environment(CL2CUDA_DEVICE="cuda"))
    return result.returncode == 0 and result.stdout.strip() not in ("", "[]")
