"""Device-side enqueue (section 3.49.24): commands that kernels enqueue, their events, ND-ranges.

What is enqueued is a function and a pointer to the bytes that it gets. It becomes a block that captures the bytes and calls the
function with a pointer to its copy of them:

    const packet_28_8 block = *(packet_28_8 *)bytes;
    enqueue_kernel_after(queue, flags, range, 0, nullptr, nullptr, ^{ invoke(&block); });
"""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import INT, UINT, ULONG, VOID, Array, BlockType, Opaque, Pointer, Record, Scalar, Void
from . import build
from .body import Body, Rule
from .module import FunctionBody
from .reader import Instruction

_RANGE, _EVENT, _QUEUE = Opaque("ndrange_t"), Opaque("clk_event_t"), Opaque("queue_t")
# Where the function stands that is to be run; behind it the pointer to what it gets, that one's size and alignment.
_INVOKED = {
    "OpEnqueueKernel": 6, "OpGetKernelNDrangeSubGroupCount": 1, "OpGetKernelNDrangeMaxSubGroupSize": 1, "OpGetKernelWorkGroupSize": 0,
    "OpGetKernelPreferredWorkGroupSizeMultiple": 0, "OpGetKernelLocalSizeForSubgroupCount": 1, "OpGetKernelMaxNumSubgroups": 0,
}  # fmt: skip


def invoked_by(body: FunctionBody) -> list[int]:
    """The functions that a function enqueues, or asks about as of ones to enqueue."""
    return [each.operands[_INVOKED[each.name]] for block in body.blocks for each in block.body if each.name in _INVOKED]


# -- blocks ------------------------------------------------------------------------------------------------------------


def _block(body: Body, each: Instruction) -> ir.BlockLiteral:
    at = _INVOKED[each.name]
    invoked = body.program.callee(each.operands[at], each)
    bytes = body.operand(each, at + 1)
    size, align = (body.constant(each.operands[at + number], each) for number in (2, 3))
    own = invoked.parameters[: len(body.program.by_value[invoked])]
    spaces = [p.type.space if isinstance(p.type, Pointer) else "" for p in own]
    if not isinstance(invoked.result, Void) or spaces[:1] != ["generic"] or set(spaces[1:]) - {"local"}:
        raise each.fail(f"what is enqueued takes a pointer to the Generic storage class, then pointers to the Workgroup one, and has no "
                        f"result; '{invoked.name}' is not like this")
    if not isinstance(bytes.type, Pointer):
        raise each.fail("what the enqueued function gets is no pointer")
    block = ir.Function("block", VOID, [], each.offset, block=True, nested=True, launched=True, callees=[invoked])
    block.parameters = [_parameter(p, block, body) for p in own[1:]]
    first: ir.Expr = build.zero(own[0].type, each.offset)
    if size:
        record = body.program.packets.record(size, align, each)
        captured = body.variable(each, record, "_block")
        place = Pointer(record, bytes.type.space, const=bytes.type.const)
        body.define(captured, build.at(build.cast(bytes, place)))
        block.captures = [captured]
        # The function may write to its bytes: they are its work-item's own.
        copy = ir.Variable(f"{captured.name}_own", record, "private", each.offset, cxx_name=body.names.new(f"{captured.name}_own"),
                           owner=block.identity)
        address = ir.Unary(Pointer(record, "private"), each.offset, "&", ir.Name(record, each.offset, copy))
        first = body.fitted(address, own[0].type, each)
    statements: list[ir.Statement] = []
    if size:
        statements.append(ir.Declare(each.offset, [(copy, ir.Name(record, each.offset, captured))]))
    arguments = [first, *(ir.Name(p.type, each.offset, p) for p in block.parameters)]
    for id in body.program.local_uses[each.operands[at]]:
        variable = body.kernels_own(body.program.local[id], block)
        block.local_variables.append(variable)
        statements.append(ir.Declare(each.offset, [(variable, None)]))
        name = ir.Name(variable.type, each.offset, variable)
        arguments.append(ir.Unary(Pointer(variable.type, "local"), each.offset, "&", name))
    statements.append(ir.Evaluate(each.offset, ir.Call(VOID, each.offset, invoked, arguments)))
    block.body = ir.Block(each.offset, statements, each.offset)
    body.function.launches.append(block)
    return ir.BlockLiteral(BlockType(VOID, tuple(p.type for p in block.parameters)), each.offset, block, [])


def _parameter(parameter: ir.Variable, block: ir.Function, body: Body) -> ir.Variable:
    name = body.names.new(parameter.name)
    return ir.Variable(name, parameter.type, "private", parameter.pos, scope="parameter", cxx_name=name, owner=block.identity)


