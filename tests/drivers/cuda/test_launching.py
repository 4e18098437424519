"""Launches by several threads: which of them hold the interpreter's lock, over an imagined cuLaunchKernel."""

import ctypes
import threading

import pytest

from cl2cuda.runtime.cuda import launching

ARGUMENTS = (3 << 40, 16, 1, 1, 64, 1, 1, 0, 5 << 40, 7 << 40, 0)
CU_LAUNCH_KERNEL = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)


class Failed(Exception):
    pass


class Launches:
    """What launches came, and how: "let go" by CuPy's binding, "held" by the function itself."""

    def __init__(self):
        self.came, self.status, self.during = [], 0, lambda: None
        self.function = CU_LAUNCH_KERNEL(self.hold)  # kept: the caller has its address
        self.launching = launching.Launching(self.let_go, launching.held(ctypes.cast(self.function, ctypes.c_void_p).value, self.check))
        self.launching.note_thread()

    def let_go(self, *arguments):
        self.came.append(("let go", arguments))
        self.during()
        self.check(self.status)

    def hold(self, *arguments):
        self.came.append(("held", tuple(each or 0 for each in arguments)))
        self.during()
        return self.status

    def check(self, status):
        if status:
            raise Failed(status)

    def run(self):
        self.launching.call(*ARGUMENTS)

    def meet(self):
        """A second thread comes, and a launch while another is in one."""
        second(self.launching)
        self.during = lambda: (setattr(self, "during", lambda: None), self.run())
        self.run()

    def ways(self):
        return [way for way, _ in self.came]


def second(launching):
    thread = threading.Thread(target=launching.note_thread)
    thread.start()
    thread.join()


@pytest.fixture
def launches(monkeypatch):
    """In which no launch seems to wait."""
    monkeypatch.setattr(launching, "WAITED_NS", 1 << 60)
    return Launches()


def test_one_thread_lets_others_run(launches):
    for _ in range(3):
        launches.run()
        launches.launching.note_thread()
    assert launches.came == [("let go", ARGUMENTS)] * 3
    assert launches.launching.call == launches.let_go  # nothing between


def test_threads_that_do_not_meet_are_watched_for_a_while(launches, monkeypatch):
    monkeypatch.setattr(launching, "WATCHED", 2)
    second(launches.launching)
    launches.run()
    assert launches.launching.call != launches.let_go
    launches.run()
    assert launches.launching.call == launches.let_go
    launches.launching.note_thread()
    assert launches.launching.call != launches.let_go
    assert launches.ways() == ["let go"] * 2


def test_threads_that_have_met_are_watched_for_good(launches, monkeypatch):
    monkeypatch.setattr(launching, "WATCHED", 2)
    monkeypatch.setattr(launching, "HELD", 1)
    launches.meet()
    for _ in range(5):
        launches.run()
    assert launches.launching.call != launches.let_go
    launches.meet()
    launches.run()
    assert launches.ways()[3:] == ["let go"] * 6 + ["held"]


def test_launches_of_threads_that_meet_hold_the_lock_for_a_while(launches, monkeypatch):
    monkeypatch.setattr(launching, "HELD", 2)
    launches.meet()
    for _ in range(3):
        launches.run()
    assert launches.ways() == ["let go", "let go", "held", "held", "let go"]
    assert launches.came[2] == ("held", ARGUMENTS)


def test_a_launch_that_waits_lets_the_next_ones_go(launches, monkeypatch):
    """The stream is full: other threads are not to wait with it."""
    monkeypatch.setattr(launching, "WAITED_NS", -1)
    monkeypatch.setattr(launching, "LET_GO", 2)
    launches.meet()
    for _ in range(3):
        launches.run()
    assert launches.ways() == ["let go", "let go", "held", "let go", "let go"]
    launches.meet()
    launches.run()
    assert launches.ways()[5:] == ["let go", "let go", "held"]


def test_without_the_drivers_library_no_launch_holds_it(launches):
    launches.launching = launching.Launching(launches.let_go, None)
    launches.launching.note_thread()
    launches.meet()
    launches.run()
    assert launches.ways() == ["let go"] * 3


@pytest.mark.parametrize("met", ["not", "once", "now"])
def test_errors(launches, met):
    if met == "once":
        second(launches.launching)
    elif met == "now":
        launches.meet()
    launches.status = 719
    with pytest.raises(Failed, match="719"):
        launches.run()
    launches.status = 0
    launches.run()
    launches.run()
    assert launches.ways()[-2:] == ["held" if met == "now" else "let go"] * 2


def test_more_launches_than_are_kept(launches, monkeypatch):
    monkeypatch.setattr(launching, "MOST_KEPT", 2)
    launches.meet()
    given = [(*ARGUMENTS[:-2], place, 0) for place in (8, 9, 10, 8)]
    for each in given:
        launches.launching.call(*each)
    assert [arguments for _, arguments in launches.came[2:]] == given


def test_threads_at_once(launches):
    def work():
        launches.launching.note_thread()
        for _ in range(500):
            launches.run()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(launches.came) == 4000
