"""`python tests/tools/ported`: its kernels give what NumPy gives, their launchers compile, and its table says what was found.

What it does on a GPU is done here with ways that launch through OpenCL on the host device. The packages' kernels are those that are
installed; PyOpenCL's always are.
"""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
import tools.ported.__main__ as command
import tools.ported.measure as measure
import tools.ported.prepare as prepare
from support import numbas_linker
from tools.corpus.build import Missing
from tools.ported.cases import CASES, philox
from tools.ported.ways import Absent, HostDevice, opencl

from cl2cuda import pyopencl as cl

BY_NAME = {case.name: case for case in CASES}
SUM = BY_NAME["pyopencl_reduce_kernel_stage1"]


def source(case):
    try:
        return case.text()
    except Missing as package:
        pytest.skip(f"{package} is not installed")


@pytest.fixture
def on_the_host(monkeypatch):
    """The tool's processes have one kind of device; here there may be both."""
    host = [each for each in cl.get_platforms()[0].get_devices() if each.type == cl.device_type.CPU]
    if not host:
        pytest.skip("the host device is not offered here")
    monkeypatch.setattr(cl, "create_some_context", lambda interactive=True: cl.Context(host[:1]))


def test_three_kernels_of_each_package():
    assert sorted(case.package for case in CASES) == ["pyFAI"] * 3 + ["pyopencl"] * 3 + ["silx"] * 3 and len(BY_NAME) == 9


def test_philox_is_random123s():
    """Known answers of the generator's authors (Random123, kat_vectors: philox4x32 10)."""
    zero = np.zeros(1, int)
    assert [f"{each:08x}" for each in philox((zero, 0), (zero, 0, 0, 0))[0]] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


@pytest.mark.parametrize("name", BY_NAME)
def test_opencl_gives_what_numpy_gives(name, on_the_host, tmp_path):
    case = BY_NAME[name]
    (tmp_path / f"{name}.cl").write_text(source(case))
    measure.measure(case, tmp_path, [], tmp_path / "found.json", gpu=False, rounds=1)
    assert json.loads((tmp_path / "found.json").read_text())["numpy"] == ""


@pytest.mark.parametrize("name", ["silx_kern_gradient2d", "pyfai_corrections4a", "pyopencl_reduce_kernel_stage1"])
def test_launchers_compile(name, compiler, on_the_host, tmp_path, monkeypatch):
    """By NVRTC alone, which is quick."""
    source(BY_NAME[name])
    monkeypatch.setattr(prepare, "nvcc", lambda: None)
    monkeypatch.setattr(numbas_linker, "missing", lambda: "not asked for")
    states = prepare.prepare(BY_NAME[name], tmp_path, "sm_90")
    assert list(states) == ["cuda", "cupy", "numba"] and all("compile" in each and "FAILED" not in each for each in states.values()), states


def test_a_kernel_without_a_launcher_is_a_fault(on_the_host, tmp_path):
    case = SimpleNamespace(name="f", kernel="f", options=(), text=lambda: "kernel void f(read_only pipe int p) {} kernel void g(void) {}")
    case.options = ("-cl-std=CL2.0",)
    assert prepare.prepare(case, tmp_path, "sm_90")["cuda"].startswith("FAILED: no launcher: a pipe")


class TimedHost(HostDevice):
    """A device whose times are as they are asked for."""

    stream = SimpleNamespace(synchronize=lambda: None)
    times: dict = {}

    def time(self, launch, times):
        launch()
        return self.times.get(launch, 1.0)


@pytest.fixture
def measured(on_the_host, tmp_path, monkeypatch):
    """What `measure` writes of the sum, with these functions as ways."""
    monkeypatch.setattr(measure, "Gpu", TimedHost)
    monkeypatch.setattr(measure, "ROUND_MS", 2)
    small = SUM.launch(False)
    text = source(SUM)
    (tmp_path / f"{SUM.name}.cl").write_text(text)
    case = SimpleNamespace(name=SUM.name, kernel=SUM.kernel, options=(), tolerance=SUM.tolerance, launch=lambda big: small, fused=0.0)

    def run(fused=0.0, **ways):
        case.fused = fused
        monkeypatch.setattr(measure, "WAYS", ways)
        measure.measure(case, tmp_path, list(ways), tmp_path / "found.json", gpu=True, rounds=4)
        return json.loads((tmp_path / "found.json").read_text())

    return run


def by_opencl(slow=1.0, spoil=False):
    def way(case, folder, arguments):
        launch = opencl(case, (folder / f"{case.name}.cl").read_text(), arguments)

        def spoiled():
            launch()
            arguments.device.queue.finish()
            arguments.outputs[0][0][1] += 1

        TimedHost.times[chosen := spoiled if spoil else launch] = slow
        return chosen

    return way


def absent(case, folder, arguments):
    raise Absent("nothing is installed")


def broken(case, folder, arguments):
    raise RuntimeError("cudaErrorUnknown")


