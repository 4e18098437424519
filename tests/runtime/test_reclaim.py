"""When memory that comes back is looked at, in a context whose queues share no order."""

import gc
import threading
import time
import weakref
from types import SimpleNamespace

import pytest
from support.fails import fails, read
from support.fake_driver import FakeDevice
from support.threads import ends, run_together

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer
from cl2cuda.runtime.context import reclaim, stream_ordered_memory
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import collecting
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue


@pytest.fixture
def queues(fake):
    return [fake.queue, create_command_queue(fake.context, fake.device)]


def temporary(fake, size):
    """A buffer that a command uses, and that goes before the command has run."""
    enqueue_fill_buffer(fake.queue, Buffer(fake.context, 0, size), b"t", 0, size)
    gc.collect(0)


def test_little_memory_is_looked_at_now_and_then(fake, queues):
    most, fences = 0, []
    genuine = fake.queue.stream.fence
    fake.queue.stream.fence = lambda timed: fences.append(1) or genuine(timed)
    for _ in range(10 * reclaim.PIECES):
        temporary(fake, 64)
        fake.queue.stream.synchronize()  # the device is quick
        most = max(most, len(fake.driver.memory))
    assert most <= reclaim.PIECES + stream_ordered_memory.PIECES + 1
    assert len(fences) <= 10 + reclaim.PIECES // reclaim.ALLOCATIONS


def test_so_many_bytes_are_looked_at_as_well(fake, queues):
    most = 0
    for _ in range(4 * reclaim.PIECES):
        temporary(fake, reclaim.LITTLE)
        fake.queue.stream.synchronize()
        most = max(most, len(fake.driver.memory))
    assert most <= 2 * reclaim.WAITING // reclaim.LITTLE + 1


