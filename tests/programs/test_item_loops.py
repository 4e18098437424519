"""Kernels with barriers on the host device: each program of tests/cases/item_loops takes the form that it says, and computes the same as
loops over the work-items and with a stack for each of them; and on every other device.

A case begins with comment lines:

    // form: loops                      or: fibers since <the reason>
    // global: 64                       work-items; two or three numbers for as many dimensions
    // local: 16                        of a work-group
    // options: -cl-std=CL2.0           build options
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from support.devices import first
from support.execute import execute

from cl2cuda import translator
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.host.device import HostDevice
from cl2cuda.runtime.host.properties import host_properties
from cl2cuda.runtime.kernel.kernel import LocalMemory
from cl2cuda.translator.ir import item_loops
from cl2cuda.translator.ir.item_loops import NotSplit, work_group

CASES = sorted((Path(__file__).parents[1] / "cases" / "item_loops").glob("*.cl"))
HEADER = re.compile(r"// (form|global|local|options): (.*)")
INPUT = (np.arange(64, dtype=np.int64) * 2654435761 % 1000 - 300).astype(np.int32)


@dataclasses.dataclass
class Case:
    path: Path

    def __post_init__(self) -> None:
        self.source = self.path.read_text()
        header = dict(match.groups() for match in map(HEADER.match, self.source.splitlines()) if match)
        self.form, _, self.reason = header["form"].partition(" since ")
        self.size, self.local = (tuple(map(int, header[key].split())) for key in ("global", "local"))
        self.options = header.get("options", "")

    def run(self, device: Device, offset: tuple[int, ...] | None = None) -> np.ndarray:
        out = np.full(64 + sum(offset or (0,)), -7, np.int32)
        execute(device, self.source, INPUT, out, np.int32(64), LocalMemory(256), size=self.size, local=self.local, offset=offset,
                options=self.options, kernel=self.path.stem)
        return out


def host_form(item_loops: bool, host: Device) -> Device:
    properties = dataclasses.replace(host_properties(), item_loops=item_loops)
    return Device(host.platform, "host", HostDevice(properties))


@pytest.fixture
def host() -> Device:
    return first("host")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_form(path, monkeypatch):
    """The translation has the form that the case says; that of a kernel which is not split is the one for CUDA."""
    case = Case(path)
    options = translator.parse_options(case.options)
    reasons = {}

    def recorded(kernel):
        try:
            return work_group(kernel)
        except NotSplit as found:
            reasons[kernel.name] = str(found)
            raise

    monkeypatch.setattr(item_loops, "work_group", recorded)
    loops = translator.translate(case.source, options, item_loops=True)
    plain = translator.translate(case.source, options)
    found = {kernel.name: kernel.item_loops for kernel in loops.kernels}
    assert (found[path.stem], reasons.get(path.stem, "")) == (case.form == "loops", case.reason)
    assert not any(kernel.item_loops for kernel in plain.kernels)
    if not any(found.values()):
        assert loops.user_source == plain.user_source


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_both_forms_compute_the_same(path, host):
    case = Case(path)
    expected = case.run(host_form(False, host))
    assert (expected != -7).any()
    np.testing.assert_array_equal(case.run(host_form(True, host)), expected)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cuda_computes_the_same(path, host, cuda_device):
    case = Case(path)
    np.testing.assert_array_equal(case.run(cuda_device), case.run(host))
