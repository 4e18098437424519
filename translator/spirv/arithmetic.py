"""Arithmetic, bits, comparisons and logic (sections 3.49.13 to 3.49.15)."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import nodes as ir
from ..ir.types import BOOL, INT, Pointer, Scalar, Type, Vector, mask_type
from . import build, library
from .body import Body, Rule
from .reader import Instruction


def is_float(type: Type) -> bool:
    element = type.element if isinstance(type, Vector) else type
    return isinstance(element, Scalar) and element.kind == "float"


def _is_integer(type: Type) -> bool:
    element = type.element if isinstance(type, Vector) else type
    return isinstance(element, Scalar) and element.kind == "int"


def signed(expr: ir.Expr, sign: bool) -> ir.Expr:
    """An integer, or vector of integers, read with or without a sign."""
    return library.reinterpreted(expr, build.with_sign(expr.type, sign))


def _operands(body: Body, each: Instruction, count: int, check: Callable[[Type], bool]) -> list[ir.Expr]:
    """The first operands, all of one shape."""
    found = [body.operand(each, number) for number in range(count)]
    for expr in found:
        if not check(expr.type) or build.with_sign(expr.type, False) != build.with_sign(found[0].type, False):
            raise each.fail(f"it does not take operands of '{', '.join(str(e.type) for e in found)}'")
    return found


def _checked(body: Body, each: Instruction, value: ir.Expr) -> ir.Expr:
    """The value, which must have the shape of the instruction's result."""
    wanted = body.value_type(each)
    if build.with_sign(value.type, False) != build.with_sign(wanted, False):
        raise each.fail(f"its operands give a '{value.type}', not a '{wanted}'")
    return value


def _computed(op: str, left: ir.Expr, right: ir.Expr, sign: bool, pos: int) -> ir.Expr:
    """left op right on integers of one type; those below int are computed in int, as C++ does it."""
    left, right = signed(left, sign), signed(right, sign)
    type = left.type
    if isinstance(type, Scalar) and type.size < 4:
        wide = ir.Binary(INT, pos, op, build.cast(left, INT, True), build.cast(right, INT, True))
        return ir.Cast(type, pos, wide, False)
    return ir.Binary(type, pos, op, left, right)


# -- integers ----------------------------------------------------------------------------------------------------------


