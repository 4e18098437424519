/* Semaphores and command-buffers, by clGetExtensionFunctionAddressForPlatform. The prototypes of the provisional extension stand here,
   since headers of several of its versions are about. */
#include "check.h"

typedef cl_ulong properties_t;
typedef cl_uint sync_point_t;
typedef void *handle_t;

#define FIND(name) clGetExtensionFunctionAddressForPlatform(platform, #name)

static void semaphores(void)
{
    handle_t (*create)(cl_context, const properties_t *, cl_int *) = FIND(clCreateSemaphoreWithPropertiesKHR);
    cl_int (*wait)(cl_command_queue, cl_uint, const handle_t *, const cl_ulong *, cl_uint, const cl_event *, cl_event *) =
        FIND(clEnqueueWaitSemaphoresKHR);
    cl_int (*signal)(cl_command_queue, cl_uint, const handle_t *, const cl_ulong *, cl_uint, const cl_event *, cl_event *) =
        FIND(clEnqueueSignalSemaphoresKHR);
    cl_int (*info)(handle_t, cl_uint, size_t, void *, size_t *) = FIND(clGetSemaphoreInfoKHR);
    cl_int (*retain)(handle_t) = FIND(clRetainSemaphoreKHR), (*release)(handle_t) = FIND(clReleaseSemaphoreKHR);
    CHECK(create && wait && signal && info && retain && release);
    properties_t binary[] = { 0x203d, 1, 0 }, back[3], untyped[] = { 0 }; /* CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR */
    cl_int status;
    cl_uint count;
    size_t size;
    handle_t semaphore = create(context, binary, &status), none = NULL;
    OK(status);
    CHECK(!create(context, untyped, &status) && status == CL_INVALID_VALUE);
    OK(info(semaphore, 0x203b, sizeof back, back, &size));
    CHECK(size == sizeof binary && !memcmp(binary, back, size));
    OK(retain(semaphore));
    OK(info(semaphore, 0x203a, sizeof count, &count, NULL));
    CHECK(count == 2);
    OK(release(semaphore));
    IS(wait(queue, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(signal(queue, 1, &none, NULL, 0, NULL, NULL), -1142); /* CL_INVALID_SEMAPHORE_KHR */
    OK(signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(wait(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(release(semaphore));
    IS(release(semaphore), -1142);
    cl_int (*export)(handle_t, cl_device_id, cl_uint, size_t, void *, size_t *) = FIND(clGetSemaphoreHandleForTypeKHR);
    IS(export(NULL, device, 0x2055, 0, NULL, NULL), -1142);
}

static cl_int (*update)(handle_t, cl_uint, const cl_uint *, const void **);

struct config { /* cl_mutable_dispatch_config_khr */
    handle_t command;
    cl_uint arguments, svm, infos, work_dim;
    const void *argument_list, *svm_list, *info_list;
    const size_t *offset, *size, *local;
};

static cl_int update_arguments(handle_t command, handle_t buffer, cl_uint index, size_t size, const void *value)
{
    struct { cl_uint index; size_t size; const void *value; } argument = { index, size, value };
    struct config config = { .command = command, .arguments = 1, .argument_list = &argument };
    cl_uint type = 0;
    const void *configs = &config;
    return update(buffer, 1, &type, &configs);
}

static void command_buffers(void)
{
    handle_t (*create)(cl_uint, const cl_command_queue *, const properties_t *, cl_int *) = FIND(clCreateCommandBufferKHR);
    cl_int (*finalize)(handle_t) = FIND(clFinalizeCommandBufferKHR), (*retain)(handle_t) = FIND(clRetainCommandBufferKHR),
           (*release)(handle_t) = FIND(clReleaseCommandBufferKHR);
    cl_int (*enqueue)(cl_uint, cl_command_queue *, handle_t, cl_uint, const cl_event *, cl_event *) = FIND(clEnqueueCommandBufferKHR);
    cl_int (*info)(handle_t, cl_uint, size_t, void *, size_t *) = FIND(clGetCommandBufferInfoKHR);
    cl_int (*fill)(handle_t, cl_command_queue, const properties_t *, cl_mem, const void *, size_t, size_t, size_t, cl_uint,
                   const sync_point_t *, sync_point_t *, handle_t *) = FIND(clCommandFillBufferKHR);
    cl_int (*copy)(handle_t, cl_command_queue, const properties_t *, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                   const sync_point_t *, sync_point_t *, handle_t *) = FIND(clCommandCopyBufferKHR);
    cl_int (*barrier)(handle_t, cl_command_queue, const properties_t *, cl_uint, const sync_point_t *, sync_point_t *, handle_t *) =
        FIND(clCommandBarrierWithWaitListKHR);
    cl_int (*launch)(handle_t, cl_command_queue, const properties_t *, cl_kernel, cl_uint, const size_t *, const size_t *,
                     const size_t *, cl_uint, const sync_point_t *, sync_point_t *, handle_t *) = FIND(clCommandNDRangeKernelKHR);
    cl_int (*mutable_info)(handle_t, cl_uint, size_t, void *, size_t *) = FIND(clGetMutableCommandInfoKHR);
    update = FIND(clUpdateMutableCommandsKHR);
    cl_int status;
    cl_uint state, count;
    cl_ulong bits;
    OK(clGetDeviceInfo(device, 0x129a, sizeof bits, &bits, NULL)); /* CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR */
    CHECK(bits == (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE));
    OK(clGetDeviceInfo(device, 0x12a9, sizeof bits, &bits, NULL)); /* CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR */
    CHECK(bits == (1 | 4)); /* printf, and simultaneous use */
    properties_t changeable[] = { 0x1293, 2, 0 }; /* CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR */
    handle_t buffer = create(1, &queue, changeable, &status), command;
    OK(status);
    CHECK(!create(0, NULL, NULL, &status) && status == CL_INVALID_VALUE);
    cl_mem a = clCreateBuffer(context, 0, 32, NULL, &status), b = clCreateBuffer(context, 0, 32, NULL, &status);
    int one = 1, five = 5, got[8];
    sync_point_t first, second, unknown = 99;
    OK(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 0, NULL, &first, NULL));
    IS(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 0, NULL, NULL, &command), CL_INVALID_VALUE); /* Only kernels give handles. */
    IS(barrier(buffer, NULL, NULL, 0, NULL, NULL, &command), CL_INVALID_VALUE);
    IS(fill(buffer, queue, NULL, a, &one, 4, 0, 32, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    IS(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 1, &unknown, NULL, NULL), -1139); /* CL_INVALID_SYNC_POINT_WAIT_LIST_KHR */
    IS(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 1, NULL, NULL, NULL), -1139);
    OK(barrier(buffer, NULL, NULL, 1, &first, NULL, NULL));
    cl_kernel kernel = kernel_of("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add");
    size_t size = 8;
    OK(clSetKernelArg(kernel, 1, sizeof one, &one));
    IS(launch(buffer, NULL, NULL, kernel, 1, NULL, &size, NULL, 0, NULL, &second, &command), CL_INVALID_KERNEL_ARGS);
    properties_t later[] = { 0x12b1, 8, 0 }; /* CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR */
    handle_t without;
    OK(launch(buffer, NULL, later, kernel, 1, NULL, &size, NULL, 0, NULL, NULL, &without));
    OK(clSetKernelArg(kernel, 0, sizeof a, &a));
    OK(launch(buffer, NULL, NULL, kernel, 1, NULL, &size, NULL, 0, NULL, &second, &command));
    OK(copy(buffer, NULL, NULL, a, b, 0, 0, 32, 1, &second, NULL, NULL));
    IS(enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    OK(info(buffer, 0x1297, sizeof state, &state, NULL)); /* CL_COMMAND_BUFFER_STATE_KHR */
    CHECK(state == 0);
    OK(finalize(buffer));
    IS(finalize(buffer), CL_INVALID_OPERATION);
    IS(enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    OK(info(buffer, 0x1297, sizeof state, &state, NULL));
    CHECK(state == 2); /* CL_COMMAND_BUFFER_STATE_FINALIZED_KHR */
    OK(update_arguments(without, buffer, 0, sizeof a, &a));
    OK(info(buffer, 0x1297, sizeof state, &state, NULL));
    CHECK(state == 1); /* CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR */
    OK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 3 && got[7] == 3);
    cl_kernel of;
    OK(mutable_info(command, 0x12a3, sizeof of, &of, NULL)); /* CL_MUTABLE_DISPATCH_KERNEL_KHR */
    CHECK(of == kernel);
    OK(update_arguments(command, buffer, 1, sizeof five, &five));
    struct config two_dimensions = { .command = command, .work_dim = 2 };
    const void *configs = &two_dimensions;
    cl_uint type = 0;
    IS(update(buffer, 1, &type, &configs), CL_INVALID_OPERATION);
    IS(update(buffer, 1, NULL, NULL), CL_INVALID_VALUE);
    OK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 7 && got[7] == 7);
    /* Any number of times while it is under way, on any queue of the device. */
    cl_event gate = clCreateUserEvent(context, &status), end;
    cl_queue_properties both[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0 };
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, both, &status);
    OK(enqueue(0, NULL, buffer, 1, &gate, NULL));
    OK(enqueue(0, NULL, buffer, 0, NULL, &end));
    OK(update_arguments(command, buffer, 1, sizeof one, &one));
    OK(enqueue(1, &other, buffer, 1, &end, &end));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &end));
    OK(clGetEventProfilingInfo(end, CL_PROFILING_COMMAND_END, sizeof bits, &bits, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 3 && got[7] == 3);
    IS(enqueue(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(enqueue(0, &other, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(retain(buffer));
    OK(info(buffer, 0x1296, sizeof count, &count, NULL)); /* CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR */
    CHECK(count == 2);
    OK(release(buffer));
    OK(mutable_info(command, 0x12a3, sizeof of, &of, NULL));
    OK(release(buffer));
    IS(release(buffer), -1138);
    IS(mutable_info(command, 0x12a3, sizeof of, &of, NULL), -1141); /* The handles went with it. */
    OK(clReleaseCommandQueue(other));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

static cl_uint references(cl_int (*info)(void *, cl_uint, size_t, void *, size_t *), void *object, cl_uint query)
{
    cl_uint count;
    OK(info(object, query, sizeof count, &count, NULL));
    return count;
}

#define REFERENCES(kind, object, query) \
    references((cl_int (*)(void *, cl_uint, size_t, void *, size_t *))(void *)clGet##kind##Info, object, CL_##query##_REFERENCE_COUNT)

static void CL_CALLBACK on_destroy(cl_mem memory, void *data)
{
    (void)memory;
    *(int *)data += 1;
}

/* "A command-buffer object should increment the reference count of attached OpenCL objects such as queues, buffers, images, and kernels
   referenced in commands recorded to the command-buffer." (5.17) */
static void what_command_buffers_hold(void)
{
    handle_t (*create)(cl_uint, const cl_command_queue *, const properties_t *, cl_int *) = FIND(clCreateCommandBufferKHR);
    cl_int (*finalize)(handle_t) = FIND(clFinalizeCommandBufferKHR), (*retain)(handle_t) = FIND(clRetainCommandBufferKHR),
           (*release)(handle_t) = FIND(clReleaseCommandBufferKHR);
    cl_int (*enqueue)(cl_uint, cl_command_queue *, handle_t, cl_uint, const cl_event *, cl_event *) = FIND(clEnqueueCommandBufferKHR);
    cl_int (*info)(handle_t, cl_uint, size_t, void *, size_t *) = FIND(clGetCommandBufferInfoKHR);
    cl_int (*fill)(handle_t, cl_command_queue, const properties_t *, cl_mem, const void *, size_t, size_t, size_t, cl_uint,
                   const sync_point_t *, sync_point_t *, handle_t *) = FIND(clCommandFillBufferKHR);
    cl_int (*fill_image)(handle_t, cl_command_queue, const properties_t *, cl_mem, const void *, const size_t *, const size_t *, cl_uint,
                         const sync_point_t *, sync_point_t *, handle_t *) = FIND(clCommandFillImageKHR);
    cl_int (*copy)(handle_t, cl_command_queue, const properties_t *, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                   const sync_point_t *, sync_point_t *, handle_t *) = FIND(clCommandCopyBufferKHR);
    cl_int (*launch)(handle_t, cl_command_queue, const properties_t *, cl_kernel, cl_uint, const size_t *, const size_t *,
                     const size_t *, cl_uint, const sync_point_t *, sync_point_t *, handle_t *) = FIND(clCommandNDRangeKernelKHR);
    cl_int (*mutable_info)(handle_t, cl_uint, size_t, void *, size_t *) = FIND(clGetMutableCommandInfoKHR);
    cl_int status;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &status), found;
    OK(status);
    CHECK(!create(2, (cl_command_queue[]){ own, own }, NULL, &status) && REFERENCES(CommandQueue, own, QUEUE) == 1);
    properties_t changeable[] = { 0x1293, 2, 0 }; /* CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR */
    handle_t buffer = create(1, &own, changeable, &status), command;
    OK(status);
    CHECK(REFERENCES(CommandQueue, own, QUEUE) == 2);

    cl_mem a = clCreateBuffer(context, 0, 32, NULL, &status), b = clCreateBuffer(context, 0, 32, NULL, &status);
    cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
    cl_image_desc plane = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    cl_mem image = clCreateImage(context, 0, &format, &plane, NULL, &status);
    OK(status);
    int one = 1, five = 5, got[8], destroyed = 0;
    cl_uint color[4] = { 0 };
    size_t size = 8, origin[3] = { 0 }, region[3] = { 4, 4, 1 };
    IS(fill(buffer, NULL, NULL, a, &one, 3, 0, 32, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK(REFERENCES(MemObject, a, MEM) == 1); /* What is refused holds nothing. */
    OK(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 0, NULL, NULL, NULL));
    OK(copy(buffer, NULL, NULL, a, b, 0, 0, 32, 0, NULL, NULL, NULL));
    OK(fill_image(buffer, NULL, NULL, image, color, origin, region, 0, NULL, NULL, NULL));
    CHECK(REFERENCES(MemObject, a, MEM) == 3 && REFERENCES(MemObject, b, MEM) == 2 && REFERENCES(MemObject, image, MEM) == 2);

    cl_kernel kernel = kernel_of("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add"), of;
    OK(clSetKernelArg(kernel, 0, sizeof b, &b));
    OK(clSetKernelArg(kernel, 1, sizeof one, &one));
    OK(launch(buffer, NULL, NULL, kernel, 1, NULL, &size, NULL, 0, NULL, NULL, NULL));
    OK(launch(buffer, NULL, NULL, kernel, 1, NULL, &size, NULL, 0, NULL, NULL, &command));
    CHECK(REFERENCES(Kernel, kernel, KERNEL) == 3 && REFERENCES(MemObject, b, MEM) == 2); /* Not of what is set as an argument. */
    OK(finalize(buffer));

    /* "This enables correct behavior of the command-buffer when its attached objects have been released." */
    OK(clSetMemObjectDestructorCallback(a, on_destroy, &destroyed));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(image));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(own));
    IS(clReleaseMemObject(a), CL_INVALID_MEM_OBJECT); /* The references that are left are the command-buffer's. */
    IS(clReleaseKernel(kernel), CL_INVALID_KERNEL);
    IS(clReleaseCommandQueue(own), CL_INVALID_COMMAND_QUEUE);
    OK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(info(buffer, 0x1294, sizeof found, &found, NULL)); /* CL_COMMAND_BUFFER_QUEUES_KHR */
    CHECK(found == own);
    OK(mutable_info(command, 0x12a3, sizeof of, &of, NULL)); /* CL_MUTABLE_DISPATCH_KERNEL_KHR */
    CHECK(of == kernel && REFERENCES(Kernel, of, KERNEL) == 2);
    OK(update_arguments(command, buffer, 1, sizeof five, &five));
    OK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(own, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 7 && got[7] == 7 && !destroyed);

    /* "On destruction of the command-buffer it should decrement these reference counts" */
    OK(clRetainKernel(kernel));
    OK(clRetainCommandQueue(own));
    OK(clRetainMemObject(image));
    OK(retain(buffer));
    OK(release(buffer));
    CHECK(REFERENCES(Kernel, kernel, KERNEL) == 3 && REFERENCES(CommandQueue, own, QUEUE) == 2 && REFERENCES(MemObject, image, MEM) == 2);
    OK(release(buffer));
    CHECK(REFERENCES(Kernel, kernel, KERNEL) == 1 && REFERENCES(CommandQueue, own, QUEUE) == 1 && REFERENCES(MemObject, image, MEM) == 1);
    OK(clFinish(own));
    CHECK(destroyed == 1);
    IS(clReleaseMemObject(a), CL_INVALID_MEM_OBJECT);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(own));
}

int main(void)
{
    start();
    semaphores();
    command_buffers();
    what_command_buffers_hold();
    finish();
    return 0;
}
