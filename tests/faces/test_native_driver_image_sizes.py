"""Images that programs in C make in sizes that have not come before (driver/descriptions.c): of what is like an image that was checked but for
its sizes Python hears when it is used, and what the device does not have it refuses as before."""

import pytest
from support import driver_library
from support.driver_arrays import IMAGES
from support.driver_arrays import run as run_with

from cl2cuda.runtime.native import library as native
from cl2cuda.runtime.native.build import build_for_source_tree

# `made` is how many images Python has checked, `of_kind` how many it has made without.
COUNTED = """
from cl2cuda.opencl_icd import image as package
from cl2cuda.runtime.image.image import Image
IMAGE1D, IMAGE1D_ARRAY, IMAGE2D_ARRAY, INVALID_SIZE, INVALID_DESCRIPTOR = 0x10F4, 0x10F5, 0x10F3, -40, -65
made, of_kind = [], []
inner, inner_of_kind = Image.__init__, Image.of_kind.__func__
def counted(image, *given):
    made.append(None)
    return inner(image, *given)
def counted_of_kind(cls, *given):
    of_kind.append(None)
    return inner_of_kind(cls, *given)
Image.__init__, Image.of_kind = counted, classmethod(counted_of_kind)

def create(kind=IMAGE2D, width=8, height=6, depth=1, layers=1, flags=0, data=None, row=0, plane=0, levels=0, samples=0, type=BYTES):
    described = Description(kind, width, height, depth, layers, row, plane, levels, samples)
    status = ctypes.c_int32(77)
    cl.clCreateImage.restype = P
    image = cl.clCreateImage(cl_context, W(flags), ctypes.byref(Format(RGBA, type)), ctypes.byref(described), data, ctypes.byref(status))
    assert (image is None) == (status.value != 0)
    return P(image), status.value

def image_info(image, *queries):
    found = []
    for query in queries:
        value = ctypes.c_size_t()
        ok(cl.clGetImageInfo(image, query, W(8), ctypes.byref(value), None))
        found.append(value.value)
    return found

def rows_of(image, *size):
    return pixels(image, three(*size))
"""


def run(text):
    return run_with(text, IMAGES + COUNTED)


def test_an_image_of_a_new_size_is_made_without_python():
    assert run("""
sizes = [dict(kind=IMAGE2D), dict(kind=IMAGE3D, depth=3), dict(kind=IMAGE1D, height=77), dict(kind=IMAGE1D_ARRAY, layers=3),
         dict(kind=IMAGE2D_ARRAY, layers=3)]
for how in sizes:
    for number in range(1, 6):
        image, status = create(**{**how, "width": 8 + number, **{name: how[name] + number for name in ("depth", "layers") if name in how}})
        assert status == 0 and len(made) == 1, (how, number)
        ok(cl.clReleaseMemObject(image))
    assert not of_kind
    made.clear()
""") == ""


def test_it_is_what_was_asked_for():
    assert run("""
create(width=4), create(IMAGE3D, 4, 4, 4), create(IMAGE2D_ARRAY, 4, 4, layers=4), create(IMAGE1D, 4), create(IMAGE1D_ARRAY, 4, layers=4)
QUERIES = 0x1112, 0x1113, 0x1114, 0x1115, 0x1116, 0x1117
for how, told in ((dict(width=9, height=7, depth=5, layers=3), [36, 0, 9, 7, 0, 0]),
                  (dict(kind=IMAGE3D, width=9, height=7, depth=5, layers=3), [36, 252, 9, 7, 5, 0]),
                  (dict(kind=IMAGE2D_ARRAY, width=9, height=7, depth=5, layers=3), [36, 252, 9, 7, 0, 3]),
                  (dict(kind=IMAGE1D, width=9, height=7, depth=5, layers=3), [36, 0, 9, 0, 0, 0]),
                  (dict(kind=IMAGE1D_ARRAY, width=9, height=7, depth=5, layers=3), [36, 36, 9, 0, 0, 3])):
    made.clear(), of_kind.clear()
    image, status = create(**how)
    assert status == 0 and not made and not of_kind
    assert image_info(image, *QUERIES) == told and not made and len(of_kind) == 1
    size = W()
    ok(cl.clGetMemObjectInfo(image, 0x1102, W(8), ctypes.byref(size), None))
    assert size.value == 4 * max(told[2], 1) * max(told[3], 1) * max(told[4], 1) * max(told[5], 1)
    ok(cl.clReleaseMemObject(image))
""") == ""


