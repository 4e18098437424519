"""What GNU C, C11 and clang add to expressions and statements: statement expressions, `_Generic`, `a ?: b`, inline assembly, assertions.

C++ has no statement expression, so one becomes a lambda that is called at once. Control flow cannot leave a lambda: where it
must, the statement expression is computed before the statement that it stands in, into a temporary.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import Vector, Void
from ..parse import tree
from . import immediates
from .scope import Unit

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_NAMED_OPERAND = re.compile(r"%\[(\w+)\]")


@cache
def _value_name(kind: type) -> str:
    """Where such a statement has the expression whose value goes straight to a place; "" where it has none."""
    names = {c_ast.Decl: "init", c_ast.Assignment: "rvalue", c_ast.Return: "expr"}
    return next((name for each, name in names.items() if issubclass(kind, each)), "")


def leaves(node: c_ast.Node) -> bool:
    """Whether control flow may leave the statement expression's body other than by its end."""
    stack = [(node, False, False)]
    while stack:
        each, in_loop, in_switch = stack.pop()
        if isinstance(each, (c_ast.Return, c_ast.Goto)):
            return True
        if (isinstance(each, c_ast.Break) and not (in_loop or in_switch)) or (isinstance(each, c_ast.Continue) and not in_loop):
            return True
        if isinstance(each, tree.BlockLiteral):
            continue
        in_loop, in_switch = in_loop or isinstance(each, _LOOPS), in_switch or isinstance(each, c_ast.Switch)
        stack += [(child, in_loop, in_switch) for _, child in each.children()]
    return False


def _apart(label: c_ast.Label) -> list[c_ast.Node]:
    """The labels, and the statement that they stand before."""
    labels = [label]
    while isinstance(labels[-1].stmt, c_ast.Label):
        labels.append(labels[-1].stmt)
    labelled, labels[-1].stmt = labels[-1].stmt, c_ast.EmptyStatement(label.coord)
    return [label, labelled]


