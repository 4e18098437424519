"""Pipes (section 3.49.23). A pipe's type does not say what packets it carries, but every instruction on one does: what is known of one
id holds for all that it is copied, stored or passed to."""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import BOOL, INT, UCHAR, UINT, ULONG, VOID, Array, Field, Opaque, Record, Type
from . import build
from .body import Body, Rule
from .constants import Constants
from .module import Module
from .reader import Instruction

# Instructions on a pipe, its first operand (behind the scope of a group's): where the packet's size stands.
_SIZE_AT = {
    "OpReadPipe": 2, "OpWritePipe": 2, "OpReservedReadPipe": 4, "OpReservedWritePipe": 4, "OpReserveReadPipePackets": 2,
    "OpReserveWritePipePackets": 2, "OpCommitReadPipe": 2, "OpCommitWritePipe": 2, "OpGetNumPipePackets": 1, "OpGetMaxPipePackets": 1,
    "OpGroupReserveReadPipePackets": 3, "OpGroupReserveWritePipePackets": 3, "OpGroupCommitReadPipe": 3, "OpGroupCommitWritePipe": 3,
}  # fmt: skip
_BY_SIZE: dict[int, Type] = {1: UCHAR, 4: UINT, 8: ULONG}
_LARGEST = 1 << 16


class Packets:
    """The packets' types, by any id of a pipe."""

    def __init__(self, module: Module, constants: Constants):
        self._same: dict[int, int] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        self.records: dict[tuple[int, int], Record] = {}
        if "Pipes" not in module.capabilities:
            return
        bodies = {body.id: body for body in module.functions}
        for function in module.functions:
            for block in function.blocks:
                for each in [*block.phis, *block.body]:
                    if each.name == "OpFunctionCall" and each.operands[0] in bodies:
                        for given, parameter in zip(each.operands[1:], bodies[each.operands[0]].parameters, strict=False):
                            self._join(given, parameter.result)
                    elif each.name == "OpStore":
                        self._join(each.operands[0], each.operands[1])
                    elif each.name in ("OpLoad", "OpCopyObject"):
                        self._join(each.result, each.operands[0])
                    elif each.name == "OpPhi":
                        for value in each.operands[::2]:
                            self._join(each.result, value)
        for function in module.functions:
            for block in function.blocks:
                for each in block.body:
                    if each.name in _SIZE_AT:
                        self._learn(each, constants)

    def _learn(self, each: Instruction, constants: Constants) -> None:
        at = _SIZE_AT[each.name]
        size, align = (constants.integer(each.operands[at + more], each) for more in (0, 1))
        if not 0 < size <= _LARGEST or align.bit_count() != 1:
            raise each.fail(f"packets of {size} bytes, aligned to {align}")
        root = self._root(each.operands[1 if each.name.startswith("OpGroup") else 0])
        if self._sizes.setdefault(root, (size, align)) != (size, align):
            raise each.fail(f"a pipe carries packets of {size} and of {self._sizes[root][0]} bytes")

    def _root(self, id: int) -> int:
        while id in self._same:
            id = self._same[id]
        return id

    def _join(self, one: int, other: int) -> None:
        one, other = self._root(one), self._root(other)
        if one != other:
            self._same[one] = other

    def type(self, id: int) -> Type:
        size, align = self._sizes.get(self._root(id), (1, 1))
        if _BY_SIZE.get(size) is not None and align == size:
            return _BY_SIZE[size]
        key = (size, align)
        if key not in self.records:
            record = Record("struct", f"packet_{size}_{align}", [Field("bytes", Array(UCHAR, size))])
            record.aligned = align
            self.records[key] = record
        return self.records[key]


# -- instructions ------------------------------------------------------------------------------------------------------


def _pipe(body: Body, each: Instruction, number: int = 0) -> ir.Expr:
    value = body.operand(each, number)
    if not isinstance(value.type, Opaque) or value.type.packet is None:
        raise each.fail(f"its operand is a '{value.type}', no pipe")
    return value


def _result(body: Body, each: Instruction, type: Type, name: str, arguments: list[ir.Expr]) -> ir.Expr:
    made = ir.Intrinsic(type, each.offset, name, arguments)
    return body.fitted(made, body.value_type(each), each) if each.type and type != VOID else made


def _packet(name: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        return _result(body, each, INT, name, [_pipe(body, each), body.operand(each, 1)])

    return Rule(make, "acts")


def _reserved_packet(name: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        arguments = [_pipe(body, each), body.operand(each, 1), build.cast(body.operand(each, 2), UINT), body.operand(each, 3)]
        return _result(body, each, INT, name, arguments)

    return Rule(make, "acts")


def _reserve(name: str, of_group: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        pipe, count = _pipe(body, each, int(of_group)), build.cast(body.operand(each, 1 + of_group), UINT)
        return _result(body, each, Opaque("reserve_id_t"), _of_group(body, each, name, of_group), [pipe, count])

    return Rule(make, "acts")


def _commit(name: str, of_group: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        arguments = [_pipe(body, each, int(of_group)), body.operand(each, 1 + of_group)]
        return ir.Intrinsic(VOID, each.offset, _of_group(body, each, name, of_group), arguments)

    return Rule(make, "acts")


def _of_group(body: Body, each: Instruction, name: str, of_group: bool) -> str:
    if not of_group:
        return name
    scope = body.constant(each.operands[0], each)
    if scope not in (2, 3):
        raise each.fail(f"execution scope {scope} is neither a work-group nor a sub-group")
    return ("work_group_" if scope == 2 else "sub_group_") + name


def _count(name: str) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        return _result(body, each, UINT, name, [_pipe(body, each)])

    return Rule(make, "acts")


def _is_valid(body: Body, each: Instruction) -> ir.Expr:
    return ir.Intrinsic(BOOL, each.offset, "is_valid_reserve_id", [body.operand(each, 0)])


RULES: dict[str, Rule] = {
    "OpReadPipe": _packet("read_pipe"), "OpWritePipe": _packet("write_pipe"), "OpReservedReadPipe": _reserved_packet("read_pipe"),
    "OpReservedWritePipe": _reserved_packet("write_pipe"), "OpReserveReadPipePackets": _reserve("reserve_read_pipe"),
    "OpReserveWritePipePackets": _reserve("reserve_write_pipe"), "OpCommitReadPipe": _commit("commit_read_pipe"),
    "OpCommitWritePipe": _commit("commit_write_pipe"), "OpIsValidReserveId": Rule(_is_valid),
    "OpGetNumPipePackets": _count("get_pipe_num_packets"), "OpGetMaxPipePackets": _count("get_pipe_max_packets"),
    "OpGroupReserveReadPipePackets": _reserve("reserve_read_pipe", True),
    "OpGroupReserveWritePipePackets": _reserve("reserve_write_pipe", True),
    "OpGroupCommitReadPipe": _commit("commit_read_pipe", True), "OpGroupCommitWritePipe": _commit("commit_write_pipe", True),
}  # fmt: skip
