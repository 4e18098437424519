/* The process ends with everything open and a command that never runs; and OpenCL is called after main has returned. */
#include "check.h"

static cl_mem buffer;
static cl_event never;

static void after_main(void)
{
    size_t size;
    OK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    CHECK(size == 64);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseEvent(never));
    puts("after main");
}

int main(void)
{
    cl_int status;
    atexit(after_main);
    start();
    buffer = clCreateBuffer(context, 0, 64, NULL, &status);
    OK(status);
    cl_event user = clCreateUserEvent(context, &status);
    OK(status);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &never));
    kernel_of("kernel void k(global int *a) { *a = 1; }", "k");
    return 0;
}
