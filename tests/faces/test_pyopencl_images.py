"""PyOpenCL programs with images over cl2cuda, as they are written for any OpenCL."""

import os

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl

mf = cl.mem_flags
DEVICES = cl.get_platforms()[0].get_devices()
RGBA8 = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
create_image = getattr(cl, "create_image", cl.Image)  # PyOpenCL before 2024.3 has the class alone.
R32F = cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT)


@pytest.fixture(scope="module", params=DEVICES, ids=lambda device: device.name)
def ctx(request):
    return cl.Context([request.param])


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


@pytest.fixture
def pixels():
    return np.random.default_rng(3).integers(0, 256, (6, 9, 4), np.uint8)


def read(queue, image, like, origin=(0, 0)):
    found = np.zeros_like(like)
    cl.enqueue_copy(queue, found, image, origin=origin, region=like.shape[1::-1])
    return found


def test_image_from_array_and_a_sampler(ctx, queue):
    """As in PyOpenCL's documentation."""
    array = np.random.default_rng(1).random((20, 30), np.float32)
    image = cl.image_from_array(ctx, array, 1)
    sampler = cl.Sampler(ctx, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)
    program = cl.Program(ctx, """
    kernel void copy(read_only image2d_t src, sampler_t s, global float *dst) {
        int x = get_global_id(0), y = get_global_id(1); dst[y * get_image_width(src) + x] = read_imagef(src, s, (float2)(x, y)).x;
    }""").build()
    out = cl.Buffer(ctx, mf.WRITE_ONLY, array.nbytes)
    program.copy(queue, (30, 20), None, image, sampler, out)
    found = np.zeros_like(array)
    cl.enqueue_copy(queue, found, out)
    np.testing.assert_array_equal(found, array)


SAMPLERS = [f"CLK_NORMALIZED_COORDS_{coordinates} | CLK_ADDRESS_{address} | CLK_FILTER_{mode}"
            for mode in ("NEAREST", "LINEAR") for coordinates, modes in (("FALSE", ("NONE", "CLAMP_TO_EDGE", "CLAMP")),
                                                                         ("TRUE", ("CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT")))
            for address in modes]


@pytest.mark.parametrize("type_", [cl.channel_type.UNORM_INT8, cl.channel_type.FLOAT, cl.channel_type.SIGNED_INT16])
@pytest.mark.parametrize("order", [cl.channel_order.RGBA, cl.channel_order.R])
def test_images_of_any_size_are_read_as_the_first_one(ctx, queue, type_, order):
    """By every sampler, known in the program or an argument, and by a kernel that comes later and reads it otherwise."""
    read, pixel = ("read_imagei", "int4") if type_ == cl.channel_type.SIGNED_INT16 else ("read_imagef", "float4")
    samplers = [each for each in SAMPLERS if pixel == "float4" or "LINEAR" not in each]
    by_number = "".join(f"""kernel void k{number}(read_only image2d_t src, global {pixel} *dst) {{
        const sampler_t s = {each};
        float2 at = (float2)(get_global_id(0), get_global_id(1)) * .75f - 2;
        if (s & 1) at /= convert_float2(get_image_dim(src));
        dst[get_global_id(1) * get_global_size(0) + get_global_id(0)] = {read}(src, s, at);
    }}\n""".replace("s & 1", str(int("TRUE" in each))) for number, each in enumerate(samplers))
    source = by_number + f"""kernel void by_argument(read_only image2d_t src, global {pixel} *dst, sampler_t s) {{
        dst[get_global_id(1) * get_global_size(0) + get_global_id(0)] = {read}(src, s, (float2)(get_global_id(0) + .25f, get_global_id(1)));
    }}
    kernel void plain(read_only image2d_t src, global {pixel} *dst) {{
        dst[get_global_id(1) * get_global_size(0) + get_global_id(0)] = {read}(src, (int2)(get_global_id(0), get_global_id(1)) % get_image_dim(src));
    }}"""
    program = cl.Program(ctx, source).build()
    dtype = {cl.channel_type.UNORM_INT8: np.uint8, cl.channel_type.FLOAT: np.float32}.get(type_, np.int16)
    kernels = [*(f"k{number}" for number in range(len(samplers))), "by_argument", "plain"]
    sampler = cl.Sampler(ctx, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    channels = 4 if order == cl.channel_order.RGBA else 1

    def results(context_of_its_own, size, names):
        context = cl.Context(ctx.devices) if context_of_its_own else ctx
        queue, data = cl.CommandQueue(context), np.random.default_rng(7).integers(0, 99, (*size, channels)).astype(dtype)
        width, height = size[1] + 5, size[0] + 5
        image = create_image(context, mf.READ_ONLY | mf.COPY_HOST_PTR, cl.ImageFormat(order, type_), shape=size[::-1], hostbuf=data)
        own = cl.Program(context, source).build() if context_of_its_own else program
        own_sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST) if context_of_its_own else sampler
        found = []
        for name in names:
            out = cl.Buffer(context, mf.READ_WRITE, 16 * width * height)
            cl.Kernel(own, name)(queue, (width, height), None, image, out, *([own_sampler] if name == "by_argument" else []))
            found.append(np.zeros((height, width, 4), np.int32 if pixel == "int4" else np.float32))
            cl.enqueue_copy(queue, found[-1], out)
        return found

    create_image(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, cl.ImageFormat(order, type_), shape=(4, 4), hostbuf=np.zeros((4, 4, channels), dtype))
    for number, name in enumerate(kernels):
        size, names = (6, 9 + number), [name, kernels[number - 1]]
        for first, later in zip(results(True, size, names), results(False, size, names), strict=True):
            np.testing.assert_array_equal(first, later)


