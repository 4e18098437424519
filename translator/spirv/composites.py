"""Composites: their parts, and what is made of parts (section 3.49.12)."""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import BOOL, INT, LONG, UINT, Array, Pointer, Record, Scalar, Vector
from . import build, library
from .body import Body, Rule
from .memory import OF_DIMENSION, id_in_dimension, loaded
from .reader import Instruction


def _extract(body: Body, each: Instruction) -> ir.Expr:
    whole = body.operand(each, 0)
    value = _within(body, whole, each)
    type = body.value_type(each)
    if isinstance(value.type, Array):  # an array in a struct: as a value of its own it is wrapped
        if not isinstance(whole, ir.Name):  # what has no address
            value = _within(body, body.define(body.variable(each, whole.type, "_from"), whole), each)
        pointer = ir.Unary(Pointer(value.type, "private"), each.offset, "&", value)
        value = loaded(body, pointer, False)
    if type == BOOL and value.type != BOOL:
        return ir.Binary(BOOL, each.offset, "!=", value, build.zero(value.type, each.offset))
    return body.fitted(value, build.with_sign(type, False) if value.type == type else value.type, each)


def _within(body: Body, value: ir.Expr, each: Instruction) -> ir.Expr:
    """The part to which the indices of OpCompositeExtract lead."""
    for index in each.operands[1:]:
        value = _part(body, value, index, each)
    return value


def _part(body: Body, value: ir.Expr, index: int, each: Instruction) -> ir.Expr:
    type = value.type
    if isinstance(type, Vector):
        if index >= type.width:
            raise each.fail(f"a '{type}' has no component {index}")
        return build.component(value, index)
    if body.types.is_wrapper(type):
        assert isinstance(type, Record)
        value = build.member(value, type, 0)
        type = value.type
    if isinstance(type, Array):
        if index >= (type.length or 0):
            raise each.fail(f"a '{type}' has no element {index}")
        return ir.Index(type.element, each.offset, value, build.integer(INT, index, each.offset))
    if isinstance(type, Record) and type.fields is not None and index < len(type.fields):
        return build.member(value, type, index)
    raise each.fail(f"a '{type}' has no part {index}")


def _insert(body: Body, each: Instruction) -> ir.Expr:
    part, whole = body.operand(each, 0), body.operand(each, 1)
    indices = each.operands[2:]
    if isinstance(whole.type, Vector) and len(indices) == 1 and indices[0] < whole.type.width:
        parts = build.parts(_sure_name(body, whole, each))
        parts[indices[0]] = _vector_part(body, part, whole.type, each)
        return ir.MakeVector(whole.type, each.offset, parts)
    variable = body.variable(each, whole.type)
    place: ir.Expr = body.define(variable, whole)
    for index in indices:
        outer, place = place.type, _part(body, place, index, each)
        if isinstance(outer, Vector):
            part = _vector_part(body, part, outer, each)
    if body.types.is_wrapper(part.type) and isinstance(place.type, Array):
        pointer = ir.Unary(Pointer(place.type, "private"), each.offset, "&", place)
        place = build.at(build.cast(pointer, Pointer(part.type, "private")))
    body.act(ir.Assign(place.type, each.offset, "=", place, body.fitted(part, place.type, each)))
    return ir.Name(variable.type, each.offset, variable)


def _sure_name(body: Body, vector: ir.Expr, each: Instruction) -> ir.Expr:
    """A vector whose components can be named one by one."""
    of_scalars = isinstance(vector, ir.MakeVector) and all(isinstance(part.type, Scalar) for part in vector.parts)
    if isinstance(vector, (ir.Name, ir.Splat)) or of_scalars:
        return vector
    return body.define(body.variable(each, vector.type, "_from"), vector)


def _vector_part(body: Body, part: ir.Expr, vector: Vector, each: Instruction) -> ir.Expr:
    """A component; of masks -1 or 0."""
    if part.type == BOOL:
        minus = ir.Unary(INT, each.offset, "-", build.cast(part, INT))
        return build.cast(minus, vector.element)
    return body.fitted(part, vector.element, each)


