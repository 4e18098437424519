"""Bytes as values: the packets of pipes (section 3.49.23), and what enqueued functions get.

A pipe's type does not say what packets it carries, but every instruction on one does: what is known of one id holds for all that it is
copied, stored or passed to."""

from __future__ import annotations

from ..ir.types import UCHAR, UINT, ULONG, Array, Field, Record, Type
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
        return self._record(size, align)

    def record(self, size: int, align: int, by: Instruction) -> Record:
        """So many bytes, as a value."""
        if not 0 < size <= _LARGEST or align.bit_count() != 1:
            raise by.fail(f"{size} bytes, aligned to {align}")
        return self._record(size, align)

    def _record(self, size: int, align: int) -> Record:
        key = (size, align)
        if key not in self.records:
            record = Record("struct", f"packet_{size}_{align}", [Field("bytes", Array(UCHAR, size))])
            record.aligned = align
            self.records[key] = record
        return self.records[key]
