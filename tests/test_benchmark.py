"""The benchmark runs to its end on this machine, and every result that it times is right."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_benchmark_of_the_host_device(tmp_path):
    command = [sys.executable, str(ROOT / "tests" / "benchmark"), "--quick", "--rounds", "1", "--size", "small",
               "--stock-platform", "a platform that is not there", "--json", str(tmp_path / "numbers.json")]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, capture_output=True, text=True, timeout=300)

    assert result.returncode == 0, result.stderr
    assert "a platform that is not there is left out" in result.stderr
    measurements = json.loads((tmp_path / "numbers.json").read_text())["measurements"]
    kernels = [name for name in measurements if name.startswith("device time")]
    assert len(kernels) >= 8
    for name, row in measurements.items():
        assert row["cl2cuda"]["minimum"] > 0, name
        assert name in result.stdout
