"""GNU C's `__sync_…` functions on integers of 32 and 64 bits, as the atomic functions of OpenCL C (6.15.12) that they are.

They are full barriers, as clang has them: sequentially consistent, in the scope that OpenCL C's functions without a scope have. What they
take after their own arguments, which GNU C lets say what memory they guard, is evaluated and has no meaning.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ....builtins.constants import constants
from ...ir import nodes as ir
from ...ir.types import BOOL, INT, LONG, UINT, ULONG, VOID, Opaque, Pointer, Scalar
from ..gnu_builtin_names import SYNC_PREFIX
from .scope import Unit

_UNSIGNED = {INT: UINT, UINT: UINT, LONG: ULONG, ULONG: ULONG}
_SIGNED = {unsigned: signed for signed, unsigned in _UNSIGNED.items() if signed is not unsigned}


class SyncBuiltins:
    def __init__(self, unit: Unit):
        self.unit = unit

    def call(self, name: str, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        """name is one of gnu_builtin_names.SYNC."""
        count, make = _TABLE[name]
        if len(arguments) < count:
            raise self.unit.fail(pos, f"too few arguments to function call, expected at least {count}, have {len(arguments)}")
        made = make(self, arguments[:count], pos)
        for extra in reversed(arguments[count:]):
            made = ir.Sequence(made.type, pos, ir.Cast(VOID, extra.pos, extra, False), made)
        return made

    # -- parts -------------------------------------------------------------------------------------------------------

    def library(self, name: str, arguments: list[ir.Expr], pos: int, orders: int = 1) -> ir.Expr:
        """The function, with so many orders and a scope."""
        ordered = [_constant(each, INT, pos) for each in (*["memory_order_seq_cst"] * orders, "memory_scope_device")]
        return self.unit.expressions.calls.builtin(name, [*arguments, *ordered], pos, any_version=True)

    def integer(self, pointer: ir.Expr) -> Scalar:
        """The type of what the pointer points to."""
        type = pointer.type.pointee if isinstance(pointer.type, Pointer) and not pointer.type.const else None
        if not isinstance(type, Scalar) or type.kind != "int" or type == BOOL:
            raise self.unit.fail(pointer.pos, f"the address must be a pointer to an integer ('{pointer.type}' invalid)")
        plain = next((each for each in _UNSIGNED if each == type), None)  # without a typedef's name
        if plain is None:
            reason = "OpenCL's atomic functions are of 32 and 64 bits"
            raise self.unit.fail(pointer.pos, f"'{SYNC_PREFIX}…' on '{type}' is not supported by cl2cuda: {reason}")
        return plain

    def atomic(self, pointer: ir.Expr, type: Scalar, pos: int) -> ir.Expr:
        """The pointer, as one to an atomic object of the type."""
        assert isinstance(pointer.type, Pointer)
        if pointer.type.space == "private":
            raise self.unit.fail(pos, f"'{SYNC_PREFIX}…' on private memory is not supported by cl2cuda: nobody else reaches it")
        placed = dataclasses.replace(pointer.type, pointee=Opaque(f"atomic_{type}"), volatile=True, alias=None)
        return ir.Cast(placed, pos, pointer, False)

    def converted(self, value: ir.Expr, type: Scalar) -> ir.Expr:
        return self.unit.conversions.convert(value, type, "passing to parameter of type")


def _constant(name: str, type: Scalar, pos: int) -> ir.Expr:
    return ir.BuiltinConstant(type, pos, name, constants[name].integer)


def _as(expr: ir.Expr, type: Scalar) -> ir.Expr:
    """The integer in a type of the same size."""
    return expr if expr.type == type else ir.Cast(type, expr.pos, expr, False)


Maker = Callable[[SyncBuiltins, list[ir.Expr], int], ir.Expr]


def fetching(key: str, after: str | None = None, signs: dict[Scalar, Scalar] | None = None) -> Maker:
    """atomic_fetch_key or atomic_exchange: the old value; with an operator `after`, what it makes of that. `signs` say in which type."""

    def make(self: SyncBuiltins, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        pointer, value = arguments
        type = self.integer(pointer)
        computed = (signs or {}).get(type, type)
        value = self.converted(value, type)
        kept = value if after is None else ir.Name(type, pos, self.unit.temporary(type, pos))
        old = _as(self.library(key, [self.atomic(pointer, computed, pos), _as(kept, computed)], pos), type)
        if after is None:
            return old
        return ir.Sequence(type, pos, ir.Assign(type, pos, "=", kept, value), ir.Binary(type, pos, after, old, kept))

    return make


def comparing(gives_old: bool) -> Maker:
    """A strong exchange, which leaves what was there in the place of what was expected."""

    def make(self: SyncBuiltins, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        type = self.integer(arguments[0])
        expected = ir.Name(type, pos, self.unit.temporary(type, pos))
        begin = ir.Assign(type, pos, "=", expected, self.converted(arguments[1], type))
        place = ir.Unary(Pointer(type, "private"), pos, "&", expected)
        pointer, value = self.atomic(arguments[0], type, pos), self.converted(arguments[2], type)
        exchange = self.library("atomic_compare_exchange_strong_explicit", [pointer, place, value], pos, orders=2)
        made = ir.Sequence(BOOL, pos, begin, exchange)
        return ir.Sequence(type, pos, made, expected) if gives_old else made

    return make


def not_and(name: str) -> Maker:
    """A function of the device library: OpenCL C has none for it."""

    def make(self: SyncBuiltins, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        type = self.integer(arguments[0])
        value = self.converted(arguments[1], type)
        return ir.Intrinsic(type, pos, name, [self.atomic(arguments[0], type, pos), value])

    return make


def _release(self: SyncBuiltins, arguments: list[ir.Expr], pos: int) -> ir.Expr:
    type = self.integer(arguments[0])
    zero = ir.Cast(type, pos, ir.Number(INT, pos, "0", 0), False)
    return self.library("atomic_store_explicit", [self.atomic(arguments[0], type, pos), zero], pos)


def _barrier(self: SyncBuiltins, arguments: list[ir.Expr], pos: int) -> ir.Expr:
    local, everywhere = (_constant(f"CLK_{each}_MEM_FENCE", UINT, pos) for each in ("LOCAL", "GLOBAL"))
    return self.library("atomic_work_item_fence", [ir.Binary(UINT, pos, "|", local, everywhere)], pos)


# By name, without a size: the number of arguments, and what makes the expression.
_TABLE: dict[str, tuple[int, Maker]] = {
    **{f"fetch_and_{key}": (2, fetching(f"atomic_fetch_{key}_explicit")) for key in ("add", "sub", "and", "or", "xor")},
    **{f"{key}_and_fetch": (2, fetching(f"atomic_fetch_{key}_explicit", op))
       for key, op in (("add", "+"), ("sub", "-"), ("and", "&"), ("or", "|"), ("xor", "^"))},
    **{f"fetch_and_{sign}{key}": (2, fetching(f"atomic_fetch_{key}_explicit", signs=signs))
       for key in ("min", "max") for sign, signs in (("", _SIGNED), ("u", _UNSIGNED))},
    "fetch_and_nand": (2, not_and("fetch_nand")), "nand_and_fetch": (2, not_and("nand_fetch")),
    "val_compare_and_swap": (3, comparing(True)), "bool_compare_and_swap": (3, comparing(False)),
    "lock_test_and_set": (2, fetching("atomic_exchange_explicit")), "swap": (2, fetching("atomic_exchange_explicit")),
    "lock_release": (1, _release), "synchronize": (0, _barrier),
}  # fmt: skip
