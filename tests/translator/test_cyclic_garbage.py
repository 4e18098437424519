"""What a translation leaves behind: no garbage that only Python's collector finds, which costs whatever the process does next."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest
from support.trees import tree

from cl2cuda import translator
from cl2cuda.translator import CompileError

SMALL, LARGE = tree(functions=5, reached=5), tree(functions=500, reached=500)
# What translations leave are tables of the parts' own methods, as large for every program; objects by which they may differ.
MORE = 50
BLOCKS = "kernel void f(global int *out) { int (^b)(int) = ^(int x) { return x + 1; }; out[0] = b(1); }\n"


@pytest.fixture
def collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def translated(source: str) -> None:
    translator.translate(source, translator.parse_options("-cl-std=CL2.0"))


def split(source: str) -> None:
    """As for the host device, with kernels that run whole work-groups."""
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    kernels = (f"kernel void group{n}(global int *x, local int *y) {{ y[get_local_id(0)] = x[0]; {barrier} x[0] = y[1]; {barrier} }}"
               for n in range(source.count("kernel void") + len(source) // 2000))
    translator.translate("\n".join(kernels), item_loops=True)


def linked(source: str) -> None:
    objects = [translator.compile_object(each) for each in (source, "kernel void other(global int *x) { x[0] = 1; }")]
    translator.link(objects)


def refused(source: str) -> None:
    with pytest.raises(CompileError):
        translator.translate(source + "int faulty(void) { return undeclared; }")


def taken_as_function(source: str) -> None:
    translator.translate_function(source, "step_1")


@pytest.mark.parametrize("work", [translated, split, linked, refused, taken_as_function])
def test_what_is_left_does_not_grow_with_the_program(work: Callable[[str], None], collector: None):
    work(SMALL)  # tables that are made once
    gc.collect()
    left = []
    for source in (SMALL, LARGE):
        work(source)
        left.append(gc.collect())
    assert left[1] <= left[0] + MORE, left


def test_blocks_leave_nothing_more(collector: None):
    translated(BLOCKS)
    gc.collect()
    translated(BLOCKS)
    one = gc.collect()
    translated("".join(BLOCKS.replace("f(", f"f{n}(") for n in range(200)))
    assert gc.collect() <= one + MORE


def test_no_search_through_a_large_programs_nodes():
    """When the collector comes back, the nodes have gone: the first search finds next to none of them alive or dead."""
    translated(SMALL)
    gc.collect()
    before = len(gc.get_objects())
    seen: list[int] = []

    def count(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(len(gc.get_objects()))

    gc.callbacks.append(count)
    try:
        translated(LARGE)
        kept = [[] for _ in range(1000)]  # new objects: a search
    finally:
        gc.callbacks.remove(count)
    assert len(kept) == 1000 and seen
    assert max(seen) - before < 20_000, (before, seen)