# -- ND-ranges ---------------------------------------------------------------------------------------------------------


def _build_range(body: Body, each: Instruction) -> ir.Expr:
    """OpBuildNDRange: "Result Type must be an OpTypeStruct with the following ordered list of members": the number of dimensions, the
    offsets, the global and the local sizes. These are an ndrange_t's, too."""
    record = _range_record(body.value_type(each), each)
    assert record.fields is not None
    given = [_kept(body, body.operand(each, number), each) for number in (2, 0, 1)]  # their order is another one
    counts = {_dimensions(value, each) for value in given}
    if len(counts) != 1:
        raise each.fail("its operands are not all of the same number of dimensions")
    (count,) = counts
    members: list[ir.Expr | None] = [build.integer(UINT, count, each.offset)]
    for value, field in zip(given, record.fields[1:], strict=True):
        assert isinstance(field.type, Array) and isinstance(field.type.element, Scalar)
        element = field.type.element
        first, *more = (body.fitted(_size(value, at), element, each) for at in range(count))
        if count < 3 and field is not record.fields[1]:
            more += [_behind(first, field is record.fields[3], element)] * (3 - count)
        members.append(ir.InitList(field.type, each.offset, [first, *more]))
    return ir.CompoundLiteral(record, each.offset, ir.InitList(record, each.offset, members))


def _behind(first: ir.Expr, local: bool, element: Scalar) -> ir.Expr:
    """The size of a dimension that the ND-range does not have: 1, but a local size of 0 leaves all local sizes to the runtime."""
    one, none = (build.integer(element, number, first.pos) for number in (1, 0))
    value = build.constant_integer(first)
    if not local or value is not None:
        return none if local and not value else one
    return ir.Conditional(element, first.pos, ir.Binary(build.BOOL, first.pos, "!=", first, none), one, none)


def _range_record(type: object, each: Instruction) -> Record:
    fields = type.fields if isinstance(type, Record) else None
    if not isinstance(type, Record) or fields is None or [field.type for field in fields] != [UINT, *[Array(ULONG, 3)] * 3]:
        raise each.fail(f"an ND-range is a struct of an integer and three arrays of three integers of 64 bits, not a '{type}'")
    return type


def _kept(body: Body, value: ir.Expr, each: Instruction) -> ir.Expr:
    """A value of which several parts are taken: computed once."""
    return value if build.constant_integer(value) is not None else body.define(body.variable(each, value.type, "_sizes"), value)


def _dimensions(value: ir.Expr, each: Instruction) -> int:
    if isinstance(value.type, Scalar):
        return 1
    array = value.type.fields[0].type if isinstance(value.type, Record) and value.type.fields else None
    if not isinstance(array, Array) or array.length not in (2, 3) or not isinstance(array.element, Scalar):
        raise each.fail(f"sizes of an ND-range are an integer or an array of two or three, not a '{value.type}'")
    return array.length


def _size(value: ir.Expr, at: int) -> ir.Expr:
    if not isinstance(value.type, Record):
        return value
    elements = build.member(value, value.type, 0)
    assert isinstance(elements.type, Array)
    return ir.Index(elements.type.element, value.pos, elements, build.integer(INT, at, value.pos))


def _range(body: Body, each: Instruction, number: int) -> ir.Expr:
    """The operand as an ndrange_t. llvm-spirv gives a pointer to it."""
    value = body.operand(each, number)
    if not isinstance(value.type, Pointer):
        record = _range_record(value.type, each)
        kept = body.define(body.variable(each, record, "_range"), value)
        value = ir.Unary(Pointer(record, "private"), each.offset, "&", kept)
    assert isinstance(value.type, Pointer)
    _range_record(value.type.pointee, each)
    return build.at(build.cast(value, Pointer(_RANGE, value.type.space, const=value.type.const)))


# -- commands and queries ----------------------------------------------------------------------------------------------


def _enqueue(body: Body, each: Instruction) -> ir.Expr:
    """Queue, flags, ND-range, number of events to wait for, these, the place for an event, what is to run, sizes of local memory."""
    queue, flags, count = body.operand(each, 0), body.operand(each, 1), body.operand(each, 3)
    if queue.type != _QUEUE:
        raise each.fail(f"its queue is a '{queue.type}'")
    events = [_events(body, each, number) for number in (4, 5)]
    range, block = _range(body, each, 2), _block(body, each)
    sizes = [_local_size(body, id, each) for id in each.operands[10:]]
    if len(sizes) != len(block.function.parameters):
        raise each.fail(f"it gives {len(sizes)} sizes of local memory, the function has {len(block.function.parameters)} such parameters")
    arguments = [queue, body.fitted(flags, INT, each), range, body.fitted(count, UINT, each), *events, block, *sizes]
    return body.fitted(ir.Intrinsic(INT, each.offset, "enqueue_kernel_after", arguments), body.value_type(each), each)


