"""Frames without end that OpenCL and OpenGL share, against a model: nothing may be lost between them, nothing may be left behind.

    python tests/tools/stress_opengl.py                          # on the device that cl2cuda chooses, or on CL2CUDA_DEVICE's
    python tests/tools/stress_opengl.py --frames 20000 --seed 7 --limit 300

Buffers and textures of several sizes are written by OpenGL, by kernels, fills and copies of OpenCL, in any order, and are ordered by
nothing but acquire and release: on one queue or two, with and without fences, and with a release that waits for a user event, which
another thread sets. Now and then one side's contents are compared with the model, an object goes and a new one comes. Exit status: 0
for a whole run without a fault, 1 at the first difference or when threads or memory have grown in the second half (of at least 3000
frames), 2 if there was no time for all of it, 3 where no OpenGL that needs no screen shares with the device.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import gc
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from support import gl
from support.gl import FORMATS, GL, GlContext, Texture

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.graphics import enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.commands.image import enqueue_read_image, enqueue_write_image
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.graphics.buffer import SharedBuffer, create_from_gl_buffer
from cl2cuda.runtime.graphics.image import SharedImage, create_from_gl_texture
from cl2cuda.runtime.graphics.sync import event_from_gl_sync
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import Event, UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

# Of bytes, while there are no objects. Allocators keep a little; a leak of 7 KB a frame does not pass.
ALLOWED_GROWTH = 32 << 20
FRAMES_TO_SETTLE = 3000  # before, allocators and drivers still fill their caches
SIZES = (256, 4096, 65536, 1 << 20, 3 << 20)  # of buffers, in bytes
SIDES = ((16, 8), (64, 64), (320, 200), (1024, 512))  # of textures
SOURCE = """
kernel void on_buffer(global uint *a, uint k) { size_t i = get_global_id(0); a[i] = a[i] * 5 + k; }
kernel void on_image(read_write image2d_t a, uint k) {
    int2 at = {get_global_id(0), get_global_id(1)};
    write_imageui(a, at, (read_imageui(a, at) * 5 + k) & 255);
}"""


class OfBuffer:
    """A buffer that both sides know, and what is in it."""

    def __init__(self, stress: Stress):
        self.stress = stress
        self.model = stress.numbers.integers(0, 1 << 32, stress.random.choice(SIZES) // 4, np.uint32)
        self.name = stress.gl.buffer(self.model)
        self.memory: SharedBuffer | SharedImage = create_from_gl_buffer(stress.context, 0, self.name)

    def opengl_writes(self) -> None:
        start = self.stress.random.randrange(len(self.model))
        part = self.stress.numbers.integers(0, 1 << 32, min(1000, len(self.model) - start), np.uint32)
        self.model[start : start + len(part)] = part
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.name)
        GL.glBufferSubData(GL.GL_ARRAY_BUFFER, start * 4, part.nbytes, part)

    def opencl_writes(self, queue: CommandQueue) -> None:
        number, way = self.stress.random.randrange(1 << 32), self.stress.random.choice(("kernel", "kernel", "fill", "write"))
        assert isinstance(self.memory, SharedBuffer)
        if way == "kernel":
            self.stress.launch("on_buffer", queue, self.memory, number, (len(self.model),))
            self.model = self.model * np.uint32(5) + np.uint32(number)
        elif way == "fill":
            half = len(self.model) // 2
            enqueue_fill_buffer(queue, self.memory, number.to_bytes(4, "little"), half * 4, (len(self.model) - half) * 4)
            self.model[half:] = number
        else:
            self.model = self.stress.numbers.integers(0, 1 << 32, len(self.model), np.uint32)
            enqueue_write_buffer(queue, self.memory, False, 0, self.model.copy())

    def seen_by_opengl(self) -> np.ndarray:
        return self.stress.gl.read_buffer(self.name, self.model)

    def seen_by_opencl(self, queue: CommandQueue) -> np.ndarray:
        assert isinstance(self.memory, SharedBuffer)
        found = np.zeros_like(self.model)
        enqueue_read_buffer(queue, self.memory, True, 0, found)
        return found

    def forget(self) -> None:
        self.memory.release()
        GL.glDeleteBuffers(1, [self.name])


class OfTexture:
    """A texture of RGBA8UI."""

    def __init__(self, stress: Stress):
        self.stress = stress
        self.model = FORMATS["RGBA8UI"].random(stress.random.choice(SIDES), stress.random.randrange(1 << 30))
        self.texture = Texture("TEXTURE_2D", FORMATS["RGBA8UI"], self.model)
        self.memory: SharedBuffer | SharedImage = create_from_gl_texture(stress.context, 0, self.texture.target, 0, self.texture.name)
        self.whole = (0, 0, 0), (self.model.shape[1], self.model.shape[0], 1)

    def opengl_writes(self) -> None:
        self.model = FORMATS["RGBA8UI"].random(self.texture.size, self.stress.random.randrange(1 << 30))
        GL.glBindTexture(self.texture.target, self.texture.name)
        GL.glTexSubImage2D(self.texture.target, 0, 0, 0, *self.texture.size, GL.GL_RGBA_INTEGER, GL.GL_UNSIGNED_BYTE, self.model)

    def opencl_writes(self, queue: CommandQueue) -> None:
        assert isinstance(self.memory, SharedImage)
        if self.stress.random.random() < 0.7:
            number = self.stress.random.randrange(256)
            self.stress.launch("on_image", queue, self.memory, number, self.whole[1][:2])
            self.model = self.model * np.uint8(5) + np.uint8(number)
        else:
            self.model = FORMATS["RGBA8UI"].random(self.texture.size, self.stress.random.randrange(1 << 30))
            enqueue_write_image(queue, self.memory, False, *self.whole, 0, 0, self.model.copy())

    def seen_by_opengl(self) -> np.ndarray:
        return self.texture.read()

    def seen_by_opencl(self, queue: CommandQueue) -> np.ndarray:
        assert isinstance(self.memory, SharedImage)
        found = np.zeros_like(self.model)
        enqueue_read_image(queue, self.memory, True, *self.whole, 0, 0, found)
        return found

    def forget(self) -> None:
        self.memory.release()
        GL.glDeleteTextures(1, [self.texture.name])


class Stress:
    def __init__(self, device: Device, context: Context, opengl: GlContext, seed: int):
        self.context, self.gl = context, opengl
        self.random, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.queues = [CommandQueue(context, device) for _ in range(2)]
        program = Program(context, SOURCE)
        program.build("-cl-std=CL2.0")
        self.kernels = {name: Kernel(program, name) for name in ("on_buffer", "on_image")}
        self.done: collections.Counter[str] = collections.Counter()
        self.objects: list[OfBuffer | OfTexture] = []
        self.begin()

    def begin(self) -> None:
        for _ in range(4):
            self.objects += [OfBuffer(self), OfTexture(self)]

    def launch(self, name: str, queue: CommandQueue, memory: SharedBuffer | SharedImage, number: int, size: tuple[int, ...]) -> None:
        kernel = self.kernels[name]
        kernel.set_arg(0, memory)
        kernel.set_arg(1, np.uint32(number))
        enqueue_nd_range_kernel(queue, kernel, len(size), None, size, None)

    def frame(self) -> None:
        """Of some objects: OpenGL writes, OpenCL writes, and maybe both look."""
        queue = self.random.choice(self.queues)
        chosen = self.random.sample(self.objects, self.random.randint(1, 3))
        for one in chosen:
            if self.random.random() < 0.5:
                one.opengl_writes()
        memories = [one.memory for one in chosen]
        way = self.random.choices(("plain", "fence", "user event"), (8, 1, 1))[0]
        self.done[way] += 1
        if way == "user event":
            self._later(queue, chosen, memories)
        else:
            fence = gl.gl_fence() if way == "fence" else None
            enqueue_acquire_gl_objects(queue, memories, () if fence is None else (event_from_gl_sync(self.context, fence),))
            for one in chosen:
                for _ in range(self.random.randint(0, 2)):
                    one.opencl_writes(queue)
                if self.random.random() < 0.1:
                    self._compare("OpenCL", one, one.seen_by_opencl(queue))
            released = enqueue_release_gl_objects(queue, memories)
            if fence is not None:
                released.wait()
                GL.glDeleteSync(ctypes.c_void_p(fence))
        for one in chosen:
            if self.random.random() < 0.2:
                self._compare("OpenGL", one, one.seen_by_opengl())
        if self.random.random() < 0.05:
            self._replace(self.random.choice(chosen))

    def _later(self, queue: CommandQueue, chosen: list[OfBuffer | OfTexture], memories: list[SharedBuffer | SharedImage]) -> None:
        """The commands wait for another thread, and OpenGL for the last of them."""
        gate = UserEvent(self.context)
        enqueue_acquire_gl_objects(queue, memories, (gate,))
        for one in chosen:
            if isinstance(one, OfBuffer):
                one.opencl_writes(queue)
        released: Event = enqueue_release_gl_objects(queue, memories)
        thread = threading.Thread(target=gate.set_status, args=[codes.COMPLETE])
        thread.start()
        released.wait()
        thread.join()

    def _compare(self, side: str, one: OfBuffer | OfTexture, found: np.ndarray) -> None:
        self.done[f"compared by {side}"] += 1
        wrong = int((found != one.model).sum())
        if wrong:
            raise AssertionError(f"{wrong} of {found.size} values of {type(one).__name__} {found.shape} are wrong as {side} sees them")

    def _replace(self, one: OfBuffer | OfTexture) -> None:
        self.done["replaced"] += 1
        one.forget()
        self.objects[self.objects.index(one)] = self.random.choice((OfBuffer, OfTexture))(self)

    def end(self) -> None:
        """All that was enqueued has been done, and no object is left."""
        for queue in self.queues:
            queue.finish()
        for one in self.objects:
            self._compare("OpenGL", one, one.seen_by_opengl())
            one.forget()
        self.objects = []
        GL.glFinish()


def sharing(device: Device) -> tuple[GlContext, Context] | None:
    for display in gl.displays() if not gl.MISSING else ():
        opengl = GlContext(display=display)
        try:
            return opengl, Context([device], opengl.properties)
        except CLError as error:
            opengl.close()
            if error.status != "INVALID_GL_SHAREGROUP_REFERENCE_KHR":
                raise
    return None


def used(device: Device, shared: bool) -> Callable[[], dict[str, int]]:
    """What may not grow: bytes of the process, threads, and bytes in use on the GPU."""
    from stress.growth import process_memory

    def ask() -> dict[str, int]:
        gc.collect()
        found = {"bytes of the process": process_memory(), "threads": sum(thread.name == "cl2cuda OpenGL" for thread in threading.enumerate())}
        if device.is_cuda and not shared:
            from cl2cuda.runtime.cuda import api
            free, total = api.load().runtime.memGetInfo()
            found["bytes of the device"] = total - free
        return found

    return ask


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--limit", type=float, default=600, help="seconds")
    parser.add_argument("--shared", action="store_true", help="other processes use the GPU, too: what all use together may grow")
    options = parser.parse_args()
    end = time.monotonic() + options.limit
    device = platforms()[0].devices()[0]
    found = sharing(device)
    if found is None:
        print("no OpenGL that needs no screen shares with the device")
        return 3
    opengl, context = found
    print(f"{device.properties.name}, {GL.glGetString(GL.GL_RENDERER).decode()}, --seed {options.seed}", flush=True)
    stress, ask, settled, frame = Stress(device, context, opengl, options.seed), used(device, options.shared), {}, 0
    try:
        while frame < options.frames and time.monotonic() < end:
            stress.frame()
            frame += 1
            if frame == options.frames // 2:
                stress.end()
                settled = ask() if frame >= FRAMES_TO_SETTLE else {}
                stress.begin()
        stress.end()
    except AssertionError as error:
        print(f"frame {frame}: {error}")
        return 1
    last = ask()
    print(f"{frame:,} frames: " + ", ".join(f"{count:,} {name}" for name, count in sorted(stress.done.items())))
    for name, before in settled.items():
        print(f"  {name}: {before:,} after half, {last[name]:,} at the end")
    grown = settled and (last["threads"] > settled["threads"]
                         or any(last[name] - settled[name] > ALLOWED_GROWTH for name in settled if name != "threads"))
    return 1 if grown else 0 if frame == options.frames else 2


if __name__ == "__main__":
    raise SystemExit(main())