def test_what_a_device_does_not_have_is_refused_each_time():
    assert run("""
from cl2cuda.runtime.devices import platform as platforms
limits = platforms.platforms()[0]._devices[0].properties.images
width, height, (deep_width, deep_height, depth), layers = *limits.plane, limits.volume, limits.layers
for _ in range(2):
    for kind in (IMAGE1D, IMAGE2D, IMAGE3D, IMAGE1D_ARRAY, IMAGE2D_ARRAY):
        assert create(kind)[1] == 0
    assert create(width=width + 1)[1] == create(height=height + 1)[1] == INVALID_SIZE
    assert create(IMAGE1D, width=width + 1)[1] == create(IMAGE1D_ARRAY, layers=layers + 1)[1] == INVALID_SIZE
    assert create(IMAGE2D_ARRAY, layers=layers + 1)[1] == create(IMAGE3D, depth=depth + 1)[1] == INVALID_SIZE
    assert create(IMAGE3D, width=deep_width + 1)[1] == create(IMAGE3D, height=deep_height + 1)[1] == INVALID_SIZE
    assert create(width=1 << 63, height=4)[1] == create(width=(1 << 32) + 1)[1] == INVALID_SIZE
    # What the type has not got may be anything.
    for kind in (IMAGE1D, IMAGE2D):
        assert create(kind, depth=1 << 40, layers=1 << 40)[1] == 0
    assert create(IMAGE1D, height=0, depth=0, layers=0)[1] == create(width=width, height=1)[1] == 0
    for wrong in (dict(width=0), dict(height=0), dict(kind=IMAGE3D, depth=0), dict(kind=IMAGE2D_ARRAY, layers=0), dict(row=32), dict(plane=192),
                  dict(samples=1), dict(levels=9), dict(kind=77)):
        assert create(**wrong)[1] == INVALID_DESCRIPTOR, wrong
    assert create(flags=0x21)[1] == create(flags=1, data=bytes(192))[1] == -37 and create(flags=1 | 2)[1] == -30
    assert create(type=0x1234)[1] == -39
""") == ""


def test_new_sizes_begin_with_contents():
    assert run("""
data = ctypes.create_string_buffer(bytes(number % 251 for number in range(1 << 14)))
large = ctypes.create_string_buffer(b"L" * (300 << 10))
# The first is larger than what the library keeps.
assert create(width=256, height=256 + 1, flags=0x20, data=large)[1] == 0
for number in range(1, 5):
    made.clear(), of_kind.clear()
    width, own = 8 + number, ctypes.create_string_buffer(data.raw)
    image, status = create(width=width, flags=0x20, data=own, row=width * 4 * (number % 2))
    ctypes.memset(own, 0, 1000)
    assert status == 0 and not made and not of_kind
    assert rows_of(image, width, 6, 1) == data.raw[: width * 24] and len(of_kind) == 1 and not made
    ok(cl.clReleaseMemObject(image))
create(IMAGE3D, flags=0x20, data=data)
made.clear()
image, status = create(IMAGE3D, 5, 4, 3, flags=0x20, data=data, row=20, plane=80)
assert status == 0 and not made and rows_of(image, 5, 4, 3) == data.raw[:240]
# Rows or planes that lie apart are Python's, and so is more than the library keeps.
image, status = create(IMAGE3D, 5, 4, 3, flags=0x20, data=data, row=20, plane=100)
assert status == 0 and len(made) == 1
assert rows_of(image, 5, 4, 3) == b"".join(data.raw[start : start + 80] for start in (0, 100, 200))
image, status = create(width=5, height=4, flags=0x20, data=data, row=24)
assert status == 0 and len(made) == 2
assert rows_of(image, 5, 4, 1) == b"".join(data.raw[start : start + 20] for start in (0, 24, 48, 72))
image, status = create(width=256, height=280, flags=0x20, data=large)
assert status == 0 and len(made) == 3 and rows_of(image, 256, 280, 1) == b"L" * (280 << 10)
assert create(width=5, flags=0x20, data=data, row=16)[1] == INVALID_DESCRIPTOR
""") == ""


