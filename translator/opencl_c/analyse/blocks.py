"""Blocks (specification 6.14): literals, their types, what they capture, and the restrictions of 6.14.5.

A block becomes a lambda that captures by value; one at program scope, which captures nothing, becomes a function. A block's
value is known wherever it is used, so the type has no spelling in the output.
"""

from __future__ import annotations

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.types import VOID, Array, BlockType, FunctionType, Type, is_class
from ...ir.walk import expressions_of
from ..parse import tree
from .scope import Invalid, Qualified, Unit


class Blocks:
    def __init__(self, unit: Unit):
        self.unit = unit

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
        if outer is not None:
            function.callees, function.builtins, function.variables = outer.callees, outer.builtins, outer.variables
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
        return function

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

    def check_use(self, variable: ir.Variable, pos: int) -> None:
        if isinstance(variable.type, BlockType) and self.captured(variable, self.unit.function):
            raise self.unit.fail(pos, "cannot refer to a block inside block")

    def call(self, callee: ir.Expr, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        unit, type = self.unit, callee.type
        assert isinstance(type, BlockType)
        if len(arguments) != len(type.parameters):
            few = "few" if len(arguments) < len(type.parameters) else "many"
            raise unit.fail(pos, f"too {few} arguments to block call, expected {len(type.parameters)}, have {len(arguments)}")
        pairs = zip(arguments, type.parameters, strict=True)
        converted = [unit.conversions.convert(a, p, "passing to parameter of type") for a, p in pairs]
        return ir.CallBlock(type.result, pos, callee, converted)

    def at_program_scope(self, node: c_ast.Decl, type: BlockType) -> ir.Function:
        """A block variable of the program, as a function of its name."""
        unit = self.unit
        self.check_variable(node)
        if not isinstance(node.init, tree.BlockLiteral):
            what = "a block variable at program scope whose initializer is not a block literal"
            raise unit.fail(node.coord, f"{what} is not supported yet by cl2cuda")
        function = self.function(node.init, node.name)
        made = BlockType(function.result, tuple(p.type for p in function.parameters))
        if made != type:
            raise unit.fail(node.coord, f"incompatible block pointer types initializing '{type}' with an expression of type '{made}'")
        return function
