/* 5.11, 5.12, 5.15: events, markers, barriers. */
#include "check.h"

#include <unistd.h>

static volatile int seen;

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    cl_uint type;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK(status == CL_COMPLETE && *(cl_event *)data == event);
    seen = 1;
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
    for (int i = 0; !seen && i < 1000; i++)
        usleep(1000);
    CHECK(seen);
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
    finish();
    return 0;
}
