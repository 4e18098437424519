"""Constants, specialization constants and the values of variables of program scope (section 3.49.7)."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import nodes as ir
from ..ir.types import BOOL, Array, Opaque, Pointer, Record, Scalar, Type, Vector
from . import build
from .addresses import as_sum, of_type
from .errors import NotOffered
from .fold import extracted, fold, inserted, is_folded, shuffled
from .grammar import enumerant_name, instructions
from .module import Module
from .reader import Instruction
from .type_table import TypeTable

_MOST_NUMBERS = 1 << 22
_SAMPLER_ADDRESSING = {"None": 0, "ClampToEdge": 2, "Clamp": 4, "Repeat": 6, "RepeatMirrored": 8}


class Constants:
    """chosen are the values of specialization constants, by their SpecId, as bytes of their size."""

    def __init__(self, module: Module, types: TypeTable, chosen: Mapping[int, bytes]):
        self.module, self.types, self.chosen = module, types, chosen
        self.variables: dict[int, ir.Variable] = {}  # of program scope
        self._known: dict[int, ir.Expr] = {}
        self._folds: dict[int, bool] = {}
        self._counts: dict[int, int] = {}
        types.array_length = self.length

    def is_constant(self, id: int) -> bool:
        found = self.module.defined.get(id)
        return found is not None and (found.name.startswith(("OpConstant", "OpSpecConstant")) or found.name == "OpUndef")

    def value(self, id: int, by: Instruction) -> ir.Expr:
        """The constant as a value."""
        if id not in self._known:
            found = self.module.definition(id, by)
            rule = _RULES.get(found.name)
            if rule is None:
                raise by.fail(f"id {id} is {found.name}, no value that is known here")
            try:
                self._known[id] = rule(self, found)
            except RecursionError:
                raise found.fail("the constant holds itself, or is nested too deeply") from None
        return self._known[id]

    def integer(self, id: int, by: Instruction) -> int:
        """The value of a constant integer, without a sign."""
        found = self.module.definition(id, by)
        if not self.is_constant(id):
            raise by.fail(f"id {id} is {found.name}, no constant")
        value = self.value(id, by)
        if isinstance(value, ir.Cast) and isinstance(value.operand, ir.Number):
            value = value.operand
        if not isinstance(value, ir.Number) or not isinstance(value.value, int):
            raise by.fail(f"id {id} is no constant integer")
        bits = value.type.bits if isinstance(value.type, Scalar) else 64
        return value.value & ((1 << bits) - 1)

    def length(self, id: int, by: Instruction) -> int:
        return self.integer(id, by)

    def folds(self, operation: Instruction) -> bool:
        """Whether the value is a constant in a function too: an OpSpecConstantOp may be an instruction there, which knows variables that
        only functions have, and rounds and saturates as it is decorated."""
        known = self._folds.get(operation.result)
        if known is None:
            known = self._folds[operation.result] = self._is_folded(operation)
        return known

    def _is_folded(self, operation: Instruction) -> bool:
        if operation.name == "OpVariable":
            return operation.result in self.variables
        if operation.name != "OpSpecConstantOp" and not operation.name.endswith("ConstantComposite"):
            return True
        operands = [self.module.definition(id, operation) for id in operation.ids]
        try:
            if not all(self.folds(each) for each in operands):
                return False
        except RecursionError:
            raise operation.fail("the constant holds itself, or is nested too deeply") from None
        if operation.name != "OpSpecConstantOp" or isinstance(self.types.type(operation.type, operation), Pointer):
            return True
        decorated = any(self.module.decoration(operation.result, name) for name in ("FPRoundingMode", "SaturatedConversion"))
        types = [self.types.type(each.type, operation) for each in (operation, *operands) if each.type]
        return not decorated and is_folded(instructions()[operation.operands[0]].name) and not isinstance(types[0], (Array, Record)) \
            and not any(isinstance(type, Pointer) for type in types)

    def initialiser(self, id: int, by: Instruction) -> ir.Expr:
        """The constant as braces hold it, where arrays are no values."""
        found = self.module.definition(id, by)
        if found.name == "OpVariable":
            return self._address(found, by)
        if found.name in ("OpConstantComposite", "OpSpecConstantComposite"):
            type = self.types.type(found.type, found)
            if isinstance(type, (Array, Record)):
                self._check_count(found, type)
                if self._count(found) > _MOST_NUMBERS:
                    raise found.fail(f"a constant of {self._count(found)} numbers is more than cl2cuda writes out")
                return ir.InitList(type, found.offset, [self.initialiser(each, found) for each in found.operands])
        if found.name in ("OpConstantNull", "OpUndef"):
            type = self.types.type(found.type, found)
            if isinstance(type, (Array, Record)):
                return ir.InitList(type, found.offset, [])
        return build.braced(self.value(id, by))

    def _count(self, found: Instruction) -> int:
        """Of how many numbers a constant is composed: a short module may name one part again and again."""
        if not found.name.endswith("ConstantComposite"):
            return 1
        if found.result not in self._counts:
            self._counts[found.result] = sum(self._count(self.module.definition(id, found)) for id in found.operands)
        return self._counts[found.result]

    def _address(self, found: Instruction, by: Instruction) -> ir.Expr:
        variable = self.variables.get(found.result)
        if variable is None:
            raise by.fail(f"id {found.result} is no variable with an address that is constant")
        type = self.types.type(found.type, found)
        assert isinstance(type, Pointer)
        return ir.Unary(type, by.offset, "&", ir.Name(variable.type, by.offset, variable))

    # -- rules -------------------------------------------------------------------------------------------------------

    def _chosen(self, found: Instruction, size: int) -> int | None:
        """What the program's user set the specialization constant to."""
        spec_id = self.module.decoration(found.result, "SpecId")
        if spec_id is None or spec_id[0] not in self.chosen:
            return None
        return int.from_bytes(self.chosen[spec_id[0]][:size], "little")

    def _boolean(self, found: Instruction) -> ir.Expr:
        value: int | None = found.name.endswith("True")
        if found.name.startswith("OpSpec"):
            chosen = self._chosen(found, 1)
            value = value if chosen is None else chosen
        return build.boolean(bool(value), found.offset)

    def _number(self, found: Instruction) -> ir.Expr:
        type = self.types.type(found.type, found)
        if not isinstance(type, Scalar) or type == BOOL:
            raise found.fail(f"its type is '{type}', no number's")
        words = 2 if type.size == 8 else 1
        if len(found.operands) != words:
            raise found.fail(f"a '{type}' has {words} words, not {len(found.operands)}")
        bits = found.operands[0] | (found.operands[1] << 32 if words == 2 else 0)
        if found.name == "OpSpecConstant":
            chosen = self._chosen(found, type.size)
            bits = bits if chosen is None else chosen
        if type.kind == "float":
            return build.floating(type, bits, found.offset)
        return build.integer(type, bits, found.offset)

    def _null(self, found: Instruction) -> ir.Expr:
        return build.zero(self.types.value_type(found.type, found), found.offset)

    def _check_count(self, found: Instruction, type: Type) -> None:
        wanted = type.length if isinstance(type, Array) else type.width if isinstance(type, Vector) else (
            len(type.fields or ()) if isinstance(type, Record) else -1)
        if len(found.operands) != wanted:
            raise found.fail(f"a '{type}' has {wanted} constituents, not {len(found.operands)}")

    def _composite(self, found: Instruction) -> ir.Expr:
        type = self.types.type(found.type, found)
        self._check_count(found, type)
        if isinstance(type, Vector):
            parts = [self.value(each, found) for each in found.operands]
            for part in parts:
                if part.type != type.element and part.type != BOOL:
                    raise found.fail(f"a constituent is a '{part.type}', not a '{type.element}'")
            if all(part.type == BOOL for part in parts):
                parts = [build.integer(type.element, -int(bool(build.constant_integer(part))), found.offset) for part in parts]
            if all(isinstance(p, ir.Number) and p.text == getattr(parts[0], "text", None) for p in parts):
                return ir.Splat(type, found.offset, parts[0])
            return ir.MakeVector(type, found.offset, parts)
        if not isinstance(type, (Array, Record)):
            raise found.fail(f"its type '{type}' is no composite's")
        value = self.types.as_value(type)
        init = self.initialiser(found.result, found)
        if isinstance(type, Array):
            init = ir.InitList(value, found.offset, [init])
        return ir.CompoundLiteral(value, found.offset, init)

    def _sampler(self, found: Instruction) -> ir.Expr:
        """3.49.7: addressing mode, whether coordinates are normalized, filter: as the bits of `sampler_t`."""
        addressing, normalized, filter = found.operands
        bits = _SAMPLER_ADDRESSING.get(enumerant_name("SamplerAddressingMode", addressing))
        if bits is None or normalized > 1:
            raise found.fail("no such sampler")
        bits |= normalized | (0x20 if filter == 1 else 0x10)
        number = ir.Number(build.UINT, found.offset, f"{bits:#x}u", bits)
        return ir.Cast(Opaque("sampler_t"), found.offset, number, False)

    def _operation(self, found: Instruction) -> ir.Expr:
        """OpSpecConstantOp: what the instruction makes of constants."""
        opcode, *operands = found.operands
        name = instructions()[opcode].name
        type = self.types.type(found.type, found)
        if name in ("OpInBoundsPtrAccessChain", "OpPtrAccessChain", "OpInBoundsAccessChain", "OpAccessChain"):
            return self._chain(found, operands, "Ptr" in name)
        if name in ("OpBitcast", "OpPtrCastToGeneric", "OpGenericCastToPtr") and isinstance(type, Pointer):
            return of_type(self.initialiser(operands[0], found), type)
        if name in ("OpConvertPtrToU", "OpConvertUToPtr"):
            return build.cast(self.initialiser(operands[0], found), type)
        if not is_folded(name):
            raise NotOffered(f"{name} in a constant is not offered", found.offset, repr(found))
        values = [self._operand(id, found) for id in found.ids]
        made = self._folded(name, type, values, operands, found)
        if made.type != type:
            raise found.fail(f"{name} gives a '{made.type}', not a '{type}'")
        return made

    def _operand(self, id: int, by: Instruction) -> ir.Expr:
        type = self.types.type(self.module.definition(id, by).type, by)
        return self.value(id, by) if isinstance(type, (Scalar, Vector)) else self.initialiser(id, by)

    def _folded(self, name: str, type: Type, values: list[ir.Expr], operands: list[int], found: Instruction) -> ir.Expr:
        if name == "OpVectorShuffle":
            return shuffled(type, values[0], values[1], operands[2:], found)
        if name == "OpCompositeExtract":
            return extracted(type, values[0], operands[1:], found)
        if name == "OpCompositeInsert":
            return inserted(values[0], values[1], operands[2:], found)
        if name == "OpSelect" and isinstance(type, (Array, Record, Pointer)):
            return values[1 if build.constant_integer(values[0]) else 2]
        return fold(name, type, values, found)

    def _chain(self, found: Instruction, operands: list[int], has_element: bool) -> ir.Expr:
        base, *indices = operands
        pointer = self.initialiser(base, found)
        numbers = [build.subscript(self.value(id, found)) for id in indices]
        if not isinstance(pointer.type, Pointer):
            raise found.fail("its base is no pointer")
        type = self.types.type(found.type, found)
        assert isinstance(type, Pointer)
        return as_sum(chain(pointer, numbers, has_element, type, found))


