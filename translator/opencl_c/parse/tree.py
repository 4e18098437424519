"""The tree's own nodes: what OpenCL C and GNU C have beside C99, as neighbours of `pycparser.c_ast`.

Classes that bear the name of one of pycparser's are that class with a list `attributes`; so `isinstance(node, c_ast.Decl)`
holds for every declaration, and pycparser's signatures, which differ from version to version, matter only here. `coord`
is an int in every node: the offset into `SourceMap.text` of the token that names the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast


class _Own(c_ast.Node):
    """A node that pycparser does not have: `child_names` are the fields that hold nodes, or lists of nodes."""

    __slots__ = ("__weakref__", "coord")
    child_names: tuple[str, ...] = ()

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
        fields = [name for name in self.__slots__ if name not in ("__weakref__", "coord")]
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"


class Attribute(_Own):
    """One attribute of an `__attribute__((…))`; name without its underscores, args as expressions, or Typenames."""

    __slots__ = ("args", "name")
    child_names = ("args",)
    attr_names = ("name",)

    def __init__(self, name: str, args: list[Any], coord: int):
        self.name, self.args, self.coord = name, args, coord


class AttributeStatement(_Own):
    """Attributes before a statement that is no loop; `stmt` is None for a bare `__attribute__((fallthrough));`."""

    __slots__ = ("attributes", "stmt")
    child_names = ("attributes", "stmt")

    def __init__(self, attributes: list[Attribute], stmt: Any | None, coord: int):
        self.attributes, self.stmt, self.coord = attributes, stmt, coord


class VectorLiteral(_Own):
    """`(float4)(a, b)`: to_type a Typename, elements the expressions between the parentheses."""

    __slots__ = ("elements", "to_type")
    child_names = ("to_type", "elements")

    def __init__(self, to_type: Any, elements: list[Any], coord: int):
        self.to_type, self.elements, self.coord = to_type, elements, coord


class StatementExpression(_Own):
    """GNU's `({ … })`; its value is that of the last expression statement."""

    __slots__ = ("body",)
    child_names = ("body",)

    def __init__(self, body: Any, coord: int):
        self.body, self.coord = body, coord


class GenericSelection(_Own):
    """C11's `_Generic(expr, types[0]: choices[0], …, default: default)`; default is None where none is written."""

    __slots__ = ("choices", "default", "expr", "types")
    child_names = ("expr", "types", "choices", "default")

    def __init__(self, expr: Any, types: list[Any], choices: list[Any], default: Any | None, coord: int):
        self.expr, self.types, self.choices, self.default, self.coord = expr, types, choices, default, coord


class TypeOf(_Own):
    """`typeof(expression or type name)`, where a TypeDecl has its type specifier."""

    __slots__ = ("expr",)
    child_names = ("expr",)

    def __init__(self, expr: Any, coord: int):
        self.expr, self.coord = expr, coord


class CaseRange(_Own):
    """GNU's `case low ... high:`, as the `expr` of a Case."""

    __slots__ = ("high", "low")
    child_names = ("low", "high")

    def __init__(self, low: Any, high: Any, coord: int):
        self.low, self.high, self.coord = low, high, coord


class AsmOperand(_Own):
    """`[name] "constraint" (expr)`; name is "" where none is written."""

    __slots__ = ("constraint", "expr", "name")
    child_names = ("expr",)
    attr_names = ("name", "constraint")

    def __init__(self, name: str, constraint: str, expr: Any, coord: int):
        self.name, self.constraint, self.expr, self.coord = name, constraint, expr, coord


class Asm(_Own):
    """`asm qualifiers (template : outputs : inputs : clobbers)`; strings are literals as written, with their quotes."""

    __slots__ = ("clobbers", "inputs", "outputs", "qualifiers", "template")
    child_names = ("outputs", "inputs")
    attr_names = ("qualifiers", "template", "clobbers")

    def __init__(
        self,
        qualifiers: list[str],
        template: str,
        outputs: list[AsmOperand],
        inputs: list[AsmOperand],
        clobbers: list[str],
        coord: int,
    ):
        self.qualifiers, self.template, self.coord = qualifiers, template, coord
        self.outputs, self.inputs, self.clobbers = outputs, inputs, clobbers


