"""Gates open once, whatever threads do, and call each hook once."""

import gc
import threading
import weakref

import pytest

from cl2cuda.runtime.queue.gate import Gate


def test_the_first_status_stays():
    gate = Gate(3)
    gate.advance(2)
    assert gate.shut and gate.status == 2
    assert gate.open(-5) and not gate.open(0)
    gate.advance(1)
    assert not gate.shut and gate.status == -5 and gate.behind == ()


def test_hooks_are_called_in_turn_and_see_the_status():
    gate, seen = Gate(3), []
    for number in range(3):
        gate.when_open(lambda number=number: seen.append((number, gate.status)))
    gate.open(0)
    gate.when_open(lambda: seen.append((3, gate.status)))
    assert seen == [(number, 0) for number in range(4)]


def test_what_a_hook_raises_keeps_no_other_from_being_called():
    """Threads may wait for what those do, for ever."""
    gate, seen = Gate(3), []
    for number in range(3):
        gate.when_open(lambda number=number: seen.append(number) or seen[7 * number])
    with pytest.raises(IndexError):
        gate.open(0)
    assert seen == [0, 1, 2]
    gate.when_open(lambda: seen.append(3))
    assert seen == [0, 1, 2, 3]


def test_what_a_hook_opens_comes_after_it():
    first, second, seen = Gate(3), Gate(3), []
    second.when_open(lambda: seen.append("second"))
    first.when_open(lambda: (second.open(0), seen.append("first")))
    first.open(0)
    assert seen == ["first", "second"]


def test_threads_that_wait_go_on_before_a_hook_that_waits_for_them():
    gate, went_on, waited = Gate(3), threading.Event(), []
    thread = threading.Thread(target=lambda: (gate.wait_until_open(), went_on.set()), daemon=True)
    gate.when_open(lambda: waited.append(went_on.wait(60)))
    thread.start()
    while len(gate._hooks) < 2:
        pass
    gate.open(0)
    thread.join(60)
    assert waited == [True]
    gate.wait_until_open()  # It is open: nobody waits.


@pytest.mark.parametrize("turn", range(20))
def test_threads_that_open_and_put_hooks_at_once(turn):
    gate, begin, opened, called = Gate(3), threading.Barrier(7), [], []

    def put(number):
        begin.wait()
        for each in range(200):
            gate.when_open(lambda each=each: called.append((number, each, gate.status)))

    def open_it(status):
        begin.wait()
        if gate.open(status):
            opened.append(status)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(3)]
    threads += [threading.Thread(target=open_it, args=(-number,)) for number in range(3)]
    threads.append(threading.Thread(target=lambda: (begin.wait(), gate.wait_until_open())))
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(opened) == 1 and gate.status == opened[0]
    assert sorted(called) == [(number, each, opened[0]) for number in range(3) for each in range(200)]


def test_an_open_gate_keeps_nothing():
    class What:
        pass

    what, behind = What(), Gate(3)
    gone, gate = weakref.ref(what), Gate(3, behind=[behind])
    gate.when_open(lambda what=what: None)
    del what
    gate.open(0)
    gc.collect()
    assert gone() is None and gate.behind == ()
