/* cycles N: N times everything is made and released. Memory stays as it is after as many before. */
#include "check.h"

static long resident(void)
{
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &size, &pages) == 2);
    fclose(file);
    return pages * 4;
}

/* What is used every other time. */
static void others(cl_program program)
{
    static int turn;
    static const size_t origin[3] = { 0 }, all[3] = { 4, 4, 1 };
    const char *source = "kernel void other(global int *a) { *a = 2; }";
    const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
    const cl_image_desc plane = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    const cl_buffer_region part = { 0, 64 };
    const cl_float color[4] = { 1 };
    cl_int status, number = 1;
    cl_uint count;
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    cl_mem image = clCreateImage(context, 0, &format, &plane, NULL, &status), whole = clCreateBuffer(context, 0, 4096, NULL, &status),
           sub = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
    cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &status);
    cl_program unused = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clReleaseMemObject(whole));
    if (turn++ % 2) {
        OK(clEnqueueFillImage(other, image, color, origin, all, 0, NULL, NULL));
        OK(clEnqueueWriteBuffer(other, sub, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL));
        OK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof number, &number, NULL));
        OK(clGetProgramInfo(unused, CL_PROGRAM_NUM_DEVICES, sizeof number, &number, NULL));
    }
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof number, &number, NULL));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(sub));
    OK(clReleaseSampler(sampler));
    OK(clReleaseProgram(unused));
    OK(clReleaseCommandQueue(other));
}

static void cycle(cl_program program)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &status), sub;
    OK(status);
    cl_buffer_region part = { 0, 128 };
    sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
    OK(status);
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    OK(status);
    OK(clSetKernelArg(kernel, 0, sizeof sub, &sub));
    size_t size = 1;
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
    OK(clRetainEvent(event));
    OK(clReleaseEvent(event));
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(sub));
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    OK(clReleaseCommandQueue(other));
    others(program);
}

int main(int argc, char **argv)
{
    cl_int status;
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    const char *source = "kernel void k(global int *a) { *a = 1; }";
    start();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (int i = 0; i < count; i++)
        cycle(program);
    long before = resident();
    for (int i = 0; i < count; i++)
        cycle(program);
    long grown = resident() - before;
    printf("%d cycles: %ld KiB more\n", count, grown);
    CHECK(grown < 4096);
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
