"""Fixtures: `device` runs a test on every real device that is found, `fake` gives the object model a driver in memory."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_cuda import FakeCuda
from fake_driver import FakeDevice

from cl2cuda import translator
from cl2cuda.runtime import platform as platforms
from cl2cuda.runtime.context import Context
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.nvrtc import Nvrtc, nvrtc
from cl2cuda.runtime.device import Device
from cl2cuda.runtime.driver import DriverMissing
from cl2cuda.runtime.queue import CommandQueue
from cl2cuda.translator import options as build_options
from cl2cuda.translator.diagnostics import CompileError, Diagnostic
from cl2cuda.translator.kernel_info import ArgInfo, KernelInfo


def _devices(name: str) -> list[Device]:
    if name == "fake":
        return [Device(platforms.platforms()[0], name, FakeDevice())]
    if name == "imagined cuda":
        return [Device(platforms.platforms()[0], "cuda", CudaDevice(FakeCuda(), 0))]
    try:
        driver = platforms.load_driver(name)
    except (AttributeError, DriverMissing):
        return []
    return [Device(platforms.platforms()[0], name, found) for found in driver.devices()]


_FOUND: dict[str, list[Device]] = {}


def _first(name: str) -> Device:
    if name not in _FOUND:
        _FOUND[name] = _devices(name)
    if not _FOUND[name]:
        pytest.skip(f"no {name} device")
    return _FOUND[name][0]


@pytest.fixture(params=["fake", "imagined cuda", "host", "cuda"])
def device(request: pytest.FixtureRequest) -> Device:
    """The first device of each driver; the test is skipped where the driver has none. For what needs no kernel."""
    return _first(request.param)


@pytest.fixture(params=["fake", "host", "cuda"])
def image_device(request: pytest.FixtureRequest) -> Device:
    """As `device`, of the drivers that have images. For what needs no kernel."""
    return _first(request.param)


@pytest.fixture(params=["host", "cuda"])
def real_device(request: pytest.FixtureRequest) -> Device:
    """The first device of each driver that compiles and runs programs."""
    return _first(request.param)


@pytest.fixture
def compiler() -> Nvrtc:
    """CUDA's compiler; no GPU is needed."""
    try:
        return nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def cuda_device() -> Device:
    return _first("cuda")


@pytest.fixture(params=["imagined cuda", "cuda"])
def foreign_device(request: pytest.FixtureRequest) -> Device:
    """The first device that loads CUDA code; the imagined one runs none."""
    return _first(request.param)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither cl2cuda's nor PyOpenCL's: binaries in the user's may come from another state of the sources."""
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def arg(name: str, kind: str, size: int = 8, align: int | None = None, **more: Any) -> ArgInfo:
    return ArgInfo(name, more.pop("type_name", "type"), kind, size, align or size, **more)  # type: ignore[arg-type]


def kernel_info(name: str, *args: ArgInfo, **more: Any) -> KernelInfo:
    return KernelInfo(name, args, **more)


class Fake(SimpleNamespace):
    """driver, device, context, queue, and `kernels`: what the stand-in translator says that every program holds."""

    driver: FakeDevice
    device: Device
    context: Context
    queue: CommandQueue


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "cache"))
    driver = FakeDevice()
    device = Device(platforms.Platform(), "fake", driver)
    context = Context([device])
    made = Fake(driver=driver, device=device, context=context, queue=CommandQueue(context, device), kernels=[], uses=(),
                warnings=(), translated=0)

    def translate(source: str, options: Any, **more: Any) -> Any:
        made.translated += 1
        if "error" in source:
            raise CompileError((Diagnostic("error", "the source says so"),))
        return SimpleNamespace(kernels=tuple(made.kernels), used_builtins=made.uses, diagnostics=made.warnings, global_size=0)

    def parse_options(text: str) -> build_options.BuildOptions:
        if "-bad" in text:
            raise build_options.OptionError("unknown option -bad")
        words = text.split()
        return build_options.BuildOptions(
            cl_std=next((word[8:] for word in words if word.startswith("-cl-std=")), "CL1.2"),
            include_dirs=tuple(word[2:] for word in words if word.startswith("-I")),
            uniform_work_group_size="-cl-uniform-work-group-size" in words,
        )

    monkeypatch.setattr(translator, "translate", translate, raising=False)
    monkeypatch.setattr(build_options, "parse_options", parse_options, raising=False)
    return made
