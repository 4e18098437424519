/* Eight threads that enqueue, read, finish and ask in one queue, each with a kernel and buffers of its own. */
#include "together.h"

enum { THREADS = 8, ROUNDS = 60, SIZE = 64 };

static cl_program program;

static cl_int state_of(cl_event event)
{
    cl_int state;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state;
}

static void *work(void *number)
{
    cl_int status;
    int mine = (int)(size_t)number, got[SIZE];
    size_t size = SIZE;
    cl_kernel kernel = clCreateKernel(program, "put", &status);
    OK(status);
    cl_mem kept = clCreateBuffer(context, 0, sizeof got, NULL, &status);
    OK(status);
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem fresh = clCreateBuffer(context, 0, sizeof got, NULL, &status), buffer = round % 3 ? kept : fresh;
        OK(status);
        int value = mine * 1000 + round, other = -1;
        cl_event event, marker, copied;
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
        OK(clEnqueueMarkerWithWaitList(queue, 1, &event, &marker));
        switch (round % 4) {
        case 0: OK(clFinish(queue)); break;
        case 1: OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 4, sizeof other, &other, 1, &marker, NULL)); break;
        case 2: OK(clWaitForEvents(1, &marker)); break;
        default: OK(clFlush(queue));
        }
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, &copied));
        CHECK(state_of(event) == CL_COMPLETE && state_of(marker) == CL_COMPLETE && state_of(copied) == CL_COMPLETE);
        for (int i = 0; i < SIZE; i++)
            CHECK(got[i] == (i == 1 && round % 4 == 1 ? other : value + i));
        OK(clReleaseEvent(event));
        OK(clReleaseEvent(marker));
        OK(clReleaseEvent(copied));
        OK(clReleaseMemObject(fresh));
    }
    OK(clReleaseMemObject(kept));
    OK(clReleaseKernel(kernel));
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
    run_numbered(THREADS, work);
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
