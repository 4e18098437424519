"""#pragma OPENCL (specification 6.12, API extension specification 1.2): extensions, which only need to be there, and contraction;
and `#pragma pack`, which C's compilers share.

Loop pragmas are `statements`' business; whatever else a pragma says is some other compiler's.
"""

from __future__ import annotations

import re

from pycparser import c_ast

from ....builtins.extensions import EXTENSIONS
from .scope import Unit

_PACK = re.compile(r"pack\s*\((.*)\)")
_ALIGNMENTS = ("1", "2", "4", "8", "16")


class Pragmas:
    """contract    whether a * b + c may be computed without rounding in between, everywhere in the program
    pack        the most bytes that a member of a record that begins here is aligned to, None for any number"""

    def __init__(self, unit: Unit):
        self.unit = unit
        self.contract = True
        self.pack: int | None = None
        self._pushed: list[tuple[str, int | None]] = []

    def apply(self, node: c_ast.Pragma) -> None:
        words = node.string.replace(":", " : ").split()
        if words[:2] == ["OPENCL", "EXTENSION"]:
            self._extension(node, words[2:])
        elif words[:2] in (["OPENCL", "FP_CONTRACT"], ["STDC", "FP_CONTRACT"]):
            self._contract(node, words[2:])
        elif "".join(words) == "clangfpcontract(off)":
            self.contract = False
        elif re.match(r"pack\b", node.string):
            self._pack(node)

    def _extension(self, node: c_ast.Pragma, words: list[str]) -> None:
        """`name : behavior`. All extensions that a device has are enabled from the start, as in clang and in NVIDIA's compiler."""
        name, colon, behaviour = [*words, "", "", ""][:3]
        known = EXTENSIONS.get(name)
        if colon != ":":
            self._ignored(node, f"missing ':' after '{name}'" if name else "expected an extension's name")
        elif behaviour not in ("enable", "disable", "begin", "end"):
            self._ignored(node, "expected 'enable' or 'disable'")
        elif name == "all":
            if behaviour != "disable":
                self._ignored(node, "expected 'disable'")
        elif self.unit.dialect.has(name):
            return
        elif known is None:
            self._ignored(node, f"unknown OpenCL extension '{name}'")
        elif behaviour == "enable":
            self._ignored(node, f"unsupported OpenCL extension '{name}'")

    def _ignored(self, node: c_ast.Pragma, why: str) -> None:
        self.unit.warning(node.coord, f"{why} - ignoring")

    def _contract(self, node: c_ast.Pragma, words: list[str]) -> None:
        """CUDA decides on contraction for a whole program, and OFF must hold where it is said: so one OFF is for all."""
        if words not in (["ON"], ["OFF"], ["DEFAULT"]):
            self.unit.warning(node.coord, "expected 'ON' or 'OFF' or 'DEFAULT' in pragma")
        elif words == ["OFF"]:
            self.contract = False

    def _pack(self, node: c_ast.Pragma) -> None:
        """`pack(n)`, `pack()`, `pack(push, name, n)`, `pack(pop, name, n)`: name and n may be left out. 0 is no limit, as none is."""
        found = _PACK.fullmatch(node.string.strip())
        if found is None:
            self._ignored(node, "missing '(' or ')' after '#pragma pack'")
            return
        words = [word.strip() for word in found[1].split(",")] if found[1].strip() else ["0"]
        action = words.pop(0) if words[0] in ("push", "pop", "show") else ""
        name = words.pop(0) if words and action in ("push", "pop") and not words[0][:1].isdigit() else ""
        if len(words) > 1 or (words and words[0] not in (*_ALIGNMENTS, "0")):
            self._ignored(node, "expected #pragma pack parameter to be '1', '2', '4', '8', or '16'")
            return
        if action == "show":
            self.unit.warning(node.coord, f"value of #pragma pack(show) == {self.pack or 'any alignment'}")
        elif action == "push":
            self._pushed.append((name, self.pack))
        elif action == "pop":
            self._pop(node, name)
        if words:
            self.pack = int(words[0]) or None

    def _pop(self, node: c_ast.Pragma, name: str) -> None:
        """What was pushed last, or under that name with all that came after it."""
        at = next((i for i in reversed(range(len(self._pushed))) if name in ("", self._pushed[i][0])), None)
        if at is None:
            self.unit.warning(node.coord, f"#pragma pack(pop, ...) failed: {f'nothing was pushed as {name!r}' if name else 'stack empty'}")
            return
        self.pack = self._pushed[at][1]
        del self._pushed[at:]