def _construct(body: Body, each: Instruction) -> ir.Expr:
    type = body.value_type(each)
    parts = [body.operand(each, number) for number in range(len(each.operands))]
    if isinstance(type, Vector):
        return _vector(body, type, parts, each)
    if not isinstance(type, Record) or type.fields is None:
        raise each.fail(f"its type '{type}' is no composite's")
    fields = type.fields
    wrapped = body.types.is_wrapper(type)
    array = fields[0].type if wrapped else None
    wanted = array.length if isinstance(array, Array) else len(fields)
    if len(parts) != wanted:
        raise each.fail(f"a '{type}' has {wanted} constituents, not {len(parts)}")
    if any(body.types.is_wrapper(part.type) for part in parts):
        return _assembled(body, type, parts, each)
    types = [array.element] * len(parts) if isinstance(array, Array) else [f.type for f in fields]
    items: list[ir.Expr | None] = [body.fitted(part, wanted_type, each) for part, wanted_type in zip(parts, types, strict=True)]
    inner = ir.InitList(type, each.offset, items)
    return ir.CompoundLiteral(type, each.offset, ir.InitList(type, each.offset, [inner]) if wrapped else inner)


def _assembled(body: Body, type: Record, parts: list[ir.Expr], each: Instruction) -> ir.Expr:
    """A struct with arrays in it, part by part."""
    variable = body.variable(each, type)
    name = body.define(variable, build.zero(type, each.offset))
    for number, part in enumerate(parts):
        place = _part(body, name, number, each)
        pointer: ir.Expr = ir.Unary(Pointer(place.type, "private"), each.offset, "&", place)
        if isinstance(place.type, Array):
            pointer = build.cast(pointer, Pointer(part.type, "private"))
        body.act(ir.Assign(part.type, each.offset, "=", build.at(pointer), part))
    return name


def _vector(body: Body, type: Vector, parts: list[ir.Expr], each: Instruction) -> ir.Expr:
    found: list[ir.Expr] = []
    for part in parts:
        if isinstance(part.type, Vector):
            found += build.parts(_sure_name(body, body.fitted(part, Vector(type.element, part.type.width), each), each))
        else:
            found.append(_vector_part(body, part, type, each))
    if len(found) != type.width:
        raise each.fail(f"a '{type}' has {type.width} components, not {len(found)}")
    return ir.MakeVector(type, each.offset, found)


def _shuffle(body: Body, each: Instruction) -> ir.Expr:
    """OpVectorShuffle: components of two vectors; 0xFFFFFFFF is an undefined one."""
    type = body.value_type(each)
    left, right = body.operand(each, 0), body.operand(each, 1)
    if not (isinstance(type, Vector) and isinstance(left.type, Vector) and isinstance(right.type, Vector)):
        raise each.fail("it takes and gives vectors")
    numbers = each.operands[2:]
    if len(numbers) != type.width:
        raise each.fail(f"a '{type}' has {type.width} components, not {len(numbers)}")
    width, more = left.type.width, right.type.width
    right = body.fitted(right, Vector(left.type.element, right.type.width), each) if right.type.element != left.type.element else right
    of_left = [n for n in numbers if n < width]
    if len(of_left) == len(numbers) and numbers == list(range(width)):
        return left
    used = [n for n in numbers if n != 0xFFFFFFFF]
    first = _sure_name(body, left, each) if any(n < width for n in used) else left
    second = _sure_name(body, right, each) if any(n >= width for n in used) else right
    result = Vector(left.type.element, type.width)
    parts = []
    for n in numbers:
        if n == 0xFFFFFFFF:
            parts.append(build.zero(left.type.element, each.offset))
        elif n < width:
            parts.append(build.component(first, n))
        elif n < width + more:
            parts.append(build.component(second, n - width))
        else:
            raise each.fail(f"the vectors have no component {n}")
    return ir.MakeVector(result, each.offset, parts)


