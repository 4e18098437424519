"""What Python hears of the objects of programs in C, which begin without it. Those that are made again: test_c_objects_again.py."""

import pytest
from support import driver_library
from support.c_programs import told_by

RELEASES = r"""
#include "check.h"
int main(void)
{
    start();
    void *(*create)(cl_uint, const cl_command_queue *, const void *, cl_int *) =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
    cl_int (*release)(void *) = clGetExtensionFunctionAddressForPlatform(platform, "clReleaseCommandBufferKHR"), status;
    cl_queue_properties unordered[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, unordered, &status);
    OK(status);
    OK(clRetainCommandQueue(queue));
    OK(clRetainCommandQueue(other));
    OK(clRetainCommandQueue(other));
    OK(clReleaseCommandQueue(queue));
    fprintf(stderr, "ordered\n");
    OK(clReleaseCommandQueue(other));
    fprintf(stderr, "retained\n");
    OK(clReleaseCommandQueue(other));
    fprintf(stderr, "again\n");
    void *holder = create(1, &other, NULL, &status);
    OK(status);
    OK(clReleaseCommandQueue(other));
    fprintf(stderr, "held\n");
    IS(clReleaseCommandQueue(other), CL_INVALID_COMMAND_QUEUE);
    OK(release(holder));
    fprintf(stderr, "last\n");
    finish();
    return 0;
}
"""


@pytest.mark.parametrize(("debug", "of_ordered"), [("0", []), ("1", ["flushed"])])
def test_each_release_of_a_queue_flushes_it(tmp_path, debug, of_ordered):
    """"clReleaseCommandQueue performs an implicit flush", also where a command-buffer holds the queue. Of a queue in order whose commands
    need no flush Python is not told before the last one."""
    found = told_by(tmp_path, RELEASES, "from cl2cuda.runtime.queue.queue import CommandQueue\ntold(CommandQueue, 'flush', 'flushed')\n",
                    CL2CUDA_DEBUG=debug)
    assert found == [*of_ordered, "ordered", "flushed", "retained", "flushed", "again", "flushed", "held", "flushed", "last", "flushed"]


UNUSED = r"""
#include "check.h"
static int turns;
#define MAKE(type, release, ...) \
    for (int i = 0; i < turns; i++) { \
        type one = __VA_ARGS__; \
        OK(status); \
        OK(release(one)); \
    } \
    fprintf(stderr, "%s\n", #type)
int main(int argc, char **argv)
{
    cl_int status;
    const char *source = "kernel void f(void) {}";
    const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
    const cl_image_desc plane = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    const cl_buffer_region region = { 0, 64 };
    cl_image_desc line = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4 };
    const cl_sampler_properties sampling[] = { CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0 };
    const size_t origin[3] = { 0 }, all[3] = { 4, 4, 1 };
    char pixels[64];
    (void)argc, (void)argv;
    start();
    cl_mem buffer = line.mem_object = clCreateBuffer(context, 0, 64, NULL, &status);
    for (turns = 1; turns < 20; turns += 10) {
        MAKE(cl_sampler, clReleaseSampler, clCreateSamplerWithProperties(context, sampling, &status));
        MAKE(cl_command_queue, clReleaseCommandQueue, clCreateCommandQueueWithProperties(context, device, NULL, &status));
        MAKE(cl_program, clReleaseProgram, clCreateProgramWithSource(context, 1, &source, NULL, &status));
        MAKE(cl_mem, clReleaseMemObject, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
        MAKE(cl_mem, clReleaseMemObject, clCreateImage(context, 0, &format, &plane, NULL, &status));
        MAKE(cl_mem, clReleaseMemObject, clCreateImage(context, 0, &format, &line, NULL, &status));
        MAKE(cl_event, clReleaseEvent, clCreateUserEvent(context, &status); OK(status); status = clSetUserEventStatus(one, -1));
    }
    cl_mem image = clCreateImage(context, 0, &format, &plane, NULL, &status);
    fprintf(stderr, "used\n");
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, all, 0, 0, pixels, 0, NULL, NULL));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
    finish();
    return 0;
}
"""


def test_python_hears_of_objects_that_are_used(tmp_path):
    """Or are the first of what is asked for; not of programs and parts of buffers, about which nothing is to be found out. Of an image that
    is like the first one it does not look at the description again."""
    python = """
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.sampler import Sampler
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
told(Image, "__init__", "image")
told(Buffer, "sub_buffer", "part")
told(Sampler, "__init__", "sampler")
told(Program, "__init__", "program")
told(CommandQueue, "__init__", "queue")
told(UserEvent, "__init__", "event")
"""
    each = ["cl_sampler", "cl_command_queue", "cl_program", "cl_mem", "cl_mem", "cl_mem", "cl_event"]
    assert told_by(tmp_path, UNUSED, python) == [
        "queue", "sampler", "cl_sampler", *each[1:4], "image", "cl_mem", "image", "cl_mem", "event", "cl_event", *each, "used"]


