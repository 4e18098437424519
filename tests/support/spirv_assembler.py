"""SPIR-V assembly (as spirv-as takes and spirv-dis prints it) to a module's bytes, by the translator's own grammar: so that modules in
text can be tests where no tools are installed."""

from __future__ import annotations

import re
import shlex
import struct

from cl2cuda.translator.spirv.grammar import MASKS, Enumerant, enumerants, instructions, is_enumeration, opencl_std

MAGIC = 0x07230203
# Debug information (OpenCL.DebugInfo.100): of each instruction that a case has the number, and what its operands are, `i` an id, `n` a
# literal, a word of _DEBUG_WORDS among them.
_DEBUG = {
    "DebugInfoNone": (0, ""), "DebugCompilationUnit": (1, "nnin"), "DebugTypeBasic": (2, "iin"), "DebugTypePointer": (3, "inn"),
    "DebugTypeFunction": (8, "niii"), "DebugFunction": (20, "iiinniinni"), "DebugScope": (23, "i"), "DebugNoScope": (24, ""),
    "DebugLocalVariable": (26, "iiinninn"), "DebugValue": (29, "iii"), "DebugOperation": (30, "nn"), "DebugExpression": (31, "i"),
    "DebugSource": (35, "i"),
}  # fmt: skip
_DEBUG_WORDS = {"None": 0, "CrossWorkgroup": 5, "FlagIsDefinition|FlagPrototyped": 0x88, "OpenCL_C": 3, "PlusUconst": 3, "Unsigned": 6}
_COMMENT = re.compile(r";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$).*")


class _Line:
    """Turns one instruction's words into numbers."""

    def __init__(self, ids: _Ids, words: list[str]):
        self.ids, self.words, self.out = ids, words, list[int]()

    def kinds(self, kinds: tuple[tuple[str, str], ...]) -> None:
        for kind, quantifier in kinds:
            if quantifier == "*":
                while self.words:
                    self.operand(kind)
            elif not quantifier or self.words:
                self.operand(kind)

    def operand(self, kind: str) -> None:
        if kind.startswith("Id"):
            self.out.append(self.ids.number(self.words.pop(0)))
        elif kind == "LiteralString":
            data = self.words.pop(0).encode() + b"\0"
            data += b"\0" * (-len(data) % 4)
            self.out += struct.unpack(f"<{len(data) // 4}I", data)
        elif kind == "PairLiteralIntegerIdRef":
            self.operand("LiteralInteger")
            self.operand("IdRef")
        elif kind == "PairIdRefIdRef":
            self.operand("IdRef")
            self.operand("IdRef")
        elif kind == "PairIdRefLiteralInteger":
            self.operand("IdRef")
            self.operand("LiteralInteger")
        elif kind == "LiteralExtInstInteger":
            name = self.words.pop(0)
            if name in _DEBUG:
                self.debug(*_DEBUG[name])
                return
            number = next(n for n, (known, _) in opencl_std().items() if known == name)
            self.out.append(number)
            self.kinds(opencl_std()[number][1])
        elif kind == "LiteralSpecConstantOpInteger":
            name = self.words.pop(0)
            grammar = next(g for g in instructions().values() if g.name == f"Op{name}")
            self.out.append(grammar.opcode)
            self.kinds(grammar.operands)
        elif is_enumeration(kind):
            self.enumerant(kind, self.words.pop(0))
        else:
            self.out.append(int(self.words.pop(0), 0) & 0xFFFFFFFF)

    def debug(self, number: int, kinds: str) -> None:
        self.out.append(number)
        for kind in kinds:
            word = self.words.pop(0)
            self.out.append(self.ids.number(word) if kind == "i" else _DEBUG_WORDS[word] if word in _DEBUG_WORDS else int(word))

    def enumerant(self, kind: str, text: str) -> None:
        names = {each.name: each for each in enumerants(kind).values()}
        found: list[Enumerant] = [names[name] for name in (text.split("|") if kind in MASKS else [text]) if name != "None" or name in names]
        found.sort(key=lambda each: each.value)
        self.out.append(sum(each.value for each in found))
        for each in found:
            self.kinds(each.parameters)


class _Ids:
    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def number(self, word: str) -> int:
        assert word.startswith("%"), f"{word} is no id"
        return self.known.setdefault(word, len(self.known) + 1)


def assemble(text: str, version: tuple[int, int] = (1, 2), *, big_endian: bool = False) -> bytes:
    """The module. A constant's literal takes as many words as its type has; floats are written as numbers."""
    ids = _Ids()
    by_name = {grammar.name: grammar for grammar in instructions().values()}
    types: dict[int, tuple[str, int]] = {}
    body: list[int] = []
    for line in text.splitlines():
        line = _COMMENT.sub("", line).strip()
        if not line:
            continue
        words = shlex.split(line, posix=True)
        result = ids.number(words[0]) if len(words) > 2 and words[1] == "=" else 0
        if result:
            words = words[2:]
        grammar = by_name[words.pop(0)]
        current = _Line(ids, words)
        out = current.out
        if grammar.has_type:
            out.append(ids.number(words.pop(0)))
        if grammar.has_result:
            out.append(result)
        if grammar.name in ("OpTypeInt", "OpTypeFloat"):
            types[result] = (grammar.name, int(words[0]))
        if grammar.name in ("OpConstant", "OpSpecConstant"):
            out += _literal(types[out[0]], words.pop(0))
        else:
            current.kinds(grammar.operands)
        assert not words, f"{line}: {words} are left"
        body += [(len(out) + 1) << 16 | grammar.opcode, *out]
    header = [MAGIC, version[0] << 16 | version[1] << 8, 0, len(ids.known) + 1, 0]
    return struct.pack(f"{'>' if big_endian else '<'}{len(header) + len(body)}I", *header, *body)


def _literal(type: tuple[str, int], word: str) -> tuple[int, ...]:
    kind, bits = type
    if kind == "OpTypeFloat":
        data = struct.pack({16: "<e", 32: "<f", 64: "<d"}[bits], float(word)).ljust(4, b"\0")
    else:
        data = (int(word, 0) & ((1 << max(bits, 32)) - 1)).to_bytes(max(bits, 32) // 8, "little")
    return struct.unpack(f"<{len(data) // 4}I", data)
