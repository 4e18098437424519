"""Images whose arrays the driver library makes, with textures and surfaces (driver/arrays.c), over a CUDA that is imagined: what kernels are
given for them, when Python has them, and what becomes of their arrays."""

import pytest
from faces.test_native_driver_images import TRANSFERS
from support.driver_arrays import IMAGES
from support.driver_arrays import run as run_with

from cl2cuda.runtime.native import library as native
from cl2cuda.runtime.native.build import build_for_source_tree

# `look` and `draw` have had an image whose array Python has made. `python` notes which images Python has made an object of.
KERNELS = r"""
import os, threading
from cl2cuda.opencl_icd import native_commands
from cl2cuda.runtime.driver.image_argument import ImageArgument
from cl2cuda.runtime.image.image import Image
source = b'''kernel void look(read_only image2d_t image, global uint *out) { out[0] = read_imageui(image, (int2)(0, 1)).x; }
kernel void filter(read_only image2d_t image, sampler_t how, global uint *out) { out[0] = read_imageui(image, how, (float2)(0, 1)).x; }
kernel void slice(read_only image3d_t image, global uint *out) { out[0] = read_imageui(image, (int4)(0, 1, 0, 0)).x; }
kernel void layer(read_only image2d_array_t image, global uint *out) { out[0] = read_imageui(image, (int4)(0, 1, 0, 0)).x; }
kernel void line(read_only image1d_t image, global uint *out) { out[0] = read_imageui(image, 0).x; }
constant sampler_t wraps = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void wrap(read_only image2d_t image, global uint *out) { out[0] = read_imageui(image, wraps, (float2)(0, 1)).x; }
kernel void draw(write_only image2d_t image, uint number) { write_imageui(image, (int2)(get_global_id(0), 0), (uint4)(number)); }'''
program = handle("clCreateProgramWithSource", cl_context, 1, ctypes.byref(ctypes.c_char_p(source)), None)
ok(cl.clBuildProgram(program, 0, None, None, None, None))
kernels = {name: handle("clCreateKernel", program, name.encode()) for name in ("look", "filter", "wrap", "slice", "layer", "line", "draw")}
look, draw = kernels["look"], kernels["draw"]
IMAGE1D, IMAGE2D_ARRAY, COPY = 0x10F4, 0x10F3, 1 << 5
python, of_kind = [], Image.of_kind.__func__
Image.of_kind = classmethod(lambda cls, *given: python.append(None) or of_kind(cls, *given))

def create(width, height=6, kind=IMAGE2D, depth=0, layers=0, flags=0, data=None):
    described = Description(kind, width, height, depth, layers)
    return handle("clCreateImage", cl_context, W(flags), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), data)

def give(kernel, image):
    ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(image)))

def release(image):
    ok(cl.clReleaseMemObject(image))

def given(kernel):
    return ImageArgument.from_buffer_copy(application.core(kernel.value, "K").arguments.value_bytes(0))

def facts(argument):
    more = [list(map(bool, argument.textures)), bool(argument.surface)]
    return more + [getattr(argument, name) for name, _ in ImageArgument._fields_ if name not in ("textures", "surface")]

def learn(kernel, **how):
    for _ in range(2):
        image = create(8, **how)
        give(kernel, image), ok(write(image, data, size=three(8, 1, 1))), release(image)
    ok(cl.clFinish(queue)), taken(), python.clear()

def arrays():
    return len(cuda.arrays.arrays)

data = bytes(number %% 251 for number in range(1 << 14))
"""


def run(text):
    if native.calls() is None:
        pytest.skip("the calls were not compiled")
    build_for_source_tree()  # into the test's own cache
    return run_with(text, IMAGES + TRANSFERS + KERNELS, native_calls="1")


@pytest.mark.parametrize(("kernel", "how", "textures"), [
    ("look", "", 1), ("filter", "", 6), ("wrap", "", 2), ("draw", "", 1), ("look", "flags=COPY, data=data", 1),
    ("line", "height=0, kind=IMAGE1D", 1), ("slice", "kind=IMAGE3D, depth=3", 1), ("layer", "kind=IMAGE2D_ARRAY, layers=3", 1)])
