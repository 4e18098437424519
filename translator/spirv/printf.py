"""printf (OpenCL.std 184): its format, which is a constant array of characters, as one of C.

A vector's conversion becomes one for each component; the library's `printf` takes the vector apart. CUDA takes 32 arguments a call.
"""

from __future__ import annotations

import dataclasses
import re

from ..ir import nodes as ir
from ..ir.types import CHAR, DOUBLE, FLOAT, HALF, INT, Array, Pointer, Scalar, Vector
from . import build, library
from .body import Body
from .reader import Instruction

MOST_ARGUMENTS = 32

# The lengths that make an argument narrower, and the bytes that are left.
_NARROW = {"hh": 1, "h": 2}

_CONVERSION = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?P<precision>\.(?:\d+|\*)?)?(?:v(?P<vector>2|3|4|8|16)(?!\d))?"
                         r"(?P<length>hh|hl|h|ll|l|L|j|z|t)?(?P<conversion>[a-zA-Z%])")  # fmt: skip


def call(body: Body, each: Instruction) -> ir.Expr:
    text = _literal(body, each, each.operands[2])
    arguments = [body.value(id, each) for id in each.operands[3:]]
    calls: list[tuple[str, list[ir.Expr], int]] = [("", [], 0)]
    end = 0
    for match in _CONVERSION.finditer(text):
        between = text[end : match.start()]
        end = match.end()
        piece, taken, scalars = _piece(body, each, match, arguments)
        before, given, count = calls[-1]
        if count + scalars > MOST_ARGUMENTS:
            calls.append((between + piece, taken, scalars))
        else:
            calls[-1] = (before + between + piece, [*given, *taken], count + scalars)
    before, given, count = calls[-1]
    calls[-1] = (before + text[end:], given, count)
    pos = each.offset
    results = [_call(text_, given_, pos) for text_, given_, _ in calls]
    if len(results) == 1:
        return results[0]
    failed: ir.Expr = results[0]
    for more in results[1:]:
        failed = ir.Binary(INT, pos, "||", failed, more)
    return ir.Conditional(INT, pos, failed, build.integer(INT, -1, pos), build.integer(INT, 0, pos))


def _call(text: str, arguments: list[ir.Expr], pos: int) -> ir.Expr:
    overload = library.table.overloads("printf")[0]
    if any(isinstance(a.type, Vector) for a in arguments):
        overload = dataclasses.replace(overload, row=overload.row._replace(code="printf_vectors"))
    literal = ir.String(Array(CHAR, len(text) + 1, const=True), pos, f'"{_escaped(text)}"')
    return ir.BuiltinCall(INT, pos, overload, [literal, *arguments])


def _escaped(text: str) -> str:
    shown = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
    return "".join(shown.get(c) or (c if " " <= c <= "~" else f"\\{ord(c):03o}") for c in text)


def _literal(body: Body, each: Instruction, id: int) -> str:
    """The characters that the pointer leads to the first of."""
    definition = body.module.definition(id, each)
    while definition.name != "OpVariable":
        if definition.name == "OpSpecConstantOp":
            id = definition.operands[1]
        elif definition.name in ("OpBitcast", "OpCopyObject", "OpPtrCastToGeneric") or definition.name.endswith("AccessChain"):
            if any(body.constant(index, each) for index in definition.ids[1:]):
                raise each.fail("its format does not begin where its array does")
            id = definition.operands[0]
        else:
            raise each.fail("its format is no constant array of characters")
        definition = body.module.definition(id, each)
    if len(definition.operands) < 2:
        raise each.fail("its format has no value")
    init = body.module.definition(definition.operands[1], each)
    if init.name == "OpConstantNull":
        return ""
    codes = [body.constant(character, each) & 0xFF for character in init.ids]
    text = bytes(codes).partition(b"\0")[0]
    return text.decode("latin-1")


def _piece(body: Body, each: Instruction, match: re.Match[str], arguments: list[ir.Expr]) -> tuple[str, list[ir.Expr], int]:
    """A conversion as C has it, the arguments that it takes, and how many scalars they are."""
    conversion = match["conversion"]
    if conversion == "%":
        return "%%", [], 0
    taken = [build.cast(arguments.pop(0), INT) for part in (match["width"], match["precision"]) if part in ("*", ".*") and arguments]
    head = f"%{match['flags']}{match['width'] or ''}{match['precision'] or ''}"
    if not arguments:
        raise each.fail(f"its format has more conversions than it has arguments: '{match[0]}'")
    value = arguments.pop(0)
    if conversion == "s":
        if not isinstance(value.type, Pointer):
            raise each.fail("the argument of %s is no pointer")
        return f"{head}s", [*taken, value], len(taken) + 1
    floats = conversion in "fFeEgGaA"
    value = _fitting(body, each, value, floats, conversion)
    width = value.type.width if isinstance(value.type, Vector) else 1
    element = value.type.element if isinstance(value.type, Vector) else value.type
    if not floats and conversion != "c" and match["length"] in _NARROW:
        value = _narrowed(value, _NARROW[match["length"]])
    length = "l" if not floats and conversion not in "cp" and isinstance(element, Scalar) and element.size == 8 else ""
    one = f"{head}{length}{conversion}"
    return ",".join([one] * width), [*taken, value], len(taken) + width


def _narrowed(value: ir.Expr, size: int) -> ir.Expr:
    """What C's lengths hh and h make of an argument, which CUDA's printf does not know: the value of so many bytes, as an int."""
    type = value.type
    if not isinstance(type, Scalar) or type.kind != "int" or type.size <= size:
        return value
    narrow = (build.SIGNED if type.signed else build.UNSIGNED)[size]
    return ir.Cast(INT, value.pos, ir.Cast(narrow, value.pos, value, False), True)


def _fitting(body: Body, each: Instruction, value: ir.Expr, floats: bool, conversion: str) -> ir.Expr:
    """The argument as the conversion takes it: CUDA reads arguments by the format alone."""
    type = value.type
    if isinstance(type, Vector):
        if (type.element.kind == "float") != floats:
            raise each.fail(f"the argument of '{conversion}' is a '{type}'")
        if type.element == HALF:
            return library.convert(value, Vector(FLOAT, type.width))
        return value if floats else library.reinterpreted(value, build.with_sign(type, conversion in "di"))
    if isinstance(type, Pointer):
        return value if conversion == "p" else ir.Cast(build.ULONG, value.pos, value, False)
    if not isinstance(type, Scalar):
        raise each.fail(f"the argument of '{conversion}' is a '{type}'")
    if (type.kind == "float") != floats:
        return build.cast(value, DOUBLE if floats else INT)
    if floats:
        return value if type == DOUBLE else ir.Cast(DOUBLE, value.pos, build.cast(value, FLOAT) if type == HALF else value, True)
    return build.read_as(value, conversion in "di") if type.kind == "int" else build.cast(value, INT)
