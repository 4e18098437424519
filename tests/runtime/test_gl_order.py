"""The order of commands beside OpenGL's: what acquiring and releasing wait for, on which thread, and fences."""

import gc
import threading
import time

import numpy as np
import pytest
from support.fails import fails
from support.gl import ACQUIRE_AND_RELEASE, EGL_ACQUIRE_AND_RELEASE, FORMATS, GL, GlContext, Sharing, Texture, egl_fence, gl_fence

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_marker, enqueue_read_buffer
from cl2cuda.runtime.commands.graphics import enqueue_acquire_egl_objects, enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.commands.image import enqueue_write_image
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.graphics.buffer import create_from_gl_buffer
from cl2cuda.runtime.graphics.image import create_from_gl_texture
from cl2cuda.runtime.graphics.sync import event_from_egl_sync, event_from_gl_sync
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent, wait_for_events
from cl2cuda.runtime.spec import codes


@pytest.fixture
def on(gl_device):
    yield from Sharing.for_a_test(gl_device)


def test_fences_of_this_threads_context_have_been_reached_where_it_acquires(on):
    """Acquiring waits for what the context has been given, and so is not deferred behind its fences."""
    name = on.gl.buffer(np.zeros(64, np.uint8))
    objects = [create_from_gl_buffer(on.context, 0, name)]
    events = event_from_gl_sync(on.context, gl_fence()), event_from_egl_sync(on.context, egl_fence(on.gl), on.gl.display)
    acquired = enqueue_acquire_gl_objects(on.queue, objects, events)
    assert not acquired.pending and all(event.status == codes.COMPLETE for event in events)
    enqueue_release_gl_objects(on.queue, objects).wait()


@pytest.mark.parametrize("properties", [0, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, codes.QUEUE_PROFILING_ENABLE])
def test_commands_that_wait_for_a_user_event(on, properties):
    """They run on the thread that sets it, which has no context of OpenGL."""
    queue = create_command_queue(on.context, on.device, properties)
    name = on.gl.buffer(np.zeros(16, np.uint8))
    shared = create_from_gl_buffer(on.context, 0, name)
    gate = UserEvent(on.context)
    acquired = enqueue_acquire_gl_objects(queue, [shared], (gate,))
    filled = enqueue_fill_buffer(queue, shared, b"\x05", 0, 16, (acquired,))
    released = enqueue_release_gl_objects(queue, [shared], (filled,))
    assert released.status == codes.QUEUED and not on.gl.read_buffer(name, np.zeros(16, np.uint8)).any()
    thread = threading.Thread(target=lambda: gate.set_status(0))
    thread.start()
    released.wait()
    thread.join()
    assert (on.gl.read_buffer(name, np.zeros(16, np.uint8)) == 5).all()
    queue.finish()


@pytest.mark.parametrize("deferred", [(), ("acquire",), ("release",), ("acquire", "release")])
@pytest.mark.parametrize("properties", [0, codes.QUEUE_PROFILING_ENABLE])
def test_opengl_sees_what_comes_before_and_gives_what_came_before(on, deferred, properties):
    """Whatever of a frame waits for the application, which has its context current where it opens the gate."""
    queue = create_command_queue(on.context, on.device, properties)
    size = 1 << 20
    name = on.gl.buffer(np.zeros(size, np.uint8))
    shared, read = create_from_gl_buffer(on.context, 0, name), np.zeros(size, np.uint8)
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
    for frame in range(1, 200, 3):
        contents = np.full(size, frame, np.uint8)
        GL.glBufferSubData(GL.GL_ARRAY_BUFFER, 0, size, contents)
        gates = {each: UserEvent(on.context) for each in deferred}
        enqueue_acquire_gl_objects(queue, [shared], [gates["acquire"]] if "acquire" in gates else ())
        enqueue_read_buffer(queue, shared, False, 0, read)
        enqueue_fill_buffer(queue, shared, bytes([frame + 1]), 0, size)
        released = enqueue_release_gl_objects(queue, [shared], [gates["release"]] if "release" in gates else ())
        for gate in gates.values():
            gate.set_status(0)
        if gates:
            released.wait()
        assert (on.gl.read_buffer(name, np.zeros(size, np.uint8)) == frame + 1).all()
        queue.finish()
        assert (read == frame).all()


