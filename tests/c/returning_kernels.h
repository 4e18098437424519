/* What programs here do with kernel objects that are made for one launch each. */
#ifndef RETURNING_KERNELS_H
#define RETURNING_KERNELS_H

#include "check.h"

enum { SIZE = 64, ROUNDS = 60 };

static const char *source =
    "#ifndef MORE\n#define MORE 0\n#endif\n"
    "kernel void put(global int *a, int b) { int i = get_global_id(0); a[i] = b + i + MORE; }\n"
    "kernel void late(global int *a, int b, int turns) {\n"
    "    int i = get_global_id(0), x = i;\n"
    "    for (int t = 0; t < turns; t++) x = x * 1664525 + 1013904223;\n"
    "    a[i] = turns && x == 12345 ? 0 : b + i;\n"
    "}\n"
    "kernel void share(global int *a, local int *l, local int *m) {\n"
    "    int i = get_local_id(0); l[i] = i; m[i] = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int last = get_local_size(0) - 1; a[get_global_id(0)] = l[last - i] + m[last - i];\n"
    "}\n"
    "kernel void look(global int *a, read_only image2d_t image, sampler_t s) {\n"
    "    int i = get_global_id(0); a[i] = read_imagei(image, s, (int2)(i % 4, i / 4)).x;\n"
    "}\n";

static cl_program program;
static cl_mem buffer;

static inline cl_program built(const char *text, const char *options)
{
    cl_int status;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    OK(status);
    OK(clBuildProgram(made, 0, NULL, options, NULL, NULL));
    return made;
}

static inline cl_kernel kernel_in(cl_program from, const char *name)
{
    cl_int status;
    cl_kernel made = clCreateKernel(from, name, &status);
    OK(status);
    return made;
}

static inline cl_mem made_buffer(void)
{
    cl_int status;
    cl_mem made = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, &status);
    OK(status);
    return made;
}

static inline cl_int launched(cl_command_queue to, cl_kernel kernel)
{
    size_t size = SIZE, local = 16;
    return clEnqueueNDRangeKernel(to, kernel, 1, NULL, &size, &local, 0, NULL, NULL);
}

static inline void set(cl_kernel kernel, cl_mem memory, int value)
{
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
}

static inline void expect_in(cl_command_queue from, cl_mem memory, int value)
{
    int got[SIZE];
    OK(clEnqueueReadBuffer(from, memory, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < SIZE; i++)
        CHECK(got[i] == value + i);
}

static inline void expect(int value) { expect_in(queue, buffer, value); }

static inline void put_by_a_new_kernel(cl_program from, int value)
{
    cl_kernel kernel = kernel_in(from, "put");
    set(kernel, buffer, value);
    OK(launched(queue, kernel));
    OK(clReleaseKernel(kernel));
}

static inline cl_uint references(cl_kernel kernel)
{
    cl_uint count;
    OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static inline void start_kernels(void)
{
    start();
    program = built(source, "");
    buffer = made_buffer();
}

/* What remains after all is as at the start. */
static inline void finish_kernels(void)
{
    put_by_a_new_kernel(program, 9);
    expect(9);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseProgram(program));
    finish();
}

#endif
