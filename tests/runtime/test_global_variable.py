"""Variables of program scope that the host reads and writes (cl_intel_global_variable_access), of OpenCL C and of SPIR-V."""

import numpy as np
import pytest
from support.fails import fails
from support.spirv_assembler import assemble
from support.spirv_cases import whole

from cl2cuda.runtime.commands import global_variable as commands
from cl2cuda.runtime.commands import usm
from cl2cuda.runtime.commands.buffer import enqueue_marker
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.program.link import link_program
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """
global int scale = 5;
global int table[4] = {1, 2, 3, 4};
static global int own = 7;
constant int fixed = 8;
kernel void k(void) { for (int i = 0; i < 4; i++) table[i] = table[i] * scale + own - 7 + fixed - 8; }
"""


class Built:
    def __init__(self, device):
        self.device = device
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)

    def source(self, text):
        program = Program(self.context, text)
        program.build("-cl-std=CL3.0")
        return program

    def module(self, data):
        program = Program.from_il(self.context, data)
        program.build()
        return program

    def run(self, program, name="k"):
        enqueue_nd_range_kernel(self.queue, Kernel(program, name), 1, None, (1,), (1,))

    def read(self, program, name, count, offset=0):
        found = np.zeros(count, "i4")
        commands.enqueue_read_global_variable(self.queue, program, name, True, offset, found)
        return found.tolist()

    def write(self, program, name, *numbers, offset=0):
        commands.enqueue_write_global_variable(self.queue, program, name, True, offset, np.array(numbers, "i4"))


@pytest.fixture
def built(real_device):
    return Built(real_device)


def test_kernels_and_the_host_know_one_variable(built):
    program = built.source(SOURCE)
    assert built.read(program, "table", 4) == [1, 2, 3, 4]
    built.run(program)
    assert built.read(program, "table", 4) == [5, 10, 15, 20]
    built.write(program, "scale", 2)
    built.write(program, "table", 100, 200, offset=8)
    built.run(program)
    assert built.read(program, "table", 4) == [10, 20, 200, 400]
    assert built.read(program, "table", 1, offset=12) == [400]


def test_programs_have_variables_of_their_own(built):
    first, second = built.source(SOURCE), built.source(SOURCE)
    built.write(first, "scale", 9)
    assert built.read(second, "scale", 1) == [5]


def test_a_program_from_its_binary(built):
    program = built.source(SOURCE)
    again = Program.from_binaries(built.context, [built.device], program.binaries())
    again.build()
    built.write(again, "scale", 3)
    built.run(again)
    assert built.read(again, "table", 4) == [3, 6, 9, 12]


def test_a_linked_program(built):
    parts = []
    for text in ("global int shared = 4; global int more = 1; kernel void k(void) { shared *= 10; }",
                 "extern global int shared; kernel void other(void) { shared += 1; }"):
        parts.append(Program(built.context, text))
        parts[-1].compile("-cl-std=CL3.0")
    program = link_program(built.context, None, "", parts)
    built.run(program)
    built.run(program, "other")
    assert built.read(program, "shared", 1) == [41]
    assert built.read(program, "more", 1) == [1]


def test_the_address_is_what_kernels_use(built):
    program = built.source(SOURCE)
    size, address = commands.get_device_global_variable_pointer(built.device, program, "table")
    assert size == 16
    found = np.zeros(4, "i4")
    usm.enqueue_memcpy(built.queue, True, found.ctypes.data, address, 16)
    assert found.tolist() == [1, 2, 3, 4]
    usm.enqueue_memcpy(built.queue, True, address, np.array([9], "i4").ctypes.data, 4)
    assert built.read(program, "table", 4) == [9, 2, 3, 4]


def test_commands_that_do_not_block(built):
    program, gate = built.source(SOURCE), UserEvent(built.context)
    given, found = np.array([6], "i4"), np.zeros(1, "i4")
    write = commands.enqueue_write_global_variable(built.queue, program, "scale", False, 0, given, (gate,))
    read = commands.enqueue_read_global_variable(built.queue, program, "scale", False, 0, found, (write,))
    assert write.get_info(codes.EVENT_COMMAND_TYPE) == codes.COMMAND_WRITE_GLOBAL_VARIABLE_INTEL
    assert read.get_info(codes.EVENT_COMMAND_TYPE) == codes.COMMAND_READ_GLOBAL_VARIABLE_INTEL
    gate.set_status(codes.COMPLETE)
    read.wait()
    assert found.tolist() == [6]


