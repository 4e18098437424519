"""Writes translator/spirv/grammar_table.py from the machine-readable grammar of Khronos' SPIRV-Headers.

    python tests/tools/spirv_grammar/generate.py [folder of the headers, /usr/include/spirv/unified1]

What only shaders have is left out. The newest extensions, which the packaged headers lack, are named here.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

HEADERS = Path("/usr/include/spirv/unified1")
TABLE = Path(__file__).parents[3] / "translator" / "spirv" / "grammar_table.py"

# Roots of what the OpenCL environment never has.
_GRAPHICS = {"Shader", "Matrix", "Geometry", "Tessellation", "RayTracingKHR", "RayTracingNV", "RayQueryKHR", "MeshShadingNV"}
_NEVER = {"RayFlags", "RayQueryIntersection", "RayQueryCommittedIntersectionType", "RayQueryCandidateIntersectionType",
          "FragmentShadingRate"}

# SPV_KHR_subgroup_rotate, SPV_KHR_uniform_group_instructions, SPV_KHR_shader_clock for kernels, SPV_KHR_expect_assume,
# SPV_INTEL_global_variable_host_access.
_NEWER_INSTRUCTIONS = [
    (5056, "OpReadClockKHR", "IdResultType IdResult IdScope"),
    (4431, "OpGroupNonUniformRotateKHR", "IdResultType IdResult IdScope IdRef IdRef IdRef?"),
    *((code, f"OpGroup{name}KHR", "IdResultType IdResult IdScope GroupOperation IdRef") for code, name in (
        (6401, "IMul"), (6402, "FMul"), (6403, "BitwiseAnd"), (6404, "BitwiseOr"), (6405, "BitwiseXor"), (6406, "LogicalAnd"),
        (6407, "LogicalOr"), (6408, "LogicalXor"))),
]  # fmt: skip
_NEWER_ENUMERANTS = [("Capability", 6026, "GroupNonUniformRotateKHR", ""), ("Capability", 6400, "GroupUniformArithmeticKHR", ""),
                    ("Capability", 5055, "ShaderClockKHR", ""), ("Capability", 6187, "GlobalVariableHostAccessINTEL", ""),
                    ("Decoration", 6188, "HostAccessINTEL", "HostAccessQualifier LiteralString"),
                    *(("HostAccessQualifier", value, f"{name}INTEL", "") for value, name in enumerate(("None", "Read", "Write", "ReadWrite")))]


# Other makers' instructions, video encoding and FPGAs.
_ELSEWHERE = re.compile(r"(NV|NVX|AMD|GOOGLE)$|Avc|Vme|Arbitrary|FPGA|FixedINTEL|Pipe(Blocking)?INTEL$")


def _graphics(capabilities: list[dict[str, Any]]) -> set[str]:
    """Every capability that needs one of the roots in all the ways in which it can be had."""
    found = set(_GRAPHICS)
    while True:
        more = {each["enumerant"] for each in capabilities
                if each.get("capabilities") and set(each["capabilities"]) <= found} - found
        if not more:
            return found
        found |= more


def _operands(of: list[dict[str, Any]]) -> str:
    return " ".join(each["kind"] + each.get("quantifier", "") for each in of)


def rows(folder: Path = HEADERS) -> tuple[list[str], list[str], list[str]]:
    """The lines of instructions, enumerants and OpenCL.std's functions."""
    core = json.loads((folder / "spirv.core.grammar.json").read_text())
    kinds = {each["kind"]: each for each in core["operand_kinds"]}
    graphics = _graphics(kinds["Capability"]["enumerants"])

    def wanted(entry: dict[str, Any]) -> bool:
        needs = entry.get("capabilities")
        name = entry.get("opname") or entry["enumerant"]
        return not _ELSEWHERE.search(name) and (not needs or not set(needs) <= graphics)

    instructions = {each["opcode"]: f"{each['opcode']} {each['opname']} {_operands(each.get('operands', []))}".rstrip()
                    for each in reversed(core["instructions"]) if wanted(each)}
    for code, name, operands in _NEWER_INSTRUCTIONS:
        instructions.setdefault(code, f"{code} {name} {operands}")
    enumerants: dict[tuple[str, int], str] = {}
    for kind, entry in kinds.items():
        if entry["category"] not in ("ValueEnum", "BitEnum") or kind in _NEVER:
            continue
        for each in reversed(entry["enumerants"]):
            value = int(str(each["value"]), 0)
            if wanted(each):
                enumerants[kind, value] = f"{kind} {value} {each['enumerant']} {_operands(each.get('parameters', []))}".rstrip()
    for kind, value, name, operands in _NEWER_ENUMERANTS:
        enumerants.setdefault((kind, value), f"{kind} {value} {name} {operands}".rstrip())
    standard = json.loads((folder / "extinst.opencl.std.100.grammar.json").read_text())
    functions = {each["opcode"]: f"{each['opcode']} {each['opname']} {_operands(each['operands'])}" for each in standard["instructions"]}
    return [instructions[k] for k in sorted(instructions)], [enumerants[k] for k in sorted(enumerants)], [functions[k] for k in sorted(functions)]


def text(folder: Path = HEADERS) -> str:
    instructions, enumerants, functions = ("\n".join(lines) for lines in rows(folder))
    return f'''"""SPIR-V's instructions, enumerants and the functions of OpenCL.std, without what only shaders have.

A pure table, written by tests/tools/spirv_grammar/generate.py from Khronos' machine-readable grammar; `grammar` reads it.
"""

# opcode, name, operands
INSTRUCTIONS = """
{instructions}
"""

# kind, value, name, parameters
ENUMERANTS = """
{enumerants}
"""

# number, name, operands behind the set and the number
OPENCL_STD = """
{functions}
"""
'''


if __name__ == "__main__":
    TABLE.write_text(text(Path(sys.argv[1]) if len(sys.argv) > 1 else HEADERS))