class TestMeasuring:
    def test_equal_and_as_quick(self, measured):
        found = measured(cuda=by_opencl(), numba=by_opencl(slow=2.0))
        assert found["numpy"] == "" and found["ways"]["cuda"]["equal"] == "" and found["ways"]["cuda"]["speed"] == 1.0
        assert found["ways"]["numba"] == {"equal": "", "time": 2.0, "opencl": 1.0, "speed": 0.5, "spread": [0.5, 0.5], "launches": 2}
        assert found["opencl again"]["speed"] == 1.0

    def test_other_results(self, measured):
        assert measured(cuda=by_opencl(spoil=True))["ways"]["cuda"]["equal"] == "output 0: 1 of 5 differ, by at most 1"

    @pytest.mark.parametrize("fused, unfused_too, equal", [(1.0, False, True), (1.0, True, False), (0.5, False, False)])
    def test_numba_fuses_other_products(self, measured, monkeypatch, fused, unfused_too, equal):
        """The results may be that far from OpenCL's, and are equal where neither fuses any."""
        monkeypatch.setattr(measure, "numba_unfused", by_opencl(spoil=unfused_too))
        found = measured(fused=fused, numba=by_opencl(spoil=True))["ways"]["numba"]
        said = "output 0: 1 of 5 differ, by at most 1"
        more = f"; with no product fused {said}" if unfused_too else ""
        assert (found["equal"], found.get("fused")) == (("", said) if equal else (said + more, None))

    def test_other_ways_are_equal_as_they_are(self, measured):
        found = measured(fused=1.0, cupy=by_opencl(spoil=True))["ways"]["cupy"]
        assert found["equal"].startswith("output 0") and "fused" not in found

    def test_one_way_fails_another_is_missing(self, measured):
        found = measured(cuda=broken, cupy=absent, numba=by_opencl())["ways"]
        assert found["cuda"] == {"failed": "RuntimeError: cudaErrorUnknown"} and found["cupy"] == {"absent": "nothing is installed"}
        assert found["numba"]["speed"] == 1.0


STATE = {"cuda": "compiled by nvcc"}
GOOD = {"equal": "", "time": 1.0, "opencl": 1.0, "speed": 1.0, "spread": [0.99, 1.01], "launches": 9}


@pytest.mark.parametrize("run, said, status", [
    (GOOD, "equal     1.0000 ms, OpenCL    1.0000 ms, speed 1.000 (0.990 to 1.010)", 0),
    (GOOD | {"speed": 0.9}, "OUTSIDE", 1),
    (GOOD | {"equal": "output 0: 1 of 5 differ"}, "NOT EQUAL: output 0", 1),
    (GOOD | {"fused": "output 0: 1 of 5 differ"}, "equal but for fused products; with them output 0: 1 of 5 differ", 0),
    ({"absent": "numba is not installed"}, "not run: numba is not installed", 0),
    ({"failed": "it ends with -11"}, "FAILED: it ends with -11", 1),
    ({}, "FAILED: it was not run", 1),
])  # fmt: skip
def test_the_table_and_the_exit_status(run, said, status, capsys):
    found = {"a_kernel": {"states": STATE, "numpy": "", "ways": {"cuda": run}}}
    assert said in "\n".join(command.lines("a_kernel", found["a_kernel"], True))
    assert command.summary(found, True) == status
    assert "1 of 1 kernels; 1 as NumPy" in capsys.readouterr().out


def test_the_end_of_a_log_holds_the_whole_table(capsys):
    """At most 40 lines of 110 columns, of 9 kernels in 3 ways."""
    bad = {"cuda": GOOD, "cupy": GOOD | {"equal": "output 0: " + 50 * "many "}, "numba": {"failed": "one\ntwo " + 200 * "x"}}
    fused = {"cuda": GOOD | {"speed": 0.9}, "cupy": {"absent": "cupy is not installed"}, "numba": GOOD | {"fused": "output 0"}}
    found = {f"{number}_kernel": {"states": dict.fromkeys(bad, "compiled"), "numpy": "", "ways": fused if number else bad} for number in range(9)}
    command.summary(found, True)
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) <= 40 and max(map(len, rows[:-1])) <= 110
    assert [row.split() for row in rows if row.startswith("1_kernel")] == [
        ["1_kernel", "cuda", "yes", "0.900", "OUTSIDE"], ["1_kernel", "cupy", "not", "run:", "cupy", "is", "not", "installed"],
        ["1_kernel", "numba", "unfused", "1.000"]]
    assert any(row.startswith("0_kernel") and " NO  " in row for row in rows) and any("FAILED: one two" in row for row in rows)


def test_the_table_without_packages_and_with_wrong_results(capsys):
    assert command.summary({"a": {"missing": "silx is not installed"}}, False) == 2
    assert command.summary({"a": {"states": STATE, "numpy": "output 0: 3 of 9 are wrong"}}, False) == 1
    assert "1 faults" in capsys.readouterr().out
    assert command.lines("a", {"states": STATE, "error": "it ends with -11"}, False)[1] == "    OpenCL   FAILED: it ends with -11"


def test_a_process_that_dies_takes_one_way_along(tmp_path, monkeypatch):
    """The first process ends while it runs `cuda`; the others are measured in processes of their own."""
    steps = command.Steps(SimpleNamespace(rounds=1, packages=None), tmp_path, "sm_90", True)
    asked = []

    def run(name, case, *ways):
        asked.append(ways)
        alive = {way: GOOD for way in ways if ways == (way,) and way != "cuda"}
        return {"numpy": "", "ways": alive, "error": "it ends with -11"} if len(alive) < len(ways) else {"numpy": "", "ways": alive}

    monkeypatch.setattr(steps, "run", run)
    found = steps.measured("a", ["cuda", "numba"])["ways"]
    assert asked == [("cuda", "numba"), ("cuda",), ("numba",)]
    assert found == {"cuda": {"failed": "it ends with -11"}, "numba": GOOD}
