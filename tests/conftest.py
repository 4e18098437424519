"""Fixtures: `device` runs a test on every real device that is found, `fake` gives the object model a driver in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import compiled_calls  # noqa: F401 - first
from support.devices import first
from support.fake_driver import FakeDevice, run_what_is_left

from cl2cuda import translator
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.nvrtc import Nvrtc, nvrtc
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.memory import late
from cl2cuda.runtime.process import processors
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.translator import options as build_options
from cl2cuda.translator.diagnostics import CompileError, Diagnostic


def pytest_configure(config: pytest.Config) -> None:
    """A test that ends its process ends the run, by name: pytest-xdist 3.8 would begin another process, give it the files anew that the
    first one had ended, which hold no test any more, and wait for ever for what becomes of them."""
    if getattr(config.option, "maxworkerrestart", "") is None:
        config.option.maxworkerrestart = "0"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """After a kernel's fault OpenGL draws wrong on that GPU, in every process (support/gl_points.py)."""
    items.sort(key=lambda item: item.get_closest_marker("faulting") is not None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """How many processes `-n auto` is: each has a context on every GPU, which more than eight would crowd."""
    return min(processors.count(), 8)


@pytest.fixture(params=["fake", "imagined cuda", "host", "remote", "cuda"])
def device(request: pytest.FixtureRequest) -> Device:
    """The first device of each driver; the test is skipped where the driver has none. For what needs no kernel."""
    return first(request.param)


@pytest.fixture(params=["fake", "host", "remote", "cuda"])
def image_device(request: pytest.FixtureRequest) -> Device:
    """As `device`, of the drivers that have images. For what needs no kernel."""
    return first(request.param)


@pytest.fixture(params=["host", "cuda"])
def real_device(request: pytest.FixtureRequest) -> Device:
    """The first device of each driver that compiles and runs programs."""
    return first(request.param)


@pytest.fixture(params=["host", "imagined cuda with OpenGL", "cuda"])
def gl_device(request: pytest.FixtureRequest) -> Device:
    """The first device of each driver that shares with OpenGL. For what needs no kernel."""
    found = first(request.param)
    if found.driver_device.graphics is None:
        pytest.skip("the device shares nothing with OpenGL")
    return found


@pytest.fixture
def compiler() -> Nvrtc:
    """CUDA's compiler; no GPU is needed."""
    try:
        return nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def cuda_device() -> Device:
    return first("cuda")


@pytest.fixture(params=["imagined cuda", "cuda"])
def foreign_device(request: pytest.FixtureRequest) -> Device:
    """The first device that loads CUDA code; the imagined one runs none."""
    return first(request.param)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither cl2cuda's nor PyOpenCL's: binaries in the user's may come from another state of the sources."""
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def _own_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that a test starts import these sources. Once `install()` was called, an installed cl2cuda.pth would have them import
    the installed copy, and what the copy builds has other names in the disk cache."""
    monkeypatch.delenv("CL2CUDA_INSTALL", raising=False)


class Fake(SimpleNamespace):
    """driver, device, context, queue, and `kernels`: what the stand-in translator says that every program holds."""

    driver: FakeDevice
    device: Device
    context: Context
    queue: CommandQueue


@pytest.fixture
def memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers of every size have their memory when they are made, as large ones have."""
    monkeypatch.setattr(late, "LARGEST", 0)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Fake]:
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
        return SimpleNamespace(kernels=tuple(made.kernels), used_builtins=made.uses, diagnostics=made.warnings, global_size=0, variables=())

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
    yield made
    run_what_is_left()
