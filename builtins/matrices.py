"""Products of small matrices by a sub-group (cl_intel_subgroup_matrix_multiply_accumulate), composed from the functions' names.

Owns what a name and its types say: the elements of a and b, and the size of the sub-group, which is 8 where a work-item brings 32
bits of each row of a, and 16 where it brings 16 bits. The product itself, of any elements, is the ports' (`*/matrices.cuh`).
"""

from __future__ import annotations

import re

from .items import Item, composed
from .table import Overload
from .typenames import SIZES, split

_NAME = re.compile(r"intel_sub_group_(?P<a>\w+?)_(?P<b>\w+?)_matrix_mad_k\d+")


def item(overload: Overload, port: str) -> Item:
    """bfloat16 has no type of its own: accumulated to itself, it is a short."""
    found = _NAME.fullmatch(overload.name)
    assert found, overload.name
    a, b, acc = overload.parameters
    sub_group = 32 // SIZES[split(a)[0]]
    accumulator = "matrix_bf16" if found["a"] == "bf16" and split(acc)[0] == "short" else split(acc)[0]
    name, macro, place = overload.name, "", ""
    if port == "host":
        # The host must know which call this is: see library/host/sub_groups.cuh.
        name, macro = f"{name}_at", f"\n#define {name}(...) {name}_at(__COUNTER__, __VA_ARGS__)"
        place = "place"
    call = f"matrix_mad<{sub_group}, matrix_{found['a']}, matrix_{found['b']}, {accumulator}>"
    head = f"__device__ {overload.result} {name}({'int place, ' if place else ''}{a} a, {b} b, {acc} acc)"
    text = f"{head} {{ return {call}(a, b, acc{', place' if place else ''}); }}{macro}"
    return composed(f"{overload.name}({a}, {acc})", text, overload.parameters, overload.name, name)
