"""Media block reads and writes (cl_intel_media_block_io, SPV_INTEL_media_block_io) on each real device, from OpenCL C and from SPIR-V."""

from __future__ import annotations

import numpy as np
import pytest
from support.cuda_programs import compile_for_cuda
from support.image_model import Format
from support.image_objects import IMAGE2D, Images
from support.spirv_assembler import assemble

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import parse_options, translate, translate_il

WIDTH, HEIGHT = 20, 9
FORMATS = [Format("R", "UNSIGNED_INT8"), Format("R", "UNSIGNED_INT16"), Format("RGBA", "UNORM_INT8"), Format("R", "UNSIGNED_INT32")]
PARTS = {"uc": "uchar", "us": "ushort", "ui": "uint"}
DTYPES = {"uc": np.dtype("u1"), "us": np.dtype("<u2"), "ui": np.dtype("<u4")}
# Suffix, components, size of the sub-groups, and the region: its width in elements, and its height.
BLOCKS = [("ui", 4, 8, 8, 4), ("ui", 2, 8, 3, 4), ("ui", 1, 16, 1, 16), ("us", 2, 16, 4, 8), ("us", 4, 8, 6, 3), ("uc", 4, 16, 16, 4),
          ("uc", 8, 32, 32, 8), ("uc", 16, 8, 12, 8), ("ui", 8, 32, 8, 8)]
COORDS = np.array([(0, 0), (8, 2), (-8, -1), (16, 6), (12, 1), (400, 20), (-4, 3)], np.int32)
each_block = pytest.mark.parametrize("block", BLOCKS, ids=lambda b: f"{b[0]}{b[1]}-{b[2]}-{b[3]}x{b[4]}")


def expected(rows: np.ndarray, texel: int, dtype: np.dtype, x: int, y: int) -> int | None:
    """The element at a byte and a row of the image; beyond its edges the nearest of the image's own elements, where that is defined."""
    size = dtype.itemsize
    y = min(max(y, 0), HEIGHT - 1)
    if (x < 0 or x + size > rows.shape[1]) and texel > size:
        return None
    at = [b if 0 <= b < rows.shape[1] else (b % texel if b < 0 else rows.shape[1] - texel + b % texel) for b in range(x, x + size)]
    return int(rows[y, at].copy().view(dtype)[0])


def region(block, x: int, y: int):
    """(lane, component) and the byte and row of each element of the region, as far as the sub-group has elements for it."""
    suffix, components, size, width, height = block
    pitch = 1 << (width - 1).bit_length()
    for row in range(height):
        for column in range(width):
            place = row * pitch + column
            if place < size * components:
                yield place % size, place // size, x + column * DTYPES[suffix].itemsize, y + row


def vector(block) -> str:
    return PARTS[block[0]] + (str(block[1]) if block[1] > 1 else "")


def reading(block) -> str:
    suffix, components, size, width, height = block
    n = components if components > 1 else ""
    return f"""__attribute__((intel_reqd_sub_group_size({size})))
    kernel void f(read_only image2d_t image, global int2 *coords, global {vector(block)} *out) {{
        for (int k = 0; k < {len(COORDS)}; k++)
            out[k * {size} + get_global_id(0)] = intel_sub_group_media_block_read_{suffix}{n}(coords[k], {width}, {height}, image);
    }}"""


def writing(block) -> str:
    suffix, components, size, width, height = block
    n = components if components > 1 else ""
    return f"""__attribute__((intel_reqd_sub_group_size({size})))
    kernel void f(write_only image2d_t image, global int2 *coords, global {vector(block)} *data) {{
        for (int k = 0; k < {len(COORDS)}; k++) {{
            intel_sub_group_media_block_write_{suffix}{n}(coords[k], {width}, {height}, data[k * {size} + get_global_id(0)], image);
            barrier(CLK_GLOBAL_MEM_FENCE);
        }}
    }}"""


def module(block, reads: bool) -> bytes:
    """The same in assembly, for the first of the coordinates that are given."""
    suffix, components, size, width, height = block
    bits = DTYPES[suffix].itemsize * 8
    scalar = f"%element = OpTypeInt {bits} 0" if bits < 32 else ""
    type = "%element" if components == 1 else "%data"
    text = f"""OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Vector16
OpCapability ImageBasic
OpCapability SubgroupDispatch
OpCapability SubgroupImageMediaBlockIOINTEL
OpExtension "SPV_INTEL_media_block_io"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "f" %gid
OpExecutionMode %main SubgroupSize {size}
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
{scalar}
%uint2 = OpTypeVector %uint 2
%ulong3 = OpTypeVector %ulong 3
{'%data = OpTypeVector %element ' + str(components) if components > 1 else ''}
%image = OpTypeImage %void 2D 0 0 0 0 Unknown {'ReadOnly' if reads else 'WriteOnly'}
%to_input = OpTypePointer Input %ulong3
%to_coord = OpTypePointer CrossWorkgroup %uint2
%to_data = OpTypePointer CrossWorkgroup {type}
%kernel = OpTypeFunction %void %image %to_coord %to_data
%width = OpConstant %uint {width}
%height = OpConstant %uint {height}
%gid = OpVariable %to_input Input
%main = OpFunction %void None %kernel
%a = OpFunctionParameter %image
%coords = OpFunctionParameter %to_coord
%p = OpFunctionParameter %to_data
%entry = OpLabel
%ids = OpLoad %ulong3 %gid
%x = OpCompositeExtract %ulong %ids 0
%at = OpLoad %uint2 %coords Aligned 8
%place = OpInBoundsPtrAccessChain %to_data %p %x
{'%v = OpSubgroupImageMediaBlockReadINTEL ' + type + ' %a %at %width %height' if reads else '%v = OpLoad ' + type + ' %place Aligned 1'}
{'OpStore %place %v' if reads else 'OpSubgroupImageMediaBlockWriteINTEL %a %at %width %height %v'}
OpReturn
OpFunctionEnd
"""
    return assemble(text if bits < 32 else text.replace("%element", "%uint"))


