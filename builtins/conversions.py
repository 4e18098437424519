"""`as_type` and `convert_type` (6.4.3, 6.4.4), composed for each pair of types from CUDA's conversion intrinsics.

Scalar conversions are rules over ranges and rounding modes; vector conversions apply the scalar one to each component.
"""

from __future__ import annotations

import re

from .half_operators import converted
from .items import Item, canonical
from .operators import written_out
from .table import Overload
from .typenames import FLOATS, SIGNED, SIZES, is_vector, split

_PLACE = (50,)
_ROUNDING = {"_rte": "rn", "_rtz": "rz", "_rtp": "ru", "_rtn": "rd"}
# CUDA's intrinsics are named after these types: __float2uint_rn.
_WORD = {"int": "int", "uint": "uint", "long": "ll", "ulong": "ull", "float": "float", "double": "double"}
_SUFFIX = {"uint": "u", "long": "L", "ulong": "UL"}


def item(overload: Overload) -> Item:
    """The definition of one overload of an as_ or convert_ function."""
    (source,) = overload.parameters
    constant = "constexpr " * is_constant(overload)
    head = f"{overload.result} {overload.name}({source} x)"
    uses: tuple[tuple[str, ...], ...] = ()
    if overload.row.kind == "as_type":
        body = f"return __builtin_bit_cast({overload.result}, x);"
    elif is_vector(source):
        scalar = overload.name.replace(overload.result, split(overload.result)[0], 1)
        body = f"return {{{written_out(split(source)[1], lambda c: f'{scalar}(x{c})')}}};"
        uses = (("fn", scalar, split(overload.result)[0], split(source)[0]),)
    else:
        found = re.fullmatch(r"convert_[a-z]+?(_sat)?(_rt[eznp])?", overload.name)
        assert found, overload.name
        if source == "half" and overload.result not in ("half", "float"):
            body, uses = f"return {overload.name}(float_of(x));", (("fn", overload.name, overload.result, "float"),)
        elif "half" in (source, overload.result):
            body = f"return {converted('x', source, overload.result, (found[2] or '_rte')[1:])};"
        else:
            body = _scalar(source, overload.result, bool(found[1]), _ROUNDING.get(found[2] or ""))
    known = (overload.name, scalar) if is_vector(source) and uses else (overload.name,)
    parameters = (canonical(source),)
    return Item((head,), f"__device__ {constant}{head} {{ {body} }}", known=known, place=_PLACE, parameters=parameters, uses=uses)


def is_constant(overload: Overload) -> bool:
    """Whether C++ can compute it when the program is compiled: a conversion without an intrinsic."""
    if overload.row.kind != "convert":
        return overload.row.kind == "as_type"
    source, to = split(overload.parameters[0])[0], split(overload.result)[0]
    found = re.fullmatch(r"convert_[a-z]+\d*(_sat)?(_rt[eznp])?", overload.name)
    if found is None or "half" in (source, to):
        return False
    code = _scalar(source, to, bool(found[1]), _ROUNDING.get(found[2] or ""))
    return not any(word in code for word in ("::__", "float_to_uchar"))


def _range(integer: str) -> tuple[int, int]:
    bits = 8 * SIZES[integer]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if integer in SIGNED else (0, (1 << bits) - 1)


def _literal(value: int, type_: str) -> str:
    suffix = _SUFFIX.get(type_, "")
    return f"(-{-(value + 1)}{suffix} - 1)" if value == _range(type_)[0] < 0 else f"{value}{suffix}"


def _scalar(source: str, to: str, saturate: bool, rounding: str | None) -> str:
    if source == to:
        return "return x;"
    if to in FLOATS:
        return f"return {_to_float(source, to, rounding)};"
    if source not in FLOATS:
        return f"return {_clamped('x', source, to)};" if saturate else f"return ({to})x;"
    if (source, to) == ("float", "uchar"):
        return f"return float_to_uchar_{rounding or 'rz'}(x);"
    # A float goes to int, uint, long or ulong first, in one instruction that also saturates; what is narrower follows.
    middle = to if SIZES[to] >= 4 else "int"
    word = f"::__{source}2{_WORD[middle]}_{rounding or 'rz'}(x)"
    if not saturate:
        plain = f"({middle})x" if rounding in (None, "rz") else word
        return f"return {plain if middle == to else f'({to}){plain}'};"
    # "NaN should be converted to 0": the instruction does so only between 32-bit types.
    exact = source == "float" and SIZES[middle] == 4
    value = word if exact else f"x != x ? 0 : {word}"
    return f"return {value};" if middle == to else f"int i = {value}; return {_clamped('i', 'int', to)};"


def _clamped(name: str, source: str, to: str) -> str:
    """The integer brought into the range of `to`, with the comparisons that the two ranges need."""
    (low, high), (source_low, source_high) = _range(to), _range(source)
    wide = source if SIZES[source] >= 4 else "int"
    text = f"({to}){name}"
    if source_high > high:
        text = f"{name} > {_literal(high, wide)} ? ({to}){_literal(high, wide)} : {text}"
    if source_low < low:
        text = f"{name} < {_literal(low, wide)} ? ({to}){_literal(low, wide)} : {text}"
    return text


def _to_float(source: str, to: str, rounding: str | None) -> str:
    """Only where the value may not be representable is there anything to round."""
    exact = SIZES[source] <= 2 or (to == "double" and (SIZES[source] <= 4))
    if exact or rounding in (None, "rn"):
        return f"({to})x"
    return f"::__{_WORD[source]}2{to}_{rounding}(x)"
