"""Device-side enqueue in modules of SPIR-V, in assembly of our own: ND-ranges of all dimensions, local memory, events, queries. What
clang and llvm-spirv make of OpenCL C's tests is in test_through_spirv."""

from __future__ import annotations

import numpy as np
import pytest
from support.cuda_programs import compile_for_cuda
from support.spirv_assembler import assemble

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import CompileError, parse_options, translate_il

ON_DEVICE = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_ON_DEVICE_DEFAULT | codes.QUEUE_PROFILING_ENABLE

HEAD = """OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int64
OpCapability GenericPointer
OpCapability DeviceEnqueue
OpCapability SubgroupDispatch
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %gid %lid
OpEntryPoint Kernel %note_kernel "note_kernel" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %lid BuiltIn LocalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%ulong3 = OpTypeVector %ulong 3
%l0 = OpConstant %ulong 0
%l1 = OpConstant %ulong 1
%l2 = OpConstant %ulong 2
%l3 = OpConstant %ulong 3
%l4 = OpConstant %ulong 4
%l5 = OpConstant %ulong 5
%l7 = OpConstant %ulong 7
%l8 = OpConstant %ulong 8
%l10 = OpConstant %ulong 10
%l100 = OpConstant %ulong 100
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u8 = OpConstant %uint 8
%u16 = OpConstant %uint 16
%u32 = OpConstant %uint 32
%u99999 = OpConstant %uint 99999
%two = OpTypeArray %ulong %l2
%three = OpTypeArray %ulong %l3
%range_type = OpTypeStruct %uint %three %three %three
%queue_type = OpTypeQueue
%event = OpTypeDeviceEvent
%to_input = OpTypePointer Input %ulong3
%global = OpTypePointer CrossWorkgroup %uint
%global_byte = OpTypePointer CrossWorkgroup %uchar
%to_global = OpTypePointer Function %global
%generic_byte = OpTypePointer Generic %uchar
%private_byte = OpTypePointer Function %uchar
%generic_global = OpTypePointer Generic %global
%local = OpTypePointer Workgroup %uint
%to_event = OpTypePointer Function %event
%generic_event = OpTypePointer Generic %event
%kernel_type = OpTypeFunction %void %global
%note_type = OpTypeFunction %void %generic_byte
%locals_type = OpTypeFunction %void %generic_byte %local %local
%no_events = OpConstantNull %generic_event
%o2 = OpConstantComposite %two %l1 %l2
%g2 = OpConstantComposite %two %l4 %l3
%s2 = OpConstantComposite %two %l2 %l3
%z2 = OpConstantNull %two
%o3 = OpConstantComposite %three %l1 %l2 %l3
%g3 = OpConstantComposite %three %l4 %l3 %l2
%s3 = OpConstantComposite %three %l2 %l3 %l1
%gid = OpVariable %to_input Input
%lid = OpVariable %to_input Input
%own = OpVariable %local Workgroup
"""
# Adds 1 + x + 10 y + 100 z of every work-item.
NOTE = """%note = OpFunction %void None %note_type
%a = OpFunctionParameter %generic_byte
%a_entry = OpLabel
%a_bytes = OpBitcast %generic_global %a
%a_out = OpLoad %global %a_bytes
%ids = OpLoad %ulong3 %gid
%x = OpCompositeExtract %ulong %ids 0
%y = OpCompositeExtract %ulong %ids 1
%z = OpCompositeExtract %ulong %ids 2
%ty = OpIMul %ulong %y %l10
%tz = OpIMul %ulong %z %l100
%xy = OpIAdd %ulong %x %ty
%xyz = OpIAdd %ulong %xy %tz
%sum = OpIAdd %ulong %xyz %l1
%sum32 = OpUConvert %uint %sum
%before = OpAtomicIAdd %uint %a_out %u1 %u0 %sum32
OpReturn
OpFunctionEnd
%note_kernel = OpFunction %void None %note_type
%na = OpFunctionParameter %generic_byte
%na_entry = OpLabel
%na_call = OpFunctionCall %void %note %na
OpReturn
OpFunctionEnd
"""
# Work-item i writes what the one at the other end has put into three pieces of local memory: 100 + i, 2 i, and i.
LOCALS = """%locals = OpFunction %void None %locals_type
%b = OpFunctionParameter %generic_byte
%one = OpFunctionParameter %local
%other = OpFunctionParameter %local
%b_entry = OpLabel
%b_bytes = OpBitcast %generic_global %b
%b_out = OpLoad %global %b_bytes
%lids = OpLoad %ulong3 %lid
%i = OpCompositeExtract %ulong %lids 0
%i32 = OpUConvert %uint %i
%at_one = OpPtrAccessChain %local %one %i
%at_other = OpPtrAccessChain %local %other %i
%more = OpIAdd %uint %i32 %u99999
%twice = OpIMul %uint %i32 %u2
OpStore %at_one %more
OpStore %at_other %twice
OpStore %own %u16
OpControlBarrier %u2 %u2 %u272
%away = OpISub %ulong %l7 %i
%from_one = OpPtrAccessChain %local %one %away
%from_other = OpPtrAccessChain %local %other %away
%p = OpLoad %uint %from_one
%q = OpLoad %uint %from_other
%s = OpLoad %uint %own
%pq = OpIAdd %uint %p %q
%pqs = OpIAdd %uint %pq %s
%place = OpPtrAccessChain %global %b_out %i
OpStore %place %pqs
OpReturn
OpFunctionEnd
"""
START = """%k = OpFunction %void None %kernel_type
%out = OpFunctionParameter %global
%entry = OpLabel
%bytes = OpVariable %to_global Function
%first = OpVariable %to_event Function
%second = OpVariable %to_event Function
%bytes8 = OpBitcast %private_byte %bytes
%param = OpPtrCastToGeneric %generic_byte %bytes8
%queue = OpGetDefaultQueue %queue_type
"""
END = "OpReturn\nOpFunctionEnd\n"


