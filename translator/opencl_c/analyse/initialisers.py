"""Initialisers (C99 6.7.8, specification 6.3.6): braces completed, designators put in order, leaves converted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.constants import folded_value, wrap
from ...ir.literals import characters, in_bytes, wide_characters
from ...ir.names import cxx_name
from ...ir.types import CHAR, INT, UCHAR, UINT, Array, Field, Record, Scalar, Type, Vector, is_zero_length
from ..parse import tree
from .scope import Unit

# Every element up to the last that has an initialiser is written out.
_MOST_ELEMENTS = 1 << 20


@dataclass(eq=False)
class Aggregate:
    """An array or record whose initialiser is being read: what has been given so far, by position."""

    type: Array | Record
    pos: int
    items: dict[int, Item] = field(default_factory=dict)

    @property
    def fields(self) -> list[Field]:
        """What can be initialised of a record, in order."""
        assert isinstance(self.type, Record)
        return [f for f in self.type.fields or [] if (f.name is not None or isinstance(f.type, Record)) and not is_zero_length(f.type)]

    @property
    def is_flexible(self) -> bool:
        """Of a record: whether it ends with C99's `[]`, which the list of initialisers has no place for."""
        assert isinstance(self.type, Record)
        return any(isinstance(field.type, Array) and field.type.length is None for field in self.type.fields or ())

    @property
    def count(self) -> int | None:
        """How many initialisers it takes in a row; None for an array that takes its length from them."""
        if isinstance(self.type, Array):
            return self.type.length
        return len(self.fields[:1]) if self.type.kind == "union" else len(self.fields)

    def element(self, position: int) -> Type:
        return self.type.element if isinstance(self.type, Array) else self.fields[position].type

    def put(self, position: int, item: Item) -> None:
        if isinstance(self.type, Record) and self.type.kind == "union":
            self.items.clear()  # the last one given counts
        self.items[position] = item


