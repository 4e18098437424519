"""What other threads of Python's can do meanwhile."""

from __future__ import annotations

import contextlib
import gc
import itertools
import threading
import time


def turns_of_another_thread(during):
    """How often another thread of Python's has its turn meanwhile."""
    turns, ends = [0], threading.Event()

    def count():
        while not ends.is_set():
            turns[0] += 1
            time.sleep(0.0002)

    thread = threading.Thread(target=count)
    thread.start()
    time.sleep(0.01)
    before = turns[0]
    during()
    found = turns[0] - before
    ends.set()
    thread.join()
    return found


def run_together(work, *given):
    """Calls it with each of these arguments, all at once, in threads of their own, and waits for them."""
    threads = [threading.Thread(target=work, args=arguments) for arguments in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def ends(work):
    """Whether it ends: what waits for a lock of its own thread never would."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    return not thread.is_alive()


@contextlib.contextmanager
def meeting_at(number, meet):
    """A `with` block in which `meet` is called once: while the object is made that is so many in turn, of those that Python's search for garbage
    counts, where other threads may have their turn."""
    counts, most = itertools.count(), gc.get_threshold()

    def count(phase, info):
        if phase == "start" and next(counts) == number // 2:
            meet()

    gc.collect()
    kept = [[[] for _ in range(200)], [{} for _ in range(200)]]  # No object that has gone is used again for a new one.
    gc.callbacks.append(count)
    gc.set_threshold(1)  # It searches with every second one.
    if number % 2:
        kept.append(threading.local())
    try:
        yield
    finally:
        gc.set_threshold(*most)
        gc.callbacks.remove(count)
        kept.clear()