def _integer(op: str, sign: bool | None = None) -> Rule:
    """sign None: the same for both, so that a sign is taken only where overflow is promised not to occur."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        left, right = _operands(body, each, 2, _is_integer)
        chosen = sign
        if chosen is None:
            wide = isinstance(left.type, Scalar) and left.type.size >= 4
            if op in "&|^":
                chosen = wide and _common_sign(left, right)
            else:
                promised = wide and body.module.decoration(each.result, "NoSignedWrap") is not None
                chosen = promised and (_has_sign(left) or _has_sign(right))
        return _checked(body, each, _computed(op, left, right, chosen, each.offset))

    return Rule(make)


def _has_sign(expr: ir.Expr) -> bool:
    return isinstance(expr.type, Scalar) and expr.type.signed and not isinstance(expr, ir.Number)


def _common_sign(left: ir.Expr, right: ir.Expr) -> bool:
    """The sign with which both are read without a conversion where that can be: numbers have either."""
    of = [e.type.signed for e in (left, right) if isinstance(e.type, Scalar) and not isinstance(e, ir.Number)]
    return all(of) if of else False


def _shift(op: str, sign: bool) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        base, amount = body.operand(each, 0), body.operand(each, 1)
        if not _is_integer(base.type) or not _is_integer(amount.type):
            raise each.fail(f"it does not take a '{base.type}' and a '{amount.type}'")
        base = signed(base, sign)
        if isinstance(base.type, Vector):
            amount = body.fitted(amount, build.with_sign(base.type, False), each)
            return _checked(body, each, ir.Binary(base.type, each.offset, op, base, amount))
        if not isinstance(amount.type, Scalar):
            raise each.fail("the amount is a vector")
        if isinstance(amount, ir.Number):
            amount = build.integer(INT, int(amount.value) & (base.type.size * 8 - 1), each.offset)  # type: ignore[union-attr]
        assert isinstance(base.type, Scalar)
        if base.type.size < 4:
            wide = ir.Binary(INT, each.offset, op, build.cast(base, INT, True), amount)
            return _checked(body, each, ir.Cast(base.type, each.offset, wide, False))
        return _checked(body, each, ir.Binary(base.type, each.offset, op, base, amount))

    return Rule(make)


def _negate(body: Body, each: Instruction) -> ir.Expr:
    (value,) = _operands(body, each, 1, _is_integer)
    return _checked(body, each, _unary("-", value, each.offset))


def _complement(body: Body, each: Instruction) -> ir.Expr:
    (value,) = _operands(body, each, 1, _is_integer)
    return _checked(body, each, _unary("~", value, each.offset))


def _unary(op: str, value: ir.Expr, pos: int) -> ir.Expr:
    value = signed(value, False)
    if isinstance(value.type, Scalar) and value.type.size < 4:
        return ir.Cast(value.type, pos, ir.Unary(INT, pos, op, build.cast(value, INT, True)), False)
    return ir.Unary(value.type, pos, op, value)


def _signed_modulo(body: Body, each: Instruction) -> ir.Expr:
    """OpSMod: "the sign of r is the same as the sign of Operand 2"."""
    left, right = _operands(body, each, 2, _is_integer)
    left, right = signed(left, True), signed(right, True)
    if isinstance(left.type, Vector):
        return _componentwise(body, each, left, right, lambda a, b: _modulo_of(body, each, a, b))
    return _modulo_of(body, each, left, right)


def _componentwise(body: Body, each: Instruction, left: ir.Expr, right: ir.Expr, of: Callable[[ir.Expr, ir.Expr], ir.Expr]) -> ir.Expr:
    names = [body.define(body.variable(each, e.type, suffix), e) for e, suffix in ((left, "_left"), (right, "_right"))]
    assert isinstance(left.type, Vector)
    return ir.MakeVector(left.type, each.offset, [of(a, b) for a, b in zip(build.parts(names[0]), build.parts(names[1]), strict=True)])


def _modulo_of(body: Body, each: Instruction, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    pos = each.offset
    divisor = body.define(body.variable(each, right.type, "_divisor"), right)
    rest = body.define(body.variable(each, left.type, "_rest"), _computed("%", left, divisor, True, pos))
    zero = build.zero(left.type, pos)
    differs = ir.Binary(BOOL, pos, "!=", ir.Binary(BOOL, pos, "<", rest, zero), ir.Binary(BOOL, pos, "<", divisor, zero))
    wrong = ir.Binary(BOOL, pos, "&&", ir.Binary(BOOL, pos, "!=", rest, zero), differs)
    return ir.Conditional(left.type, pos, wrong, _computed("+", rest, divisor, True, pos), rest)


def _extended(op: str, high: Callable[[Body, Instruction, ir.Expr, ir.Expr, ir.Expr], ir.Expr]) -> Rule:
    """Instructions that give a struct of two: the low part and what goes beyond it."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        type = body.value_type(each)
        left, right = (body.define(body.variable(each, e.type, suffix), e)
                       for e, suffix in zip(_operands(body, each, 2, _is_integer), ("_left", "_right"), strict=True))
        low = body.define(body.variable(each, build.with_sign(left.type, False), "_low"), _computed(op, left, right, False, each.offset))
        return ir.CompoundLiteral(type, each.offset, ir.InitList(type, each.offset, [low, high(body, each, left, right, low)]))

    return Rule(make)


def _carry(compared: Callable[[ir.Expr, ir.Expr, ir.Expr], tuple[ir.Expr, ir.Expr]]) -> Callable[..., ir.Expr]:
    def high(body: Body, each: Instruction, left: ir.Expr, right: ir.Expr, low: ir.Expr) -> ir.Expr:
        a, b = (signed(e, False) for e in compared(left, right, low))
        less = _relation(a, b, "<", each.offset)
        if isinstance(low.type, Vector):
            return ir.Unary(low.type, each.offset, "-", body.fitted(less, low.type, each))
        return build.cast(less, low.type)

    return high