def test_calls_of_version_1_1_and_with_properties():
    assert run("""
def old(name, *sizes, flags=0, data=None):
    status, call = ctypes.c_int32(77), getattr(cl, name)
    call.restype = P
    image = call(cl_context, W(flags), ctypes.byref(Format(RGBA, BYTES)), *map(W, sizes), data, ctypes.byref(status))
    assert (image is None) == (status.value != 0)
    return P(image), status.value

data = bytes(number % 251 for number in range(1 << 12))
for number in range(1, 4):
    made.clear()
    plane, status = old("clCreateImage2D", 8 + number, 6, 4 * (8 + number) * (number == 3), flags=0x20, data=data)
    solid, other = old("clCreateImage3D", 8 + number, 6, 1 + number, 0, 0)
    assert status == other == 0 and len(made) == 2 * (number == 1)
    assert rows_of(plane, 8 + number, 6, 1) == data[: 24 * (8 + number)]
    assert image_info(solid, 0x1114, 0x1115, 0x1116) == [8 + number, 6, 1 + number]
    for _ in range(2):  # "image_depth [...] must be a value > 1"
        assert old("clCreateImage3D", 8, 6, 1, 0, 0)[1] == old("clCreateImage2D", 0, 6, 0)[1] == INVALID_SIZE
        assert old("clCreateImage2D", 1 << 40, 6, 0)[1] == INVALID_SIZE
described, image = Description(IMAGE2D, 8, 6, 1), None
for number in range(1, 4):
    for properties in (None, (W * 1)(0)):
        made.clear()
        described.width = 8 + number
        image = handle("clCreateImageWithProperties", cl_context, properties, W(0), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described),
                       None)
        assert len(made) == (number == 1)
        assert image_info(image, 0x1114) == [8 + number]
        found = ctypes.c_size_t(77)
        ok(cl.clGetMemObjectInfo(image, 0x110A, W(0), None, ctypes.byref(found)))
        assert found.value == (8 if properties else 0)
""") == ""


def test_mapped_memory_of_the_host_is_no_part_of_what_is_known():
    assert run("""
own = (ctypes.c_char * 4096)()
for number in range(1, 4):
    for flags, data in ((8, own), (16, None)):
        made.clear()
        image, status = create(width=8 + number, flags=flags, data=data)
        assert status == 0 and len(made) == 1 and image_info(image, 0x1114) == [8 + number]
""") == ""


COMMANDS = {
    "write": "cl.clEnqueueWriteImage(queue, image, 1, three(0, 0, 0), size, W(0), W(0), data, 0, None, None)",
    "fill": "cl.clEnqueueFillImage(queue, image, (ctypes.c_uint * 4)(1, 2, 3, 4), three(0, 0, 0), size, 0, None, None)",
    "copy": "cl.clEnqueueCopyImage(queue, full, image, three(0, 0, 0), three(0, 0, 0), size, 0, None, None)",
    "from a buffer": "cl.clEnqueueCopyBufferToImage(queue, buffer, image, W(0), three(0, 0, 0), size, 0, None, None)",
}
FULL = """
data = bytes(number % 251 for number in range(1 << 12))
full, buffer = create(width=16, height=16)[0], new_buffer(4096)
put(buffer, data)
ok(cl.clEnqueueWriteImage(queue, full, 1, three(0, 0, 0), three(16, 16, 1), W(0), W(0), data, 0, None, None))
ok(cl.clEnqueueReadImage(queue, full, 1, three(0, 0, 0), three(16, 16, 1), W(0), W(0), ctypes.create_string_buffer(4096), 0, None, None))
fill(full, at=three(0, 15, 0), size=three(1, 1, 1))
EXPECTED = {"write": lambda width: data[: width * 24], "fill": lambda width: bytes((1, 2, 3, 4)) * (width * 6),
            "from a buffer": lambda width: data[: width * 24],
            "copy": lambda width: b"".join(data[64 * row : 64 * row + 4 * width] for row in range(6))}
"""


