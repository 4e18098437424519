"""Block reads and writes (cl_intel_subgroups and its extensions), composed for each type and number of elements.

Owns what a block is: of a buffer, rows of the sub-group's elements one after the other ("the data is read strided, so the first
value read is p[ sub_group_local_id ] and the second value read is p[ sub_group_local_id + max_sub_group_size ]"); of an image,
rows below each other from a byte coordinate on; of a media block (cl_intel_media_block_io) a region of any width and height. One
element of an image is `block_elements.cuh`'s.
"""

from __future__ import annotations

from .compose import spelled
from .items import Item, composed
from .table import Overload
from .typenames import components, split

_ITEM, _SIZE = "get_sub_group_local_id(tile)", "get_max_sub_group_size(tile)"


def item(overload: Overload) -> Item:
    data = overload.result if overload.result != "void" else overload.parameters[-1]
    element, width = split(data)
    image = "image" in overload.parameters[0]
    place, before = (_image if image else _buffer)(element)
    types = [t.replace("read_write ", "read_write_").removeprefix("read_only ").removeprefix("write_only ") for t in overload.parameters]
    names = ["image", "byte_coord", "data"] if image else ["p", "data"]
    declared = [f"{spelled(type_)} {name}" for type_, name in zip(types, names, strict=False)]
    rows = range(width)
    if overload.result == "void":
        values = ["data"] if width == 1 else [f"data.{c}" for c in components(width)]
        form = f"store_block_element({place}, {{1}})" if image else f"{place} = {{1}}"
        body = " ".join(form.format(_row(i, image), value) + ";" for i, value in zip(rows, values, strict=True))
    else:
        form = f"block_element<{element}>({place})" if image else place
        body = f"return {{{', '.join(form.format(_row(i, image)) for i in rows)}}};"
    head = f"{overload.result} {overload.name}({', '.join(declared)}, sub_group_tile<W> tile = {{}})"
    text = f"template<uint W = 32> __device__ {head} {{\n    {before}\n    {body}\n}}"
    return composed(f"{overload.name}({overload.parameters[0]})", text, overload.parameters, overload.name)


def media_item(overload: Overload) -> Item:
    """"Each invocation in the subgroup is then assigned a 'Component Type' column vector of the reorganized 2D region": the sub-group's
    elements are its rows."""
    reads = overload.result != "void"
    data = overload.result if reads else overload.parameters[3]
    element, width = split(data)
    types = [t.replace("read_write ", "read_write_").removeprefix("read_only ").removeprefix("write_only ") for t in overload.parameters]
    names = ["offset", "width", "height", *([] if reads else ["data"]), "image"]
    declared = [f"{spelled(type_)} {name}" for type_, name in zip(types, names, strict=True)]
    places = [f"place{f' + {i} * size' if i else ''}" for i in range(width)]
    if reads:
        parts = ", ".join(f"read_media_block<{element}>(image, offset, width, height, {place})" for place in places)
        body = f"return {{{parts}}};"
    else:
        values = ["data"] if width == 1 else [f"data.{c}" for c in components(width)]
        body = " ".join(f"write_media_block<{element}>(image, offset, width, height, {place}, {value});"
                        for place, value in zip(places, values, strict=True))
    head = f"{overload.result} {overload.name}({', '.join(declared)}, sub_group_tile<W> tile = {{}})"
    text = f"template<uint W = 32> __device__ {head} {{\n    const int place = {_ITEM}, size = {_SIZE};\n    (void)size;\n    {body}\n}}"
    return composed(f"{overload.name}({overload.parameters[-1]})", text, overload.parameters, overload.name)


def _buffer(element: str) -> tuple[str, str]:
    return "p[{0}]", f"const uint size = {_SIZE};\n    p += {_ITEM};"


def _image(element: str) -> tuple[str, str]:
    return "image, x, byte_coord.y{0}", f"const int x = byte_coord.x + (int)({_ITEM} * sizeof({element}));"


def _row(i: int, image: bool) -> str:
    if image:
        return f" + {i}" if i else ""
    return "0" if i == 0 else "size" if i == 1 else f"{i} * size"
