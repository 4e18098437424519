"""Damaged and foreign modules of SPIR-V get an error that names instruction, id and offset; none crashes, hangs or is guessed at."""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.spirv_assembler import assemble
from support.spirv_cases import load, whole

from cl2cuda.translator import CompileError, InternalError, is_spirv, specialization_constants, translate_il
from cl2cuda.translator.spirv import grammar, grammar_table
from cl2cuda.translator.spirv.offered import OFFERED_CAPABILITIES

GRAMMAR = Path(__file__).parents[1] / "tools" / "spirv_grammar"
RETURN = "OpReturn\nOpFunctionEnd\n"
GOOD = assemble(whole(RETURN))
CHANGED = 5  # modules made of each case by changing words, in the suite; a hundred in a full run


def refusal(module: bytes) -> str:
    with pytest.raises(CompileError) as caught:
        translate_il(module)
    return str(caught.value)


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def test_a_module_is_told_by_its_first_word():
    assert is_spirv(GOOD) and is_spirv(assemble(whole(RETURN), big_endian=True))
    assert not is_spirv(b"kernel void k(void) { }") and not is_spirv(b"")


@pytest.mark.parametrize("module, message", [
    (b"", "0 bytes, fewer than its header"),
    (GOOD[:-1], "no multiple of 4"),
    (b"abcd" * 8, "does not begin with SPIR-V's magic number"),
    (words(0x07230203, 0x10700, 0, 5, 0), "at word 1: version word 0x10700 is none of SPIR-V 1.0 to 1.6"),
    (words(0x07230203, 0x10000, 0, 0, 0), "at word 3: the bound of ids is 0"),
    (words(0x07230203, 0x10000, 0, 5, 1), "at word 4: the schema is 1, not 0"),
    (words(0x07230203, 0x10000, 0, 5, 0, 0x11), "OpCapability at word 5: the word count is 0"),
    (words(0x07230203, 0x10000, 0, 5, 0, 0x20011), "OpCapability at word 5: it has 2 words, the module ends after 1"),
    (words(0x07230203, 0x10000, 0, 5, 0, 0x1FFFF), "instruction 65535 at word 5: it is not known to cl2cuda"),
    (words(0x07230203, 0x10000, 0, 5, 0, 0x30011, 4, 4), "OpCapability at word 5: 1 words are left over behind its operands"),
    (words(0x07230203, 0x10000, 0, 5, 0, 0x10011), "OpCapability at word 5: an operand is missing"),
    (words(0x07230203, 0x10000, 0, 5, 0, 0x20013, 9), "OpTypeVoid at word 5: id 9 is not between 1 and the bound 5"),
    (words(0x07230203, 0x10000, 0, 5, 0), "the module has no OpMemoryModel"),
])  # fmt: skip
def test_the_physical_form(module, message):
    assert message in refusal(module)


