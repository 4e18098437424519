"""vload_half, vstore_half and their kin (6.15.7), composed per width, rounding and element over the conversions of half.

The forms with an `a` move the vector as a whole, which its alignment allows; a half3 there takes the place of four.
"""

from __future__ import annotations

import re

from .items import Item, canonical
from .table import Overload
from .typenames import components, split

_PLACE = (51,)


def item(overload: Overload) -> Item:
    """The definition of one overload of a vload_half or vstore_half function."""
    found = re.fullmatch(r"v(load|store)(a?)_half(2|3|4|8|16)?(_rt[eznp])?", overload.name)
    assert found, overload.name
    width = int(found[3] or 1)
    place = f"{4 if found[2] and width == 3 else width} * offset" if width > 1 else "offset"
    whole = bool(found[2]) and width != 3
    if found[1] == "load":
        head, body = f"{overload.result} {overload.name}(size_t offset, const half* p)", _load(width, place, whole)
    else:
        head = f"void {overload.name}({overload.parameters[0]} v, size_t offset, half* p)"
        body = _store(width, place, whole, f"half{found[4] or '_rte'}")
    return Item(
        (head,),
        f"__device__ {head} {{ {body} }}",
        known=(overload.name, "half_rte", "half_rtz", "half_rtp", "half_rtn"),
        place=_PLACE,
        parameters=tuple(map(canonical, overload.parameters)),
        uses=() if found[1] == "load" else (("fn", f"half{found[4] or '_rte'}", "half", split(overload.parameters[0])[0]),),
    )


def _load(width: int, place: str, whole: bool) -> str:
    if width == 1:
        return f"return float_of(p[{place}]);"
    if whole:
        values = ", ".join(f"float_of(h.{c})" for c in components(width))
        return f"vec<half, {width}> h = *(const vec<half, {width}>*)(p + {place}); return {{{values}}};"
    return f"p += {place}; return {{{', '.join(f'float_of(p[{i}])' for i in range(width))}}};"


def _store(width: int, place: str, whole: bool, convert: str) -> str:
    if width == 1:
        return f"p[{place}] = {convert}(v);"
    if whole:
        values = ", ".join(f"{convert}(v.{c})" for c in components(width))
        return f"*(vec<half, {width}>*)(p + {place}) = {{{values}}};"
    return f"p += {place}; " + " ".join(f"p[{i}] = {convert}(v.{c});" for i, c in enumerate(components(width)))
