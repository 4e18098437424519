/* cycles N: N times everything is made and released. Memory stays as it is after the first tenth. */
#include "check.h"

static long resident(void)
{
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &size, &pages) == 2);
    fclose(file);
    return pages * 4;
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
}

int main(int argc, char **argv)
{
    cl_int status;
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    const char *source = "kernel void k(global int *a) { *a = 1; }";
    start();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (int i = 0; i < count / 10; i++)
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