def test_errors(built):
    program, four = built.source(SOURCE), np.zeros(4, "i4")
    for enqueue in (commands.enqueue_read_global_variable, commands.enqueue_write_global_variable):
        for name in ("own", "fixed", "nothing", "k", ""):
            fails("INVALID_ARG_VALUE", enqueue, built.queue, program, name, True, 0, four)
        for offset in (4, -4):
            fails("INVALID_VALUE", enqueue, built.queue, program, "table", True, offset, four)
        fails("INVALID_PROGRAM_EXECUTABLE", enqueue, built.queue, Program(built.context, SOURCE), "table", True, 0, four)
        other = Built(built.device)
        fails("INVALID_CONTEXT", enqueue, other.queue, program, "table", True, 0, four)
        fails("INVALID_CONTEXT", enqueue, built.queue, program, "table", True, 0, four, (enqueue_marker(other.queue),))
        fails("INVALID_EVENT_WAIT_LIST", enqueue, built.queue, program, "table", True, 0, four, ("no event",))
        fails("INVALID_COMMAND_QUEUE", enqueue, None, program, "table", True, 0, four)
        fails("INVALID_PROGRAM", enqueue, built.queue, None, "table", True, 0, four)
        gate = UserEvent(built.context)
        gate.set_status(-5)
        fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", enqueue, built.queue, program, "table", True, 0, four, (gate,))
    fails("INVALID_ARG_VALUE", commands.get_device_global_variable_pointer, built.device, program, "own")
    fails("INVALID_PROGRAM_EXECUTABLE", commands.get_device_global_variable_pointer, built.device, Program(built.context, SOURCE), "table")


BODY = """%a = OpLoad %uint %exported
%b = OpLoad %uint %named
%c = OpLoad %uint %read_only
%d = OpLoad %uint %hidden
%ab = OpIAdd %uint %a %b
%cd = OpIAdd %uint %c %d
%sum = OpIAdd %uint %ab %cd
OpStore %exported %sum
OpReturn
OpFunctionEnd
"""
VARIABLES = """OpCapability GlobalVariableHostAccessINTEL
OpExtension "SPV_INTEL_global_variable_host_access"
OpDecorate %exported LinkageAttributes "shown" Export
OpDecorate %named HostAccessINTEL ReadWriteINTEL "a name with blanks"
OpDecorate %read_only HostAccessINTEL ReadINTEL "read"
OpDecorate %write_only HostAccessINTEL WriteINTEL "write"
%exported = OpVariable %global CrossWorkgroup %u1
%named = OpVariable %global CrossWorkgroup %u2
%read_only = OpVariable %global CrossWorkgroup %u3
%write_only = OpVariable %global CrossWorkgroup %u4
%hidden = OpVariable %global CrossWorkgroup %u5
"""


def test_variables_of_modules_have_the_names_that_those_say(built):
    """What is exported, and what SPV_INTEL_global_variable_host_access decorates."""
    program = built.module(assemble(whole(BODY, VARIABLES)))
    kernel = Kernel(program, "k")
    for index in range(2):
        kernel.set_arg(index, None)
    built.write(program, "a name with blanks", 200)
    enqueue_nd_range_kernel(built.queue, kernel, 1, None, (1,), (1,))
    assert built.read(program, "shown", 1) == [209]
    assert built.read(program, "read", 1) == [3]
    built.write(program, "write", 1)
    four = np.zeros(1, "i4")
    fails("INVALID_OPERATION", commands.enqueue_write_global_variable, built.queue, program, "read", True, 0, four)
    fails("INVALID_OPERATION", commands.enqueue_read_global_variable, built.queue, program, "write", True, 0, four)
    fails("INVALID_ARG_VALUE", commands.enqueue_read_global_variable, built.queue, program, "hidden", True, 0, four)
