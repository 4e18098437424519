/* Lines of c_further_calls.c: launches, loops of a launch and small copies, events, threads. */
#ifndef C_FURTHER_LAUNCHES_H
#define C_FURTHER_LAUNCHES_H

#include "c_further_bench.h"

#include <pthread.h>

static void event_asked(void)
{
    cl_event event;
    cl_command_queue its;
    cl_command_type type;
    NEED(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    NEED(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    NEED(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof its, &its, NULL));
    clReleaseEvent(event);
}

/* OpenCL 1.1. */
static void old_order(void)
{
    cl_event event;
    NEED(clEnqueueMarker(queue, &event));
    NEED(clEnqueueWaitForEvents(queue, 1, &event));
    NEED(clEnqueueBarrier(queue));
    clReleaseEvent(event);
}

/* Steps that work on less and less. */
static void less_and_less(void)
{
    static size_t left = 4096;
    left = left > 64 ? left - 64 : 4096;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &left, &group, 0, NULL, NULL));
}

/* As much as there is, and tiles of what is large. */
static void sizes_once(void)
{
    static size_t size;
    size = size % (MANY / 8) + 61;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, 0, NULL, NULL));
}

static void offsets_once(void)
{
    static size_t offset;
    const size_t size = 1024;
    offset = offset % (MANY / 8) + 64;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, &offset, &size, &group, 0, NULL, NULL));
}

static void null_argument(void)
{
    const cl_mem none = NULL;
    NEED(clSetKernelArg(half_of, 0, sizeof none, &none));
    NEED(clSetKernelArg(half_of, 0, sizeof buffer, &buffer));
}

static void write_constants(void)
{
    static cl_float constants[16];
    constants[0]++;
    NEED(clSetKernelArg(scale, 1, sizeof constants, constants));
    launch(queue, scale, 0, NULL, NULL);
}

static void local_sizes(void)
{
    static size_t turn;
    NEED(clSetKernelArg(tile, 1, 256 << (turn++ & 3), NULL));
    launch(queue, tile, 0, NULL, NULL);
}

static void sixteen_arguments(void)
{
    static cl_int number;
    cl_int wider[4] = { ++number };
    for (cl_uint i = 0; i < 4; i++)
        NEED(clSetKernelArg(wide, i, sizeof buffer, i & 1 ? &second : &buffer));
    static const size_t sizes[] = { 4, 4, 4, 4, 8, 8, 4, 4, 8, 16, 1, 2 };
    for (cl_uint i = 0; i < 12; i++)
        NEED(clSetKernelArg(wide, 4 + i, sizes[i], wider));
    launch(queue, wide, 0, NULL, NULL);
}

/* Two kernels in turn, as solvers have them, to their end. */
static void ping_pong(void)
{
    for (int i = 0; i < LAUNCHES; i++) {
        launch(queue, add, 0, NULL, NULL);
        launch(queue, half_of, 0, NULL, NULL);
    }
    NEED(clFinish(queue));
}

/* A loop until it converges. */
static void launch_and_read(void)
{
    cl_int found;
    launch(queue, add, 0, NULL, NULL);
    NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
}

static void write_launch_read(void)
{
    cl_int numbers[16] = { 1 };
    NEED(clEnqueueWriteBuffer(queue, second, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL));
    launch(queue, add, 0, NULL, NULL);
    NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
}

static void fill_launch_read(void)
{
    cl_int zero = 0;
    NEED(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
    launch_and_read();
}

/* Copies that wait for launches by events, over two queues. */
static void pipeline(void)
{
    cl_event written, run, read;
    NEED(clEnqueueWriteBuffer(other, buffer, CL_FALSE, 0, SOME, locked_host, 0, NULL, &written));
    launch(queue, add, 1, &written, &run);
    NEED(clEnqueueReadBuffer(other, buffer, CL_FALSE, 0, SOME, locked_host, 1, &run, &read));
    NEED(clWaitForEvents(1, &read));
    clReleaseEvent(written);
    clReleaseEvent(run);
    clReleaseEvent(read);
}

static void many_events(void)
{
    cl_event events[EVENTS];
    for (int i = 0; i < EVENTS; i++)
        launch(i & 1 ? queue : other, add, 0, NULL, &events[i]);
    NEED(clWaitForEvents(EVENTS, events));
    for (int i = 0; i < EVENTS; i++)
        clReleaseEvent(events[i]);
}

static void join_events(void)
{
    cl_event events[EVENTS], joined;
    for (int i = 0; i < EVENTS; i++)
        launch(unordered, add, 0, NULL, &events[i]);
    NEED(clEnqueueMarkerWithWaitList(unordered, EVENTS, events, &joined));
    launch(unordered, half_of, 1, &joined, NULL);
    NEED(clFinish(unordered));
    for (int i = 0; i < EVENTS; i++)
        clReleaseEvent(events[i]);
    clReleaseEvent(joined);
}

/* Asked again and again until it has ended, as event loops do. */
static void poll(void)
{
    cl_event event;
    launch(queue, add, 0, NULL, &event);
    NEED(clFlush(queue));
    for (cl_int state = CL_QUEUED; state != CL_COMPLETE;)
        NEED(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    clReleaseEvent(event);
}

static void time_of_launch(void)
{
    cl_event event;
    cl_ulong began, ends;
    launch(timed, add, 0, NULL, &event);
    NEED(clWaitForEvents(1, &event));
    NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, NULL));
    NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ends, &ends, NULL));
    clReleaseEvent(event);
}

static void time_of_read(void)
{
    cl_event event;
    cl_ulong began;
    NEED(clEnqueueReadBuffer(timed, buffer, CL_TRUE, 0, SOME, host, 0, NULL, &event));
    NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, NULL));
    clReleaseEvent(event);
}

static void *launch_many(void *data)
{
    cl_command_queue own = data;
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    cl_int one = 1;
    NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    NEED(clSetKernelArg(kernel, 1, sizeof one, &one));
    for (int i = 0; i < 1000; i++)
        launch(own, kernel, 0, NULL, NULL);
    NEED(clFinish(own));
    clReleaseKernel(kernel);
    return NULL;
}

/* Each thread launches a thousand times into a queue of its own. */
static void threads(void)
{
    static cl_command_queue own[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (!own[i])
            own[i] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        pthread_create(&thread[i], NULL, launch_many, own[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}
LINE(finish_launch, launch(queue, add, 0, NULL, NULL); NEED(clFinish(queue)))

#endif