@pytest.mark.parametrize("body, declarations, message", [
    (RETURN, "OpCapability Sampled1D\nOpTypeForwardPointer %nowhere Function", ""),
    (RETURN, "%u0 = OpConstant %uint 1", "is defined twice"),
    ("%a = OpIAdd %uint %nobody %u1\n" + RETURN, "", "is not defined"),
    ("%a = OpIAdd %uint %f1 %u1\n" + RETURN, "", "OpIAdd at word"),
    ("%a = OpIAdd %float %u1 %u1\n" + RETURN, "", "its operands give a 'uint', not a 'float'"),
    ("%a = OpLoad %float %out\n" + RETURN, "", "the pointer leads to a 'uint', not a 'float'"),
    ("OpStore %u1 %u1\n" + RETURN, "", "its operand is a 'uint', no pointer"),
    ("OpStore %out %f1\n" + RETURN, "", "a 'float' stands where a 'uint' is wanted"),
    ("OpBranch %nobody\nOpFunctionEnd", "", "is no block of the function"),
    ("OpBranch %entry\nOpFunctionEnd", "", "a branch leads to the function's first block"),
    ("OpFunctionEnd", "", "has no terminator"),
    ("OpReturn", "", "the function has no end"),
    ("OpBranchConditional %u1 %a %b\n%a = OpLabel\nOpReturn\n%b = OpLabel\n" + RETURN, "", "its condition is no boolean"),
    ("OpSwitch %f1 %a\n%a = OpLabel\n" + RETURN, "", "its selector is no integer"),
    ("%a = OpPhi %uint %u1 %entry\n" + RETURN, "", ""),
    ("%a = OpExtInst %float %std fmax %f1 %u1\n" + RETURN, "", "there is no fmax(float, uint)"),
    ("%a = OpFunctionCall %void %main %out\n" + RETURN, "", "'k' takes 2 arguments, not 1"),
    ("%a = OpAtomicIAdd %uint %out %u10 %u0 %u1\n" + RETURN, "", "scope 10 is not offered"),
    ("%a = OpCompositeExtract %uint %three 5\n" + RETURN, "%three = OpConstantComposite %uint3 %u0 %u1 %u2", "has no component 5"),
    ("OpCopyMemorySized %out %u1 %l3\n" + RETURN, "", "its operand is a 'uint', no pointer"),
    ("%a = OpBitcast %global %u1\n" + RETURN, "", "it does not convert a 'uint' to a '__global uint *'"),
    ("%a = OpVectorExtractDynamic %uint %pair %f1\nOpStore %out %a\n" + RETURN, "%pair = OpConstantNull %uint2",
     "a 'float' stands where an integer is wanted"),
    ("%a = OpGroupBroadcast %uint %u2 %u1 %f1\n" + RETURN, "OpCapability Groups", "a 'float' stands where an integer is wanted"),
    ("OpAssumeTrueKHR %f1\n" + RETURN, 'OpCapability ExpectAssumeKHR\nOpExtension "SPV_KHR_expect_assume"',
     "a 'float' stands where a 'bool' is wanted"),
    ("OpBranch %b\n%b = OpLabel\n%a = OpPhi %uint3 %pair %entry\n%c = OpCompositeExtract %uint %a 0\nOpStore %out %c\n" + RETURN,
     "%pair = OpConstantNull %uint2", "a 'uint2' stands where a 'uint3' is wanted"),
    ("%a = OpSubgroupBlockReadINTEL %pair %out\n" + RETURN,
     "OpCapability SubgroupBufferBlockIOINTEL\n%pair = OpTypeStruct %uint %uint", "blocks have no elements of 'struct "),
    (RETURN, "%a = OpSpecConstantOp %ulong ConvertPtrToU %v\n%b = OpSpecConstantOp %ulong IAdd %a %l1\n%v = OpVariable %global CrossWorkgroup\n"
     "%to_ulong = OpTypePointer CrossWorkgroup %ulong\n%w = OpVariable %to_ulong CrossWorkgroup %b", "OpIAdd of what is no number"),
    (RETURN, "%a = OpSpecConstantOp %float IAdd %u1 %u1\n%n = OpTypeArray %uint %a", "OpIAdd does not give a 'float'"),
    (RETURN, "%a = OpSpecConstantOp %uint IAdd %u1 %f1\n%n = OpTypeArray %uint %a", "OpIAdd does not take operands of 'uint, float'"),
    (RETURN, "%a = OpSpecConstantOp %uint CompositeExtract %u1 2\n%n = OpTypeArray %uint %a", "a 'uint' has no part 2"),
    (RETURN, "%three = OpTypeInt 24 0", "integers of 24 bits are not offered"),
    (RETURN, "%five = OpTypeVector %uint 5", "there is no vector of 5"),
    (RETURN, "%self = OpTypeStruct %self", "the struct holds itself"),
    (RETURN, "%long = OpConstant %ulong 1\n%many = OpTypeArray %uint %u0\n%other = OpTypeArray %uint %f1", "is no constant integer"),
    (RETURN, 'OpExtension "SPV_NV_mesh_shader"', "extension SPV_NV_mesh_shader is not offered"),
    (RETURN, '%glsl = OpExtInstImport "GLSL.std.450"', "the instruction set GLSL.std.450 is not offered"),
    (RETURN, "OpMemoryModel Physical32 OpenCL", "the device's addresses have 64 bits"),
    (RETURN, "OpExecutionMode %main LocalSize 0 1 1", "execution mode LocalSize says [0, 1, 1]"),
])  # fmt: skip
def test_one_wrong_module_for_each_rule(body, declarations, message):
    """Where no message is given, the module is unusual and right."""
    module = assemble(whole(body, declarations))
    if message:
        found = refusal(module)
        assert message in found and " at word " in found
    else:
        translate_il(module)


def doubled(first: str, instruction: str) -> str:
    """A constant that is made of the one before it twice, forty times."""
    return "\n".join([f"%c0 = {first}", *(f"%c{number} = {instruction.format(number, f'%c{number - 1} %c{number - 1}')}" for number in range(1, 41))])


@pytest.mark.parametrize(("type", "instruction"), [("uint", "IAdd"), ("float", "FAdd"), ("uint2", "BitwiseXor")])
def test_a_constant_of_many_operations_is_computed_once(type, instruction):
    constants = f"%to = OpTypePointer CrossWorkgroup %{type}\n" + doubled(f"OpConstantNull %{type}", f"OpSpecConstantOp %{type} {instruction} {{1}}")
    body = f"%to_out = OpBitcast %to %out\nOpStore %to_out %c40\n{RETURN}"
    assert len(translate_il(assemble(whole(body, constants))).user_source) < 1000


def test_a_constant_of_too_many_numbers():
    types = doubled("OpTypeStruct %uint", "OpTypeStruct {1}").replace("%c", "%t")
    constants = doubled("OpConstantComposite %t0 %u1", "OpConstantComposite %t{0} {1}")
    variable = "%to = OpTypePointer CrossWorkgroup %t40\n%v = OpVariable %to CrossWorkgroup %c40"
    assert "1099511627776 numbers is more than" in refusal(assemble(whole(RETURN, f"{types}\n{constants}\n{variable}")))