Item = Union[ir.Expr, Aggregate]


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
        if isinstance(node, c_ast.InitList):
            made = self._made(self._braced(node, type))
            return made.type, made
        return type, self.unit.conversions.convert(self.unit.expressions.value(node), type, "initializing")

    def _string(self, node: c_ast.Node, type: Array) -> tuple[Type, ir.Expr] | None:
        if isinstance(node, c_ast.InitList) and node.exprs and len(node.exprs) == 1:
            node = node.exprs[0]
        if not (isinstance(node, c_ast.Constant) and node.type in ("string", "wide string")):
            return None
        is_wide = node.type == "wide string"
        if is_wide and type.element not in (INT, UINT):
            raise self.unit.fail(node.coord, f"initializing '{type.element}' array with a wide string")
        if not is_wide and type.element not in (CHAR, UCHAR):
            return None
        text = node.value[1:-1]
        codes = [*([wrap(code, INT) for code in wide_characters(text)] if is_wide else characters(text)), 0]
        length = len(codes) if type.length is None else type.length
        if length < len(codes) - 1:
            self.unit.warning(node.coord, "initializer-string for char array is too long")
        whole = Array(type.element, length, type.const, type.volatile) if type.length is None else type
        if length >= len(codes) and type.element == CHAR:
            return whole, ir.String(whole, node.coord, in_bytes(node.value))
        # C++ wants room for the final zero, takes no string for unsigned characters, and has a type of its own for wide ones.
        of = INT if is_wide else CHAR
        numbers: list[ir.Expr | None] = [ir.Number(of, node.coord, str(c), c) for c in codes[:length]]
        return whole, ir.InitList(whole, node.coord, numbers)

    # -- reading -----------------------------------------------------------------------------------------------------

    def _braced(self, node: c_ast.InitList, type: Type) -> Item:
        exprs = node.exprs or []
        if isinstance(type, (Array, Record)):
            whole = Aggregate(type, node.coord)
            self._fill(Cursor(exprs), whole, braced=True)
            return whole
        if not exprs and not isinstance(type, Scalar):
            return ir.InitList(type, node.coord, [])
        if isinstance(type, Vector):
            parts = [self.unit.expressions.value(each) for each in exprs]
            same = len(parts) == 1 and parts[0].type == type
            return parts[0] if same else self.unit.expressions.vectors.assembled(type, parts, node.coord)
        if len(exprs) > 1:
            self.unit.warning(exprs[1].coord, "excess elements in scalar initializer")
        if not exprs:
            raise self.unit.fail(node.coord, "scalar initializer cannot be empty")
        if isinstance(exprs[0], c_ast.NamedInitializer):
            raise self.unit.fail(exprs[0].coord, f"designator in initializer for scalar type '{type}'")
        return self.analyse(exprs[0], type)[1]

    def _fill(self, cursor: Cursor, whole: Aggregate, braced: bool, position: int = 0) -> None:
        """Reads initialisers into the aggregate. Without braces of its own it takes only as many as it needs (6.7.8.20)."""
        count = whole.count
        # An array of nothing but numbers or pointers, which may be a long table.
        element = whole.type.element if isinstance(whole.type, Array) and whole.type.element.is_plain else None
        while cursor.more():
            node = cursor.peek()
            if isinstance(node, c_ast.NamedInitializer):
                if not braced:
                    return
                position = self._designated(cursor, node, whole)
                if isinstance(whole.type, Record):
                    count = position if whole.type.kind == "union" else count
                continue
            if count is not None and position >= count:
                if not braced:
                    return
                kind = "array" if isinstance(whole.type, Array) else whole.type.kind
                if isinstance(whole.type, Record) and whole.is_flexible:
                    raise self.unit.fail(node.coord, "initialization of a flexible array member is not supported in OpenCL")
                self.unit.warning(node.coord, f"excess elements in {kind} initializer")
                cursor.take()
                continue
            if element is None or isinstance(node, c_ast.InitList):
                self._element(cursor, whole, position)
            else:
                cursor.take()
                whole.items[position] = self.unit.conversions.convert(self.unit.expressions.value(node), element, "initializing")
            position += 1

    def _element(self, cursor: Cursor, whole: Aggregate, position: int) -> None:
        """Reads what initialises one element or field: an initialiser in braces, or as many without as it needs."""
        node, type = cursor.peek(), whole.element(position)
        if isinstance(node, c_ast.InitList):
            cursor.take()
            text = self._string(node, type) if isinstance(type, Array) else None
            whole.put(position, text[1] if text is not None else self._braced(node, type))
            return
        if isinstance(type, Array):
            text = self._string(node, type)
            if text is not None:
                cursor.take()
                whole.put(position, text[1])
                return
        if isinstance(type, (Array, Record)):
            value = self.unit.expressions.value(node) if isinstance(type, Record) else None
            if value is not None and value.type == type:
                cursor.take()
                whole.put(position, value)
                return
            if value is not None:
                cursor.replace(tree.Analysed(value, node.coord))
            inner = Aggregate(type, node.coord)
            whole.put(position, inner)
            if inner.count == 0:
                cursor.take()
            self._fill(cursor, inner, braced=False)
            return
        cursor.take()
        whole.put(position, self.unit.conversions.convert(self.unit.expressions.value(node), type, "initializing"))

    # -- designators -------------------------------------------------------------------------------------------------

    def _designated(self, cursor: Cursor, node: c_ast.NamedInitializer, whole: Aggregate) -> int:
        """Reads `.a.b[2] = …` and what follows inside the same subobject; the position after it (6.7.8.17)."""
        levels: list[tuple[Aggregate, int]] = []
        current, last = whole, 0
        for designator in node.name:
            if levels:
                current = self._inner(*levels[-1], node.coord)
            for position in self._positions(designator, current, node.coord):
                if levels and levels[-1][0] is current:
                    current = self._inner(*levels[-1], node.coord)
                levels.append((current, position))
        current, position = levels[-1]
        cursor.replace(node.expr)
        self._element(cursor, current, position)
        designator = node.name[-1]
        if isinstance(designator, tree.ArrayDesignator) and designator.high is not None:
            last = self._index(designator.high, current)
            for other in range(position + 1, last + 1):
                current.put(other, current.items[position])
            levels[-1] = current, max(position, last)
        for inner, at in reversed(levels[1:]):
            union = isinstance(inner.type, Record) and inner.type.kind == "union"
            if not union:
                self._fill(cursor, inner, braced=False, position=at + 1)
        return levels[0][1] + 1

    def _inner(self, whole: Aggregate, position: int, pos: int) -> Aggregate:
        """The aggregate at that position, kept if an earlier designator has begun it."""
        found = whole.items.get(position)
        if isinstance(found, Aggregate):
            return found
        type = whole.element(position)
        if not isinstance(type, (Array, Record)):
            raise self.unit.fail(pos, f"designator in initializer for type '{type}', which has no members")
        inner = Aggregate(type, pos)
        whole.put(position, inner)
        return inner

    def _positions(self, designator: c_ast.Node, whole: Aggregate, pos: int) -> list[int]:
        """Where the designator leads; by way of anonymous members to more than one position, each inside the one before."""
        if isinstance(whole.type, Array):
            if not isinstance(designator, tree.ArrayDesignator):
                raise self.unit.fail(pos, f"field designator cannot initialize a non-struct, non-union type '{whole.type}'")
            return [self._index(designator.expr, whole)]
        if not isinstance(designator, c_ast.ID):
            raise self.unit.fail(pos, f"array designator cannot initialize non-array type '{whole.type}'")
        path = field_path(whole, cxx_name(designator.name))
        if not path:
            raise self.unit.fail(pos, f"field designator '{designator.name}' does not refer to any field in type '{whole.type}'")
        return path

    def _index(self, node: c_ast.Node, whole: Aggregate) -> int:
        value = folded_value(self.unit.expressions.analyse(node))
        assert isinstance(whole.type, Array)
        if value is None or value < 0 or (whole.type.length is not None and value >= whole.type.length):
            raise self.unit.fail(node.coord, "array designator index is not a constant within the array")
        if value >= _MOST_ELEMENTS:
            raise self.unit.fail(node.coord, f"an initializer for element {value} of an array is not supported yet by cl2cuda")
        return value

    # -- the result --------------------------------------------------------------------------------------------------

    def _made(self, item: Item) -> ir.Expr:
        if isinstance(item, ir.Expr):
            return item
        type, items = item.type, item.items
        if isinstance(type, Record) and type.kind == "union" and items:
            (position, only), member = next(iter(items.items())), None
            if position:
                member = item.fields[position].name
                if member is None:
                    raise self.unit.fail(item.pos, "initializing a later anonymous member of a union is not supported yet by cl2cuda")
            return ir.InitList(type, item.pos, [self._made(only)], member)
        length = max(items, default=-1) + 1
        if isinstance(type, Array) and type.length is None:
            type = Array(type.element, length, type.const, type.volatile)
        return ir.InitList(type, item.pos, [self._made(items[i]) if i in items else None for i in range(length)])


def field_path(whole: Aggregate, name: str) -> list[int]:
    """The positions that lead to the field of that name: one, or more through anonymous members."""
    for position, each in enumerate(whole.fields):
        if each.name == name:
            return [position]
        if each.name is None and isinstance(each.type, Record):
            inner = field_path(Aggregate(each.type, 0), name)
            if inner:
                return [position, *inner]
    return []


class Cursor:
    """Where an initialiser list has been read to."""

    def __init__(self, nodes: list[c_ast.Node]):
        self.nodes, self.position = list(nodes), 0

    def more(self) -> bool:
        return self.position < len(self.nodes)

    def peek(self) -> c_ast.Node:
        return self.nodes[self.position]

    def replace(self, node: c_ast.Node) -> None:
        self.nodes[self.position] = node

    def take(self) -> None:
        self.position += 1
