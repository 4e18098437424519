"""The host as several equal devices (CL2CUDA_HOST_DEVICES)."""

import pytest

from cl2cuda.runtime.build import build
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.host import driver
from cl2cuda.runtime.program.program import Program


def devices(monkeypatch, text):
    monkeypatch.setenv("CL2CUDA_HOST_DEVICES", text)
    return driver().devices()


def test_the_cores_are_shared_out(monkeypatch):
    (whole,) = devices(monkeypatch, "")
    for count in (2, 3, 4):
        found = devices(monkeypatch, str(count))
        units = max(1, whole.properties.compute_units // count)
        assert [each.properties.compute_units for each in found] == [units] * count
        assert len({each.properties.extra["uuid"] for each in found}) == count
        assert {each.properties.name for each in found} == {whole.properties.name}


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_what_is_no_number_of_devices(monkeypatch, text):
    with pytest.raises(DriverMissing, match=f"CL2CUDA_HOST_DEVICES={text} is not a number of devices"):
        devices(monkeypatch, text)


def test_equal_devices_share_a_build(monkeypatch):
    """Of one program, translated and compiled once."""
    made = []
    plain = build.make_executable
    monkeypatch.setattr(build, "make_executable", lambda *arguments: made.append(arguments[1]) or plain(*arguments))
    found = [Device(platforms.platforms()[0], "host", each) for each in devices(monkeypatch, "3")]
    program = Program(Context(found), "kernel void f(global int *x) { x[get_global_id(0)] = 42; }")
    program.build("-D SALT=test_equal_devices_share_a_build")
    assert made == ["host"]
    assert len({program.binary(device).code for device in found}) == 1
