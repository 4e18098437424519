"""From bytes to instructions (SPIR-V specification, section 2.3): byte order, header, words, operands.

Owns the physical form of a module and the errors of a damaged one. Knows nothing of what instructions mean.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from .errors import InvalidModule
from .grammar import IDS, MASKS, Grammar, enumerants, instructions, is_enumeration, opencl_std

MAGIC = 0x07230203
_HEADER = 5
SPIRV_VERSIONS = tuple((1, minor) for minor in range(7))
# What llvm-spirv up to 14 writes for functions of its own, which are internal, and what it makes of a sampler whose filter mode the program
# does not say, which is nearest then: no values of SPIR-V's.
LINKAGE_INTERNAL = 0x7FFFFFFE
_FOREIGN = {("LinkageType", LINKAGE_INTERNAL), ("SamplerFilterMode", 0xFFFFFFFF)}
_PAIRS = {"PairLiteralIntegerIdRef": ("LiteralInteger", "IdRef"), "PairIdRefLiteralInteger": ("IdRef", "LiteralInteger"),
          "PairIdRefIdRef": ("IdRef", "IdRef")}  # fmt: skip


class Instruction:
    """One instruction.

    operands    without result and type: ids and numbers as they are, strings decoded, the rest of OpConstant and OpSwitch as words
    ids         those of the operands that are ids
    offset      in words from the start of the module
    """

    __slots__ = ("grammar", "ids", "name", "offset", "operands", "result", "type")

    def __init__(self, grammar: Grammar, offset: int, type: int, result: int, operands: list[Any], ids: list[int]):
        self.grammar, self.name, self.offset = grammar, grammar.name, offset
        self.type, self.result, self.operands, self.ids = type, result, operands, ids

    def __repr__(self) -> str:
        return f"{f'%{self.result} = ' if self.result else ''}{self.name}"

    def fail(self, message: str) -> InvalidModule:
        return InvalidModule(message, self.offset, repr(self))


class Header(NamedTuple):
    """version is (major, minor); bound is greater than every id."""

    version: tuple[int, int]
    generator: int
    bound: int


def is_spirv(data: bytes) -> bool:
    """Whether the bytes begin as a module does, in either byte order."""
    return data[:4] in (struct.pack("<I", MAGIC), struct.pack(">I", MAGIC))


def read(data: bytes) -> tuple[Header, list[Instruction]]:
    """Every instruction of the module. Raises InvalidModule."""
    words = _words(data)
    version = words[1]
    if (version >> 16, version >> 8 & 0xFF) not in SPIRV_VERSIONS or version & 0xFF:
        raise InvalidModule(f"version word {version:#x} is none of SPIR-V 1.0 to 1.6", 1)
    header = Header((version >> 16, version >> 8 & 0xFF), words[2], words[3])
    # More ids than words is no honest module.
    if header.bound == 0 or header.bound > max(1 << 22, 4 * len(words)):
        raise InvalidModule(f"the bound of ids is {header.bound}", 3)
    if words[4] != 0:
        raise InvalidModule(f"the schema is {words[4]}, not 0", 4)
    table = instructions()
    found: list[Instruction] = []
    sets: set[int] = set()
    at = _HEADER
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        grammar = table.get(opcode)
        name = grammar.name if grammar else f"instruction {opcode}"
        if count == 0:
            raise InvalidModule("the word count is 0", at, name)
        if at + count > len(words):
            raise InvalidModule(f"it has {count} words, the module ends after {len(words) - at}", at, name)
        if grammar is None:
            raise InvalidModule("it is not known to cl2cuda", at, name)
        instruction = (_of_ids(grammar, words, at, count, header.bound)
                       or _Operands(grammar, words, at, count, header.bound, sets).instruction())
        if instruction.name == "OpExtInstImport" and instruction.operands[0] == "OpenCL.std":
            sets.add(instruction.result)
        found.append(instruction)
        at += count
    return header, found


def _words(data: bytes) -> list[int]:
    if len(data) % 4:
        raise InvalidModule(f"the module has {len(data)} bytes, which is no multiple of 4")
    if len(data) < 4 * _HEADER:
        raise InvalidModule(f"the module has {len(data)} bytes, fewer than its header")
    if not is_spirv(data):
        raise InvalidModule("the module does not begin with SPIR-V's magic number", 0)
    words = array("I", data)
    assert words.itemsize == 4
    little = data[0] == 0x03
    if little != (sys.byteorder == "little"):
        words.byteswap()
    return words.tolist()


def _of_ids(grammar: Grammar, words: list[int], at: int, count: int, bound: int) -> Instruction | None:
    """An instruction whose operands are all ids, read at once. None for another one, and where anything is wrong, which `_Operands`
    finds word by word."""
    if grammar.takes_ids is None:
        return None
    fewest, most = grammar.takes_ids
    before = grammar.has_type + grammar.has_result
    ids = words[at + 1 : at + count]
    if not fewest <= len(ids) - before <= most or (ids and not (min(ids) > 0 and max(ids) < bound)):
        return None
    operands = ids[before:]
    return Instruction(grammar, at, ids[0] if grammar.has_type else 0, ids[before - 1] if grammar.has_result else 0, operands, operands[:])


class _Operands:
    """Reads the operands of one instruction."""

    def __init__(self, grammar: Grammar, words: Sequence[int], at: int, count: int, bound: int, sets: set[int]):
        self.grammar, self.words, self.bound, self.sets = grammar, words, bound, sets
        self.start, self.at, self.end = at, at + 1, at + count
        self.operands: list[Any] = []
        self.ids: list[int] = []

    def fail(self, message: str) -> InvalidModule:
        return InvalidModule(message, self.start, self.grammar.name)

    def instruction(self) -> Instruction:
        grammar = self.grammar
        type = self._id() if grammar.has_type else 0
        result = self._id() if grammar.has_result else 0
        self._kinds(grammar.operands)
        if self.at != self.end:
            raise self.fail(f"{self.end - self.at} words are left over behind its operands")
        return Instruction(grammar, self.start, type, result, self.operands, self.ids)

    def _kinds(self, kinds: Sequence[tuple[str, str]]) -> None:
        for kind, quantifier in kinds:
            if quantifier == "*":
                while self.at < self.end:
                    self._operand(kind)
            elif not quantifier or self.at < self.end:
                self._operand(kind)

    def _word(self) -> int:
        if self.at >= self.end:
            raise self.fail("an operand is missing")
        word = self.words[self.at]
        self.at += 1
        return word

    def _id(self) -> int:
        id = self._word()
        if not 0 < id < self.bound:
            raise self.fail(f"id {id} is not between 1 and the bound {self.bound}")
        return id

    def _operand(self, kind: str) -> None:
        if kind in IDS:
            id = self._id()
            self.ids.append(id)
            self.operands.append(id)
        elif kind in ("LiteralInteger", "LiteralFloat"):
            self.operands.append(self._word())
        elif kind == "LiteralString":
            self.operands.append(self._string())
        elif kind in _PAIRS:
            if self.grammar.name == "OpSwitch":  # how many words a literal has is told by the selector's type
                self._rest()
            else:
                for each in _PAIRS[kind]:
                    self._operand(each)
        elif kind == "LiteralContextDependentNumber":
            self._word()
            self.at -= 1
            self._rest()
        elif kind == "LiteralExtInstInteger":
            self._extended()
        elif kind == "LiteralSpecConstantOpInteger":
            self._operation()
        elif is_enumeration(kind):
            self._enumerant(kind)
        else:
            raise self.fail(f"operands of kind {kind} are not known to cl2cuda")

    def _rest(self) -> None:
        self.operands += self.words[self.at : self.end]
        self.at = self.end

    def _string(self) -> str:
        # 2.2.1: "a nul-terminated stream of characters consuming an integral number of words", low-order byte first.
        taken = bytearray()
        while True:
            bytes_ = struct.pack("<I", self._word())
            if b"\0" in bytes_:
                taken += bytes_[: bytes_.index(0)]
                return taken.decode("utf-8", "replace")
            taken += bytes_

    def _enumerant(self, kind: str) -> None:
        value = self._word()
        self.operands.append(value)
        known = enumerants(kind)
        if kind in MASKS:
            for bit in range(32):
                if value >> bit & 1:
                    if 1 << bit not in known:
                        raise self.fail(f"bit {1 << bit:#x} of {kind} is not known to cl2cuda")
                    self._kinds(known[1 << bit].parameters)
        elif value in known:
            self._kinds(known[value].parameters)
        elif kind not in ("Capability", "SourceLanguage", "Decoration") and (kind, value) not in _FOREIGN:
            raise self.fail(f"{kind} {value} is not known to cl2cuda")
        elif kind == "Decoration":
            self._rest()

    def _extended(self) -> None:
        number = self._word()
        self.operands.append(number)
        if self.operands[0] not in self.sets:
            # Debug information, or another set that changes nothing. OpenCL.DebugInfo.100 has literals among its operands.
            self._rest()
            return
        if number not in opencl_std():
            raise self.fail(f"OpenCL.std has no function {number}")
        self._kinds(opencl_std()[number][1])

    def _operation(self) -> None:
        """OpSpecConstantOp's: an opcode and that instruction's operands."""
        opcode = self._word()
        self.operands.append(opcode)
        inner = instructions().get(opcode)
        if inner is None or not inner.has_type or inner.name == "OpSpecConstantOp":
            raise self.fail(f"it cannot hold instruction {opcode}")
        self._kinds(inner.operands)
