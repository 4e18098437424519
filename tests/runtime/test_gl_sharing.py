"""Contexts that share with OpenGL: how they are made, what kernels see, what cannot be shared, EGLImages."""

import ctypes
import gc
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from support.fails import fails
from support.gl import (
    ACQUIRE_AND_RELEASE,
    EGL_ACQUIRE_AND_RELEASE,
    FORMATS,
    GL,
    MISSING,
    STENCIL_FORMATS,
    GlContext,
    Handle,
    Sharing,
    Texture,
    device_uuid,
    displays,
    egl,
    egl_image,
)

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.graphics import (
    enqueue_acquire_egl_objects,
    enqueue_acquire_gl_objects,
    enqueue_release_egl_objects,
    enqueue_release_gl_objects,
)
from cl2cuda.runtime.commands.image import enqueue_read_image, enqueue_write_image
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context import graphics as context_graphics
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.partition import create_sub_devices
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.graphics.buffer import create_from_gl_buffer
from cl2cuda.runtime.graphics.context_info import gl_context_info
from cl2cuda.runtime.graphics.image import create_from_egl_image, create_from_gl_texture
from cl2cuda.runtime.graphics.source import gl_object_info, gl_texture_info
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


@pytest.fixture
def on(gl_device):
    yield from Sharing.for_a_test(gl_device)


@pytest.fixture
def running(real_device):
    """On devices that run kernels."""
    if real_device.driver_device.graphics is None:
        pytest.skip("the device shares nothing with OpenGL")
    yield from Sharing.for_a_test(real_device)


def kernel(context, source):
    program = Program(context, source)
    program.build("-cl-std=CL2.0")
    return Kernel(program, program.kernel_names[0])


# Contexts


def test_a_context_that_shares(on):
    assert on.context.get_info(codes.CONTEXT_PROPERTIES) == on.gl.properties
    names = dict(on.device.extensions)
    assert {"cl_khr_gl_sharing", "cl_khr_gl_event", "cl_khr_gl_depth_images", "cl_khr_egl_image", "cl_khr_egl_event"} <= set(names)
    assert "cl_khr_gl_msaa_sharing" not in names


def test_what_no_context_is_made_of(on, fake):
    device, properties = [on.device], dict(on.gl.properties)
    gl, display = properties[codes.GL_CONTEXT_KHR], properties[codes.EGL_DISPLAY_KHR]
    for bad in ([(codes.GL_CONTEXT_KHR, gl)], [(codes.GL_CONTEXT_KHR, gl), (codes.EGL_DISPLAY_KHR, 0x1234)],
                [(codes.GL_CONTEXT_KHR, 0x1234), (codes.EGL_DISPLAY_KHR, display)]):
        fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", Context, device, bad)
        fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", gl_context_info, platforms()[0], bad, codes.DEVICES_FOR_GL_CONTEXT_KHR)
    for bad in ([*on.gl.properties, (codes.GLX_DISPLAY_KHR, display)], [(codes.CGL_SHAREGROUP_KHR, gl)],
                [(codes.GL_CONTEXT_KHR, gl), (codes.WGL_HDC_KHR, display)]):
        fails("INVALID_OPERATION", Context, device, bad)
        fails("INVALID_OPERATION", gl_context_info, platforms()[0], bad, codes.DEVICES_FOR_GL_CONTEXT_KHR)
    fails("INVALID_PROPERTY", Context, device, [*on.gl.properties, (codes.CONTEXT_INTEROP_USER_SYNC, 1)])
    fails("INVALID_OPERATION", Context, [fake.device], on.gl.properties)
    # All are 0 by default.
    assert Context(device, [(codes.GL_CONTEXT_KHR, 0), (codes.EGL_DISPLAY_KHR, display)]).graphics.group is None


def test_a_context_of_opengl_es_is_refused(on):
    egl("eglBindAPI", 0x30A0)
    made = Handle(egl("eglCreateContext", on.gl.display, None, None, (ctypes.c_int * 3)(0x3098, 3, 0x3038)))
    egl("eglBindAPI", 0x30A2)
    if not made:
        pytest.skip("EGL makes no context of OpenGL ES")
    fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", Context, [on.device], [(codes.GL_CONTEXT_KHR, made), (codes.EGL_DISPLAY_KHR, on.gl.display)])
    egl("eglDestroyContext", on.gl.display, made)


