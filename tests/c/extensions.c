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
    cl_int (*update)(handle_t, cl_uint, const cl_uint *, const void **) = FIND(clUpdateMutableCommandsKHR);
    cl_int status;
    cl_uint state, count;
    properties_t changeable[] = { 0x1293, 2, 0 }; /* CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR */
    handle_t buffer = create(1, &queue, changeable, &status), command;
    OK(status);
    CHECK(!create(0, NULL, NULL, &status) && status == CL_INVALID_VALUE);
    cl_mem a = clCreateBuffer(context, 0, 32, NULL, &status), b = clCreateBuffer(context, 0, 32, NULL, &status);
    int one = 1, five = 5, got[8];
    sync_point_t first, second, unknown = 99;
    OK(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 0, NULL, &first, NULL));
    IS(fill(buffer, queue, NULL, a, &one, 4, 0, 32, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    IS(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 1, &unknown, NULL, NULL), -1139); /* CL_INVALID_SYNC_POINT_WAIT_LIST_KHR */
    IS(fill(buffer, NULL, NULL, a, &one, 4, 0, 32, 1, NULL, NULL, NULL), -1139);
    OK(barrier(buffer, NULL, NULL, 1, &first, NULL, NULL));
    cl_kernel kernel = kernel_of("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add");
    OK(clSetKernelArg(kernel, 0, sizeof a, &a));
    OK(clSetKernelArg(kernel, 1, sizeof one, &one));
    size_t size = 8;
    OK(launch(buffer, NULL, NULL, kernel, 1, NULL, &size, NULL, 0, NULL, &second, &command));
    OK(copy(buffer, NULL, NULL, a, b, 0, 0, 32, 1, &second, NULL, NULL));
    IS(enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    OK(info(buffer, 0x1297, sizeof state, &state, NULL)); /* CL_COMMAND_BUFFER_STATE_KHR */
    CHECK(state == 0);
    OK(finalize(buffer));
    IS(finalize(buffer), CL_INVALID_OPERATION);
    OK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 2 && got[7] == 2);
    cl_kernel of;
    OK(mutable_info(command, 0x12a3, sizeof of, &of, NULL)); /* CL_MUTABLE_DISPATCH_KERNEL_KHR */
    CHECK(of == kernel);
    struct { cl_uint index; size_t size; const void *value; } argument = { 1, sizeof five, &five };
    struct {
        handle_t command;
        cl_uint arguments, svm, infos, work_dim;
        const void *argument_list, *svm_list, *info_list;
        const size_t *offset, *size, *local;
    } config = { .command = command, .arguments = 1, .argument_list = &argument };
    cl_uint type = 0;
    const void *configs = &config;
    OK(update(buffer, 1, &type, &configs));
    IS(update(buffer, 1, NULL, NULL), CL_INVALID_VALUE);
    OK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 6 && got[7] == 6);
    OK(retain(buffer));
    OK(info(buffer, 0x1296, sizeof count, &count, NULL)); /* CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR */
    CHECK(count == 2);
    OK(release(buffer));
    OK(release(buffer));
    IS(release(buffer), -1138);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

int main(void)
{
    start();
    semaphores();
    command_buffers();
    finish();
    return 0;
}
