/* 5.15: the times of commands of one queue in order that takes them, each thing several times: what Python has made once, the library makes
   by itself. */
#include "together.h"

#include <time.h>
#include <unistd.h>

enum { COUNT = 1024, SIZE = COUNT * sizeof(int), AGAIN = 6, MANY = 500, THREADS = 4 };

static cl_command_queue timed;
static cl_kernel kernel;
static cl_mem one, other;
static int in[COUNT], out[COUNT];

static cl_ulong host_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + now.tv_nsec;
}

static cl_command_queue new_queue(void)
{
    cl_int status;
    cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, properties, &status);
    OK(status);
    return made;
}

static cl_ulong time_of(cl_event event, cl_profiling_info which)
{
    cl_ulong time = 0;
    size_t size = 0;
    OK(clGetEventProfilingInfo(event, which, sizeof time, &time, &size));
    CHECK(size == sizeof time && time);
    return time;
}

static cl_ulong end_of(cl_event event)
{
    cl_ulong queued = time_of(event, CL_PROFILING_COMMAND_QUEUED), submitted = time_of(event, CL_PROFILING_COMMAND_SUBMIT);
    cl_ulong start = time_of(event, CL_PROFILING_COMMAND_START), end = time_of(event, CL_PROFILING_COMMAND_END);
    CHECK(queued <= submitted && submitted <= start && start <= end);
    CHECK(time_of(event, CL_PROFILING_COMMAND_COMPLETE) >= end);
    CHECK(time_of(event, CL_PROFILING_COMMAND_START) == start && time_of(event, CL_PROFILING_COMMAND_END) == end);
    return end;
}

static cl_int state_of(cl_event event)
{
    cl_int state;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state;
}

static cl_event launch(int add, cl_uint count, const cl_event *behind)
{
    cl_event event;
    size_t global = COUNT, local = 64;
    OK(clSetKernelArg(kernel, 0, sizeof one, &one));
    OK(clSetKernelArg(kernel, 1, sizeof add, &add));
    OK(clEnqueueNDRangeKernel(timed, kernel, 1, NULL, &global, &local, count, behind, &event));
    return event;
}

/* One of each kind, each behind the one before in the queue, and some by their wait lists, too. */
static void all_kinds(void)
{
    enum { KINDS = 10 };
    static const cl_command_type types[KINDS] = {
        CL_COMMAND_WRITE_BUFFER, CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_COPY_BUFFER, CL_COMMAND_MARKER, CL_COMMAND_BARRIER,
        CL_COMMAND_FILL_BUFFER, CL_COMMAND_READ_BUFFER, CL_COMMAND_WRITE_BUFFER, CL_COMMAND_READ_BUFFER, CL_COMMAND_MARKER,
    };
    for (int again = 0; again < AGAIN; again++) {
        cl_event events[KINDS];
        int pattern = 40 + again;
        cl_ulong before = host_now();
        for (int i = 0; i < COUNT; i++)
            in[i] = i + again;
        OK(clEnqueueWriteBuffer(timed, one, CL_FALSE, 0, SIZE, in, 0, NULL, &events[0]));
        events[1] = launch(5, 1, events);
        OK(clEnqueueCopyBuffer(timed, one, other, 0, 64, SIZE - 64, 2, events, &events[2]));
        OK(clEnqueueMarkerWithWaitList(timed, 1, &events[2], &events[3]));
        OK(clEnqueueBarrierWithWaitList(timed, 0, NULL, &events[4]));
        OK(clEnqueueFillBuffer(timed, other, &pattern, sizeof pattern, 0, 64, 0, NULL, &events[5]));
        OK(clEnqueueReadBuffer(timed, other, CL_TRUE, 0, SIZE, out, 1, &events[5], &events[6]));
        CHECK(state_of(events[6]) == CL_COMPLETE);
        for (int i = 0; i < COUNT; i++)
            CHECK(out[i] == (i < 16 ? pattern : i - 16 + again + 5));
        OK(clEnqueueWriteBuffer(timed, other, CL_TRUE, 16, 32, in, 3, &events[4], &events[7]));
        OK(clEnqueueReadBuffer(timed, other, CL_FALSE, 16, 32, out, 0, NULL, &events[8]));
        OK(clEnqueueMarkerWithWaitList(timed, 9, events, &events[9]));
        OK(clWaitForEvents(1, &events[9]));
        CHECK(!memcmp(out, in, 32));
        cl_ulong last = 0;
        for (int i = 0; i < KINDS; i++) {
            cl_command_type type;
            CHECK(state_of(events[i]) == CL_COMPLETE);
            cl_ulong start = time_of(events[i], CL_PROFILING_COMMAND_START), end = end_of(events[i]);
            CHECK(start >= last && time_of(events[i], CL_PROFILING_COMMAND_QUEUED) <= host_now());
            CHECK(time_of(events[i], CL_PROFILING_COMMAND_QUEUED) + 1000000 >= before);
            last = start;
            OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
            CHECK(type == types[i]);
            CHECK(end_of(events[i]) == end); /* also once more is known of the event */
            OK(clReleaseEvent(events[i]));
        }
    }
}