def module(body: str) -> bytes:
    head = HEAD.replace("%two =", "%u272 = OpConstant %uint 272\n%two =")
    return assemble(head + NOTE + LOCALS + START + body + END)


def enqueued(number: int, range: str, events: str = "%u0 %no_events %no_events", invoke: str = "%note", sizes: str = "") -> str:
    """Its output begins at out[number], which is stored in `bytes`."""
    return (f"%at{number} = OpPtrAccessChain %global %out {place(number)}\nOpStore %bytes %at{number}\n"
            f"%range{number} = OpBuildNDRange %range_type {range}\n"
            f"%done{number} = OpEnqueueKernel %uint %queue %u1 %range{number} {events} {invoke} %param %u8 %u8 {sizes}\n")


def place(number: int) -> str:
    return f"%l{number}"


def execute(device, body: str, size: int = 32) -> np.ndarray:
    context = Context([device])
    queue = create_command_queue(context, device, codes.QUEUE_PROFILING_ENABLE)
    default = create_command_queue(context, device, [(codes.QUEUE_PROPERTIES, ON_DEVICE)])
    program = Program.from_il(context, module(body))
    program.build()
    assert program.kernel_names == ("k",)
    kernel, out = Kernel(program, "k"), np.zeros(size, np.uint32)
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, out.nbytes, out)
    kernel.set_arg(0, buffer)
    event = enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
    enqueue_read_buffer(queue, buffer, True, 0, out, (event,))
    assert default.device is device
    return out


def total(offset: tuple[int, ...], size: tuple[int, ...]) -> int:
    return sum(1 + sum(10**d * (o + i) for d, (o, i) in enumerate(zip(offset, index, strict=True))) for index in np.ndindex(*size))


