"""Functions of work-groups and sub-groups (sections 3.49.21 and 3.49.24), async copies, and the extensions' forms of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..ir import nodes as ir
from ..ir.types import BOOL, INT, UINT, Pointer, Scalar, Type, Vector
from . import build, library
from .arithmetic import signed
from .body import Body, Rule
from .grammar import enumerant_name
from .memory import pointer_operand
from .reader import Instruction

_SHAPES = {"Reduce": "reduce", "InclusiveScan": "scan_inclusive", "ExclusiveScan": "scan_exclusive"}
# What an instruction's name says: OpenCL C's operation, and the sign.
_OPERATIONS = {
    "IAdd": ("add", False), "FAdd": ("add", False), "IMul": ("mul", False), "FMul": ("mul", False), "SMin": ("min", True),
    "UMin": ("min", False), "FMin": ("min", False), "SMax": ("max", True), "UMax": ("max", False), "FMax": ("max", False),
    "BitwiseAnd": ("and", False), "BitwiseOr": ("or", False), "BitwiseXor": ("xor", False), "LogicalAnd": ("logical_and", False),
    "LogicalOr": ("logical_or", False), "LogicalXor": ("logical_xor", False),
}  # fmt: skip


def _prefix(body: Body, each: Instruction, number: int = 0) -> str:
    """work_group_ or sub_group_, from the execution scope."""
    scope = body.constant(each.operands[number], each)
    if scope not in (2, 3):
        raise each.fail(f"execution scope {scope} is neither a work-group nor a sub-group")
    return "work_group_" if scope == 2 else "sub_group_"


def _only_sub_group(body: Body, each: Instruction) -> None:
    if body.constant(each.operands[0], each) != 3:
        raise each.fail("its execution scope is not a sub-group")


def _called(body: Body, each: Instruction, name: str, arguments: list[ir.Expr], sign: bool = False) -> ir.Expr:
    return body.fitted(library.call(name, arguments, each.offset, signed=sign), body.value_type(each), each)


# -- work-groups and sub-groups ----------------------------------------------------------------------------------------


def _predicate(name: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        return _called(body, each, _prefix(body, each) + name, [_int(body.operand(each, 1))])

    return Rule(make, "acts")


def _int(value: ir.Expr) -> ir.Expr:
    return build.cast(value, INT) if value.type == BOOL else signed(value, True)


def _broadcast(body: Body, each: Instruction) -> ir.Expr:
    prefix, value, local = _prefix(body, each), body.operand(each, 1), body.operand(each, 2)
    if prefix == "sub_group_":
        return _broadcast_value(body, each, "sub_group_broadcast", value, [_uint(local)])
    places = build.parts(body.define(body.variable(each, local.type, "_from"), local)) if isinstance(local.type, Vector) else [local]
    return _broadcast_value(body, each, "work_group_broadcast", value, [library.integer(place, build.ULONG) for place in places])


def _broadcast_value(body: Body, each: Instruction, name: str, value: ir.Expr, more: list[ir.Expr]) -> ir.Expr:
    if value.type == BOOL:
        return build.cast(library.call(name, [build.cast(value, INT), *more], each.offset, signed=True), BOOL)
    return _called(body, each, name, [value, *more])


def _group_arithmetic(operation: str, sign: bool) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        shape = _SHAPES.get(enumerant_name("GroupOperation", each.operands[1]))
        if shape is None:
            raise each.fail("its operation is neither a reduction nor a scan")
        name = f"{_prefix(body, each)}{shape}_{operation}"
        return _arithmetic(body, each, name, body.operand(each, 2), [], sign)

    return Rule(make, "acts")


def _arithmetic(body: Body, each: Instruction, name: str, value: ir.Expr, more: list[ir.Expr], sign: bool) -> ir.Expr:
    """8 and 16 bits have functions of their own in Intel's extensions only."""
    if value.type == BOOL:
        value = build.cast(value, INT)
    small = isinstance(value.type, Scalar) and value.type.kind == "int" and value.type.size < 4
    if small and not name.startswith(("sub_group_non_uniform", "sub_group_clustered")):
        if name.startswith("sub_group_") and name.endswith(("_add", "_min", "_max")):
            name = f"intel_{name}"
        else:
            raise each.fail(f"{name} of a '{value.type}' is not offered")
    return _called(body, each, name, [value, *more], sign)