static void what_is_wrong(void)
{
    cl_ulong time;
    size_t size;
    cl_event event = launch(1, 0, NULL);
    OK(clFinish(timed));
    IS(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED - 1, sizeof time, &time, NULL), CL_INVALID_VALUE);
    IS(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_COMPLETE + 1, sizeof time, &time, NULL), CL_INVALID_VALUE);
    IS(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 4, &time, NULL), CL_INVALID_VALUE);
    OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 0, NULL, &size));
    CHECK(size == sizeof time);
    IS(clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_INVALID_EVENT);
    OK(clReleaseEvent(event));
    for (int again = 0; again < 3; again++) {
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
        OK(clFinish(queue));
        IS(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
        OK(clReleaseEvent(event));
        IS(clEnqueueCopyBuffer(timed, one, one, 0, 16, 64, 0, NULL, &event), CL_MEM_COPY_OVERLAP);
        IS(clEnqueueCopyBuffer(timed, one, other, 64, 0, SIZE, 0, NULL, &event), CL_INVALID_VALUE);
        IS(clEnqueueCopyBuffer(timed, NULL, other, 0, 0, SIZE, 0, NULL, &event), CL_INVALID_MEM_OBJECT);
        OK(clEnqueueCopyBuffer(timed, one, one, 0, 64, 64, 0, NULL, NULL));
    }
}

/* What waits for a user event has no times before that is set; nor has what comes after it. */
static void not_available(void)
{
    cl_int status;
    cl_ulong time;
    for (int again = 0; again < AGAIN; again++) {
        cl_event gate = clCreateUserEvent(context, &status), events[3];
        OK(status);
        events[0] = launch(1, 0, NULL);
        events[1] = launch(1, 1, &gate);
        events[2] = launch(1, 0, NULL);
        IS(clGetEventProfilingInfo(events[1], CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
        IS(clGetEventProfilingInfo(events[2], CL_PROFILING_COMMAND_QUEUED, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(3, events));
        CHECK(end_of(events[0]) <= end_of(events[1]) && end_of(events[1]) <= end_of(events[2]));
        for (int i = 0; i < 3; i++)
            OK(clReleaseEvent(events[i]));
        OK(clReleaseEvent(gate));
    }
}

static int called;
static cl_ulong told_end;

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    CHECK(status == CL_COMPLETE && data == &called);
    told_end = end_of(event);
    __atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
}

static void callbacks(void)
{
    for (int again = 0; again < AGAIN; again++) {
        cl_event event = launch(1, 0, NULL), behind;
        OK(clSetEventCallback(event, CL_COMPLETE, on_end, &called));
        OK(clFlush(timed));
        behind = launch(1, 1, &event);
        for (int i = 0; __atomic_load_n(&called, __ATOMIC_ACQUIRE) <= again && i < 10000; i++)
            usleep(1000);
        CHECK(called == again + 1 && end_of(event) == told_end);
        OK(clWaitForEvents(1, &behind));
        CHECK(end_of(behind) >= told_end);
        OK(clReleaseEvent(event));
        OK(clReleaseEvent(behind));
    }
}

/* Also while the times are counted from more than one moment. */
static void many_alive(void)
{
    static cl_event events[MANY];
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < MANY; i++) {
            events[i] = i % 3 == 1 ? launch(1, 1, &events[i - 1]) : launch(1, 0, NULL);
            if (i % 100 == 99)
                usleep(20000);
        }
        OK(clFinish(timed));
        cl_ulong last = 0;
        for (int i = 0; i < MANY; i++) {
            cl_ulong start = time_of(events[i], CL_PROFILING_COMMAND_START);
            CHECK(start >= last && end_of(events[i]) >= start);
            last = start;
        }
        for (int i = 0; i < MANY; i++)
            OK(clReleaseEvent(events[again ? i : MANY - 1 - i]));
    }
}

/* What is released before it ends leaves its times to others, which tell their own. */
static void released_early(void)
{
    cl_ulong last = 0;
    for (int i = 0; i < MANY; i++) {
        OK(clReleaseEvent(launch(1, 0, NULL)));
        if (i % 10)
            continue;
        cl_event event = launch(1, 0, NULL);
        OK(clWaitForEvents(1, &event));
        CHECK(time_of(event, CL_PROFILING_COMMAND_START) >= last);
        last = end_of(event);
        OK(clReleaseEvent(event));
    }
    OK(clFinish(timed));
}

static void *ask(void *event)
{
    for (int i = 0; i < 100; i++)
        end_of(event);
    return NULL;
}

