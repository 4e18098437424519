"""Barriers, atomics (sections 3.49.18 and 3.49.20) and clocks, with SPIR-V's scopes and semantics as OpenCL's."""

from __future__ import annotations

import dataclasses
from functools import reduce

from ..ir import nodes as ir
from ..ir.types import BOOL, INT, UINT, Opaque, Pointer, Scalar, Vector
from . import build, library
from .body import Body, Rule
from .memory import pointer_operand
from .reader import Instruction

# Scope (section 3.27) as memory_scope.
_SCOPES = {0: ("memory_scope_all_svm_devices", 3), 1: ("memory_scope_device", 2), 2: ("memory_scope_work_group", 1),
           3: ("memory_scope_sub_group", 4), 4: ("memory_scope_work_item", 0)}  # fmt: skip
_ORDERS = ((0x10, "memory_order_seq_cst", 5), (0x8, "memory_order_acq_rel", 4), (0x4, "memory_order_release", 3),
           (0x2, "memory_order_acquire", 2))  # fmt: skip
_RELAXED = ("memory_order_relaxed", 0)
# Memory semantics' storage classes as cl_mem_fence_flags.
_FENCES = ((0x100, 1), (0x200, 2), (0x800, 4))
_ATOMIC_TYPES = {("int", 4, True): "atomic_int", ("int", 4, False): "atomic_uint", ("int", 8, True): "atomic_long",
                 ("int", 8, False): "atomic_ulong", ("float", 2, True): "atomic_half", ("float", 4, True): "atomic_float",
                 ("float", 8, True): "atomic_double"}  # fmt: skip


def scope(body: Body, id: int, each: Instruction) -> ir.Expr:
    if not body.is_constant(id):
        number = _named(body, id, each, "_scope")
        return _chosen([(ir.Binary(BOOL, each.offset, "==", number, build.integer(UINT, known, each.offset)), *_SCOPES[known])
                        for known in (0, 1, 2, 3)], _SCOPES[4], each.offset)
    known = body.constant(id, each)
    if known not in _SCOPES:
        raise each.fail(f"scope {known} is not offered")
    return ir.BuiltinConstant(INT, each.offset, *_SCOPES[known])


def order(body: Body, id: int, each: Instruction) -> ir.Expr:
    if not body.is_constant(id):
        bits = _named(body, id, each, "_order")
        return _chosen([(_has(bits, bit, each.offset), name, value) for bit, name, value in _ORDERS], _RELAXED, each.offset)
    known = body.constant(id, each)
    for bit, name, value in _ORDERS:
        if known & bit:
            return ir.BuiltinConstant(INT, each.offset, name, value)
    return ir.BuiltinConstant(INT, each.offset, *_RELAXED)


def fences(body: Body, id: int, each: Instruction) -> ir.Expr:
    if not body.is_constant(id):
        bits, pos = _named(body, id, each, "_fences"), each.offset
        zero = build.integer(UINT, 0, pos)
        flags: list[ir.Expr] = [ir.Conditional(UINT, pos, _has(bits, bit, pos), build.integer(UINT, flag, pos), zero)
                                for bit, flag in _FENCES]
        return reduce(lambda one, other: ir.Binary(UINT, pos, "|", one, other), flags)
    known = body.constant(id, each)
    value = sum(flag for bit, flag in _FENCES if known & bit)
    names = {1: "CLK_LOCAL_MEM_FENCE", 2: "CLK_GLOBAL_MEM_FENCE"}
    if value in names:
        return ir.BuiltinConstant(UINT, each.offset, names[value], value)
    return ir.Number(UINT, each.offset, f"{value}u", value)


# Only modules with the capability Shader must have constants for scopes and semantics (section 3.27): a kernel's may be known when it runs.


def _named(body: Body, id: int, each: Instruction, suffix: str) -> ir.Expr:
    value = body.value(id, each)
    if value.type not in (INT, UINT):
        raise each.fail(f"id {id} is no integer of 32 bits")
    return body.define(body.variable(each, UINT, suffix), build.cast(value, UINT, True))


