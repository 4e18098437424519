"""Which commands used which bytes: what comes before what, and what other threads note while one looks."""

import threading
from types import SimpleNamespace

import pytest

from cl2cuda.runtime.memory import uses
from cl2cuda.runtime.memory.uses import MANY, Uses


class Timeline:
    """A stream's, which has come to `reached`. `asked` is called while somebody looks through the uses, as another thread could come in."""

    def __init__(self):
        self.reached = self.drawn = 0
        self.asked = lambda: None
        self.stream = SimpleNamespace(immediate=False, after=self._after)
        self.waited_for = []

    def _after(self, fence, even_failed):
        assert even_failed
        self.waited_for.append(fence)

    def next_position(self):
        self.drawn += 1
        return self.drawn

    def has_reached(self, position):
        self.asked()
        return position <= self.reached

    def fence_behind(self, position):
        return SimpleNamespace(done=lambda: False, of=self, position=position)


@pytest.fixture
def timelines(monkeypatch):
    made = [Timeline() for _ in range(3)]
    by_stream = {id(each.stream): each for each in made}
    monkeypatch.setattr(uses, "timeline_of", lambda stream: by_stream.get(id(stream)))
    return made


def test_a_stream_waits_for_others_uses_of_the_range(timelines):
    first, second, third = timelines
    found = Uses()
    found.note(first.stream, 0, 10)
    found.note(second.stream, 10, 20)
    found.note(third.stream, 5, 15)
    found.come_before(third.stream, 0, 10)
    assert [fence.of for fence in third.waited_for] == [first]


def test_what_has_ended_is_forgotten(timelines):
    first, second, _ = timelines
    found = Uses()
    found.note(first.stream, 0, 10)
    first.reached = 100
    found.come_before(second.stream, 0, 10)
    assert not found and second.waited_for == []


def test_of_many_uses_those_that_have_ended_are_forgotten(timelines):
    first, second, third = timelines
    found = Uses()
    for start in range(MANY):
        found.note((first if start % 2 else second).stream, start, start + 1)
    first.reached = 100
    found.note(third.stream, MANY, MANY + 1)
    found.come_before(third.stream, 0, MANY)
    assert {fence.of for fence in third.waited_for} == {second} and len(third.waited_for) == MANY // 2


def test_another_thread_notes_a_use_while_one_comes_before(timelines):
    """What it notes is not lost, nor does the walk through the uses stumble over it."""
    first, second, third = timelines
    found = Uses()
    found.note(first.stream, 0, 10)
    first.asked = lambda: found.note(second.stream, first.drawn * 100, first.drawn * 100 + 10)
    found.come_before(third.stream, 0, 10)
    assert [fence.of for fence in third.waited_for] == [first]
    first.asked = lambda: None
    found.come_before(third.stream, first.drawn * 100, first.drawn * 100 + 10)
    assert [fence.of for fence in third.waited_for] == [first, second]


def test_another_thread_notes_a_use_while_one_forgets(timelines):
    first, second, third = timelines
    found = Uses()
    for start in range(MANY):
        found.note(first.stream, start, start + 1)
    first.reached, calls = 100, iter(range(100, 10000))

    def other():
        start = next(calls)
        found._positions[start, start + 1, second] = second.next_position()

    first.asked = other
    found.note(third.stream, 50, 51)
    first.asked = lambda: None
    found.come_before(third.stream, 100, 100 + MANY)
    assert len(third.waited_for) == MANY


def test_a_use_that_is_noted_anew_meanwhile_is_not_forgotten(timelines):
    """The old one has ended when it is asked; the command that uses the range now has not."""
    first, second, _ = timelines
    found = Uses()
    found.note(first.stream, 0, 10)
    first.reached = first.drawn + 1

    def again():
        first.asked = lambda: None
        first.drawn += 10
        found.note(first.stream, 0, 10)

    first.asked = again
    found.come_before(second.stream, 0, 10)
    found.come_before(second.stream, 0, 10)
    assert [fence.of for fence in second.waited_for] == [first]


def test_nor_is_one_that_is_noted_while_the_old_one_goes(timelines):
    first, second, _ = timelines
    found = Uses()
    other = threading.Thread(target=lambda: found.note(first.stream, 0, 10))

    class Positions(dict):
        def get(self, use):
            position = super().get(use)
            first.drawn += 10
            other.start()
            other.join(0.2)  # it goes on where nothing holds it
            return position

    found.note(first.stream, 0, 10)
    found._positions = Positions(found._positions)
    first.reached = 5
    found.come_before(second.stream, 0, 10)
    other.join()
    assert len(found._positions) == 1


def test_uses_by_streams_that_run_at_once_need_no_order(timelines):
    found = Uses()
    found.note(SimpleNamespace(immediate=True), 0, 10)
    found.note(SimpleNamespace(immediate=False), 0, 10)  # of no queue
    assert not found
