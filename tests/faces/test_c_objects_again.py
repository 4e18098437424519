"""What Python hears of the objects of programs in C that are made again of released ones: kernels, programs, staging buffers and queues."""

import pytest
from support.c_programs import told_by

KERNELS = r"""
#include "check.h"
static void use(cl_program program, int count)
{
    cl_int status;
    int value = 1;
    size_t size = 1;
    cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, &status);
    for (int i = 0; i < count; i++) {
        cl_kernel kernel = clCreateKernel(program, "put", &status);
        OK(status);
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        OK(clReleaseKernel(kernel));
    }
    OK(clFinish(queue));
    OK(clReleaseMemObject(buffer));
    fprintf(stderr, "used\n");
}
int main(void)
{
    const char *source = "kernel void put(global int *a, int b) { a[get_global_id(0)] = b; }";
    cl_int status;
    start();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    use(program, 10);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    fprintf(stderr, "built\n");
    use(program, 10);
    cl_kernel last = clCreateKernel(program, "put", &status), more = clCreateKernel(program, "put", &status);
    OK(clReleaseKernel(more));
    OK(clReleaseProgram(program));
    fprintf(stderr, "released\n");
    OK(clReleaseKernel(last));
    finish();
    return 0;
}
"""


@pytest.mark.parametrize(("debug", "expected"), [
    ("0", "made,launched,used,ended,built,made,launched,used,made,ended,released,ended"),
    ("1", ",".join([*["made,launched,ended"] * 10, "used,built", *["made,launched,ended"] * 10, "used,made,made,ended,released,ended"]))])
def test_a_kernel_object_is_made_again_of_the_released_one(tmp_path, debug, expected):
    """Python makes one and its first launch; it ends when the program is built again, or released. In debug mode all is Python's."""
    python = ("from cl2cuda.runtime.commands import nd_range\nfrom cl2cuda.runtime.kernel.kernel import Kernel\n"
              "told(Kernel, '__init__', 'made')\ntold(Kernel, 'release', 'ended')\n"
              "told(nd_range, 'enqueue_nd_range_kernel', 'launched')\n")
    assert told_by(tmp_path, KERNELS, python, CL2CUDA_DEBUG=debug, CL2CUDA_NATIVE_CALLS="0") == expected.split(",")


PROGRAMS = r"""
#include "check.h"
static void use(cl_program program, cl_int status)
{
    int value = 1;
    size_t size = 1;
    OK(status);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, &status);
    cl_kernel kernel = clCreateKernel(program, "put", &status);
    OK(status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}
int main(void)
{
    const char *source = "kernel void put(global int *a, int b) { a[get_global_id(0)] = b; }", *head = "#include \"none.h\"\n";
    const char *parts[] = { "#if 0\n", head, "#endif\n", source };
    cl_int status;
    size_t size;
    start();
    cl_program first = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    use(first, status);
    OK(clGetProgramInfo(first, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(first, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    OK(clReleaseProgram(first));
    for (int i = 0; i < 5; i++) {
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
        use(program, status);
        OK(clReleaseProgram(program));
    }
    fprintf(stderr, "sources\n");
    for (int i = 0; i < 5; i++) {
        cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, NULL, &status);
        use(program, status);
        OK(clReleaseProgram(program));
    }
    fprintf(stderr, "binaries\n");
    for (int i = 0; i < 2; i++) {
        cl_program program = clCreateProgramWithSource(context, 4, parts, NULL, &status);
        use(program, status);
        OK(clReleaseProgram(program));
    }
    fprintf(stderr, "files\n");
    for (int i = 0; i < 10; i++) {
        char options[16];
        snprintf(options, sizeof options, "-DX=%d", i);
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
        OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
        OK(clReleaseProgram(program));
    }
    fprintf(stderr, "many\n");
    finish();
    fprintf(stderr, "finished\n");
    return 0;
}
"""


@pytest.mark.parametrize(("debug", "expected"), [
    ("0", ["built,made", "sources", "built,made", "binaries", *["built,made,ended,gone"] * 2, "files", *["built"] * 6, "built,ended,gone",
           "built,ended,gone", *["built,gone"] * 2, "many", *["gone"] * 8, "finished"]),
    ("1", [*["built,made,ended,gone"] * 6, "sources", *["built,made,ended,gone"] * 5, "binaries", *["built,made,ended,gone"] * 2, "files",
           *["built,gone"] * 10, "many,finished"])])