class Extensions:
    def __init__(self, unit: Unit):
        self.unit = unit
        self.with_immediates: list[tuple[ir.Function, ir.Asm]] = []

    # -- statement expressions ---------------------------------------------------------------------------------------

    def statement_expression(self, node: tree.StatementExpression) -> ir.Expr:
        """({ … }) as a value."""
        unit = self.unit
        if unit.function is None:
            raise unit.fail(node.coord, "statement expression not allowed at file scope")
        if leaves(node.body):
            raise unit.fail(node.coord, "control flow that leaves a statement expression is not supported yet by cl2cuda in this place; "
                                        "assign the statement expression to a variable of its own first")
        found: list[ir.Expr] = []

        def result(value: ir.Expr) -> ir.Statement:
            found.append(value)
            return ir.Evaluate(value.pos, value) if isinstance(value.type, Void) else ir.Return(value.pos, value)

        with unit.statements.apart():
            body = self.body(node, result)
        return ir.StatementExpression(found[0].type if found else Void(), node.coord, body)

    def body(self, node: tree.StatementExpression, result: Callable[[ir.Expr], ir.Statement]) -> list[ir.Statement]:
        """The statements, the last of them made by `result` from the value."""
        unit = self.unit
        items = list(node.body.block_items or ())
        if items and isinstance(items[-1], c_ast.Label):
            items[-1:] = _apart(items[-1])
        value = items.pop() if items and unit.statements.is_expression(items[-1]) else None
        unit.open_scope()
        try:
            statements = unit.statements.items(items)
            if value is not None:
                statements.append(result(unit.conversions.decay(unit.expressions.analyse(value))))
            return statements
        finally:
            unit.close_scope()

    def hoisted(self, node: c_ast.Node) -> list[ir.Statement] | None:
        """What computes the statement expression that `node` is before the statement that uses it, when control flow leaves
        it; the node's place in the tree is then taken by the temporary with its value."""
        kind: type = type(node)
        name = _value_name(kind)
        if not name:
            return None
        inner = getattr(node, name)
        if not isinstance(inner, tree.StatementExpression) or not leaves(inner.body):
            return None
        unit = self.unit
        found: list[ir.Expr] = []

        def result(value: ir.Expr) -> ir.Statement:
            if isinstance(value.type, Void):
                raise unit.fail(value.pos, "a value of type 'void' cannot be used here")
            target = ir.Name(value.type, value.pos, unit.temporary(value.type, value.pos))
            found.append(target)
            return ir.Evaluate(value.pos, ir.Assign(value.type, value.pos, "=", target, value))

        body = self.body(inner, result)
        if not found:
            raise unit.fail(inner.coord, "a value of type 'void' cannot be used here")
        setattr(node, name, tree.Analysed(found[0], inner.coord))
        return [ir.Block(inner.coord, body, inner.coord)]

    # -- _Generic ----------------------------------------------------------------------------------------------------

    def selected(self, node: tree.GenericSelection) -> c_ast.Node:
        """The expression for the type of the first one, which is not evaluated (C11 6.5.1.1)."""
        unit = self.unit
        type = unit.conversions.decay(unit.expressions.analyse(node.expr)).type
        types = [unit.declarations.type_name(each) for each in node.types]
        for each, found in enumerate(types):
            if found in types[:each]:
                raise unit.fail(node.types[each].coord, f"type '{found}' in generic association compatible with an earlier one")
        if type in types:
            return node.choices[types.index(type)]
        if node.default is None:
            raise unit.fail(node.expr.coord, f"controlling expression type '{type}' not compatible with any generic association type")
        return node.default

    # -- a ?: b ------------------------------------------------------------------------------------------------------

    def evaluated_once(self, expr: ir.Expr) -> tuple[ir.Expr | None, ir.Expr, ir.Expr]:
        """What to do first, the expression as a condition, and its value again afterwards."""
        unit = self.unit
        again = unit.expressions.vectors.repeatable(expr) and not unit.expressions.place(expr).volatile
        if integer_value(expr) is not None or again or unit.function is None:
            return None, expr, expr
        name = ir.Name(expr.type, expr.pos, unit.temporary(expr.type, expr.pos))
        store = ir.Assign(expr.type, expr.pos, "=", name, expr)
        # Arguments, which the parts of a vector's selection are, have no order.
        return (store, name, name) if isinstance(expr.type, Vector) else (None, store, name)

    # -- inline assembly ---------------------------------------------------------------------------------------------

    def asm(self, node: tree.Asm) -> ir.Statement:
        """PTX; OpenCL C has none, NVIDIA's and clang's compilers pass it through, and so do we."""
        unit = self.unit
        if unit.function is None:
            raise unit.fail(node.coord, "inline assembly outside of a function is not supported yet by cl2cuda")
        if "goto" in node.qualifiers:
            raise unit.fail(node.coord, "'asm goto' is not supported by cl2cuda: PTX cannot jump out of inline assembly")
        outputs, inputs = [], []
        for operand in node.outputs:
            target = unit.expressions.analyse(operand.expr)
            unit.expressions.assignments.require_assignable(target, operand.coord)
            outputs.append((operand.constraint, self._operand(target)))
        for operand in node.inputs:
            inputs.append((operand.constraint, self._operand(unit.expressions.value(operand.expr))))
        numbers = {operand.name: i for i, operand in enumerate([*node.outputs, *node.inputs]) if operand.name}
        for name in _NAMED_OPERAND.findall(node.template):
            if name not in numbers:
                raise unit.fail(node.coord, f"unknown symbolic operand name '{name}' in inline assembly string")
        # NVRTC knows operands by number only.
        template = _NAMED_OPERAND.sub(lambda match: f"%{numbers[match[1]]}", node.template)
        made = ir.Asm(node.coord, template, "volatile" in node.qualifiers, outputs, inputs, node.clobbers)
        if any(constraint in immediates.CONSTRAINTS for constraint, _ in inputs):
            self.with_immediates.append((unit.function, made))
        return made

    def _operand(self, expr: ir.Expr) -> ir.Expr:
        if isinstance(expr.type, Vector):
            raise self.unit.fail(expr.pos, f"an operand of inline assembly cannot be a vector ('{expr.type}' invalid)")
        return expr

    # -- static assertions -------------------------------------------------------------------------------------------

    def static_assert(self, node: c_ast.StaticAssert) -> None:
        """_Static_assert(condition, message);"""
        value = integer_value(self.unit.expressions.value(node.cond))
        if value is None:
            raise self.unit.fail(node.coord, "static assertion expression is not an integral constant expression")
        if not value:
            text = f" {node.message.value}" if node.message is not None else ""
            raise self.unit.fail(node.coord, f"static assertion failed{text}")

    # -- __auto_type -------------------------------------------------------------------------------------------------

    def infer(self, node: c_ast.Decl) -> None:
        """Puts the initialiser's type where a declaration says `__auto_type`."""
        declared = node.type
        if not isinstance(declared, c_ast.TypeDecl) or not isinstance(declared.type, c_ast.IdentifierType):
            return
        if declared.type.names != ["__auto_type"]:
            return
        if node.init is None or isinstance(node.init, c_ast.InitList):
            raise self.unit.fail(node.coord, f"declaration of variable '{node.name}' with type '__auto_type' requires an initializer")
        value = self.unit.expressions.value(node.init)
        node.init = tree.Analysed(value, node.init.coord)
        declared.type = tree.Analysed(value, declared.type.coord)