def test_kernels_are_given_what_python_gives(kernel, how, textures):
    """With as many textures as the kernel can use, whose samplers are known or arguments."""
    assert run(f"""
kernel = kernels[{kernel!r}]
learn(kernel, {how})
for width in range(9, 12):
    image = create(width, {how})
    give(kernel, image)
    own = given(kernel)
    assert not python and len(set(own.textures)) == {textures}
    from_python = application.core(image.value, "M").argument({kernel != "draw"})
    assert facts(own) == facts(ImageArgument.from_buffer_copy(from_python)) and len(python) == 1
    assert facts(own)[0] == [{kernel != "draw"}] * 10 and facts(own)[1]
    python.clear(), release(image)
""") == ""


def test_contents_are_there_whoever_looks():
    """Those that the image was made with, and those that commands have written, by the library, or by Python, which maps."""
    assert run("""
learn(look, flags=COPY, data=data)
def mapped(image, width):
    address, row, _ = map_image(image, at=three(0, 0, 0), size=three(width, 6, 1))
    found = b"".join(ctypes.string_at(address.value + row * y, 4 * width) for y in range(6))
    ok(unmap(image, address))
    return found
for width in range(9, 13):
    image, size = create(width, flags=COPY, data=data), three(width, 6, 1)
    if width % 2:
        give(look, image)
    assert pixels(image, size) == data[: width * 24]
    ok(write(image, data[7:], size=size))
    assert pixels(image, size) == data[7 : width * 24 + 7] and not python and arrays() <= 64
    before = arrays()
    assert mapped(image, width) == data[7 : width * 24 + 7] and len(python) == 1 and arrays() == before
    ok(fill(image, size=size)), ok(cl.clFinish(queue))
    assert pixels(image, size) == bytes((1, 2, 3, 4)) * (width * 6) and len(python) == 1
    give(look, image), release(image), python.clear()
""") == ""


def test_python_has_first_contents_of_what_no_command_has_used():
    assert run("""
learn(look, flags=COPY, data=data)
for width in range(9, 12):
    image = create(width, flags=COPY, data=data)
    assert application.core(image.value, "M") is not None
    assert pixels(image, three(width, 6, 1)) == data[: width * 24]
    release(image)
""") == ""


def test_arrays_go_back_and_come_again():
    assert run("""
learn(look)
begun, textures = arrays(), len(cuda.made)
for width in range(9, 9 + 160):
    image = create(width)
    give(look, image), ok(write(image, data, size=three(width, 6, 1))), ok(cl.clFinish(queue)), release(image)
assert arrays() - begun <= 64 + 16 and not python
made = cuda.arrays.handles
for _ in range(40):  # the one that was left first, from the second time on
    image = create(9)
    give(look, image), ok(write(image, data, size=three(9, 6, 1)))
    assert pixels(image, three(9, 6, 1)) == data[:216]
    release(image)
assert cuda.arrays.handles - made <= 17 and not python
# Larger ones are told of sooner.
for width in range(1000, 1010):
    image = create(width, 1024)
    give(look, image), release(image)
assert sum(array.width * array.rows for array in cuda.arrays.arrays.values()) < (64 << 20) + (12 << 20)
alive = arrays()
ok(cl.clReleaseContext(cl_context))
""") == ""


def test_what_commands_may_still_use_stays():
    """Python hears of what was left, and keeps it until the queue has come to its end."""
    assert run("""
learn(look)
begun = arrays()
image = create(300)
ok(write(image, data, size=three(300, 6, 1), blocking=0)), release(image)
cuda.busy = True
for width in range(9, 60):
    image = create(width)
    give(look, image), ok(write(image, data, size=three(width, 6, 1), blocking=0)), release(image)
assert arrays() - begun == 52
cuda.busy = False
ok(cl.clFinish(queue))
for width in range(70, 130):
    image = create(width)
    give(look, image), release(image), ok(cl.clFinish(queue))
assert arrays() - begun < 52 + 60
""") == ""


