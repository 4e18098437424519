"""Variables whose address is kept: pointers to them may live on in other variables."""

from __future__ import annotations

from .. import nodes as ir
from ..types import Array, Pointer
from .walk import every_statement, expressions_of, holds_pointer, target_variable

_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")


def taken(expression: ir.Expr) -> ir.Variable | None:
    """The variable whose address the expression itself takes: by `&`, or since arrays become pointers."""
    if isinstance(expression, ir.Unary) and expression.op == "&":
        return target_variable(expression.operand)
    if isinstance(expression, ir.Cast) and isinstance(expression.operand.type, Array):
        return target_variable(expression.operand)
    return None


class Addresses:
    """`taken`: variables whose address is used at all; `kept`: those where it may outlive the expression."""

    def __init__(self, statements: list[ir.Statement]):
        self.taken: set[ir.Variable] = set()
        self.kept: set[ir.Variable] = set()
        for statement in every_statement(statements):
            for expression in expressions_of(statement):
                self._visit(expression, False)

    def _visit(self, expression: ir.Expr, used_up: bool) -> None:
        stack = [(expression, used_up)]
        while stack:
            each, safe = stack.pop()
            variable = taken(each)
            if variable is not None:
                self.taken.add(variable)
                if not safe:
                    self.kept.add(variable)
            if isinstance(each, ir.StatementExpression):
                for statement in every_statement(each.body):
                    stack += [(inner, False) for inner in expressions_of(statement)]
                continue
            if isinstance(each, ir.CompoundLiteral) and each.variable is not None:
                self.taken.add(each.variable)
                self.kept.add(each.variable)
            stack += self._operands(each, safe)

    def _operands(self, each: ir.Expr, safe: bool) -> list[tuple[ir.Expr, bool]]:
        """The operands, each with whether an address that it gives is used up in it."""
        if isinstance(each, ir.Cast):
            return [(each.operand, safe and isinstance(each.type, Pointer))]
        if isinstance(each, ir.Unary):
            return [(each.operand, each.op in "*!")]
        if isinstance(each, ir.Index):
            return [(each.base, True), (each.index, False)]
        if isinstance(each, ir.Member):
            return [(each.base, True)]
        if isinstance(each, ir.Binary):
            within = each.op in _COMPARISONS or (safe and each.op in "+-")
            return [(each.left, within), (each.right, within)]
        if isinstance(each, ir.Conditional):
            return [(each.condition, True), (each.yes, safe), (each.no, safe)]
        if isinstance(each, ir.Sequence):
            return [(each.left, True), (each.right, safe)]
        if isinstance(each, ir.Call):
            function = each.function
            passed = not holds_pointer(function.result) and not any(keeps_pointers(p) for p in function.parameters)
            return [(argument, passed) for argument in each.arguments]
        if isinstance(each, ir.BuiltinCall):
            return [(argument, "*" not in each.overload.result) for argument in each.arguments]
        inner: list[tuple[ir.Expr, bool]] = []
        for value in vars(each).values():
            inner += [(v, False) for v in (value if isinstance(value, list) else [value]) if isinstance(v, ir.Expr)]
        return inner


def keeps_pointers(parameter: ir.Variable) -> bool:
    """Whether a function may leave a pointer where the parameter points to."""
    return isinstance(parameter.type, Pointer) and holds_pointer(parameter.type.pointee)