class BlockLiteral(_Own):
    """`^ type (parameters) { … }`: type is a Typename whose type is a FuncDecl, or None where neither is written.

    Where only parameters are written, the FuncDecl's `type` is None: the result is to be inferred (OpenCL C 6.14.3).
    """

    __slots__ = ("body", "type")
    child_names = ("type", "body")

    def __init__(self, type: Any | None, body: Any, coord: int):
        self.type, self.body, self.coord = type, body, coord


class Analysed(_Own):
    """Stands where an expression or a type stood that has been analysed already; `expression` is of `ir`."""

    __slots__ = ("expression",)
    attr_names = ("expression",)

    def __init__(self, expression: Any, coord: int):
        self.expression, self.coord = expression, coord


class ArrayDesignator(_Own):
    """`[expr]` in a NamedInitializer's name, so that it differs from the member designator `.expr`; GNU's `[expr ... high]`."""

    __slots__ = ("expr", "high")
    child_names = ("expr", "high")

    def __init__(self, expr: Any, coord: int, high: Any | None = None):
        self.expr, self.coord, self.high = expr, coord, high


class BlockDecl(c_ast.PtrDecl):
    """The `^` of a block's declarator, where a pointer has its PtrDecl."""

    __slots__ = ()


class Decl(c_ast.Decl):
    __slots__ = ("attributes",)

    def __init__(
        self,
        name: str | None,
        quals: list[str],
        align: list[Any],
        storage: list[str],
        funcspec: list[str],
        type: Any,
        init: Any | None,
        bitsize: Any | None,
        coord: int,
        attributes: list[Attribute],
    ):
        super().__init__(name, quals, align, storage, funcspec, type, init, bitsize, coord)
        self.attributes = attributes


class Typedef(c_ast.Typedef):
    __slots__ = ("attributes",)

    def __init__(self, name: str, quals: list[str], storage: list[str], type: Any, coord: int, attributes: list[Attribute]):
        super().__init__(name, quals, storage, type, coord)
        self.attributes = attributes


class Struct(c_ast.Struct):
    __slots__ = ("attributes",)

    def __init__(self, name: str | None, decls: list[Any] | None, coord: int, attributes: list[Attribute]):
        super().__init__(name, decls, coord)
        self.attributes = attributes


class Union(c_ast.Union):
    __slots__ = ("attributes",)

    def __init__(self, name: str | None, decls: list[Any] | None, coord: int, attributes: list[Attribute]):
        super().__init__(name, decls, coord)
        self.attributes = attributes


class Enum(c_ast.Enum):
    """`underlying` is the Typename of C23's `enum name : type`, or None."""

    __slots__ = ("attributes", "coord", "underlying")

    def __init__(self, name: str | None, values: Any | None, coord: int, attributes: list[Attribute], underlying: Any | None = None):
        super().__init__(name, values, None)  # the third is the underlying type, or, in old versions, coord
        self.coord, self.attributes, self.underlying = coord, attributes, underlying


class For(c_ast.For):
    __slots__ = ("attributes",)

    def __init__(self, init: Any, cond: Any, next: Any, stmt: Any, coord: int):
        super().__init__(init, cond, next, stmt, coord)
        self.attributes: list[Attribute] = []


class While(c_ast.While):
    __slots__ = ("attributes",)

    def __init__(self, cond: Any, stmt: Any, coord: int):
        super().__init__(cond, stmt, coord)
        self.attributes: list[Attribute] = []


class DoWhile(c_ast.DoWhile):
    __slots__ = ("attributes",)

    def __init__(self, cond: Any, stmt: Any, coord: int):
        super().__init__(cond, stmt, coord)
        self.attributes: list[Attribute] = []


class CompoundLiteral(c_ast.CompoundLiteral):
    __slots__ = ("coord",)

    def __init__(self, type: Any, init: Any, coord: int):
        super().__init__(type, init, [])  # the third is storage, or, in old versions, coord
        self.coord = coord