def test_without_memory_it_is_pythons_to_say():
    assert run("""
from cl2cuda.runtime.driver.interface import DriverError
learn(look)
genuine = CudaDevice.create_image
def nothing_left(*given):
    raise DriverError("nothing left", "MEM_OBJECT_ALLOCATION_FAILURE")
image, size = create(9), three(9, 6, 1)
CudaDevice.create_image, cuda.no_arrays = nothing_left, 2
for _ in range(2):
    assert write(image, data, size=size) == -4
    assert cl.clSetKernelArg(look, 0, W(8), ctypes.byref(image)) == -4
CudaDevice.create_image, cuda.no_arrays = genuine, 0
ok(write(image, data, size=size)), give(look, image)
assert pixels(image, size) == data[:216]
""") == ""


def test_destructors_are_called_when_commands_have_ended():
    assert run("""
import time
learn(look)
called = []
notify = ctypes.CFUNCTYPE(None, P, P)(lambda memory, user: called.append(user))
for number in range(1, 4):
    image = create(9 + number)
    ok(cl.clSetMemObjectDestructorCallback(image, notify, P(number)))
    give(look, image), ok(write(image, data, size=three(9 + number, 6, 1))), release(image)
    deadline = time.monotonic() + 20
    while called != list(range(1, number + 1)) and time.monotonic() < deadline:
        ok(cl.clFinish(queue)), time.sleep(.01)
    assert called == list(range(1, number + 1)), called
""") == ""


def test_threads_that_meet():
    """Of threads that use an image for the first time, and some that ask Python of it, all find one array."""
    assert run("""
learn(look)
own = [handle("clCreateKernel", program, b"look") for _ in range(4)]
for kernel in own:
    learn(kernel)
for width in range(200, 260):
    image, size, found, start = create(width), three(width, 6, 1), [], threading.Barrier(6)
    def use(number, image=image, width=width, start=start, found=found):
        start.wait()
        if number < 4:
            give(own[number], image)
        row = bytes([number]) * (4 * width)
        found.append(cl.clEnqueueWriteImage(queue, image, 1, three(0, number, 0), three(width, 1, 1), W(0), W(0), row, 0, None, None))
        if number == 5:
            application.core(image.value, "M").elements.have_memory()
    threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [0] * 6 and pixels(image, size) == b"".join(bytes([number]) * (4 * width) for number in range(6))
    release(image)
ok(cl.clFinish(queue))
""") == ""


# What the C library frees it overwrites. `meet` has another thread make Python's object of the image, once.
MEETING = """
assert ctypes.CDLL(None).mallopt(-6, 0xA5) == 1  # M_PERTURB
learn(look, flags=COPY, data=data)
image, met = create(100, flags=COPY, data=data), []

def meet():
    if not met:
        met.append(threading.Thread(target=lambda: application.core(image.value, "M")))
        met[0].start(), met[0].join()
"""


def test_first_contents_stay_while_python_copies_them():
    """Though another thread has given the image its object meanwhile."""
    assert run(MEETING + """
from cl2cuda.runtime.context.snapshots import Snapshots
genuine, copies = Snapshots.copy_of, []

def copy_of(self, address, size):
    meet()
    copies.append(genuine(self, address, size))
    return copies[-1]

Snapshots.copy_of = copy_of
assert application.core(image.value, "M") is not None and copies == [data[:2400]] * 2
assert pixels(image, three(100, 6, 1)) == data[:2400]
""") == ""


def test_first_contents_stay_while_they_are_copied_to_an_array():
    """The same where the library makes an array, which it does not need any more then."""
    assert run(MEETING + """
class Meeting:
    def __bool__(self):
        meet()
        return False

cuda.no_arrays = Meeting()
give(look, image)
cuda.no_arrays = 0
assert len(python) == 1 and pixels(image, three(100, 6, 1)) == data[:2400]
assert [bytes(array.block) for array in cuda.arrays.arrays.values() if array.width == 400] == [data[:2400]] * 2
""") == ""
