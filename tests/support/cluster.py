"""Clusters of Dask on this machine, and programs that run on them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NEEDS = "a cluster takes Dask: pip install 'cl2cuda[cluster]'"
distributed = pytest.importorskip("distributed", reason=NEEDS)

ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def local_cluster(workers: int, **more: Any) -> Iterator[Any]:
    """Workers are processes of their own, which see this tree and, wherever they run, the host device."""
    before = os.environ.copy()
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ["CL2CUDA_DEVICE"] = "host"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=40, **more) as made:
                yield made
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_program(command: list[str], address: str, timeout: float = 300, **more: str) -> subprocess.CompletedProcess[str]:
    """A program whose only devices are the cluster's."""
    environment = {**os.environ, "CL2CUDA_CLUSTER": address, "CL2CUDA_DEVICE": "remote", "PYTHONWARNINGS": "ignore", **more,
                   "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)


def python(text: str, address: str, **more: str) -> str:
    """What a program prints."""
    done = run_program([sys.executable, "-c", text], address, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout
