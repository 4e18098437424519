/* What calls of the C API take, in microseconds: run it once for each driver and compare. usage: c_calls [ROUNDS]

   Each line is the median of several rounds of many calls; the first three are one process's start. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "c_measure.h"

static cl_context context;
static cl_command_queue queue, timed;
static cl_device_id device;
static cl_kernel kernel;
static cl_program program;
static cl_mem buffer;
static char host[4096];
static int rounds = 2000;

static void set_arg(void) { need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg"); }

static void set_number(void)
{
    int number = 3;
    need(clSetKernelArg(kernel, 1, sizeof number, &number), "clSetKernelArg");
}

static void launch(void)
{
    size_t size = 64;
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

/* As libraries do that have a kernel object for each call. */

static cl_kernel made_kernel(const char *name)
{
    cl_int status;
    cl_kernel made = clCreateKernel(program, name, &status);
    need(status, "clCreateKernel");
    return made;
}

static void make_kernel(void) { clReleaseKernel(made_kernel("add")); }

static void clone_kernel(void)
{
    cl_int status;
    cl_kernel made = clCloneKernel(kernel, &status);
    need(status, "clCloneKernel");
    clReleaseKernel(made);
}

static void make_and_launch(const char *name)
{
    size_t size = 64;
    int number = 3;
    cl_kernel made = made_kernel(name);
    need(clSetKernelArg(made, 0, sizeof buffer, &buffer), "clSetKernelArg");
    need(clSetKernelArg(made, 1, sizeof number, &number), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(queue, made, 1, NULL, &size, &size, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    clReleaseKernel(made);
}

static void make_and_launch_one(void) { make_and_launch("add"); }

static void make_and_launch_others(void)
{
    static const char *const names[] = { "add", "subtract", "multiply", "put" };
    for (int i = 0; i < 4; i++)
        make_and_launch(names[i]);
}

static void launch_with_event(void)
{
    size_t size = 64;
    cl_event event;
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, &event), "clEnqueueNDRangeKernel");
    clReleaseEvent(event);
}

static void launch_and_finish(void)
{
    launch();
    need(clFinish(queue), "clFinish");
}

static void launch_and_wait(void)
{
    size_t size = 64;
    cl_event event;
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, &event), "clEnqueueNDRangeKernel");
    need(clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
}

/* In a queue that takes times. */

static cl_event timed_launch(void)
{
    size_t size = 64;
    cl_event event;
    need(clEnqueueNDRangeKernel(timed, kernel, 1, NULL, &size, &size, 0, NULL, &event), "clEnqueueNDRangeKernel");
    return event;
}

static void launch_timed(void) { clReleaseEvent(timed_launch()); }
static void finish_timed(void) { need(clFinish(timed), "clFinish"); }

static void read_times(cl_event event)
{
    cl_ulong begin, end;
    need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL), "clGetEventProfilingInfo");
    need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "clGetEventProfilingInfo");
    need(end < begin ? CL_PROFILING_INFO_NOT_AVAILABLE : CL_SUCCESS, "times");
    clReleaseEvent(event);
}

static void launch_wait_and_read_times(void)
{
    cl_event event = timed_launch();
    need(clWaitForEvents(1, &event), "clWaitForEvents");
    read_times(event);
}

static void launch_many_and_read_times(void)
{
    enum { MANY = 100 };
    cl_event events[MANY];
    for (int i = 0; i < MANY; i++)
        events[i] = timed_launch();
    finish_timed();
    for (int i = 0; i < MANY; i++)
        read_times(events[i]);
}

static void write_small(void) { need(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, host, 0, NULL, NULL), "write"); }
static void read_small(void) { need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, host, 0, NULL, NULL), "read"); }

static void fill_small(void)
{
    const cl_uint zero = 0;
    need(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 64, 0, NULL, NULL), "fill");
}

static void write_rectangle(void)
{
    const size_t origin[3] = { 0 }, region[3] = { 16, 4, 1 };
    need(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 64, 0, 16, 0, host, 0, NULL, NULL), "write rectangle");
}

static void read_later(void)
{
    need(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 64, host, 0, NULL, NULL), "read");
    need(clFinish(queue), "clFinish");
}

static void make_buffer(void)
{
    cl_int status;
    cl_mem made = clCreateBuffer(context, 0, 4096, NULL, &status);
    need(status, "clCreateBuffer");
    clReleaseMemObject(made);
}