def _events(body: Body, each: Instruction, number: int) -> ir.Expr:
    value = body.operand(each, number)
    if not isinstance(value.type, Pointer) or value.type.pointee != _EVENT:
        if isinstance(value, ir.Cast) and isinstance(value.type, Pointer):
            return build.cast(value, Pointer(_EVENT, value.type.space))  # no events: a null pointer of another type
        raise each.fail(f"its events are a '{value.type}', no pointer to them")
    return value


def _local_size(body: Body, id: int, each: Instruction) -> ir.Expr:
    """An unsigned integer. llvm-spirv gives a pointer to it."""
    value = body.value(id, each)
    if isinstance(value.type, Pointer):
        value = build.at(value)
    if not isinstance(value.type, Scalar) or value.type.kind != "int":
        raise each.fail(f"a size of local memory is an integer, not a '{value.type}'")
    return build.cast(value, UINT)


def _query(name: str, with_range: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        arguments = [*([_range(body, each, 0)] if with_range else ()), _block(body, each)]
        return body.fitted(ir.Intrinsic(UINT, each.offset, name, arguments), body.value_type(each), each)

    return Rule(make, "acts")


def _sub_groups_at_most(body: Body, each: Instruction) -> ir.Expr:
    return body.fitted(_most(body, each, _block(body, each)), body.value_type(each), each)


def _most(body: Body, each: Instruction, block: ir.BlockLiteral) -> ir.Expr:
    """The sub-groups of the largest work-group."""
    items, one = (ir.Intrinsic(UINT, each.offset, name, [block])
                  for name in ("get_kernel_work_group_size", "get_kernel_preferred_work_group_size_multiple"))
    return ir.Binary(UINT, each.offset, "/", items, one)


def _size_for_sub_groups(body: Body, each: Instruction) -> ir.Expr:
    """"Returns the 1D local size to enqueue Invoke with Subgroup Count subgroups per workgroup", and 0 where there is none."""
    count, block = _kept_number(body, each), _block(body, each)
    one = ir.Intrinsic(UINT, each.offset, "get_kernel_preferred_work_group_size_multiple", [block])
    fits = ir.Binary(build.BOOL, each.offset, "<=", count, _most(body, each, block))
    size = ir.Binary(UINT, each.offset, "*", count, one)
    return body.fitted(ir.Conditional(UINT, each.offset, fits, size, build.integer(UINT, 0, each.offset)), body.value_type(each), each)


def _kept_number(body: Body, each: Instruction) -> ir.Expr:
    return body.define(body.variable(each, UINT, "_count"), body.fitted(body.operand(each, 0), UINT, each))


def _call(name: str) -> Rule:
    """An instruction that is a built-in function of OpenCL C, with its operands."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        arguments = [body.value(id, each) for id in each.operands]
        return body.call(name, arguments, each, signed=True, result=body.value_type(each) if each.type else None)

    return Rule(make, "acts")


RULES: dict[str, Rule] = {
    "OpEnqueueKernel": Rule(_enqueue, "acts"), "OpBuildNDRange": Rule(_build_range, "acts"), "OpEnqueueMarker": _call("enqueue_marker"),
    "OpGetKernelNDrangeSubGroupCount": _query("get_kernel_sub_group_count_for_ndrange", True),
    "OpGetKernelNDrangeMaxSubGroupSize": _query("get_kernel_max_sub_group_size_for_ndrange", True),
    "OpGetKernelWorkGroupSize": _query("get_kernel_work_group_size"),
    "OpGetKernelPreferredWorkGroupSizeMultiple": _query("get_kernel_preferred_work_group_size_multiple"),
    "OpGetKernelLocalSizeForSubgroupCount": Rule(_size_for_sub_groups, "acts"),
    "OpGetKernelMaxNumSubgroups": Rule(_sub_groups_at_most, "acts"),
    "OpRetainEvent": _call("retain_event"), "OpReleaseEvent": _call("release_event"), "OpCreateUserEvent": _call("create_user_event"),
    "OpIsValidEvent": _call("is_valid_event"), "OpSetUserEventStatus": _call("set_user_event_status"),
    "OpCaptureEventProfilingInfo": _call("capture_event_profiling_info"), "OpGetDefaultQueue": _call("get_default_queue"),
}  # fmt: skip
