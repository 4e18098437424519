"""Images and samplers (section 3.49.10). SPIR-V's integers have no sign, an image's have one: where an instruction does not say which
(image operands SignExtend and ZeroExtend), reads give the bits, and writes ask the image."""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import BOOL, FLOAT, HALF, INT, UINT, Opaque, Scalar, Type, Vector
from . import build, library
from .arithmetic import signed
from .body import Body, Rule
from .reader import Instruction

_FIRST_DATA_TYPE, _FIRST_ORDER, _SIGNED_INT8 = 0x10D0, 0x10B0, 0x10D7
_LOD, _GRAD, _SIGN_EXTEND, _ZERO_EXTEND = 0x2, 0x4, 0x1000, 0x2000
_KNOWN = _LOD | _GRAD | _SIGN_EXTEND | _ZERO_EXTEND | 0x4000  # Nontemporal is a hint
# The components of a coordinate as OpenCL C has them.
_COORDINATES = {"image1d_t": 1, "image1d_buffer_t": 1, "image1d_array_t": 2, "image2d_t": 2, "image2d_depth_t": 2,
                "image2d_array_t": 4, "image2d_array_depth_t": 4, "image3d_t": 4}  # fmt: skip


def _image(body: Body, each: Instruction, number: int = 0) -> tuple[ir.Expr, Opaque]:
    value = body.operand(each, number)
    if not isinstance(value.type, Opaque) or value.type.kind != "image":
        raise each.fail(f"its operand is a '{value.type}', no image")
    return value, value.type


def _sampled_image(body: Body, each: Instruction) -> None:
    image, _ = _image(body, each)
    sampler = body.operand(each, 1)
    if not isinstance(sampler.type, Opaque) or sampler.type.kind != "sampler":
        raise each.fail(f"its operand is a '{sampler.type}', no sampler")
    body.sampled[each.result] = (image, sampler)


def _of_sampled(body: Body, each: Instruction) -> tuple[ir.Expr, ir.Expr]:
    found = body.sampled.get(each.operands[0])
    if found is None:
        raise each.fail(f"id {each.operands[0]} is no sampled image that is made in this function")
    return found


def _image_of(body: Body, each: Instruction) -> ir.Expr:
    return _of_sampled(body, each)[0]


def _extras(body: Body, each: Instruction, at: int) -> tuple[int, list[ir.Expr]]:
    """The mask of image operands, and the level of detail or gradients where they are not that of a plain read."""
    if len(each.operands) <= at:
        return 0, []
    mask, *ids = each.operands[at:]
    if mask & ~_KNOWN:
        raise each.fail(f"image operands {mask:#x} are not offered")
    values = [body.value(id, each) for id in ids]
    if mask & _LOD and isinstance(values[0], ir.Number) and not values[0].value:
        return mask, []
    return mask, values


def _suffix(type: Type, mask: int) -> str:
    element = type.element if isinstance(type, Vector) else type
    if element == FLOAT:
        return "f"
    if element == HALF:
        return "h"
    return "i" if mask & _SIGN_EXTEND else "ui"


def _coordinate(body: Body, value: ir.Expr, image: Opaque, each: Instruction, width: int | None = None) -> ir.Expr:
    """Integers with a sign, as many as OpenCL C's functions take; what is more than the image has is 0."""
    wanted = width or _COORDINATES[image.name]
    given = value.type.width if isinstance(value.type, Vector) else 1
    if given == wanted:
        return signed(value, True)
    element = value.type.element if isinstance(value.type, Vector) else value.type
    if not isinstance(element, Scalar):
        raise each.fail(f"a '{value.type}' is no coordinate")
    if given > wanted:
        first = build.parts(_named(body, value, each))[:wanted]
    else:
        first = build.parts(_named(body, value, each)) if given > 1 else [value]
        first += [build.zero(element, each.offset)] * (wanted - given)
    made = first[0] if wanted == 1 else ir.MakeVector(Vector(element, wanted), each.offset, first)
    return signed(made, True)


def _named(body: Body, value: ir.Expr, each: Instruction) -> ir.Expr:
    if isinstance(value, (ir.Name, ir.Splat, ir.MakeVector)):
        return value
    return body.define(body.variable(each, value.type, "_at"), value)


