"""The syntax tree of C99, and what every node is. `tree` has what OpenCL C and GNU C have beside it.

The classes and their fields have the names that pycparser gives them: who knows its trees knows these, and a test compares them.
`coord` is the offset into `SourceMap.text` of the token that names the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Node:
    """A node: `child_names` are the fields that hold nodes, or lists of nodes."""

    __slots__ = ("__weakref__", "coord")
    child_names: tuple[str, ...] = ()

    def __init__(self, coord: int):
        self.coord = coord

    def children(self) -> tuple[tuple[str, Any], ...]:
        found: list[tuple[str, Any]] = []
        for name in self.child_names:
            value = getattr(self, name)
            if isinstance(value, list):
                found += [(f"{name}[{i}]", node) for i, node in enumerate(value)]
            elif value is not None:
                found.append((name, value))
        return tuple(found)

    def __iter__(self) -> Iterator[Any]:
        return (node for _, node in self.children())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"



class FileAST(Node):
    """A translation unit."""

    __slots__ = ("ext",)
    child_names = ("ext",)

    def __init__(self, ext: list[Any], coord: int):
        self.ext, self.coord = ext, coord


class Decl(Node):
    """A declaration of one name, or of a record or enumeration alone; name is None where it has none, bitsize a bit-field's."""

    __slots__ = ("align", "attributes", "bitsize", "funcspec", "init", "name", "quals", "storage", "type")
    child_names = ("type", "init", "bitsize")

    def __init__(self, name: Any, quals: list[str], align: list[Any], storage: list[str], funcspec: list[str],
                 type: Any, init: Any, bitsize: Any, coord: int, attributes: list[Any]):
        self.name, self.quals, self.align, self.storage, self.funcspec = name, quals, align, storage, funcspec
        self.type, self.init, self.bitsize, self.coord, self.attributes = type, init, bitsize, coord, attributes


class Typedef(Node):
    """`typedef type name`."""

    __slots__ = ("attributes", "name", "quals", "storage", "type")
    child_names = ("type",)

    def __init__(self, name: str, quals: list[str], storage: list[str], type: Any, coord: int,
                 attributes: list[Any]):
        self.name, self.quals, self.storage, self.type, self.coord, self.attributes = name, quals, storage, type, coord, attributes


class FuncDef(Node):
    """A function's definition; param_decls is None: definitions of K&R's kind are not read."""

    __slots__ = ("body", "decl", "param_decls")
    child_names = ("decl", "param_decls", "body")

    def __init__(self, decl: Any, param_decls: Any, body: Any, coord: int):
        self.decl, self.param_decls, self.body, self.coord = decl, param_decls, body, coord


class ParamList(Node):
    """The parameters of a function."""

    __slots__ = ("params",)
    child_names = ("params",)

    def __init__(self, params: list[Any], coord: int):
        self.params, self.coord = params, coord


class EllipsisParam(Node):
    """The `...` at the end of parameters."""

    __slots__ = ()


class DeclList(Node):
    """Declarations in the head of a `for`."""

    __slots__ = ("decls",)
    child_names = ("decls",)

    def __init__(self, decls: list[Any], coord: int):
        self.decls, self.coord = decls, coord


class StaticAssert(Node):
    """`_Static_assert(cond, message)`; message is None where there is none."""

    __slots__ = ("cond", "message")
    child_names = ("cond", "message")

    def __init__(self, cond: Any, message: Any, coord: int):
        self.cond, self.message, self.coord = cond, message, coord


class Alignas(Node):
    """`_Alignas(alignment)`: an expression or a Typename."""

    __slots__ = ("alignment",)
    child_names = ("alignment",)

    def __init__(self, alignment: Any, coord: int):
        self.alignment, self.coord = alignment, coord


class Pragma(Node):
    """`#pragma string`."""

    __slots__ = ("string",)

    def __init__(self, string: str, coord: int):
        self.string, self.coord = string, coord


# -- types --------------------------------------------------------------------------------------------------------


class TypeDecl(Node):
    """The innermost part of a declarator: the name and the type specifiers."""

    __slots__ = ("align", "declname", "quals", "type")
    child_names = ("type",)

    def __init__(self, declname: Any, quals: list[str], align: Any, type: Any, coord: int):
        self.declname, self.quals, self.align, self.type, self.coord = declname, quals, align, type, coord


class PtrDecl(Node):
    """`* quals` before a declarator."""

    __slots__ = ("quals", "type")
    child_names = ("type",)

    def __init__(self, quals: list[str], type: Any, coord: int):
        self.quals, self.type, self.coord = quals, type, coord


class ArrayDecl(Node):
    """`[dim_quals dim]` behind a declarator; dim is None for `[]`."""

    __slots__ = ("dim", "dim_quals", "type")
    child_names = ("type", "dim")

    def __init__(self, type: Any, dim: Any, dim_quals: list[Any], coord: int):
        self.type, self.dim, self.dim_quals, self.coord = type, dim, dim_quals, coord


