"""Launches by several threads: which of them hold the interpreter's lock, over an imagined CUDA."""

import ctypes
import threading

import pytest
from support.fake_cuda import CudaError, FakeCuda

from cl2cuda.runtime.cuda import launch_call
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.driver.interface import DriverError

ARGUMENTS = (16, 1, 1, 64, 1, 1, 0, 5 << 40, 7 << 40, 0)
CU_LAUNCH_KERNEL = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)


class Launches:
    """What launches came, and how: "let go" by CuPy's binding, "held" by the function itself."""

    def __init__(self):
        self.device = CudaDevice(FakeCuda(), 0)
        self.cuda = self.device.cuda
        self.came, self.status, self.during = [], 0, lambda: None
        self.cuda.driver.launchKernel = self.let_go
        self.cuda.driver.check_status = self.check
        self.function = CU_LAUNCH_KERNEL(self.held)  # kept: the driver has its address
        self.cuda.launch_addresses = (ctypes.cast(self.function, ctypes.c_void_p).value, 0)

    def let_go(self, handle, *arguments):
        self.came.append(("let go", handle, arguments))
        self.during()

    def held(self, handle, *arguments):
        self.came.append(("held", handle, tuple(each or 0 for each in arguments)))
        self.during()
        return self.status

    def check(self, status):
        raise CudaError(status)

    def call(self, **may_hold):
        return launch_call.launch_call(self.device.context, 3 << 40, ARGUMENTS, **(may_hold or {"may_hold": True}))

    def ways(self):
        return [way for way, *_ in self.came]


@pytest.fixture
def launches():
    return Launches()


def meet(launches, run):
    """A launch while another thread is in one."""
    launches.during = lambda: (setattr(launches, "during", lambda: None), run())
    run()


def test_one_thread_lets_others_run(launches):
    run = launches.call()
    for _ in range(3):
        run()
    assert launches.came == [("let go", 3 << 40, ARGUMENTS)] * 3


def test_launches_of_threads_that_meet_hold_the_lock_for_a_while(launches, monkeypatch):
    monkeypatch.setattr(launch_call, "HELD", 2)
    monkeypatch.setattr(launch_call, "WAITED_NS", 1 << 60)
    run = launches.call()
    meet(launches, run)
    for _ in range(3):
        run()
    assert launches.ways() == ["let go", "let go", "held", "held", "let go"]
    assert launches.came[2] == ("held", 3 << 40, ARGUMENTS)


def test_a_launch_that_waits_lets_the_next_ones_go(launches, monkeypatch):
    """The stream is full: other threads are not to wait with it."""
    monkeypatch.setattr(launch_call, "WAITED_NS", -1)
    monkeypatch.setattr(launch_call, "LET_GO", 2)
    run = launches.call()
    meet(launches, run)
    for _ in range(3):
        run()
    assert launches.ways() == ["let go", "let go", "held", "let go", "let go"]
    meet(launches, run)
    run()
    assert launches.ways()[5:] == ["let go", "let go", "held"]


def test_streams_of_others_never_hold_it(launches):
    """A host function in them would wait for the lock."""
    run = launches.call(may_hold=False)
    meet(launches, run)
    run()
    assert launches.ways() == ["let go"] * 3


@pytest.mark.parametrize("held", [False, True])
def test_errors(launches, held):
    run = launches.call()
    if held:
        meet(launches, run)
        launches.status = 719
    else:
        launches.during = lambda: launches.check(719)
    with pytest.raises(DriverError):
        run()
    launches.during, launches.status = lambda: None, 0
    run()
    assert not launches.cuda.meetings.inside


def test_threads_at_once(launches):
    calls = [launches.call() for _ in range(8)]
    threads = [threading.Thread(target=lambda run=run: [run() for _ in range(500)]) for run in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(launches.came) == 4000