# -- sub-groups: non-uniform -------------------------------------------------------------------------------------------


def _non_uniform_arithmetic(operation: str, sign: bool) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        _only_sub_group(body, each)
        kind = enumerant_name("GroupOperation", each.operands[1])
        value = body.operand(each, 2)
        if kind == "ClusteredReduce":
            size = _uint(body.operand(each, 3))
            return _arithmetic(body, each, f"sub_group_clustered_reduce_{operation}", value, [size], sign)
        if kind not in _SHAPES:
            raise each.fail(f"its operation {kind} is not offered")
        return _arithmetic(body, each, f"sub_group_non_uniform_{_SHAPES[kind]}_{operation}", value, [], sign)

    return Rule(make, "acts")


def _non_uniform(name: str, *convert: Callable[[ir.Expr], ir.Expr]) -> Rule:
    """A function of the operands behind the scope."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        _only_sub_group(body, each)
        values = [change(body.operand(each, number + 1)) for number, change in enumerate(convert)]
        if values and values[0].type == BOOL:
            made = library.call(name, [build.cast(values[0], INT), *values[1:]], each.offset, signed=True)
            return body.fitted(build.cast(made, BOOL) if body.value_type(each) == BOOL else made, body.value_type(each), each)
        return _called(body, each, name, values)

    return Rule(make, "acts")


def _same(value: ir.Expr) -> ir.Expr:
    return value


def _uint(value: ir.Expr) -> ir.Expr:
    return library.integer(value, UINT)


def _sint(value: ir.Expr) -> ir.Expr:
    return library.integer(value, INT)


def _bit_count(body: Body, each: Instruction) -> ir.Expr:
    _only_sub_group(body, each)
    names = {"Reduce": "bit_count", "InclusiveScan": "inclusive_scan", "ExclusiveScan": "exclusive_scan"}
    kind = enumerant_name("GroupOperation", each.operands[1])
    if kind not in names:
        raise each.fail(f"its operation {kind} is not offered")
    return _called(body, each, f"sub_group_ballot_{names[kind]}", [body.operand(each, 2)])


def _rotate(body: Body, each: Instruction) -> ir.Expr:
    _only_sub_group(body, each)
    value, delta = body.operand(each, 1), _sint(body.operand(each, 2))
    if len(each.operands) > 3:
        return _called(body, each, "sub_group_clustered_rotate", [value, delta, _uint(body.operand(each, 3))])
    return _called(body, each, "sub_group_rotate", [value, delta])


def _plain(name: str, *convert: Callable[[ir.Expr], ir.Expr], kind: str = "acts") -> Rule:
    """A function of the operands themselves."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        return _called(body, each, name, [change(body.operand(each, number)) for number, change in enumerate(convert)])

    return Rule(make, "acts")


# -- Intel's -----------------------------------------------------------------------------------------------------------


def _block_element(type: Type, each: Instruction) -> Scalar:
    element = type.element if isinstance(type, Vector) else type
    if not isinstance(element, Scalar):
        raise each.fail(f"blocks have no elements of '{type}'")
    return element


def _block_suffix(type: Type, each: Instruction) -> str:
    element, width = _block_element(type, each), type.width if isinstance(type, Vector) else 1
    return {1: "_uc", 2: "_us", 4: "", 8: "_ul"}[element.size] + (str(width) if width > 1 else "")


def _unsigned_type(type: Type, each: Instruction) -> Type:
    """The integers of the same bits: blocks are read as these."""
    unsigned = build.UNSIGNED[_block_element(type, each).size]
    return Vector(unsigned, type.width) if isinstance(type, Vector) else unsigned


