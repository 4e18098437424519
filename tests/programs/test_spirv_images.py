"""Images in modules of SPIR-V, in assembly of our own: every kind read, sampled, written and asked for its sizes, on every real device."""

from __future__ import annotations

import numpy as np
import pytest
from support.image_model import Format
from support.image_objects import (
    IMAGE1D,
    IMAGE1D_ARRAY,
    IMAGE1D_BUFFER,
    IMAGE2D,
    IMAGE2D_ARRAY,
    IMAGE3D,
    R32F,
    SHAPES,
    Images,
)
from support.spirv_assembler import assemble
from support.spirv_modules import assembled, can_assemble

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.sampler import create_sampler
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes

# By type: SPIR-V's dimension, whether it is arrayed, the components of a coordinate, those of a size.
KINDS = {IMAGE1D: ("1D", 0, 1, 1), IMAGE1D_BUFFER: ("Buffer", 0, 1, 1), IMAGE1D_ARRAY: ("1D", 1, 2, 2), IMAGE2D: ("2D", 0, 2, 2),
         IMAGE2D_ARRAY: ("2D", 1, 3, 3), IMAGE3D: ("3D", 0, 4, 3)}
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{KINDS[kind][0]}{'Array' * KINDS[kind][1]}")
FORMATS = {"f": (Format("RGBA", "FLOAT"), "<f4"), "ui": (Format("RGBA", "UNSIGNED_INT32"), "<u4"), "i": (Format("RGBA", "SIGNED_INT8"), "<i4")}
RGBA32F = FORMATS["f"][0]

HEAD = """OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpCapability ImageBasic
OpCapability LiteralSampler
OpCapability Sampled1D
OpCapability Image1D
OpCapability SampledBuffer
OpCapability ImageBuffer
OpCapability ImageReadWrite
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "k" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%uint4 = OpTypeVector %uint 4
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%ulong3 = OpTypeVector %ulong 3
%to_input = OpTypePointer Input %ulong3
%gid = OpVariable %to_input Input
%to_uint = OpTypePointer CrossWorkgroup %uint
%to_uint4 = OpTypePointer CrossWorkgroup %uint4
%to_float4 = OpTypePointer CrossWorkgroup %float4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%l1 = OpConstant %ulong 1
%f0 = OpConstant %float 0
%half = OpConstant %float 0.5
%quarter = OpConstant %float 0.25
"""


def image_type(name: str, kind: int, access: str) -> str:
    dim, arrayed, _, _ = KINDS[kind]
    return f"%{name} = OpTypeImage %void {dim} 0 {arrayed} 0 0 Unknown {access}\n"


def coordinate(kind: int) -> str:
    """%at, of the work-item's numbers, and %i, its place in a tight array of SHAPES[kind]."""
    count = KINDS[kind][2]
    lines = ["%ids = OpLoad %ulong3 %gid"]
    for n in range(3):
        lines += [f"%id{n} = OpCompositeExtract %ulong %ids {n}", f"%x{n} = OpUConvert %uint %id{n}"]
    lines += ["%rows = OpIMul %uint %x2 %height", "%row = OpIAdd %uint %rows %x1", "%start = OpIMul %uint %row %width",
              "%i = OpIAdd %uint %start %x0"]
    parts = ["%x0", "%x1", "%x2", "%u0"][:count]
    lines.append("%at = OpCopyObject %uint %x0" if count == 1 else f"%at = OpCompositeConstruct %uint{count} {' '.join(parts)}")
    return "\n".join(lines) + "\n"


def sides(kind: int) -> str:
    width, height = (*SHAPES[kind][::-1], 1)[:2]
    return f"%width = OpConstant %uint {width}\n%height = OpConstant %uint {height if len(SHAPES[kind]) > 1 else 1}\n"


def function(parameters: str, body: str) -> str:
    types = [line.split()[-1] for line in parameters.splitlines()]
    return (f"%kernel = OpTypeFunction %void {' '.join(types)}\n%main = OpFunction %void None %kernel\n{parameters}\n%entry = OpLabel\n"
            f"{body}OpReturn\nOpFunctionEnd\n")


