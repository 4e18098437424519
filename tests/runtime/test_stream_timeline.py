"""A queue's stream: when fences are made."""

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.stream_timeline import FENCES_AHEAD, LATE, NEVER


def fills(fake, count):
    buffer = Buffer(fake.context, 0, 16)
    return [enqueue_fill_buffer(fake.queue, buffer, b"x", 0, 16) for _ in range(count)]


def test_fences_are_made_when_someone_asks(fake):
    fills(fake, 100)
    assert fake.driver.fences == 0


def test_who_waits_for_an_earlier_command_soon_waits_for_little_more(fake):
    commands = fake.queue.stream.commands
    fills(fake, 20)[0].wait()
    assert not commands  # Only a fence made now could tell.
    events = fills(fake, 20)
    events[0].wait()
    assert len(commands) > 20 - 2 * LATE
    events[10].wait()
    assert 10 - 2 * LATE < len(commands) < 10 + LATE
    fake.queue.finish()


def test_fences_ahead_end_when_nobody_needs_them(fake):
    fills(fake, 20)[0].wait()
    fills(fake, (FENCES_AHEAD + 2) * (LATE + 1))
    assert fake.queue.timeline.fence_at == NEVER
    before = fake.driver.fences
    fills(fake, 100)
    assert fake.driver.fences == before
    fake.queue.finish()


def test_waiting_for_the_last_command_makes_none_ahead(fake):
    for _ in range(10):
        fills(fake, 3)[-1].wait()
    assert fake.queue.timeline.fence_at == NEVER


def test_the_last_command_needs_no_fence_where_it_ends_soon(fake, monkeypatch):
    stream = fake.queue.stream
    monkeypatch.setattr(stream, "poll_completed", lambda: stream.synchronize() is None)
    first, last = fills(fake, 2)
    last.wait()
    assert fake.driver.fences == 0 and not stream.commands and fake.queue.timeline.idle
    first.wait()
    assert fake.driver.fences == 0  # It came before one that has ended.
    first, last = fills(fake, 2)
    first.wait()
    assert fake.driver.fences == 1