def _sample(body: Body, each: Instruction) -> ir.Expr:
    image, sampler = _of_sampled(body, each)
    assert isinstance(image.type, Opaque)
    mask, extras = _extras(body, each, 2)
    type = body.value_type(each)
    arguments = [image, sampler, _coordinate(body, body.operand(each, 1), image.type, each)]
    if mask & _GRAD:
        width = {1: 1, 2: 1 if "1d" in image.type.name else 2, 4: 2 if "2d" in image.type.name else 4}[_COORDINATES[image.type.name]]
        extras = [_coordinate(body, extra, image.type, each, width) for extra in extras]
    return body.fitted(library.call(f"read_image{_suffix(type, mask)}", [*arguments, *extras], each.offset), type, each)


def _read(body: Body, each: Instruction) -> ir.Expr:
    image, image_type = _image(body, each)
    mask, extras = _extras(body, each, 2)
    if extras:
        raise each.fail("a read without a sampler from another level than the first is not offered")
    type = body.value_type(each)
    arguments = [image, _coordinate(body, body.operand(each, 1), image_type, each)]
    return body.fitted(library.call(f"read_image{_suffix(type, mask)}", arguments, each.offset), type, each)


def _write(body: Body, each: Instruction) -> None:
    image, image_type = _image(body, each)
    mask, extras = _extras(body, each, 3)
    texel = body.operand(each, 2)
    lod = [signed(extra, True) for extra in extras]
    coordinate = _coordinate(body, body.operand(each, 1), image_type, each)

    def written(suffix: str, value: ir.Expr) -> ir.Statement:
        return ir.Evaluate(each.offset, library.call(f"write_image{suffix}", [image, coordinate, *lod, value], each.offset))

    suffix = _suffix(texel.type, mask)
    if suffix in ("f", "h") or mask & (_SIGN_EXTEND | _ZERO_EXTEND):
        body.emit(written(suffix, texel))
        return
    texel = body.define(body.variable(each, texel.type, f"texel_{each.offset}"), texel) if not isinstance(texel, ir.Name) else texel
    kind = library.call("get_image_channel_data_type", [image], each.offset)
    pos = each.offset
    above = ir.Binary(UINT, pos, "-", build.cast(kind, UINT), build.integer(UINT, _SIGNED_INT8, pos))
    has_sign = ir.Binary(BOOL, pos, "<", above, build.integer(UINT, 3, pos))
    body.emit(ir.If(pos, has_sign, ir.Block(pos, [written("i", texel)], pos), ir.Block(pos, [written("ui", texel)], pos)))


# -- queries -----------------------------------------------------------------------------------------------------------


def _size(body: Body, each: Instruction) -> ir.Expr:
    image, image_type = _image(body, each)
    if len(each.operands) > 1:
        lod = build.constant_integer(body.operand(each, 1))
        if lod != 0:
            raise each.fail("the size of another level than the first is not offered")
    pos, name, type = each.offset, image_type.name, body.value_type(each)
    queries = ["get_image_width"] + ["get_image_height"] * ("2d" in name or "3d" in name) + ["get_image_depth"] * ("3d" in name)
    parts: list[ir.Expr] = [library.call(query, [image], pos) for query in queries]
    if "array" in name:
        parts.append(library.call("get_image_array_size", [image], pos))
    element = type.element if isinstance(type, Vector) else type
    if not isinstance(element, Scalar) or element.kind != "int" or (type.width if isinstance(type, Vector) else 1) != len(parts):
        raise each.fail(f"the size of an {name} is no '{type}'")
    parts = [build.cast(part, element) for part in parts]
    return ir.MakeVector(type, pos, parts) if isinstance(type, Vector) else parts[0]


def _query(name: str, first: int) -> Rule:
    """Enumerants of SPIR-V count from 0, OpenCL's from `first`."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        image, _ = _image(body, each)
        value: ir.Expr = library.call(name, [image], each.offset)
        if first:
            value = ir.Binary(INT, each.offset, "-", value, build.integer(INT, first, each.offset))
        return body.fitted(value, body.value_type(each), each)

    return Rule(make)


RULES: dict[str, Rule] = {
    "OpSampledImage": Rule(_sampled_image), "OpImage": Rule(_image_of), "OpImageSampleExplicitLod": Rule(_sample, "reads"),
    "OpImageRead": Rule(_read, "reads"), "OpImageWrite": Rule(_write, "acts"), "OpImageQuerySizeLod": Rule(_size),
    "OpImageQuerySize": Rule(_size), "OpImageQueryFormat": _query("get_image_channel_data_type", _FIRST_DATA_TYPE),
    "OpImageQueryOrder": _query("get_image_channel_order", _FIRST_ORDER), "OpImageQueryLevels": _query("get_image_num_mip_levels", 0),
}  # fmt: skip
