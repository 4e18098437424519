"""The tree's nodes that C99 does not have: what OpenCL C and GNU C bring, as neighbours of `c_ast`."""

from __future__ import annotations

from typing import Any

from .c_ast import Node, PtrDecl


class Attribute(Node):
    """One attribute of an `__attribute__((…))`; name without its underscores, args as expressions, or Typenames."""

    __slots__ = ("args", "name")
    child_names = ("args",)
    attr_names = ("name",)

    def __init__(self, name: str, args: list[Any], coord: int):
        self.name, self.args, self.coord = name, args, coord


class AttributeStatement(Node):
    """Attributes before a statement that is no loop; `stmt` is None for a bare `__attribute__((fallthrough));`."""

    __slots__ = ("attributes", "stmt")
    child_names = ("attributes", "stmt")

    def __init__(self, attributes: list[Attribute], stmt: Any | None, coord: int):
        self.attributes, self.stmt, self.coord = attributes, stmt, coord


class VectorLiteral(Node):
    """`(float4)(a, b)`: to_type a Typename, elements the expressions between the parentheses."""

    __slots__ = ("elements", "to_type")
    child_names = ("to_type", "elements")

    def __init__(self, to_type: Any, elements: list[Any], coord: int):
        self.to_type, self.elements, self.coord = to_type, elements, coord


class StatementExpression(Node):
    """GNU's `({ … })`; its value is that of the last expression statement."""

    __slots__ = ("body",)
    child_names = ("body",)

    def __init__(self, body: Any, coord: int):
        self.body, self.coord = body, coord


class TypeOf(Node):
    """`typeof(expression or type name)`, where a TypeDecl has its type specifier."""

    __slots__ = ("expr",)
    child_names = ("expr",)

    def __init__(self, expr: Any, coord: int):
        self.expr, self.coord = expr, coord


class CaseRange(Node):
    """GNU's `case low ... high:`, as the `expr` of a Case."""

    __slots__ = ("high", "low")
    child_names = ("low", "high")

    def __init__(self, low: Any, high: Any, coord: int):
        self.low, self.high, self.coord = low, high, coord


class AsmOperand(Node):
    """`[name] "constraint" (expr)`; name is "" where none is written."""

    __slots__ = ("constraint", "expr", "name")
    child_names = ("expr",)
    attr_names = ("name", "constraint")

    def __init__(self, name: str, constraint: str, expr: Any, coord: int):
        self.name, self.constraint, self.expr, self.coord = name, constraint, expr, coord


class Asm(Node):
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


class BlockLiteral(Node):
    """`^ type (parameters) { … }`: type is a Typename whose type is a FuncDecl, or None where neither is written.

    Where only parameters are written, the FuncDecl's `type` is None: the result is to be inferred (OpenCL C 6.14.3).
    """

    __slots__ = ("body", "type")
    child_names = ("type", "body")

    def __init__(self, type: Any | None, body: Any, coord: int):
        self.type, self.body, self.coord = type, body, coord


class Analysed(Node):
    """Stands where an expression or a type stood that has been analysed already; `expression` is of `ir`."""

    __slots__ = ("expression",)
    attr_names = ("expression",)

    def __init__(self, expression: Any, coord: int):
        self.expression, self.coord = expression, coord


class ArrayDesignator(Node):
    """`[expr]` in a NamedInitializer's name, so that it differs from the member designator `.expr`; GNU's `[expr ... high]`."""

    __slots__ = ("expr", "high")
    child_names = ("expr", "high")

    def __init__(self, expr: Any, coord: int, high: Any | None = None):
        self.expr, self.coord, self.high = expr, coord, high


class BlockDecl(PtrDecl):
    """The `^` of a block's declarator, where a pointer has its PtrDecl."""

    __slots__ = ()
