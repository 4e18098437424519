"""Programs in an intermediate language (5.8.1, 5.8.3): creating, specializing, building, compiling and linking them."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from support.fails import fails
from support.spirv_assembler import assemble
from support.spirv_cases import load, whole

from cl2cuda.runtime.build.build import ILStep, step_from_json
from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.link import link_program
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import parse_options

MODULE = assemble(whole("OpReturn\nOpFunctionEnd\n"))
SPECIALIZED = next(case for case in load() if case.name.startswith("specialization")).module()
# Calls a function that another program defines, and defines one that others may call.
CALLER = whole("""%v = OpLoad %uint %in
%w = OpFunctionCall %uint %other %v
OpStore %out %w
OpReturn
OpFunctionEnd
%other = OpFunction %uint None %unary
%x = OpFunctionParameter %uint
OpFunctionEnd
%triple = OpFunction %uint None %unary
%y = OpFunctionParameter %uint
%triple_entry = OpLabel
%z = OpIMul %uint %y %u3
OpReturnValue %z
OpFunctionEnd
""", """OpDecorate %other LinkageAttributes "other" Import
OpDecorate %triple LinkageAttributes "triple" Export
%unary = OpTypeFunction %uint %uint
""")


def first_number(device, program: Program, value: int = 0) -> int:
    queue = CommandQueue(program.context, device)
    kernel = Kernel(program, "k")
    out, given = np.zeros(4, "u4"), np.full(4, value, "u4")
    buffers = [Buffer(program.context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, array.nbytes, array) for array in (out, given)]
    for index, buffer in enumerate(buffers):
        kernel.set_arg(index, buffer)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
    buffer_commands.enqueue_read_buffer(queue, buffers[0], True, 0, out)
    return int(out[0])


def test_a_program_of_a_module(fake):
    program = Program.from_il(fake.context, MODULE)
    assert program.get_info(codes.PROGRAM_IL) == MODULE
    assert program.get_info(codes.PROGRAM_SOURCE) == ""
    program.build()
    assert program.get_info(codes.PROGRAM_KERNEL_NAMES) == "k"


def test_what_modules_are_refused(fake):
    fails("INVALID_VALUE", Program.from_il, fake.context, b"")
    fails("INVALID_VALUE", Program.from_il, fake.context, b"kernel void k(void) { }")
    assert "at word" in fails("INVALID_VALUE", Program.from_il, fake.context, MODULE[:-4])


def test_a_module_that_cannot_be_built_says_where(fake):
    program = Program.from_il(fake.context, assemble(whole("%a = OpIAdd %float %u1 %u1\nOpReturn\nOpFunctionEnd\n")))
    fails("BUILD_PROGRAM_FAILURE", program.build)
    assert "OpIAdd at word" in program.build_log(fake.device)
    assert program.build_status(fake.device) == codes.BUILD_ERROR


def test_specialization_constants(real_device):
    program = Program.from_il(Context([real_device]), SPECIALIZED)
    fails("INVALID_SPEC_ID", program.set_specialization_constant, 1, b"\1")
    fails("INVALID_VALUE", program.set_specialization_constant, 3, b"\1")
    fails("INVALID_VALUE", program.set_specialization_constant, 4, b"\1\0\0\0")
    program.build()
    assert first_number(real_device, program) == 5
    program = Program.from_il(Context([real_device]), SPECIALIZED)
    program.set_specialization_constant(3, struct.pack("<I", 41))
    program.set_specialization_constant(3, struct.pack("<I", 42))
    program.set_specialization_constant(4, b"\0")
    program.build()
    assert first_number(real_device, program) == 42


def test_only_a_module_has_specialization_constants(fake):
    fails("INVALID_PROGRAM", Program(fake.context, "kernel void k(void) { }").set_specialization_constant, 3, b"\0\0\0\0")


@pytest.mark.parametrize("backwards", [False, True])
def test_a_module_is_linked_with_opencl_c(real_device, backwards):
    context = Context([real_device])
    module = Program.from_il(context, assemble(CALLER))
    fails("BUILD_PROGRAM_FAILURE", module.build)
    source = Program(context, "uint triple(uint x); uint other(uint x) { return triple(x) + 1; }")
    module.compile()
    source.compile()
    linked = link_program(context, None, "", [source, module] if backwards else [module, source])
    assert first_number(real_device, linked, 7) == 22


def test_a_compiled_module_survives_as_a_binary(real_device):
    context = Context([real_device])
    module = Program.from_il(context, assemble(CALLER))
    module.compile()
    again = Program.from_binaries(context, [real_device], module.binaries())
    source = Program(context, "uint other(uint x) { return x + 1; }")
    source.compile()
    assert first_number(real_device, link_program(context, None, "", [again, source]), 7) == 8


def test_signs_do_not_keep_a_module_from_opencl_c(real_device):
    """SPIR-V's integers have no sign: a function of int is the one that is meant."""
    context = Context([real_device])
    module = Program.from_il(context, assemble(CALLER))
    source = Program(context, "int other(int x) { return x >> 1; }")
    for each in (module, source):
        each.compile()
    assert first_number(real_device, link_program(context, None, "", [module, source]), -4 & 0xFFFFFFFF) == -2 & 0xFFFFFFFF