def test_as_many_bytes_again_press(fake, queues):
    """Where nothing is allocated any more."""
    buffers = [Buffer(fake.context, 0, reclaim.LITTLE) for _ in range(reclaim.MOST_WAITING // reclaim.LITTLE + 2)]
    for buffer in buffers:
        enqueue_fill_buffer(fake.queue, buffer, b"t", 0, 64)
    fake.queue.finish()
    reclaimer = fake.context._reclaimer
    while len(buffers) > 1:
        assert not reclaimer.pressing
        del buffers[0], buffer
        buffer = buffers[0]
    del buffers[0], buffer
    assert reclaimer.pressing
    Buffer(fake.context, 0, 64)
    assert not reclaimer.noted and not reclaimer.pressing and reclaimer.waiting == 0


@pytest.mark.parametrize("busy", [False, True])
def test_much_is_looked_at_with_every_allocation(fake, queues, busy):
    temporary(fake, reclaim.LITTLE + 1)
    if busy:
        assert Buffer(fake.context, 0, 64).address and len(fake.driver.memory) == 2, "still in use"
    fake.queue.finish()
    kept = Buffer(fake.context, 0, 64)
    assert kept.address and len(fake.driver.memory) <= 2
    assert not any(len(piece) > reclaim.LITTLE for piece in fake.driver.memory.values())


def test_an_allocation_that_fails_looks_at_all(fake, queues):
    for _ in range(reclaim.ALLOCATIONS - 1):
        temporary(fake, 64)
    large = Buffer(fake.context, 0, fake.driver.properties.max_allocation // 2)
    enqueue_fill_buffer(fake.queue, large, b"l", 0, 4)
    assert read(fake, large)[:4] == b"llll"


def test_an_allocation_that_fails_waits_for_a_thread_that_frees(fake, queues, memory_at_once):
    begun, half = threading.Event(), fake.driver.properties.max_allocation
    kept = [Buffer(fake.context, 0, half) for _ in range(fake.driver.properties.global_memory // half)]
    fake.context.retire(fake.device, lambda: begun.set() or time.sleep(0.2))
    del kept[-1]
    thread = threading.Thread(target=fake.context.reclaim)
    thread.start()
    assert begun.wait(10)
    assert Buffer(fake.context, 0, half).address
    thread.join()


def test_a_callback_of_what_is_freed_waits_for_nobody(fake, queues, memory_at_once):
    """Its allocation may fail: what is being freed is not there yet."""
    most, failed = fake.driver.properties.max_allocation, []
    kept = [Buffer(fake.context, 0, most) for _ in range(fake.driver.properties.global_memory // most)]

    def allocate():
        begin = time.monotonic()
        failed.append(fails("MEM_OBJECT_ALLOCATION_FAILURE", lambda: Buffer(fake.context, 0, most).address))
        assert time.monotonic() - begin < reclaim.PATIENCE_SECONDS

    fake.context.retire(fake.device, allocate)
    fake.context.reclaim()
    assert failed and kept


def test_what_others_wait_for_is_looked_at_with_every_buffer(fake, queues):
    """An owner of memory from another library, say."""
    given_back = []
    fake.context.retire(fake.device, lambda: given_back.append(1))
    Buffer(fake.context, 0, 64)
    assert given_back and not fake.driver.memory


def test_a_device_that_takes_long_does_not_keep_what_is_of_another(fake):
    """Every piece has its turn, though more are in use than are asked at a time."""
    slow, quick = (Device(fake.device.platform, "fake", FakeDevice()) for _ in range(2))
    context = Context([slow, quick])
    queues = [CommandQueue(context, device) for device in context.devices]
    buffers = [Buffer(context, 0, 64) for _ in queues]
    freed, held = [], 10 * reclaim.MAX_ASKED
    for device, times in ((slow, held), (quick, 1)):
        for _ in range(times):
            for queue, buffer in zip(queues, buffers, strict=True):
                enqueue_fill_buffer(queue, buffer, b"x", 0, 64)
            context.retire(device, lambda device=device: freed.append(device))
            context.reclaim()
    for _ in range(held):
        queues[1].finish()
    assert freed == [quick]
    queues[0].finish()
    context.reclaim()
    assert freed == [quick] + held * [slow]


def test_releases_without_allocations_give_back_little_memory_in_time(fake, queues):
    """What is kept for allocations that do not come is bounded."""
    buffers = [Buffer(fake.context, 0, 64) for _ in range(3 * reclaim.MOST_PIECES)]
    for buffer in buffers:
        enqueue_fill_buffer(fake.queue, buffer, b"t", 0, 64)
    fake.queue.finish()
    for released, buffer in enumerate(buffers, start=1):
        buffer.release()
        assert len(fake.driver.memory) <= len(buffers) - released + reclaim.MOST_PIECES + stream_ordered_memory.PIECES
    assert len(fake.driver.memory) <= reclaim.MOST_PIECES + stream_ordered_memory.PIECES


def test_what_comes_back_together_is_asked_for_together(fake, queues, monkeypatch):
    asked = []
    genuine = fake.context._queues.busy
    monkeypatch.setattr(fake.context._queues, "busy", lambda device: asked.append(device) or genuine(device))
    order = []
    for device, names in ((fake.device, "abc"), (None, "de"), (fake.device, "f")):
        for name in names:
            fake.context.retire(device, lambda name=name: order.append(name))
    fake.context.reclaim()
    assert asked == [fake.device, None, fake.device] and order == list("abcdef")


@pytest.mark.parametrize("busy", [False, True])
def test_one_that_fails_keeps_none_of_the_others(fake, queues, busy):
    """A callback of the application's."""
    order = []

    def fail():
        raise ZeroDivisionError

    if busy:
        temporary(fake, 64)
    for free in (lambda: order.append("a"), fail, lambda: order.append("b")):
        fake.context.retire(fake.device, free)
    if busy:
        fake.context.reclaim()
        assert order == []
        fake.queue.stream.synchronize()
    with pytest.raises(ZeroDivisionError):
        fake.context.reclaim()
    fake.context.reclaim()
    assert order == ["a", "b"]


@pytest.mark.parametrize("busy", [False, True])
def test_contexts_that_go_in_a_circle_leave_nothing(fake, busy):
    """Python's search for cyclic garbage finalizes what it finds in no order of ours: the context, made first, usually first."""
    circle = [Context([fake.device])]
    circle.append(create_command_queue(circle[0], fake.device))
    circle.append(Buffer(circle[0], 0, reclaim.LITTLE + 1))
    circle.append(circle)
    queue, buffer = circle[1:3]
    called = []
    buffer.set_destructor_callback(lambda: called.append(1))
    enqueue_fill_buffer(queue, buffer, b"t", 0, 64)
    stream = queue.stream
    if busy:
        stream.close = lambda: None  # CUDA's does not wait either
    else:
        queue.finish()
    del circle, queue, buffer
    gc.collect()
    if busy:
        fake.context.reclaim()
        assert fake.driver.memory and not called, "the command that uses it runs"
        stream.synchronize()
    fake.context.reclaim()
    assert not fake.driver.memory and called


@pytest.mark.parametrize("held_back", [False, True])
def test_a_queue_is_asked_until_it_has_left_its_end(fake, held_back):
    """Another thread may free memory at any moment."""
    queue = create_command_queue(fake.context, fake.device)
    queue.stream.close = lambda: None
    gate, asked, genuine = UserEvent(fake.context), [], fake.context._reclaimer.leave_fence
    enqueue_fill_buffer(queue, Buffer(fake.context, 0, 64), b"t", 0, 64, (gate,) if held_back else ())

    def leave(fence):
        asked.append(queue in fake.context._queues.busy(fake.device))
        genuine(fence)

    fake.context.leave_fence = leave
    queue.release()
    if held_back:
        assert asked == [] and fake.context._queues.busy(fake.device)
        gate.set_status(0)
    assert asked == [True] and fake.context._queues.busy(fake.device) == [] and len(fake.context._reclaimer.left_fences()) == 1


def test_fences_that_come_while_others_are_looked_at_stay(fake):
    reclaimer = fake.context._reclaimer

    class Fence:
        def done(self):
            reclaimer.leave_fence(later)
            return True

    later = fake.queue.stream.fence(False)
    reclaimer.leave_fence(Fence())
    assert reclaimer.left_fences() == [later]


@pytest.mark.parametrize("asked", ["status", "memory", "barrier"])
def test_a_queue_that_goes_after_a_fence_leaves_its_end(fake, asked):
    """Behind the fence nothing stands, but it was not reached: what the commands before it use stays."""
    queue = create_command_queue(fake.context, fake.device)
    others = create_command_queue(fake.context, fake.device)
    queue.stream.close = lambda: None  # CUDA's does not wait either
    stream, used, first = queue.stream, Buffer(fake.context, 0, 64), Buffer(fake.context, 0, reclaim.LITTLE + 1)
    for buffer in (used, first):
        enqueue_fill_buffer(queue, buffer, b"t", 0, 64)
    if asked == "status":
        assert enqueue_fill_buffer(queue, used, b"u", 0, 64).status > 0
    elif asked == "barrier":
        others.come_after(queue.end_fences())
    else:
        del first, buffer
        fake.context.reclaim()
    buffer = None
    assert not queue.timeline.busy and stream.commands
    address = used.address
    del queue
    gc.collect()
    used.release()
    for _ in range(2):
        fake.context.reclaim()
        assert address in fake.driver.memory and Buffer(fake.context, 0, 64).address != address, "the command that uses it has not run"
    stream.synchronize()
    fake.context.reclaim()
    assert not stream.commands and address in fake.context._reusable.free[64]


class Cyclic:
    """Python's search for garbage finds it, and calls `work`."""

    def __init__(self, work):
        self.work, self.itself = work, self

    def __del__(self):
        self.work()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_during_the_search_for_garbage_nothing_is_freed(fake, elsewhere):
    """Its thread may be in the middle of that, with the locks that it takes. And others do not know of a queue that was found until its own
    destructor is called."""
    freed = []

    def released():
        fake.context.retire(fake.device, lambda: freed.append(1))
        run_together(fake.context.reclaim, ()) if elsewhere else fake.context.reclaim()
        freed.append(0)

    Cyclic(released)
    with fake.context._reusable._lock:
        assert ends(gc.collect) and freed == [0]
    fake.context.reclaim()
    assert freed == [0, 1]


def test_a_context_may_go_while_its_memory_is_looked_at(fake):
    """By a thread that has no more of it. Another context has then what it has kept."""
    context = Context([fake.device])
    queue = create_command_queue(context, fake.device)
    temporary(SimpleNamespace(context=context, queue=queue), 64)
    reclaimer, reusable = context._reclaimer, context._reusable
    queue.finish()
    context.reclaim()
    assert (reusable.bytes, fake.context._reusable.bytes) == (64, 0)
    gone, context.itself = weakref.ref(context), context
    del context, queue

    def search():
        with reusable._lock:
            gc.collect()

    assert ends(search) and gone() is None and reclaimer in reclaim.LEFTOVERS
    fake.context.reclaim()
    assert (reusable.bytes, fake.context._reusable.bytes) == (0, 64)


class Search:
    """One for garbage in a thread of its own, which has found `garbage` and all that only that names, and calls no destructor but of what was
    made before that, from `begin` to `end`."""

    def __init__(self):
        self._begun, self._goes_on, self._thread = threading.Event(), threading.Event(), threading.Thread(target=gc.collect)

    def make_garbage(self):
        begun, goes_on = self._begun, self._goes_on
        self.garbage = Cyclic(lambda: (begun.set(), goes_on.wait(20)))
        return self.garbage

    def begin(self):
        self.garbage = None
        self._thread.start()
        assert self._begun.wait(20)

    def end(self):
        self._goes_on.set()
        if self._thread.ident:
            self._thread.join()


@pytest.fixture
def search():
    gc.collect()
    gc.disable()
    search = Search()
    yield search
    search.end()
    gc.enable()


def have_queue(garbage, context, device):
    """Whose stream, which is returned, has a command that has not run."""
    garbage.queue, garbage.buffer = create_command_queue(context, device), Buffer(context, 0, 64)
    garbage.queue.stream.close = lambda: None  # CUDA's does not wait either
    enqueue_fill_buffer(garbage.queue, garbage.buffer, b"t", 0, 64)
    return garbage.queue.stream


def is_freed_behind(stream, context, freed):
    """Whether it is, and was not before."""
    context.reclaim()
    before = list(freed)
    stream.synchronize()
    context.reclaim()
    return (before, freed) == ([], [1])


@pytest.mark.parametrize("begins", ["before", "amid"])
def test_what_the_commands_of_a_found_queue_use_stays(fake, monkeypatch, search, begins):
    """Nobody knows of it between the search and its destructor: neither who waits for memory, nor who began to free some before the search."""
    freed = []
    stream = have_queue(search.make_garbage(), fake.context, fake.device)
    fake.context.retire(fake.device, lambda: freed.append(1))
    if begins == "amid":
        genuine = fake.context._queues.busy
        monkeypatch.setattr(fake.context._queues, "busy", lambda device: (search.begin(), monkeypatch.undo(), genuine(device))[-1])
        fake.context.reclaim()
    else:
        search.begin()
        fake.context.reclaim(patience=0.01)
    assert freed == []
    search.end()
    assert is_freed_behind(stream, fake.context, freed)


def test_what_the_commands_of_a_found_context_use_stays(fake, monkeypatch, search):
    """Another context frees it, once the queues that were found with it have left their fences."""
    context, freed = Context([fake.device]), []
    context.itself = search.make_garbage().context = context
    stream = have_queue(search.garbage, context, fake.device)
    context.retire(fake.device, lambda: freed.append(1))
    del context
    genuine = reclaim.Reclaimer._take_leftovers
    monkeypatch.setattr(reclaim.Reclaimer, "_take_leftovers", lambda self: (search.begin(), monkeypatch.undo(), genuine(self))[-1])
    reclaim.LEFTOVERS.append(fake.context._reclaimer)
    fake.context.reclaim()
    assert freed == []
    search.end()
    assert is_freed_behind(stream, fake.context, freed)


def test_an_allocation_that_fails_waits_for_the_search(fake, monkeypatch, search):
    """Then it has what nobody uses."""
    freed = []
    search.make_garbage()
    fake.context.retire(fake.device, lambda: freed.append(1))
    search.begin()
    genuine = collecting.wait_for_end
    monkeypatch.setattr(collecting, "wait_for_end", lambda seconds: (search.end(), genuine(seconds))[-1])
    fake.context.reclaim_all()
    assert freed == [1]
