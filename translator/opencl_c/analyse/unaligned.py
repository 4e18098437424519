"""Objects that pointers lead to whose type says, by a typedef, that they lie at less than its alignment (6.13.1): they are members of
packed records of our own, which C++ reads and writes as such members lie."""

from __future__ import annotations

import dataclasses

from ...ir import nodes as ir
from ...ir.types import Field, Pointer, Record, Type, align_of, innermost, is_class
from .scope import Qualified, Unit

_MEMBER = "value"


class Unaligned:
    def __init__(self, unit: Unit):
        self.unit = unit
        self._records: dict[tuple[Type, int], Record] = {}
        self._all: set[Record] = set()

    def pointed(self, pointer: ir.Expr, pos: int) -> ir.Expr | None:
        """What the pointer leads to; None where it lies as its type does."""
        type = pointer.type
        if not isinstance(type, Pointer) or type.aligned is None:
            return None
        record = self._record(type.pointee, type.aligned, pos)
        # Objects of class type are copied byte by byte, which is as good as `volatile` can be.
        to_record = dataclasses.replace(type, pointee=record, volatile=type.volatile and not is_class(type.pointee), restrict=False,
                                        alias=None, aligned=None)
        return ir.Member(type.pointee, pos, ir.Cast(to_record, pos, pointer, False), True, _MEMBER)

    def pointer_to(self, place: ir.Expr) -> ir.Expr | None:
        """The pointer that `pointed` has made this place of: its address."""
        if not isinstance(place, ir.Member) or not isinstance(place.base, ir.Cast) or not isinstance(place.base.type, Pointer):
            return None
        return place.base.operand if place.base.type.pointee in self._all else None

    def _record(self, type: Type, aligned: int, pos: int) -> Record:
        found = self._records.get((type, aligned))
        if found is not None:
            return found
        unit, name = self.unit, self.unit.anonymous_name("unaligned")
        while name in unit.declared:
            name = unit.anonymous_name("unaligned")
        record = Record("struct", name, [Field(_MEMBER, type)], packed=True, aligned=aligned if aligned > 1 else None)
        self._all.add(record)
        item = ir.RecordItem(record, pos, True)
        if self._of_program(type):
            self._records[type, aligned] = record
            unit.items.append(item)  # before the function that is being analysed
        else:
            unit.pending_items.append(item)  # before the statement
        return record

    def _of_program(self, type: Type) -> bool:
        """Whether the whole program knows the type: a record that a function declares is that function's."""
        inner = innermost(type)
        while isinstance(inner, Pointer):
            inner = innermost(inner.pointee)
        if not isinstance(inner, Record):
            return True
        scope = self.unit.program_scope
        named = (each.type for each in scope.names.values() if isinstance(each, Qualified))
        return any(each is inner for each in scope.tags.values()) or any(innermost(each) is inner for each in named)


def less_alignment(q: Qualified) -> int | None:
    """What objects of the type are aligned to, where a typedef says less than the type does."""
    return q.aligned if q.aligned is not None and q.aligned < align_of(q.type) else None


def weaker(chosen: Type, other: Type) -> Type:
    """A pointer type of two that one expression may have, with the alignment that both promise."""
    if not isinstance(chosen, Pointer) or not isinstance(other, Pointer) or other.aligned is None:
        return chosen
    return dataclasses.replace(chosen, aligned=min(chosen.aligned or other.aligned, other.aligned))
