/* Large reads and writes that the caller waits for, of pageable memory and of parts of it, behind kernels, on several threads at once, and
   of both kinds of memory, in queues that take times and others, waited for and not: whoever copies, contents, order and times are right. */
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

static void check_times(cl_event event)
{
    cl_ulong times[4];
    for (int i = 0; i < 4; i++)
        OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], NULL));
    CHECK(times[0] && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
}

/* In one queue, of one kind of the host's memory. */
static void copy_in_all_ways(cl_command_queue own, int is_timed, unsigned *given, unsigned *got)
{
    static const size_t few[] = { 4 << 10, (16 << 10) + 4, 64 << 10, (64 << 10) + 4, 1 << 20, LARGEST };
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    cl_mem buffer = clCreateBuffer(context, 0, LARGEST, NULL, &status);
    OK(status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 0; round < 3 * 4 * (int)(sizeof few / sizeof *few); round++) {
        size_t size = few[round / 12], count = size / 4;
        cl_bool waits = round & 1 ? CL_TRUE : CL_FALSE;
        int wants_events = round & 2;
        cl_event written, read;
        for (size_t k = 0; k < count; k++)
            given[k] = (unsigned)k * 7 + (unsigned)round;
        memset(got, 0, size);
        OK(clEnqueueWriteBuffer(own, buffer, waits, 0, size, given, 0, NULL, wants_events ? &written : NULL));
        OK(clEnqueueNDRangeKernel(own, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(own, buffer, waits, 0, size, got, 0, NULL, wants_events ? &read : NULL));
        if (wants_events && !waits)
            OK(clWaitForEvents(1, &read));
        else if (!waits)
            OK(clFinish(own));
        for (size_t k = 0; k < count; k++)
            CHECK(got[k] == given[k] + 1);
        if (!wants_events)
            continue;
        if (is_timed) {
            check_times(written);
            check_times(read);
        }
        OK(clReleaseEvent(written));
        OK(clReleaseEvent(read));
    }
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

static void all_ways(void)
{
    cl_int status;
    unsigned *pageable = malloc(2 * LARGEST);
    CHECK(pageable);
    for (cl_command_queue_properties properties = 0; properties < 4; properties++) {
        cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, properties & CL_QUEUE_PROFILING_ENABLE, 0 };
        cl_command_queue own = clCreateCommandQueueWithProperties(context, device, list, &status);
        OK(status);
        int is_timed = list[1] != 0;
        if (properties & 1) {
            cl_mem locked = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 2 * LARGEST, NULL, &status);
            OK(status);
            unsigned *mapped = clEnqueueMapBuffer(own, locked, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 2 * LARGEST, 0, NULL, NULL, &status);
            OK(status);
            copy_in_all_ways(own, is_timed, mapped, mapped + LARGEST / 4);
            OK(clEnqueueUnmapMemObject(own, locked, mapped, 0, NULL, NULL));
            OK(clReleaseMemObject(locked));
        } else {
            copy_in_all_ways(own, is_timed, pageable, pageable + LARGEST / 4);
        }
        OK(clFinish(own));
        OK(clReleaseCommandQueue(own));
    }
    free(pageable);
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
    all_ways();
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
