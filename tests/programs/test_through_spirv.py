"""Tests of programs in OpenCL C once more, by way of SPIR-V: clang and llvm-spirv make modules of their programs (support/through_spirv).

What is no program's result is left out by name, each with its reason; what clang does not take skips."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.spirv_modules import can_compile

ROOT = Path(__file__).parents[2]
# By file: the fewest tests that pass, and what is left out.
FILES = {
    "test_address_spaces.py": (20, ""),
    "test_async_copies.py": (20, ""),
    "test_atomics_c11.py": (80, ""),
    "test_images_in_kernels.py": (20, ""),
    "test_images_on_devices.py": (200, ""),
    "test_mipmapped_images.py": (6, ""),
    "test_collectives.py": (35, ""),
    "test_device_queues.py": (15, "images_and_samplers_that_are_captured"),  # an image is no bytes: not offered
    "test_pipe.py": (40, "kernel_arguments"),  # the type of a pipe's packets has no name in SPIR-V
    "test_subgroups.py": (230, "promised_only_where_they_can"),  # clang defines cl_khr_subgroups for every device that takes SPIR-V
    "test_work_items.py": (2, "every_function_of_every_dimension"),  # llvm-spirv takes a fourth component of three
}
# -O2 elsewhere. Optimised, calls of sub-groups' functions that clang's header does not declare convergent are moved to where others meet.
LEVELS = {"test_subgroups.py": "-O0"}

pytestmark = [pytest.mark.full, pytest.mark.skipif(not can_compile(), reason="clang or llvm-spirv is not installed")]


@pytest.mark.parametrize("file", FILES)
def test_results_are_the_same(file):
    fewest, without = FILES[file]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "support.through_spirv", "-p", "no:cacheprovider",
                           str(ROOT / "tests" / "programs" / file), *(("-k", f"not {without}") if without else ())],
                          cwd=ROOT, env={**os.environ, "PYTHONPATH": paths, "SPIRV_LEVEL": LEVELS.get(file, "-O2")},
                          capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stdout[-4000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None and int(passed[1]) >= fewest, done.stdout[-1000:]