def module(text: str) -> bytes:
    """The module; where Khronos' assembler is installed, it takes the text, too."""
    if can_assemble():
        assembled(text, "spv1.2")
    return assemble(text)


@pytest.fixture
def images(real_device):
    return Images(real_device)


def built(images: Images, text: str) -> Kernel:
    program = Program.from_il(images.context, module(text))
    program.build()
    return Kernel(program, "k")


def launch(images: Images, kernel: Kernel, kind: int, *arguments: object) -> None:
    for index, value in enumerate(arguments):
        kernel.set_arg(index, value)
    size = (*SHAPES[kind][::-1], 1, 1)[:3]
    enqueue_nd_range_kernel(images.queue, kernel, 3, None, size, None)


def read(images: Images, buffer: Buffer, array: np.ndarray) -> np.ndarray:
    enqueue_read_buffer(images.queue, buffer, True, 0, array)
    return array


@each_kind
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("access", ["ReadOnly", "ReadWrite"])
def test_reads(images, kind, suffix, access):
    format, dtype = FORMATS[suffix]
    image, elements = images.filled(kind, format)
    texel = "float4" if suffix == "f" else "uint4"
    extend = " SignExtend" if suffix == "i" else ""
    text = HEAD + image_type("image", kind, access) + sides(kind) + function(
        f"%a = OpFunctionParameter %image\n%out = OpFunctionParameter %to_{texel}",
        coordinate(kind) + f"%t = OpImageRead %{texel} %a %at{extend}\n%o = OpInBoundsPtrAccessChain %to_{texel} %out %i\nOpStore %o %t\n")
    program = Program.from_il(images.context, assemble(text, (1, 4)))
    program.build()
    found = np.zeros((*SHAPES[kind], 4), dtype)
    out = Buffer(images.context, 0, found.nbytes)
    launch(images, Kernel(program, "k"), kind, image, out)
    assert (read(images, out, found) == elements.astype(dtype)).all()


@each_kind
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("access", ["WriteOnly", "ReadWrite"])
def test_writes(images, kind, suffix, access):
    """Without a sign in the instruction the image decides: integers with and without are written by one module."""
    format, dtype = FORMATS[suffix]
    image = images.create(kind, format)
    texel = "float4" if suffix == "f" else "uint4"
    elements = images.random(format, SHAPES[kind])
    given = Buffer(images.context, codes.MEM_COPY_HOST_PTR, elements.size * 4, np.ascontiguousarray(elements.astype(dtype)))
    text = HEAD + image_type("image", kind, access) + sides(kind) + function(
        f"%a = OpFunctionParameter %image\n%in = OpFunctionParameter %to_{texel}",
        coordinate(kind) + f"%p = OpInBoundsPtrAccessChain %to_{texel} %in %i\n%t = OpLoad %{texel} %p Aligned 16\nOpImageWrite %a %at %t\n")
    launch(images, built(images, text), kind, image, given)
    assert (images.read(image, elements) == elements).all()


SAMPLED = [kind for kind in KINDS if kind != IMAGE1D_BUFFER]


@pytest.mark.parametrize("kind", SAMPLED, ids=lambda kind: f"{KINDS[kind][0]}{'Array' * KINDS[kind][1]}")
@pytest.mark.parametrize("literal", [True, False])
def test_samples(images, kind, literal):
    """By a sampler of the module or of the kernel's arguments, with integer coordinates."""
    image, elements = images.filled(kind, RGBA32F)
    sampler = "%sampler_type = OpTypeSampler\n%sampled = OpTypeSampledImage %image\n"
    parameters = "%a = OpFunctionParameter %image\n%out = OpFunctionParameter %to_float4"
    if literal:
        sampler += "%sampler = OpConstantSampler %sampler_type None 0 Nearest\n"
    else:
        parameters += "\n%sampler = OpFunctionParameter %sampler_type"
    text = HEAD + image_type("image", kind, "ReadOnly") + sampler + sides(kind) + function(
        parameters, coordinate(kind) + "%both = OpSampledImage %sampled %a %sampler\n"
        "%t = OpImageSampleExplicitLod %float4 %both %at Lod %f0\n"
        "%o = OpInBoundsPtrAccessChain %to_float4 %out %i\nOpStore %o %t\n")
    found = np.zeros((*SHAPES[kind], 4), "<f4")
    out = Buffer(images.context, 0, found.nbytes)
    more = () if literal else (create_sampler(images.context, False, codes.ADDRESS_NONE, codes.FILTER_NEAREST),)
    launch(images, built(images, text), kind, image, out, *more)
    assert (read(images, out, found) == elements).all()


