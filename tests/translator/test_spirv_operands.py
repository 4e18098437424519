"""Every instruction that a block may have, and every function of OpenCL.std, with operands of any types: a module is refused with the
instruction's place, or right. None ends in an error of ours."""

from __future__ import annotations

import random
import zlib

import pytest
from support.spirv_assembler import assemble
from support.spirv_cases import whole

from cl2cuda.translator import CompileError, translate_il
from cl2cuda.translator.spirv.grammar import MASKS, enumerants, instructions, is_enumeration, opencl_std
from cl2cuda.translator.spirv.offered import EXTENSIONS, OFFERED_CAPABILITIES
from cl2cuda.translator.spirv.rules import RULES

TRIES = 1  # for each instruction and function in the suite; sixty in a full run
TYPES = """bool uchar uint ulong half float double uint2 uint4 uchar4 float4 bool4 half4 ulong3 struct array event reserved image sampled
    sampler pipe queue device_event global private generic local""".split()
# Values, by name: constants of the types, variables, what the kernel is given, and what is no value at all.
VALUES = [*(f"none_{type}" for type in TYPES if type not in ("image", "sampled", "sampler", "pipe")), "out", "in", "u1", "u3", "l1", "true",
          "variable", "structs", "arrays", "shared", "an_image", "a_sampler", "a_pipe", "a_queue", "sum", "helper", "uint", "gid", "std"]
DECLARED = "\n".join([
    *(f"OpCapability {name}" for name in sorted(OFFERED_CAPABILITIES)), *(f'OpExtension "{name}"' for name in sorted(EXTENSIONS)),
    """%half = OpTypeFloat 16
%half4 = OpTypeVector %half 4
%array = OpTypeArray %uint %u4
%struct = OpTypeStruct %array %float4 %bool
%event = OpTypeEvent
%reserved = OpTypeReserveId
%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%sampled = OpTypeSampledImage %image
%sampler = OpTypeSampler
%pipe = OpTypePipe ReadOnly
%queue = OpTypeQueue
%device_event = OpTypeDeviceEvent
%local = OpTypePointer Workgroup %uint
%to_struct = OpTypePointer Function %struct
%to_array = OpTypePointer Function %array
%shared = OpVariable %local Workgroup
%kernel_of_objects = OpTypeFunction %void %global %global %image %sampler %pipe %queue
%unary = OpTypeFunction %uint %uint""",
    *(f"%none_{type} = OpConstantNull %{type}" for type in TYPES if f"none_{type}" in VALUES)])
BEFORE = """%main = OpFunction %void None %kernel_of_objects
%out = OpFunctionParameter %global
%in = OpFunctionParameter %global
%an_image = OpFunctionParameter %image
%a_sampler = OpFunctionParameter %sampler
%a_pipe = OpFunctionParameter %pipe
%a_queue = OpFunctionParameter %queue
%entry = OpLabel
%variable = OpVariable %private Function
%structs = OpVariable %to_struct Function
%arrays = OpVariable %to_array Function
%sum = OpIAdd %uint %u1 %u3
"""
BEHIND = """OpReturn
OpFunctionEnd
%helper = OpFunction %uint None %unary
%given = OpFunctionParameter %uint
%entry_of_helper = OpLabel
OpReturnValue %given
OpFunctionEnd
"""
GRAMMAR = {grammar.name: grammar for grammar in instructions().values()}
FUNCTIONS = dict(opencl_std().values())


class Line:
    """An instruction with operands of the kinds that its grammar says, and values of any types. Half of them are of one type, so that many
    get further than to the first check."""

    def __init__(self, seed: str):
        self.numbers = random.Random(zlib.crc32(seed.encode()))
        self.type = self.numbers.choice(TYPES)

    def text(self, name: str, function: str = "") -> str:
        grammar = GRAMMAR[name]
        type = self.type if self.numbers.random() < 0.6 else self.numbers.choice(TYPES)
        words = ["%r =" * grammar.has_result, name, f"%{type}" * grammar.has_type]
        words += [f"%std {function}", *self._all(FUNCTIONS[function])] if function else self._all(grammar.operands)
        return " ".join(words)

    def _all(self, kinds: tuple[tuple[str, str], ...]) -> list[str]:
        found = []
        for kind, quantifier in kinds:
            if quantifier == "?" and self.numbers.random() < 0.5:
                break
            found += [self._operand(kind) for _ in range(self.numbers.randrange(4) if quantifier == "*" else 1)]
        return found

    def _operand(self, kind: str) -> str:
        if kind.startswith("Id"):
            of_type = f"none_{self.type}"
            fits = of_type in VALUES and self.numbers.random() < 0.6
            return f"%{'u3' if kind != 'IdRef' else of_type if fits else self.numbers.choice(VALUES)}"
        if kind.startswith("Pair"):
            return " ".join("1" if "Literal" in part else self._operand("IdRef") for part in kind.removeprefix("Pair").split("Id"))
        if is_enumeration(kind):
            chosen = self.numbers.choice(list(enumerants(kind).values()))
            if kind in MASKS and self.numbers.random() < 0.6:
                return "None"
            return " ".join([chosen.name, *self._all(chosen.parameters)])
        return self.numbers.choice(("0", "1", "2", "7", "0xffffffff"))


def survives(name: str, function: str, tries: int) -> None:
    before = whole("", DECLARED).partition("%main = OpFunction")[0]
    for number in range(tries):
        line = Line(f"{name} {function} {number}").text(name, function)
        module = assemble(f"{before}{BEFORE}{line}\n{BEHIND}", (1, 4))
        try:
            translate_il(module)
        except CompileError as refused:
            assert " at word " in str(refused), line
        except Exception as bug:
            raise AssertionError(f"{line}: {bug}") from bug


EACH = [(name, "") for name in sorted(RULES) if name in GRAMMAR and name != "OpExtInst"] + [("OpExtInst", name) for name in sorted(FUNCTIONS)]


def test_operands_of_any_types():
    for name, function in EACH:
        survives(name, function, TRIES)


@pytest.mark.full
@pytest.mark.parametrize(("name", "function"), EACH)
def test_many_operands_of_any_types(name, function):
    survives(name, function, 60)
