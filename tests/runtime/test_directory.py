"""Which bytes are valid where, against a model that has a set of places for each byte."""

import itertools
import random

from cl2cuda.runtime.memory.directory import Directory


def test_against_a_model():
    chance = random.Random(5)
    for size in (1, 7, 64):
        directory, model = Directory(size), [{} for _ in range(size)]
        for _ in range(2000):
            start, end = sorted(chance.sample(range(size + 1), 2))
            place = chance.choice("abc")
            if chance.random() < 0.5:
                valid = {place: chance.choice([None, None, 1])}
                directory.put(start, end, dict(valid))
                model[start:end] = [dict(valid) for _ in range(start, end)]
            else:
                pieces = directory.cut(start, end)
                assert [piece.start for piece in pieces] == [start, *(piece.end for piece in pieces[:-1])] and pieces[-1].end == end
                for piece in pieces:
                    assert all(model[at] == piece.valid for at in range(piece.start, piece.end))
                    piece.valid[place] = None
                for at in range(start, end):
                    model[at][place] = None
            directory.join(start, end)
            assert directory.settled() == {each for each in "abc" if all(byte.get(each, 1) is None for byte in model)}
            everywhere = [set(byte) for byte in model]
            alone = everywhere[0] if all(one == everywhere[0] for one in everywhere) and len(everywhere[0]) == 1 else set()
            sole = directory.sole()
            assert sole is None or {sole} == alone
            assert all(directory.has_any(each) == any(each in byte for byte in model) for each in "abc")
            assert len(directory) <= 1 + sum(one != other for one, other in itertools.pairwise(model))


def test_segments_that_are_alike_are_one():
    directory = Directory(100)
    for start in range(0, 100, 10):
        directory.put(start, start + 10, {"a": None})
        directory.join(start, start + 10)
    assert len(directory) == 1 and directory.sole() == "a" and directory.settled() == {"a"}
