"""GNU C's and clang's `__builtin_…` functions that OpenCL programs use, in terms that CUDA's and a host's compiler know.

Most are an OpenCL built-in under another name. The table at the end has the others, and elementwise.py, one row for each of the names
in ../gnu_builtin_names.py.
"""

from __future__ import annotations

import dataclasses

from pycparser import c_ast

from ....builtins import table
from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SCALARS,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    VOID,
    WIDTHS,
    Array,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
    mask_type,
    offset_of,
    size_of,
)
from ..gnu_builtin_names import PREFIX, library_function
from .elementwise import ELEMENTWISE, Maker
from .scope import Unit


class GnuBuiltins:
    def __init__(self, unit: Unit):
        self.unit = unit

    def call(self, name: str, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        """name is without its prefix; the arguments may be type names."""
        rule = _TABLE.get(name)
        if rule is not None:
            count, make = rule
            if count is not None and len(nodes) != count:
                few = "few" if len(nodes) < count else "many"
                raise self.unit.fail(pos, f"too {few} arguments to function call, expected {count}, have {len(nodes)}")
            return make(self, nodes, pos)
        found = library_function(name)
        if found is None:
            raise self.unit.fail(pos, f"'{PREFIX}{name}' is not supported by cl2cuda")
        base, type = found[0], SCALARS[found[1]]
        arguments = [self.unit.expressions.value(each) for each in nodes]
        if not base.startswith("is"):
            arguments = [self._to(a, type) if isinstance(a.type, Scalar) and a.type.kind == "float" else a for a in arguments]
        return self.library(base, arguments, pos)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _to(self, expr: ir.Expr, type: Scalar) -> ir.Expr:
        return self.unit.conversions.convert(expr, type, "passing to parameter of type")

    def library(self, name: str, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        return self.unit.expressions.calls.builtin(name, arguments, pos, any_version=True)

    def _values(self, nodes: list[c_ast.Node]) -> list[ir.Expr]:
        return [self.unit.expressions.value(each) for each in nodes]

    def _type(self, node: c_ast.Node) -> Type:
        if not isinstance(node, c_ast.Typename):
            raise self.unit.fail(node.coord, "expected a type")
        return self.unit.declarations.type_name(node)

    def _nothing(self, pos: int) -> ir.Expr:
        return ir.Cast(VOID, pos, ir.Number(INT, pos, "0", 0), False)

    # -- hints -------------------------------------------------------------------------------------------------------

    def expect(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        """The value is the first argument's; the hint is dropped."""
        return self._to(self._values(nodes)[0], LONG)

    def assume(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        """A condition with side effects, which must not happen, is dropped."""
        condition = self.unit.conversions.condition(self._values(nodes)[0], "assumption")
        return ir.Intrinsic(VOID, pos, "assume", [condition]) if _is_pure(condition) else self._nothing(pos)

    def nothing(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        """A hint that is not evaluated."""
        self._values(nodes)
        return self._nothing(pos)

    def constant_p(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        value = self._values(nodes)[0]
        known = integer_value(value) is not None or isinstance(value, ir.Number)
        return ir.Number(INT, pos, str(int(known)), int(known))

    def choose(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        condition = integer_value(self._values(nodes[:1])[0])
        if condition is None:
            raise self.unit.fail(pos, f"'{PREFIX}choose_expr' requires a constant expression")
        return self.unit.expressions.analyse(nodes[1] if condition else nodes[2])

    def same(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        return self._to(self._values(nodes)[0], LONG)

    def aligned(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        """The pointer, as one to void: what is said of its alignment is dropped."""
        if len(nodes) not in (2, 3):
            raise self.unit.fail(pos, f"'{PREFIX}assume_aligned' takes 2 or 3 arguments, have {len(nodes)}")
        pointer, alignment = self._pointer(nodes[0]), self._values(nodes[1:])[0]
        value = integer_value(alignment)
        if value is None or value <= 0 or value & (value - 1):
            raise self.unit.fail(alignment.pos, "requested alignment is not a power of 2")
        return self._to_void(pointer)

    def same_types(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        same = int(self._type(nodes[0]) == self._type(nodes[1]))
        return ir.Number(INT, pos, str(same), same)

    # -- conversions -------------------------------------------------------------------------------------------------

    def as_type(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        """Pointers, which as_type() does not take, keep their bits as other pointers and as integers of their size."""
        value, type = self.unit.conversions.decay(self._values(nodes[:1])[0]), self._type(nodes[1])
        if any(isinstance(each, Pointer) for each in (value.type, type)) and _is_address(value.type) and _is_address(type):
            return self.unit.conversions.cast(value, type, pos)
        return self._reinterpreted(f"as_{type}", value, type, pos)

    def convert(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        value, type = self._values(nodes[:1])[0], self._type(nodes[1])
        return self._reinterpreted(f"convert_{type}", value, type, pos)

    def _reinterpreted(self, function: str, value: ir.Expr, type: Type, pos: int) -> ir.Expr:
        if not table.overloads(function):
            raise self.unit.fail(pos, f"'{value.type}' cannot become '{type}'")
        return self.library(function, [value], pos)

    def offset(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        _, value = self._offset(self._type(nodes[0]), nodes[1])
        return ir.Number(ULONG, pos, f"{value}ul", value)

    def _offset(self, type: Type, node: c_ast.Node) -> tuple[Type, int]:
        """The type of the member that the designator names inside one of `type`, and where it begins."""
        start = 0
        if isinstance(node, c_ast.ArrayRef):
            type, start = self._offset(type, node.name)
            index = integer_value(self.unit.expressions.value(node.subscript))
            if not isinstance(type, Array) or index is None:
                raise self.unit.fail(node.coord, "offsetof needs a constant index into an array")
            return type.element, start + index * size_of(type.element)
        name = node
        if isinstance(node, c_ast.StructRef):
            type, start = self._offset(type, node.name)
            name = node.field
        field = type.find(name.name) if isinstance(type, Record) and isinstance(name, c_ast.ID) else None
        offset = offset_of(type, name.name) if field is not None and isinstance(type, Record) else None
        if field is None or offset is None:
            raise self.unit.fail(node.coord, f"no such member in '{type}'")
        return field.type, start + offset

    # -- integers ----------------------------------------------------------------------------------------------------

    def absolute(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        value = self._to(self._values(nodes)[0], INT)
        return ir.Cast(INT, pos, self.library("abs", [value], pos), False)

    def absolute_long(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        return ir.Cast(LONG, pos, self.library("abs", [self._to(self._values(nodes)[0], LONG)], pos), False)

    def find_first_set(self, nodes: list[c_ast.Node], pos: int, type: Scalar = INT) -> ir.Expr:
        """One more than the number of trailing zeros, and 0 of 0: `x ? ctz(x) + 1 : 0`."""
        value = self._to(self._values(nodes)[0], type)
        _, condition, again = self.unit.extensions.evaluated_once(value)
        zeros = ir.Cast(INT, pos, self.library("ctz", [again], pos), True)
        number = ir.Binary(INT, pos, "+", zeros, ir.Number(INT, pos, "1", 1))
        return ir.Conditional(INT, pos, condition, number, ir.Number(INT, pos, "0", 0))

    def find_first_set_long(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        return self.find_first_set(nodes, pos, LONG)

    def _to_void(self, pointer: ir.Expr) -> ir.Expr:
        assert isinstance(pointer.type, Pointer)
        return self._as(pointer, dataclasses.replace(pointer.type, pointee=VOID, alias=None))

    def shuffled(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        """shuffle2, whose selectors are a vector, of vectors of other than three elements; a selector of -1 says any value will do."""
        if len(nodes) < 4:
            raise self.unit.fail(pos, f"too few arguments to function call, expected at least 4, have {len(nodes)}")
        first, second, *selectors = self._values(nodes)
        type, width = first.type, len(selectors)
        if not isinstance(type, Vector) or type != second.type:
            raise self.unit.fail(pos, f"first two arguments to '{PREFIX}shufflevector' must have the same vector type")
        if width not in WIDTHS:
            raise self.unit.fail(pos, f"a vector of {width} elements is not a type of OpenCL C")
        indices = [integer_value(each) for each in selectors]
        for each, index in zip(selectors, indices, strict=True):
            if index is None or not -1 <= index < 2 * type.width:
                raise self.unit.fail(each.pos, f"index for '{PREFIX}shufflevector' must be a constant of -1 to {2 * type.width - 1}")
        known = [max(index or 0, 0) for index in indices]
        vectors = self.unit.expressions.vectors
        if type.width == 3:
            known = [index + (index > 2) for index in known]
            wide = Vector(type.element, 4)
            first, second = (vectors.assembled(wide, [each, ir.Number(INT, pos, "0", 0)], pos) for each in (first, second))
        known += [0] * (width == 3)
        mask = Vector(SCALARS[f"u{mask_type(type).element}"], len(known))
        chosen = vectors.assembled(mask, [ir.Number(INT, pos, str(index), index) for index in known], pos)
        result = self.library("shuffle2", [first, second, chosen], pos)
        return ir.Swizzle(Vector(type.element, 3), pos, result, "xyz", (0, 1, 2)) if width == 3 else result

    # -- memory ------------------------------------------------------------------------------------------------------

    def load(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        pointer = self._pointer(nodes[0])
        assert isinstance(pointer.type, Pointer)
        return self.unit.conversions.decay(ir.Unary(pointer.type.pointee, pos, "*", pointer))

    def store(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        pointer = self._pointer(nodes[1])
        assert isinstance(pointer.type, Pointer)
        changed = self.unit.conversions.convert(pointer, dataclasses.replace(pointer.type, const=False, alias=None), "storing to")
        place = ir.Unary(pointer.type.pointee, pos, "*", changed)
        return ir.Cast(VOID, pos, self.unit.expressions.assignments.stored(place, self._values(nodes[:1])[0], pos), False)

    def zeroed(self, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        return intrinsic("fill_bytes", _ADDRESS, _ADDRESS, INT, ULONG)(self, [nodes[0], c_ast.Constant("int", "0", pos), nodes[1]], pos)

    def _pointer(self, node: c_ast.Node) -> ir.Expr:
        value = self.unit.expressions.value(node)
        if not isinstance(value.type, Pointer):
            raise self.unit.fail(value.pos, f"a pointer is needed here ('{value.type}' invalid)")
        return value

    def _memory(self, node: c_ast.Node, parameter: Pointer) -> ir.Expr:
        value = self._pointer(node)
        assert isinstance(value.type, Pointer)
        placed = dataclasses.replace(parameter, space=value.type.space)
        return self._as(value, placed)

    def _as(self, value: ir.Expr, type: Pointer) -> ir.Expr:
        return self.unit.conversions.convert(value, type, "passing to parameter of type")


def _is_pure(expr: ir.Expr) -> bool:
    """Whether it only computes: nothing is called, stored or read of what is volatile."""
    if isinstance(expr, (ir.Name, ir.Number)):
        return not (isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable) and expr.symbol.volatile)
    if isinstance(expr, ir.Binary):
        return _is_pure(expr.left) and _is_pure(expr.right)
    if isinstance(expr, (ir.Cast, ir.Unary)):
        return (isinstance(expr, ir.Cast) or expr.op in ("-", "+", "!", "~")) and _is_pure(expr.operand)
    return False


def _is_address(type: Type) -> bool:
    """Whether it is a pointer or an integer of a pointer's size."""
    return isinstance(type, Pointer) or (isinstance(type, Scalar) and type.kind != "float" and type.size == 8)


def parity(type: Scalar) -> Maker:
    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        count = counting("popcount", type)(self, nodes, pos)
        return ir.Binary(INT, pos, "&", count, ir.Number(INT, pos, "1", 1))

    return make


def redundant_sign_bits(type: Scalar) -> Maker:
    """How many bits behind the sign are as the sign is: `clz(x < 0 ? ~x : x) - 1`."""

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        value = ir.Cast(type, pos, self._to(self._values(nodes)[0], type), False)  # not implicit: it is an operand of `~`
        _, first, again = self.unit.extensions.evaluated_once(value)
        negative = ir.Binary(INT, pos, "<", first, ir.Number(INT, pos, "0", 0))
        plain = ir.Conditional(type, pos, negative, ir.Unary(type, pos, "~", again), again)
        zeros = ir.Cast(INT, pos, self.library("clz", [plain], pos), True)
        return ir.Binary(INT, pos, "-", zeros, ir.Number(INT, pos, "1", 1))

    return make


def of_bits(name: str, type: Scalar) -> Maker:
    """A built-in from a type to itself; a rotation to the right is one to the left by the count's negative."""

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        first, *count = self._values(nodes)
        if name == "rotateright":
            count = [ir.Unary(INT, pos, "-", ir.Cast(INT, pos, self._to(each, INT), False)) for each in count]
        return self.library("rotate" if count else name, [self._to(each, type) for each in (first, *count)], pos)

    return make


def rounded(name: str, type: Scalar) -> Maker:
    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        return self.library("convert_long", [self.library(name, [self._to(self._values(nodes)[0], type)], pos)], pos)

    return make


def overflowing(name: str) -> Maker:
    """Arithmetic on integers of any types: whether the exact result does not fit what the pointer points to."""

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        *numbers, to = self._values(nodes)
        stored = to.type.pointee if isinstance(to.type, Pointer) and not to.type.const else None
        for each, type in (*((each, each.type) for each in numbers), (to, stored)):
            if not isinstance(type, Scalar) or type.kind != "int":
                raise self.unit.fail(each.pos, f"operand of type '{each.type}' for '{PREFIX}{name}'")
        return ir.Intrinsic(BOOL, pos, name, [*numbers, to])

    return make


def of_one_type(name: str, result: Scalar, type: Scalar, count: int) -> Maker:
    """A function of the device library, a template, of so many numbers of that type and a pointer to one."""

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        numbers = [self._to(each, type) for each in self._values(nodes[:count])]
        numbers = [dataclasses.replace(each, implicit=False) if isinstance(each, ir.Cast) else each for each in numbers]
        return ir.Intrinsic(result, pos, name, [*numbers, self._memory(nodes[count], Pointer(type, "private"))])

    return make


def counting(name: str, type: Scalar) -> Maker:
    """A function from an unsigned type to int: OpenCL's, which gives the unsigned type."""

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        value = self._to(self._values(nodes)[0], type)
        return ir.Cast(INT, pos, self.library(name, [value], pos), False)

    return make


def byte_swap(type: Scalar) -> Maker:
    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        value = self.library(f"as_uchar{type.size}", [self._to(self._values(nodes)[0], type)], pos)
        assert isinstance(value.type, Vector)
        indices = tuple(range(type.size - 1, -1, -1))
        swapped = ir.Swizzle(value.type, pos, value, ir.swizzle_name(value.type, indices), indices)
        return self.library(f"as_{type}", [swapped], pos)

    return make


def constant(name: str) -> Maker:
    return lambda self, nodes, pos: self.unit.expressions.name(c_ast.ID(name, pos))


def intrinsic(name: str, result: Type, *parameters: Scalar | Pointer) -> Maker:
    """A function of the device library that OpenCL C does not know; its pointers may be of any address space."""

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        arguments = [self._memory(n, p) if isinstance(p, Pointer) else self._to(self.unit.expressions.value(n), p)
                     for n, p in zip(nodes, parameters, strict=True)]  # fmt: skip
        first = arguments[0].type if arguments else None
        type = Pointer(VOID, first.space) if isinstance(first, Pointer) else result
        return ir.Intrinsic(type, pos, name, arguments)

    return make


_ADDRESS, _CONSTANT = Pointer(VOID, "private"), Pointer(VOID, "private", const=True)
_WIDTHS = {"": (INT, UINT), "l": (LONG, ULONG), "ll": (LONG, ULONG)}  # C's int, long and long long, with a sign and without
# By name: the number of arguments, None for any, and what makes the expression.
_TABLE: dict[str, tuple[int | None, Maker]] = {
    **ELEMENTWISE,
    "expect": (2, intrinsic("__builtin_expect", LONG, LONG, LONG)), "expect_with_probability": (3, GnuBuiltins.expect),
    "assume": (1, GnuBuiltins.assume),
    "prefetch": (None, GnuBuiltins.nothing), "constant_p": (1, GnuBuiltins.constant_p), "choose_expr": (3, GnuBuiltins.choose),
    "types_compatible_p": (2, GnuBuiltins.same_types), "astype": (2, GnuBuiltins.as_type), "convertvector": (2, GnuBuiltins.convert),
    "offsetof": (2, GnuBuiltins.offset), "abs": (1, GnuBuiltins.absolute), "ffs": (1, GnuBuiltins.find_first_set),
    "popcount": (1, counting("popcount", UINT)), "popcountl": (1, counting("popcount", ULONG)),
    "popcountll": (1, counting("popcount", ULONG)), "clz": (1, counting("clz", UINT)), "clzl": (1, counting("clz", ULONG)),
    "clzll": (1, counting("clz", ULONG)), "ctz": (1, counting("ctz", UINT)), "ctzl": (1, counting("ctz", ULONG)),
    "ctzll": (1, counting("ctz", ULONG)), "parity": (1, parity(UINT)), "parityl": (1, parity(ULONG)),
    "parityll": (1, parity(ULONG)), "clrsb": (1, redundant_sign_bits(INT)), "clrsbl": (1, redundant_sign_bits(LONG)),
    "clrsbll": (1, redundant_sign_bits(LONG)), "ffsl": (1, GnuBuiltins.find_first_set_long), "ffsll": (1, GnuBuiltins.find_first_set_long),
    "labs": (1, GnuBuiltins.absolute_long), "llabs": (1, GnuBuiltins.absolute_long),
    **{f"bitreverse{type.bits}": (1, of_bits("bit_reverse", type)) for type in (UCHAR, USHORT, UINT, ULONG)},
    **{f"rotate{way}{type.bits}": (2, of_bits(f"rotate{way}", type)) for way in ("left", "right") for type in (UCHAR, USHORT, UINT, ULONG)},
    **{f"{width}{name}{letter}": (1, rounded(name, type)) for width in ("l", "ll") for name in ("rint", "round")
       for letter, type in (("f", FLOAT), ("", DOUBLE))},
    "shufflevector": (None, GnuBuiltins.shuffled), "unpredictable": (1, GnuBuiltins.same),
    "assume_aligned": (None, GnuBuiltins.aligned),
    "bswap16": (1, byte_swap(USHORT)), "bswap32": (1, byte_swap(UINT)), "bswap64": (1, byte_swap(ULONG)),
    "nontemporal_load": (1, GnuBuiltins.load), "nontemporal_store": (2, GnuBuiltins.store),
    **{f"{name}_overflow": (3, overflowing(f"{name}_overflow")) for name in ("add", "sub", "mul")},
    **{f"{sign}{name}{width}_overflow": (3, of_one_type(f"{name}_overflow", BOOL, type, 2)) for name in ("add", "sub", "mul")
       for width, types in _WIDTHS.items() for sign, type in zip("su", types, strict=True)},
    **{f"{name}c{width}": (4, of_one_type(f"{name}_carry", type, type, 3)) for name in ("add", "sub")
       for width, type in (("b", UCHAR), ("s", USHORT), ("", UINT), ("l", ULONG), ("ll", ULONG))},
    "memcpy": (3, intrinsic("copy_bytes", _ADDRESS, _ADDRESS, _CONSTANT, ULONG)),
    "memset": (3, intrinsic("fill_bytes", _ADDRESS, _ADDRESS, INT, ULONG)),
    "memcpy_inline": (3, intrinsic("copy_bytes", _ADDRESS, _ADDRESS, _CONSTANT, ULONG)), "bzero": (2, GnuBuiltins.zeroed),
    "memmove": (3, intrinsic("move_bytes", _ADDRESS, _ADDRESS, _CONSTANT, ULONG)), "trap": (0, intrinsic("trap", VOID)),
    "unreachable": (0, intrinsic("__builtin_unreachable", VOID)),
    "inff": (0, constant("INFINITY")), "huge_valf": (0, constant("HUGE_VALF")), "inf": (0, constant("HUGE_VAL")),
    "huge_val": (0, constant("HUGE_VAL")), "nanf": (1, constant("NAN")),
    "nan": (1, lambda self, nodes, pos: self._to(constant("NAN")(self, nodes, pos), DOUBLE)),
}  # fmt: skip
