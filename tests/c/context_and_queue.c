/* 4.4, 5.1, 5.16: contexts and command-queues. */
#include "check.h"

static int destroyed;

static void CL_CALLBACK on_destroy(cl_context gone, void *data)
{
    (void)gone;
    destroyed = destroyed * 10 + *(int *)data;
}

int main(void)
{
    cl_int status;
    cl_uint number;
    size_t size;
    start();
    CHECK(!clCreateContext(NULL, 0, NULL, NULL, NULL, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateContext(NULL, 1, &device, NULL, &number, &status) && status == CL_INVALID_VALUE);
    cl_context_properties unknown[] = { 0x1234, 1, 0 };
    CHECK(!clCreateContext(unknown, 1, &device, NULL, NULL, &status) && status == CL_INVALID_PROPERTY);
    cl_device_id none[] = { device, NULL };
    CHECK(!clCreateContext(NULL, 2, none, NULL, NULL, &status) && status == CL_INVALID_DEVICE);
    cl_context_properties given[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0 }, back[3];
    cl_context other = clCreateContextFromType(given, CL_DEVICE_TYPE_ALL, NULL, NULL, &status);
    OK(status);
    OK(clGetContextInfo(other, CL_CONTEXT_PROPERTIES, sizeof back, back, &size));
    CHECK(size == sizeof given && !memcmp(given, back, size));
    OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &size));
    CHECK(size == 0);
    CHECK(!clCreateContextFromType(given, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &status) && status == CL_DEVICE_NOT_FOUND);
    cl_device_id found;
    OK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof found, &found, &size));
    CHECK(found == device && size == sizeof found);

    OK(clRetainContext(other));
    OK(clGetContextInfo(other, CL_CONTEXT_REFERENCE_COUNT, sizeof number, &number, NULL));
    CHECK(number == 2);
    IS(clSetContextDestructorCallback(other, NULL, NULL), CL_INVALID_VALUE);
    int first = 1, second = 2;
    OK(clSetContextDestructorCallback(other, on_destroy, &first));
    OK(clSetContextDestructorCallback(other, on_destroy, &second));
    OK(clReleaseContext(other));
    CHECK(destroyed == 0);
    OK(clReleaseContext(other));
    CHECK(destroyed == 21); /* "in the reverse order in which they were registered" */
    IS(clReleaseContext(other), CL_INVALID_CONTEXT);
    IS(clGetContextInfo((cl_context)queue, CL_CONTEXT_NUM_DEVICES, sizeof number, &number, NULL), CL_INVALID_CONTEXT);

    cl_queue_properties profiled[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 }, properties[3];
    cl_command_queue timed = clCreateCommandQueueWithProperties(context, device, profiled, &status);
    OK(status);
    OK(clGetCommandQueueInfo(timed, CL_QUEUE_PROPERTIES_ARRAY, sizeof properties, properties, &size));
    CHECK(size == sizeof profiled && !memcmp(profiled, properties, size));
    cl_command_queue_properties bits;
    OK(clGetCommandQueueInfo(timed, CL_QUEUE_PROPERTIES, sizeof bits, &bits, NULL));
    CHECK(bits == CL_QUEUE_PROFILING_ENABLE);
    cl_queue_properties wrong[] = { 0x1234, 1, 0 };
    CHECK(!clCreateCommandQueueWithProperties(context, device, wrong, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateCommandQueueWithProperties(context, NULL, NULL, &status) && status == CL_INVALID_DEVICE);
    CHECK(!clCreateCommandQueueWithProperties((cl_context)timed, device, NULL, &status) && status == CL_INVALID_CONTEXT);
    OK(clFlush(timed));
    OK(clFinish(timed));
    IS(clGetCommandQueueInfo(timed, CL_QUEUE_SIZE, sizeof number, &number, NULL), CL_INVALID_COMMAND_QUEUE);

    /* Queues on the device: kernels enqueue there, and nobody else. */
    IS(clSetDefaultDeviceCommandQueue(context, device, timed), CL_INVALID_COMMAND_QUEUE);
    IS(clSetDefaultDeviceCommandQueue(context, NULL, timed), CL_INVALID_DEVICE);
    cl_queue_properties on_device[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_SIZE,
                                        32768, 0 };
    cl_command_queue first_default, for_kernels = clCreateCommandQueueWithProperties(context, device, on_device, &status);
    OK(status);
    OK(clGetCommandQueueInfo(for_kernels, CL_QUEUE_SIZE, sizeof number, &number, NULL));
    CHECK(number == 32768);
    OK(clSetDefaultDeviceCommandQueue(context, device, for_kernels));
    OK(clGetCommandQueueInfo(timed, CL_QUEUE_DEVICE_DEFAULT, sizeof first_default, &first_default, NULL));
    CHECK(first_default == for_kernels);
    IS(clFinish(for_kernels), CL_INVALID_COMMAND_QUEUE);
    IS(clEnqueueMarkerWithWaitList(for_kernels, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    OK(clReleaseCommandQueue(for_kernels));
    IS(clReleaseCommandQueue(for_kernels), CL_INVALID_COMMAND_QUEUE);
    on_device[1] |= CL_QUEUE_ON_DEVICE_DEFAULT;
    for_kernels = clCreateCommandQueueWithProperties(context, device, on_device, &status);
    OK(status);
    CHECK(clCreateCommandQueueWithProperties(context, device, on_device, &status) == for_kernels && status == CL_SUCCESS);
    OK(clGetCommandQueueInfo(for_kernels, CL_QUEUE_REFERENCE_COUNT, sizeof number, &number, NULL));
    CHECK(number == 2);
    OK(clReleaseCommandQueue(for_kernels));
    OK(clReleaseCommandQueue(for_kernels));
    IS(clReleaseCommandQueue(for_kernels), CL_INVALID_COMMAND_QUEUE);

    /* What was made of a context and of a queue keeps them. */
    cl_event marker;
    OK(clEnqueueMarkerWithWaitList(timed, 0, NULL, &marker));
    OK(clRetainCommandQueue(timed));
    OK(clReleaseCommandQueue(timed));
    OK(clReleaseCommandQueue(timed));
    IS(clReleaseCommandQueue(timed), CL_INVALID_COMMAND_QUEUE);
    cl_command_queue of;
    OK(clGetEventInfo(marker, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    CHECK(of == timed);
    OK(clWaitForEvents(1, &marker));
    cl_ulong time;
    OK(clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
    OK(clReleaseEvent(marker));

    cl_context kept = clCreateContext(NULL, 1, &device, NULL, NULL, &status), again;
    cl_mem buffer = clCreateBuffer(kept, 0, 16, NULL, &status);
    OK(status);
    OK(clReleaseContext(kept));
    OK(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof again, &again, NULL));
    CHECK(again == kept);
    OK(clReleaseMemObject(buffer));
    finish();
    return 0;
}
