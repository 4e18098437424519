"""A small share of `python tests/stress` on every real device."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_stress(real_device):
    command = [sys.executable, str(ROOT / "tests" / "stress"), "--commands", "4000", "--threads", "4", "--enqueues", "20000",
               "--cycles", "2000", "--limit", "200"]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": real_device.driver_name}, capture_output=True, text=True,
                            timeout=300)
    assert result.returncode == 0, result.stderr + result.stdout
    assert result.stdout.startswith(f"{real_device.properties.name}\n4000 commands of 4 threads")
