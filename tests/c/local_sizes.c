/* 5.9.2: local memory of sizes that change from launch to launch: each launch has the size of then, and each query tells that of now. */
#include "check.h"

enum { ITEMS = 64, SIZES = 20, ROUNDS = 60 };

static cl_program program;
static cl_mem buffer;

static const char *source =
    "kernel void reverse(global int *a, local int *b, int count) {\n"
    "    for (int i = get_local_id(0); i < count; i += get_local_size(0)) b[i] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = b[count - 1 - get_local_id(0)]; }\n"
    "kernel void both(global int *a, local int *b, local int *c, int count) {\n"
    "    for (int i = get_local_id(0); i < count; i += get_local_size(0)) { b[i] = i; c[i] = 1000 + i; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = b[count - 1 - get_local_id(0)] + c[count - 1]; }\n";

static cl_kernel kernel_in(const char *name)
{
    cl_int status;
    cl_kernel made = clCreateKernel(program, name, &status);
    OK(status);
    OK(clSetKernelArg(made, 0, sizeof buffer, &buffer));
    return made;
}

static cl_ulong local_of(cl_kernel kernel)
{
    cl_ulong size;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof size, &size, NULL));
    return size;
}

static cl_int launch(cl_kernel kernel, const cl_event *behind)
{
    const size_t items = ITEMS;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, behind != NULL, behind, NULL);
}

static void expect(int first, int more)
{
    int found[ITEMS];
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        CHECK(found[i] == first - i + more);
}

static void set_count(cl_kernel kernel, cl_uint index, int count)
{
    OK(clSetKernelArg(kernel, index, sizeof count, &count));
}

static void set_one(cl_kernel kernel, int count)
{
    OK(clSetKernelArg(kernel, 1, count * sizeof(int), NULL));
    set_count(kernel, 2, count);
}

static void each_launch_has_its_size(void)
{
    cl_kernel kernel = kernel_in("reverse");
    cl_ulong without = local_of(kernel);
    for (int round = 0; round < ROUNDS; round++) {
        int count = ITEMS * (1 + round * 7 % SIZES);
        set_one(kernel, count);
        if (round % 3 == 0)
            CHECK(local_of(kernel) == without + count * sizeof(int));
        OK(launch(kernel, NULL));
        expect(count - 1, 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int count = ITEMS << round % 4;
        set_one(kernel, count);
        OK(launch(kernel, NULL));
        expect(count - 1, 0);
        if (round % 5 == 0)
            CHECK(local_of(kernel) == without + count * sizeof(int));
    }
    OK(clReleaseKernel(kernel));
}

static void sizes_of_two_move_each_other(void)
{
    cl_kernel kernel = kernel_in("both");
    for (int round = 0; round < ROUNDS; round++) {
        int first = ITEMS << round % 3, second = ITEMS << round / 2 % 3, count = first < second ? first : second;
        OK(clSetKernelArg(kernel, 1, first * sizeof(int), NULL));
        OK(clSetKernelArg(kernel, 2, second * sizeof(int), NULL));
        set_count(kernel, 3, count);
        OK(launch(kernel, NULL));
        expect(count - 1, 1000 + count - 1);
    }
    OK(clReleaseKernel(kernel));
}

static void what_is_wrong_is_said_each_time(void)
{
    cl_ulong most;
    OK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
    cl_kernel kernel = kernel_in("reverse");
    IS(launch(kernel, NULL), CL_INVALID_KERNEL_ARGS);
    for (int round = 0; round < 6; round++) {
        IS(clSetKernelArg(kernel, 1, 0, NULL), CL_INVALID_ARG_SIZE);
        IS(clSetKernelArg(kernel, 1, sizeof round, &round), CL_INVALID_ARG_VALUE);
        set_one(kernel, ITEMS);
        OK(launch(kernel, NULL));
        expect(ITEMS - 1, 0);
        OK(clSetKernelArg(kernel, 1, most + 4096, NULL));
        IS(launch(kernel, NULL), CL_OUT_OF_RESOURCES);
        set_one(kernel, 2 * ITEMS);
        OK(launch(kernel, NULL));
        expect(2 * ITEMS - 1, 0);
    }
    OK(clReleaseKernel(kernel));
}

static void clones_and_new_kernels_have_their_own(void)
{
    cl_int status;
    cl_kernel kernel = kernel_in("reverse");
    cl_ulong without = local_of(kernel);
    for (int round = 0; round < 12; round++) {
        int count = ITEMS << round % 3;
        set_one(kernel, count);
        OK(launch(kernel, NULL));
        expect(count - 1, 0);
        cl_kernel clone = clCloneKernel(kernel, &status);
        OK(status);
        CHECK(local_of(clone) == without + count * sizeof(int));
        set_one(kernel, 8 * ITEMS);
        OK(launch(clone, NULL));
        expect(count - 1, 0);
        OK(clReleaseKernel(clone));
        OK(clReleaseKernel(kernel));
        kernel = kernel_in("reverse"); /* may be what a released one was */
        CHECK(local_of(kernel) == without);
        IS(launch(kernel, NULL), CL_INVALID_KERNEL_ARGS);
        set_one(kernel, count); /* the size that the released one had before its last */
        OK(launch(kernel, NULL));
        expect(count - 1, 0);
        CHECK(local_of(kernel) == without + count * sizeof(int));
    }
    OK(clReleaseKernel(kernel));
}

/* What waits for a user event has the sizes of when it was given. */
static void what_waits_keeps_its_size(void)
{
    cl_int status;
    cl_kernel kernel = kernel_in("reverse");
    set_one(kernel, ITEMS);
    OK(launch(kernel, NULL));
    set_one(kernel, 64 * ITEMS);
    OK(launch(kernel, NULL));
    for (int round = 0; round < 8; round++) {
        cl_event gate = clCreateUserEvent(context, &status);
        OK(status);
        set_one(kernel, 64 * ITEMS);
        OK(launch(kernel, &gate));
        set_one(kernel, ITEMS);
        if (round % 2) /* Python is asked of it */
            OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, 0, NULL, NULL));
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        expect(64 * ITEMS - 1, 0);
        OK(launch(kernel, NULL));
        expect(ITEMS - 1, 0);
        OK(clReleaseEvent(gate));
    }
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    cl_int status;
    start();
    buffer = clCreateBuffer(context, 0, ITEMS * sizeof(int), NULL, &status);
    OK(status);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    each_launch_has_its_size();
    sizes_of_two_move_each_other();
    what_is_wrong_is_said_each_time();
    clones_and_new_kernels_have_their_own();
    what_waits_keeps_its_size();
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(buffer));
    finish();
    return 0;
}
