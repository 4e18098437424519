"""Images that kernels write, one format after another: whose code a launch takes depends on the formats of its images, however it is made."""

from __future__ import annotations

import numpy as np
import pytest
from support import image_model as model
from support.image_model import Format
from support.image_objects import IMAGE1D_BUFFER, IMAGE2D, IMAGE2D_ARRAY, IMAGE3D, NAMES, SHAPES, Images, region_of
from support.recorded import MUTABLE

from cl2cuda.runtime.command_buffer import recording
from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
from cl2cuda.runtime.command_buffer.mutable_dispatch import DispatchConfig, update_mutable_commands
from cl2cuda.runtime.commands.image import enqueue_fill_image
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes

RGBA8, BGRA8, SRGBA8, SBGRA8, ABGR8 = (Format(order, "UNORM_INT8") for order in ("RGBA", "BGRA", "sRGBA", "sBGRA", "ABGR"))
# Those that CUDA's usual code writes, those that other code does, and these in turns.
FORMATS = [RGBA8, BGRA8, SRGBA8, Format("R", "HALF_FLOAT"), SBGRA8, Format("RG", "SNORM_INT16"), ABGR8, Format("RGBA", "SNORM_INT8"), BGRA8,
           Format("RGBA", "FLOAT"), Format("BGRA", "SNORM_INT8"), Format("R", "UNORM_INT16"), SRGBA8, RGBA8]
WIDTH, HEIGHT = 13, 6
PLACE = "int2 p = (int2)(get_global_id(0), get_global_id(1)); int i = p.y * 13 + p.x;"
SOURCE = f"""
kernel void put(write_only image2d_t image, global float4 *in) {{ {PLACE} write_imagef(image, p, in[i]); }}
kernel void put_and_get(read_write image2d_t image, global float4 *in) {{
    {PLACE} write_imagef(image, p, in[i]); atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    in[i] = read_imagef(image, p); }}
kernel void copy(read_only image2d_t from, write_only image2d_t image) {{ {PLACE} write_imagef(image, p, read_imagef(from, p)); }}
kernel void both(write_only image2d_t image, write_only image2d_t other, global float4 *in) {{
    {PLACE} write_imagef(image, p, in[i]); write_imagef(other, p, in[i].wzyx); }}
"""


@pytest.fixture
def images(real_device):
    return Images(real_device)


def colors(images: Images) -> np.ndarray:
    """Inside and outside of what formats hold, halves of their steps, and what is no number."""
    found = images.rng.uniform(-1.5, 1.5, (HEIGHT, WIDTH, 4)).astype(np.float32)
    steps = [n / one for one in (255, 127, 65535, 32767) for n in (0.5, 1.5, -0.5, -1.5, one - 0.5, one + 0.5, -one - 0.5)]
    far = [0.0, -0.0, 1.0, -1.0, 1e-30, 70000.0, -70000.0, 1e20, -1e20, np.inf, -np.inf, np.nan]
    special = np.array([*steps, *far], np.float32)
    found.reshape(-1)[: 4 * len(special)] = np.tile(special, 4)
    return found


def elements_of(color: np.ndarray, format: Format) -> np.ndarray:
    """8.3.1.3: a saturated conversion of NaN is 0."""
    is_float = format.element.base.kind == "f"
    with np.errstate(over="ignore"):
        return model.elements_of(color if is_float else np.nan_to_num(color, posinf=1e30, neginf=-1e30), format)


def check(images: Images, image, color: np.ndarray, format: Format) -> None:
    found = images.read(image, np.zeros((HEIGHT, WIDTH, *format.element.shape), format.element.base))
    np.testing.assert_allclose(found, elements_of(color, format), rtol=0, atol=0.6 if format.is_srgb else 0, err_msg=str(format))


def clear(images: Images, image) -> None:
    enqueue_fill_image(images.queue, image, np.zeros(4, np.float32), (0, 0, 0), (WIDTH, HEIGHT, 1))


def given(images: Images, color: np.ndarray) -> Buffer:
    return Buffer(images.context, codes.MEM_COPY_HOST_PTR, color.nbytes, color.copy())


