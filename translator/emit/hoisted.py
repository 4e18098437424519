"""What a function declares, and the output has before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache

from ..ir import nodes as ir
from ..ir.types import Array, FunctionType, Pointer, Record, Type
from ..ir.walk import expressions_of


def holds_pointer(type: Type) -> bool:
    if isinstance(type, Array):
        return holds_pointer(type.element)
    return isinstance(type, Pointer) or (isinstance(type, Record) and any(holds_pointer(f.type) for f in type.fields or ()))


def hoisted(statement: ir.Statement) -> list[tuple[ir.Variable, ir.Expr | None]]:
    """The function's variables of the constant and global address spaces."""
    declarations = [each for each in _declarations(statement) if isinstance(each, ir.Declare)]
    return [(v, init) for each in declarations for v, init in each.variables if v.space in ("constant", "global")]


def types_declared(statement: ir.Statement) -> list[ir.Item]:
    return [each.item for each in _declarations(statement) if isinstance(each, ir.DeclareType)]


def types_needed(items: list[ir.Item], variables: Iterable[tuple[ir.Variable, ir.Expr | None]]) -> list[ir.Item]:
    """Those of the items, which are types, that the variables and what they begin with name, themselves or through each other. Not
    typedefs, which have no name of their own."""
    records: set[Record] = set()
    enumerators: set[ir.Symbol] = set()
    for variable, init in variables:
        _add_records(variable.type, records)
        for each in expressions_of(init):
            _add_records(each.of if isinstance(each, ir.SizeOf) else each.type, records)
            if isinstance(each, ir.Name) and isinstance(each.symbol, ir.Enumerator):
                enumerators.add(each.symbol)
    return [item for item in items if (isinstance(item, ir.RecordItem) and item.record in records)
            or (isinstance(item, ir.EnumItem) and not enumerators.isdisjoint(item.enumerators))]


def _add_records(type: Type, found: set[Record]) -> None:
    """The records of which the type is made, or to which it leads."""
    stack = [type]
    while stack:
        each = stack.pop()
        if isinstance(each, Array):
            stack.append(each.element)
        elif isinstance(each, Pointer):
            stack.append(each.pointee)
        elif isinstance(each, FunctionType):
            stack += (each.result, *each.parameters)
        elif isinstance(each, Record) and each not in found:
            found.add(each)
            stack += (field.type for field in each.fields or ())


def _declarations(statement: ir.Statement) -> Iterator[ir.Declare | ir.DeclareType]:
    """Those among the statements, in the order of the text."""
    stack: list[ir.Statement] = [statement]
    while stack:
        each = stack.pop()
        if isinstance(each, (ir.Declare, ir.DeclareType)):
            yield each
            continue
        kind: type = type(each)
        for name in _inner_statements(kind):
            inner = getattr(each, name)
            if isinstance(inner, list):
                stack += reversed(inner)
            elif inner is not None:
                stack.append(inner)


@cache
def _inner_statements(kind: type) -> tuple[str, ...]:
    """The members in which such a statement has others, the last first."""
    return tuple(member.name for member in reversed(fields(kind)) if member.name in ("init", "yes", "no", "body", "statements"))
