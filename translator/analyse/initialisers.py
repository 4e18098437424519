"""Initialisers (C99 6.7.8, specification 6.3.6): braces completed, designators put in order, leaves converted."""

from __future__ import annotations

from pycparser import c_ast

from .. import ir, tree
from ..names import cxx_name
from ..types import CHAR, UCHAR, Array, Field, Record, Type, Vector
from .constants import integer_value
from .literals import characters
from .scope import Unit


class Initialisers:
    def __init__(self, unit: Unit):
        self.unit = unit

    def analyse(self, node: c_ast.Node, type: Type) -> tuple[Type, ir.Expr]:
        """The initialiser of an object of that type, and the type with its array length completed."""
        if isinstance(type, Array):
            text = self._string(node, type)
            if text is not None:
                return text
            if not isinstance(node, c_ast.InitList):
                raise self.unit.fail(node.coord, "array initializer must be an initializer list")
            items = self._aggregate(Cursor(node.exprs or []), type, braced=True)
            whole = Array(type.element, len(items), type.const, type.volatile) if type.length is None else type
            return whole, ir.InitList(whole, node.coord, items)
        if isinstance(node, c_ast.InitList):
            return type, self._braced(node, type)
        return type, self.unit.conversions.convert(self.unit.expressions.value(node), type, "initializing")

    def _string(self, node: c_ast.Node, type: Array) -> tuple[Type, ir.Expr] | None:
        if isinstance(node, c_ast.InitList) and node.exprs and len(node.exprs) == 1:
            node = node.exprs[0]
        if not (isinstance(node, c_ast.Constant) and node.type == "string" and type.element in (CHAR, UCHAR)):
            return None
        codes = [*characters(node.value[1:-1]), 0]
        length = len(codes) if type.length is None else type.length
        whole = Array(type.element, length, type.const, type.volatile) if type.length is None else type
        if length >= len(codes) and type.element == CHAR:
            return whole, ir.String(whole, node.coord, node.value)
        # C++ wants room for the final zero, and takes no string for unsigned characters.
        numbers: list[ir.Expr | None] = [ir.Number(CHAR, node.coord, str(c), c) for c in codes[:length]]
        return whole, ir.InitList(whole, node.coord, numbers)

    def _braced(self, node: c_ast.InitList, type: Type) -> ir.Expr:
        exprs = node.exprs or []
        if isinstance(type, (Array, Record)):
            return ir.InitList(type, node.coord, self._aggregate(Cursor(exprs), type, braced=True))
        if isinstance(type, Vector) and len(exprs) != 1:
            parts = [self.unit.conversions.to_scalar(self.unit.expressions.value(e), type.element) for e in exprs]
            if len(parts) > type.width:
                raise self.unit.fail(node.coord, "excess elements in vector initializer")
            zeros = [ir.Number(type.element, node.coord, "0", 0)] * (type.width - len(parts))
            return ir.MakeVector(type, node.coord, [*parts, *zeros])
        if len(exprs) > 1:
            self.unit.warning(exprs[1].coord, "excess elements in scalar initializer")
        if not exprs:
            return ir.InitList(type, node.coord, [])
        return self.analyse(exprs[0], type)[1]

    def _aggregate(self, cursor: Cursor, type: Array | Record, braced: bool) -> list[ir.Expr | None]:
        """The items of an array or record. Without braces of its own it takes only as many as it needs (6.7.8.20)."""
        slots = self._slots(type)
        items: dict[int, ir.Expr | None] = {}
        position = 0
        while cursor.more():
            node = cursor.peek()
            if isinstance(node, c_ast.NamedInitializer):
                if not braced:
                    break
                position, slot = self._designated(node, type)
                cursor.take()
                items[position] = slot
                position += 1
                continue
            if slots is not None and position >= len(slots):
                if braced:
                    self.unit.warning(node.coord, f"excess elements in {'array' if isinstance(type, Array) else type.kind} initializer")
                    cursor.take()
                    continue
                break
            element = self._slot_type(type, position)
            items[position] = self._element(cursor, element)
            position += 1
            if isinstance(type, Record) and type.kind == "union":
                slots = slots[:position] if slots else slots
        return [items.get(i) for i in range(max(items, default=-1) + 1)]

    def _slots(self, type: Array | Record) -> list[Field] | range | None:
        """What can be initialised in order; None for an array that takes its length from the initialiser."""
        if isinstance(type, Record):
            return [f for f in type.fields or [] if f.name is not None or isinstance(f.type, Record)]
        return None if type.length is None else range(type.length)

    def _slot_type(self, type: Array | Record, position: int) -> Type:
        return type.element if isinstance(type, Array) else self._slots(type)[position].type  # type: ignore[index,union-attr]

    def _element(self, cursor: Cursor, type: Type) -> ir.Expr:
        node = cursor.peek()
        if isinstance(node, c_ast.InitList):
            cursor.take()
            return self._braced(node, type)
        if isinstance(type, Array):
            text = self._string(node, type)
            if text is not None:
                cursor.take()
                return text[1]
        if isinstance(type, (Array, Record)):
            if isinstance(type, Record):
                whole = self.unit.expressions.value(node)
                if whole.type == type:
                    cursor.take()
                    return whole
            return ir.InitList(type, node.coord, self._aggregate(cursor, type, braced=False))
        cursor.take()
        return self.unit.conversions.convert(self.unit.expressions.value(node), type, "initializing")

    def _designated(self, node: c_ast.NamedInitializer, type: Array | Record) -> tuple[int, ir.Expr]:
        first, rest = node.name[0], node.name[1:]
        if isinstance(type, Array):
            index = integer_value(self.unit.expressions.analyse(first.expr)) if isinstance(first, tree.ArrayDesignator) else None
            if index is None or index < 0 or (type.length is not None and index >= type.length):
                raise self.unit.fail(node.coord, "array designator index is not a constant within the array")
            position, element = index, type.element
        else:
            name = cxx_name(first.name) if isinstance(first, c_ast.ID) else ""
            fields = self._slots(type)
            found = [i for i, f in enumerate(fields or ()) if isinstance(f, Field) and f.name == name]
            if not found:
                raise self.unit.fail(node.coord, f"field designator '{name}' does not refer to any field in type '{type}'")
            if type.kind == "union" and found[0] != 0:
                raise self.unit.fail(node.coord, "designating a union's later member is not supported yet by cl2cuda")
            position, element = found[0], self._slot_type(type, found[0])
        if rest:
            inner = c_ast.InitList([c_ast.NamedInitializer(rest, node.expr, coord=node.coord)], coord=node.coord)
            return position, self._braced(inner, element)
        return position, self._element(Cursor([node.expr]), element)


class Cursor:
    """Where an initialiser list has been read to."""

    def __init__(self, nodes: list[c_ast.Node]):
        self.nodes, self.position = nodes, 0

    def more(self) -> bool:
        return self.position < len(self.nodes)

    def peek(self) -> c_ast.Node:
        return self.nodes[self.position]

    def take(self) -> None:
        self.position += 1