def _as(value: ir.Expr, type: Type) -> ir.Expr:
    if value.type == type:
        return value
    if build.with_sign(value.type, False) == build.with_sign(type, False):
        return library.reinterpreted(value, type)
    return library.as_type(value, type)


def _block_pointer(body: Body, each: Instruction, type: Type) -> ir.Expr:
    pointer = pointer_operand(body, each, 0)
    assert isinstance(pointer.type, Pointer)
    element = type.element if isinstance(type, Vector) else type
    return build.cast(pointer, dataclasses.replace(pointer.type, pointee=element))


def _block_read(body: Body, each: Instruction) -> ir.Expr:
    type = body.value_type(each)
    unsigned = _unsigned_type(type, each)
    made = library.call(f"intel_sub_group_block_read{_block_suffix(type, each)}", [_block_pointer(body, each, unsigned)], each.offset)
    return _as(made, type)


def _block_write(body: Body, each: Instruction) -> ir.Expr:
    data = body.operand(each, 1)
    unsigned = _unsigned_type(data.type, each)
    arguments = [_block_pointer(body, each, unsigned), _as(data, unsigned)]
    return library.call(f"intel_sub_group_block_write{_block_suffix(data.type, each)}", arguments, each.offset)


def _image_block_read(body: Body, each: Instruction) -> ir.Expr:
    type = body.value_type(each)
    arguments = [body.operand(each, 0), signed(body.operand(each, 1), True)]
    return _as(library.call(f"intel_sub_group_block_read{_block_suffix(type, each)}", arguments, each.offset), type)


def _image_block_write(body: Body, each: Instruction) -> ir.Expr:
    data = body.operand(each, 2)
    arguments = [body.operand(each, 0), signed(body.operand(each, 1), True), _as(data, _unsigned_type(data.type, each))]
    return library.call(f"intel_sub_group_block_write{_block_suffix(data.type, each)}", arguments, each.offset)


def _media_suffix(body: Body, each: Instruction, type: Type) -> str:
    element, width = (type.element, type.width) if isinstance(type, Vector) else (type, 1)
    if not isinstance(element, Scalar) or element.kind != "int" or element.size > 4:
        raise each.fail(f"media blocks have no elements of '{type}'")
    return {1: "uc", 2: "us", 4: "ui"}[element.size] + (str(width) if width > 1 else "")


def _media_region(body: Body, each: Instruction) -> list[ir.Expr]:
    return [signed(body.operand(each, 1), True), _sint(body.operand(each, 2)), _sint(body.operand(each, 3))]


def _media_block_read(body: Body, each: Instruction) -> ir.Expr:
    type = body.value_type(each)
    name = f"intel_sub_group_media_block_read_{_media_suffix(body, each, type)}"
    return _as(library.call(name, [*_media_region(body, each), body.operand(each, 0)], each.offset), type)


def _media_block_write(body: Body, each: Instruction) -> ir.Expr:
    data = body.operand(each, 4)
    name = f"intel_sub_group_media_block_write_{_media_suffix(body, each, data.type)}"
    arguments = [*_media_region(body, each), _as(data, _unsigned_type(data.type, each)), body.operand(each, 0)]
    return library.call(name, arguments, each.offset)


# -- async copies ------------------------------------------------------------------------------------------------------


def _async_copy(body: Body, each: Instruction) -> ir.Expr:
    if body.constant(each.operands[0], each) != 2:
        raise each.fail("its execution scope is not the work-group")
    target, source = pointer_operand(body, each, 1), pointer_operand(body, each, 2)
    count, stride, event = (body.operand(each, number) for number in (3, 4, 5))
    count, stride = library.integer(count, build.ULONG), library.integer(stride, build.ULONG)
    if build.constant_integer(stride) == 1:
        return library.call("async_work_group_copy", [target, source, count, event], each.offset)
    return library.call("async_work_group_strided_copy", [target, source, count, stride, event], each.offset)


def _wait_events(body: Body, each: Instruction) -> ir.Expr:
    return library.call("wait_group_events", [_sint(body.operand(each, 1)), pointer_operand(body, each, 2)], each.offset)


