"""Pipes in modules of SPIR-V, in assembly of our own: packets alone, by reservations of a work-item and of a work-group, and queries."""

from __future__ import annotations

import numpy as np
import pytest
from support.spirv_assembler import assemble
from support.spirv_modules import assembled, can_assemble

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.pipe import Pipe
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

HEAD = """OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpCapability Pipes
OpCapability Groups
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %put "put" %gid
OpEntryPoint Kernel %get "get" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%ulong3 = OpTypeVector %ulong 3
%writer = OpTypePipe WriteOnly
%reader = OpTypePipe ReadOnly
%reserved = OpTypeReserveId
%to_input = OpTypePointer Input %ulong3
%global = OpTypePointer CrossWorkgroup %uint
%private = OpTypePointer Function %uint
%put_type = OpTypeFunction %void %writer %global
%get_type = OpTypeFunction %void %reader %global
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u4 = OpConstant %uint 4
%u8 = OpConstant %uint 8
%u100 = OpConstant %uint 100
%l8 = OpConstant %ulong 8
%l9 = OpConstant %ulong 9
%gid = OpVariable %to_input Input
"""
PUT = """%put = OpFunction %void None %put_type
%p = OpFunctionParameter %writer
%o = OpFunctionParameter %global
%entry = OpLabel
%packet = OpVariable %private Function
%ids = OpLoad %ulong3 %gid
%x = OpCompositeExtract %ulong %ids 0
%x32 = OpUConvert %uint %x
%value = OpIAdd %uint %x32 %u100
OpStore %packet %value
"""
GET = """%get = OpFunction %void None %get_type
%q = OpFunctionParameter %reader
%out = OpFunctionParameter %global
%start = OpLabel
%ids2 = OpLoad %ulong3 %gid
%y = OpCompositeExtract %ulong %ids2 0
%y32 = OpUConvert %uint %y
%place = OpInBoundsPtrAccessChain %global %out %y
"""
END = "OpReturn\nOpFunctionEnd\n"
# Bodies of the writing and of the reading kernel.
WAYS = {
    "packets": ("%done = OpWritePipe %uint %p %packet %u4 %u4\n",
                "%got = OpReadPipe %uint %q %place %u4 %u4\n"),
    "reservations": ("""%id = OpReserveWritePipePackets %reserved %p %u1 %u4 %u4
%done = OpReservedWritePipe %uint %p %id %u0 %packet %u4 %u4
OpCommitWritePipe %p %id %u4 %u4
""", """%rid = OpReserveReadPipePackets %reserved %q %u1 %u4 %u4
%got = OpReservedReadPipe %uint %q %rid %u0 %place %u4 %u4
OpCommitReadPipe %q %rid %u4 %u4
"""),
    "reservations of a work-group": ("""%id = OpGroupReserveWritePipePackets %reserved %u2 %p %u8 %u4 %u4
%done = OpReservedWritePipe %uint %p %id %x32 %packet %u4 %u4
OpGroupCommitWritePipe %u2 %p %id %u4 %u4
""", """%rid = OpGroupReserveReadPipePackets %reserved %u2 %q %u8 %u4 %u4
%got = OpReservedReadPipe %uint %q %rid %y32 %place %u4 %u4
OpGroupCommitReadPipe %u2 %q %rid %u4 %u4
"""),
}


class Bench:
    def __init__(self, device, text):
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)
        if can_assemble():
            assembled(text, "spv1.2")
        self.program = Program.from_il(self.context, assemble(text))
        self.program.build()
        self.pipe = Pipe(self.context, 0, 4, 16)
        self.out = Buffer(self.context, codes.MEM_COPY_HOST_PTR, 64, np.zeros(16, "<u4"))

    def run(self, name, size):
        kernel = Kernel(self.program, name)
        kernel.set_arg(0, self.pipe)
        kernel.set_arg(1, self.out)
        enqueue_nd_range_kernel(self.queue, kernel, 1, None, (size,), (size,))
        found = np.zeros(16, "<u4")
        enqueue_read_buffer(self.queue, self.out, True, 0, found)
        return found.tolist()


@pytest.mark.parametrize("way", WAYS)
def test_packets_arrive(real_device, way):
    put, get = WAYS[way]
    bench = Bench(real_device, HEAD + PUT + put + END + GET + get + END)
    bench.run("put", 8)
    assert sorted(bench.run("get", 8)[:8]) == list(range(100, 108))


def test_queries_and_reservations_that_do_not_fit(real_device):
    """The number of packets, how many there may be, and whether reservations are valid."""
    put = WAYS["packets"][0]
    get = """%many = OpReserveReadPipePackets %reserved %q %u100 %u4 %u4
%few = OpReserveReadPipePackets %reserved %q %u1 %u4 %u4
%wrong = OpIsValidReserveId %bool %many
%right = OpIsValidReserveId %bool %few
%got = OpReservedReadPipe %uint %q %few %u0 %place %u4 %u4
OpCommitReadPipe %q %few %u4 %u4
%rest = OpGetNumPipePackets %uint %q %u4 %u4
%most = OpGetMaxPipePackets %uint %q %u4 %u4
%both = OpLogicalEqual %bool %wrong %right
%n_right = OpSelect %uint %right %u1 %u0
%n_both = OpSelect %uint %both %u8 %u4
%valid = OpIAdd %uint %n_right %n_both
%o8 = OpInBoundsPtrAccessChain %global %out %l8
OpStore %o8 %most
%o9 = OpInBoundsPtrAccessChain %global %out %l9
OpStore %o9 %valid
"""
    bench = Bench(real_device, HEAD + PUT + put + END + GET + get + END)
    bench.run("put", 8)
    found = bench.run("get", 1)
    assert found[0] in range(100, 108) and found[8:10] == [16, 5]
