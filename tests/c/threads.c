/* Eight threads that know nothing of each other, each with a queue, a kernel and a buffer of its own; and threads that end. */
#include "together.h"

enum { THREADS = 8, ROUNDS = 25, SIZE = 256 };

static cl_program program;

static void *work(void *number)
{
    cl_int status;
    int mine = (int)(size_t)number, got[SIZE];
    size_t size = SIZE;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    cl_kernel kernel = clCreateKernel(program, "put", &status);
    OK(status);
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem buffer = clCreateBuffer(context, 0, sizeof got, NULL, &status);
        OK(status);
        int value = mine * 1000 + round;
        cl_event event;
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        OK(clEnqueueNDRangeKernel(own, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
        OK(clEnqueueReadBuffer(own, buffer, CL_FALSE, 0, sizeof got, got, 1, &event, NULL));
        OK(clFinish(own));
        for (int i = 0; i < SIZE; i++)
            CHECK(got[i] == value + i);
        OK(clReleaseEvent(event));
        OK(clReleaseMemObject(buffer));
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

int main(void)
{
    cl_int status;
    const char *source = "kernel void put(global int *a, int b) { size_t i = get_global_id(0); a[i] = b + (int)i; }";
    start();
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (int again = 0; again < 2; again++) {
        run_numbered(THREADS, work);
    }
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
