/* 4.4, 5.1, 5.2.1, 5.8: what the application has released, but which objects made from it are still asked for. "After the reference count
   becomes zero and all the objects attached to context are released, the context is deleted": until then it may be retained. */
#include "together.h"

enum { TIMES = 5, THREADS = 4 };

static int destroyed;

static void CL_CALLBACK on_destroy(cl_context gone, void *data)
{
    (void)gone;
    ++*(int *)data;
}

static cl_command_queue queue_of_released(cl_context *made)
{
    cl_int status;
    *made = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    OK(status);
    OK(clSetContextDestructorCallback(*made, on_destroy, &destroyed));
    cl_command_queue only = clCreateCommandQueueWithProperties(*made, device, NULL, &status);
    OK(status);
    OK(clReleaseContext(*made));
    return only;
}

static cl_context retained_context(cl_command_queue of)
{
    cl_context found;
    OK(clGetCommandQueueInfo(of, CL_QUEUE_CONTEXT, sizeof found, &found, NULL));
    OK(clRetainContext(found));
    return found;
}

static void check_use(cl_context used, cl_command_queue by)
{
    cl_int status;
    int number = 7;
    cl_mem buffer = clCreateBuffer(used, CL_MEM_COPY_HOST_PTR, sizeof number, &number, &status);
    OK(status);
    number = 0;
    OK(clEnqueueReadBuffer(by, buffer, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL));
    CHECK(number == 7);
    OK(clReleaseMemObject(buffer));
}

static void *ask_often(void *given)
{
    for (int i = 0; i < 200; i++) {
        cl_context found = retained_context(given);
        check_use(found, given);
        OK(clReleaseContext(found));
    }
    return NULL;
}

static void check_contexts(void)
{
    cl_context made;
    cl_command_queue only = queue_of_released(&made);
    for (int i = 0; i < TIMES; i++) {
        cl_context found = retained_context(only);
        CHECK(found == made);
        check_use(found, only);
        OK(clReleaseContext(found));
    }
    run_with(THREADS, ask_often, only);
    CHECK(destroyed == 0);
    OK(clReleaseCommandQueue(only));
    CHECK(destroyed == 1);
    IS(clRetainContext(made), CL_INVALID_CONTEXT);

    only = queue_of_released(&made);
    made = retained_context(only);
    OK(clReleaseCommandQueue(only));
    cl_int status;
    only = clCreateCommandQueueWithProperties(made, device, NULL, &status);
    OK(status);
    check_use(made, only);
    OK(clReleaseCommandQueue(only));
    CHECK(destroyed == 1);
    OK(clReleaseContext(made));
    CHECK(destroyed == 2);
}

static void check_programs(void)
{
    cl_kernel kernel = kernel_of("kernel void one(global int *a) { a[0] = 1; } kernel void two(global int *a) { a[0] = 2; }", "one");
    cl_program found;
    cl_int status;
    for (int i = 0; i < TIMES; i++) {
        OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof found, &found, NULL));
        OK(clRetainProgram(found));
        OK(i < TIMES - 1 ? clReleaseProgram(found) : CL_SUCCESS);
    }
    OK(clReleaseKernel(kernel));
    kernel = clCreateKernel(found, "two", &status);
    OK(status);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(found));
    IS(clRetainProgram(found), CL_INVALID_PROGRAM);
}

static void check_queues(void)
{
    cl_int status;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, NULL, &status), found;
    OK(status);
    cl_event event;
    OK(clEnqueueMarkerWithWaitList(made, 0, NULL, &event));
    OK(clReleaseCommandQueue(made));
    for (int i = 0; i < TIMES; i++) {
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof found, &found, NULL));
        CHECK(found == made);
        OK(clRetainCommandQueue(found));
        check_use(context, found);
        OK(i < TIMES - 1 ? clReleaseCommandQueue(found) : CL_SUCCESS);
    }
    OK(clReleaseEvent(event));
    check_use(context, found);
    OK(clReleaseCommandQueue(found));
}

static void check_buffers(void)
{
    cl_int status, numbers[64] = { 0 };
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &status), found;
    OK(status);
    cl_buffer_region region = { 0, sizeof numbers };
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    OK(status);
    OK(clReleaseMemObject(whole));
    for (int i = 0; i < TIMES; i++) {
        OK(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof found, &found, NULL));
        CHECK(found == whole);
        OK(clRetainMemObject(found));
        OK(clReleaseMemObject(found));
        numbers[5] = i;
        OK(clEnqueueWriteBuffer(queue, part, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
        numbers[5] = -1;
        OK(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
        CHECK(numbers[5] == i);
    }
    OK(clReleaseMemObject(part));
}

static void check_sub_devices(void)
{
    cl_device_partition_property by_one[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
    cl_device_id parts[64], found[2];
    cl_uint count;
    cl_int status = clCreateSubDevices(device, by_one, 64, parts, &count);
    if (status)
        return; /* not every device has parts */
    cl_context own = clCreateContext(NULL, 1, parts, NULL, NULL, &status);
    OK(status);
    for (cl_uint i = 0; i < count; i++)
        OK(clReleaseDevice(parts[i]));
    for (int i = 0; i < TIMES; i++) {
        OK(clGetContextInfo(own, CL_CONTEXT_DEVICES, sizeof found, found, NULL));
        OK(clRetainDevice(found[0]));
        OK(clReleaseDevice(found[0]));
    }
    OK(clReleaseContext(own));
}

int main(void)
{
    start();
    check_contexts();
    check_programs();
    check_queues();
    check_buffers();
    check_sub_devices();
    finish();
    return 0;
}