@pytest.fixture
def images(real_device):
    return Images(real_device)


def launch(images: Images, kernel: Kernel, size: int, *arguments: object) -> None:
    for index, value in enumerate(arguments):
        kernel.set_arg(index, value)
    enqueue_nd_range_kernel(images.queue, kernel, 1, None, (size,), (size,))


def check_read(block, format: Format, elements: np.ndarray, coords: np.ndarray, out: np.ndarray) -> None:
    rows = np.ascontiguousarray(elements).view(np.uint8).reshape(HEIGHT, -1)
    for k, (x, y) in enumerate(coords):
        for lane, component, byte, row in region(block, int(x), int(y)):
            wanted = expected(rows, format.element.itemsize, DTYPES[block[0]], byte, row)
            assert wanted is None or out[k, lane, component] == wanted, (str(format), k, lane, component)


@each_block
def test_reads(images, block):
    size, dtype = block[2], DTYPES[block[0]]
    kernel = images.kernel(reading(block))
    coords = Buffer(images.context, codes.MEM_COPY_HOST_PTR, COORDS.nbytes, COORDS)
    for format in FORMATS:
        image, elements = images.filled(IMAGE2D, format, shape=(HEIGHT, WIDTH))
        out = np.zeros((len(COORDS), size, block[1]), dtype)
        buffer = Buffer(images.context, 0, out.nbytes)
        launch(images, kernel, size, image, coords, buffer)
        enqueue_read_buffer(images.queue, buffer, True, 0, out)
        check_read(block, format, elements, COORDS, out)


@each_block
def test_writes(images, block):
    size, dtype = block[2], DTYPES[block[0]]
    kernel = images.kernel(writing(block))
    coords = Buffer(images.context, codes.MEM_COPY_HOST_PTR, COORDS.nbytes, COORDS)
    for format in FORMATS:
        image, elements = images.filled(IMAGE2D, format, shape=(HEIGHT, WIDTH))
        data = np.random.default_rng(size).integers(0, 256, (len(COORDS), size, block[1] * dtype.itemsize), np.uint8).view(dtype)
        launch(images, kernel, size, image, coords, Buffer(images.context, codes.MEM_COPY_HOST_PTR, data.nbytes, data))
        rows = np.ascontiguousarray(elements).view(np.uint8).reshape(HEIGHT, -1)
        for k, (x, y) in enumerate(COORDS):
            for lane, component, byte, row in region(block, int(x), int(y)):
                if 0 <= byte < rows.shape[1] and 0 <= row < HEIGHT:
                    rows[row, byte : byte + dtype.itemsize] = data[k, lane, component : component + 1].view(np.uint8)
        found = np.ascontiguousarray(images.read(image, elements)).view(np.uint8).reshape(HEIGHT, -1)
        assert (found == rows).all(), str(format)


@each_block
@pytest.mark.parametrize("reads", [True, False], ids=["read", "write"])
def test_modules(images, block, reads):
    """SPV_INTEL_media_block_io's instructions (cl_intel_spirv_media_block_io) do what the functions do."""
    size, dtype = block[2], DTYPES[block[0]]
    program = Program.from_il(images.context, module(block, reads))
    program.build()
    coords = np.array([(4, 1)], np.int32)
    given = np.random.default_rng(3).integers(0, 256, (1, size, block[1] * dtype.itemsize), np.uint8).view(dtype)
    format = FORMATS[2]
    image, elements = images.filled(IMAGE2D, format, shape=(HEIGHT, WIDTH))
    buffer = Buffer(images.context, codes.MEM_COPY_HOST_PTR, given.nbytes, given)
    launch(images, Kernel(program, "f"), size, image, Buffer(images.context, codes.MEM_COPY_HOST_PTR, coords.nbytes, coords), buffer)
    rows = np.ascontiguousarray(elements).view(np.uint8).reshape(HEIGHT, -1).copy()
    if reads:
        enqueue_read_buffer(images.queue, buffer, True, 0, given)
        check_read(block, format, elements, coords, given)
        return
    for lane, component, byte, row in region(block, 4, 1):
        if byte + dtype.itemsize <= rows.shape[1] and row < HEIGHT:
            rows[row, byte : byte + dtype.itemsize] = given[0, lane, component : component + 1].view(np.uint8)
    assert (np.ascontiguousarray(images.read(image, elements)).view(np.uint8).reshape(HEIGHT, -1) == rows).all()


@each_block
def test_nvrtc_compiles(compiler, block):
    options = parse_options("-cl-std=CL3.0")
    for translation in (translate(reading(block), options), translate(writing(block), options), translate_il(module(block, True)),
                        translate_il(module(block, False))):
        compile_for_cuda(translation, "sm_90", flags(options, compiler.version), compiler)