def launch(images: Images, kernel: Kernel) -> None:
    enqueue_nd_range_kernel(images.queue, kernel, 2, None, (WIDTH, HEIGHT), None)


def test_one_kernel_writes_images_of_one_format_and_another(images):
    kernel, color = images.kernel(SOURCE, "put"), colors(images)
    kernel.set_arg(1, given(images, color))
    created = {format: images.create(IMAGE2D, format) for format in FORMATS}
    for format in FORMATS:
        clear(images, created[format])
        kernel.set_arg(0, created[format])
        launch(images, kernel)
        check(images, created[format], color, format)


def test_repeated_launches_write_images_of_one_format_and_another(images):
    """As often as a launch becomes a graph of its own, between launches with others."""
    kernel, color = images.kernel(SOURCE, "put"), colors(images)
    kernel.set_arg(1, given(images, color))
    created = [(format, images.create(IMAGE2D, format)) for format in (RGBA8, SBGRA8, BGRA8, ABGR8, SRGBA8)]
    for format, image in 2 * created:
        clear(images, image)
        kernel.set_arg(0, image)
        for _ in range(40):
            launch(images, kernel)
        check(images, image, color, format)
    for _ in range(20):
        for _, image in created:
            kernel.set_arg(0, image)
            launch(images, kernel)
    for format, image in created:
        check(images, image, color, format)


def test_what_is_written_is_read_of_the_same_image(images):
    kernel, color = images.kernel(SOURCE, "put_and_get"), colors(images)
    color = np.where(np.abs(color) < 2, color, np.float32(0.25))
    created = {format: images.create(IMAGE2D, format) for format in FORMATS}
    for format in FORMATS:
        found = color.copy()
        images.run(kernel, (WIDTH, HEIGHT), created[format], found)
        check(images, created[format], color, format)
        expected = model.colors(images.read(created[format], elements_of(color, format).astype(format.element.base)), format)
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6, err_msg=str(format))


@pytest.mark.parametrize("kind", [IMAGE1D_BUFFER, IMAGE2D_ARRAY, IMAGE3D], ids=NAMES.get)
def test_images_of_other_shapes(images, kind):
    """Images of buffers are plain memory to all code."""
    coord = {IMAGE1D_BUFFER: "x", IMAGE2D_ARRAY: "(int4)(x, y, z, 0)", IMAGE3D: "(int4)(x, y, z, 0)"}[kind]
    kernel = images.kernel(f"""kernel void put(read_write {NAMES[kind]} image, global float4 *c) {{
        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * get_global_size(1) + y) * get_global_size(0) + x;
        write_imagef(image, {coord}, c[i]); }}""")
    color = images.rng.uniform(-1.5, 1.5, (*SHAPES[kind], 4)).astype(np.float32)
    for format in (RGBA8, *(() if kind == IMAGE1D_BUFFER else (SBGRA8, SRGBA8)), BGRA8, ABGR8, RGBA8):
        image = images.create(kind, format)
        images.run(kernel, region_of(SHAPES[kind]), image, color)
        found = images.read(image, np.zeros((*SHAPES[kind], 4), np.uint8))
        np.testing.assert_allclose(found, elements_of(color, format), rtol=0, atol=0.6 if format.is_srgb else 0, err_msg=str(format))


def test_images_of_buffers(images):
    """Read and written by one kernel, in formats of the usual code and of other code in turns."""
    kernel = images.kernel("""kernel void put(write_only image1d_buffer_t to, read_only image1d_buffer_t from, read_write image1d_buffer_t both,
                                              global float4 *out) {
        int i = get_global_id(0); float4 c = read_imagef(from, i); write_imagef(to, i, c); out[i] = c;
        write_imagef(both, 12 - i, read_imagef(both, 12 - i) * 0.5f); write_imagef(to, i + 13, (float4)(9)); }""")
    formats = [Format("RGBA", "FLOAT"), Format("RGBA", "HALF_FLOAT"), Format("A", "UNORM_INT8"), Format("R", "SNORM_INT16"), BGRA8,
               Format("RGBA", "UNORM_INT_101010_2"), Format("RG", "UNORM_INT8"), ABGR8, Format("LUMINANCE", "HALF_FLOAT"), RGBA8]
    for number, source in enumerate(formats):
        target = formats[(number * 3 + 1) % len(formats)]
        given, elements = images.filled(IMAGE1D_BUFFER, source)
        to, (both, before) = images.create(IMAGE1D_BUFFER, target), images.filled(IMAGE1D_BUFFER, Format("RG", "FLOAT"))
        found = np.zeros((13, 4), np.float32)
        images.run(kernel, (13,), to, given, both, found)
        color = model.colors(elements, source)
        np.testing.assert_allclose(found, color, rtol=0, atol=2e-6, err_msg=str(source))
        expected = elements_of(found, target)
        got = images.read(to, np.zeros((13, *target.element.shape), target.element.base))
        np.testing.assert_allclose(got, expected, rtol=0, atol=0, err_msg=f"{source}, {target}")
        np.testing.assert_array_equal(images.read(both, before), before * np.float32(0.5))


