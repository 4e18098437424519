"""Variables, loads, stores, pointers and access chains (section 3.49.8)."""

from __future__ import annotations

import dataclasses

from ..ir import nodes as ir
from ..ir.packed import lies_packed
from ..ir.types import HALF, INT, UINT, ULONG, Array, Opaque, Pointer, Record, Scalar, Type, Vector, align_of, size_of
from . import build, library
from .body import Body, Rule, alignment, volatile
from .constants import chain
from .grammar import enumerant_name
from .reader import Instruction
from .uses import Kind

# The built-in variables (section 3.21) that OpenCL's functions give: of three components, or one.
OF_DIMENSION = {
    "GlobalSize": "get_global_size", "GlobalInvocationId": "get_global_id", "WorkgroupSize": "get_local_size",
    "EnqueuedWorkgroupSize": "get_enqueued_local_size", "LocalInvocationId": "get_local_id", "NumWorkgroups": "get_num_groups",
    "WorkgroupId": "get_group_id", "GlobalOffset": "get_global_offset",
}  # fmt: skip
_WHOLE = {
    "WorkDim": "get_work_dim", "GlobalLinearId": "get_global_linear_id", "LocalInvocationIndex": "get_local_linear_id",
    "SubgroupSize": "get_sub_group_size", "SubgroupMaxSize": "get_max_sub_group_size", "NumSubgroups": "get_num_sub_groups",
    "NumEnqueuedSubgroups": "get_enqueued_num_sub_groups", "SubgroupId": "get_sub_group_id",
    "SubgroupLocalInvocationId": "get_sub_group_local_id", "SubgroupEqMask": "get_sub_group_eq_mask",
    "SubgroupGeMask": "get_sub_group_ge_mask", "SubgroupGtMask": "get_sub_group_gt_mask", "SubgroupLeMask": "get_sub_group_le_mask",
    "SubgroupLtMask": "get_sub_group_lt_mask",
}  # fmt: skip


# -- built-in variables ------------------------------------------------------------------------------------------------


def _builtin(body: Body, each: Instruction, name: str) -> ir.Expr:
    """A built-in variable's value."""
    pos, type = each.offset, body.value_type(each)
    if name in OF_DIMENSION:
        if not isinstance(type, Vector) or type.width != 3:
            raise each.fail(f"{name} is no '{type}'")
        numbers = [ir.Number(UINT, pos, str(n), n) for n in range(3)]
        return ir.MakeVector(type, pos, [id_in_dimension(body, name, number, type.element, each) for number in numbers])
    if name not in _WHOLE:
        raise each.fail(f"the built-in variable {name} is not offered")
    return body.fitted(library.call(_WHOLE[name], [], pos), type, each)


def id_in_dimension(body: Body, name: str, index: ir.Expr, type: Type, each: Instruction) -> ir.Expr:
    return body.fitted(library.call(OF_DIMENSION[name], [index], each.offset), type, each)


def _builtin_component(body: Body, each: Instruction, chained: Instruction) -> ir.Expr | None:
    """What a load through a pointer into a built-in variable gives; None for other pointers."""
    if not chained.name.endswith("AccessChain") or chained.operands[0] not in body.program.builtins:
        return None
    name = body.program.builtins[chained.operands[0]]
    index = body.operand(chained, len(chained.operands) - 1)
    if name not in OF_DIMENSION:
        raise each.fail(f"{name} has no components")
    number = build.constant_integer(index)
    dimension = index if number is None else ir.Number(UINT, each.offset, str(number), number)
    return id_in_dimension(body, name, build.cast(dimension, UINT) if number is None else dimension, body.value_type(each), each)


# -- loads and stores --------------------------------------------------------------------------------------------------


def pointer_operand(body: Body, each: Instruction, number: int) -> ir.Expr:
    value = body.operand(each, number)
    if not isinstance(value.type, Pointer):
        raise each.fail(f"its operand is a '{value.type}', no pointer")
    return value


def _unaligned(body: Body, pointer: ir.Expr, aligned: int | None, is_volatile: bool) -> ir.Expr | None:
    """What the pointer points to, where the address is aligned to fewer bytes than C++ takes it for: as members of packed records
    are. A place that C++ sees to lie in such a record is none, nor is a variable."""
    assert isinstance(pointer.type, Pointer)
    type, place = pointer.type.pointee, build.at(pointer)
    seen = isinstance(place, ir.Name) or (lies_packed(place) and not is_volatile)  # volatile is what a pointer leads to
    if seen or not aligned or aligned.bit_count() != 1 or aligned >= align_of(type):
        return None
    record = body.types.unaligned(type, aligned)
    # Objects of class type are copied byte by byte, which is as good as `volatile` can be.
    target = dataclasses.replace(pointer.type, pointee=record, volatile=is_volatile and not _of_class_type(type))
    return ir.Member(type, pointer.pos, build.cast(pointer, target), True, "value")


