/* Large reads and writes that the caller waits for, of pageable memory and of parts of it, behind kernels, on several threads at once:
   whoever copies, contents and order are right. */
#include "together.h"

enum { THREADS = 4, ROUNDS = 4, LARGEST = 17 << 20 };
static const size_t sizes[] = { (64 << 10) + 4, 768 << 10, (3 << 20) + 12, 6 << 20, LARGEST };
enum { SIZES = sizeof sizes / sizeof *sizes };

static cl_program program;

static void *work(void *number)
{
    cl_int status;
    unsigned seed = (unsigned)(size_t)number + 1;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    OK(status);
    cl_mem buffer = clCreateBuffer(context, 0, LARGEST, NULL, &status);
    OK(status);
    unsigned *given = malloc(LARGEST), *got = malloc(LARGEST);
    CHECK(given && got);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < SIZES; i++) {
            size_t size = sizes[i] - 4, count = size / 4, offset = round % 2 ? 4 : 0;
            cl_event written, read;
            cl_int state;
            for (size_t k = 0; k < count; k++)
                given[k] = seed = seed * 1664525 + 1013904223;
            memset(got, 0, size);
            OK(clEnqueueWriteBuffer(own, buffer, CL_TRUE, offset, size, given, 0, NULL, &written));
            unsigned first = given[0], last = given[count - 1];
            given[0] = given[count - 1] = 0; /* which has been read */
            size_t start = offset / 4;
            OK(clEnqueueNDRangeKernel(own, kernel, 1, &start, &count, NULL, 1, &written, NULL));
            OK(clEnqueueReadBuffer(own, buffer, CL_TRUE, offset, size, got, 0, NULL, &read));
            CHECK(got[0] == first + 1 && got[count - 1] == last + 1);
            for (size_t k = 1; k < count - 1; k++)
                CHECK(got[k] == given[k] + 1);
            OK(clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
            CHECK(state == CL_COMPLETE);
            OK(clWaitForEvents(1, &written));
            OK(clReleaseEvent(written));
            OK(clReleaseEvent(read));
        }
    IS(clEnqueueReadBuffer(own, buffer, CL_TRUE, 4, LARGEST, got, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clFinish(own));
    free(given);
    free(got);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

int main(void)
{
    cl_int status;
    const char *source = "kernel void add(global uint *a) { a[get_global_id(0)] += 1; }";
    start();
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    run_numbered(THREADS, work);
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
