"""Instructions on pipes (section 3.49.23)."""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import BOOL, INT, UINT, VOID, Opaque, Type
from . import library
from .body import Body, Rule
from .reader import Instruction


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
        arguments = [_pipe(body, each), body.operand(each, 1), library.integer(body.operand(each, 2), UINT), body.operand(each, 3)]
        return _result(body, each, INT, name, arguments)

    return Rule(make, "acts")


def _reserve(name: str, of_group: bool = False) -> Rule:
    def make(body: Body, each: Instruction) -> ir.Expr:
        pipe, count = _pipe(body, each, int(of_group)), library.integer(body.operand(each, 1 + of_group), UINT)
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