DESTROYED = r"""
#include "check.h"
static void CL_CALLBACK gone(cl_mem memory, void *data)
{
    (void)memory;
    fprintf(stderr, "%s\n", (const char *)data);
}
int main(void)
{
    cl_int status;
    int value = 1;
    start();
    OK(clReleaseMemObject(clCreateBuffer(context, 0, 64, NULL, &status)));
    for (int is_used = 0; is_used < 2; is_used++) {
        cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &status);
        if (is_used)
            OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
        OK(clSetMemObjectDestructorCallback(buffer, gone, "first"));
        OK(clSetMemObjectDestructorCallback(buffer, gone, "last"));
        fprintf(stderr, "set\n");
        OK(clReleaseMemObject(buffer));
        OK(clFinish(queue));
    }
    finish();
    return 0;
}
"""


def test_python_hears_of_callbacks_when_what_it_knows_goes(tmp_path):
    python = "from cl2cuda.runtime.memory.memory_object import MemoryObject\ntold(MemoryObject, 'set_destructor_callback', 'heard')\n"
    assert told_by(tmp_path, DESTROYED, python) == [
        "set", "last", "first", "set", "heard", "heard", "last", "first"]


ASKED = r"""
#include "check.h"
int main(void)
{
    const cl_buffer_region region = { 0, 64 };
    const cl_mem_info queries[] = { CL_MEM_TYPE, CL_MEM_FLAGS, CL_MEM_SIZE, CL_MEM_HOST_PTR, CL_MEM_MAP_COUNT, CL_MEM_CONTEXT,
                                    CL_MEM_ASSOCIATED_MEMOBJECT, CL_MEM_OFFSET, CL_MEM_USES_SVM_POINTER };
    cl_int status;
    cl_ulong value;
    start();
    OK(clReleaseMemObject(clCreateBuffer(context, 0, 64, NULL, &status)));
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &status);
        cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
        OK(clGetMemObjectInfo(buffer, queries[i], sizeof value, &value, NULL));
        if (queries[i] != CL_MEM_FLAGS && queries[i] != CL_MEM_HOST_PTR && queries[i] != CL_MEM_MAP_COUNT
            && queries[i] != CL_MEM_USES_SVM_POINTER)
            OK(clGetMemObjectInfo(part, queries[i], sizeof value, &value, NULL));
        OK(clReleaseMemObject(part));
        OK(clReleaseMemObject(buffer));
    }
    fprintf(stderr, "asked\n");
    finish();
    return 0;
}
"""


def test_python_is_not_asked_of_what_a_buffer_was_made_with(tmp_path):
    python = ("from cl2cuda.runtime.memory import memory_object\nfrom cl2cuda.runtime.memory.buffer import Buffer\n"
              "told(Buffer, '__init__', 'made')\ntold(Buffer, 'sub_buffer', 'part')\n")
    assert told_by(tmp_path, ASKED, python) == ["made", "asked"]


AS_IT_IS = r"""
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "check.h"
static void step(cl_kernel kernel, cl_program program, cl_mem buffer)
{
    const cl_event_info queries[] = { CL_EVENT_COMMAND_TYPE, CL_EVENT_COMMAND_QUEUE, CL_EVENT_CONTEXT };
    const cl_program_info others[] = { CL_PROGRAM_CONTEXT, CL_PROGRAM_NUM_DEVICES, CL_PROGRAM_DEVICES };
    const cl_bool no = CL_FALSE;
    cl_mem none = NULL;
    cl_ulong value;
    cl_int status;
    cl_event event, marker, users = clCreateUserEvent(context, &status);
    OK(clSetKernelArg(kernel, 0, sizeof none, &none));
    OK(clSetKernelArg(kernel, 0, sizeof none, NULL));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
    OK(clEnqueueFillBuffer(queue, buffer, &no, sizeof no, 0, 64, 0, NULL, &event));
    OK(clEnqueueMarker(queue, &marker));
    OK(clEnqueueWaitForEvents(queue, 1, &event));
    OK(clEnqueueBarrier(queue));
    for (int i = 0; i < 3; i++) {
        OK(clGetEventInfo(event, queries[i], sizeof value, &value, NULL));
        OK(clGetEventInfo(users, queries[i], sizeof value, &value, NULL));
        OK(clGetProgramInfo(program, others[i], sizeof value, &value, NULL));
    }
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(marker));
    OK(clReleaseEvent(users));
}
int main(void)
{
    const char *source = "kernel void f(global int *a) {}";
    cl_int status;
    start();
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &status);
    for (int i = 0; i < 3; i++)
        step(kernel, program, buffer);
    fprintf(stderr, "known\n");
    for (int i = 0; i < 3; i++)
        step(kernel, program, buffer);
    fprintf(stderr, "asked\n");
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(buffer));
    finish();
    return 0;
}
"""


