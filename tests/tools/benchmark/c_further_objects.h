/* Lines of c_further_calls.c: objects with contents, programs and kernels made in all ways, and what they are asked at once. */
#ifndef C_FURTHER_OBJECTS_H
#define C_FURTHER_OBJECTS_H

#include "c_further_bench.h"

OBJECT(image_few, cl_mem, clReleaseMemObject, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &small, host, &status))
OBJECT(image_many, cl_mem, clReleaseMemObject, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &flat, host, &status))
OBJECT(image_deep, cl_mem, clReleaseMemObject, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &deep, host, &status))
OBJECT(buffer_some, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, SOME, host, &status))
OBJECT(buffer_many, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, MANY, host, &status))
OBJECT(buffer_locked, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, SOME, NULL, &status))

static void image_of_buffer(void)
{
    cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1024, .mem_object = buffer };
    cl_mem made = clCreateImage(context, 0, &format, &description, NULL, &status);
    NEED(status);
    clReleaseMemObject(made);
}

/* What programs of images do with each frame. */
static void frame(void)
{
    const size_t width = 1024;
    cl_mem made = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &flat, host, &status);
    NEED(status);
    NEED(clSetKernelArg(look, 0, sizeof made, &made));
    NEED(clEnqueueNDRangeKernel(queue, look, 1, NULL, &width, &group, 0, NULL, NULL));
    NEED(clFinish(queue));
    clReleaseMemObject(made);
}

/* What programs do that keep nothing: input up, a launch, output back. */
static void whole_step(size_t size)
{
    cl_int one = 1;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, host, &status);
    NEED(status);
    NEED(clSetKernelArg(add, 0, sizeof made, &made));
    NEED(clSetKernelArg(add, 1, sizeof one, &one));
    size_t count = size / sizeof one;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &count, NULL, 0, NULL, NULL));
    NEED(clEnqueueReadBuffer(queue, made, CL_TRUE, 0, size, host, 0, NULL, NULL));
    clReleaseMemObject(made);
    NEED(clSetKernelArg(add, 0, sizeof buffer, &buffer));
}
LINE(whole_few, whole_step(FEW))
LINE(whole_many, whole_step(MANY))

static void CL_CALLBACK note_end(cl_mem object, void *data)
{
    (void)object;
    *(volatile int *)data = 1;
}

static void buffer_with_callback(void)
{
    volatile int is_called = 0;
    cl_mem made = clCreateBuffer(context, 0, FEW, NULL, &status);
    NEED(status);
    NEED(clSetMemObjectDestructorCallback(made, note_end, (void *)&is_called));
    clReleaseMemObject(made);
    while (!is_called)
        ;
}

/* The same of a buffer that has been used. */
static void used_with_callback(void)
{
    volatile int is_called = 0;
    cl_mem made = clCreateBuffer(context, 0, FEW, NULL, &status);
    NEED(status);
    NEED(clSetMemObjectDestructorCallback(made, note_end, (void *)&is_called));
    NEED(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, 64, host, 0, NULL, NULL));
    clReleaseMemObject(made);
    NEED(clFinish(queue));
    while (!is_called)
        ;
}

/* As libraries ask what they are given. */
static void buffer_asked(void)
{
    size_t size;
    cl_context its;
    cl_mem made = clCreateBuffer(context, 0, FEW, NULL, &status);
    NEED(status);
    NEED(clGetMemObjectInfo(made, CL_MEM_SIZE, sizeof size, &size, NULL));
    NEED(clGetMemObjectInfo(made, CL_MEM_CONTEXT, sizeof its, &its, NULL));
    clReleaseMemObject(made);
}

static void all_kernels(void)
{
    cl_kernel made[16];
    cl_uint count;
    NEED(clCreateKernelsInProgram(program, 16, made, &count));
    for (cl_uint i = 0; i < count; i++)
        clReleaseKernel(made[i]);
}

static void from_binary(void)
{
    cl_program made = clCreateProgramWithBinary(context, 1, &device, binary_sizes, (const unsigned char **)binaries, NULL, &status);
    NEED(status);
    NEED(clBuildProgram(made, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(made, "add", &status);
    NEED(status);
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

static void compile_and_link(void)
{
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    NEED(status);
    NEED(clCompileProgram(made, 1, &device, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 1, &device, "", 1, &made, NULL, NULL, &status);
    NEED(status);
    clReleaseProgram(linked);
    clReleaseProgram(made);
}

/* A launch of a program just built, as a process's first use of it is. */
static void build_and_launch(void)
{
    cl_int one = 1;
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    NEED(status);
    NEED(clBuildProgram(made, 1, &device, "-DAGAIN", NULL, NULL));
    cl_kernel kernel = clCreateKernel(made, "add", &status);
    NEED(status);
    NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    NEED(clSetKernelArg(kernel, 1, sizeof one, &one));
    NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    NEED(clFinish(queue));
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

#endif
