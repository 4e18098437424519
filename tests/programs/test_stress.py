"""A small share of `python tests/tools/stress` on every real device."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.devices.platform import load_driver
from cl2cuda.runtime.driver.interface import DriverMissing

ROOT = Path(__file__).resolve().parents[2]


def stress(device, *options, **variables):
    command = [sys.executable, str(ROOT / "tests" / "tools" / "stress"), "--threads", "4", "--shared", *options]
    return subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": device.driver_name, **variables}, capture_output=True, text=True,
                          timeout=300)


def test_stress(real_device):
    result = stress(real_device, "--commands", "2000", "--enqueues", "20000", "--cycles", "2000")
    assert result.returncode == 0, result.stderr + result.stdout
    assert result.stdout.startswith(f"{real_device.properties.name}\n2,000 commands of 4 threads")


def test_a_run_without_time_says_what_it_did_not_do(real_device):
    result = stress(real_device, "--commands", "4000", "--enqueues", "2000", "--cycles", "2000", "--limit", "0")
    assert result.returncode == 2, result.stderr + result.stdout
    assert [line.split(" ")[1:3] for line in result.stdout.splitlines() if not line.startswith(" ")][1:] == [["of", wanted] for wanted in (
        "4,000", "2,000", "2,000")]


def test_workers_that_are_killed():
    """A share of the 50 rounds of `python tests/tools/stress_cluster.py`."""
    pytest.importorskip("msgpack", reason="the remote driver takes msgpack: pip install 'cl2cuda[cluster]'")
    result = subprocess.run([sys.executable, str(ROOT / "tests" / "tools" / "stress_cluster.py"), "--kills", "2", "--limit", "250"],
                            capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr + result.stdout
    assert result.stdout.startswith("2 of 6 workers were killed")


@pytest.mark.parametrize("frames", [200, pytest.param(10_000, marks=pytest.mark.full)])
def test_frames_that_opengl_shares(real_device, frames):
    """`python tests/tools/stress_opengl.py`: where there are few frames, memory has no time to grow, but contents are compared."""
    result = subprocess.run([sys.executable, str(ROOT / "tests" / "tools" / "stress_opengl.py"), "--frames", str(frames), "--shared"],
                            env={**os.environ, "CL2CUDA_DEVICE": real_device.driver_name}, capture_output=True, text=True, timeout=900)
    if result.returncode == 3:
        pytest.skip(result.stdout.strip())
    assert result.returncode == 0, result.stderr + result.stdout
    assert f"\n{frames:,} frames: " in result.stdout


@pytest.mark.parametrize("count", [2, 4])
def test_stress_on_several_devices(real_device, count):
    """The random commands over all devices of one context."""
    if real_device.is_cuda and len(load_driver("cuda").devices()) < count:
        pytest.skip(f"needs {count} GPUs")
    result = stress(real_device, "--devices", str(count), "--commands", "6000", "--enqueues", "0", "--cycles", "0",
                    CL2CUDA_HOST_DEVICES=str(count))
    assert result.returncode == 0, result.stderr + result.stdout
    assert result.stdout.startswith(f"{real_device.properties.name}, {count} devices\n6,000 commands of 4 threads")


def test_stress_on_imagined_gpus(real_device):
    """CUDA's streams run late and in any order that they may; what is used must be on its device, and not be freed."""
    if real_device.is_cuda:
        pytest.skip("the imagined devices need none")
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    result = stress(real_device, "--imagined", "3", "--commands", "3000", "--enqueues", "0", "--cycles", "0")
    assert result.returncode == 0, result.stderr + result.stdout
    assert "3,000 commands of 4 threads" in result.stdout