def test_python_is_not_asked_of_what_stays_as_it_is(tmp_path):
    """Of events, also the first time; of programs and kernels when it was asked before."""
    python = """
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import Event, UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec.queries import QueryTable
told(QueryTable, "get", "query")
told(Kernel, "set_exec_info", "information")
told(Event, "__init__", "event")
told(UserEvent, "__init__", "user")
told(CommandQueue, "submit", "command")
"""
    found = told_by(tmp_path, AS_IT_IS, python)
    assert found[-2:] == ["known", "asked"] and found.count("user") == 1, found


def test_of_threads_that_use_a_part_first_one_makes_it():
    """Its whole was released, and ends with that: another one finds it gone."""
    head = "import ctypes\ncl = ctypes.CDLL(%r)\nW, P = ctypes.c_uint64, ctypes.c_void_p\n" + driver_library.OPENED
    assert driver_library.run(head, """
import threading
from cl2cuda.runtime.memory.buffer import Buffer

def flags():
    found = W()
    ok(cl.clGetMemObjectInfo(part, 0x1101, W(8), ctypes.byref(found), None))
    return found.value

def slowly(self, *arguments):
    makes.append(None)
    if len(makes) == 1:
        other = threading.Thread(target=flags)
        other.start()
        other.join()
        assert self.released
    return inner(self, *arguments)

ok(cl.clReleaseMemObject(handle("clCreateBuffer", cl_context, W(0), W(8192), None)))
whole = handle("clCreateBuffer", cl_context, W(0), W(8192), None)
part = handle("clCreateSubBuffer", whole, W(0), 0x1220, (W * 2)(4096, 64))
ok(cl.clReleaseMemObject(whole))
makes, inner = [], Buffer.sub_buffer
Buffer.sub_buffer = slowly
assert flags() == 1 and len(makes) == 2
ok(cl.clReleaseMemObject(part))
""") == ""


def test_of_threads_that_use_an_image_over_a_buffer_first_one_makes_it():
    head = "import ctypes\ncl = ctypes.CDLL(%r)\nW, P = ctypes.c_uint64, ctypes.c_void_p\n" + driver_library.OPENED
    assert driver_library.run(head, """
import struct, threading
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.spec.errors import CLError

def image_over(whole):
    described = struct.pack("<I4x6QIIQ", 0x10F6, 16, 0, 0, 0, 0, 0, 0, 0, whole.value)
    return handle("clCreateImage", cl_context, W(0), struct.pack("<II", 0x10B5, 0x10DA), described, None)

def size():
    found = W()
    ok(cl.clGetMemObjectInfo(image, 0x1102, W(8), ctypes.byref(found), None))
    return found.value

def slowly(self, *arguments):
    makes.append(None)
    if len(makes) == 1:
        other = threading.Thread(target=size)
        other.start()
        other.join()
        assert arguments[3].mem_object.released
    return inner(self, *arguments)

for turn in range(2):
    whole = handle("clCreateBuffer", cl_context, W(0), W(8192), None)
    image = image_over(whole)
    ok(cl.clReleaseMemObject(whole))
    if turn:
        makes, inner = [], Image.__init__
        Image.__init__ = slowly
        assert size() == 64 and len(makes) == 2
    ok(cl.clReleaseMemObject(image))
    assert cl.clReleaseMemObject(image) == -38
""") == ""


LAUNCHES = r"""
#include "check.h"
static const char *source = "kernel void reverse(global int *a, local int *b) { size_t i = get_local_id(0); b[i] = a[get_global_id(0)];"
    "barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = b[get_local_size(0) - 1 - i] + 1; }";
enum { QUEUES = 40, ITEMS = 64 };
int main(void)
{
    cl_int status, found[ITEMS];
    cl_queue_properties timed[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
    size_t items = ITEMS, group = 16;
    start();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "reverse", &status);
    for (int i = 0; i < ITEMS; i++)
        found[i] = i % 16;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof found, found, &status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, 16 * sizeof(int), NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    OK(clFinish(queue));
    fprintf(stderr, "first\n");
    for (int i = 0; i < QUEUES; i++) {
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, i % 4 ? NULL : timed, &status);
        OK(status);
        for (int j = 0; j < 3; j++) {
            OK(clSetKernelArg(kernel, 1, (16 + (i * 7 + j) % 97) * sizeof(int), NULL));
            OK(clEnqueueNDRangeKernel(other, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
            OK(clFinish(other));
        }
        OK(clReleaseCommandQueue(other));
    }
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        CHECK(found[i] == 1 + 3 * QUEUES + (QUEUES % 2 ? i % 16 : 15 - i % 16));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
"""


def test_launches_in_other_queues_and_of_other_local_memory_are_made_of_one(tmp_path):
    found = told_by(tmp_path, LAUNCHES, "from cl2cuda.runtime.commands import nd_range\ntold(nd_range, '_plan', 'planned')\n")
    assert found == ["planned", "first"]


def test_a_queue_is_made_again_of_a_released_one(tmp_path):
    """The first of each kind is Python's, the second begins like it, and all others become that one."""
    found = told_by(tmp_path, LAUNCHES, "from cl2cuda.runtime.queue.queue import CommandQueue\ntold(CommandQueue, '__init__', 'made')\n")
    assert found == ["made", "first", "made", "made", "made"]
