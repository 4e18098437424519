/* What has been registered for the exit before the first queue, as CUDA's end is, comes after the trace has been written. */
#include "check.h"

#include <unistd.h>

static void the_devices_end(void)
{
    const char *trace = getenv("CL2CUDA_TRACE");
    if (trace && *trace && access(trace, R_OK)) {
        fputs("the trace has not been written yet\n", stderr);
        _exit(1);
    }
}

int main(void)
{
    cl_int status;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    OK(status);
    atexit(the_devices_end);
    for (int i = 0; i < 2; i++) {
        queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        OK(status);
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
        OK(clReleaseCommandQueue(queue));
    }
    OK(clReleaseContext(context));
    return 0;
}
