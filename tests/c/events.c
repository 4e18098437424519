/* 5.11, 5.12, 5.15: events, markers, barriers. */
#include "together.h"

#include <pthread.h>
#include <unistd.h>

static int seen;

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    cl_uint type;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK(status == CL_COMPLETE && *(cl_event *)data == event);
    __atomic_store_n(&seen, 1, __ATOMIC_RELEASE);
}

enum { ROUNDS = 12, THREADS = 4 };

static cl_event user_event(void)
{
    cl_int status;
    cl_event made = clCreateUserEvent(context, &status);
    OK(status);
    return made;
}

static cl_int state_of(cl_event event)
{
    cl_int state;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state;
}

/* Asked and waited for or not, before and after it is set. */
static void user_events_are_set_once(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        cl_event user = user_event(), marker = NULL;
        cl_int wanted = round % 2 ? -7 : CL_COMPLETE;
        cl_context of;
        cl_command_queue none = queue;
        cl_uint type, count;
        cl_ulong time;
        CHECK(state_of(user) == CL_SUBMITTED && state_of(user) == CL_SUBMITTED);
        IS(clSetUserEventStatus(user, CL_RUNNING), CL_INVALID_VALUE);
        if (round / 2 % 3 == 1)
            OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &marker));
        OK(clSetUserEventStatus(user, wanted));
        CHECK(state_of(user) == wanted);
        if (round / 2 % 3 == 2)
            OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &marker));
        IS(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
        CHECK(state_of(user) == wanted);
        IS(clWaitForEvents(1, &user), wanted ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        OK(clGetEventInfo(user, CL_EVENT_CONTEXT, sizeof of, &of, NULL));
        OK(clGetEventInfo(user, CL_EVENT_COMMAND_QUEUE, sizeof none, &none, NULL));
        OK(clGetEventInfo(user, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        OK(clGetEventInfo(user, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
        CHECK(of == context && !none && type == CL_COMMAND_USER && count == 1);
        IS(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
        if (marker) {
            IS(clWaitForEvents(1, &marker), wanted ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
            CHECK(wanted ? state_of(marker) < 0 : state_of(marker) == CL_COMPLETE);
            OK(clReleaseEvent(marker));
        }
        OK(clReleaseEvent(user));
        IS(clReleaseEvent(user), CL_INVALID_EVENT);
        IS(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_EVENT);
        OK(clReleaseEvent(user_event())); /* never set */
    }
}

/* "The event object is deleted once the reference count becomes zero, [...] and there are no commands in the command-queues of a context
   that require a wait for this event to complete" (clReleaseEvent): until then it may be set. */
static void user_events_that_are_awaited_stay(void)
{
    cl_int status, zero = 0;
    cl_kernel kernel = kernel_of("kernel void put(global int *a, int value) { *a = value; }", "put");
    cl_mem memory = clCreateBuffer(context, 0, sizeof zero, NULL, &status);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    for (int round = 0; round < 4 * ROUNDS; round++) {
        const size_t one = 1;
        const int fails = round % 4 == 3;
        cl_event gate = user_event(), behind = NULL;
        cl_int value = round + 1, found = -1, state = fails ? -9 : CL_COMPLETE;
        OK(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        if (round % 2)
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 1, &gate, &behind));
        else
            OK(clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, sizeof value, &value, 1, &gate, &behind));
        OK(clReleaseEvent(gate));
        IS(clReleaseEvent(gate), CL_INVALID_EVENT);
        CHECK(state_of(gate) == CL_SUBMITTED && state_of(behind) > 0);
        OK(clSetUserEventStatus(gate, state));
        IS(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_EVENT);
        IS(clWaitForEvents(1, &behind), fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        OK(clReleaseEvent(behind));
        OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
        CHECK(found == (fails ? 0 : value));
    }
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(kernel));
}

static void CL_CALLBACK note_state(cl_event event, cl_int status, void *data)
{
    (void)event;
    __atomic_store_n((int *)data, status, __ATOMIC_RELEASE);
}

static void CL_CALLBACK take(cl_event event, cl_int status, void *place)
{
    (void)status;
    OK(clRetainEvent(event));
    __atomic_store_n((cl_event *)place, event, __ATOMIC_RELEASE);
}

/* Who is called may keep an event that the application has released by then. */
static void callbacks_retain_events(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        cl_event gate = user_event(), marker, taken = NULL;
        OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker));
        OK(clSetEventCallback(marker, CL_COMPLETE, take, &taken));
        OK(clReleaseEvent(marker));
        IS(clReleaseEvent(marker), CL_INVALID_EVENT);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(gate));
        OK(clFinish(queue));
        for (int i = 0; i < 5000 && !__atomic_load_n(&taken, __ATOMIC_ACQUIRE); i++)
            usleep(1000);
        CHECK(taken == marker);
        usleep(1000); /* The callback has returned. */
        for (int others = 0; others < 300; others++)
            OK(clReleaseEvent(user_event()));
        cl_command_type type = 0;
        OK(clGetEventInfo(taken, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        CHECK(type == CL_COMMAND_MARKER && state_of(taken) == CL_COMPLETE);
        OK(clReleaseEvent(taken));
        IS(clReleaseEvent(taken), CL_INVALID_EVENT);
    }
}

/* The end of a command is told when it has come, though a long one is behind it. (On the host's devices that has ended with its call.) */
static void callbacks_come_before_later_commands(void)
{
    cl_device_type type;
    cl_int status;
    size_t one = 1;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    cl_int is_gpu = type == CL_DEVICE_TYPE_GPU, few = 1, many = is_gpu ? 40000000 : 1;
    cl_kernel kernel = kernel_of("kernel void turn(global float *a, int times)"
                                 "{ float x = a[0]; for (int i = 0; i < times; i++) x = fma(x, 1.0001f, 1e-3f); a[0] = x; }", "turn");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &status);
    OK(status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 0; round < ROUNDS; round++) {
        int told = 99;
        cl_event first, second;
        OK(clSetKernelArg(kernel, 1, sizeof few, &few));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &first));
        OK(clSetEventCallback(first, CL_COMPLETE, note_state, &told));
        OK(clSetKernelArg(kernel, 1, sizeof many, &many));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &second));
        OK(clFlush(queue));
        for (int i = 0; i < 5000 && __atomic_load_n(&told, __ATOMIC_ACQUIRE) == 99; i++)
            usleep(1000);
        CHECK(told == CL_COMPLETE && (!is_gpu || state_of(second) > CL_COMPLETE));
        OK(clFinish(queue));
        OK(clReleaseEvent(first));
        OK(clReleaseEvent(second));
    }
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

