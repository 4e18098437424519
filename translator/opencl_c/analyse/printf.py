"""printf (specification 6.15.14): from OpenCL's format to one of C, as CUDA's printf and the host's libc both understand it.

A vector's conversion becomes one for each component, separated by commas; the library's `printf` takes the vector apart. Lengths
that only OpenCL or only C has go, and each argument is converted to the type that its conversion takes: CUDA reads arguments by
the format alone, and prints nonsense from the first that does not fit. CUDA takes 32 arguments a call, so that longer formats
become several calls. What the specification leaves undefined gets a warning and a meaning that both devices share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Array,
    Pointer,
    Scalar,
    Type,
    Vector,
    Void,
)
from .scope import Unit

MOST_ARGUMENTS = 32

# %[flags][width][.precision][vector][length]conversion; asterisks and C's own lengths are taken, too.
_CONVERSION = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?P<precision>\.(?:\d+|\*)?)?(?:v(?P<vector>2|3|4|8|16)(?!\d))?"
                         r"(?P<length>hh|hl|h|ll|l|L|j|z|t)?(?P<conversion>[a-zA-Z%])")  # fmt: skip

_SIGNED = {"hh": CHAR, "h": SHORT, "l": LONG, "ll": LONG, "j": LONG, "z": LONG, "t": LONG}
_UNSIGNED = {"hh": UCHAR, "h": USHORT, "l": ULONG, "ll": ULONG, "j": ULONG, "z": ULONG, "t": ULONG}
_FLOATS = {"h": HALF, "l": DOUBLE}


@dataclass
class _Part:
    """A piece of the format that one call can print: `text` as C has it, and how many scalars it takes."""

    text: str
    arguments: list[ir.Expr] = field(default_factory=list)
    scalars: int = 0


class Printf:
    def __init__(self, unit: Unit):
        self.unit = unit

    def arguments(self, given: list[ir.Expr], pos: int) -> list[list[ir.Expr]]:
        """The arguments of the call, or calls, that print what this one shall. `given` fits printf's signature."""
        literal = given[0]
        while isinstance(literal, ir.Cast) and literal.implicit:
            literal = literal.operand
        if not isinstance(literal, ir.String):
            return [[given[0], *map(self._promoted, given[1:])]]
        calls = [_Part("")]
        for part in self._parts(literal.text[1:-1], given[1:], pos):
            if calls[-1].scalars + part.scalars > MOST_ARGUMENTS:
                calls.append(_Part(""))
            calls[-1].text += part.text
            calls[-1].arguments += part.arguments
            calls[-1].scalars += part.scalars
        return [[self._format(given[0], call.text), *call.arguments] for call in calls]

    def _format(self, format: ir.Expr, text: str) -> ir.Expr:
        string = ir.String(Array(CHAR, len(text) + 1, const=True), format.pos, f'"{text}"')
        return ir.Cast(format.type, format.pos, string, True)

    def _parts(self, text: str, given: list[ir.Expr], pos: int) -> list[_Part]:
        arguments = list(given)
        found: list[_Part] = []
        end = 0
        for match in _CONVERSION.finditer(text):
            found += [_Part(text[end : match.start()]), self._part(match, arguments, pos)]
            end = match.end()
        # "If the format is exhausted while arguments remain, the excess arguments are evaluated (as always) but are otherwise ignored."
        rest = [self._promoted(a) for a in arguments]
        return [*found, _Part(text[end:], rest, sum(_scalars(a.type) for a in rest))]

    def _part(self, match: re.Match[str], arguments: list[ir.Expr], pos: int) -> _Part:
        conversion, vector = match["conversion"], int(match["vector"] or 0)
        if conversion == "%":
            return _Part("%%")
        if conversion not in "diouxXfFeEgGaAcsp" or (vector and conversion in "csp"):
            self.unit.warning(pos, f"invalid conversion specifier '{match[0]}' in the format of printf; it is printed as it is")
            return _Part("%" + match[0])
        part = _Part("")
        sizes = [self._size(match[group] or "", part, arguments, match[0], pos) for group in ("width", "precision")]
        type = self._type(match["length"] or "", conversion, vector, pos)
        value = self._next(arguments, match[0], pos)
        part.arguments.append(self._converted(value, type, match[0]) if type else value)
        length = "l" if type in (LONG, ULONG) or (isinstance(type, Vector) and type.element in (LONG, ULONG)) else ""
        one = f"%{match['flags']}{''.join(sizes)}{length}{conversion}"
        part.text = ",".join([one] * (vector or 1))
        part.scalars = len(part.arguments) - 1 + (vector or 1)
        return part

    def _size(self, text: str, part: _Part, arguments: list[ir.Expr], conversion: str, pos: int) -> str:
        """A width or a precision. C's asterisk is not OpenCL's, nor, in a precision, CUDA's: a constant takes its place."""
        if "*" not in text:
            return text
        value = self._converted(self._next(arguments, conversion, pos), INT, conversion)
        number = integer_value(value)
        if number is not None and number >= 0:
            return text.replace("*", str(number))
        self.unit.warning(pos, f"'*' in the format of printf is not part of OpenCL C: '{conversion}' may not print what C does")
        part.arguments.append(value)
        return text

    def _type(self, length: str, conversion: str, vector: int, pos: int) -> Type | None:
        """What the conversion takes: "together" the vector specifier and length "specifies the vector type"; None for any pointer."""
        if conversion in "sp":
            return None
        if conversion == "c":
            return INT
        if vector and not length:
            self.unit.warning(pos, "a vector specifier without a length modifier in the format of printf; 'hl' is taken")
        if conversion in "di":
            scalar: Scalar = _SIGNED.get(length, INT)
        elif conversion in "ouxX":
            scalar = _UNSIGNED.get(length, UINT)
        elif vector:
            scalar = _FLOATS.get(length, FLOAT)
        else:
            scalar = DOUBLE
        return Vector(scalar, vector) if vector else scalar

    def _next(self, arguments: list[ir.Expr], conversion: str, pos: int) -> ir.Expr:
        if arguments:
            return arguments.pop(0)
        self.unit.warning(pos, f"printf has no argument for '{conversion}'; 0 is taken")
        return ir.Number(INT, pos, "0", 0)

    def _converted(self, value: ir.Expr, type: Type, conversion: str) -> ir.Expr:
        """The value as that type: silently where the promotions of arguments, or a length, make it one."""
        value = self.unit.conversions.decay(value)
        source = value.type
        if isinstance(type, Vector):
            return self._vector(value, type, conversion)
        assert isinstance(type, Scalar)
        if isinstance(source, Vector):
            self._mismatch(value, type, conversion)
            value = ir.Component(source.element, value.pos, value, 0)
        elif not isinstance(source, Scalar):
            self._mismatch(value, type, conversion)
            return ir.Cast(type, value.pos, value, False) if isinstance(source, Pointer) else ir.Number(INT, value.pos, "0", 0)
        elif (source.kind == "float") != (type.kind == "float"):
            self._mismatch(value, type, conversion)
        return self._scalar(value, type)

    def _scalar(self, value: ir.Expr, type: Scalar) -> ir.Expr:
        source = value.type
        assert isinstance(source, Scalar)
        same_size = source.kind == type.kind and max(source.size, 4) == max(type.size, 4) and type.size >= 4
        if source == type or (same_size and source.kind != "float"):
            return self._promoted(value)  # C's promotions do it, unprinted; signedness is the conversion's business
        implicit = type == DOUBLE and source == FLOAT
        return self._promoted(self.unit.conversions.to_scalar(value, type, implicit))

    def _vector(self, value: ir.Expr, type: Vector, conversion: str) -> ir.Expr:
        source = value.type
        if not isinstance(source, Scalar | Vector):
            raise self.unit.fail(value.pos, f"'{conversion}' in the format of printf takes a '{type}', the argument has type '{source}'")
        element = source.element if isinstance(source, Vector) else source
        printed = Vector(FLOAT, type.width) if type.element == HALF else type
        is_read_as = element.kind == "int" == printed.element.kind and element.size == printed.element.size
        if not isinstance(source, Vector) or source.width != type.width or not (is_read_as or element in (type.element, printed.element)):
            self._mismatch(value, type, conversion)
        if not isinstance(source, Vector):
            return ir.Splat(printed, value.pos, self.unit.conversions.to_scalar(value, printed.element))
        value = _resized(value, source, printed.width)
        if value.type == printed:
            return value
        return self.unit.expressions.calls.builtin(f"{'as' if is_read_as else 'convert'}_{printed}", [value], value.pos)

    def _mismatch(self, value: ir.Expr, type: Type, conversion: str) -> None:
        self.unit.warning(value.pos, f"'{conversion}' in the format of printf takes a '{type}', the argument has type '{value.type}'")

    def _promoted(self, value: ir.Expr) -> ir.Expr:
        """Default argument promotions (C99 6.5.2.2); C++ does them too, so they stay unprinted."""
        value = self.unit.conversions.decay(value)
        if value.type == HALF:
            return ir.Cast(DOUBLE, value.pos, self.unit.conversions.to_scalar(value, FLOAT), True)
        if value.type == FLOAT:
            return ir.Cast(DOUBLE, value.pos, value, True)
        return self.unit.conversions.promote(value) if isinstance(value.type, Scalar) else value


def _resized(value: ir.Expr, source: Vector, width: int) -> ir.Expr:
    """The first components; those that are missing are 0."""
    type, pos, more = Vector(source.element, width), value.pos, width - source.width
    if more > 0:
        return ir.MakeVector(type, pos, [value, *(ir.Cast(source.element, pos, ir.Number(INT, pos, "0", 0), True) for _ in range(more))])
    indices = tuple(range(width))
    return ir.Swizzle(type, pos, value, ir.swizzle_name(source, indices), indices) if more else value


def _scalars(type: Type) -> int:
    return type.width if isinstance(type, Vector) else 0 if isinstance(type, Void) else 1
