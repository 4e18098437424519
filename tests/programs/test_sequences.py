"""A small share of `python tests/tools/sequences` on every real device, and over an imagined CUDA."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cl2cuda.opencl_icd import library
from cl2cuda.opencl_icd.build import LOADER
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.driver.interface import DriverMissing

ROOT = Path(__file__).resolve().parents[2]


def sequences(*options, **variables):
    try:
        library.library(LOADER)
    except DriverMissing as missing:
        pytest.skip(str(missing))
    command = [sys.executable, str(ROOT / "tests" / "tools" / "sequences"), "--each", "10", *options]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and ", 0 failed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("native_calls", ["1", "0"])
@pytest.mark.parametrize("options", [["--count", "20"], ["--count", "10", "--threads", "4"], ["--count", "20", "--face"]], ids=" ".join)
def test_sequences(real_device, options, native_calls):
    sequences(*options, CL2CUDA_DEVICE=real_device.driver_name, CL2CUDA_NATIVE_CALLS=native_calls)


@pytest.mark.parametrize("options", [[], ["--face"], ["--face", "--threads", "3"]], ids=" ".join)
def test_sequences_on_several_devices(options):
    sequences("--count", "20", "--devices", "3", *options, CL2CUDA_DEVICE="host", CL2CUDA_HOST_DEVICES="3")


@pytest.mark.parametrize("face", [[], ["--face"]], ids=["library", "face"])
def test_sequences_over_streams_that_run_late(face):
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    sequences("--count", "20", "--imagined", *face, CL2CUDA_DEVICE="host")
