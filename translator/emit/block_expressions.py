"""Blocks in expressions (6.14): lambdas, or, of those that kernels enqueue, structs; and calls of both."""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import Array, is_class
from .expressions import ASSIGN, POSTFIX, PRIMARY, ExpressionPrinter


class BlockPrinter:
    def __init__(self, expressions: ExpressionPrinter):
        self.expressions, self.types = expressions, expressions.types
        expressions.add_rule(ir.BlockLiteral, self._literal)
        expressions.add_rule(ir.BlockName, self._name)
        expressions.add_rule(ir.CallBlock, self._call)

    def _literal(self, expr: ir.BlockLiteral) -> tuple[str, int]:
        if not expr.function.launched:
            return self.head(expr) + f" {{ {self.expressions.inline_function(expr.function)} }}", PRIMARY
        struct = self.expressions.blocks.struct(expr.function)
        text = f"{struct}{{{', '.join(['{}', *map(self._captured_value, expr.function.captures)])}}}"
        for variable in expr.function.captures:
            if isinstance(variable.type, Array):
                self.types.use("item", "with_array")
                text = f"ocl::with_array({text}, &{struct}::{variable.cxx_name}, {variable.cxx_name})"
        return text, PRIMARY

    def _captured_value(self, variable: ir.Variable) -> str:
        """What the struct is initialised with; C++ copies no arrays that way."""
        if isinstance(variable.type, Array):
            return "{}"
        volatile = variable.volatile and is_class(variable.type)
        return self.expressions.load_volatile(variable.type, variable.cxx_name) if volatile else variable.cxx_name

    def _name(self, expr: ir.BlockName) -> tuple[str, int]:
        """What is called, or a struct without captures, to be enqueued."""
        function = expr.function
        return (f"{self.expressions.blocks.struct(function)}{{}}", PRIMARY) if function.launched else (function.cxx_name, PRIMARY)

    def head(self, expr: ir.BlockLiteral) -> str:
        """A lambda up to its body: it captures by value, arrays as pointers to their first element."""
        function = expr.function
        captures = ["=", *map(self._capture, expr.captured)] if function.nested else []
        parameters = ", ".join(self.types.declare(p.type, p.cxx_name, p.const, p.volatile) for p in function.parameters)
        return f"[{', '.join(captures)}]({parameters}) -> {self.types.name(function.result)}"

    def _capture(self, variable: ir.Variable) -> str:
        name, type = variable.cxx_name, variable.type
        return f"{name} = " + (f"&{name}[0]" if isinstance(type, Array) else self.expressions.load_volatile(type, name))

    def _call(self, expr: ir.CallBlock) -> tuple[str, int]:
        function = expr.function
        if function is not None and (function.launched or not function.nested):
            given = [expr.callee, *expr.arguments] if function.nested else expr.arguments
            name, more = self.expressions.blocks.name(function), self.expressions.sub_groups.argument(function)
        else:
            given, name, more = expr.arguments, self.expressions.value(expr.callee, POSTFIX), []
        texts = [self.expressions.value(a, ASSIGN) for a in given]
        return self.expressions.order.kept(given, texts, lambda texts: f"{name}({', '.join([*texts, *more])})"), POSTFIX