def test_integers_in_both_orders(images):
    kernel = images.kernel(f"kernel void put(write_only image2d_t image, global int4 *in) {{ {PLACE} write_imagei(image, p, in[i]); }}")
    color = images.rng.integers(-300, 300, (HEIGHT, WIDTH, 4), np.int32)
    for order in ("RGBA", "BGRA", "R", "ARGB", "BGRA", "RGBA"):
        format = Format(order, "SIGNED_INT8")
        image = images.create(IMAGE2D, format)
        images.run(kernel, (WIDTH, HEIGHT), image, color)
        check(images, image, color, format)


@pytest.mark.parametrize("second", [RGBA8, SRGBA8, BGRA8, ABGR8], ids=str)
@pytest.mark.parametrize("first", [RGBA8, SBGRA8, ABGR8], ids=str)
def test_two_images_of_one_kernel(images, first, second):
    """The one that asks for more decides, whether it is read or written."""
    color = colors(images)
    one, other = images.create(IMAGE2D, first), images.create(IMAGE2D, second)
    program = Program(images.context, SOURCE)
    program.build("-cl-std=CL3.0")
    images.run(Kernel(program, "both"), (WIDTH, HEIGHT), one, other, color)
    check(images, one, color, first)
    check(images, other, color[..., ::-1], second)
    images.run(Kernel(program, "copy"), (WIDTH, HEIGHT), one, other)
    read = model.colors(images.read(one, np.zeros((HEIGHT, WIDTH, 4), np.uint8)), first).astype(np.float32)
    found = images.read(other, np.zeros((HEIGHT, WIDTH, 4), np.uint8))
    # Hardware may err by half a step where it reads sRGB.
    np.testing.assert_allclose(found, elements_of(read, second), rtol=0, atol=1.5 if first.is_srgb or second.is_srgb else 0)


def test_a_programs_binary_writes_all_formats(images):
    program = Program(images.context, SOURCE)
    program.build("-cl-std=CL3.0")
    again = Program.from_binaries(images.context, [images.queue.device], program.binaries())
    again.build()
    color = colors(images)
    for format in (SRGBA8, RGBA8, ABGR8, BGRA8):
        image = images.create(IMAGE2D, format)
        images.run(Kernel(again, "put"), (WIDTH, HEIGHT), image, color)
        check(images, image, color, format)


def test_command_buffers_write_all_formats(images):
    """Also where a command is updated with an image that asks for other code."""
    kernel, color = images.kernel(SOURCE, "put"), colors(images)
    kernel.set_arg(1, given(images, color))
    created = [(format, images.create(IMAGE2D, format)) for format in (RGBA8, BGRA8, SRGBA8, ABGR8)]
    record = CommandBuffer([images.queue], MUTABLE)
    commands = []
    for _, image in created:
        kernel.set_arg(0, image)
        commands.append(recording.nd_range_kernel(record, kernel, 2, None, (WIDTH, HEIGHT), None))
    record.finalize()
    for turn in range(len(created)):
        for _, image in created:
            clear(images, image)
        record.enqueue().wait()
        for format, image in created:
            check(images, image, color, format)
        update_mutable_commands(record, [DispatchConfig(command, {0: created[(number + turn + 1) % len(created)][1]})
                                         for number, command in enumerate(commands)])