def test_one_thread_acquires_and_another_releases(on):
    """The application's context is current on one of them."""
    size = 1 << 16
    name = on.gl.buffer(np.zeros(size, np.uint8))
    texture, format_ = Texture("TEXTURE_2D", FORMATS["RGBA8"], FORMATS["RGBA8"].random((4, 4))), FORMATS["RGBA8"]
    shared = [create_from_gl_buffer(on.context, 0, name), create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)]
    calls = [lambda: enqueue_acquire_gl_objects(on.queue, shared), lambda: enqueue_release_gl_objects(on.queue, shared).wait()]
    for turn in range(40):
        pixels = format_.random((4, 4), seed=turn)
        GL.glFinish()
        for place, call in enumerate(calls):
            if turn % 2 == place:
                call()
            else:
                thread = threading.Thread(target=call)
                thread.start()
                thread.join()
            if not place:
                enqueue_fill_buffer(on.queue, shared[0], bytes([turn]), 0, size)
                enqueue_write_image(on.queue, shared[1], False, (0, 0, 0), (4, 4, 1), 0, 0, pixels)
        assert (on.gl.read_buffer(name, np.zeros(size, np.uint8)) == turn).all()
        assert texture.read().tobytes() == pixels.tobytes()


@pytest.mark.parametrize("kind", ["buffer", "texture"])
@pytest.mark.parametrize("state", ["handed back", "handed back later", "never handed back"])
def test_objects_outlive_the_applications_context(gl_device, kind, state):
    """OpenCL's context still has one of the share group."""
    on = Sharing(gl_device)
    if kind == "buffer":
        shared = create_from_gl_buffer(on.context, 0, on.gl.buffer(np.zeros(1 << 16, np.uint8)))
    else:
        texture = Texture("TEXTURE_2D", FORMATS["RGBA8"], FORMATS["RGBA8"].random((64, 64)))
        shared = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
    for _ in range(3):
        enqueue_acquire_gl_objects(on.queue, [shared])
        enqueue_release_gl_objects(on.queue, [shared])
    if state != "handed back":
        enqueue_acquire_gl_objects(on.queue, [shared])
    on.queue.finish()
    on.gl.close()
    if state == "handed back later":
        enqueue_release_gl_objects(on.queue, [shared])
    on.queue.finish()
    shared.release()
    del shared
    gc.collect()
    plain, read = Buffer(on.context, 0, 64), np.zeros(64, np.uint8)
    enqueue_fill_buffer(on.queue, plain, b"\x03", 0, 64)
    enqueue_read_buffer(on.queue, plain, True, 0, read)
    assert (read == 3).all()


def test_what_is_acquired_already_is_waited_for(on):
    """Nothing is left to be put in order by handing it over."""
    name = on.gl.buffer(np.zeros(16, np.uint8))
    shared = create_from_gl_buffer(on.context, 0, name)
    for _ in range(3):
        enqueue_acquire_gl_objects(on.queue, [shared])
    enqueue_fill_buffer(on.queue, shared, b"\x07", 0, 16)
    for _ in range(3):
        enqueue_release_gl_objects(on.queue, [shared])
    assert (on.gl.read_buffer(name, np.zeros(16, np.uint8)) == 7).all()


def test_a_thread_without_a_context_of_opengl(on):
    name = on.gl.buffer(np.arange(64, dtype=np.uint8))
    texture = Texture("TEXTURE_2D", FORMATS["RGBA8"], FORMATS["RGBA8"].random((4, 4)))
    GL.glFinish()
    found = []

    def work():
        buffer = create_from_gl_buffer(on.context, 0, name)
        image = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
        enqueue_acquire_gl_objects(on.queue, [buffer, image])
        back = np.zeros(64, np.uint8)
        enqueue_read_buffer(on.queue, buffer, True, 0, back)
        found.append(back)
        enqueue_fill_buffer(on.queue, buffer, b"\x01", 0, 32)
        enqueue_release_gl_objects(on.queue, [buffer, image]).wait()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (found[0] == np.arange(64)).all()
    assert (on.gl.read_buffer(name, np.zeros(64, np.uint8)) == [1] * 32 + list(range(32, 64))).all()