def test_capabilities_of_shaders_are_refused():
    assert "capability 2 is not offered (it is a shader's" in refusal(words(0x07230203, 0x10000, 0, 5, 0, 0x20011, 2))
    assert {each.name for each in grammar.enumerants("Capability").values()} >= OFFERED_CAPABILITIES


def test_what_llvm_spirv_14_writes_for_internal_functions_is_taken():
    """LinkageType INT_MAX - 1, which SPIR-V does not know, for the functions in which it translates orders and scopes."""
    body = f"{RETURN}%f = OpFunction %uint None %two\n%x = OpFunctionParameter %uint\n%y = OpFunctionParameter %uint\n"
    declarations = '%two = OpTypeFunction %uint %uint %uint\nOpDecorate %f LinkageAttributes "f" Export'
    text = whole(f"{body}%body = OpLabel\nOpReturnValue %x\nOpFunctionEnd\n", declarations)
    name, end = b"f\0\0\0", struct.pack("<I", 0)
    theirs = assemble(text).replace(name + end, name + struct.pack("<I", 0x7FFFFFFE))
    assert theirs != assemble(text)
    assert translate_il(theirs).user_source == translate_il(assemble(text.replace('OpDecorate %f LinkageAttributes "f" Export', ""))).user_source
    assert "LinkageType 2147483645 is not known" in refusal(assemble(text).replace(name + end, name + struct.pack("<I", 0x7FFFFFFD)))


def test_a_sampler_without_a_filter_mode_is_nearest():
    """`const sampler_t s = CLK_NORMALIZED_COORDS_FALSE;`, which llvm-spirv makes -1 of."""
    declarations = """OpCapability ImageBasic
%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%sampler_type = OpTypeSampler
%sampled = OpTypeSampledImage %image
%two = OpTypeFunction %float4 %image
%float2 = OpTypeVector %float 2
%at = OpConstantNull %float2
%sampler = OpConstantSampler %sampler_type Clamp 0 Nearest"""
    body = f"""{RETURN}%f = OpFunction %float4 None %two
%a = OpFunctionParameter %image
%body = OpLabel
%both = OpSampledImage %sampled %a %sampler
%t = OpImageSampleExplicitLod %float4 %both %at Lod %f0
OpReturnValue %t
OpFunctionEnd
"""
    module = assemble(whole(body, declarations))
    read = [*struct.unpack(f"<{len(module) // 4}I", module)]
    sampler = next(at for at, word in enumerate(read) if word == 6 << 16 | 45)
    assert read[sampler + 3 : sampler + 6] == [2, 0, 0]
    read[sampler + 5] = 0xFFFFFFFF
    assert translate_il(words(*read)).user_source == translate_il(module).user_source
    read[sampler + 5] = 7
    assert "SamplerFilterMode 7 is not known" in refusal(words(*read))


def test_specialization_constants_are_told_with_their_sizes():
    module = next(case for case in load() if case.name.startswith("specialization")).module()
    assert specialization_constants(module) == {3: 4, 4: 1}
    assert "= 9u" in translate_il(module, constants={3: struct.pack("<I", 9), 4: b"\0"}).user_source


def changed(module: bytes, count: int, seed: int) -> Iterator[bytes]:
    """The module with some words, or bits of them, changed at random, or with its end cut off."""
    numbers = random.Random(seed)
    for _ in range(count):
        values = list(struct.unpack(f"<{len(module) // 4}I", module))
        for _ in range(numbers.choice((1, 1, 1, 2, 5))):
            at = numbers.randrange(1, len(values))
            values[at] = numbers.choice((values[at] ^ 1 << numbers.randrange(32), numbers.randrange(64), numbers.choice(values),
                                         numbers.getrandbits(32)))
        if numbers.random() < 0.05:
            values = values[: numbers.randrange(len(values))]
        yield words(*values)


def survive(modules: Iterator[bytes]) -> None:
    for module in modules:
        try:
            translate_il(module)
        except CompileError as refused:
            assert "at word" in str(refused) or "module" in str(refused) or "nested" in str(refused), refused
        except InternalError as bug:
            raise AssertionError(f"{bug}: {module.hex()}") from bug


@pytest.mark.parametrize("case", load(), ids=lambda case: case.name)
def test_changed_words_are_refused_or_right(case):
    survive(changed(case.module(), CHANGED, hash(len(case.text))))


@pytest.mark.full
@pytest.mark.parametrize("case", load(), ids=lambda case: case.name)
def test_many_changed_words_are_refused_or_right(case):
    survive(changed(case.module(), 110, len(case.text)))


def test_the_table_is_what_the_headers_say():
    sys.path.insert(0, str(GRAMMAR))
    try:
        import generate
    finally:
        sys.path.remove(str(GRAMMAR))
    if not generate.HEADERS.exists():
        pytest.skip("Khronos' headers are not installed")
    instructions, enumerants, functions = generate.rows()
    assert set(instructions) <= set(grammar_table.INSTRUCTIONS.strip().splitlines())
    assert set(enumerants) <= set(grammar_table.ENUMERANTS.strip().splitlines())
    assert functions == grammar_table.OPENCL_STD.strip().splitlines()