# The first imports a function and a variable of the second, and the first alone has another struct before the one that they share.
SHARING = ("""%v = OpLoad %uint %in
%given = OpCompositeInsert %struct %v %none 1 1
%found = OpFunctionCall %struct %swapped %given %table
%first = OpCompositeExtract %uint %found 1 0
%item = OpInBoundsAccessChain %global %table %u1 %u1
%more = OpLoad %uint %item
%sum = OpIAdd %uint %first %more
OpStore %out %sum
OpReturn
OpFunctionEnd
%swapped = OpFunction %struct None %of_struct
%a = OpFunctionParameter %struct
%b = OpFunctionParameter %to_struct
OpFunctionEnd
""", """OpReturn
OpFunctionEnd
%swapped = OpFunction %struct None %of_struct
%a = OpFunctionParameter %struct
%b = OpFunctionParameter %to_struct
%entry_of_swapped = OpLabel
%x = OpCompositeExtract %uint %a 1 1
%into = OpInBoundsAccessChain %global %b %u1 %u1
OpStore %into %u5
%y = OpCompositeInsert %struct %x %a 1 0
OpReturnValue %y
OpFunctionEnd
""")
SHARED = """OpName %struct "{name}"
OpDecorate %swapped LinkageAttributes "swapped" {linkage}
OpDecorate %table LinkageAttributes "table" {linkage}
{before}
%pair = OpTypeArray %uint %u2
%struct = OpTypeStruct %ulong %pair
%to_struct = OpTypePointer CrossWorkgroup %struct
%of_struct = OpTypeFunction %struct %struct %to_struct
%none = OpConstantNull %struct
%table = OpVariable %to_struct CrossWorkgroup {init}
"""


@pytest.mark.parametrize("names", [("", ""), ("struct.pair", "struct.pair.12")], ids=["stripped", "named"])
@pytest.mark.parametrize("backwards", [False, True])
def test_structs_of_modules_are_the_same_by_their_members(real_device, backwards, names):
    context = Context([real_device])
    before = "%another = OpTypeStruct %ulong\n%numbers = OpTypeArray %ulong %u2\n%holder = OpTypeStruct %numbers\n%no_holder = OpConstantNull %holder"
    texts = [SHARED.format(name=name, linkage=linkage, before=first, init=init) for name, linkage, first, init in zip(
        names, ("Import", "Export"), (before, ""), ("", "%none"), strict=True)]
    bodies = [SHARING[0].replace("OpReturn", "%n = OpCompositeExtract %numbers %no_holder 0\nOpReturn", 1), SHARING[1]]
    library = whole(bodies[1], texts[1]).replace('OpEntryPoint Kernel %main "k" %gid', "")
    programs = [Program.from_il(context, assemble(text)) for text in (whole(bodies[0], texts[0]), library)]
    for each in programs:
        each.compile()
    assert first_number(real_device, link_program(context, None, "", programs[::-1] if backwards else programs), 7) == 12


def test_a_function_with_local_variables_is_its_modules_own(fake):
    function = """OpReturn
OpFunctionEnd
%other = OpFunction %uint None %unary
%x = OpFunctionParameter %uint
%entry_of_other = OpLabel
OpStore %local %x
%y = OpLoad %uint %local
OpReturnValue %y
OpFunctionEnd
"""
    declared = """OpDecorate %other LinkageAttributes "other" Export
%unary = OpTypeFunction %uint %uint
%to_local = OpTypePointer Workgroup %uint
%local = OpVariable %to_local Workgroup
"""
    library = whole(function, declared).replace('OpEntryPoint Kernel %main "k" %gid', "")
    programs = [Program.from_il(fake.context, assemble(text)) for text in (CALLER, library)]
    for each in programs:
        each.compile()
    assert "calling 'other', which uses local variables of its own module" in fails(
        "LINK_PROGRAM_FAILURE", link_program, fake.context, None, "", programs)


def test_a_step_survives_as_data():
    step = ILStep(MODULE, "-w", parse_options("-w"), {3: b"\1\0\0\0"})
    assert step_from_json(step.to_json()) == step
    assert step.cache_parts() != ILStep(MODULE, "-w", parse_options("-w"), {}).cache_parts()


def test_devices_say_what_they_take(device):
    assert device.get_info(0x105B).split()[:2] == ["SPIR-V_1.0", "SPIR-V_1.1"]
    names = {name for name, _ in device.extensions}
    assert "cl_khr_il_program" in names