static void user_events_call_back(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        int told = 99, wanted = round / 2 % 2 ? -3 : CL_COMPLETE;
        cl_event user = user_event();
        if (round % 2)
            OK(clSetUserEventStatus(user, wanted));
        OK(clSetEventCallback(user, CL_COMPLETE, note_state, &told));
        if (!(round % 2)) {
            CHECK(told == 99);
            OK(clSetUserEventStatus(user, wanted));
        }
        OK(clReleaseEvent(user));
        while (__atomic_load_n(&told, __ATOMIC_ACQUIRE) == 99)
            usleep(100);
        CHECK(told == wanted);
    }
}

static cl_event contested;
static int taken;
static pthread_barrier_t together;

/* Of all that set it one does, while others ask and wait. */
static void *set_or_wait(void *data)
{
    size_t mine = (size_t)data;
    for (int round = 0; round < 20 * ROUNDS; round++) {
        pthread_barrier_wait(&together);
        if (mine < THREADS / 2) {
            cl_int got = clSetUserEventStatus(contested, CL_COMPLETE);
            CHECK(got == CL_SUCCESS || got == CL_INVALID_OPERATION);
            if (got == CL_SUCCESS)
                __atomic_add_fetch(&taken, 1, __ATOMIC_ACQ_REL);
        } else {
            if (round % 3)
                OK(clWaitForEvents(1, &contested));
            cl_int state = state_of(contested);
            CHECK(state == CL_COMPLETE || (round % 3 == 0 && state == CL_SUBMITTED));
        }
        pthread_barrier_wait(&together);
        if (!mine) {
            CHECK(taken == 1 && state_of(contested) == CL_COMPLETE);
            taken = 0;
            OK(clReleaseEvent(contested));
            contested = user_event();
        }
    }
    return NULL;
}

static void threads_set_one(void)
{
    contested = user_event();
    CHECK(!pthread_barrier_init(&together, NULL, THREADS));
    run_numbered(THREADS, set_or_wait);
    OK(clReleaseEvent(contested));
}

int main(void)
{
    cl_int status, state;
    start();
    cl_event user = clCreateUserEvent(context, &status), marker, failed;
    OK(status);
    CHECK(!clCreateUserEvent((cl_context)queue, &status) && status == CL_INVALID_CONTEXT);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &marker));
    OK(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state > CL_COMPLETE);
    IS(clSetEventCallback(marker, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    IS(clSetEventCallback(marker, 77, on_end, NULL), CL_INVALID_VALUE);
    OK(clSetEventCallback(marker, CL_COMPLETE, on_end, &marker));
    IS(clSetUserEventStatus(user, 1), CL_INVALID_VALUE);
    IS(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    IS(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    OK(clWaitForEvents(1, &marker));
    for (int i = 0; !__atomic_load_n(&seen, __ATOMIC_ACQUIRE) && i < 1000; i++)
        usleep(1000);
    CHECK(__atomic_load_n(&seen, __ATOMIC_ACQUIRE));
    IS(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    IS(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    cl_event none = NULL;
    IS(clWaitForEvents(1, &none), CL_INVALID_EVENT);
    cl_ulong time;
    IS(clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_START, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));

    cl_event bad = clCreateUserEvent(context, &status);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &bad, &failed));
    OK(clSetUserEventStatus(bad, -5));
    IS(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    for (int again = 0; again < 3; again++) {
        OK(clGetEventInfo(failed, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
        CHECK(state < 0);
        OK(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
        CHECK(state == CL_COMPLETE);
        IS(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, 1, &state, NULL), CL_INVALID_VALUE);
    }
    cl_uint count;
    OK(clRetainEvent(user));
    OK(clGetEventInfo(user, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK(count == 2);
    OK(clReleaseEvent(user));
    OK(clReleaseEvent(user));
    IS(clReleaseEvent(user), CL_INVALID_EVENT);
    OK(clReleaseEvent(bad));
    OK(clReleaseEvent(failed));
    OK(clReleaseEvent(marker));
    user_events_are_set_once();
    user_events_that_are_awaited_stay();
    user_events_call_back();
    callbacks_retain_events();
    callbacks_come_before_later_commands();
    threads_set_one();
    finish();
    return 0;
}
