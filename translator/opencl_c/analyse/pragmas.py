"""#pragma OPENCL (specification 6.12, API extension specification 1.2): extensions, which only need to be there, and contraction.

Loop pragmas are `statements`' business; whatever else a pragma says is some other compiler's.
"""

from __future__ import annotations

from pycparser import c_ast

from ....builtins.extensions import EXTENSIONS
from .scope import Unit


class Pragmas:
    """contract    whether a * b + c may be computed without rounding in between, everywhere in the program"""

    def __init__(self, unit: Unit):
        self.unit = unit
        self.contract = True

    def apply(self, node: c_ast.Pragma) -> None:
        words = node.string.replace(":", " : ").split()
        if words[:2] == ["OPENCL", "EXTENSION"]:
            self._extension(node, words[2:])
        elif words[:2] in (["OPENCL", "FP_CONTRACT"], ["STDC", "FP_CONTRACT"]):
            self._contract(node, words[2:])

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
