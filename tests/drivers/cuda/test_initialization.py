"""CUDA's own start goes on while Python imports what will use CUDA, and is over when CUDA is used."""

import ctypes
import itertools
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from support.fake_driver import FakeDevice
from support.processes import environment

from cl2cuda import translator
from cl2cuda.opencl_icd import context as contexts
from cl2cuda.runtime import cuda
from cl2cuda.runtime.cuda import api, context, devices, initialization, nvrtc, preparation
from cl2cuda.runtime.devices import choice
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.process import disk_cache, ending, imports_ahead, last_process


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


def test_what_programs_are_going_to_need_is_imported_while_cuda_starts(monkeypatch, calls):
    def steps():
        yield
        calls.go_on.set()
        initialization._thread.join()
        yield
        raise AssertionError("CUDA has started")

    monkeypatch.setattr(devices, "CudaDriver", lambda: None)
    monkeypatch.setattr(imports_ahead, "steps", steps)
    monkeypatch.setattr(preparation, "_left", None)
    cuda.driver()
    assert calls.flags == [0]


def test_who_waits_next_prepares_what_is_left(monkeypatch):
    taken = []

    def parts(name, count):
        for number in range(count):
            taken.append(f"{name}{number}")
            yield

    monkeypatch.setattr(preparation, "_left", None)
    monkeypatch.setattr(api, "import_bindings", lambda: taken.append("bindings"))
    monkeypatch.setattr(imports_ahead, "steps", lambda: parts("import", 2))
    monkeypatch.setattr(disk_cache, "edition", lambda: taken.append("edition"))
    monkeypatch.setattr(last_process, "translated", lambda has_translated: True)
    monkeypatch.setattr(imports_ahead, "steps_for_translations", lambda: parts("compilers", 1))
    monkeypatch.setattr(translator, "loading", lambda: parts("load", 2))
    monkeypatch.setattr(last_process, "had_images", lambda: False)
    for ends in (4, 5, 0):
        for _ in itertools.islice(preparation.steps(), ends):
            pass
    assert taken == ["bindings", "import0", "import1", "edition", "compilers0", "load0"]
    with preparation._turn:  # as another thread has it
        assert list(preparation.steps()) == []
    assert list(preparation.steps()) == [None] and list(preparation.steps()) == [] and taken[-1] == "load1"


def test_a_program_that_translates_nothing_does_not_have_the_translator_loaded(monkeypatch):
    monkeypatch.setattr(preparation, "_left", None)
    monkeypatch.setattr(imports_ahead, "steps", lambda: iter(()))
    monkeypatch.setattr(translator, "loading", lambda: pytest.fail("it is loaded"))
    monkeypatch.setattr(imports_ahead, "steps_for_translations", translator.loading)
    asked = []
    monkeypatch.setattr(last_process, "translated", asked.append)
    list(preparation.steps())
    assert asked == [translator.was_used]


def test_a_program_with_images_has_their_modules_imported_last(monkeypatch):
    taken = []
    monkeypatch.setattr(preparation, "_left", None)
    monkeypatch.setattr(imports_ahead, "each", lambda package, *names: taken.extend(names) or iter(()))
    monkeypatch.setattr(imports_ahead, "steps", lambda: iter(()))
    monkeypatch.setattr(imports_ahead, "steps_for_images", lambda: taken.append("images") or iter(()))
    monkeypatch.setattr(translator, "loading", lambda: taken.append("translator") or iter(()))
    monkeypatch.setattr(last_process, "translated", lambda has_translated: True)
    for had_images in (True, False):
        monkeypatch.setattr(preparation, "_left", None)
        monkeypatch.setattr(last_process, "had_images", lambda: had_images)  # noqa: B023
        list(preparation.steps())
        assert taken[-3:] == (["translator", ".image", "images"] if had_images else [".pooled_stream", ".module", "translator"])


