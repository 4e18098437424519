"""Initialisers as C++ spells them: lists in braces, compound literals, and assignments where C++ has no initialiser."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..ir import nodes as ir
from ..ir.constants import integer_value, wrap
from ..ir.literals import characters
from ..ir.packed import PackedArray, without_arrays
from ..ir.types import Array, Scalar, Vector
from .expressions import ASSIGN, POSTFIX, PRIMARY, UNARY, ExpressionPrinter


class InitialiserPrinter:
    def __init__(self, expressions: ExpressionPrinter):
        self.expressions, self.types = expressions, expressions.types
        expressions.add_rule(ir.InitList, self._init_list)
        expressions.add_rule(ir.CompoundLiteral, self._compound_literal)

    def _init_list(self, expr: ir.InitList) -> tuple[str, int]:
        if expr.member is not None:
            assert expr.items[0] is not None
            return f"{{.{expr.member} = {self._braced(expr.items[0])}}}", PRIMARY
        whole, arrays = (expr, []) if self.expressions.at_program_scope else without_arrays(expr)
        if arrays:
            return self._stored_arrays(whole, arrays), POSTFIX
        return self._braces(expr), PRIMARY

    def _braces(self, expr: ir.InitList) -> str:
        return "{" + ", ".join("{}" if item is None else self._braced(item) for item in expr.items) + "}"

    def _stored_arrays(self, record: ir.InitList, arrays: Sequence[PackedArray]) -> str:
        """A record whose arrays are assigned to: what braces give the elements of an array in a packed record, NVRTC 13 stores
        as if they were aligned."""
        made, stores = "made", [store for each in arrays for store in self.stores(f"?.{each.path}", each.init)]
        text = self._braces(record)
        while re.search(rf"\b{made}\b", "".join([text, *stores])):
            made += "_"
        name = self.types.name(record.type)
        lines = [f"{name} {made} = {text}", *(store.replace("?", made, 1) for store in stores), f"return {made}"]
        return f"[&]() -> {name} {{ {' '.join(line + ';' for line in lines)} }}()"

    def _braced(self, item: ir.Expr) -> str:
        """What stands in braces must not narrow, save that C++ lets a constant that fits pass."""
        if isinstance(item, ir.Cast) and item.implicit and isinstance(item.type, Scalar) and item.type.kind == "int":
            value = integer_value(item.operand)
            if value is not None and wrap(value, item.type) == value:
                return self.expressions.value(item.operand, ASSIGN)
        if isinstance(item, ir.Conditional) and isinstance(item.type, Vector):
            # NVRTC 13.0 crashes where both vectors of a choice are written in braces and the choice itself stands in braces.
            self.expressions.without_braces += 1
            text = self.expressions.exact(item)
            self.expressions.without_braces -= 1
            return text
        return self.expressions.exact(item)

    def _compound_literal(self, expr: ir.CompoundLiteral) -> tuple[str, int]:
        if expr.variable is not None:
            return f"({', '.join([*self.stores(expr.variable.cxx_name, expr.init), expr.variable.cxx_name])})", PRIMARY
        name = self.types.name(expr.type)
        if not isinstance(expr.init, ir.InitList):
            return f"({name}){self.expressions.value(expr.init, UNARY)}", UNARY
        if " " in name:  # C++ wants one word before the braces
            self.types.use("item", "type_identity")
            name = f"{self.expressions.library('type_identity')}<{name}>"
        text, precedence = self._init_list(expr.init)
        return (text, precedence) if precedence == POSTFIX else (f"{name}{text}", PRIMARY)

    def stores(self, target: str, init: ir.Expr) -> list[str]:
        """Assignments that give a variable the value that `init` would initialise it with."""
        if isinstance(init.type, Array):
            if isinstance(init, ir.String):
                codes = [*characters(init.text[1:-1]), *[0] * (init.type.length or 0)][: init.type.length]
                return [f"{target}[{i}] = {code}" for i, code in enumerate(codes)]
            if isinstance(init, ir.InitList):
                stores: list[str] = []
                for i in range(init.type.length or len(init.items)):
                    item = init.items[i] if i < len(init.items) else None
                    if item is None and isinstance(init.type.element, Array):
                        item = ir.InitList(init.type.element, init.pos, [])
                    stores += [f"{target}[{i}] = {{}}"] if item is None else self.stores(f"{target}[{i}]", item)
                return stores
        text = self.expressions.value(init, ASSIGN)
        named = isinstance(init, ir.InitList) and not isinstance(init.type, Scalar) and text[:1] == "{"
        return [f"{target} = {self.types.name(init.type) if named else ''}{text}"]
