"""Walks through the representation find all that is in it: the same as one that looks into every member of every node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cl2cuda import translator
from cl2cuda.translator.ir import item_loops
from cl2cuda.translator.ir import nodes as ir
from cl2cuda.translator.ir.item_loops import ItemExpression, ItemLoop, WorkGroup, work_group
from cl2cuda.translator.ir.item_loops.walk import reads_memory
from cl2cuda.translator.ir.types import VOID
from cl2cuda.translator.ir.walk import expressions_of, nodes_of, nodes_of_kinds

CASES = sorted((Path(__file__).parents[1] / "cases" / "item_loops").glob("*.cl"))


def into_every_member(piece: object) -> Iterator[object]:
    stack = [piece]
    while stack:
        each = stack.pop()
        if isinstance(each, (list, tuple)):
            stack += each
        elif isinstance(each, (ir.Expr, ir.Statement)):
            yield each
            stack += vars(each).values()


def check(piece: object) -> int:
    expected = sorted(map(id, into_every_member(piece)))
    assert sorted(map(id, nodes_of(piece))) == expected
    assert sorted(map(id, expressions_of(piece))) == sorted(id(each) for each in into_every_member(piece) if isinstance(each, ir.Expr))
    some = frozenset((ir.Cast, ir.Member, ir.Evaluate))
    assert sorted(map(id, nodes_of_kinds(piece, some))) == sorted(id(each) for each in into_every_member(piece) if type(each) in some)
    return len(expected)


def test_walks_find_every_node(monkeypatch: pytest.MonkeyPatch):
    """Of kernels as they are written, and as functions for whole work-groups, which have statements of their own."""
    found: list[int] = []

    def checked(kernel: ir.Function) -> WorkGroup:
        found.append(check(kernel.body))
        group = work_group(kernel)
        found.append(sum(check(each.body) if isinstance(each, ItemLoop) else check(each) for each in group.body))
        return group

    monkeypatch.setattr(item_loops, "work_group", checked)
    for path in CASES:
        source = path.read_text()
        options = next((line.partition(":")[2].strip() for line in source.splitlines() if line.startswith("// options:")), "")
        translator.translate(source, translator.parse_options(options), item_loops=True)
    assert len(found) > len(CASES) and sum(found) > 1000


def test_walks_enter_members_of_classes_beside_those_of_the_language():
    end = ir.Break(3)
    loop = ItemLoop(2, [end])
    region = ItemExpression(VOID, 1, loop)
    assert list(nodes_of([region])) == [region, loop, end]
    assert list(expressions_of([region])) == [region]


@pytest.mark.parametrize("value, reads", [
    ("&room[n].v[1]", False), ("&in[1].v[n]", False), ("&room[room[0].i].v[1]", True), ("&at->v[n]", False), ("&where->v[1]", True),
    ("({ int z = in[0].i; &room[z].v[0]; })", True),
])
def test_an_address_is_taken_without_a_look_at_what_lies_there(value, reads, monkeypatch):
    kernels = []
    monkeypatch.setattr(item_loops, "work_group", lambda kernel: kernels.append(kernel) or work_group(kernel))
    translator.translate("typedef struct { int i; int v[4]; } record;"
                         "kernel void k(global record *in, local record *room, int n) { local record *local where;"
                         f"    local record *at = room; size_t x = (size_t)({value}) + (size_t)&room[0]; barrier(0); in[0].i = x; }}", item_loops=True)
    (init,) = [init for statement in kernels[0].body.statements if isinstance(statement, ir.Declare)
               for variable, init in statement.variables if variable.name == "x"]
    assert reads_memory(init) == reads


def test_nodes_are_printed_by_their_base():
    """`dataclass` would compile a method for each of them, in every process that builds."""
    loop = ir.While(3, ir.Number(VOID, 1, "1", 1), ir.Break(4), None)
    assert repr(loop) == f"While(pos=3, condition=Number(type={VOID!r}, pos=1, text='1', value=1), body=Break(pos=4), unroll=None)"
    function = ir.Function("f", VOID, [], 1)
    function.callees.append(function)
    assert "callees=[...]" in repr(function)
    pending = [ir.Node]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        assert kind is ir.Node or "__repr__" not in vars(kind), kind