def _high_product(sign: bool) -> Callable[..., ir.Expr]:
    def high(body: Body, each: Instruction, left: ir.Expr, right: ir.Expr, low: ir.Expr) -> ir.Expr:
        return body.fitted(library.call("mul_hi", [left, right], each.offset, signed=sign), low.type, each)

    return high


# -- floating point ----------------------------------------------------------------------------------------------------


def _floating(op: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        left, right = _operands(body, each, 2, is_float)
        return _checked(body, each, ir.Binary(left.type, each.offset, op, left, right))

    return Rule(make)


def _float_negate(body: Body, each: Instruction) -> ir.Expr:
    (value,) = _operands(body, each, 1, is_float)
    return _checked(body, each, ir.Unary(value.type, each.offset, "-", value))


def _remainder(body: Body, each: Instruction) -> ir.Expr:
    return body.call("fmod", _operands(body, each, 2, is_float), each, result=body.value_type(each))


def _float_modulo(body: Body, each: Instruction) -> ir.Expr:
    """OpFMod: "the sign of r is the same as the sign of Operand 2"."""
    left, right = _operands(body, each, 2, is_float)
    if isinstance(left.type, Vector):
        return _componentwise(body, each, left, right, lambda a, b: _float_modulo_of(body, each, a, b))
    return _float_modulo_of(body, each, left, right)


def _float_modulo_of(body: Body, each: Instruction, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    pos = each.offset
    divisor = body.define(body.variable(each, right.type, "_divisor"), right)
    rest = body.define(body.variable(each, left.type, "_rest"), library.call("fmod", [left, divisor], pos))
    zero = build.zero(left.type, pos)
    differs = ir.Binary(BOOL, pos, "!=", ir.Binary(BOOL, pos, "<", rest, zero), ir.Binary(BOOL, pos, "<", divisor, zero))
    wrong = ir.Binary(BOOL, pos, "&&", ir.Binary(BOOL, pos, "!=", rest, zero), differs)
    return ir.Conditional(left.type, pos, wrong, ir.Binary(left.type, pos, "+", rest, divisor), rest)


def _times_scalar(body: Body, each: Instruction) -> ir.Expr:
    vector, scalar = body.operand(each, 0), body.operand(each, 1)
    if not isinstance(vector.type, Vector) or scalar.type != vector.type.element or not is_float(scalar.type):
        raise each.fail(f"it does not take a '{vector.type}' and a '{scalar.type}'")
    return ir.Binary(vector.type, each.offset, "*", vector, scalar)


def _dot(body: Body, each: Instruction) -> ir.Expr:
    return body.call("dot", _operands(body, each, 2, is_float), each, result=body.value_type(each))


# -- comparisons -------------------------------------------------------------------------------------------------------


def _relation(left: ir.Expr, right: ir.Expr, op: str, pos: int) -> ir.Expr:
    type = left.type
    return ir.Binary(mask_type(type) if isinstance(type, Vector) else BOOL, pos, op, left, right)


def opposite(condition: ir.Expr) -> ir.Expr:
    """Not, of a boolean or of a vector of them."""
    if isinstance(condition.type, Vector):
        return ir.Unary(condition.type, condition.pos, "~", condition)
    return build.negated(condition)


def _compares(op: str, sign: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        left, right = body.operand(each, 0), body.operand(each, 1)
        if isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
            return _relation(left, body.fitted(right, left.type, each), op, each.offset)
        left, right = _operands(body, each, 2, _is_integer)
        if isinstance(left.type, Scalar) and left.type.size < 4:
            left, right = signed(left, sign), signed(right, sign)
            return _relation(build.cast(left, INT, True), build.cast(right, INT, True), op, each.offset)
        if op in ("==", "!=") and isinstance(left.type, Scalar):
            sign_of_both = _common_sign(left, right)
            return _relation(signed(left, sign_of_both), signed(right, sign_of_both), op, each.offset)
        return _relation(signed(left, sign), signed(right, sign), op, each.offset)

    return Rule(make)


def _ordered(op: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        left, right = _operands(body, each, 2, is_float)
        return _relation(left, right, op, each.offset)

    return Rule(make)


def _unordered(op: str) -> Rule:
    """True where the opposite relation does not hold."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        left, right = _operands(body, each, 2, is_float)
        relation = _relation(left, right, op, each.offset)
        if isinstance(relation.type, Vector):
            return ir.Unary(relation.type, each.offset, "~", relation)
        return ir.Unary(BOOL, each.offset, "!", relation)

    return Rule(make)


def _tests(name: str, count: int, negate: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        made: ir.Expr = library.call(name, _operands(body, each, count, is_float), each.offset)
        if not isinstance(made.type, Vector):
            made = ir.Cast(BOOL, each.offset, made, True)
        return opposite(made) if negate else made

    return Rule(make)


# -- logic -------------------------------------------------------------------------------------------------------------


def _masks(body: Body, each: Instruction, count: int) -> list[ir.Expr]:
    """Booleans, or masks of one size."""
    found = [body.operand(each, number) for number in range(count)]
    first = found[0].type
    if isinstance(first, Vector):
        return [body.fitted(e, first, each) for e in found]
    if any(e.type != BOOL for e in found):
        raise each.fail("an operand is no boolean")
    return found


def _logic(op: str, of_masks: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        left, right = _masks(body, each, 2)
        return ir.Binary(left.type, each.offset, of_masks if isinstance(left.type, Vector) else op, left, right)

    return Rule(make)


def _not(body: Body, each: Instruction) -> ir.Expr:
    return opposite(_masks(body, each, 1)[0])


def _any_all(name: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        (mask,) = _masks(body, each, 1)
        return mask if mask.type == BOOL else body.call(name, [mask], each, signed=True, result=BOOL)

    return Rule(make)


def _select(body: Body, each: Instruction) -> ir.Expr:
    condition, yes, no = (body.operand(each, number) for number in range(3))
    type = body.value_type(each)
    if isinstance(type, Vector) and isinstance(condition.type, Vector):
        mask = mask_type(type)
        yes, no = body.fitted(yes, type, each), body.fitted(no, type, each)
        return body.call("select", [no, yes, body.fitted(condition, mask, each)], each, signed=True, result=type)
    if condition.type != BOOL:
        raise each.fail("its condition is no boolean")
    if type == BOOL and isinstance(no, ir.Number) and not no.value:
        return ir.Binary(BOOL, each.offset, "&&", condition, yes)
    if type == BOOL and isinstance(yes, ir.Number) and yes.value:
        return ir.Binary(BOOL, each.offset, "||", condition, no)
    if yes.type == no.type and build.with_sign(yes.type, False) == type:
        type = yes.type
    return ir.Conditional(type, each.offset, condition, body.fitted(yes, type, each), body.fitted(no, type, each))


# -- bits --------------------------------------------------------------------------------------------------------------


def _bits(name: str, sign: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        values = [body.operand(each, number) for number in range(len(each.operands))]
        if name.startswith("bitfield"):  # offset and count are uints in OpenCL C, integers of any size in SPIR-V
            values[-2:] = [library.integer(signed(value, False), build.UINT) for value in values[-2:]]
        made = library.call(name, values, each.offset, signed=sign)
        return body.fitted(made, body.value_type(each), each)

    return Rule(make)


def _dot_product(first: bool, second: bool, accumulates: bool) -> Rule:
    """SPV_KHR_integer_dot_product: products of 8-bit integers, in vectors of four or packed in 32 bits."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        left, right = body.operand(each, 0), body.operand(each, 1)
        name = "dot_acc_sat" if accumulates else "dot"
        more = [signed(body.operand(each, 2), first or second)] if accumulates else []
        if isinstance(left.type, Vector):
            arguments = [signed(left, first), signed(right, second), *more]
        else:
            signs = ("s" if first else "u") + ("s" if second else "u")
            name += f"_4x8packed_{signs}_{'int' if first or second else 'uint'}"
            arguments = [signed(left, False), signed(right, False), *more]
        wanted = tuple(a.type for a in arguments)
        for overload in library.table.overloads(name):
            if tuple(map(library.spelled_type, overload.parameters)) == wanted:
                made = ir.BuiltinCall(library.spelled_type(overload.result), each.offset, overload, arguments)
                return body.fitted(made, body.value_type(each), each)
        raise each.fail(f"it is not offered for a '{left.type}' and a '{right.type}'")

    return Rule(make)


RULES: dict[str, Rule] = {
    "OpIAdd": _integer("+"), "OpISub": _integer("-"), "OpIMul": _integer("*"), "OpUDiv": _integer("/", False),
    "OpSDiv": _integer("/", True), "OpUMod": _integer("%", False), "OpSRem": _integer("%", True), "OpSMod": Rule(_signed_modulo),
    "OpSNegate": Rule(_negate), "OpNot": Rule(_complement), "OpBitwiseAnd": _integer("&"), "OpBitwiseOr": _integer("|"),
    "OpBitwiseXor": _integer("^"),
    "OpShiftLeftLogical": _shift("<<", False), "OpShiftRightLogical": _shift(">>", False), "OpShiftRightArithmetic": _shift(">>", True),
    "OpIAddCarry": _extended("+", _carry(lambda left, right, low: (low, left))),
    "OpISubBorrow": _extended("-", _carry(lambda left, right, low: (left, right))),
    "OpUMulExtended": _extended("*", _high_product(False)), "OpSMulExtended": _extended("*", _high_product(True)),
    "OpFAdd": _floating("+"), "OpFSub": _floating("-"), "OpFMul": _floating("*"), "OpFDiv": _floating("/"),
    "OpFNegate": Rule(_float_negate),
    "OpFRem": Rule(_remainder), "OpFMod": Rule(_float_modulo), "OpVectorTimesScalar": Rule(_times_scalar), "OpDot": Rule(_dot),
    "OpIEqual": _compares("=="), "OpINotEqual": _compares("!="), "OpPtrEqual": _compares("=="), "OpPtrNotEqual": _compares("!="),
    "OpULessThan": _compares("<"), "OpULessThanEqual": _compares("<="), "OpUGreaterThan": _compares(">"),
    "OpUGreaterThanEqual": _compares(">="), "OpSLessThan": _compares("<", True), "OpSLessThanEqual": _compares("<=", True),
    "OpSGreaterThan": _compares(">", True), "OpSGreaterThanEqual": _compares(">=", True),
    "OpFOrdEqual": _ordered("=="), "OpFUnordNotEqual": _ordered("!="), "OpFOrdLessThan": _ordered("<"), "OpFOrdGreaterThan": _ordered(">"),
    "OpFOrdLessThanEqual": _ordered("<="), "OpFOrdGreaterThanEqual": _ordered(">="), "OpFUnordLessThan": _unordered(">="),
    "OpFUnordGreaterThan": _unordered("<="), "OpFUnordLessThanEqual": _unordered(">"), "OpFUnordGreaterThanEqual": _unordered("<"),
    "OpFOrdNotEqual": _tests("islessgreater", 2), "OpFUnordEqual": _tests("islessgreater", 2, True),
    "OpLessOrGreater": _tests("islessgreater", 2), "OpOrdered": _tests("isordered", 2), "OpUnordered": _tests("isunordered", 2),
    "OpIsNan": _tests("isnan", 1), "OpIsInf": _tests("isinf", 1), "OpIsFinite": _tests("isfinite", 1), "OpIsNormal": _tests("isnormal", 1),
    "OpSignBitSet": _tests("signbit", 1),
    "OpLogicalAnd": _logic("&&", "&"), "OpLogicalOr": _logic("||", "|"), "OpLogicalEqual": _logic("==", "=="),
    "OpLogicalNotEqual": _logic("!=", "^"), "OpLogicalNot": Rule(_not), "OpAny": _any_all("any"), "OpAll": _any_all("all"),
    "OpSelect": Rule(_select),
    "OpBitCount": _bits("popcount"), "OpBitReverse": _bits("bit_reverse"), "OpBitFieldInsert": _bits("bitfield_insert"),
    "OpBitFieldSExtract": _bits("bitfield_extract_signed", True), "OpBitFieldUExtract": _bits("bitfield_extract_unsigned"),
    **{f"Op{name}{suffix}": _dot_product(a, b, name.endswith("AccSat")) for name, a, b in (
        ("SDot", True, True), ("UDot", False, False), ("SUDot", True, False), ("SDotAccSat", True, True), ("UDotAccSat", False, False),
        ("SUDotAccSat", True, False)) for suffix in ("", "KHR")},
}  # fmt: skip