class FuncDecl(Node):
    """`(args)` behind a declarator; args is None for `()`."""

    __slots__ = ("args", "type")
    child_names = ("args", "type")

    def __init__(self, args: Any, type: Any, coord: int):
        self.args, self.type, self.coord = args, type, coord


class Typename(Node):
    """A type where no name is declared: in casts, sizeof, parameters without names."""

    __slots__ = ("align", "name", "quals", "type")
    child_names = ("type",)

    def __init__(self, name: Any, quals: list[str], align: Any, type: Any, coord: int):
        self.name, self.quals, self.align, self.type, self.coord = name, quals, align, type, coord


class IdentifierType(Node):
    """Type specifiers that are words: `unsigned int`, a typedef's name."""

    __slots__ = ("names",)

    def __init__(self, names: list[str], coord: int):
        self.names, self.coord = names, coord


class Struct(Node):
    """`struct name { decls }`; decls is None where they are not written."""

    __slots__ = ("attributes", "decls", "name")
    child_names = ("decls",)

    def __init__(self, name: Any, decls: Any, coord: int, attributes: list[Any]):
        self.name, self.decls, self.coord, self.attributes = name, decls, coord, attributes


class Union(Node):
    """`union name { decls }`, likewise."""

    __slots__ = ("attributes", "decls", "name")
    child_names = ("decls",)

    def __init__(self, name: Any, decls: Any, coord: int, attributes: list[Any]):
        self.name, self.decls, self.coord, self.attributes = name, decls, coord, attributes


class Enum(Node):
    """`enum name { values }`; values is an EnumeratorList, or None."""

    __slots__ = ("attributes", "name", "values")
    child_names = ("values",)

    def __init__(self, name: Any, values: Any, coord: int, attributes: list[Any]):
        self.name, self.values, self.coord, self.attributes = name, values, coord, attributes


class EnumeratorList(Node):
    """The enumerators between braces."""

    __slots__ = ("enumerators",)
    child_names = ("enumerators",)

    def __init__(self, enumerators: list[Any], coord: int):
        self.enumerators, self.coord = enumerators, coord


class Enumerator(Node):
    """`name = value`."""

    __slots__ = ("name", "value")
    child_names = ("value",)

    def __init__(self, name: str, value: Any, coord: int):
        self.name, self.value, self.coord = name, value, coord


# -- initialisers -------------------------------------------------------------------------------------------------


class InitList(Node):
    """`{ exprs }`."""

    __slots__ = ("exprs",)
    child_names = ("exprs",)

    def __init__(self, exprs: list[Any], coord: int):
        self.exprs, self.coord = exprs, coord


class NamedInitializer(Node):
    """`designators = expr`; name is the list of designators."""

    __slots__ = ("expr", "name")
    child_names = ("name", "expr")

    def __init__(self, name: list[Any], expr: Any, coord: int):
        self.name, self.expr, self.coord = name, expr, coord


class CompoundLiteral(Node):
    """`(type){ init }`."""

    __slots__ = ("init", "type")
    child_names = ("type", "init")

    def __init__(self, type: Any, init: Any, coord: int):
        self.type, self.init, self.coord = type, init, coord


# -- expressions --------------------------------------------------------------------------------------------------


class ID(Node):
    """A name."""

    __slots__ = ("name",)

    def __init__(self, name: str, coord: int):
        self.name, self.coord = name, coord


class Constant(Node):
    """A literal as it is written; type is `int`, `float`, `char` or `string`."""

    __slots__ = ("type", "value")

    def __init__(self, type: str, value: str, coord: int):
        self.type, self.value, self.coord = type, value, coord


class UnaryOp(Node):
    """`op expr`; op is `p++` or `p--` where it stands behind."""

    __slots__ = ("expr", "op")
    child_names = ("expr",)

    def __init__(self, op: str, expr: Any, coord: int):
        self.op, self.expr, self.coord = op, expr, coord


class BinaryOp(Node):
    """`left op right`."""

    __slots__ = ("left", "op", "right")
    child_names = ("left", "right")

    def __init__(self, op: str, left: Any, right: Any, coord: int):
        self.op, self.left, self.right, self.coord = op, left, right, coord


class TernaryOp(Node):
    """`cond ? iftrue : iffalse`."""

    __slots__ = ("cond", "iffalse", "iftrue")
    child_names = ("cond", "iftrue", "iffalse")

    def __init__(self, cond: Any, iftrue: Any, iffalse: Any, coord: int):
        self.cond, self.iftrue, self.iffalse, self.coord = cond, iftrue, iffalse, coord


class Assignment(Node):
    """`lvalue op rvalue`."""

    __slots__ = ("lvalue", "op", "rvalue")
    child_names = ("lvalue", "rvalue")

    def __init__(self, op: str, lvalue: Any, rvalue: Any, coord: int):
        self.op, self.lvalue, self.rvalue, self.coord = op, lvalue, rvalue, coord


