"""PyOpenCL's own tests and examples on every real device: a share of them in each run, all of them by `-m full`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_FETCHED = 3

OLDEST, BETWEEN = "2023.1", ["2023.1.4", "2024.1", "2024.2.7", "2024.3", "2025.1", "2025.2.7", "2026.1"]
# What fails on every driver, and why.
NOT_OURS = {"test_xdg_cache_home": "it sets XDG_CACHE_HOME to a relative path, which platformdirs does not heed any more"}
# A few tests take most of the time, most of it in NumPy.
SHARE = ["test_wrapper.py", "test_enqueue_copy.py", "test_arrays_in_structs.py", "test_clrandom.py", "test_array.py",
         "-k", "not zeros_large and not mix_complex and not bitwise and not divide"]
EXAMPLES = "demo*.py"


def run(device, *arguments, timeout=600):
    """What `python tests/tools/pyopencl_suite` prints."""
    environment = {**os.environ, "CL2CUDA_DEVICE": device.driver_name, "PYTHONWARNINGS": "ignore"}
    result = subprocess.run([sys.executable, str(ROOT / "tests" / "tools" / "pyopencl_suite"), *arguments], capture_output=True, text=True,
                            env=environment, timeout=timeout)
    if result.returncode == NOT_FETCHED:
        pytest.skip(f"not to be had here: {result.stderr.strip()}")
    return result.stdout + result.stderr


def passed(output):
    """How many tests passed; none failed but those that fail everywhere."""
    failed = set(re.findall(r"^(?:FAILED|ERROR) \S*::(\w+)", output, re.MULTILINE))
    assert failed <= set(NOT_OURS), output
    counts = re.search(r"(\d+) passed", output)
    assert counts, output
    return int(counts.group(1))


def failed_examples(output):
    return [line for line in output.splitlines() if "FAILED" in line]


def test_a_share_of_the_suite(real_device):
    assert passed(run(real_device, "-rf", *SHARE)) >= 210


def test_the_oldest_release(real_device):
    assert passed(run(real_device, "--release", OLDEST, "-rf", "test_wrapper.py")) >= 43


def test_a_share_of_the_examples(real_device):
    output = run(real_device, "--examples", EXAMPLES)
    assert not failed_examples(output) and output.count(" ok\n") >= 7, output


@pytest.mark.full
def test_the_whole_suite(real_device):
    assert passed(run(real_device, "-rf")) >= 302


@pytest.mark.full
@pytest.mark.parametrize("release", [OLDEST, *BETWEEN])
def test_releases(real_device, release):
    assert passed(run(real_device, "--release", release, "-rf", "test_wrapper.py", "test_array.py")) >= 200


@pytest.mark.full
def test_all_examples(real_device):
    output = run(real_device, "--examples")
    # It writes its picture with an argument that Pillow does not take any more.
    assert [line for line in failed_examples(output) if "median-filter.py" not in line] == [], output
    assert output.count(" ok\n") >= 17, output
