"""Operands of inline PTX that are immediates: constraints "i", which NVRTC does not know, and "n".

What only becomes constant where a function is inlined, a parameter that every call gives a constant, is made constant in C++ too:
such a parameter carries its value in its type. An operand that is no constant goes into a register, as NVIDIA's compiler has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import Scalar, size_of
from ...ir.walk import expressions_of, nodes_of

CONSTRAINTS = ('"i"', '"n"')
_REGISTERS = {1: '"r"', 2: '"h"', 4: '"r"', 8: '"l"'}
_OPERATORS = (ir.Number, ir.SizeOf, ir.BuiltinConstant, ir.Cast, ir.Unary, ir.Binary, ir.Conditional)


def resolve(found: Sequence[tuple[ir.Function, ir.Asm]], functions: Sequence[ir.Function], whole: bool) -> None:
    """Settles the constraints of these statements. In a program that is not `whole` others may call what is not internal."""
    if found:
        immediates = _Immediates(functions, whole)
        for function, statement in found:
            for index, (constraint, expr) in enumerate(statement.inputs):
                if constraint in CONSTRAINTS:
                    constant = immediates.constant(function, expr)
                    statement.inputs[index] = ('"n"' if constant else _REGISTERS.get(size_of(expr.type), '"r"'), expr)


class _Immediates:
    def __init__(self, functions: Sequence[ir.Function], whole: bool):
        self.whole = whole
        self.calls: dict[ir.Function, list[tuple[ir.Function, ir.Call]]] = {}
        self.values: dict[ir.Variable, ir.Expr] = {}  # of constant variables
        self.changed: set[ir.Symbol] = set()
        for function in functions:
            for node in _nodes(function.body):
                self._note(function, node)

    def _note(self, function: ir.Function, node: ir.Expr | ir.Statement) -> None:
        if isinstance(node, ir.Call):
            self.calls.setdefault(node.function, []).append((function, node))
        elif isinstance(node, ir.Declare):
            self.values |= {v: init for v, init in node.variables if v.const and init is not None}
        else:
            place = node.target if isinstance(node, ir.Assign) else node.operand if isinstance(node, (ir.Step, ir.Unary)) else None
            if isinstance(place, ir.Name) and not (isinstance(node, ir.Unary) and node.op != "&"):
                self.changed.add(place.symbol)

    def constant(self, function: ir.Function, expr: ir.Expr) -> bool:
        """Whether C++ can take the expression for a constant; makes it one where parameters are what is in the way."""
        if integer_value(expr) is not None:
            return True
        parameters: list[ir.Variable] = []
        for each in expressions_of(expr):
            if isinstance(each, ir.Name) and isinstance(each.symbol, ir.Variable):
                symbol = each.symbol
                if symbol in function.parameters and symbol not in self.changed and isinstance(symbol.type, Scalar):
                    parameters.append(symbol)
                elif symbol not in self.values or not self.constant(function, self.values[symbol]):
                    return False
            elif not isinstance(each, (*_OPERATORS, ir.Name)) or not isinstance(each.type, Scalar) or each.type.kind == "float":
                return False
        return all(self._always_constant(function, each) for each in parameters)

    def _always_constant(self, function: ir.Function, parameter: ir.Variable) -> bool:
        if function.kernel or function.block or not (self.whole or function.internal):
            return False
        index = function.parameters.index(parameter)
        calls = self.calls.get(function, ())
        parameter.immediate = parameter.immediate or all(self.constant(caller, call.arguments[index]) for caller, call in calls)
        return parameter.immediate


def _nodes(body: object) -> Iterator[ir.Expr | ir.Statement]:
    """Every expression and statement of a function, and of the blocks in it."""
    for each in nodes_of(body):
        yield each
        if isinstance(each, ir.BlockLiteral):
            yield from _nodes(each.function.body)
