"""Loads tests/cases/spirv/*.spvasm: modules in assembly, one idea each, that hold what they compute.

    ; what it shows               the first line
    ; size: 4                     work-items, in one work-group; 1 without it
    ; in: 1 2 3                   what `in` holds
    ; result: 4 5                 what `out` begins with afterwards

    ; version: 1.6              of SPIR-V, where the case needs a later one than 1.4

The kernel `k(global uint *out, global uint *in)` is begun by prelude.spvasm; a case is its body, and functions behind it. What stands
after a line `; declarations` goes before it, each instruction into the section of the module where it belongs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .spirv_assembler import assemble

FOLDER = Path(__file__).parents[1] / "cases" / "spirv"
# The sections of a module that declarations go into, and the line of the prelude that they stand before.
_SECTIONS = (("OpCapability", "%std = OpExtInstImport"), ("OpExtension", "%std = OpExtInstImport"), ("OpExtInstImport", "OpMemoryModel"),
             ("OpExecutionMode", "OpName %out"), ("OpString", "OpName %out"), ("OpName", "OpName %out"), ("annotations", "%void = OpTypeVoid"))
_KERNEL = """%main = OpFunction %void None %kernel
%out = OpFunctionParameter %global
%in = OpFunctionParameter %global
%entry = OpLabel
"""


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    size: int
    input: tuple[int, ...]
    result: tuple[int, ...]
    version: tuple[int, int] = (1, 4)

    @property
    def environment(self) -> str:
        """The version as spirv-as names it."""
        return f"spv{self.version[0]}.{self.version[1]}"

    def module(self, version: tuple[int, int] | None = None, *, big_endian: bool = False) -> bytes:
        return assemble(self.text, version or self.version, big_endian=big_endian)


def whole(body: str, declarations: str = "") -> str:
    """The text of a module with that body of the kernel."""
    prelude = (FOLDER / "prelude.spvasm").read_text()
    lines: dict[str, list[str]] = {}
    for line in declarations.splitlines():
        lines.setdefault(_section(line), []).append(line)
    for section, before in _SECTIONS:
        prelude = prelude.replace(before, "\n".join([*lines.get(section, []), before]), 1)
    return f"{prelude}{chr(10).join(lines.get('types', []))}\n{_KERNEL}{body}"


def _section(line: str) -> str:
    words = line.split() or [""]
    word = words[2] if words[0].startswith("%") else words[0]
    if word in ("OpCapability", "OpExtension", "OpExtInstImport", "OpExecutionMode", "OpString", "OpName"):
        return word
    return "annotations" if word.startswith(("OpDecorate", "OpMemberDecorate", "OpGroupDecorate")) else "types"


@cache
def load() -> tuple[Case, ...]:
    found = []
    for path in sorted(FOLDER.glob("*.spvasm")):
        if path.stem == "prelude":
            continue
        source = path.read_text()
        fields = dict(re.findall(r"^; (size|in|result|version): (.*)$", source, re.M))
        body, _, declarations = source.partition("; declarations\n")
        numbers = {key: tuple(int(word, 0) for word in fields[key].split()) for key in ("in", "result")}
        found.append(Case(path.stem, whole(body, declarations), int(fields.get("size", "1")), numbers["in"], numbers["result"],
                          (1, int(fields.get("version", "1.4").removeprefix("1.")))))
    return tuple(found)
