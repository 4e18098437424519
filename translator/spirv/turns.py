"""Loops that set their next turn's variables before the test of whether there is one.

Such a loop is one block to NVRTC, with its test at the end, as compilers make it of `for` and `while`. With anything behind the test
it is none: values that are computed before it are then moved behind it, and nothing is left to do while its outcome is awaited. A
Mandelbrot kernel took 1.4 times as long so on an H200.
"""

from __future__ import annotations

from collections import Counter

from ..ir import nodes as ir
from ..ir.walk import expressions_of
from . import build
from .structure import continues, each_list, looped


def assign_before_tests(statements: list[ir.Statement], next_turn: set[ir.Assign]) -> None:
    """next_turn: the assignments behind such tests, whose values are known before. There is no goto among the statements."""
    if not next_turn:
        return
    everywhere = _reads(statements)

    def visit(found: list[ir.Statement]) -> None:
        for number, each in enumerate(found):
            if isinstance(each, ir.While) and isinstance(each.body, ir.Block) and _moved(each, everywhere, next_turn) and (
                    build.constant_integer(each.condition) == 1):
                found[number] = looped(each.pos, each.body.statements, each.unroll)

    each_list(statements, visit)


def _moved(loop: ir.While, everywhere: Counter[ir.Symbol], next_turn: set[ir.Assign]) -> bool:
    """Moves those that neither the test, nor what stands behind the loop, nor an assignment that stays has to do with."""
    assert isinstance(loop.body, ir.Block)
    body = loop.body.statements
    at = len(body)
    while at and _set(body[at - 1], next_turn) is not None:
        at -= 1
    test = body[at - 1] if at else None
    if at == len(body) or not isinstance(test, ir.If) or test.no is not None or not _ends_loop(test.yes):
        return False
    here, read = _reads(loop), _symbols(test)
    first: list[ir.Statement] = []
    staying: list[ir.Statement] = []
    written: set[ir.Symbol] = set()
    for each in body[at:]:
        assign = _set(each, next_turn)
        assert assign is not None and isinstance(assign.target, ir.Name)
        symbol, values = assign.target.symbol, _symbols(assign.value)
        if symbol in read or here[symbol] != everywhere[symbol] or values & written:
            staying.append(each)
            written.add(symbol)
            read |= values
        else:
            first.append(each)
    body[at - 1 :] = [*first, test, *staying]
    return bool(first)


def _ends_loop(statement: ir.Statement) -> bool:
    """Whether no turn of the loop comes after the statement."""
    return isinstance(statement, ir.Block) and bool(statement.statements) and (
        isinstance(statement.statements[-1], (ir.Break, ir.Return)) and not continues(statement.statements))


def _set(statement: ir.Statement, next_turn: set[ir.Assign]) -> ir.Assign | None:
    expression = statement.expression if isinstance(statement, ir.Evaluate) else None
    return expression if isinstance(expression, ir.Assign) and expression in next_turn else None


def _symbols(piece: object) -> set[ir.Symbol]:
    return {each.symbol for each in expressions_of(piece) if isinstance(each, ir.Name)}


def _reads(piece: object) -> Counter[ir.Symbol]:
    """How often each is read."""
    found: Counter[ir.Symbol] = Counter()
    for each in expressions_of(piece):
        if isinstance(each, ir.Name):
            found[each.symbol] += 1
        elif isinstance(each, ir.Assign) and each.op == "=" and isinstance(each.target, ir.Name):
            found[each.target.symbol] -= 1
    return found