# Global size, local size, offset.
RANGES = {
    "%l7 %l0 %l0": ((0,), (7,)), "%l8 %l4 %l0": ((0,), (8,)), "%l7 %l3 %l5": ((5,), (7,)),
    "%g2 %z2 %z2": ((0, 0), (4, 3)), "%g2 %s2 %o2": ((1, 2), (4, 3)), "%g3 %s3 %o3": ((1, 2, 3), (4, 3, 2)),
}  # fmt: skip
BODIES = {
    "ranges": "".join(enqueued(number, range) for number, range in zip((0, 1, 2, 3, 4, 5), RANGES, strict=True)),
    "local_memory": enqueued(0, "%l8 %l8 %l0", invoke="%locals", sizes="%u32 %u32"),
    "events": """%gate = OpCreateUserEvent %event
OpStore %second %gate
%wait = OpPtrCastToGeneric %generic_event %second
%made = OpPtrCastToGeneric %generic_event %first
""" + enqueued(0, "%l4 %l0 %l0", "%u1 %wait %made") + """%marked = OpEnqueueMarker %uint %queue %u1 %made %wait
%e = OpLoad %event %first
OpRetainEvent %e
OpReleaseEvent %e
%valid = OpIsValidEvent %bool %e
%told = OpSelect %uint %valid %u1 %u2
%at_told = OpPtrAccessChain %global %out %l1
OpStore %at_told %told
%times = OpPtrAccessChain %global %out %l8
%times8 = OpBitcast %global_byte %times
OpCaptureEventProfilingInfo %e %u1 %times8
OpReleaseEvent %e
OpSetUserEventStatus %gate %u0
OpReleaseEvent %gate
""",
    "queries": "%range = OpBuildNDRange %range_type %l100 %l10 %l0\n" + "".join(
        f"%q{number} = {what} %param %u8 %u8\n%at_q{number} = OpPtrAccessChain %global %out {place(number)}\nOpStore %at_q{number} %q{number}\n"
        for number, what in zip((0, 1, 2, 3, 4, 5, 7, 8), (
            "OpGetKernelWorkGroupSize %uint %note", "OpGetKernelPreferredWorkGroupSizeMultiple %uint %note",
            "OpGetKernelNDrangeSubGroupCount %uint %range %note", "OpGetKernelNDrangeMaxSubGroupSize %uint %range %note",
            "OpGetKernelMaxNumSubgroups %uint %note", "OpGetKernelLocalSizeForSubgroupCount %uint %u2 %note",
            "OpGetKernelLocalSizeForSubgroupCount %uint %u99999 %note", "OpGetKernelWorkGroupSize %uint %locals"), strict=True)),
}


def test_nd_ranges(real_device):
    assert execute(real_device, BODIES["ranges"])[:6].tolist() == [total(*each) for each in RANGES.values()]


def test_local_memory(real_device):
    away = 7 - np.arange(8)
    assert execute(real_device, BODIES["local_memory"])[:8].tolist() == (99999 + away + 2 * away + 16).tolist()


def test_events(real_device):
    out = execute(real_device, BODIES["events"])
    assert out[:2].tolist() == [total((0,), (4,)), 1]
    run, complete = out[8:12].view(np.uint64)
    assert 0 < run <= complete


def test_queries(real_device):
    most, multiple, count, of_range, sub_groups, size, none, of_locals = execute(real_device, BODIES["queries"])[[0, 1, 2, 3, 4, 5, 7, 8]].tolist()
    assert most >= of_locals > 0 and multiple == 32
    assert (count, of_range) == (1, 32)
    assert (sub_groups, size, none) == (most // 32, 64, 0)


@pytest.mark.parametrize("name", BODIES)
def test_nvrtc_compiles(compiler, name):
    compile_for_cuda(translate_il(module(BODIES[name])), "sm_90", flags(parse_options(""), compiler.version), compiler)


@pytest.mark.parametrize("type", ["OpTypeSampler", "OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly"])
def test_images_and_samplers_cannot_be_captured(type):
    text = (HEAD + NOTE + LOCALS + START + END).replace("%two =", f"%object = {type}\n%captures = OpTypeStruct %global %object\n%two =")
    text = text.replace("%global = OpTypePointer CrossWorkgroup %uint\n", "")
    text = text.replace("%object =", "%global = OpTypePointer CrossWorkgroup %uint\n%object =", 1)
    with pytest.raises(CompileError) as caught:
        translate_il(assemble(text.replace("OpCapability DeviceEnqueue", "OpCapability DeviceEnqueue\nOpCapability ImageBasic")))
    assert "that an enqueued function captures is not offered" in str(caught.value)


@pytest.mark.parametrize("body, message", [
    (enqueued(0, "%l8 %l8 %l0", invoke="%locals", sizes="%u32"), "it gives 1 sizes of local memory, the function has 2"),
    (enqueued(0, "%l8 %z2 %l0"), "not all of the same number of dimensions"),
    (enqueued(0, "%u8 %u8 %own"), "sizes of an ND-range are an integer or an array of two or three"),
    (enqueued(0, "%l8 %l0 %l0", invoke="%k"), "'k' is not like this"),
    (enqueued(0, "%l8 %l0 %l0").replace("%queue %u1", "%u1 %u1"), "its queue is a 'uint'"),
    (enqueued(0, "%l8 %l0 %l0", "%u0 %u0 %no_events"), "its events are a 'uint'"),
    (enqueued(0, "%l8 %l0 %l0").replace("%param %u8 %u8", "%param %u8 %u99999"), "8 bytes, aligned to 99999"),
])
def test_what_is_wrong_is_told(body, message):
    with pytest.raises(CompileError) as caught:
        translate_il(module(body))
    assert message in str(caught.value)