@pytest.mark.parametrize("is_pythons", [True, False])
def test_what_a_program_in_c_has_imported_is_no_garbage(monkeypatch, is_pythons):
    frozen = []
    monkeypatch.setattr(ending, "is_pythons", is_pythons)
    monkeypatch.setattr(preparation.gc, "freeze", lambda: frozen.append(True))
    monkeypatch.setattr(preparation, "_left", None)
    monkeypatch.setattr(imports_ahead, "steps", lambda: iter(()))
    monkeypatch.setattr(last_process, "translated", lambda has_translated: False)
    monkeypatch.setattr(last_process, "had_images", lambda: False)
    list(preparation.steps())
    assert frozen == [True] * (not is_pythons)


def test_a_step_that_fails_is_said_to_who_takes_it_and_no_other(monkeypatch):
    def fail():
        raise ImportError("a file is missing")
        yield

    monkeypatch.setattr(preparation, "_left", None)
    monkeypatch.setattr(imports_ahead, "steps", fail)
    with pytest.raises(ImportError, match="missing"):
        list(preparation.steps())
    assert list(preparation.steps()) == []


def test_without_cupy_the_other_steps_are_taken(monkeypatch):
    def fail():
        raise DriverMissing("no CuPy")

    monkeypatch.setattr(preparation, "_left", None)
    monkeypatch.setattr(api, "import_bindings", fail)
    monkeypatch.setattr(imports_ahead, "steps", lambda: iter((None,) * 3))
    assert len(list(preparation.steps())) > 4


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
start.start({"handle": lambda *arguments: 1}, False)
print(imported)
"""], capture_output=True, text=True, timeout=600, env=environment(CL2CUDA_DEVICE=device))
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == str([False] if begins else [])


def test_a_program_in_python_begins_before_what_devices_take_is_imported():
    found = subprocess.run([sys.executable, "-c", """
import sys
import cl2cuda
cl2cuda.install()
import pyopencl as cl
from cl2cuda.runtime.cuda import initialization

LATE = [f"cl2cuda.runtime.{name}" for name in ("driver.interface", "devices.device", "process.trace", "cuda.api", "remote")]
initialization.begin = lambda: print([name for name in LATE if name in sys.modules])
[platform] = cl.get_platforms()
try:
    platform.get_devices()
except cl.Error:
    pass
"""], capture_output=True, text=True, timeout=600, env=environment(CL2CUDA_DEVICE="cuda"))
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "[]"


def test_a_program_in_c_imports_what_it_needs_while_cuda_starts():
    found = subprocess.run([sys.executable, "-c", """
import sys, threading
from cl2cuda.opencl_icd import start
from cl2cuda.runtime.cuda import initialization

WANTED = ["cl2cuda.runtime.cuda.devices", "cl2cuda.runtime.program.program", "cl2cuda.runtime.commands.nd_range", "cl2cuda.opencl_icd.kernel"]

def take_long():
    while WANTED[-1] not in sys.modules:
        ended.wait(0.01)

ended = threading.Event()
initialization._initialize = take_long
start.start({"handle": lambda *arguments: 1}, False)
print([name in sys.modules for name in WANTED])
"""], capture_output=True, text=True, timeout=600, env=environment(CL2CUDA_DEVICE="cuda"))
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "[True, True, True, True]"


def test_a_program_in_c_has_the_device_made_ready_with_its_context():
    driver_device, made = FakeDevice(), []
    driver_device.make_ready = lambda: made.append(1)
    contexts.clCreateContext(0, (Device(platforms.platforms()[0], "fake", driver_device),), 0, 0)
    assert made == [1]


class Library:
    """The NVIDIA driver's, of which device 3 has the number 5: it makes a context when it is let."""

    def __init__(self, status=0):
        self.status, self.kept, self.begun, self.go_on = status, 0, threading.Event(), threading.Event()

    def cuDeviceGet(self, device, ordinal):
        assert ordinal == 3
        device._obj.value = 5
        return 0

    def cuDevicePrimaryCtxRetain(self, context, device):
        assert device.value == 5
        self.begun.set()
        assert self.go_on.wait(60)
        self.kept += not self.status
        return self.status

    def cuDevicePrimaryCtxRelease_v2(self, device):
        assert device.value == 5
        self.kept -= 1
        return 0


