"""What a function declares, and the output has before it."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

from ..ir import nodes as ir
from ..ir.types import Array, Pointer, Record, Type


def holds_pointer(type: Type) -> bool:
    if isinstance(type, Array):
        return holds_pointer(type.element)
    return isinstance(type, Pointer) or (isinstance(type, Record) and any(holds_pointer(f.type) for f in type.fields or ()))


def hoisted(statement: ir.Statement) -> list[tuple[ir.Variable, ir.Expr | None]]:
    """The function's variables of the constant and global address spaces."""
    found: list[tuple[ir.Variable, ir.Expr | None]] = []
    stack: list[ir.Statement] = [statement]
    while stack:
        each = stack.pop()
        if isinstance(each, ir.Declare):
            found += [(v, init) for v, init in each.variables if v.space in ("constant", "global")]
            continue
        kind: type = type(each)
        for name in _inner_statements(kind):
            inner = getattr(each, name)
            if isinstance(inner, list):
                stack += reversed(inner)
            elif inner is not None:
                stack.append(inner)
    return found


@cache
def _inner_statements(kind: type) -> tuple[str, ...]:
    """The members in which such a statement has others, the last first."""
    return tuple(member.name for member in reversed(fields(kind)) if member.name in ("init", "yes", "no", "body", "statements"))
