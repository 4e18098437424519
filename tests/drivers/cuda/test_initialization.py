"""CUDA's own start goes on while Python imports what will use CUDA, and is over when CUDA is used."""

import ctypes
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from support.processes import environment

from cl2cuda.runtime import cuda
from cl2cuda.runtime.cuda import devices, initialization
from cl2cuda.runtime.devices import choice


@pytest.fixture
def calls(monkeypatch):
    """What is called of CUDA's library, which starts when it is let."""
    found = SimpleNamespace(flags=[], begun=threading.Event(), go_on=threading.Event())

    def initialize(flags):
        found.begun.set()
        assert found.go_on.wait(60)
        found.flags.append(flags)

    monkeypatch.setattr(initialization, "_thread", None)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(cuInit=initialize))
    yield found
    found.go_on.set()
    initialization.end()


def test_a_thread_makes_the_call_once(calls):
    initialization.begin()
    initialization.begin()
    assert calls.begun.wait(60) and calls.flags == []  # and we are here meanwhile
    calls.go_on.set()
    initialization.end()
    assert calls.flags == [0]


def test_a_machine_without_cuda_is_found_out_later(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(initialization, "_thread", None)
    monkeypatch.setattr(ctypes, "CDLL", missing)
    initialization.begin()
    initialization.end()


def test_a_driver_is_loaded_as_often_as_it_is_asked_for(monkeypatch, calls):
    calls.go_on.set()
    monkeypatch.setattr(devices, "CudaDriver", lambda: list(calls.flags))
    assert [cuda.driver(), cuda.driver()] == [[0], [0]]  # CUDA has started before its devices are counted


@pytest.mark.parametrize(("value", "drivers"), [
    ("", {"cuda", "remote"}), ("cuda", {"cuda"}), (" Host ", {"host"}), ("all", {"cuda", "remote", "host"}), ("remote", {"remote"}),
    ("nonsense", set())])
def test_which_drivers_may_be_asked(value, drivers, monkeypatch):
    monkeypatch.setenv("CL2CUDA_DEVICE", value)
    assert {name for name in choice.DRIVERS if choice.may_be(name)} == drivers


@pytest.mark.parametrize(("device", "begins"), [("host", False), ("", True)])
def test_a_program_in_c_begins_before_the_rest_is_imported(device, begins):
    """And not where nobody will ask for CUDA's devices."""
    found = subprocess.run([sys.executable, "-c", """
import sys
from cl2cuda.opencl_icd import start
from cl2cuda.runtime.cuda import initialization

imported = []
initialization.begin = lambda: imported.append("cl2cuda.runtime.context.context" in sys.modules)
start.start({"handle": lambda *arguments: 1})
print(imported)
"""], capture_output=True, text=True, timeout=600, env=environment(CL2CUDA_DEVICE=device))
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == str([False] if begins else [])
