/* 5.10: launches that are made again and again, which the library makes without Python: nothing may tell them from the first ones. */
#include "together.h"

enum { SIZE = 64, THREADS = 8, ROUNDS = 200 };

static cl_mem buffer;
static cl_kernel put, share;

static void put_all(cl_command_queue to, int value, cl_event *event)
{
    size_t size = SIZE, local = 16;
    OK(clSetKernelArg(put, 1, sizeof value, &value));
    OK(clEnqueueNDRangeKernel(to, put, 1, NULL, &size, &local, 0, NULL, event));
}

static void expect(int value, int from, int to)
{
    int got[SIZE];
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = from; i < to; i++)
        CHECK(got[i] == value + i);
}

static void values_and_buffers_change(void)
{
    cl_int status;
    cl_mem other = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, &status);
    OK(status);
    for (int round = 0; round < 10; round++) {
        put_all(queue, 100 * round, NULL);
        expect(100 * round, 0, SIZE);
    }
    OK(clSetKernelArg(put, 0, sizeof other, &other));
    put_all(queue, 7, NULL);
    expect(900, 0, SIZE); /* not the new one's */
    OK(clSetKernelArg(put, 0, sizeof buffer, &buffer));
    put_all(queue, 8, NULL);
    expect(8, 0, SIZE);
    OK(clReleaseMemObject(other));
}

/* More of them than are kept. */
static void sizes_change(void)
{
    int value = 5000, none = 0;
    for (int again = 0; again < 3; again++)
        for (size_t offset = 0; offset < 40; offset++) {
            size_t size = SIZE - offset;
            put_all(queue, 0, NULL);
            OK(clSetKernelArg(put, 1, sizeof value, &value));
            OK(clEnqueueNDRangeKernel(queue, put, 1, &offset, &size, NULL, 0, NULL, NULL));
            expect(value, (int)offset, SIZE);
            expect(none, 0, (int)offset);
        }
}

