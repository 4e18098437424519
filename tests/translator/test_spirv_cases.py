"""Modules of SPIR-V in assembly (support/spirv_cases) compute what they say, on every real device and through NVRTC."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.cuda_programs import compile_for_cuda
from support.spirv_assembler import assemble
from support.spirv_cases import Case, load, whole
from support.spirv_modules import assembled, can_assemble

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import parse_options, translate_il

CASES = load()
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def as_integers(numbers: tuple[int, ...]) -> np.ndarray:
    return np.array(numbers, "i8").astype("i4")


def run(device, case: Case, module: bytes, name: str = "k") -> tuple[int, ...]:
    context = Context([device])
    queue = CommandQueue(context, device)
    program = Program.from_il(context, module)
    program.build()
    kernel = Kernel(program, name)
    out, given = np.zeros(64, "i4"), as_integers((*case.input, 0))
    buffers = [Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, array.nbytes, array) for array in (out, given)]
    for index, buffer in enumerate(buffers):
        kernel.set_arg(index, buffer)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (case.size,), (case.size,))
    buffer_commands.enqueue_read_buffer(queue, buffers[0], True, 0, out)
    return tuple(out[: len(case.result)].tolist())


@each_case
def test_values(real_device, case):
    assert run(real_device, case, case.module()) == tuple(as_integers(case.result).tolist())


@each_case
def test_nvrtc_compiles(compiler, case):
    """Without a GPU, where NVRTC is installed."""
    compile_for_cuda(translate_il(case.module()), "sm_90", flags(parse_options(""), compiler.version), compiler)


@each_case
def test_byte_orders_and_versions_give_one_translation(case):
    text = translate_il(case.module()).user_source
    assert translate_il(case.module(big_endian=True)).user_source == text
    assert translate_il(case.module((1, 0))).user_source == translate_il(case.module((1, 6))).user_source == text


@each_case
def test_our_assembler_makes_what_khronos_makes(case):
    if not can_assemble():
        pytest.skip("spirv-as is not installed")
    theirs = translate_il(assembled(case.text, case.environment))
    assert len(theirs.user_source.splitlines()) == len(translate_il(case.module()).user_source.splitlines())


@pytest.mark.parametrize("name", ["a.b", "two words", "int", "float4", "while", "1st", "kernel<int>", "a/b", "\u00e9", ""])
def test_a_kernels_name_may_be_any_text(real_device, name):
    """SPIR-V has no rule for it: SYCL's and Julia's are no identifiers of C++."""
    text = whole("OpStore %out %u7\nOpReturn\nOpFunctionEnd\n").replace('"k"', f'"{name}"')
    assert run(real_device, Case("", text, 1, (), (7,)), assemble(text), name) == (7,)


def test_built_in_variables_may_be_constants_that_the_environment_defines():
    """So modules of OpenCL 2.0 compilers have them: in UniformConstant, imported."""
    body = "%ids = OpLoad %ulong3 %gid\n%x = OpCompositeExtract %ulong %ids 0\n%n = OpUConvert %uint %x\nOpStore %out %n\nOpReturn\nOpFunctionEnd\n"
    text = whole(body)
    changes = (("%to_input = OpTypePointer Input", "%to_input = OpTypePointer UniformConstant"),
               ("OpVariable %to_input Input", "OpVariable %to_input UniformConstant"), (' "k" %gid', ' "k"'),
               ("OpDecorate %gid BuiltIn", 'OpDecorate %gid LinkageAttributes "__spirv_BuiltInGlobalInvocationId" Import\nOpDecorate %gid BuiltIn'))
    older = text
    for old, new in changes:
        assert old in older
        older = older.replace(old, new)
    assert translate_il(assemble(older, (1, 0))).user_source == translate_il(assemble(text, (1, 0))).user_source


def test_a_loop_sets_its_next_turns_variables_before_the_test_that_may_end_it():
    """NVRTC moves what is computed before such a test behind it if anything else stands there."""
    (case,) = (each for each in CASES if each.name == "a_loop_may_end_at_its_end")
    lines = [line.strip() for line in translate_il(case.module()).user_source.splitlines() if not line.startswith("#")]
    text = "".join(lines)
    assert re.search(r"unsigned int (v\d+) = (v\d+) \+ 1u;v\d+ = v\d+;\2 = \1;if \(\1 >= v\d+\) \{", text), text
    # What is read behind the loop is set behind the test.
    assert re.search(r"unsigned int (v\d+) = (v\d+) \+ 1u;\2 = \1;if \(\1 >= 10u\) \{v\d+ = \1;break;\}(v\d+) = (v\d+);\4 = v\d+;\}", text), text
    assert re.search(r"while \(v\d+ < 5u\) \{", text)  # the loop's own test stays


# The phis behind the loops of three cases; what the loops are, the cases say.
COUNTERS = {
    "counters_behind_loops": "up without_sign between mirrored left down down_before before before_variable at_least_once at_most at_the_top "
                             "bytes two_ways inner",
    "a_counter_leaves_two_loops": "out_of_two",
}
LIMITS = ("steps_of_two unguarded other_sign other_bound moving_bound uneven passed_by starts_at_bound one_more not_greater equality "
          "entered_otherwise two_entries beyond other_first lesser greater_unsigned floats alone")


def ends_with_counter(case: str, name: str) -> bool:
    """Whether the variable behind the loop gets the loop's counter, before or after its step, wherever the loop ends."""
    (module,) = (each.module() for each in CASES if each.name == case)
    text = "".join(line.strip() for line in translate_il(module).user_source.splitlines() if not line.startswith("#"))
    given = re.findall(rf"\b{name} = (?:\(int\))?([^;]+);(?:\w+ = \w+;)?(?:break|goto)", text)
    assert len(given) == 2, text
    return any(set(given) <= {before, after} for before in given if before[0] == "v"
               for after in re.findall(rf"(v\d+) = (?:\(\w[\w ]+\))?\(?(?:\(unsigned int\))?{before} [+-] (?:1u?|4294967295u)\b", text))


@pytest.mark.parametrize(("case", "name"), [(case, name) for case, names in COUNTERS.items() for name in names.split()])
def test_a_counter_that_has_reached_its_limit_stands_behind_the_loop(case, name):
    """It is one value less to keep and to move than the limit that the module has there."""
    assert ends_with_counter(case, name)


@pytest.mark.parametrize("name", LIMITS.split())
def test_a_limit_stays_where_the_counter_may_have_passed_it(name):
    """Or where nothing is gained: in `equality`, and in `alone`, whose phi gets no counter elsewhere."""
    assert not ends_with_counter("limits_behind_loops", name)


@pytest.mark.parametrize(("declarations", "fused"), [("", False), ("OpExecutionMode %main ContractionOff", True)])
def test_mad_is_fused_here_where_nothing_else_may_be(declarations, fused):
    """CUDA decides on contraction for a whole program: what clang made a mad of is not to fall apart where the rest must not come together."""
    body = """%a = OpLoad %uint %in
%x = OpConvertUToF %float %a
%r = OpExtInst %float %std mad %x %x %f1
%other = OpFMul %float %r %x
%s = OpConvertFToU %uint %other
OpStore %out %s
OpReturn
OpFunctionEnd
"""
    translation = translate_il(assemble(whole(body, declarations), (1, 4)))
    assert translation.fp_contract is not fused
    assert ("mad(" in translation.user_source) is fused