def loaded(body: Body, pointer: ir.Expr, is_volatile: bool, aligned: int | None = None) -> ir.Expr:
    """What is in memory there, as a value."""
    assert isinstance(pointer.type, Pointer)
    type, target = pointer.type.pointee, pointer.type
    if isinstance(type, Array):
        target = dataclasses.replace(target, pointee=body.types.wrapper(type))
        pointer = build.cast(pointer, target)
    unaligned = _unaligned(body, pointer, aligned, is_volatile)
    if unaligned is not None:
        return unaligned
    if not is_volatile:
        return build.at(pointer)
    place = build.at(build.cast(pointer, dataclasses.replace(target, volatile=True)))
    return ir.VolatileObject(type, pointer.pos, place, False) if _of_class_type(type) else place


def _of_class_type(type: Type) -> bool:
    """Whether C++ has a class for it, of which it neither copies nor changes volatile objects."""
    return isinstance(type, (Vector, Record, Array)) or type == HALF


def _load(body: Body, each: Instruction) -> ir.Expr:
    source = each.operands[0]
    if source in body.program.builtins:
        return _builtin(body, each, body.program.builtins[source])
    if source in body.aliases:
        return body.value(body.aliases[source], each)
    chained = body.module.defined.get(source)
    if chained is not None and (component := _builtin_component(body, each, chained)) is not None:
        return component
    pointer = pointer_operand(body, each, 0)
    value = loaded(body, pointer, volatile(each), alignment(each))
    wanted = body.value_type(each)
    if wanted not in (value.type, build.with_sign(value.type, False)):
        raise each.fail(f"the pointer leads to a '{value.type}', not a '{wanted}'")
    return value


def _load_kind(body: Body, each: Instruction) -> Kind:
    source = each.operands[0]
    chained = body.module.defined.get(source)
    into_builtin = chained is not None and chained.name.endswith("AccessChain") and chained.operands[0] in body.program.builtins
    if source in body.aliases or source in body.program.builtins or into_builtin:
        return "pure"
    return "acts" if volatile(each) else "reads"


def _store(body: Body, each: Instruction) -> None:
    target = each.operands[0]
    if target in body.aliases:
        return
    pointer, value = pointer_operand(body, each, 0), body.operand(each, 1)
    assert isinstance(pointer.type, Pointer)
    store(body, pointer, value, volatile(each), each, alignment(each))


def store(body: Body, pointer: ir.Expr, value: ir.Expr, is_volatile: bool, each: Instruction, aligned: int | None = None) -> None:
    assert isinstance(pointer.type, Pointer)
    type, target = pointer.type.pointee, pointer.type
    if pointer.type.space == "constant":
        raise each.fail("it stores into the constant address space")
    if build.with_sign(value.type, False) != body.types.as_value(type) or not isinstance(value.type, Scalar):
        value = body.fitted(value, body.types.as_value(type), each)
    if isinstance(type, Array):
        target = dataclasses.replace(target, pointee=value.type)
        pointer = build.cast(pointer, target)
    place = _unaligned(body, pointer, aligned, is_volatile)
    if place is not None:
        pass
    elif is_volatile:
        place = build.at(build.cast(pointer, dataclasses.replace(target, volatile=True)))
        if _of_class_type(type):
            body.act(ir.StoreVolatile(value.type, each.offset, place, value))
            return
    else:
        place = build.at(pointer)
    simple = isinstance(place, ir.Name) and place.symbol in body.simple
    if simple:
        value = body.fitted(value, place.type, each)
    assign = ir.Assign(value.type, each.offset, "=", place, value)
    if simple:
        body.definitions.add(assign)
    body.act(assign)


def _store_kind(body: Body, each: Instruction) -> Kind:
    return "pure" if each.operands[0] in body.aliases else "acts"


def _variable(body: Body, each: Instruction) -> None:
    type = body.type(each)
    if not isinstance(type, Pointer) or enumerant_name("StorageClass", each.operands[0]) != "Function":
        raise each.fail("a function's variables are in storage class Function")
    if each.result in body.aliases:
        return
    variable = body.variable(each, type.pointee)
    aligned = body.module.decoration(each.result, "Alignment")
    if aligned and aligned[0] > align_of(type.pointee) and aligned[0].bit_count() == 1:
        variable.aligned = aligned[0]
    body.add_memory(each, variable)
    name = ir.Name(variable.type, each.offset, variable)
    pointer = ir.Unary(type, each.offset, "&", name)
    body.values[each.result] = pointer
    if len(each.operands) > 1:
        store(body, pointer, body.operand(each, 1), False, each)


def _copy(body: Body, each: Instruction) -> None:
    target, source = pointer_operand(body, each, 0), pointer_operand(body, each, 1)
    aligned = alignment(each)
    store(body, target, loaded(body, source, False, aligned), False, each, aligned)