def run_compiled(text):
    if native.calls() is None:
        pytest.skip("the calls were not compiled")
    build_for_source_tree()  # into the test's own cache
    return run_with(FULL + text, IMAGES + COUNTED, native_calls="1")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_command_of_an_image_is_the_librarys(name):
    assert run_compiled(f"""
for width in range(9, 13):
    image, size = create(width=width)[0], three(width, 6, 1)
    made.clear(), of_kind.clear(), taken()
    ok({COMMANDS[name]})
    assert "submit" not in taken().split() and pixels(image, size) == EXPECTED[{name!r}](width)
    ok(cl.clReleaseMemObject(image))
    assert not made and not of_kind
""") == ""


def test_an_image_without_memory_says_so_with_each_command():
    assert run_compiled(f"""
from cl2cuda.runtime.driver.interface import DriverError
genuine, asked = CudaDevice.create_image, []
def nothing_left(*given):
    asked.append(None)
    raise DriverError("nothing left", "MEM_OBJECT_ALLOCATION_FAILURE")
image, size = create(width=9)[0], three(9, 6, 1)
CudaDevice.create_image, cuda.no_arrays = nothing_left, 2
for _ in range(3):
    assert {COMMANDS["write"]} == -4
# What is wrong with the command is said first.
assert cl.clEnqueueWriteImage(queue, image, 1, three(9, 0, 0), size, W(0), W(0), data, 0, None, None) == -30
CudaDevice.create_image, cuda.no_arrays = genuine, 0
for _ in range(2):
    ok({COMMANDS["write"]})
taken()
ok({COMMANDS["write"]})
assert taken() == "array" and pixels(image, size) == data[:216]
wrong = create(width=10)[0]
assert cl.clEnqueueWriteImage(queue, wrong, 1, three(9, 0, 0), size, W(0), W(0), data, 0, None, None) == -30
""") == ""


def test_threads_that_meet_at_the_first_command():
    assert run_compiled("""
import threading
for width in range(17, 40):
    image, size, found = create(width=width)[0], three(width, 6, 1), []
    def row(number, image=image, width=width):
        own = bytes([number]) * (4 * width)
        found.append(cl.clEnqueueWriteImage(queue, image, 1, three(0, number, 0), three(width, 1, 1), W(0), W(0), own, 0, None, None))
    threads = [threading.Thread(target=row, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [0] * 6 and pixels(image, size) == b"".join(bytes([number]) * (4 * width) for number in range(6))
    ok(cl.clReleaseMemObject(image))
""") == ""


KERNELS = "import ctypes\ncl = ctypes.CDLL(%r)\nW, P = ctypes.c_uint64, ctypes.c_void_p\n" + driver_library.OPENED + """
import struct
from cl2cuda.opencl_icd import kernel as package
RGBA, FLOAT, UINT8, IMAGE2D, IMAGE3D = 0x10B5, 0x10DE, 0x10DA, 0x10F1, 0x10F2
text = b'''kernel void look(read_only image2d_t image, global uint *out) {
    out[get_global_id(0)] = read_imageui(image, (int2)(get_global_id(0), 1)).x + 1000 * get_image_width(image); }
kernel void draw(write_only image2d_t image, uint number) { write_imageui(image, (int2)(get_global_id(0), 0), (uint4)(number)); }'''
program = handle("clCreateProgramWithSource", cl_context, 1, ctypes.byref(ctypes.c_char_p(text)), None)
ok(cl.clBuildProgram(program, 0, None, None, None, None))
look, draw = handle("clCreateKernel", program, b"look"), handle("clCreateKernel", program, b"draw")
out = handle("clCreateBuffer", cl_context, W(1), W(64), None)
assert cl.clSetKernelArg(look, 0, W(1), None) != 0

def create(width, type=IMAGE2D, data=UINT8, flags=0):
    described = struct.pack("<I4x6QIIQ", type, width, 6, 1 + (type == IMAGE3D), 0, 0, 0, 0, 0, 0)
    return handle("clCreateImage", cl_context, W(flags), struct.pack("<II", RGBA, data), described, None)

def give(kernel, image):
    return cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(image))

def launch(kernel):
    return cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (W * 1)(4), None, 0, None, None)

def fill(image, width, number):
    ok(cl.clEnqueueFillImage(queue, image, (ctypes.c_uint * 4)(number), (W * 3)(), (W * 3)(width, 6, 1), 0, None, None))

def numbers():
    found = (ctypes.c_uint * 4)()
    ok(cl.clEnqueueReadBuffer(queue, out, 1, W(0), W(16), found, 0, None, None))
    return list(found)

from cl2cuda.runtime.kernel.arguments import ArgumentBlock
set_by_python, accepted, accept = [], [], ArgumentBlock.accept_image
ArgumentBlock.accept_image = lambda self, *given: accepted.append(given[0]) or accept(self, *given)
argument = package.argument
package.argument = lambda *given: set_by_python.append(given[2]) or argument(*given)
"""


