"""Sources that no one would write end in a translation or in errors with positions, soon (`hostile.py` makes and judges them)."""

from __future__ import annotations

import sys
import threading

import pytest
from tools import hostile

from cl2cuda.translator import CompileError, translate

FIXED = dict(hostile.fixed_sources())
# Those of the other depth, and a few large ones, take long: the command runs them.
QUICK = [name for name in FIXED if not name.startswith(f"{hostile.DEPTHS[1]} ") and not name.startswith(("doubling", "many ", "macro arguments"))]


def test_constructs_nested_and_repeated_beyond_reason():
    assert {name: found for name in QUICK if (found := hostile.fault(FIXED[name]))} == {}


@pytest.mark.parametrize("seed", range(1, 401, 100))
def test_mutated_and_random_sources(seed):
    assert {name: found for name, source in hostile.random_sources(100, seed) if (found := hostile.fault(source))} == {}


@pytest.mark.parametrize(("name", "message"), [
    ("doubling macros", "more than ten million tokens"),
    ("macro arguments that double", "more than ten million tokens"),
    ("headers that double", "more than ten million tokens"),
    ("including itself", "#include nested too deeply"),
    ("20000 blocks", hostile.NESTING),
    ("designated far away", "not supported yet by cl2cuda"),
])  # fmt: skip
def test_what_stops_them(name, message):
    with pytest.raises(CompileError, match=message):
        translate(FIXED[name], headers=hostile.HEADERS)


@pytest.mark.parametrize("construct", ["parentheses", "calls", "conditionals", "blocks", "ifs", "fors", "whiles", "switches", "structs", "sums to the right"])
def test_what_the_standard_wants_nested_translates(construct):
    """C99 5.2.4.1: 127 blocks, 63 parentheses, 63 structs, also from a stack that is not empty."""
    def deeper(frames: int) -> None:
        if frames:
            deeper(frames - 1)
        else:
            assert hostile.fault(hostile.nested(63)[construct]) == ""

    deeper(200)
    translate(hostile.nested(127)["blocks"])


def nested_in_each_other(n: int) -> dict[str, str]:
    """What clang takes 256 deep, and more of what takes several calls a level here."""
    return {
        **{name: hostile.nested(n)[name] for name in ("parentheses", "calls", "conditionals", "blocks", "ifs", "fors", "whiles", "switches",
                                                      "initialisers", "macro arguments", "sums to the right", "vector casts")},
        "lists": f"constant int a[] = {'{' * n}1{'}' * n};",
        "ifs with blocks": "kernel void k(global int *o) {" + "if (o[0]) {" * n + "o[0] = 1;" + "}" * n + "}",
        "calls of functions": "int g(int x) { return x; } kernel void k(global int *o) { o[0] = " + "g(" * n + "1" + ")" * n + "; }",
        "barriers": ("kernel void k(global int *o) { local int l; l = 1; barrier(CLK_LOCAL_MEM_FENCE);" + "if (o[0]) {" * n + "o[0] = l;" +
                     "}" * n + "}"),
    }


@pytest.mark.parametrize("construct", nested_in_each_other(1))
def test_what_clang_takes_nested_translates(construct):
    source, limit = nested_in_each_other(256)[construct], sys.getrecursionlimit()
    assert translate(source).user_source
    assert translate(source, item_loops=True).user_source
    assert sys.getrecursionlimit() == limit and threading.stack_size() == 0


@pytest.mark.parametrize("construct", ["parentheses", "calls", "blocks", "ifs", "initialisers", "lists"])
def test_a_hundred_thousand_are_an_error(construct):
    with pytest.raises(CompileError, match=hostile.NESTING):
        translate(nested_in_each_other(100_000)[construct])


def test_a_small_stack_is_enough():
    """Deep sources end in a diagnostic and not in a crash where a thread has little stack: 1 MiB, or 2 with Python 3.13, which frees up to
    10,000 objects that hold each other on it."""
    found: list[str] = []
    threading.stack_size((2 if sys.version_info[:2] == (3, 13) else 1) << 20)
    try:
        thread = threading.Thread(target=lambda: found.extend(hostile.fault(hostile.nested(20_000)[n]) for n in ("parentheses", "not")))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert found == ["", ""] and sys.getrecursionlimit() < 5000