def test_a_core_profile_context(gl_device):
    display = Sharing(gl_device).gl.display
    gl = GlContext(attributes=(0x3098, 3, 0x30FB, 3, 0x30FD, 1), display=display)  # 3.3, core
    context = Context([gl_device], gl.properties)
    queue = CommandQueue(context, gl_device)
    contents = np.arange(16, dtype=np.float32)
    shared = create_from_gl_buffer(context, 0, gl.buffer(contents))
    enqueue_acquire_gl_objects(queue, [shared])
    back = np.zeros_like(contents)
    enqueue_read_buffer(queue, shared, True, 0, back)
    assert (back == contents).all()
    enqueue_release_gl_objects(queue, [shared])
    queue.finish()
    gl.close()


def test_the_devices_of_a_context(running):
    platform = platforms()[0]
    found = gl_context_info(platform, running.gl.properties, codes.DEVICES_FOR_GL_CONTEXT_KHR)
    assert all(one.driver_device.graphics is not None for one in found)
    current = gl_context_info(platform, running.gl.properties, codes.CURRENT_DEVICE_FOR_GL_CONTEXT_KHR)
    assert current is None or current in found
    fails("INVALID_VALUE", gl_context_info, platform, running.gl.properties, 0x1234)
    fails("INVALID_VALUE", gl_context_info, platform, [*running.gl.properties, (0x1234, 1)], codes.DEVICES_FOR_GL_CONTEXT_KHR)
    fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", gl_context_info, platform, [], codes.DEVICES_FOR_GL_CONTEXT_KHR)


def test_every_display_goes_with_its_gpu(real_device):
    """Of several GPUs a context is of one: that one shares with it, and clGetGLContextInfoKHR names it."""
    if MISSING or real_device.driver_device.graphics is None:
        pytest.skip(MISSING or "the device shares nothing with OpenGL")
    platform = platforms()[0]
    for display in displays():
        gl = GlContext(display=display)
        uuid = device_uuid()
        current = gl_context_info(platform, gl.properties, codes.CURRENT_DEVICE_FOR_GL_CONTEXT_KHR)
        sharing = gl_context_info(platform, gl.properties, codes.DEVICES_FOR_GL_CONTEXT_KHR)
        for device in platform.devices():
            if device.is_cuda and uuid is not None:
                is_same = bytes(device.get_info(codes.DEVICE_UUID_KHR)) == uuid
                assert (device is current) == (device in sharing) == is_same
            if device in sharing:
                assert Context([device], gl.properties).graphics.group is not None
            elif device.driver_device.graphics is not None:
                fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", Context, [device], gl.properties)
        gl.close()


# Kernels


def test_kernels_that_were_given_the_buffer_before_it_was_acquired(running):
    contents = np.arange(256, dtype=np.float32)
    name = running.gl.buffer(contents)
    shared = create_from_gl_buffer(running.context, 0, name)
    twice = kernel(running.context, "kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }")
    twice.set_arg(0, shared)
    for frame in range(1, 6):
        enqueue_acquire_gl_objects(running.queue, [shared])
        enqueue_nd_range_kernel(running.queue, twice, 1, None, (256,), None)
        enqueue_release_gl_objects(running.queue, [shared])
        assert (running.gl.read_buffer(name, contents) == contents * 2**frame).all()


def test_a_kernel_reads_one_texture_and_writes_another(running):
    format_ = FORMATS["RGBA32F"]
    pixels = format_.random((32, 16))
    there, here = Texture("TEXTURE_2D", format_, pixels), Texture("TEXTURE_2D", format_, np.zeros_like(pixels))
    images = [create_from_gl_texture(running.context, flags, one.target, 0, one.name)
              for flags, one in ((codes.MEM_READ_ONLY, there), (codes.MEM_WRITE_ONLY, here))]
    move = kernel(running.context, """
        constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        kernel void move(read_only image2d_t from, write_only image2d_t to) {
            int2 at = {get_global_id(0), get_global_id(1)};
            write_imagef(to, at, read_imagef(from, nearest, at).wzyx + 1.0f);
        }""")
    for index, image in enumerate(images):
        move.set_arg(index, image)
    for _ in range(3):
        enqueue_acquire_gl_objects(running.queue, images)
        enqueue_nd_range_kernel(running.queue, move, 2, None, (32, 16), None)
        enqueue_release_gl_objects(running.queue, images)
        assert (here.read() == pixels[..., ::-1] + 1).all() and (there.read() == pixels).all()


