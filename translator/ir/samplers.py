"""Which samplers a kernel reads images with, where the program says it."""

from __future__ import annotations

from collections.abc import Iterable

from . import nodes as ir
from .constants import integer_value
from .types import Opaque, Type
from .walk import nodes_of_kinds, reachable

_PLACES = frozenset((ir.BuiltinCall, ir.Call, ir.CallBlock, ir.Declare))


def samplers_of(kernel: ir.Function, items: Iterable[ir.Item]) -> tuple[int, ...] | None:
    """The bits of all samplers that the kernel, or what it calls, names, also those among the program's items; None where one is an
    argument of the kernel's, or is not known."""
    if any(_is_sampler(parameter.type) for parameter in kernel.parameters):
        return None
    given: list[ir.Expr | None] = []
    values = {item.variable: item.init for item in items if isinstance(item, ir.VariableItem) and _is_sampler(item.variable.type)}
    for function in reachable(kernel, launches=True):
        for node in nodes_of_kinds(function.body, _PLACES):
            if isinstance(node, ir.Declare):
                values.update({variable: init for variable, init in node.variables if _is_sampler(variable.type)})
            else:
                given += [each for each in node.arguments if each.type is not None and _is_sampler(each.type)]
    found: set[int] = set()
    for each in given:
        if isinstance(each, ir.Name) and isinstance(each.symbol, ir.Variable) and each.symbol.scope == "parameter":
            continue  # of a function whose calls say what it is
        number = _value(values.get(each.symbol) if isinstance(each, ir.Name) and isinstance(each.symbol, ir.Variable) else each)
        if number is None:
            return None
        found.add(number)
    return tuple(sorted(found))


def _is_sampler(type: Type) -> bool:
    return isinstance(type, Opaque) and type.kind == "sampler"


def _value(sampler: ir.Expr | None) -> int | None:
    while isinstance(sampler, ir.Cast):
        sampler = sampler.operand
    return None if sampler is None else integer_value(sampler)