def _extract_dynamic(body: Body, each: Instruction) -> ir.Expr:
    source = body.module.defined.get(each.operands[0])
    if source is not None and source.name == "OpLoad" and source.operands[0] in body.program.builtins:
        name = body.program.builtins[source.operands[0]]
        if name in OF_DIMENSION:
            return id_in_dimension(body, name, build.cast(body.operand(each, 1), UINT), body.value_type(each), each)
    vector, index = body.operand(each, 0), body.operand(each, 1)
    if not isinstance(vector.type, Vector):
        raise each.fail(f"it takes a '{vector.type}', no vector")
    named = vector if isinstance(vector, ir.Name) else body.define(body.variable(each, vector.type, "_from"), vector)
    value: ir.Expr = ir.Index(vector.type.element, each.offset, named, library.integer(index, INT))
    if body.value_type(each) == BOOL:
        return ir.Binary(BOOL, each.offset, "!=", value, build.zero(value.type, each.offset))
    return value


def _insert_dynamic(body: Body, each: Instruction) -> ir.Expr:
    vector, part, index = (body.operand(each, number) for number in range(3))
    if not isinstance(vector.type, Vector):
        raise each.fail(f"it takes a '{vector.type}', no vector")
    variable = body.variable(each, vector.type)
    name = body.define(variable, vector)
    place = ir.Index(vector.type.element, each.offset, name, library.integer(index, INT))
    body.act(ir.Assign(place.type, each.offset, "=", place, _vector_part(body, part, vector.type, each)))
    return ir.Name(variable.type, each.offset, variable)


# -- logical copies ----------------------------------------------------------------------------------------------------


def _copy_logical(body: Body, each: Instruction) -> ir.Expr:
    """OpCopyLogical: "make a logical copy of Operand [...] The logically corresponding elements, members and components are copied",
    between arrays and structs whose types differ."""
    type, value = body.value_type(each), body.operand(each, 0)
    if value.type == type:
        return value
    source = value if isinstance(value, ir.Name) else body.define(body.variable(each, value.type, "_from"), value)
    variable = body.variable(each, type)
    for statement in _copies(body, body.define(variable, build.zero(type, each.offset)), source, each):
        body.emit(statement)
    return ir.Name(type, each.offset, variable)


def _copies(body: Body, target: ir.Expr, source: ir.Expr, each: Instruction) -> list[ir.Statement]:
    """The statements that copy each part of the source's to where it stands in the target."""
    to, of, pos = target.type, source.type, each.offset
    if isinstance(to, Record) and isinstance(of, Record) and to != of and to.fields is not None and of.fields is not None \
            and len(to.fields) == len(of.fields):
        return [statement for number in range(len(to.fields))
                for statement in _copies(body, build.member(target, to, number), build.member(source, of, number), each)]
    if isinstance(to, Array) and isinstance(of, Array) and to.length == of.length:
        variable = body.variable(each, LONG, "_index")
        index = ir.Name(LONG, pos, variable)
        places = [ir.Index(array.element, pos, place, index) for array, place in ((to, target), (of, source))]
        return [ir.For(pos, ir.Evaluate(pos, ir.Assign(LONG, pos, "=", index, build.integer(LONG, 0, pos))),
                       ir.Binary(BOOL, pos, "<", index, build.integer(LONG, to.length or 0, pos)),
                       ir.Assign(LONG, pos, "+=", index, build.integer(LONG, 1, pos)),
                       ir.Block(pos, _copies(body, places[0], places[1], each), pos), None)]
    if to != of:
        raise each.fail(f"a '{of}' and a '{to}' do not match logically")
    return [ir.Evaluate(pos, ir.Assign(to, pos, "=", target, source))]


RULES: dict[str, Rule] = {
    "OpCompositeExtract": Rule(_extract), "OpCompositeInsert": Rule(_insert), "OpCompositeConstruct": Rule(_construct),
    "OpVectorShuffle": Rule(_shuffle), "OpVectorExtractDynamic": Rule(_extract_dynamic),
    "OpVectorInsertDynamic": Rule(_insert_dynamic), "OpCopyLogical": Rule(_copy_logical),
}  # fmt: skip