def _has(bits: ir.Expr, bit: int, pos: int) -> ir.Expr:
    masked = ir.Binary(UINT, pos, "&", bits, build.integer(UINT, bit, pos))
    return ir.Binary(BOOL, pos, "!=", masked, build.integer(UINT, 0, pos))


def _chosen(cases: list[tuple[ir.Expr, str, int]], last: tuple[str, int], pos: int) -> ir.Expr:
    """The constant of the first condition that holds."""
    made: ir.Expr = ir.BuiltinConstant(INT, pos, *last)
    for condition, name, value in reversed(cases):
        made = ir.Conditional(INT, pos, condition, ir.BuiltinConstant(INT, pos, name, value), made)
    return made


# -- barriers ----------------------------------------------------------------------------------------------------------


def _control_barrier(body: Body, each: Instruction) -> ir.Expr:
    execution, memory, semantics = each.operands
    kind = body.constant(execution, each)
    if kind not in (2, 3):
        raise each.fail(f"a barrier of execution scope {kind} is not offered")
    flags = fences(body, semantics, each)
    if kind == 3:
        return library.call("sub_group_barrier", [flags, scope(body, memory, each)], each.offset)
    if body.is_constant(memory) and body.constant(memory, each) == 2:
        return library.call("barrier", [flags], each.offset)
    return library.call("work_group_barrier", [flags, scope(body, memory, each)], each.offset)


def _memory_barrier(body: Body, each: Instruction) -> ir.Expr:
    memory, semantics = each.operands
    arguments = [fences(body, semantics, each), order(body, semantics, each), scope(body, memory, each)]
    return library.call("atomic_work_item_fence", arguments, each.offset)


def _named_init(body: Body, each: Instruction) -> ir.Expr:
    return body.call("named_barrier_init", [body.operand(each, 0)], each)


def _named_barrier(body: Body, each: Instruction) -> ir.Expr:
    arguments = [body.operand(each, 0), fences(body, each.operands[2], each), scope(body, each.operands[1], each)]
    return body.call("work_group_named_barrier", arguments, each)


# -- atomics -----------------------------------------------------------------------------------------------------------


def _atomic(body: Body, each: Instruction, sign: bool = False) -> tuple[ir.Expr, Scalar]:
    """The pointer as OpenCL's atomic functions take it, and the type of the value."""
    pointer = pointer_operand(body, each, 0)
    assert isinstance(pointer.type, Pointer)
    type = build.with_sign(pointer.type.pointee, sign)
    name = _ATOMIC_TYPES.get((type.kind, type.size, type.signed)) if isinstance(type, Scalar) else None
    if name is None or not isinstance(type, Scalar) or pointer.type.space not in ("global", "local", "generic"):
        raise each.fail(f"there is no atomic operation on a '{pointer.type}'")
    atomic = dataclasses.replace(pointer.type, pointee=Opaque(name), const=False, volatile=True)
    return build.cast(pointer, atomic), type