def test_samples_between_elements(images):
    """Linear filtering, normalized coordinates: a quarter and a half into four elements lie between two of them each."""
    image = images.create(IMAGE2D, R32F, (1, 4))
    images.write(image, np.array([[[8.0], [16.0], [32.0], [64.0]]], "<f4"))
    text = HEAD + image_type("image", IMAGE2D, "ReadOnly") + (
        "%sampler_type = OpTypeSampler\n%sampled = OpTypeSampledImage %image\n"
        "%sampler = OpConstantSampler %sampler_type ClampToEdge 1 Linear\n") + function(
        "%a = OpFunctionParameter %image\n%out = OpFunctionParameter %to_float4",
        "%both = OpSampledImage %sampled %a %sampler\n"
        "%p0 = OpCompositeConstruct %float2 %quarter %half\n%t0 = OpImageSampleExplicitLod %float4 %both %p0 Lod %f0\nOpStore %out %t0\n"
        "%p1 = OpCompositeConstruct %float2 %half %half\n%t1 = OpImageSampleExplicitLod %float4 %both %p1 Lod %f0\n"
        "%o = OpInBoundsPtrAccessChain %to_float4 %out %l1\nOpStore %o %t1\n")
    kernel, out = built(images, text), Buffer(images.context, 0, 32)
    kernel.set_arg(0, image)
    kernel.set_arg(1, out)
    enqueue_nd_range_kernel(images.queue, kernel, 1, None, (1,), (1,))
    assert read(images, out, np.zeros((2, 4), "<f4")).tolist() == [[12.0, 0.0, 0.0, 1.0], [24.0, 0.0, 0.0, 1.0]]


@each_kind
def test_queries(images, kind):
    """Sizes, and SPIR-V's numbers of the format and the order of channels, which count from 0."""
    count = KINDS[kind][3]
    image = images.create(kind, FORMATS["ui"][0])
    type = "uint" if count == 1 else f"uint{count}"
    size = "OpImageQuerySize %" + type + " %a" if kind == IMAGE1D_BUFFER else f"OpImageQuerySizeLod %{type} %a %u0"
    body = f"%size = {size}\n"
    for n in range(count):
        body += f"%s{n} = OpCopyObject %uint %size\n" if count == 1 else f"%s{n} = OpCompositeExtract %uint %size {n}\n"
        body += f"%o{n} = OpInBoundsPtrAccessChain %to_uint %out %u{n}\nOpStore %o{n} %s{n}\n"
    body += ("%format = OpImageQueryFormat %uint %a\n%of = OpInBoundsPtrAccessChain %to_uint %out %u3\nOpStore %of %format\n"
             "%order = OpImageQueryOrder %uint %a\n%oo = OpInBoundsPtrAccessChain %to_uint %out %u4\nOpStore %oo %order\n")
    text = HEAD + image_type("image", kind, "ReadOnly") + function(
        "%a = OpFunctionParameter %image\n%out = OpFunctionParameter %to_uint", body)
    kernel, out = built(images, text), Buffer(images.context, codes.MEM_COPY_HOST_PTR, 20, np.zeros(5, "<u4"))
    kernel.set_arg(0, image)
    kernel.set_arg(1, out)
    enqueue_nd_range_kernel(images.queue, kernel, 1, None, (1,), (1,))
    expected = [*SHAPES[kind][::-1], 0, 0][:3]
    unsigned_int32, rgba = 0x10DC - 0x10D0, 0x10B5 - 0x10B0
    assert read(images, out, np.zeros(5, "<u4")).tolist() == [*expected, unsigned_int32, rgba]
