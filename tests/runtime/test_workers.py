"""Threads that run callables: when they start, when they end, and what becomes of a call that none can take."""

import os
import threading

import pytest

from cl2cuda.runtime.process import workers
from cl2cuda.runtime.process.workers import Workers, on_worker


def refuse(thread):
    raise RuntimeError("can't start new thread")


def ran(some):
    """Puts a call, waits for it, and says on which thread it was."""
    done, where = threading.Event(), []
    assert some.put(lambda: (where.append((threading.get_ident(), on_worker())), done.set()))
    assert done.wait(60)
    return where[0]


def test_calls_run_on_threads_of_their_own_which_the_next_calls_find():
    some = Workers(2)
    found = {ran(some) for _ in range(4)}
    assert len(found) <= 2 and all(worker for _, worker in found) and not on_worker()
    assert threading.get_ident() not in {ident for ident, _ in found}


def test_no_more_threads_than_calls_and_than_the_size():
    some, go_on, begun = Workers(2), threading.Event(), threading.Semaphore(0)
    for _ in range(3):
        some.put(lambda: (begun.release(), go_on.wait(60)))
    assert begun.acquire(timeout=60) and begun.acquire(timeout=60) and not begun.acquire(timeout=0.05)
    go_on.set()
    assert begun.acquire(timeout=60)


def test_a_call_for_which_there_is_no_thread_is_its_callers(monkeypatch):
    some, called = Workers(), []
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            some.put(lambda: called.append(True))
    ran(some)
    assert called == []


@pytest.mark.parametrize("begun", [False, True])
def test_a_call_whose_thread_was_interrupted_at_its_start_is_made(monkeypatch, begun):
    """By another one, and those behind it in turn: nobody counts on a thread that may not be there."""
    some, called, genuine = Workers(), [], threading.Thread.start

    def interrupted(thread):
        monkeypatch.undo()
        if begun:
            genuine(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        some.put(lambda: called.append(threading.get_ident()))
    some.put(lambda: called.append(threading.get_ident()))
    ran(some)
    assert len(called) == 2 and some._threads == len(set(called)) == 1


def test_where_there_is_one_thread_it_takes_the_calls_that_no_other_can(monkeypatch):
    some, go_on, begun, done = Workers(2), threading.Event(), threading.Event(), threading.Event()
    some.put(lambda: (begun.set(), go_on.wait(60)))
    assert begun.wait(60)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert some.put(done.set)
    go_on.set()
    assert done.wait(60)


def test_what_is_put_while_python_ends_is_dropped(monkeypatch):
    some = Workers()
    monkeypatch.setattr(workers.sys, "is_finalizing", lambda: True)
    assert not some.put(lambda: None)


def test_threads_after_a_fork():
    """They are the parent's; so is what waits for them, and whatever any of them was in the middle of."""
    some, other, go_on, begun = Workers(), Workers(), threading.Event(), threading.Event()
    ran(some)
    other.put(lambda: (begun.set(), go_on.wait(60)))
    assert begun.wait(60)
    child = os.fork()
    if not child:
        try:
            ran(some)
            ran(other)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    go_on.set()
    ran(some)
    ran(other)
