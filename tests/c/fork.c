/* Children made before the first use of OpenCL, and after it. What a child may do with devices after a fork the specification does not
   say; here it gets answers. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static void child_runs(void (*body)(void))
{
    int result;
    pid_t child = fork();
    if (!child) {
        body();
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &result, 0) == child && WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

static void everything(void)
{
    cl_int status;
    int got[4];
    size_t size = 4;
    start();
    cl_kernel kernel = kernel_of("kernel void k(global int *a) { a[get_global_id(0)] = 3; }", "k");
    cl_mem buffer = clCreateBuffer(context, 0, sizeof got, NULL, &status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 3 && got[3] == 3);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

static void questions(void)
{
    char name[256];
    cl_uint count;
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    OK(clRetainContext(context));
    OK(clReleaseContext(context));
}

int main(void)
{
    child_runs(everything);
    everything();
    child_runs(questions);
    questions();
    finish();
    return 0;
}