def test_a_kernel_takes_an_image_that_it_has_not_had():
    assert driver_library.run(KERNELS, """
ok(cl.clSetKernelArg(look, 1, W(8), ctypes.byref(out))), ok(cl.clSetKernelArg(draw, 1, W(4), ctypes.byref(ctypes.c_uint(7))))
for width in range(8, 14):
    image = create(width)
    fill(image, width, width)
    set_by_python.clear(), accepted.clear()
    ok(give(look, image)), ok(launch(look))
    assert numbers() == [1001 * width] * 4 and accepted == [0] and set_by_python == [0] * (width == 8)
    ok(give(draw, image)), ok(launch(draw))
    ok(give(look, image)), ok(launch(look))
    assert accepted == [0, 0] and set_by_python == [0, 0] * (width == 8)
    ok(cl.clReleaseMemObject(image))
# One that is not to be had, after others; and what the plans were not made for.
buffer = handle("clCreateBuffer", cl_context, W(1), W(64), None)
good, wrong, unread, unwritten = create(20), create(8, IMAGE3D), create(8, flags=2), create(8, flags=4)
for _ in range(2):
    assert [give(look, wrong), give(look, unread), give(draw, unwritten), give(look, buffer), give(look, P())] == [-50, -50, -50, -38, -38]
ok(give(look, good))
ok(cl.clReleaseMemObject(good))
assert give(look, good) == -38
other = create(9, data=FLOAT)
ok(give(look, other)), ok(give(look, create(21))), ok(launch(look))
assert numbers()[0] // 1000 == 21
""") == ""


def test_an_image_without_memory_is_no_argument():
    assert driver_library.run(KERNELS, """
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.host.device import HostDevice
genuine = HostDevice.create_image
def nothing_left(*given):
    raise DriverError("nothing left", "MEM_OBJECT_ALLOCATION_FAILURE")
ok(give(look, create(8)))
image = create(9)
HostDevice.create_image = nothing_left
assert give(look, image) == give(look, image) == -4
HostDevice.create_image = genuine
ok(give(look, image))
""") == ""


def test_fills_with_colours_that_vary_are_the_librarys():
    assert run_compiled("""
from cl2cuda.runtime.driver import image_colors
asked, genuine = [], image_colors.element_of
image_colors.element_of = lambda *given: asked.append(None) or genuine(*given)
plain, floats, normalized = create()[0], create(type=FLOATS)[0], create(type=NORMALIZED)[0]
wide = (ctypes.c_float * 4)
for image in plain, floats, normalized:
    ok(fill(image))
taken(), asked.clear()
for number in range(1, 6):
    ok(fill(plain, (ctypes.c_uint * 4)(number, 2, 3, 300 + number)))
    ok(fill(floats, wide(number, 2, 3, -0.5)))
    ok(fill(normalized, wide(number / 255, 2, -3, 0.5)))
    assert "submit" not in taken()
    assert pixels(plain) == bytes((number, 2, 3, 255)) * 48 and pixels(floats, width=16) == bytes(wide(number, 2, 3, -0.5)) * 48
    assert pixels(normalized) == bytes((number, 255, 0, 128)) * 48
    taken()
assert not asked
ok(fill(floats, wide(float("nan"), 2, 3, 4)))
assert len(asked) == 1
""") == ""
