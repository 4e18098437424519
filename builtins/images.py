"""The functions of images (6.15.15), composed per overload: which coordinates an image has, and what a component is.

Images that are only read go to the port's `sampled`, `fetched` and `mipmapped` (textures, or the formulas of chapter 8), others and those
of buffers to `load_*` of an element's bytes, of which `loaded_color` makes a colour; colours are written by `store_*`.
"""

from __future__ import annotations

import re

from .items import Item, canonical
from .table import Overload

_PLACE = (90,)  # after all section files

# The shape behind a type's name, and the parts of `coord` that name an element along x, y and z; an array's image comes last. The
# image of a buffer is plain memory on both ports.
_SHAPES = {
    "image1d": ("1d", ("coord", "{}", "{}")),
    "image1d_buffer": ("buffer", ("coord", "{}", "{}")),
    "image1d_array": ("1d_array", ("coord.x", "{}", "coord.y")),
    "image2d": ("2d", ("coord.x", "coord.y", "{}")),
    "image2d_array": ("2d_array", ("coord.x", "coord.y", "coord.z")),
    "image3d": ("3d", ("coord.x", "coord.y", "coord.z")),
}
_QUERIES = {
    "get_image_width": "image.width",
    "get_image_height": "image.height",
    "get_image_depth": "image.depth",
    "get_image_channel_data_type": "image.channel_data_type",
    "get_image_channel_order": "image.channel_order",
    "get_image_array_size": "image.array_size",
    "get_image_num_mip_levels": "image.mip_levels",
}
_COMPONENTS = {"f": "float", "i": "int", "ui": "uint", "h": "float"}


def item(overload: Overload) -> Item:
    """The definition of one overload of a function of images."""
    image = canonical(overload.parameters[0])
    names = re.findall(r"(\w+)[,)]", overload.row.signature)
    types = (f"const {image}&", *overload.parameters[1:])
    head = f"{overload.result} {overload.name}({', '.join(map(' '.join, zip(types, names, strict=True)))})"
    shape, place = _SHAPES[image.removeprefix("read_write_").removesuffix("_t").removesuffix("_depth")]
    found = re.fullmatch(r"(read|write)_image(f|i|ui|h)", overload.name)
    if not found:
        body = f"return {_query(overload)};"
    elif found[1] == "write":
        target, color = "level_of(image, lod)" if "lod" in names else "image", _color(overload)
        body = f"store_{shape}({target}, {color}, {_without_empty(place)});"
    else:
        body = _read(overload, names, _COMPONENTS[found[2]], image, shape, place)
    return Item(
        (head,),
        f"__device__ {head} {{ {body} }}",
        known=(overload.name,),
        place=_PLACE,
        parameters=tuple(map(canonical, overload.parameters)),
    )


def _query(overload: Overload) -> str:
    if overload.name == "get_image_dim":
        return "{image.width, image.height}" if overload.result == "int2" else "{image.width, image.height, image.depth, 0}"
    return _QUERIES[overload.name]


def _color(overload: Overload) -> str:
    """What is written, as a colour."""
    match overload.parameters[-1]:
        case "float":
            return "float4{color, 0, 0, 1}"
        case "half4":
            return "float4{float_of(color.x), float_of(color.y), float_of(color.z), float_of(color.w)}"
        case _:
            return "color"


def _read(overload: Overload, names: list[str], component: str, image: str, shape: str, place: tuple[str, ...]) -> str:
    where = ", ".join(place)
    if lod := "lod" if "lod" in names else "lod_of(image, gradient_x, gradient_y)" if "gradient_x" in names else "":
        color = f"mipmapped<{component}, shape_{shape}>(image, sampler, {lod}, {where})"
    elif "sampler" in names:
        color = f"sampled<{component}, shape_{shape}>(image, sampler, {where})"
    elif image.startswith("read_write_") or shape == "buffer":
        color = f"loaded_color<{component}>(image, load_{shape}(image, {_without_empty(place)}))"
    else:
        color = f"fetched<{component}, shape_{shape}>(image, {where})"
    match overload.result:
        case "float":
            return f"return {color}.x;"
        case "half4":
            return f"float4 c = {color}; return {{half_rte(c.x), half_rte(c.y), half_rte(c.z), half_rte(c.w)}};"
        case _:
            return f"return {color};"


def _without_empty(place: tuple[str, ...]) -> str:
    return ", ".join(part for part in place if part != "{}")