@pytest.mark.parametrize("target", ["TEXTURE_2D", "TEXTURE_2D_ARRAY"])
@pytest.mark.parametrize("format_", STENCIL_FORMATS, ids=repr)
def test_kernels_read_the_depth_beside_a_stencil(running, format_, target):
    pixels = format_.random((16, 8) if target == "TEXTURE_2D" else (16, 8, 3))
    texture = Texture(target, format_, pixels)
    image = create_from_gl_texture(running.context, codes.MEM_READ_ONLY, texture.target, 0, texture.name)
    kind, place = ("image2d_depth_t", "(int2)(i % 16, i / 16)") if target == "TEXTURE_2D" else (
        "image2d_array_depth_t", "(int4)(i % 16, i / 16 % 8, i / 128, 0)")
    read = kernel(running.context, f"""
        kernel void read(read_only {kind} from, global float *out, global int *kind) {{
            int i = get_global_id(0);
            out[i] = read_imagef(from, {place});
            kind[0] = get_image_channel_order(from) == CLK_DEPTH_STENCIL;
            kind[1] = get_image_channel_data_type(from) == {'CLK_UNORM_INT24' if format_.type == 'UNORM_INT24' else 'CLK_FLOAT'};
        }}""")
    out, said = Buffer(running.context, 0, pixels.size * 4), Buffer(running.context, 0, 8)
    for index, value in enumerate((image, out, said)):
        read.set_arg(index, value)
    enqueue_acquire_gl_objects(running.queue, [image])
    enqueue_nd_range_kernel(running.queue, read, 1, None, (pixels.size,), None)
    enqueue_release_gl_objects(running.queue, [image])
    depth, kinds = np.zeros(pixels.size, np.float32), np.zeros(2, np.int32)
    enqueue_read_buffer(running.queue, out, True, 0, depth)
    enqueue_read_buffer(running.queue, said, True, 0, kinds)
    expected = pixels["depth"].ravel() if format_.dtype.names else (pixels.ravel() >> 8) / np.float64(2**24 - 1)
    assert np.abs(depth - expected).max() <= 1.2e-7 and (kinds == 1).all()
    writes = kernel(running.context, f"kernel void write(write_only {kind} to) {{ }}")
    fails("INVALID_ARG_VALUE", writes.set_arg, 0, image)


def test_what_has_not_been_acquired(running):
    shared = create_from_gl_buffer(running.context, 0, running.gl.buffer(np.zeros(16, np.float32)))
    clear = kernel(running.context, "kernel void clear(global float *a) { a[get_global_id(0)] = 0; }")
    clear.set_arg(0, shared)
    fails("INVALID_OPERATION", enqueue_nd_range_kernel, running.queue, clear, 1, None, (16,), None)
    fails("INVALID_OPERATION", enqueue_fill_buffer, running.queue, shared, b"\0", 0, 64)
    enqueue_acquire_gl_objects(running.queue, [shared])
    enqueue_nd_range_kernel(running.queue, clear, 1, None, (16,), None)
    enqueue_release_gl_objects(running.queue, [shared])
    fails("INVALID_OPERATION", enqueue_nd_range_kernel, running.queue, clear, 1, None, (16,), None)


def test_what_is_read_only_stays_as_it_is_in_opengl(on):
    contents = np.arange(16, dtype=np.float32)
    name = on.gl.buffer(contents)
    shared = create_from_gl_buffer(on.context, codes.MEM_READ_ONLY, name)
    enqueue_acquire_gl_objects(on.queue, [shared])
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
    enqueue_release_gl_objects(on.queue, [shared])
    assert (on.gl.read_buffer(name, contents) == contents).all()