def test_a_program_is_made_again_of_the_released_one(tmp_path, debug, expected):
    """Of the same source or binary, for the same build: with its kernels, until the context goes, or eight others were released since. What
    may be read from files is built again. In debug mode all is Python's."""
    python = ("from cl2cuda.runtime.kernel.kernel import Kernel\nfrom cl2cuda.runtime.program.program import Program\n"
              "told(Program, 'build', 'built')\ntold(Program, '__del__', 'gone')\n"
              "told(Kernel, '__init__', 'made')\ntold(Kernel, 'release', 'ended')\n")
    assert told_by(tmp_path, PROGRAMS, python, CL2CUDA_DEBUG=debug, CL2CUDA_NATIVE_CALLS="0") == ",".join(expected).split(",")


STAGING = r"""
#include "check.h"
int main(void)
{
    cl_int status;
    start();
    cl_mem all = clCreateBuffer(context, 0, 4096, NULL, &status);
    for (int round = 0; round < 20; round++) {
        size_t size = 256 << round % 4;
        cl_mem buffer = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, size, NULL, &status);
        OK(status);
        void *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, size, 0, NULL, NULL, &status);
        OK(status);
        memset(map, round, size);
        OK(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
        OK(clEnqueueCopyBuffer(queue, buffer, all, 0, 0, size, 0, NULL, NULL));
        OK(clReleaseMemObject(buffer));
    }
    fprintf(stderr, "staged\n");
    finish();
    return 0;
}
"""


def test_python_makes_one_staging_buffer_of_each_size(tmp_path):
    """But of the first two, which Python copies, since the library does not know the target yet."""
    python = "from cl2cuda.opencl_icd import native_commands\ntold(native_commands, 'buffer_of', 'made')\n"
    assert told_by(tmp_path, STAGING, python) == [*["made"] * 6, "staged"]


ALL_KERNELS = r"""
#include "check.h"
int main(void)
{
    const char *source = "kernel void f(global int *a) {} kernel void g(int b) {}";
    cl_int status;
    cl_uint count;
    cl_kernel kernels[2];
    start();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    for (int build = 0; build < 2; build++) {
        OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
        OK(clCreateKernelsInProgram(program, 0, NULL, &count));
        fprintf(stderr, "%u\n", count);
        for (int round = 0; round < 5; round++) {
            OK(clCreateKernelsInProgram(program, 2, kernels, NULL));
            OK(clReleaseKernel(kernels[round % 2]));
            OK(clReleaseKernel(kernels[1 - round % 2]));
        }
        OK(clReleaseKernel(clCreateKernel(program, "g", &status)));
        fprintf(stderr, "used\n");
    }
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
"""


def test_all_kernels_of_a_program_are_made_again_of_the_released_ones(tmp_path):
    """Python makes those of each build once, and none for their number."""
    python = ("from cl2cuda.runtime.kernel.kernel import Kernel\ntold(Kernel, '__init__', 'made')\ntold(Kernel, 'release', 'ended')\n")
    once = ["2", "made", "made", "used", "ended", "ended"]
    assert told_by(tmp_path, ALL_KERNELS, python, CL2CUDA_DEBUG="0") == once * 2


KEPT = r"""
#include "check.h"
int main(void)
{
    cl_int status, one = 1;
    start();
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &status);
    cl_command_queue made[3] = { 0 };
    cl_event event = NULL;
    for (int i = 0; i < 12; i++) {
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        OK(status);
        cl_uint count;
        OK(clGetCommandQueueInfo(other, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
        CHECK(count == 1);
        OK(clEnqueueFillBuffer(other, buffer, &one, 4, 0, 64, 0, NULL, i == 5 ? &event : NULL));
        if (i == 8)
            OK(clRetainCommandQueue(other));
        OK(clFinish(other));
        OK(clReleaseCommandQueue(other));
        if (i == 8) {
            OK(clFinish(other));
            OK(clReleaseCommandQueue(other));
        }
        if (i != 5) {
            IS(clFinish(other), CL_INVALID_COMMAND_QUEUE);
            IS(clReleaseCommandQueue(other), CL_INVALID_COMMAND_QUEUE);
            IS(clRetainCommandQueue(other), CL_INVALID_COMMAND_QUEUE);
        } else { /* Whose event is there still. */
            cl_command_queue of;
            OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
            CHECK(of == other);
            made[0] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
            CHECK(made[0] != other);
            OK(clReleaseCommandQueue(made[0]));
            OK(clReleaseEvent(event));
        }
    }
    for (int i = 0; i < 3; i++) {
        made[i] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        OK(clEnqueueFillBuffer(made[i], buffer, &one, 4, 0, 64, 0, NULL, NULL));
    }
    CHECK(made[0] != made[1] && made[1] != made[2] && made[0] != made[2]);
    for (int i = 0; i < 3; i++)
        OK(clReleaseCommandQueue(made[i]));
    OK(clReleaseMemObject(buffer));
    finish();
    return 0;
}
"""


def test_a_released_queue_is_none_until_it_is_made_again(tmp_path):
    assert told_by(tmp_path, KEPT, "") == []
