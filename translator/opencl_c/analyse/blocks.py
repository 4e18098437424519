"""Blocks (specification 6.14): literals, their types, what they capture, and the restrictions of 6.14.5.

A block becomes a lambda that captures by value; one at program scope, which captures nothing, becomes a function. One that is enqueued
becomes a struct of what it captures, and a kernel. A block's value is known wherever it is used, so the type has no spelling in the
output.
"""

from __future__ import annotations

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.types import VOID, Array, BlockType, FunctionType, Opaque, Pointer, Type, is_class
from ...ir.walk import expressions_of
from ..parse import tree
from .scope import Invalid, Qualified, Unit


class Blocks:
    def __init__(self, unit: Unit):
        self.unit = unit
        self._blocks: dict[ir.Variable, ir.Function] = {}  # what block variables are
        self._pending: list[tuple[ir.Function, ir.Function]] = []  # blocks of the current function, each with the function around it

    def require(self, pos: int) -> None:
        if not self.unit.dialect.has("__opencl_c_device_enqueue"):
            raise self.unit.fail(pos, "blocks require OpenCL C 2.0 (-cl-std=CL2.0), or 3.0 with the __opencl_c_device_enqueue feature")

    # -- types -------------------------------------------------------------------------------------------------------

    def type(self, node: tree.BlockDecl) -> Qualified:
        """`result (^)(parameters)`."""
        self.require(node.coord)
        inner = self.unit.declarations.qualified(node.type)
        if not isinstance(inner.type, FunctionType):
            raise self.unit.fail(node.coord, "block pointer to non-function type is invalid")
        # Block variables are implicitly const.
        return Qualified(BlockType(inner.type.result, inner.type.parameters), const=True)

    def check_variable(self, node: c_ast.Decl) -> None:
        if node.init is None:
            raise self.unit.fail(node.coord, "invalid block variable declaration - must be initialized")
        if "extern" in node.storage:
            raise self.unit.fail(node.coord, "invalid block variable declaration - using 'extern' storage class is disallowed")

    # -- literals ----------------------------------------------------------------------------------------------------

    def literal(self, node: tree.BlockLiteral) -> ir.Expr:
        self.require(node.coord)
        function = self.function(node, "block")
        type = BlockType(function.result, tuple(p.type for p in function.parameters))
        return ir.BlockLiteral(type, node.coord, function, self._not_copied(function))

    def function(self, node: tree.BlockLiteral, name: str) -> ir.Function:
        """The literal's parameters and body as a function of its own."""
        unit, outer = self.unit, self.unit.function
        parameters, result = self._signature(node)
        function = ir.Function(name, result or VOID, parameters, node.coord, block=True, inferred=result is None,
                               nested=outer is not None)
        errors = unit.diagnostics.errors
        unit.open_scope()
        unit.function = function
        try:
            for parameter in parameters:
                if parameter.name:
                    unit.new_variable(parameter)
            with unit.statements.apart():
                function.body = unit.statements.block(node.body, scoped=False)
                unit.statements.check_labels(function)
        finally:
            unit.function = outer
            unit.close_scope()
        if unit.diagnostics.errors > errors:
            raise Invalid  # its result is not known
        if outer is not None:
            self._pending.append((outer, function))
        return function

    def settle(self) -> None:
        """At the end of a function: what its blocks call, it calls itself, unless they are only enqueued."""
        for outer, block in self._pending:  # inner ones first
            if block.called or not block.launched:
                outer.callees += block.callees
                outer.builtins |= block.builtins
                outer.variables |= block.variables
            if block.launched:
                block.captures = self._captured_by(block)
                outer.launches.append(block)
            outer.launches += block.launches
        self._pending.clear()

    def _captured_by(self, function: ir.Function) -> list[ir.Variable]:
        """The variables of the functions around it that a block names, or a block in it."""
        assert function.body is not None
        found: dict[ir.Variable, None] = {}
        for each in expressions_of(function.body):
            if isinstance(each, ir.Name) and isinstance(each.symbol, ir.Variable):
                found[each.symbol] = None
            elif isinstance(each, ir.BlockLiteral):
                found.update(dict.fromkeys(self._captured_by(each.function)))
        return sorted((v for v in found if self.captured(v, function)), key=lambda v: v.pos)

    def _signature(self, node: tree.BlockLiteral) -> tuple[list[ir.Variable], Type | None]:
        if node.type is None:
            return [], None
        declared = node.type.type
        if not isinstance(declared, c_ast.FuncDecl):
            return [], self.unit.declarations.type_name(node.type)
        parameters, _ = self.unit.declarations.parameters(declared)
        return parameters, None if declared.type is None else self.unit.declarations.qualified(declared.type).type

    def _not_copied(self, function: ir.Function) -> list[ir.Variable]:
        """What C++ cannot capture by copying it: arrays, which 6.14.5 has captured by reference, and volatile objects."""
        assert function.body is not None
        named: list[ir.Symbol] = []
        for each in expressions_of(function.body):
            if isinstance(each, ir.Name):
                named.append(each.symbol)
            elif isinstance(each, ir.BlockLiteral):
                named += each.captured
        found = {v: None for v in named if isinstance(v, ir.Variable) and self.captured(v, function)}
        uncopied = [v for v in found if isinstance(v.type, Array) or (v.volatile and is_class(v.type))]
        return sorted(uncopied, key=lambda v: v.pos)

    def captured(self, variable: ir.Variable, function: ir.Function | None) -> bool:
        """Whether the function is a block that sees a variable of the function around it."""
        automatic = variable.scope != "program" and not variable.static and variable.space == "private"
        return automatic and function is not None and function.block and variable.owner is not function.identity

    def returned(self, value: ir.Expr | None, pos: int) -> None:
        """The result of a block that does not state it is what its returns have (6.14.3)."""
        function = self.unit.function
        assert function is not None
        type = VOID if value is None else value.type
        if function.inferred and not function.returns:
            function.result = type
        elif function.inferred and function.result != type:
            rule = "when block literal has unspecified explicit return type"
            raise self.unit.fail(pos, f"return type '{type}' must match previous return type '{function.result}' {rule}")
        function.returns = True

    # -- uses --------------------------------------------------------------------------------------------------------

    def bind(self, variable: ir.Variable, init: ir.Expr) -> None:
        """A block variable's only value."""
        function = self.function_of(init)
        if function is not None:
            self._blocks[variable] = function

    def name(self, function: ir.Function, pos: int) -> ir.Expr:
        """A block variable of the program."""
        if self.unit.function is not None:
            self.unit.function.callees.append(function)
        return ir.BlockName(BlockType(function.result, tuple(p.type for p in function.parameters)), pos, function)

    def function_of(self, expr: ir.Expr) -> ir.Function | None:
        """The block that an expression of block type is."""
        if isinstance(expr, (ir.BlockLiteral, ir.BlockName)):
            return expr.function
        return self._blocks.get(expr.symbol) if isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable) else None

    def launched(self, expr: ir.Expr, pos: int) -> ir.Function:
        """The block that a function for enqueuing gets: it becomes a kernel."""
        function = self.function_of(expr)
        if function is None:
            raise self.unit.fail(pos, "it cannot be determined which block this is")  # 6.14.5
        function.launched = True
        if not function.nested and self.unit.function is not None:
            self.unit.function.launches.append(function)
        for variable in self._captured_by(function):
            self._check_captured(variable, pos)
        return function

    def _check_captured(self, variable: ir.Variable, pos: int) -> None:
        """6.15.19.1: "Blocks passed to enqueue_kernel cannot use global variables or stack variables local to the enclosing lexical
        scope that are a pointer type in the local or private address space"."""
        type, note = variable.type, self.unit.note(variable.pos, f"'{variable.name}' declared here")
        if isinstance(type, Pointer) and type.space in ("local", "private"):
            raise self.unit.fail(pos, f"a block that is enqueued cannot use '{variable.name}', a pointer to {type.space} memory", note)
        if isinstance(type, Opaque) and type.kind in ("event", "named_barrier"):
            raise self.unit.fail(pos, f"a block that is enqueued cannot use '{variable.name}' of type '{type}'", note)

    def check_use(self, variable: ir.Variable, pos: int) -> None:
        """Of a variable that is a block."""
        if self.captured(variable, self.unit.function):
            raise self.unit.fail(pos, "cannot refer to a block inside block")

    def call(self, callee: ir.Expr, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        unit, type = self.unit, callee.type
        assert isinstance(type, BlockType)
        if len(arguments) != len(type.parameters):
            few = "few" if len(arguments) < len(type.parameters) else "many"
            raise unit.fail(pos, f"too {few} arguments to block call, expected {len(type.parameters)}, have {len(arguments)}")
        pairs = zip(arguments, type.parameters, strict=True)
        converted = [unit.conversions.convert(a, p, "passing to parameter of type") for a, p in pairs]
        function = self.function_of(callee)
        if function is not None:
            function.called = True
        return ir.CallBlock(type.result, pos, callee, converted, function)

    def at_program_scope(self, node: c_ast.Decl, type: BlockType) -> ir.Function:
        """A block variable of the program, as a function of its name."""
        unit = self.unit
        self.check_variable(node)
        literal, casts = node.init, []
        while isinstance(literal, c_ast.Cast):
            casts.append(unit.declarations.type_name(literal.to_type))
            literal = literal.expr
        if not isinstance(literal, tree.BlockLiteral):
            what = "a block variable at program scope whose initializer is not a block literal"
            raise unit.fail(node.coord, f"{what} is not supported yet by cl2cuda")
        function = self.function(literal, node.name)
        made = BlockType(function.result, tuple(p.type for p in function.parameters))
        for cast in reversed(casts):
            if cast != made:
                raise unit.fail(node.coord, f"cannot cast from type '{made}' to type '{cast}'")
        if made != type:
            raise unit.fail(node.coord, f"incompatible block pointer types initializing '{type}' with an expression of type '{made}'")
        self.settle()
        return function