def test_parts_and_views_of_a_shared_buffer(on):
    contents = np.arange(1024, dtype=np.float32)
    name = on.gl.buffer(contents)
    shared = create_from_gl_buffer(on.context, 0, name)
    part = shared.sub_buffer(codes.MEM_READ_WRITE, 2048, 1024)
    view = Image(on.context, 0, (0x10B0, 0x10DE), ImageDescriptor(codes.MEM_OBJECT_IMAGE1D_BUFFER, 1024, mem_object=shared))
    for made in (part, view):
        fails("INVALID_GL_OBJECT", gl_object_info, made)
        fails("INVALID_GL_OBJECT", enqueue_acquire_gl_objects, on.queue, [made])
    enqueue_acquire_gl_objects(on.queue, [shared])
    back = np.zeros(256, np.float32)
    enqueue_read_buffer(on.queue, part, True, 0, back)
    assert (back == contents[512:768]).all()
    enqueue_write_image(on.queue, view, True, (8, 0, 0), (4, 1, 1), 0, 0, np.full(4, 7, np.float32))
    enqueue_release_gl_objects(on.queue, [shared])
    contents[8:12] = 7
    assert (on.gl.read_buffer(name, contents) == contents).all()


def test_contexts_of_several_devices(running):
    if running.device.properties.compute_units < 2 or running.device.driver_device.partition is None:
        pytest.skip("the device cannot be divided")
    devices = create_sub_devices(running.device, [codes.DEVICE_PARTITION_EQUALLY, 1, 0])[:2]
    context = Context(devices, running.gl.properties)
    first, second = (CommandQueue(context, device) for device in devices)
    contents = np.arange(64, dtype=np.float32)
    name = running.gl.buffer(contents)
    texture = Texture("TEXTURE_2D", FORMATS["R32F"], FORMATS["R32F"].random((8, 8)))
    shared = create_from_gl_buffer(context, 0, name)
    image = create_from_gl_texture(context, 0, texture.target, 0, texture.name)
    add = kernel(context, """kernel void add(global float *a, read_write image2d_t b) {
        int i = get_global_id(0), x = i % 8, y = i / 8;
        a[i] += 1;
        write_imagef(b, (int2)(x, y), read_imagef(b, (int2)(x, y)) + 1.0f);
    }""")
    add.set_arg(0, shared)
    add.set_arg(1, image)
    before = texture.read()
    for acquiring, other in ((first, second), (second, first), (first, first)):
        enqueue_acquire_gl_objects(acquiring, [shared, image]).wait()
        for queue in (other, acquiring, other):
            enqueue_nd_range_kernel(queue, add, 1, None, (64,), None).wait()
        enqueue_release_gl_objects(other, [shared, image]).wait()
        contents += 3
        before += np.float32(1)
        before += np.float32(1)
        before += np.float32(1)
        assert (running.gl.read_buffer(name, contents) == contents).all() and (texture.read() == before).all()


# Objects


@pytest.mark.parametrize("enqueue", ACQUIRE_AND_RELEASE)
def test_what_cannot_be_handed_over(on, enqueue):
    shared = create_from_gl_buffer(on.context, 0, on.gl.buffer(np.zeros(16, np.uint8)))
    fails("INVALID_COMMAND_QUEUE", enqueue, None, [shared])
    fails("INVALID_VALUE", enqueue, on.queue, ())
    fails("INVALID_MEM_OBJECT", enqueue, on.queue, ["memory"])
    fails("INVALID_GL_OBJECT", enqueue, on.queue, [Buffer(on.context, 0, 64)])
    fails("INVALID_EVENT_WAIT_LIST", enqueue, on.queue, [shared], ("event",))
    fails("INVALID_CONTEXT", enqueue, on.queue, [shared], (UserEvent(Context([on.device])),))
    plain = Context([on.device])
    fails("INVALID_CONTEXT", enqueue, CommandQueue(plain, on.device), None)
    assert enqueue(on.queue, None).command_type in (codes.COMMAND_ACQUIRE_GL_OBJECTS, codes.COMMAND_RELEASE_GL_OBJECTS)
    shared.release()
    fails("INVALID_MEM_OBJECT", enqueue, on.queue, [shared])
    fails("INVALID_MEM_OBJECT", gl_object_info, shared)
    fails("INVALID_MEM_OBJECT", gl_texture_info, shared, codes.GL_TEXTURE_TARGET)


