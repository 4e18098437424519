"""What Python writes of half (cl_khr_fp16): assignments with an operator, steps, and conversions; plain operators are in
the section files `*half_arithmetic.cuh`.

C computes `a op= b` in the common type of both and converts back, which C++ cannot know of our half.
"""

from __future__ import annotations

from .items import Item
from .typenames import split

Use = tuple[str, ...]
_BASE = ("+", "-", "*", "/")


def is_half(*types: str) -> bool:
    return any(split(each)[0] == "half" for each in types)


def converted(name: str, source: str, to: str, rounding: str = "rte") -> str:
    """The C++ expression for a scalar of one type as one of another, one of them half. Every integer beyond float's exact
    ones is beyond half's range too, so that going through float rounds but once."""
    if source == to:
        return name
    if to == "half":
        return f"half_{rounding}({name if source in ('float', 'double') else f'(float){name}'})"
    if source == "half":
        return f"float_of({name})" if to == "float" else f"({to})float_of({name})"
    return f"({to}){name}"


def assignment(symbol: str, *operands: str) -> Item | None:
    """Operators that change their scalar operand: `+=` and its like, `++` and `--`, "p++" and "p--" behind it. None for others."""
    name = symbol.removeprefix("p")
    if name in ("++", "--"):
        return _step(symbol, name)
    if symbol[:-1] not in _BASE or symbol[-1:] != "=":
        return None
    left, right = operands
    common = next(each for each in ("double", "float", "half") if each in operands)
    result = f"{converted('a', left, common)} {symbol[0]} {converted('b', right, common)}"
    body = f"{common} r = {result}; return a = {converted('r', common, left)};"
    return _item(f"{left}& operator{symbol}({left}& a, {right} b)", body, _plain(symbol[0], common))


def _plain(symbol: str, type_: str) -> tuple[Use, ...]:
    return (("op", symbol, "half", "half"),) if type_ == "half" else ()


def _step(symbol: str, name: str) -> Item:
    change = f"a = a {name[0]} half{{0x3c00}};"
    if symbol == name:
        return _item(f"half& operator{name}(half& a)", f"return {change}", _plain(name[0], "half"))
    return _item(f"half operator{name}(half& a, int)", f"half old = a; {change} return old;", _plain(name[0], "half"))


def _item(head: str, body: str, uses: tuple[Use, ...]) -> Item:
    # Behind the operators of the section files, before the vectors'.
    return Item((head,), f"__device__ {head} {{ {body} }}", uses=uses, place=(14,))
