"""Pipe functions (specification 6.15.18): what their arguments must be. Packets have any type, so C++ templates serve them."""

from __future__ import annotations

from ...ir import nodes as ir
from ...ir.types import BOOL, BUILTIN_TYPES, INT, UINT, VOID, Opaque, Pointer, Type, Void
from .overloads import spaces_convert
from .scope import Unit

_RESERVATION = BUILTIN_TYPES["reserve_id_t"]


class Pipes:
    def __init__(self, unit: Unit):
        self.unit = unit

    def call(self, name: str, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        """The number of arguments is right."""
        convert = self.unit.conversions.convert
        doing = "passing to parameter of type"
        if name == "is_valid_reserve_id":
            return ir.Intrinsic(BOOL, pos, name, [convert(arguments[0], _RESERVATION, doing)])
        pipe = self._pipe(name, arguments[0])
        rest = arguments[1:]
        if name in ("read_pipe", "write_pipe"):
            reserved = [convert(rest[0], _RESERVATION, doing), convert(rest[1], UINT, doing)] if len(rest) == 3 else []
            return ir.Intrinsic(INT, pos, name, [pipe, *reserved, self._packet(name, pipe.type, rest[-1])])
        if "reserve" in name:
            return ir.Intrinsic(_RESERVATION, pos, name, [pipe, convert(rest[0], UINT, doing)])
        if "commit" in name:
            return ir.Intrinsic(VOID, pos, name, [pipe, convert(rest[0], _RESERVATION, doing)])
        return ir.Intrinsic(UINT, pos, name, [pipe])

    def _pipe(self, name: str, argument: ir.Expr) -> ir.Expr:
        type = argument.type
        if not isinstance(type, Opaque) or type.packet is None:
            raise self.unit.fail(argument.pos, f"first argument to '{name}' must be a pipe type ('{type}' invalid)")
        if not name.startswith("get_"):
            needed = "read_only" if "read" in name else "write_only"
            if type.access != needed:
                raise self.unit.fail(argument.pos, f"invalid pipe access modifier (expecting {needed})")
        return argument

    def _packet(self, name: str, pipe: Type, argument: ir.Expr) -> ir.Expr:
        """gentype *ptr: a generic pointer to what the pipe carries."""
        assert isinstance(pipe, Opaque)
        packet, type = pipe.packet, argument.type
        assert packet is not None
        fits = isinstance(type, Pointer) and (type.pointee == packet or isinstance(type.pointee, Void))
        if not isinstance(type, Pointer) or not fits or not spaces_convert(type.space, "generic"):
            qualified = "const " if name == "write_pipe" else ""
            raise self.unit.fail(argument.pos, f"invalid argument type to function '{name}' (expecting '{qualified}{packet} *' "
                                               f"having '{type}')")
        expected = Pointer(packet, type.space, const=name == "write_pipe")
        return self.unit.conversions.convert(argument, expected, "passing to parameter of type")