def test_what_no_buffer_is_made_of(on):
    name = on.gl.buffer(np.zeros(16, np.uint8))
    fails("INVALID_CONTEXT", create_from_gl_buffer, Context([on.device]), 0, name)
    fails("INVALID_CONTEXT", create_from_gl_texture, Context([on.device]), 0, GL.GL_TEXTURE_2D, 0, 1)
    fails("INVALID_VALUE", create_from_gl_buffer, on.context, codes.MEM_USE_HOST_PTR, name)
    for bad in (0, 12345):
        fails("INVALID_GL_OBJECT", create_from_gl_buffer, on.context, 0, bad)
    empty = int(GL.glGenBuffers(1))
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, empty)
    fails("INVALID_GL_OBJECT", create_from_gl_buffer, on.context, 0, empty)
    plain, shared = Buffer(on.context, 0, 64), create_from_gl_buffer(on.context, 0, name)
    fails("INVALID_GL_OBJECT", gl_object_info, plain)
    fails("INVALID_GL_OBJECT", gl_texture_info, shared, codes.GL_TEXTURE_TARGET)
    texture = Texture("TEXTURE_2D", FORMATS["R8"], FORMATS["R8"].random((4, 4)))
    image = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
    fails("INVALID_VALUE", gl_texture_info, image, 0x2012)


def test_an_object_that_opengl_has_deleted(on):
    """"[...] undefined behavior, including [...] possible OpenCL errors [...], but may not result in program termination"."""
    texture = Texture("TEXTURE_2D", FORMATS["RGBA8"], FORMATS["RGBA8"].random((64, 64)))
    image = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
    GL.glDeleteTextures(1, [texture.name])
    GL.glBindTexture(texture.target, texture.name)  # The name is a texture's again, of one that is larger.
    GL.glTexImage2D(texture.target, 0, GL.GL_RGBA32F, 256, 256, 0, GL.GL_RGBA, GL.GL_FLOAT, None)
    enqueue_acquire_gl_objects(on.queue, [image])
    enqueue_release_gl_objects(on.queue, [image])


def sharing_threads():
    gc.collect()
    return sum(thread.name == "cl2cuda OpenGL" for thread in threading.enumerate())


def test_many_frames_leave_no_threads_and_no_memory(on):
    texture = Texture("TEXTURE_2D", FORMATS["RGBA8"], FORMATS["RGBA8"].random((64, 64)))
    name = on.gl.buffer(np.zeros(4096, np.uint8))
    threads = sharing_threads()
    for frame in range(300):
        image = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
        shared = create_from_gl_buffer(on.context, 0, name)
        enqueue_acquire_gl_objects(on.queue, [image, shared])
        enqueue_fill_buffer(on.queue, shared, bytes([frame % 256]), 0, 4096)
        enqueue_release_gl_objects(on.queue, [image, shared])
        image.release()
        shared.release()
    assert (on.gl.read_buffer(name, np.zeros(4096, np.uint8)) == 299 % 256).all()
    left = sharing_threads()  # What an earlier test held may have gone meanwhile.
    assert left <= threads
    context = Context([on.device], on.gl.properties)
    assert context.graphics.group is not None and sharing_threads() == left + 1
    del context
    assert sharing_threads() <= left


# EGLImages


def test_an_egl_image(on):
    """In a context of OpenCL that knows of no context of OpenGL."""
    format_ = FORMATS["RGBA8"]
    pixels = format_.random((16, 8))
    texture = Texture("TEXTURE_2D", format_, pixels)
    # NVIDIA's OpenGL shows what others write through an EGLImage only in textures that were attached before it was made, also
    # where the others are contexts of OpenGL.
    assert (texture.read_attached() == pixels).all()
    GL.glFinish()
    context = Context([on.device])
    queue = CommandQueue(context, on.device)
    image = create_from_egl_image(context, on.gl.display, egl_image(on.gl, texture), codes.MEM_READ_WRITE)
    assert image.type == codes.MEM_OBJECT_IMAGE2D and image.layout.size() == (16, 8, 1)
    fails("INVALID_GL_OBJECT", gl_object_info, image)
    assert enqueue_acquire_egl_objects(queue, [image]).command_type == codes.COMMAND_ACQUIRE_EGL_OBJECTS_KHR
    back = np.zeros_like(pixels)
    enqueue_read_image(queue, image, True, (0, 0, 0), (16, 8, 1), 0, 0, back)
    assert (back == pixels).all()
    enqueue_write_image(queue, image, False, (0, 0, 0), (16, 4, 1), 0, 0, np.zeros_like(pixels))
    released = enqueue_release_egl_objects(queue, [image])
    assert released.command_type == codes.COMMAND_RELEASE_EGL_OBJECTS_KHR
    released.wait()
    pixels[:4] = 0
    assert (texture.read() == pixels).all()
    image.release()


