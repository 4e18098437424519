"""Operators on vectors (6.5), composed per type: components written out, results in the element type.

Owns what an operator's result type and text are. Scalar operators are C++'s own and never come here.
"""

from __future__ import annotations

from collections.abc import Callable

from .items import Item
from .typenames import SIZES, components, is_integer, is_vector, signed, split

_ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^")
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_LOGICAL = ("&&", "||")
_SHIFTS = ("<<", ">>")
_BINARY = _ARITHMETIC + _COMPARISONS + _LOGICAL + _SHIFTS
_DIVISIONS = ("/", "%")
_INTEGER_ONLY = ("%", "&", "|", "^", "<<", ">>", "~")


class NoSuchOperator(Exception):
    """The operator does not exist for these types."""


def operator(symbol: str, *operands: str) -> Item:
    """`("op", symbol, *operands)` as an item: one or two operands, at least one of them a vector."""
    if not any(map(is_vector, operands)) or any(split(t)[0] not in SIZES for t in operands):
        raise NoSuchOperator(f"no vector operator {symbol} for {', '.join(operands)}")
    if symbol in _INTEGER_ONLY and not all(map(is_integer, operands)):
        raise NoSuchOperator(f"operator {symbol} takes integers, not {', '.join(operands)}")
    if len(operands) == 1:
        text, uses = _unary(symbol, *operands)
        uses += _scalar_half(symbol, operands) if symbol in "-!" else ()
    elif symbol in _BINARY:
        text, uses = _binary(symbol, *operands), _scalar_half(symbol, operands)
    elif symbol.endswith("=") and symbol[:-1] in _BINARY:
        left, right = operands
        text = f"{left}& operator{symbol}({left}& a, {right} b) {{ return a = a {symbol[:-1]} b; }}"
        uses = (("op", symbol[:-1], left, right),)
    else:
        raise NoSuchOperator(f"no operator {symbol} of two operands")
    # What initialises a variable of the constant address space is computed when the program is compiled.
    constant = "constexpr " if len(text.split(" = a ")) == 1 and split(operands[0])[0] != "half" else ""
    return Item((f"operator{symbol}({', '.join(operands)})",), f"__device__ {constant}{text}", uses=uses)


def _scalar_half(symbol: str, operands: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The operator that the components of half vectors go through; those of other types go through C++'s own."""
    return (("op", symbol, *("half",) * len(operands)),) if split(operands[0])[0] == "half" else ()


def written_out(width: int, component: Callable[[str], str]) -> str:
    """`component(".x"), component(".y"), …`"""
    return ", ".join(component(f".{name}") for name in components(width))


def _narrow(element: str, expression: str) -> str:
    """Integers below int are promoted in C++ and have to be brought back."""
    return f"({element})({expression})" if SIZES[element] < 4 else expression


def _binary(symbol: str, left: str, right: str) -> str:
    vector_type = left if is_vector(left) else right
    element, width = split(vector_type)
    mask = symbol in _COMPARISONS + _LOGICAL
    result = signed(vector_type) if mask else vector_type

    def component(c: str) -> str:
        a = "a" + (c if is_vector(left) else "")
        b = "b" + (c if is_vector(right) else "")
        if symbol in _SHIFTS:
            # 6.5.10: only the log2(N) least significant bits of the count matter.
            b = f"({b} & {8 * SIZES[element] - 1})"
        if symbol in _DIVISIONS and is_integer(element) and SIZES[element] < 4:
            # "A divide by zero with integer types [...] will result in an unspecified value" (6.5.1), and no other component
            # is to be: CUDA's value for it is wider than these types and spread into the next one.
            b = f"({b} == 0 ? 1 : {b})"
        expression = f"{a} {symbol} {b}"
        # 6.5.4: -1, all bits set, where the relation holds.
        return _narrow(split(result)[0], f"-({expression})" if mask else expression)

    return f"{result} operator{symbol}({left} a, {right} b) {{ return {{{written_out(width, component)}}}; }}"


def _unary(symbol: str, type_: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    element, width = split(type_)
    match symbol:
        case "+":
            return f"{type_} operator+({type_} a) {{ return a; }}", ()
        case "-" | "~":
            body = written_out(width, lambda c: _narrow(element, f"{symbol}a{c}"))
            return f"{type_} operator{symbol}({type_} a) {{ return {{{body}}}; }}", ()
        case "!":
            result = signed(type_)
            body = written_out(width, lambda c: _narrow(split(result)[0], f"-!a{c}"))
            return f"{result} operator!({type_} a) {{ return {{{body}}}; }}", ()
        case "++" | "--":
            return f"{type_}& operator{symbol}({type_}& a) {{ return a = a {symbol[0]} 1; }}", (("op", symbol[0], type_, element),)
        case "p++" | "p--":
            text = f"{type_} operator{symbol[1:]}({type_}& a, int) {{ {type_} old = a; a = a {symbol[1]} 1; return old; }}"
            return text, (("op", symbol[1], type_, element),)
    raise NoSuchOperator(f"no operator {symbol} of one operand")