static void make_and_use_buffer(void)
{
    cl_int status;
    cl_mem made = clCreateBuffer(context, 0, 4096, NULL, &status);
    need(status, "clCreateBuffer");
    need(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, 64, host, 0, NULL, NULL), "write");
    clReleaseMemObject(made);
}

static void marker(void)
{
    cl_event event;
    need(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event), "marker");
    clReleaseEvent(event);
}

static void event_status(void)
{
    static cl_event event;
    cl_int status;
    if (!event) {
        need(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event), "marker");
        need(clFinish(queue), "clFinish");
    }
    need(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "clGetEventInfo");
}

static void device_info(void)
{
    cl_uint units;
    need(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), "clGetDeviceInfo");
}

static void retain_release(void)
{
    clRetainMemObject(buffer);
    clReleaseMemObject(buffer);
}

static void flush(void) { need(clFlush(queue), "clFlush"); }
static void finish(void) { need(clFinish(queue), "clFinish"); }

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    cl_int status;
    cl_platform_id platform;
    double start = now();
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    device = find_devices(platform, argc, argv);
    double found = now();
    print_names(platform, device);
    printf("%-48s %10.1f\n", "platform and devices", found - start);
    found = now();
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &status);
    need(status, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    need(status, "clCreateCommandQueueWithProperties");
    const cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
    double made = now();
    const char *source = "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }\n"
                         "kernel void subtract(global int *a, int b) { a[get_global_id(0)] -= b; }\n"
                         "kernel void multiply(global int *a, int b) { a[get_global_id(0)] *= b; }\n"
                         "kernel void put(global int *a, int b) { a[get_global_id(0)] = b; }";
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    need(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    kernel = clCreateKernel(program, "add", &status);
    need(status, "clCreateKernel");
    buffer = clCreateBuffer(context, 0, sizeof host, NULL, &status);
    need(status, "clCreateBuffer");
    set_arg();
    set_number();
    launch();
    read_small();
    double first = now();
    printf("%-48s %10.1f\n%-48s %10.1f\n", "context and queue", made - found, "start to first result", first - start);
    warm_up(launch_and_finish);
    measure("clSetKernelArg, buffer", set_arg, finish, rounds);
    measure("clSetKernelArg, number", set_number, finish, rounds);
    measure("clEnqueueNDRangeKernel", launch, finish, rounds / 4);
    measure("clCreateKernel, clReleaseKernel", make_kernel, finish, rounds / 4);
    measure("clCloneKernel, clReleaseKernel", clone_kernel, finish, rounds / 4);
    measure("a kernel made, set, launched, released", make_and_launch_one, finish, rounds / 4);
    measure("four kernels of other names, each so", make_and_launch_others, finish, rounds / 16);
    measure("clEnqueueNDRangeKernel, event", launch_with_event, finish, rounds / 4);
    measure("clEnqueueNDRangeKernel, clFinish", launch_and_finish, finish, rounds / 4);
    measure("clEnqueueNDRangeKernel, clWaitForEvents", launch_and_wait, finish, rounds / 4);
    measure("clEnqueueWriteBuffer, 64 B, blocking", write_small, finish, rounds / 4);
    measure("clEnqueueReadBuffer, 64 B, blocking", read_small, finish, rounds / 4);
    measure("clEnqueueReadBuffer, 64 B, clFinish", read_later, finish, rounds / 4);
    measure("clEnqueueWriteBufferRect, 16 B x 4", write_rectangle, finish, rounds / 4);
    measure("clEnqueueFillBuffer, 64 B", fill_small, finish, rounds / 4);
    measure("clCreateBuffer, clReleaseMemObject", make_buffer, finish, rounds / 4);
    measure("the same, with a write of 64 B", make_and_use_buffer, finish, rounds / 4);
    measure("clEnqueueMarkerWithWaitList", marker, finish, rounds / 4);
    measure("clGetEventInfo, status", event_status, finish, rounds);
    measure("clGetDeviceInfo", device_info, finish, rounds);
    measure("clRetain, clRelease", retain_release, finish, rounds);
    timed = clCreateCommandQueueWithProperties(context, device, properties, &status);
    need(status, "clCreateCommandQueueWithProperties");
    finish_timed();
    measure("with times: clEnqueueNDRangeKernel, event", launch_timed, finish_timed, rounds / 4);
    measure("the same, clWaitForEvents, times read", launch_wait_and_read_times, finish_timed, rounds / 4);
    measure("a hundred, clFinish, all times read", launch_many_and_read_times, finish_timed, rounds / 40);
    measure("clFlush", flush, finish, rounds);
    measure("clFinish", finish, finish, rounds);
    return 0;
}
