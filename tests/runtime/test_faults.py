"""Kernels that fail, memory that runs out: the right error, and what goes on afterwards (docs/faults.md).

A fault on CUDA ends the device for the process, so the programs that have one run in processes of their own (faulty_program.py).
tests/runtime/test_lost_device.py has what every part of the runtime does then, tests/runtime/test_debug.py what debug mode says.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.faulting

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "faulty_program.py"
WAIT_FAILED = "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
FAULTS = ["far", "reads_far", "null", "at_a_barrier", "misaligned_vector", "traps", "misaligned", "far_in_local_memory"]
ON_CUDA = FAULTS[5:]


def environment(driver, **more):
    return {**os.environ, "CL2CUDA_DEVICE": driver, "PYTHONFAULTHANDLER": "", **more}


def without_drivers_words(text):
    """NVIDIA's driver says so when it begins a core dump, as debug mode asks for."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("Starting GPU coredump generation"))


def run(driver, *arguments, debug=""):
    """What came of each step, by its name. The process must end by itself, well and without a word."""
    result = subprocess.run([sys.executable, str(PROGRAM), *arguments], env=environment(driver, CL2CUDA_DEBUG=debug), capture_output=True,
                            text=True, timeout=120)
    assert (result.returncode, without_drivers_words(result.stderr)) == (0, ""), result.stdout + result.stderr
    found = {}
    for line in result.stdout.splitlines():
        step, outcome = json.loads(line)
        found.setdefault(step, outcome)
    return found


outcomes = cache(run)


@pytest.fixture(params=FAULTS)
def fault(request, real_device):
    if request.param in ON_CUDA and not real_device.is_cuda:
        pytest.skip("needs a CUDA device")
    if request.param == "misaligned_vector" and not real_device.is_cuda and platform.machine() != "x86_64":
        pytest.skip("this processor takes vectors from anywhere")
    return request.param


@pytest.fixture
def found(fault, real_device):
    return outcomes(real_device.driver_name, fault)


def test_the_error_names_the_kernel(found, fault, real_device):
    status, text = found["fault"]
    assert f"'{fault}'" in text
    if real_device.is_cuda:  # The event fails; on the host device a kernel of an in-order queue has ended when enqueuing returns.
        assert status == WAIT_FAILED and found["status"] == -5
        assert "start the process anew" in text and "CL2CUDA_DEBUG=1" in text
    else:
        assert status == "OUT_OF_RESOURCES"
        assert text.startswith("clEnqueueNDRangeKernel failed") and "CL2CUDA_DEBUG=1" in text
        assert ("alignment" if fault == "misaligned_vector" else "an index out of range") in text


def test_callbacks_come_with_the_error(found, real_device):
    if real_device.is_cuda:
        assert found["callbacks came"] is True
        assert found["callbacks"][0] == -5


LATER = ["launch", "finish", "second queue", "map", "same context", "other context", "new buffer", "new image", "new shared memory", "new context"]


def test_what_works_afterwards(found, real_device):
    """Everything on the host device; nothing on CUDA, where each call says why."""
    for step in LATER:
        if not real_device.is_cuda:
            assert found[step] == "ok", step
        elif found[step] != "ok":
            status, text = found[step]
            assert status in (WAIT_FAILED, "OUT_OF_RESOURCES", "MAP_FAILURE"), step
            assert "start the process anew" in text, step
    if real_device.is_cuda:
        assert not [step for step in ("finish", "second queue", "same context", "other context", "new context") if found[step] == "ok"]
    assert found["release"] == "ok"


@pytest.mark.parametrize("kind", ["out-of-order", "profiling"])
def test_other_kinds_of_queues(kind, real_device):
    found = outcomes(real_device.driver_name, "far", kind)
    status, text = found["fault"]
    assert "'far'" in text
    if real_device.is_cuda or kind == "out-of-order":
        assert (status, found["status"], found["callbacks came"]) == (WAIT_FAILED, -5, True)
    else:
        assert status == "OUT_OF_RESOURCES"


def test_other_processes_go_on(real_device):
    """One that is at work on the device while another's kernel fails, and one that starts afterwards."""
    command = [sys.executable, str(PROGRAM), "work"]
    with subprocess.Popen(command, env=environment(real_device.driver_name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert json.loads(worker.stdout.readline()) == ["at work", "ok"]
        run(real_device.driver_name, "far")
        said, _ = worker.communicate(timeout=60)
        assert json.loads(said) == ["still at work", "ok"]
        assert worker.returncode == 0
    after = subprocess.run(command, env=environment(real_device.driver_name), input="", capture_output=True, text=True, timeout=60)
    assert after.returncode == 0, after.stderr


def test_debug_mode_names_the_work_item(fault, real_device):
    status, text = outcomes(real_device.driver_name, fault, debug="1")["fault"]
    assert status == "OUT_OF_RESOURCES"
    assert f"in kernel '{fault}', global size (4096,), local size (64,), with" in text
    if fault == "traps" or not real_device.is_cuda:
        assert "in the work-item with global id 1234" in text
    else:  # The warp is what CUDA mostly knows, and not even that of a store that fails.
        assert re.search("work-item with global id 1234|work-group 19: |one of the work-items with global ids 1216, .* and 24 more", text)