@pytest.mark.parametrize("flags", [mf.COPY_HOST_PTR, mf.USE_HOST_PTR])
def test_create_image_from_host_memory(ctx, queue, pixels, flags):
    image = create_image(ctx, mf.READ_WRITE | flags, RGBA8, shape=(9, 6), hostbuf=pixels)
    np.testing.assert_array_equal(read(queue, image, pixels), pixels)
    assert (image.hostbuf is pixels) == bool(flags & mf.USE_HOST_PTR)
    part = create_image(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, RGBA8, shape=(4, 6), pitches=(36,), hostbuf=pixels)
    np.testing.assert_array_equal(read(queue, part, pixels[:, :4].copy()), pixels[:, :4])


def test_queries(ctx, pixels):
    image = create_image(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, RGBA8, shape=(9, 6), hostbuf=pixels)
    assert image.format == RGBA8 and image.shape == (9, 6) and image.type == cl.mem_object_type.IMAGE2D
    assert (image.width, image.height, image.depth, image.array_size) == (9, 6, 0, 0)
    assert (image.element_size, image.row_pitch, image.slice_pitch) == (4, 36, 0)
    assert image.buffer is None and image.num_mip_levels == 0 and image.num_samples == 0
    assert image.size == pixels.nbytes and image.context == ctx and image.flags & mf.READ_ONLY
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        image.get_image_info(0x7777)
    sampler = cl.Sampler(ctx, True, cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR)
    assert sampler.normalized_coords and sampler.context == ctx
    assert (sampler.addressing_mode, sampler.filter_mode) == (cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR)
    listed = cl.Sampler(ctx, [cl.sampler_properties.NORMALIZED_COORDS, 0])
    assert not listed.normalized_coords and listed.addressing_mode == cl.addressing_mode.CLAMP
    device = ctx.devices[0]
    assert device.image_support and device.image2d_max_width >= 16384 and device.max_samplers >= 16


def test_every_kind_of_image(ctx, queue, pixels):
    """Through PyOpenCL's ways to ask for one."""
    line = create_image(ctx, mf.READ_WRITE, RGBA8, shape=(9,))
    lines = create_image(ctx, mf.READ_WRITE, RGBA8, shape=(9, 6), is_array=True)
    planes = create_image(ctx, mf.READ_WRITE, RGBA8, shape=(9, 3, 2), is_array=True)
    volume = create_image(ctx, mf.READ_WRITE, RGBA8, shape=(9, 3, 2))
    buffer = cl.Buffer(ctx, mf.READ_WRITE, 36)
    over = create_image(ctx, mf.READ_WRITE, RGBA8, shape=(9,), buffer=buffer)
    types = cl.mem_object_type
    assert [i.type for i in (line, lines, planes, volume, over)] == [
        types.IMAGE1D, types.IMAGE1D_ARRAY, types.IMAGE2D_ARRAY, types.IMAGE3D, types.IMAGE1D_BUFFER]
    assert lines.array_size == 6 and planes.array_size == 2 and volume.depth == 2 and over.buffer == buffer
    for image in (planes, volume):
        cl.enqueue_copy(queue, image, pixels, origin=(0, 0, 0), region=(9, 3, 2))
        found = np.zeros_like(pixels)
        cl.enqueue_copy(queue, found, image, origin=(0, 0, 0), region=(9, 3, 2))
        np.testing.assert_array_equal(found, pixels)


