"""Loads tests/cases/spirv/*.spvasm: modules in assembly, one idea each, that hold what they compute.

    ; what it shows               the first line
    ; size: 4                     work-items, in one work-group; 1 without it
    ; in: 1 2 3                   what `in` holds
    ; result: 4 5                 what `out` begins with afterwards

The kernel `k(global uint *out, global uint *in)` is begun by prelude.spvasm; a case is its body, and functions behind it. What stands
after a line `; declarations` goes before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .spirv_assembler import assemble

FOLDER = Path(__file__).parents[1] / "cases" / "spirv"
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

    def module(self, version: tuple[int, int] = (1, 4), *, big_endian: bool = False) -> bytes:
        return assemble(self.text, version, big_endian=big_endian)


def whole(body: str, declarations: str = "") -> str:
    """The text of a module with that body of the kernel."""
    return f"{(FOLDER / 'prelude.spvasm').read_text()}{declarations}\n{_KERNEL}{body}"


@cache
def load() -> tuple[Case, ...]:
    found = []
    for path in sorted(FOLDER.glob("*.spvasm")):
        if path.stem == "prelude":
            continue
        source = path.read_text()
        fields = dict(re.findall(r"^; (size|in|result): (.*)$", source, re.M))
        body, _, declarations = source.partition("; declarations\n")
        numbers = {key: tuple(int(word, 0) for word in fields[key].split()) for key in ("in", "result")}
        found.append(Case(path.stem, whole(body, declarations), int(fields.get("size", "1")), numbers["in"], numbers["result"]))
    return tuple(found)