class Cast(Node):
    """`(to_type) expr`."""

    __slots__ = ("expr", "to_type")
    child_names = ("to_type", "expr")

    def __init__(self, to_type: Any, expr: Any, coord: int):
        self.to_type, self.expr, self.coord = to_type, expr, coord


class ArrayRef(Node):
    """`name[subscript]`."""

    __slots__ = ("name", "subscript")
    child_names = ("name", "subscript")

    def __init__(self, name: Any, subscript: Any, coord: int):
        self.name, self.subscript, self.coord = name, subscript, coord


class StructRef(Node):
    """`name.field` or `name->field`, as type says."""

    __slots__ = ("field", "name", "type")
    child_names = ("name", "field")

    def __init__(self, name: Any, type: str, field: Any, coord: int):
        self.name, self.type, self.field, self.coord = name, type, field, coord


class FuncCall(Node):
    """`name(args)`; args is an ExprList, or None."""

    __slots__ = ("args", "name")
    child_names = ("name", "args")

    def __init__(self, name: Any, args: Any, coord: int):
        self.name, self.args, self.coord = name, args, coord


class ExprList(Node):
    """Expressions with commas between them."""

    __slots__ = ("exprs",)
    child_names = ("exprs",)

    def __init__(self, exprs: list[Any], coord: int):
        self.exprs, self.coord = exprs, coord


# -- statements ---------------------------------------------------------------------------------------------------


class Compound(Node):
    """`{ block_items }`; None where it is empty."""

    __slots__ = ("block_items",)
    child_names = ("block_items",)

    def __init__(self, block_items: Any, coord: int):
        self.block_items, self.coord = block_items, coord


class If(Node):
    """`if (cond) iftrue else iffalse`."""

    __slots__ = ("cond", "iffalse", "iftrue")
    child_names = ("cond", "iftrue", "iffalse")

    def __init__(self, cond: Any, iftrue: Any, iffalse: Any, coord: int):
        self.cond, self.iftrue, self.iffalse, self.coord = cond, iftrue, iffalse, coord


class Switch(Node):
    """`switch (cond) stmt`."""

    __slots__ = ("cond", "stmt")
    child_names = ("cond", "stmt")

    def __init__(self, cond: Any, stmt: Any, coord: int):
        self.cond, self.stmt, self.coord = cond, stmt, coord


class Case(Node):
    """`case expr: stmts`."""

    __slots__ = ("expr", "stmts")
    child_names = ("expr", "stmts")

    def __init__(self, expr: Any, stmts: list[Any], coord: int):
        self.expr, self.stmts, self.coord = expr, stmts, coord


class Default(Node):
    """`default: stmts`."""

    __slots__ = ("stmts",)
    child_names = ("stmts",)

    def __init__(self, stmts: list[Any], coord: int):
        self.stmts, self.coord = stmts, coord


class While(Node):
    """`while (cond) stmt`, and the attributes before it."""

    __slots__ = ("attributes", "cond", "stmt")
    child_names = ("cond", "stmt")

    def __init__(self, cond: Any, stmt: Any, coord: int):
        self.cond, self.stmt, self.coord = cond, stmt, coord
        self.attributes: list[Any] = []


class DoWhile(Node):
    """`do stmt while (cond);`, likewise."""

    __slots__ = ("attributes", "cond", "stmt")
    child_names = ("cond", "stmt")

    def __init__(self, cond: Any, stmt: Any, coord: int):
        self.cond, self.stmt, self.coord = cond, stmt, coord
        self.attributes: list[Any] = []


class For(Node):
    """`for (init; cond; next) stmt`, likewise."""

    __slots__ = ("attributes", "cond", "init", "next", "stmt")
    child_names = ("init", "cond", "next", "stmt")

    def __init__(self, init: Any, cond: Any, next: Any, stmt: Any, coord: int):
        self.init, self.cond, self.next, self.stmt, self.coord = init, cond, next, stmt, coord
        self.attributes: list[Any] = []


class Label(Node):
    """`name: stmt`."""

    __slots__ = ("name", "stmt")
    child_names = ("stmt",)

    def __init__(self, name: str, stmt: Any, coord: int):
        self.name, self.stmt, self.coord = name, stmt, coord


class Goto(Node):
    """`goto name;`."""

    __slots__ = ("name",)

    def __init__(self, name: str, coord: int):
        self.name, self.coord = name, coord


class Break(Node):
    """`break;`."""

    __slots__ = ()


class Continue(Node):
    """`continue;`."""

    __slots__ = ()


class Return(Node):
    """`return expr;`."""

    __slots__ = ("expr",)
    child_names = ("expr",)

    def __init__(self, expr: Any, coord: int):
        self.expr, self.coord = expr, coord


class EmptyStatement(Node):
    """`;`."""

    __slots__ = ()