/* Of the same sizes, in both dimensions, in two queues by turns, and without one in between. */
static void offsets_change(void)
{
    enum { SIDE = 8 };
    cl_int status;
    int got[SIDE * SIDE], expected[SIDE * SIDE] = { 0 };
    cl_kernel tell = kernel_of("kernel void tell(global int *a, int b) { size_t x = get_global_id(0), y = get_global_id(1);"
                               " a[y * 8 + x] = b + (int)(get_global_offset(0) * 10 + get_global_offset(1) + get_group_id(0)); }", "tell");
    cl_command_queue queues[2] = { queue, clCreateCommandQueueWithProperties(context, device, NULL, &status) };
    OK(status);
    cl_mem squares = clCreateBuffer(context, 0, sizeof got, NULL, &status);
    OK(status);
    OK(clEnqueueWriteBuffer(queue, squares, CL_TRUE, 0, sizeof expected, expected, 0, NULL, NULL));
    OK(clSetKernelArg(tell, 0, sizeof squares, &squares));
    for (int round = 0; round < 200; round++) {
        const size_t offset[2] = { (size_t)(round % 5), (size_t)(round / 5 % 3) }, size[2] = { 4, 4 }, local[2] = { 2, 2 };
        cl_command_queue here = queues[round / 4 % 2];
        OK(clSetKernelArg(tell, 1, sizeof round, &round));
        OK(clEnqueueNDRangeKernel(here, tell, 2, round % 7 ? offset : NULL, size, local, 0, NULL, NULL));
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 4; x++) {
                size_t left = round % 7 ? offset[0] : 0, top = round % 7 ? offset[1] : 0;
                expected[(top + y) * SIDE + left + x] = round + (int)(left * 10 + top + x / 2);
            }
        if (round % 4 == 3)
            OK(clFinish(here));
    }
    OK(clEnqueueReadBuffer(queue, squares, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(!memcmp(got, expected, sizeof got));
    const size_t beyond[2] = { (size_t)-2, 0 }, size[2] = { 4, 4 }, local[2] = { 2, 2 };
    IS(clEnqueueNDRangeKernel(queue, tell, 2, beyond, size, local, 0, NULL, NULL), CL_INVALID_GLOBAL_OFFSET);
    OK(clReleaseCommandQueue(queues[1]));
    OK(clReleaseMemObject(squares));
    OK(clReleaseKernel(tell));
}

static void wrong_calls_are_refused_as_before(void)
{
    size_t size = SIZE, local = 16, zero = 0, many = 1 << 20;
    cl_event none = NULL, event;
    for (int again = 0; again < 3; again++)
        put_all(queue, again, NULL);
    IS(clEnqueueNDRangeKernel(NULL, put, 1, NULL, &size, &local, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    IS(clEnqueueNDRangeKernel(queue, (cl_kernel)buffer, 1, NULL, &size, &local, 0, NULL, NULL), CL_INVALID_KERNEL);
    IS(clEnqueueNDRangeKernel(queue, put, 0, NULL, &size, &local, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    IS(clEnqueueNDRangeKernel(queue, put, 4, NULL, &size, &local, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    for (int again = 0; again < 3; again++) {
        IS(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &many, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
        IS(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &zero, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
        OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, &zero, NULL, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, NULL, NULL, 0, NULL, NULL));
    }
    IS(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &local, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    IS(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &local, 0, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    IS(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &local, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    put_all(queue, 1, &event);
    IS(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &local, 2, (cl_event[]){ event, none }, NULL), CL_INVALID_EVENT_WAIT_LIST);
    OK(clReleaseEvent(event));
    IS(clReleaseEvent(event), CL_INVALID_EVENT);
    cl_kernel unset;
    cl_int status;
    cl_program program;
    OK(clGetKernelInfo(put, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
    unset = clCreateKernel(program, "put", &status);
    OK(status);
    for (int again = 0; again < 3; again++)
        IS(clEnqueueNDRangeKernel(queue, unset, 1, NULL, &size, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    OK(clReleaseKernel(unset));
}

static void local_memory_changes(void)
{
    size_t size = 2 * SIZE;
    cl_mem sums = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, NULL);
    OK(clSetKernelArg(share, 0, sizeof sums, &sums));
    for (int again = 0; again < 12; again++) {
        size_t local = 8u << again % 3;
        int got[SIZE];
        OK(clSetKernelArg(share, 1, local * sizeof(int), NULL));
        OK(clEnqueueNDRangeKernel(queue, share, 1, NULL, &size, &local, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, share, 1, NULL, &size, &local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (size_t group = 0; group < size / local; group++)
            CHECK(got[group] == (int)(local * (local - 1) / 2));
    }
    OK(clReleaseMemObject(sums));
}

/* Commands before them that wait, and events of theirs that are used for all that events are for. */
static void they_keep_their_place(void)
{
    cl_int status, state;
    int eights[SIZE];
    cl_event user = clCreateUserEvent(context, &status), events[3], copied;
    OK(status);
    for (int i = 0; i < SIZE; i++)
        eights[i] = 8;
    for (int again = 0; again < 3; again++)
        put_all(queue, 1, NULL);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof eights, eights, 1, &user, NULL));
    put_all(queue, 40, &events[0]);
    OK(clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state > CL_COMPLETE); /* It comes after the copy, which waits. */
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    expect(40, 0, SIZE);
    for (int i = 1; i < 3; i++)
        put_all(queue, 50 * i, &events[i]);
    size_t size = SIZE, local = 16;
    OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &local, 2, events + 1, NULL));
    OK(clEnqueueMarkerWithWaitList(queue, 2, events + 1, &copied));
    cl_uint type, count;
    cl_command_queue of;
    OK(clGetEventInfo(events[1], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    OK(clGetEventInfo(events[1], CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    OK(clGetEventInfo(events[2], CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK(type == CL_COMMAND_NDRANGE_KERNEL && of == queue && count == 1);
    cl_ulong time;
    IS(clGetEventProfilingInfo(events[1], CL_PROFILING_COMMAND_START, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    IS(clSetUserEventStatus(events[1], CL_COMPLETE), CL_INVALID_EVENT);
    OK(clWaitForEvents(2, events + 1));
    OK(clGetEventInfo(events[1], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state == CL_COMPLETE);
    for (int i = 0; i < 3; i++)
        OK(clReleaseEvent(events[i]));
    OK(clReleaseEvent(copied));
    OK(clReleaseEvent(user));
}

/* Queues whose commands are all looked at. */
static void other_queues_take_them(void)
{
    cl_int status;
    cl_ulong start, end;
    cl_queue_properties kinds[] = { CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
    for (int i = 0; i < 2; i++) {
        cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, kinds[i], 0 };
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, properties, &status);
        cl_event event;
        OK(status);
        for (int again = 0; again < 4; again++) {
            put_all(other, again, &event);
            OK(clWaitForEvents(1, &event));
            if (!i) {
                OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
                OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
                CHECK(start && start <= end);
            }
            OK(clReleaseEvent(event));
            expect(again, 0, SIZE);
        }
        OK(clReleaseCommandQueue(other));
    }
}

static void the_last_event_keeps_its_queue(void)
{
    cl_int status, state;
    cl_event event;
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    for (int again = 0; again < 3; again++)
        put_all(other, again, NULL);
    put_all(other, 70, &event);
    OK(clReleaseCommandQueue(other));
    OK(clWaitForEvents(1, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state == CL_COMPLETE);
    OK(clReleaseEvent(event));
    expect(70, 0, SIZE);
    other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    put_all(other, 71, &event); /* It may have the place of the one before, whose launches it must not take for its own. */
    OK(clReleaseCommandQueue(other));
    OK(clWaitForEvents(1, &event)); /* The queue that reads is another one. */
    OK(clReleaseEvent(event));
    expect(71, 0, SIZE);
}

/* Any order of launches, copies and fills, some of which wait for a user event, does what the same order does here. */
static void any_order_is_kept(void)
{
    enum { COMMANDS = 600 };
    cl_int status;
    static int written[COMMANDS][SIZE];
    int model[SIZE] = { 0 }, got[SIZE], number = 12345;
    cl_event gate = NULL, last = NULL;
    cl_kernel add = kernel_of("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add");
    size_t size = SIZE, local = 16;
    OK(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    put_all(queue, 0, NULL);
    for (int i = 0; i < SIZE; i++)
        model[i] = i;
    for (int command = 0; command < COMMANDS; command++) {
        number = (int)((unsigned)number * 1103515245u + 12345u);
        int what = (number >> 16) & 15;
        if (what < 9) {
            OK(clSetKernelArg(add, 1, sizeof command, &command));
            cl_event *wanted = what & 1 ? &last : NULL;
            if (wanted && last)
                OK(clReleaseEvent(last));
            OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, &local, 0, NULL, wanted));
            for (int i = 0; i < SIZE; i++)
                model[i] += command;
        } else if (what < 12) {
            if (!gate && what == 11) {
                gate = clCreateUserEvent(context, &status);
                OK(status);
            }
            for (int i = 0; i < SIZE; i++)
                model[i] = written[command][i] = command ^ i;
            OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof model, written[command], gate != NULL, gate ? &gate : NULL, NULL));
        } else if (what == 12) {
            OK(clEnqueueFillBuffer(queue, buffer, &command, sizeof command, 0, sizeof model, last != NULL, last ? &last : NULL, NULL));
            for (int i = 0; i < SIZE; i++)
                model[i] = command;
        } else {
            if (gate) {
                OK(clSetUserEventStatus(gate, CL_COMPLETE));
                OK(clReleaseEvent(gate));
                gate = NULL;
            }
            if (last && what == 13)
                OK(clWaitForEvents(1, &last));
            OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            CHECK(!memcmp(got, model, sizeof got));
        }
    }
    if (gate) {
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(gate));
    }
    if (last)
        OK(clReleaseEvent(last));
    OK(clFinish(queue));
    OK(clReleaseKernel(add));
}

static void *launch_often(void *data)
{
    size_t size = SIZE, local = 16;
    (void)data;
    for (int round = 0; round < ROUNDS; round++) {
        cl_event event;
        OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &local, 0, NULL, round % 3 ? NULL : &event));
        if (round % 3)
            continue;
        if (round % 2)
            OK(clWaitForEvents(1, &event));
        OK(clReleaseEvent(event));
    }
    return NULL;
}

static void threads_launch_one_kernel(void)
{
    put_all(queue, 90, NULL);
    run_with(THREADS, launch_often, NULL);
    OK(clFinish(queue));
    expect(90, 0, SIZE);
}

int main(void)
{
    cl_int status;
    start();
    put = kernel_of("kernel void put(global int *a, int b) { size_t i = get_global_id(0); a[i] = b + (int)i; }", "put");
    share = kernel_of("kernel void share(global int *r, local int *a) { size_t i = get_local_id(0); a[i] = (int)i;"
                      " barrier(CLK_LOCAL_MEM_FENCE); if (!i) { int sum = 0; for (size_t j = 0; j < get_local_size(0); j++) sum += a[j];"
                      " r[get_group_id(0)] = sum; } }", "share");
    buffer = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, &status);
    OK(status);
    OK(clSetKernelArg(put, 0, sizeof buffer, &buffer));
    values_and_buffers_change();
    sizes_change();
    offsets_change();
    wrong_calls_are_refused_as_before();
    local_memory_changes();
    they_keep_their_place();
    any_order_is_kept();
    other_queues_take_them();
    the_last_event_keeps_its_queue();
    threads_launch_one_kernel();
    OK(clFlush(queue));
    OK(clReleaseKernel(put));
    OK(clReleaseKernel(share));
    OK(clReleaseMemObject(buffer));
    finish();
    return 0;
}
