"""The integer expressions of #if and #elif (C99 6.10.1), evaluated on expanded tokens. Owns no directives."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...ir.literals import character_value, characters, wide_characters
from .lexer import is_name

_NUMBER = re.compile(r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*))(?P<suffix>[uUlL]*)")
_PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7, "==": 6, "!=": 6,
    "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip

Value = tuple[int, bool]  # and whether it is unsigned: intmax_t or uintmax_t, of 64 bits


class ConditionError(Exception):
    """The expression is not one; the message is meant for the user."""


def evaluate(tokens: list[str], is_defined: Callable[[str], bool], value_of: Callable[[str], int]) -> bool:
    """Whether the condition holds. `value_of` gives identifiers that are still there a value, usually 0."""
    condition = _Condition([token.lstrip("\0") for token in tokens if token != " "], is_defined, value_of)
    if condition.tokens == [""]:
        raise ConditionError("expected value in expression")
    value = condition.comma(True)
    if condition.next:
        raise ConditionError(f"token is not a valid binary operator in a preprocessor subexpression: '{condition.next}'")
    return value[0] != 0


class _Condition:
    """`live` is False where the language does not evaluate: the right of `0 &&`, the arm not taken."""

    def __init__(self, tokens: list[str], is_defined: Callable[[str], bool], value_of: Callable[[str], int]):
        self.tokens = [*tokens, ""]
        self.i = 0
        self.is_defined = is_defined
        self.value_of = value_of

    @property
    def next(self) -> str:
        return self.tokens[self.i]

    def take(self) -> str:
        self.i += 1
        return self.tokens[self.i - 1]

    def close(self) -> None:
        if self.take() != ")":
            raise ConditionError("expected ')' in preprocessor expression")

    # comma: conditional (',' conditional)*
    def comma(self, live: bool) -> Value:
        value = self.conditional(live)
        while self.next == ",":
            self.take()
            value = self.conditional(live)
        return value

    # conditional: binary ('?' comma ':' conditional)?
    def conditional(self, live: bool) -> Value:
        cond = self.binary(self.unary(live), 1, live)
        if self.next != "?":
            return cond
        self.take()
        yes = self.comma(live and cond[0] != 0)
        if self.take() != ":":
            raise ConditionError("expected ':' in preprocessor expression")
        no = self.conditional(live and cond[0] == 0)
        return _wrap(yes[0] if cond[0] else no[0], yes[1] or no[1])

    # binary: unary (operator unary)*
    def binary(self, left: Value, lowest: int, live: bool) -> Value:
        while (precedence := _PRECEDENCE.get(self.next, 0)) >= lowest:
            op = self.take()
            right_live = live and not (op == "&&" and not left[0]) and not (op == "||" and left[0])
            right = self.unary(right_live)
            while _PRECEDENCE.get(self.next, 0) > precedence:
                right = self.binary(right, precedence + 1, right_live)
            left = _apply(op, left, right, right_live)
        return left

    # unary: ('-' | '+' | '!' | '~')* ('(' comma ')' | 'defined' name | 'defined' '(' name ')' | identifier | constant)
    def unary(self, live: bool) -> Value:
        token = self.take()
        if token in ("-", "+", "~", "!"):
            value, unsigned = self.unary(live)
            if token == "!":
                return int(not value), False
            return _wrap({"-": -value, "+": value, "~": ~value}[token], unsigned)
        if token == "(":
            inner = self.comma(live)
            self.close()
            return inner
        if token == "defined":
            return self.defined()
        if is_name(token):
            if self.next == "(" and live:
                raise ConditionError(f"function-like macro '{token}' is not defined")
            return self.value_of(token), False
        if token[:1].isdigit() or token[:1] == ".":
            return _number(token)
        if token[:1] in ("'", "L") and len(token) > 2:
            return _character(token), False
        raise ConditionError("expected value in expression" if not token else f"invalid token '{token}' in expression")

    def defined(self) -> Value:
        parenthesised = self.next == "("
        if parenthesised:
            self.take()
        name = self.take()
        if not is_name(name):
            raise ConditionError("macro name must be an identifier")
        if parenthesised:
            self.close()
        return int(self.is_defined(name)), False


def _wrap(value: int, unsigned: bool) -> Value:
    value &= (1 << 64) - 1
    return (value if unsigned or value < 1 << 63 else value - (1 << 64)), unsigned


def _apply(op: str, left: Value, right: Value, live: bool) -> Value:
    if op == "&&":
        return int(bool(left[0] and right[0])), False
    if op == "||":
        return int(bool(left[0] or right[0])), False
    unsigned = left[1] or right[1]
    if op in ("<<", ">>"):
        return _wrap(left[0] << (right[0] & 63) if op == "<<" else left[0] >> (right[0] & 63), left[1])
    a, b = _wrap(left[0], unsigned)[0], _wrap(right[0], unsigned)[0]
    if op in ("==", "!=", "<", ">", "<=", ">="):
        holds = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[op]
        return int(holds), False
    if op in ("/", "%"):
        if not b:
            if live:
                raise ConditionError("division by zero in preprocessor expression")
            return 0, unsigned
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _wrap(quotient if op == "/" else a - quotient * b, unsigned)
    return _wrap({"*": a * b, "+": a + b, "-": a - b, "&": a & b, "^": a ^ b, "|": a | b}[op], unsigned)


def _number(token: str) -> Value:
    match = _NUMBER.fullmatch(token)
    if match is None:
        floating = "." in token or ("e" in token.lower() and not token.lower().startswith("0x"))
        kind = "floating point literal" if floating else f"invalid number '{token}'"
        raise ConditionError(f"{kind} in preprocessor expression")
    digits, base = next((match[group], base) for group, base in _BASES if match[group])
    if len(digits) > 100 or (value := int(digits, base)) >= 1 << 64:
        raise ConditionError("integer literal is too large to be represented in any integer type")
    return _wrap(value, "u" in match["suffix"].lower() or value >= 1 << 63)


_BASES = (("hex", 16), ("bin", 2), ("oct", 8), ("dec", 10))


def _character(token: str) -> int:
    codes = characters(token[1:-1]) if token[0] == "'" else wide_characters(token[2:-1])[-1:]
    if not 1 <= len(codes) <= 4:
        raise ConditionError("empty character constant" if not codes else "character constant too long for its type")
    return character_value(codes) if token[0] == "'" else codes[0]