RULES: dict[str, Rule] = {
    "OpGroupAll": _predicate("all"), "OpGroupAny": _predicate("any"), "OpGroupBroadcast": Rule(_broadcast, "acts"),
    **{f"OpGroup{name}{suffix}": _group_arithmetic(*operation) for name, operation in _OPERATIONS.items() for suffix in ("", "KHR")},
    **{f"OpGroupNonUniform{name}": _non_uniform_arithmetic(*operation) for name, operation in _OPERATIONS.items()},
    "OpGroupNonUniformElect": _non_uniform("sub_group_elect"), "OpGroupNonUniformAll": _non_uniform("sub_group_non_uniform_all", _int),
    "OpGroupNonUniformAny": _non_uniform("sub_group_non_uniform_any", _int),
    "OpGroupNonUniformAllEqual": _non_uniform("sub_group_non_uniform_all_equal", _same),
    "OpGroupNonUniformBroadcast": _non_uniform("sub_group_non_uniform_broadcast", _same, _uint),
    "OpGroupNonUniformBroadcastFirst": _non_uniform("sub_group_broadcast_first", _same),
    "OpGroupNonUniformBallot": _non_uniform("sub_group_ballot", _int),
    "OpGroupNonUniformInverseBallot": _non_uniform("sub_group_inverse_ballot", _same),
    "OpGroupNonUniformBallotBitExtract": _non_uniform("sub_group_ballot_bit_extract", _same, _uint),
    "OpGroupNonUniformBallotBitCount": Rule(_bit_count, "acts"),
    "OpGroupNonUniformBallotFindLSB": _non_uniform("sub_group_ballot_find_lsb", _same),
    "OpGroupNonUniformBallotFindMSB": _non_uniform("sub_group_ballot_find_msb", _same),
    "OpGroupNonUniformShuffle": _non_uniform("sub_group_shuffle", _same, _uint),
    "OpGroupNonUniformShuffleXor": _non_uniform("sub_group_shuffle_xor", _same, _uint),
    "OpGroupNonUniformShuffleUp": _non_uniform("sub_group_shuffle_up", _same, _uint),
    "OpGroupNonUniformShuffleDown": _non_uniform("sub_group_shuffle_down", _same, _uint),
    "OpGroupNonUniformRotateKHR": Rule(_rotate, "acts"),
    "OpSubgroupBallotKHR": _plain("sub_group_ballot", _int), "OpSubgroupFirstInvocationKHR": _plain("sub_group_broadcast_first", _same),
    "OpSubgroupAllKHR": _plain("sub_group_all", _int), "OpSubgroupAnyKHR": _plain("sub_group_any", _int),
    "OpSubgroupReadInvocationKHR": _plain("sub_group_shuffle", _same, _uint),
    "OpSubgroupShuffleINTEL": _plain("intel_sub_group_shuffle", _same, _uint),
    "OpSubgroupShuffleDownINTEL": _plain("intel_sub_group_shuffle_down", _same, _same, _uint),
    "OpSubgroupShuffleUpINTEL": _plain("intel_sub_group_shuffle_up", _same, _same, _uint),
    "OpSubgroupShuffleXorINTEL": _plain("intel_sub_group_shuffle_xor", _same, _uint),
    "OpSubgroupBlockReadINTEL": Rule(_block_read, "acts"), "OpSubgroupBlockWriteINTEL": Rule(_block_write, "acts"),
    "OpSubgroupImageBlockReadINTEL": Rule(_image_block_read, "acts"), "OpSubgroupImageBlockWriteINTEL": Rule(_image_block_write, "acts"),
    "OpSubgroupImageMediaBlockReadINTEL": Rule(_media_block_read, "acts"),
    "OpSubgroupImageMediaBlockWriteINTEL": Rule(_media_block_write, "acts"),
    "OpGroupAsyncCopy": Rule(_async_copy, "acts"), "OpGroupWaitEvents": Rule(_wait_events, "acts"),
}  # fmt: skip