def test_mipmap_descriptors(ctx, queue):
    desc = cl.ImageDescriptor()
    desc.image_type, desc.shape, desc.num_mip_levels = cl.mem_object_type.IMAGE2D, (16, 8), 3
    image = cl.Image(ctx, mf.READ_WRITE, R32F, desc=desc)
    assert image.num_mip_levels == 3
    level = np.random.default_rng(0).random((4, 8), np.float32)
    cl.enqueue_copy(queue, image, level, origin=(0, 0, 1), region=(8, 4, 1))
    found = np.zeros_like(level)
    cl.enqueue_copy(queue, found, image, origin=(0, 0, 1), region=(8, 4, 1))
    np.testing.assert_array_equal(found, level)


def test_enqueue_copy_with_images(ctx, queue, pixels):
    image = create_image(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, RGBA8, shape=(9, 6), hostbuf=pixels)
    other = create_image(ctx, mf.READ_WRITE, RGBA8, shape=(9, 6))
    cl.enqueue_copy(queue, other, image, src_origin=(0, 0), dest_origin=(0, 0), region=(9, 6))
    np.testing.assert_array_equal(read(queue, other, pixels), pixels)
    buffer = cl.Buffer(ctx, mf.READ_WRITE, pixels.nbytes)
    cl.enqueue_copy(queue, buffer, other, offset=0, origin=(0, 0), region=(9, 6))
    flat = np.zeros_like(pixels)
    cl.enqueue_copy(queue, flat, buffer)
    np.testing.assert_array_equal(flat, pixels)
    cl.enqueue_copy(queue, buffer, 255 - pixels)
    cl.enqueue_copy(queue, other, buffer, offset=0, origin=(0, 0), region=(9, 6))
    np.testing.assert_array_equal(read(queue, other, pixels), 255 - pixels)
    wide = np.zeros((6, 12, 4), np.uint8)
    cl.enqueue_copy(queue, wide, image, origin=(0, 0), region=(9, 6), pitches=(48, 0))
    np.testing.assert_array_equal(wide[:, :9], pixels)


def test_fill_and_map(ctx, queue, pixels):
    image = create_image(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, RGBA8, shape=(9, 6), hostbuf=pixels)
    cl.enqueue_fill_image(queue, image, np.array([1, 0, 1, 1], np.float32), origin=(1, 1), region=(2, 3))
    pixels[1:4, 1:3] = (255, 0, 255, 255)
    array, event, row_pitch, slice_pitch = cl.enqueue_map_image(queue, image, cl.map_flags.READ | cl.map_flags.WRITE, (0, 0), (9, 6),
                                                                (6, 9, 4), np.uint8)
    event.wait()
    assert (row_pitch, slice_pitch) == (36, 0)
    np.testing.assert_array_equal(array, pixels)
    array[0] = 7
    array.base.release(queue)
    pixels[0] = 7
    np.testing.assert_array_equal(read(queue, image, pixels), pixels)


def test_lists_of_formats(ctx):
    formats = cl.get_supported_image_formats(ctx, mf.READ_WRITE, cl.mem_object_type.IMAGE2D)
    assert RGBA8 in formats and R32F in formats and len(formats) > 60


def test_errors(ctx, queue, pixels):
    with pytest.raises(cl.LogicError, match="INVALID_IMAGE_FORMAT_DESCRIPTOR"):
        create_image(ctx, mf.READ_ONLY, cl.ImageFormat(1, 2), shape=(4, 4))
    with pytest.raises(cl.LogicError, match="INVALID_IMAGE_SIZE"):
        create_image(ctx, mf.READ_ONLY, RGBA8, shape=(1 << 20, 4))
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.Sampler(ctx, True, 1, 2)
    image = create_image(ctx, mf.WRITE_ONLY, RGBA8, shape=(9, 6))
    program = cl.Program(ctx, "kernel void f(read_only image2d_t a, sampler_t s) { read_imagef(a, s, (float2)(0)); }").build()
    kernel = program.f
    with pytest.raises(cl.LogicError, match="INVALID_ARG_VALUE"):
        kernel.set_arg(0, image)
    with pytest.raises(cl.LogicError, match="INVALID_SAMPLER"):
        kernel.set_arg(1, image)
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.enqueue_copy(queue, pixels, image, origin=(0, 0), region=(10, 6))