static void asked_by_threads(void)
{
    for (int again = 0; again < AGAIN; again++) {
        cl_event event = launch(1, 0, NULL);
        OK(clFinish(timed));
        run_with(THREADS, ask, event);
        OK(clReleaseEvent(event));
    }
}

static void *give(void *unused)
{
    cl_event before = NULL, event;
    for (int i = 0; i < MANY; i++) {
        int number = i, found;
        if (i % 2)
            OK(clEnqueueMarkerWithWaitList(timed, before != NULL, before ? &before : NULL, &event));
        else
            OK(clEnqueueWriteBuffer(timed, other, CL_TRUE, 0, sizeof number, &number, 0, NULL, &event));
        if (i % 7 == 0)
            OK(clEnqueueReadBuffer(timed, other, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
        if (i % 5 == 0) {
            OK(clWaitForEvents(1, &event));
            end_of(event);
        }
        if (before)
            OK(clReleaseEvent(before));
        before = event;
    }
    OK(clReleaseEvent(before));
    return unused;
}

static void given_by_threads(void)
{
    run_with(THREADS, give, NULL);
    OK(clFinish(timed));
}

/* Events outlive the application's reference to their queue, and its kernel. */
static void queue_released_first(void)
{
    cl_event events[3];
    for (int i = 0; i < 2; i++)
        events[i] = launch(1, 0, NULL);
    OK(clEnqueueCopyBuffer(timed, one, other, 0, 0, SIZE, 0, NULL, &events[2]));
    OK(clFinish(timed));
    OK(clReleaseCommandQueue(timed));
    OK(clReleaseKernel(kernel));
    for (int i = 0; i < 3; i++) {
        end_of(events[i]);
        OK(clReleaseEvent(events[i]));
    }
}

/* Whose events are wanted have times, and where none is, none are taken: by turns, so that each follows the other. */
static void with_and_without_events(void)
{
    enum { ROWS = 8, ROW = 32, PLANES = 3, SIDE = 16 };
    const size_t origin[3] = { 4, 1, 0 }, region[3] = { ROW, ROWS, PLANES }, none[3] = { 0 }, square[3] = { SIDE, SIDE, 1 };
    const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
    const cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE };
    cl_int status;
    cl_bool has_images;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    cl_mem image = has_images ? clCreateImage(context, 0, &format, &description, NULL, &status) : NULL;
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    for (int round = 0; round < 4 * AGAIN; round++) {
        cl_event events[7] = { 0 }, *wanted[7];
        unsigned char pixels[SIDE * SIDE * 4], found[SIDE * SIDE * 4] = { 0 };
        for (int i = 0; i < 7; i++)
            wanted[i] = (round >> i / 2) & 1 ? &events[i] : NULL;
        for (int i = 0; i < COUNT; i++)
            in[i] = 1000 * round + i;
        memset(out, 0, SIZE);
        OK(clEnqueueWriteBufferRect(timed, one, CL_TRUE, origin, none, region, 128, 1024, 0, 0, in, 0, NULL, wanted[0]));
        OK(clEnqueueCopyBufferRect(timed, one, other, origin, origin, region, 128, 1024, 128, 1024, 0, NULL, wanted[1]));
        OK(clEnqueueReadBufferRect(timed, other, CL_TRUE, origin, none, region, 128, 1024, 0, 0, out, 0, NULL, wanted[2]));
        CHECK(!memcmp(in, out, ROW * ROWS * PLANES));
        if (image) {
            memset(pixels, round + 1, sizeof pixels);
            OK(clEnqueueWriteImage(timed, image, CL_TRUE, none, square, 0, 0, pixels, 0, NULL, wanted[3]));
            OK(clEnqueueReadImage(timed, image, CL_TRUE, none, square, 0, 0, found, 0, NULL, wanted[4]));
            CHECK(!memcmp(pixels, found, sizeof found));
        }
        if (shared) {
            OK(clEnqueueSVMMap(timed, CL_TRUE, CL_MAP_WRITE, shared, SIZE, 0, NULL, wanted[5]));
            shared[0] = round;
            OK(clEnqueueSVMUnmap(timed, shared, 0, NULL, wanted[6]));
        }
        OK(clFinish(timed));
        for (int i = 0; i < 7; i++)
            if (events[i]) {
                end_of(events[i]);
                OK(clReleaseEvent(events[i]));
            }
    }
    if (image)
        OK(clReleaseMemObject(image));
    clSVMFree(context, shared);
}

int main(void)
{
    cl_int status;
    start();
    timed = new_queue();
    one = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE, NULL, &status);
    OK(status);
    other = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE, NULL, &status);
    OK(status);
    kernel = kernel_of("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add");
    all_kinds();
    with_and_without_events();
    what_is_wrong();
    not_available();
    callbacks();
    many_alive();
    released_early();
    asked_by_threads();
    given_by_threads();
    queue_released_first();
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(other));
    finish();
    return 0;
}