def chain(pointer: ir.Expr, indices: list[ir.Expr], has_element: bool, type: Pointer, by: Instruction) -> ir.Expr:
    """Where an access chain leads (3.49.8): a pointer of that type."""
    rest = list(indices)
    if has_element:
        if not rest:
            raise by.fail("it has no element")
        place = build.element(pointer, rest.pop(0))
    else:
        place = build.at(pointer)
    for index in rest:
        place = _step(place, index, by)
    found = build.address(place, type)
    if place.type != type.pointee:
        raise by.fail(f"it leads to a '{place.type}', not a '{type.pointee}'")
    return found


def _step(place: ir.Expr, index: ir.Expr, by: Instruction) -> ir.Expr:
    """The element or member of the object at the place."""
    type, number = place.type, build.constant_integer(index)
    if isinstance(type, Array):
        return ir.Index(type.element, place.pos, place, index)
    if isinstance(type, Record) and type.fields is not None:
        if number is None or not 0 <= number < len(type.fields):
            raise by.fail(f"'{type}' has no such member")
        return build.member(place, type, number)
    if isinstance(type, Vector):
        if number is not None and 0 <= number < type.width:
            return ir.Component(type.element, place.pos, place, number)
        # Compilers reach what lies behind a vector from its components, as from an array's elements.
        first = ir.Cast(Pointer(type.element, "private"), place.pos, ir.Unary(Pointer(type, "private"), place.pos, "&", place), False)
        return ir.Index(type.element, place.pos, first, index)
    raise by.fail(f"an index cannot lead into a '{type}'")


_RULES = {
    "OpConstantTrue": Constants._boolean, "OpConstantFalse": Constants._boolean, "OpSpecConstantTrue": Constants._boolean,
    "OpSpecConstantFalse": Constants._boolean, "OpConstant": Constants._number, "OpSpecConstant": Constants._number,
    "OpConstantNull": Constants._null, "OpUndef": Constants._null, "OpConstantComposite": Constants._composite,
    "OpSpecConstantComposite": Constants._composite, "OpConstantSampler": Constants._sampler,
    "OpSpecConstantOp": Constants._operation,
}  # fmt: skip