# Fences


def test_an_event_of_a_fence(on):
    name = on.gl.buffer(np.full(64, 3, np.uint8))
    fence = gl_fence()
    event = event_from_gl_sync(on.context, fence)
    assert event.get_info(codes.EVENT_COMMAND_TYPE) == codes.COMMAND_GL_FENCE_SYNC_OBJECT_KHR
    assert event.get_info(codes.EVENT_COMMAND_QUEUE) is None and event.get_info(codes.EVENT_CONTEXT) is on.context
    assert event.status in (codes.SUBMITTED, codes.COMPLETE)
    called = threading.Event()
    event.set_callback(codes.COMPLETE, lambda status: called.set())
    shared = create_from_gl_buffer(on.context, 0, name)
    enqueue_acquire_gl_objects(on.queue, [shared], (event,))
    back = np.zeros(64, np.uint8)
    enqueue_read_buffer(on.queue, shared, True, 0, back)
    assert (back == 3).all()
    wait_for_events([event])
    assert event.status == codes.COMPLETE and called.wait(10)
    enqueue_release_gl_objects(on.queue, [shared])
    GL.glDeleteSync(fence)
    fails("PROFILING_INFO_NOT_AVAILABLE", event.profile, codes.PROFILING_COMMAND_START)


def test_only_acquiring_waits_for_a_fence(on):
    event = event_from_gl_sync(on.context, gl_fence())
    for enqueue in (lambda: enqueue_marker(on.queue, (event,)), lambda: enqueue_release_gl_objects(on.queue, None, (event,)),
                    lambda: enqueue_acquire_egl_objects(on.queue, None, (event,))):
        fails("INVALID_EVENT", enqueue)
    enqueue_acquire_gl_objects(on.queue, None, (event,)).wait()
    other = event_from_egl_sync(on.context, egl_fence(on.gl), on.gl.display)
    assert other.command_type == codes.COMMAND_EGL_FENCE_SYNC_OBJECT_KHR
    fails("INVALID_EVENT", enqueue_marker, on.queue, (other,))
    for enqueue in (*ACQUIRE_AND_RELEASE, *EGL_ACQUIRE_AND_RELEASE):
        enqueue(on.queue, None, (other,)).wait()
    assert other.status == codes.COMPLETE


def test_what_is_no_fence(on):
    plain = Context([on.device])
    fails("INVALID_CONTEXT", event_from_gl_sync, plain, gl_fence())
    fails("INVALID_GL_OBJECT", event_from_gl_sync, on.context, 0x1234)
    fails("INVALID_GL_OBJECT", event_from_gl_sync, on.context, 0)
    fails("INVALID_CONTEXT", event_from_egl_sync, plain, egl_fence(on.gl), on.gl.display)
    fails("INVALID_EGL_OBJECT_KHR", event_from_egl_sync, on.context, 0, on.gl.display)
    fails("INVALID_EGL_OBJECT_KHR", event_from_egl_sync, on.context, egl_fence(on.gl), 0x1234)


def test_a_fence_of_another_thread(on):
    """A thread renders while this one waits for its fence by the event."""
    name = on.gl.buffer(np.zeros(1 << 20, np.uint8))
    GL.glFinish()
    fences, go = [], threading.Event()

    def render():
        other = GlContext(shared=on.gl)
        for value in range(50):
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
            GL.glBufferSubData(GL.GL_ARRAY_BUFFER, 0, 1 << 20, np.full(1 << 20, value, np.uint8))
        fences.append(gl_fence())
        GL.glFlush()
        go.set()
        time.sleep(0.2)
        other.close()

    thread = threading.Thread(target=render)
    thread.start()
    assert go.wait(60)
    shared = create_from_gl_buffer(on.context, 0, name)
    enqueue_acquire_gl_objects(on.queue, [shared], (event_from_gl_sync(on.context, fences[0]),))
    back = np.zeros(1 << 20, np.uint8)
    enqueue_read_buffer(on.queue, shared, True, 0, back)
    assert (back == 49).all()
    enqueue_release_gl_objects(on.queue, [shared]).wait()
    thread.join()