def _operation(name: str, sign: bool = False, constant: int | None = None, negate: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        pointer, type = _atomic(body, each, sign)
        value = build.integer(type, constant, each.offset) if constant is not None else body.fitted(body.operand(each, 3), type, each)
        arguments = [pointer, value, order(body, each.operands[2], each), scope(body, each.operands[1], each)]
        return library.call(name, arguments, each.offset, signed=sign)

    return Rule(make, "acts")


def _load(body: Body, each: Instruction) -> ir.Expr:
    pointer, _ = _atomic(body, each)
    arguments = [pointer, order(body, each.operands[2], each), scope(body, each.operands[1], each)]
    return library.call("atomic_load_explicit", arguments, each.offset)


def _store(body: Body, each: Instruction) -> ir.Expr:
    pointer, type = _atomic(body, each)
    value = body.fitted(body.operand(each, 3), type, each)
    arguments = [pointer, value, order(body, each.operands[2], each), scope(body, each.operands[1], each)]
    return library.call("atomic_store_explicit", arguments, each.offset)


def _compare_exchange(body: Body, each: Instruction) -> ir.Expr:
    """"the value ... is the original value": what OpenCL's function leaves in `expected`."""
    pointer, type = _atomic(body, each)
    expected = body.variable(each, type, "_expected")
    name = body.define(expected, body.fitted(body.operand(each, 5), type, each))
    address = ir.Unary(Pointer(type, "private"), each.offset, "&", name)
    orders = [order(body, each.operands[number], each) for number in (2, 3)]
    arguments = [pointer, address, body.fitted(body.operand(each, 4), type, each), *orders, scope(body, each.operands[1], each)]
    body.act(library.call("atomic_compare_exchange_strong_explicit", arguments, each.offset))
    return name


def _flag(name: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        pointer = pointer_operand(body, each, 0)
        assert isinstance(pointer.type, Pointer)
        flag = build.cast(pointer, dataclasses.replace(pointer.type, pointee=Opaque("atomic_flag"), volatile=True))
        return library.call(name, [flag, order(body, each.operands[2], each), scope(body, each.operands[1], each)], each.offset)

    return Rule(make, "acts")


# -- clocks (SPV_KHR_shader_clock) --------------------------------------------------------------------------------------

_CLOCKS = {1: "device", 2: "work_group", 3: "sub_group"}


def _read_clock(body: Body, each: Instruction) -> ir.Expr:
    number, type = body.constant(each.operands[0], each), body.value_type(each)
    if number not in _CLOCKS:
        raise each.fail(f"a clock of scope {number} is not offered")
    halves = "hilo_" if isinstance(type, Vector) else ""
    made = library.call(f"clock_read_{halves}{_CLOCKS[number]}", [], each.offset)
    if made.type != type:
        raise each.fail(f"a clock gives no '{type}'")
    return made


RULES: dict[str, Rule] = {
    "OpControlBarrier": Rule(_control_barrier, "acts"), "OpMemoryBarrier": Rule(_memory_barrier, "acts"),
    "OpNamedBarrierInitialize": Rule(_named_init, "acts"), "OpMemoryNamedBarrier": Rule(_named_barrier, "acts"),
    "OpAtomicLoad": Rule(_load, "acts"), "OpAtomicStore": Rule(_store, "acts"), "OpAtomicExchange": _operation("atomic_exchange_explicit"),
    "OpAtomicCompareExchange": Rule(_compare_exchange, "acts"), "OpAtomicCompareExchangeWeak": Rule(_compare_exchange, "acts"),
    "OpAtomicIIncrement": _operation("atomic_fetch_add_explicit", constant=1),
    "OpAtomicIDecrement": _operation("atomic_fetch_sub_explicit", constant=1),
    "OpAtomicIAdd": _operation("atomic_fetch_add_explicit"), "OpAtomicISub": _operation("atomic_fetch_sub_explicit"),
    "OpAtomicSMin": _operation("atomic_fetch_min_explicit", True), "OpAtomicUMin": _operation("atomic_fetch_min_explicit"),
    "OpAtomicSMax": _operation("atomic_fetch_max_explicit", True), "OpAtomicUMax": _operation("atomic_fetch_max_explicit"),
    "OpAtomicAnd": _operation("atomic_fetch_and_explicit"), "OpAtomicOr": _operation("atomic_fetch_or_explicit"),
    "OpAtomicXor": _operation("atomic_fetch_xor_explicit"), "OpAtomicFAddEXT": _operation("atomic_fetch_add_explicit"),
    "OpAtomicFMinEXT": _operation("atomic_fetch_min_explicit"), "OpAtomicFMaxEXT": _operation("atomic_fetch_max_explicit"),
    "OpReadClockKHR": Rule(_read_clock, "acts"),
    "OpAtomicFlagTestAndSet": _flag("atomic_flag_test_and_set_explicit"), "OpAtomicFlagClear": _flag("atomic_flag_clear_explicit"),
}  # fmt: skip
