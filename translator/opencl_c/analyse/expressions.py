"""Expressions (specification 6.5): names, operators, members, calls; every node leaves here with its type."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from pycparser import c_ast

from ....builtins import constants as builtin_constants
from ...diagnostics import Diagnostic
from ...ir import nodes as ir
from ...ir.literals import characters, in_bytes
from ...ir.names import cxx_name
from ...ir.packed import lies_packed
from ...ir.types import (
    BOOL,
    CHAR,
    INT,
    ULONG,
    VOID,
    Array,
    BlockType,
    FunctionType,
    Opaque,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
    Void,
    align_of,
    is_class,
    is_float,
    is_integer,
    mask_type,
    size_of,
)  # fmt: skip
from ..parse import tree
from . import halves, literals
from .assignments import Assignments
from .calls import Calls
from .conversions import is_null
from .operators import Operators
from .overloads import place_space, spaces_convert, spelled_type
from .restrictions import is_handed_over_only
from .scope import Qualified, Rules, Scope, Unit
from .unaligned import Unaligned, less_alignment, weaker
from .vectors import Vectors

_PREFIXES = ("+", "-", "~", "!", "*", "&")


class Place(NamedTuple):
    """What an expression designates: whether it is an lvalue, and the qualifiers of the object."""

    lvalue: bool
    const: bool = False
    volatile: bool = False


_CHANGEABLE = Place(True)


class Expressions:
    def __init__(self, unit: Unit):
        self.unit = unit
        self.calls = Calls(unit)
        self.vectors = Vectors(unit)
        self.operators = Operators(unit)
        self.assignments = Assignments(unit)
        self.unaligned = Unaligned(unit)
        self._rules = Rules({
            c_ast.Constant: self._constant, c_ast.ID: self.name, c_ast.UnaryOp: self._unary, c_ast.BinaryOp: self._binary,
            c_ast.TernaryOp: self._conditional, c_ast.Assignment: self.assignments.assignment, c_ast.ArrayRef: self._index,
            c_ast.StructRef: self._member, c_ast.FuncCall: self.calls.analyse, c_ast.ExprList: self._sequence, c_ast.Cast: self._prefixed,
            c_ast.CompoundLiteral: self._compound_literal, tree.VectorLiteral: self.vectors.literal,
            tree.BlockLiteral: lambda node: unit.blocks.literal(node),
            tree.StatementExpression: lambda node: unit.extensions.statement_expression(node),
            tree.GenericSelection: lambda node: self.analyse(unit.extensions.selected(node)), tree.Analysed: lambda node: node.expression,
        }, otherwise=self._refused)  # fmt: skip

    def analyse(self, node: c_ast.Node) -> ir.Expr:
        expr: ir.Expr = self._rules[type(node)](node)
        return expr

    def _refused(self, node: c_ast.Node) -> ir.Expr:
        raise self.unit.fail(node.coord, f"'{type(node).__name__}' expressions are not supported yet by cl2cuda")

    def value(self, node: c_ast.Node) -> ir.Expr:
        """An expression whose value is used: arrays decay, void is refused."""
        expr: ir.Expr = self._rules[type(node)](node)
        return expr if expr.type.is_plain else self.used(expr)

    def used(self, expr: ir.Expr) -> ir.Expr:
        if expr.type.is_plain:
            return expr
        expr = self.unit.conversions.decay(expr)
        if isinstance(expr.type, Void):
            raise self.unit.fail(expr.pos, "a value of type 'void' cannot be used here")
        return expr

    # -- places ------------------------------------------------------------------------------------------------------

    def place(self, expr: ir.Expr) -> Place:
        if isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable):
            v = expr.symbol
            const = v.const or v.space == "constant" or (
                self.unit.blocks.captured(v, self.unit.function) and not isinstance(v.type, Array))
            return Place(True, const, v.volatile) if const or v.volatile else _CHANGEABLE
        if isinstance(expr, ir.Unary) and expr.op == "*" and isinstance(expr.operand.type, Pointer):
            return Place(True, expr.operand.type.const, expr.operand.type.volatile)
        if isinstance(expr, ir.Index):
            if isinstance(expr.base.type, Pointer):
                return Place(True, expr.base.type.const, expr.base.type.volatile)
            outer = self.place(expr.base)
            array = expr.base.type
            lvalue = outer.lvalue or isinstance(array, Array)
            return Place(lvalue, outer.const or (isinstance(array, Array) and array.const), outer.volatile)
        if isinstance(expr, (ir.Member, ir.Component)):
            if isinstance(expr, ir.Member) and isinstance(expr.base.type, Pointer):
                outer, record = Place(True, expr.base.type.const, expr.base.type.volatile), expr.base.type.pointee
            else:
                outer, record = self.place(expr.base), expr.base.type
            field = record.find(expr.name) if isinstance(record, Record) and isinstance(expr, ir.Member) else None
            volatile = outer.volatile or bool(outer.lvalue and field and field.volatile)  # a value has no qualifiers
            volatile = volatile and not self.assignments.is_packed_place(expr)
            return Place(outer.lvalue, outer.const or bool(field and field.const), volatile)
        if isinstance(expr, ir.VolatileObject) and expr.place:
            return Place(True)
        return Place(isinstance(expr, (ir.CompoundLiteral, ir.String)))

    # -- primary -----------------------------------------------------------------------------------------------------

    def _constant(self, node: c_ast.Constant) -> ir.Expr:
        if node.type == "string":
            length = len(characters(node.value[1:-1])) + 1
            return ir.String(Array(CHAR, length, const=True), node.coord, in_bytes(node.value))
        if node.type == "wide string":
            raise self.unit.fail(node.coord, "a wide string may only initialize an array")
        return literals.number(self.unit, node.type, node.value, node.coord)

    def name(self, node: c_ast.ID) -> ir.Expr:
        unit = self.unit
        found = unit.scope.find(node.name)
        if isinstance(found, ir.Variable):
            if isinstance(found.type, BlockType):
                unit.blocks.check_use(found, node.coord)
            if found.extern:
                unit.extern_uses.setdefault(found, node.coord)
            if found.scope == "program" and unit.function is not None:
                unit.function.variables.add(found)
            return ir.Name(found.type, node.coord, found)
        if isinstance(found, ir.Enumerator):
            return ir.Name(found.type, node.coord, found)
        if isinstance(found, list) and found[0].block:
            return self.unit.blocks.name(found[0], node.coord)
        if isinstance(found, list):
            raise self.unit.fail(node.coord, f"taking address of function '{node.name}' is not allowed")
        if isinstance(found, Qualified):
            raise self.unit.fail(node.coord, f"unexpected type name '{node.name}': expected expression")
        if node.name in ("true", "false"):
            return ir.Number(BOOL, node.coord, node.name, int(node.name == "true"))
        gnu = node.name in ("__FUNCTION__", "__PRETTY_FUNCTION__")  # GNU C's, in every version
        if (gnu or (node.name == "__func__" and self.unit.dialect.version >= 120)) and self.unit.function is not None:  # 6.12
            name = self.unit.function.name
            return ir.String(Array(CHAR, len(name) + 1, const=True), node.coord, f'"{name}"')
        constant = builtin_constants.constants.get(node.name)
        if constant is not None and constant.type == "half" and constant.number is not None:
            return halves.number(constant.number, node.coord, node.name)
        if constant is not None:
            return ir.BuiltinConstant(spelled_type(constant.type), node.coord, node.name, constant.integer, constant.number)
        raise self.unit.fail(node.coord, f"use of undeclared identifier '{node.name}'", *self._did_you_mean(node.name))

    def _did_you_mean(self, name: str) -> list[Diagnostic]:
        scope: Scope | None = self.unit.scope
        names: set[str] = set()
        while scope is not None:
            names.update(scope.names)
            scope = scope.parent
        import difflib  # which a program without errors does not need

        near = difflib.get_close_matches(name, names, 1, 0.75)
        return [self.unit.note(None, f"did you mean '{near[0]}'?")] if near else []

    # -- operators ---------------------------------------------------------------------------------------------------

    def _unary(self, node: c_ast.UnaryOp) -> ir.Expr:
        if node.op in ("sizeof", "vec_step", "_Alignof", "__alignof__"):
            return self._size(node)
        if node.op in ("++", "--", "p++", "p--"):
            return self.assignments.step(node)
        return self._prefixed(node)

    def _prefixed(self, node: c_ast.UnaryOp | c_ast.Cast) -> ir.Expr:
        """Operators and casts before an expression: in a loop, for programs have thousands in a row."""
        prefixes: list[c_ast.UnaryOp | c_ast.Cast] = []
        inner: c_ast.Node = node
        while isinstance(inner, c_ast.Cast) or (isinstance(inner, c_ast.UnaryOp) and inner.op in _PREFIXES):
            prefixes.append(inner)
            inner = inner.expr
        expr = self.analyse(inner)
        for each in reversed(prefixes):
            if isinstance(each, c_ast.Cast):
                expr = self.unit.conversions.cast(expr, self.unit.declarations.type_name(each.to_type), each.coord)
            else:
                expr = self._address(expr, each) if each.op == "&" else self._operator(self.used(expr), each)
        return expr

    def _operator(self, operand: ir.Expr, node: c_ast.UnaryOp) -> ir.Expr:
        op, unit = node.op, self.unit
        if isinstance(operand.type, BlockType):
            raise unit.fail(node.coord, f"invalid argument type '{operand.type}' to unary expression")
        if op == "*":
            if not isinstance(operand.type, Pointer):
                raise unit.fail(node.coord, f"indirection requires pointer operand ('{operand.type}' invalid)")
            array = operand.operand if isinstance(operand, ir.Cast) and operand.implicit else operand
            if isinstance(array.type, Array) and lies_packed(array):
                # Through the pointer to its first element, what lies packed would be taken for aligned.
                return ir.Index(array.type.element, node.coord, array, ir.Number(INT, node.coord, "0", 0))
            return self.pointed(operand, node.coord)
        if op == "!":
            if isinstance(operand.type, Vector):
                return ir.Unary(mask_type(operand.type), node.coord, op, operand)
            return ir.Unary(INT, node.coord, op, unit.conversions.condition(operand, "operand"))
        if not isinstance(operand.type, (Scalar, Vector)) or (op == "~" and not is_integer(operand.type)):
            raise unit.fail(node.coord, f"invalid argument type '{operand.type}' to unary expression")
        operand = unit.conversions.promote(operand)
        least = literals.least_long(operand, node.coord) if op == "-" else None
        if least is not None:
            return least
        return halves.negated(operand, op) or ir.Unary(operand.type, node.coord, op, operand)

    def pointed(self, pointer: ir.Expr, pos: int) -> ir.Expr:
        """What the pointer leads to."""
        assert isinstance(pointer.type, Pointer)
        if isinstance(pointer.type.pointee, Void):  # C99 6.5.3.2: a place without a type, of which C++ knows none
            return ir.Cast(VOID, pos, pointer, True)
        return self.unaligned.pointed(pointer, pos) or ir.Unary(pointer.type.pointee, pos, "*", pointer)

    def _size(self, node: c_ast.UnaryOp) -> ir.Expr:
        if isinstance(node.expr, c_ast.Typename):
            named = self.unit.declarations.qualified(node.expr)
            type, aligned = named.type, named.aligned
            less = less_alignment(named)
            if less is not None and node.op not in ("sizeof", "vec_step"):
                return ir.Number(ULONG, node.coord, f"{less}ul", less)
        else:
            operand = self.analyse(node.expr)
            type, aligned = operand.type, None
            if isinstance(operand, ir.Name) and isinstance(operand.symbol, ir.Variable):
                aligned = operand.symbol.aligned
        sizeless = isinstance(type, (Void, FunctionType, BlockType)) and node.op != "vec_step"
        unsized = isinstance(type, Array) and type.length is None and node.op == "sizeof"
        if sizeless or unsized or (isinstance(type, Record) and type.fields is None):
            raise self.unit.fail(node.coord, f"invalid application of '{node.op}' to an incomplete type '{type}'")
        if node.op == "vec_step":
            # 6.15.13: the elements of a vector, 4 for three of them, 1 of a scalar or void.
            width = type.width if isinstance(type, Vector) else 1
            return ir.Number(INT, node.coord, str(4 if width == 3 else width), 4 if width == 3 else width)
        if node.op != "sizeof":
            align = max(align_of(type), aligned or 1)
            return ir.Number(ULONG, node.coord, f"{align}ul", align)
        if isinstance(type, Opaque) and type.kind == "image":
            # 6.5.11: "implementation-defined"; here what an argument's size is (cl_mem, API 5.9.2), as for clang.
            return ir.Number(ULONG, node.coord, "8ul", 8)
        return ir.SizeOf(ULONG, node.coord, type, size_of(type))

    def _address(self, operand: ir.Expr, node: c_ast.UnaryOp) -> ir.Expr:
        if isinstance(operand, ir.Cast) and operand.implicit and isinstance(operand.type, Void):
            return operand.operand  # the address of what a pointer to void leads to
        place = self.place(operand)
        if isinstance(operand.type, BlockType):
            raise self.unit.fail(node.coord, f"invalid argument type '{operand.type}' to unary expression")
        if isinstance(operand, (ir.Component, ir.Swizzle)) or (isinstance(operand, ir.Index) and isinstance(operand.base.type, Vector)):
            raise self.unit.fail(node.coord, "address of vector element requested")
        if not place.lvalue:
            raise self.unit.fail(node.coord, f"cannot take the address of an rvalue of type '{operand.type}'")
        self.unit.restrictions.check_pointee(operand.type, node.coord)
        pointer_to = self.unaligned.pointer_to(operand)
        if pointer_to is not None:
            return pointer_to
        self.materialise(operand)
        space = place_space(operand)
        pointer = Pointer(operand.type, space, place.const or space == "constant", place.volatile)  # type: ignore[arg-type]
        return ir.Unary(pointer, node.coord, "&", operand)

    def effect(self, node: c_ast.Node) -> ir.Expr:
        """An expression whose value nobody uses: v.xy++ is then ++v.xy, which costs less."""
        if isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--"):
            return self.assignments.step(node, used=False)
        return self.analyse(node)

    def _binary(self, node: c_ast.BinaryOp) -> ir.Expr:
        # A long chain a + b + c … leans to the left: walk it in a loop rather than by recursion.
        chain, inner = [node], node.left
        while isinstance(inner, c_ast.BinaryOp):
            chain.append(inner)
            inner = inner.left
        left = self.value(inner)
        for each in reversed(chain):
            left = self.operators.binary(each.op, left, self.value(each.right), each.coord)
        return left

    def _conditional(self, node: c_ast.TernaryOp) -> ir.Expr:
        # a ? b : c ? d : … is walked in a loop.
        conversions = self.unit.conversions
        links: list[tuple[int, ir.Expr | None, ir.Expr, ir.Expr]] = []
        last: c_ast.Node = node
        while isinstance(last, c_ast.TernaryOp):
            condition = self.value(last.cond)
            if last.iftrue is None:
                links.append((last.coord, *self.unit.extensions.evaluated_once(condition)))
            else:
                links.append((last.coord, None, condition, conversions.decay(self.analyse(last.iftrue))))
            last = last.iffalse
        chosen = conversions.decay(self.analyse(last))
        for coord, lead, condition, yes in reversed(links):
            chosen = self._choice(coord, lead, condition, yes, chosen)
        return chosen

    def _choice(self, pos: int, lead: ir.Expr | None, condition: ir.Expr, yes: ir.Expr, no: ir.Expr) -> ir.Expr:
        unit, conversions = self.unit, self.unit.conversions
        if isinstance(condition.type, Vector):
            selected = self.vectors.select(condition, yes, no, pos)
            return selected if lead is None else ir.Sequence(selected.type, pos, lead, selected)
        if is_float(condition.type):
            # 6.5.9: "the first expression … can be a scalar or vector result except float".
            raise unit.fail(condition.pos, f"used type '{condition.type}' where floating point type is not allowed")
        condition = conversions.condition(condition, "operand")
        yes, no = self.assignments.unbound(yes), self.assignments.unbound(no)
        a, b = yes.type, no.type
        if isinstance(a, BlockType) or isinstance(b, BlockType):
            raise unit.fail(pos, "block type cannot be used as expression in ternary expression in OpenCL")
        # Scalars of one type are promoted all the same: the result of two chars is an int (C99 6.5.15).
        if a == b and not isinstance(a, Scalar) and not is_handed_over_only(a):
            return ir.Conditional(weaker(a, b), pos, condition, yes, no)
        if isinstance(a, (Scalar, Vector)) and isinstance(b, (Scalar, Vector)):
            yes, no, type = conversions.operands(yes, no, "?:", pos)
            if isinstance(type, Vector):
                yes, no = conversions.convert(yes, type, "converting to"), conversions.convert(no, type, "converting to")
            return ir.Conditional(type, pos, condition, yes, no)
        if isinstance(a, Void) or isinstance(b, Void):
            return ir.Conditional(VOID, pos, condition, conversions.cast(yes, VOID, yes.pos), conversions.cast(no, VOID, no.pos))
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            pointer = self._either_pointer(yes, no, pos)
            return ir.Conditional(pointer, pos, condition, conversions.convert(yes, pointer, "converting to"),
                                  conversions.convert(no, pointer, "converting to"))
        raise unit.fail(pos, f"incompatible operand types ('{a}' and '{b}')")

    def _either_pointer(self, yes: ir.Expr, no: ir.Expr, pos: int) -> Type:
        a, b = yes.type, no.type
        # C11 6.5.15: "if one operand is a null pointer constant, the result has the type of the other operand".
        for chosen, other in ((yes, no), (no, yes)):
            if isinstance(chosen.type, Pointer) and is_null(other):
                return chosen.type
        if isinstance(a, Pointer) and isinstance(b, Pointer) and a.space != b.space:
            # 6.7.9, clause 6.5.15, against the example of 6.7.5: the generic address space does not join two others by itself.
            self.operators.require_overlap(yes, no, pos, "conditional operator with the second and third operands of type")
            return weaker(a, b) if spaces_convert(b.space, a.space) else weaker(b, a)
        first = isinstance(a, Pointer) and not (isinstance(b, Pointer) and (b.const or isinstance(b.pointee, Void)))
        return weaker(a, b) if first else weaker(b, a)

    # -- postfix -----------------------------------------------------------------------------------------------------

    def _index(self, node: c_ast.ArrayRef) -> ir.Expr:
        base, index = self.analyse(node.name), self.value(node.subscript)
        if isinstance(index.type, (Pointer, Array)) and isinstance(base.type, Scalar):
            base, index = index, base
        if not isinstance(index.type, Scalar) or index.type.kind == "float":
            raise self.unit.fail(node.coord, "array subscript is not an integer")
        if isinstance(base.type, Array):
            return ir.Index(base.type.element, node.coord, base, index)
        if isinstance(base.type, Pointer) and not isinstance(base.type.pointee, FunctionType):
            if base.type.aligned is not None or isinstance(base.type.pointee, Void):
                return self.pointed(self.operators.binary("+", base, index, node.coord), node.coord)
            return ir.Index(base.type.pointee, node.coord, base, index)
        if isinstance(base, ir.Swizzle) and len(set(base.indices)) == len(base.indices):
            return self.vectors.indexed(base, index, node.coord)
        if isinstance(base.type, Vector):
            vector = base if self.place(base).lvalue else self.assignments.unbound(base)
            return ir.Index(base.type.element, node.coord, vector, index)
        raise self.unit.fail(node.coord, "subscripted value is not an array, pointer, or vector")

    def _member(self, node: c_ast.StructRef) -> ir.Expr:
        unit = self.unit
        base = self.analyse(node.name)
        name = node.field.name
        arrow = node.type == "->"
        if arrow:
            base = unit.conversions.decay(base)
            if not isinstance(base.type, Pointer):
                raise unit.fail(node.coord, f"member reference type '{base.type}' is not a pointer; did you mean to use '.'?")
            object_type: Type = base.type.pointee
        else:
            base = self.assignments.apart(base)
            object_type = base.type
            if isinstance(object_type, Pointer):
                raise unit.fail(node.coord, f"member reference type '{base.type}' is a pointer; did you mean to use '->'?")
        if isinstance(object_type, Vector):
            if arrow:
                base = self.pointed(base, node.coord)
            return self.vectors.components(base, name, node.field.coord)
        if not isinstance(object_type, Record) or object_type.fields is None:
            raise unit.fail(node.coord, f"member reference base type '{object_type}' is not a structure or union")
        if arrow and (pointed := self.unaligned.pointed(base, node.coord)) is not None:
            base, arrow = pointed, False
        field = object_type.find(cxx_name(name))
        if field is None:
            raise unit.fail(node.field.coord, f"no member named '{name}' in '{object_type}'")
        member = ir.Member(field.type, node.coord, base, arrow, cxx_name(name))
        if self.assignments.is_packed_place(member):
            return dataclasses.replace(member, base=unit.conversions.nonvolatile_base(base))
        volatile = field.volatile and is_class(field.type) and (arrow or self.place(base).lvalue)
        return ir.Member(field.type, node.coord, base, arrow, cxx_name(name), volatile)

    def _sequence(self, node: c_ast.ExprList) -> ir.Expr:
        result = self.effect(node.exprs[0])
        for each in node.exprs[1:]:
            right = self.unit.conversions.decay(self.analyse(each))
            result = ir.Sequence(right.type, each.coord, result, right)
        return result

    def _compound_literal(self, node: c_ast.CompoundLiteral) -> ir.Expr:
        type = self.unit.declarations.type_name(node.type)
        if isinstance(type, Vector):
            return self.vectors.literal(tree.VectorLiteral(node.type, node.init.exprs, coord=node.coord))
        type, init = self.unit.initialisers.analyse(node.init, type)
        literal = ir.CompoundLiteral(type, node.coord, init)
        if isinstance(type, Array):
            self.materialise(literal)
        return literal

    def materialise(self, expr: ir.Expr) -> None:
        """Gives the compound literal that the expression is, or is a part of, a variable: its address is taken, or it changes."""
        while (isinstance(expr, (ir.Member, ir.Index, ir.Component))) and not isinstance(expr.base.type, Pointer):
            expr = expr.base
        if isinstance(expr, ir.CompoundLiteral) and expr.variable is None:
            if self.unit.function is None:
                raise self.unit.fail(expr.pos, "a compound literal with an address at program scope is not supported yet by cl2cuda")
            expr.variable = self.unit.temporary(expr.type, expr.pos)