def test_what_is_no_egl_image(on):
    context = Context([on.device])
    texture = Texture("TEXTURE_2D", FORMATS["RGBA8"], FORMATS["RGBA8"].random((8, 8)))
    good = egl_image(on.gl, texture)
    fails("INVALID_CONTEXT", create_from_egl_image, None, on.gl.display, good, 0)
    fails("INVALID_VALUE", create_from_egl_image, context, 0x1234, good, 0)
    fails("INVALID_VALUE", create_from_egl_image, context, on.gl.display, good, codes.MEM_COPY_HOST_PTR)
    fails("INVALID_VALUE", create_from_egl_image, context, on.gl.display, good, 0, [(1, 1)])
    fails("INVALID_EGL_OBJECT_KHR", create_from_egl_image, context, on.gl.display, 0, 0)
    made = create_from_egl_image(context, on.gl.display, good, codes.MEM_READ_ONLY | codes.MEM_HOST_NO_ACCESS)
    queue = CommandQueue(context, on.device)
    for enqueue in EGL_ACQUIRE_AND_RELEASE:
        fails("INVALID_COMMAND_QUEUE", enqueue, None, [made])
        fails("INVALID_VALUE", enqueue, queue, ())
        fails("INVALID_MEM_OBJECT", enqueue, queue, ["image"])
        fails("INVALID_EGL_OBJECT_KHR", enqueue, queue, [Buffer(context, 0, 64)])
        fails("INVALID_EVENT_WAIT_LIST", enqueue, queue, [made], ("event",))
    for enqueue in ACQUIRE_AND_RELEASE:
        fails("INVALID_GL_OBJECT", enqueue, on.queue, [Buffer(on.context, 0, 64)])


def test_the_devices_of_a_type_are_those_that_share(monkeypatch):
    """Of several GPUs one renders: a context of all GPUs, or of the default device, is of that one."""
    def device(type_, refusal):
        graphics = None if refusal is None else SimpleNamespace(refusal=lambda group: refusal)
        return SimpleNamespace(type=type_, driver_device=SimpleNamespace(graphics=graphics))

    gpus = [device(codes.DEVICE_TYPE_GPU, refusal) for refusal in ("elsewhere", "", None)]
    cpu = device(codes.DEVICE_TYPE_CPU, "elsewhere")
    of_type = {codes.DEVICE_TYPE_ALL: [*gpus, cpu], codes.DEVICE_TYPE_GPU: gpus, codes.DEVICE_TYPE_CPU: [cpu],
               codes.DEVICE_TYPE_DEFAULT: gpus[:1], codes.DEVICE_TYPE_ACCELERATOR: []}
    platform = SimpleNamespace(devices=lambda type_=codes.DEVICE_TYPE_ALL: of_type[type_])
    monkeypatch.setattr(context_graphics, "share_group", lambda routine, properties: properties or None)

    def chosen(type_, properties=((codes.GL_CONTEXT_KHR, 1),)):
        return context_graphics.devices_of_type("clCreateContextFromType", platform, type_, properties)

    assert chosen(codes.DEVICE_TYPE_GPU) == chosen(codes.DEVICE_TYPE_DEFAULT) == chosen(codes.DEVICE_TYPE_ALL) == [gpus[1]]
    assert chosen(codes.DEVICE_TYPE_CPU) == [cpu] and chosen(codes.DEVICE_TYPE_ACCELERATOR) == []  # creating it says what is wrong
    assert chosen(codes.DEVICE_TYPE_GPU, ()) == gpus and chosen(codes.DEVICE_TYPE_DEFAULT, ()) == gpus[:1]