@pytest.mark.parametrize("status", [0, 2])
def test_steps_are_taken_while_the_context_is_made(status):
    library, taken = Library(status), []

    def steps():
        assert library.begun.wait(60)
        for number in range(3):
            taken.append(number)
            yield

        library.go_on.set()

    with initialization.primary_context(library, 3, steps()):
        assert taken == [0, 1, 2] and library.kept == (0 if status else 1)
    assert library.kept == 0


def test_no_step_is_begun_when_the_context_is_there():
    library = Library()
    library.go_on.set()
    with initialization.primary_context(library, 3, itertools.repeat(None)):
        assert library.kept == 1


def test_a_context_is_not_kept_where_its_device_cannot_be_used():
    library = Library()
    library.go_on.set()
    with pytest.raises(OSError, match="lost"), initialization.primary_context(library, 3, iter([])):
        raise OSError("lost")
    assert library.kept == 0


def test_a_library_without_contexts_makes_none():
    with initialization.primary_context(SimpleNamespace(), 3, iter([None])):
        pass


def test_a_call_beside_has_ended_with_its_block_whatever_becomes_of_it():
    go_on, ended = threading.Event(), []

    def call():
        assert go_on.wait(60)
        ended.append(threading.current_thread() is not threading.main_thread())
        raise OSError("no library")

    with initialization.beside(call):
        assert ended == []
        go_on.set()
    assert ended == [True]


class Runtime:
    """Of a device that is CUDA's in capability 9.0; its context is made when the library is let."""

    CUDARuntimeError = RuntimeError

    def setDevice(self, ordinal):
        assert ordinal == 3

    def free(self, address):
        pass

    def driverGetVersion(self):
        return 13000

    def deviceGetAttribute(self, number, ordinal):
        return {75: 9, 76: 0}[number]


@pytest.mark.parametrize("translates", [True, False])
def test_the_compiler_starts_with_the_context_of_a_program_that_translates(monkeypatch, translates):
    library, asked, started, found, runtime = Library(), [], [], [], Runtime()

    def identity(newest):
        """Found while the library makes the context; that there is none a build says."""
        found.append(newest)
        library.go_on.set()
        raise DriverMissing("no NVRTC")

    monkeypatch.setattr(context.nvrtc, "identity", identity)
    monkeypatch.setattr(context.nvrtc, "warm_up", lambda *arguments: started.append(arguments))
    monkeypatch.setattr(last_process, "translated", lambda *arguments, **named: asked.append((arguments, named)) or translates)
    monkeypatch.setattr(preparation, "steps", lambda: iter(()))
    cuda = SimpleNamespace(library=library, runtime=runtime, driver=SimpleNamespace(ctxGetCurrent=lambda: 77), Error=(RuntimeError,),
                           call=lambda function, *arguments: function(*arguments))
    made = context.CudaContext(cuda, 3)
    made.enter()
    assert made.handle == 77
    assert asked == [((translator.was_used,), {"of_no_name": False})]
    assert (started, found) == ([(13, (9, 0))] if translates else [], [13])


def test_the_compiler_starts_by_compiling_nothing():
    try:
        nvrtc.nvrtc()
    except DriverMissing:
        pytest.skip("NVRTC is not installed")
    for capability in ((9, 0), (99, 9)):  # a device that is newer than the compiler, too
        nvrtc.warm_up(1 << 30, capability)


def test_what_a_build_needs_is_imported_in_steps():
    found = subprocess.run([sys.executable, "-c", """
import sys
from cl2cuda import translator

parts = [len(sys.modules) for _ in translator.loading()]
assert parts == sorted(parts) and parts[-1] > parts[0], parts
from cl2cuda.builtins.items import section

before, read = set(sys.modules), section.cache_info().misses
translator.translate("int f(int x) { return x; } kernel void g(global int *x) { x[0] = f(1); }", translator.parse_options("")).source("cuda")
print([name for name in set(sys.modules) - before if ".translator." in name], section.cache_info().misses - read)
"""], capture_output=True, text=True, timeout=600, env=environment())
    assert (found.stdout, found.stderr) == ("[] 0\n", "")