def _copy_sized(body: Body, each: Instruction) -> None:
    """So many bytes: an assignment where they are one object, else a copy of bytes."""
    target, source, count = pointer_operand(body, each, 0), pointer_operand(body, each, 1), body.operand(each, 2)
    to, given = _uncast(target), _uncast(source)
    number = build.constant_integer(count)
    assert isinstance(to.type, Pointer) and isinstance(given.type, Pointer)
    if to.type.pointee == given.type.pointee and number == size_of(to.type.pointee) and not isinstance(to.type.pointee, Array):
        aligned = alignment(each)
        store(body, to, loaded(body, given, False, aligned), False, each, aligned)
        return
    body.act(ir.Intrinsic(target.type, each.offset, "copy_bytes", [target, source, library.integer(count, ULONG)]))


def _uncast(pointer: ir.Expr) -> ir.Expr:
    while isinstance(pointer, ir.Cast) and isinstance(pointer.operand.type, Pointer):
        pointer = pointer.operand
    return pointer


# -- pointers ----------------------------------------------------------------------------------------------------------


def _chain(has_element: bool) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr | None:
        if each.operands[0] in body.program.builtins:
            return None  # a load through it says what it means
        type = body.type(each)
        if not isinstance(type, Pointer):
            raise each.fail("its type is no pointer")
        pointer = pointer_operand(body, each, 0)
        indices = []
        for number in range(1, len(each.operands)):
            index = body.operand(each, number)
            if not isinstance(index.type, Scalar) or index.type.kind != "int":
                raise each.fail("an index is no integer")
            indices.append(build.subscript(index))
        assert isinstance(pointer.type, Pointer)
        if pointer.type.space != type.space:
            raise each.fail(f"it leads from the {pointer.type.space} to the {type.space} address space")
        return chain(pointer, indices, has_element, type, each)

    return Rule(make)


def _to_generic(body: Body, each: Instruction) -> ir.Expr:
    type = body.type(each)
    if isinstance(type, Opaque):
        return body.fitted(body.operand(each, 0), type, each)  # llvm-spirv takes what is opaque for a pointer
    pointer = pointer_operand(body, each, 0)
    if not isinstance(type, Pointer):
        raise each.fail("its type is no pointer")
    return build.cast(pointer, type)


def _to_named(body: Body, each: Instruction) -> ir.Expr:
    """OpGenericCastToPtrExplicit: null where the pointer points elsewhere."""
    type, pointer = body.type(each), pointer_operand(body, each, 0)
    if not isinstance(type, Pointer) or type.space not in ("global", "local", "private"):
        raise each.fail("its type is no pointer to a named address space")
    assert isinstance(pointer.type, Pointer)
    named = dataclasses.replace(pointer.type, space=type.space)
    return build.cast(ir.Intrinsic(named, each.offset, f"to_{type.space}", [pointer]), type)


def _semantics(body: Body, each: Instruction) -> ir.Expr:
    """OpGenericPtrMemSemantics: WorkgroupMemory or CrossWorkgroupMemory."""
    fence = ir.Intrinsic(UINT, each.offset, "get_fence", [pointer_operand(body, each, 0)])
    return ir.Binary(UINT, each.offset, "<<", fence, build.integer(INT, 8, each.offset))


def _difference(body: Body, each: Instruction) -> ir.Expr:
    left, right = pointer_operand(body, each, 0), pointer_operand(body, each, 1)
    made = ir.Binary(build.LONG, each.offset, "-", left, body.fitted(right, left.type, each))
    return body.fitted(made, body.value_type(each), each)


def _same(body: Body, each: Instruction) -> ir.Expr:
    return body.operand(each, 0)


def _nothing(body: Body, each: Instruction) -> None:
    return None


def _undefined(body: Body, each: Instruction) -> ir.Expr:
    return build.zero(body.value_type(each), each.offset)


def _size_of(body: Body, each: Instruction) -> ir.Expr:
    pointer = pointer_operand(body, each, 0)
    assert isinstance(pointer.type, Pointer)
    return build.integer(UINT, size_of(pointer.type.pointee), each.offset)


RULES: dict[str, Rule] = {
    "OpVariable": Rule(_variable), "OpLoad": Rule(_load, _load_kind), "OpStore": Rule(_store, _store_kind),
    "OpCopyMemory": Rule(_copy, "acts"), "OpCopyMemorySized": Rule(_copy_sized, "acts"),
    "OpAccessChain": _chain(False), "OpInBoundsAccessChain": _chain(False),
    "OpPtrAccessChain": _chain(True), "OpInBoundsPtrAccessChain": _chain(True), "OpPtrCastToGeneric": Rule(_to_generic),
    "OpPtrCastToCrossWorkgroupINTEL": Rule(_to_generic), "OpCrossWorkgroupCastToPtrINTEL": Rule(_to_generic),
    "OpGenericCastToPtr": Rule(_to_generic), "OpGenericCastToPtrExplicit": Rule(_to_named), "OpGenericPtrMemSemantics": Rule(_semantics),
    "OpPtrDiff": Rule(_difference), "OpCopyObject": Rule(_same), "OpExpectKHR": Rule(_same), "OpLifetimeStart": Rule(_nothing),
    "OpLifetimeStop": Rule(_nothing), "OpUndef": Rule(_undefined), "OpSizeOf": Rule(_size_of),
}  # fmt: skip
