"""What launchers_main.cu runs, through OpenCL on cl2cuda or through the modules of `--launchers cupy` (in the folder that is given):
prints a hash of each result, and leaves the results in FOLDER/WAY.npz. OPTIONS are OpenCL's build options beside -cl-std.

usage: python launchers_runs.py opencl|cupy|numba FOLDER EXAMPLES [OPTIONS]
"""

import sys
from pathlib import Path

import numpy as np

IDS = """
typedef struct { uint width; uint2 start; } Places;
kernel void ids(global uint *out, Places places)
{
    size_t x = get_global_id(0) - places.start.x, y = get_global_id(1) - places.start.y;
    global uint *p = out + 8 * (y * places.width + x);
    p[0] = get_global_id(0); p[1] = get_global_id(1); p[2] = get_local_size(0); p[3] = get_group_id(1);
    p[4] = get_global_offset(0); p[5] = get_enqueued_local_size(0); p[6] = get_work_dim(); p[7] = get_num_groups(0);
}
"""
PLACES = np.dtype({"names": ["width", "start"], "formats": [np.uint32, (np.uint32, (2,))], "offsets": [0, 8], "itemsize": 16})


RESULTS = {}


def show(name, array):
    h = 14695981039346656037
    for byte in np.ascontiguousarray(array).tobytes():
        h = (h ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    print(f"{name} {h:016x}")
    RESULTS[name] = array


class OpenCL:
    """launch(program, kernel, ...) by PyOpenCL on cl2cuda."""

    def __init__(self, folder, examples, options):
        import cl2cuda

        cl2cuda.install()
        import pyopencl as cl

        self.cl, self.examples, self.options = cl, Path(examples), f"-cl-std=CL3.0 {options}"
        self.context = cl.create_some_context(interactive=False)
        self.queue = cl.CommandQueue(self.context)

    def array(self, host):
        flags = self.cl.mem_flags
        return self.cl.Buffer(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=host)

    def read(self, array, like):
        found = np.empty_like(like)
        self.cl.enqueue_copy(self.queue, found, array)
        return found

    def image(self, pixels):
        rows, columns = pixels.shape[:2]
        rgba = self.cl.ImageFormat(self.cl.channel_order.RGBA, self.cl.channel_type.UNORM_INT8)
        flags = self.cl.mem_flags
        create_image = getattr(self.cl, "create_image", self.cl.Image)  # PyOpenCL before 2024.3 has the class alone
        return create_image(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, rgba, shape=(columns, rows), hostbuf=pixels)

    def read_image(self, image, like):
        found = np.empty_like(like)
        self.cl.enqueue_copy(self.queue, found, image, origin=(0, 0), region=like.shape[1::-1])
        return found

    def local(self, size):
        return self.cl.LocalMemory(size)

    def launch(self, program, kernel, global_size, local_size, *arguments, offset=None):
        source = IDS if program == "ids" else (self.examples / f"{program}.cl").read_text()
        built = self.cl.Program(self.context, source).build(self.options)
        self.cl.Kernel(built, kernel)(self.queue, global_size, local_size, *arguments, global_offset=offset)


class CuPy:
    """launch(program, kernel, ...) by the modules that cl2cuda wrote, without cl2cuda."""

    def __init__(self, folder, examples, options):
        import cupy

        sys.path.insert(0, folder)
        self.cupy = cupy
        self.stream = cupy.cuda.Stream()
        self.stream.use()

    def array(self, host):
        return self.cupy.asarray(host)

    def read(self, array, like):
        return self.cupy.asnumpy(array)

    def image(self, pixels):
        import rotate

        rows, columns = pixels.shape[:2]
        image = rotate.Image("RGBA", "UNORM_INT8", (columns, rows))
        image.write(pixels)
        return image

    def read_image(self, image, like):
        self.cupy.cuda.Device().synchronize()
        return image.read().reshape(like.shape)

    def local(self, size):
        return size

    def launch(self, program, kernel, global_size, local_size, *arguments, offset=None):
        getattr(__import__(program), kernel)(global_size, local_size, *arguments, global_offset=offset)
        assert self.cupy.cuda.get_current_stream() == self.stream
        assert "cl2cuda" not in sys.modules


class Numba(CuPy):
    """launch(program, kernel, ...) by the declarations that cl2cuda wrote; the local size divides the global size."""

    def launch(self, program, kernel, global_size, local_size, *arguments, offset=None):
        if program in ("rotate", "ids"):
            return
        group = local_size or (16, 16)
        grid = tuple(size // block for size, block in zip(global_size, group, strict=False))
        flat, shared = [], 0
        for each in arguments:
            if isinstance(each, int) and program == "nbody" and each > 512:
                shared = each  # the `local` argument, which has no parameter
            elif isinstance(each, np.ndarray) and each.shape == (2,):
                flat += [np.float32(each[0]), np.float32(each[1])]
            else:
                flat.append(each.reshape(-1) if hasattr(each, "reshape") and each.shape else each)
        import numbas_numpy  # noqa: F401
        from numba import cuda

        getattr(__import__(f"{program}_numba"), f"{kernel}_kernel")[grid, group, cuda.default_stream(), shared](*flat)
        cuda.synchronize()


def main(way, folder, examples, options=""):
    runner = {"opencl": OpenCL, "cupy": CuPy, "numba": Numba}[way](folder, examples, options)
    run(runner, way)
    np.savez(Path(folder, f"{way}.npz"), **RESULTS)


def run(runner, way):
    m, n, k = 70, 50, 60
    a, b = (np.arange(m * k) % 7).astype(np.float32), (np.arange(k * n) % 5).astype(np.float32)
    c = np.zeros(m * n, np.float32)
    out = runner.array(c)
    runner.launch("matmul", "matmul", (64, 80), (16, 16), runner.array(a), runner.array(b), out, np.int32(m), np.int32(n), np.int32(k))
    show("matmul", runner.read(out, c))

    i = np.arange(100000) % 1000
    data, counts = (i * i % 251).astype(np.uint8), np.zeros(256, np.uint32)
    out = runner.array(counts)
    runner.launch("histogram", "histogram", (256 * 16,), (64,), runner.array(data), np.uint32(100000), out)
    show("histogram", runner.read(out, counts))

    bodies = ((np.arange(4 * 256) * 37 % 101) / np.float32(64)).astype(np.float32)
    zeros = np.zeros_like(bodies)
    out = runner.array(zeros)
    runner.launch("nbody", "advance", (256,), (64,), runner.array(bodies), runner.array(zeros), out, np.int32(256), np.float32(0.01),
                  np.float32(0.5), runner.local(16 * 64))
    show("nbody", runner.read(out, zeros))

    picture = np.zeros((64, 96, 4), np.uint8)
    out = runner.array(picture)
    runner.launch("mandelbrot", "mandelbrot", (96, 64), None, out, np.array([-0.75, 0], np.float32), np.float32(3), np.int32(60), np.int32(2))
    show("mandelbrot", runner.read(out, picture))

    blurred, edges = runner.array(picture), runner.array(picture)
    runner.launch("blur_sobel", "blur", (96, 64), None, out, blurred)
    runner.launch("blur_sobel", "sobel", (96, 64), None, blurred, edges)
    show("blur_sobel", runner.read(edges, picture))
    if way == "numba":
        return

    target = runner.image(picture)
    runner.launch("rotate", "rotate_picture", (96, 64), None, runner.image(runner.read(out, picture)), target, np.float32(0.5))
    show("rotate", runner.read_image(target, picture))

    ids = np.zeros(8 * 35 * 9, np.uint32)
    out = runner.array(ids)
    runner.launch("ids", "ids", (35, 9), (8, 4), out, np.array((35, (3, 2)), PLACES)[()], offset=(3, 2))
    show("ids", runner.read(out, ids))


if __name__ == "__main__":
    main(*sys.argv[1:])
