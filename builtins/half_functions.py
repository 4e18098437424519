"""The forms for half (cl_khr_fp16) of functions of floats, composed over the forms for float.

A float has more than twice half's bits: what rounds correctly there does so in half, and a few units in float's last place are
nothing in half's.
"""

from __future__ import annotations

from .compose import PARAMETERS, spelled
from .items import Item, canonical
from .operators import written_out
from .table import Overload
from .typenames import split, vector

_PLACE = (52,)


def as_float(type_: str) -> str:
    """The type with float for half: "float4" for "half4", "private float *" for "private half *"."""
    return " ".join(vector("float", split(word)[1]) if split(word)[0] == "half" else word for word in type_.split())


def item(overload: Overload) -> Item:
    """The definition of one overload that has half in its signature."""
    name = overload.name
    declared, arguments, before, after = [], [], [], []
    for letter, type_ in zip(PARAMETERS, overload.parameters, strict=False):
        cpp = spelled(type_)
        declared.append(f"{cpp} {letter}")
        if cpp == spelled(as_float(type_)):
            arguments.append(letter)
        elif cpp.endswith("*"):
            pointee = cpp[:-1]
            before.append(f"{as_float(pointee)} {letter}_;")
            after.append(f"*{letter} = {_narrowed(f'{letter}_', pointee)};")
            arguments.append(f"&{letter}_")
        else:
            arguments.append(_widened(letter, cpp))
    call = f"{name}({', '.join(arguments)})"
    head = f"{overload.result} {name}({', '.join(declared)})"
    wide = as_float(overload.result)
    if after or (split(wide)[1] > 1 and wide != overload.result):
        body = " ".join([*before, f"{wide} r = {call};", *after, f"return {_narrowed('r', overload.result)};"])
    else:
        body = f"return {_narrowed(call, overload.result)};"
    return Item(
        (head,),
        f"__device__ {head} {{ {body} }}",
        known=(name, "float_of", "half_rte"),
        place=_PLACE,
        parameters=tuple(map(canonical, overload.parameters)),
        uses=(
            ("fn", name, wide, *map(as_float, overload.parameters)),
            ("fn", "float_of", "float", "half"),
            *((("fn", "half_rte", "half", "float"),) if after or wide != overload.result else ()),
        ),
    )


def _widened(name: str, type_: str) -> str:
    width = split(type_)[1]
    return f"float_of({name})" if width == 1 else f"{as_float(type_)}{{{written_out(width, lambda c: f'float_of({name}{c})')}}}"


def _narrowed(expression: str, type_: str) -> str:
    element, width = split(type_)
    if element != "half":
        return expression
    return f"half_rte({expression})" if width == 1 else f"{type_}{{{written_out(width, lambda c: f'half_rte({expression}{c})')}}}"
