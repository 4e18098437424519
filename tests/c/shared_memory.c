/* 5.6: shared virtual memory. */
#include "check.h"

static volatile int freed;

static void CL_CALLBACK on_free(cl_command_queue of, cl_uint count, void *pointers[], void *data)
{
    CHECK(of == queue && count == 1 && data == &freed);
    clSVMFree(context, pointers[0]);
    freed = 1;
}

/* Large regions move between host and device; the commands wait for launches that Python has not seen, and one by one for each other. */
static void large_regions_and_launches(void)
{
    enum { COUNT = 1 << 18 };
    size_t size = COUNT, bytes = sizeof(int) * COUNT;
    int *numbers = clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0), zero = 0, one = 1;
    CHECK(numbers);
    cl_kernel kernel = kernel_of("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add");
    OK(clSetKernelArgSVMPointer(kernel, 0, numbers));
    OK(clSetKernelArg(kernel, 1, sizeof one, &one));
    cl_event events[8];
    OK(clEnqueueSVMMemFill(queue, numbers, &zero, 4, bytes, 0, NULL, &events[0]));
    for (int i = 1; i < 4; i++)
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 1, &events[i - 1], &events[i]));
    OK(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, numbers, bytes, 1, &events[3], &events[4]));
    OK(clWaitForEvents(1, &events[4]));
    CHECK(numbers[0] == 3 && numbers[COUNT - 1] == 3);
    numbers[COUNT - 1] = 10;
    OK(clEnqueueSVMUnmap(queue, numbers, 1, &events[4], &events[5]));
    const void *all = numbers;
    OK(clEnqueueSVMMigrateMem(queue, 1, &all, &bytes, CL_MIGRATE_MEM_OBJECT_HOST, 1, &events[5], &events[6]));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 1, &events[6], &events[7]));
    OK(clEnqueueSVMMigrateMem(queue, 1, &all, NULL, 0, 1, &events[7], NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, numbers, bytes, 0, NULL, NULL));
    CHECK(numbers[0] == 4 && numbers[COUNT - 1] == 11);
    OK(clEnqueueSVMUnmap(queue, numbers, 0, NULL, NULL));
    OK(clFinish(queue));
    for (int i = 0; i < 8; i++)
        OK(clReleaseEvent(events[i]));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, numbers);
}

/* An argument may be set to one allocation and another again and again; to one that was freed only where devices reach all memory. */
static void arguments_again(void)
{
    cl_kernel kernel = kernel_of("kernel void put(global int *a, int b) { a[get_global_id(0)] = b; }", "put");
    size_t size = 16;
    int *all[3];
    for (int i = 0; i < 3; i++)
        CHECK(all[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, 128, 0));
    for (int turn = 0; turn < 12; turn++) {
        int *part = all[turn % 3] + turn % 2 * 16, found[16];
        OK(clSetKernelArgSVMPointer(kernel, 0, part));
        OK(clSetKernelArg(kernel, 1, sizeof turn, &turn));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        OK(clEnqueueSVMMemcpy(queue, CL_TRUE, found, part, sizeof found, 0, NULL, NULL));
        CHECK(found[0] == turn && found[15] == turn);
    }
    cl_device_svm_capabilities capabilities;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL));
    clSVMFree(context, all[2]);
    IS(clSetKernelArgSVMPointer(kernel, 0, all[2]), capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? CL_SUCCESS : CL_INVALID_ARG_VALUE);
    OK(clSetKernelArgSVMPointer(kernel, 0, all[1]));
    OK(clSetKernelArgSVMPointer(kernel, 0, NULL));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, all[0]);
    clSVMFree(context, all[1]);
}

int main(void)
{
    cl_int status;
    start();
    large_regions_and_launches();
    cl_device_svm_capabilities can;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL));
    CHECK(can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 0, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 3));
    CHECK(!clSVMAlloc((cl_context)queue, CL_MEM_READ_WRITE, 64, 0));
    int *a = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), *b = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), seven = 7;
    CHECK(a && b);
    OK(clEnqueueSVMMemFill(queue, a, &seven, 4, 64, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, b, a, 64, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, b, 64, 0, NULL, NULL));
    CHECK(b[0] == 7 && b[15] == 7);
    OK(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
    IS(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, a, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueSVMMemcpy(queue, CL_TRUE, a + 1, a, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    IS(clEnqueueSVMMemFill(queue, a, NULL, 4, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    const void *both[] = { a, b };
    OK(clEnqueueSVMMigrateMem(queue, 2, both, NULL, 0, 0, NULL, NULL));
    IS(clEnqueueSVMMigrateMem(queue, 0, NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);

    cl_kernel kernel = kernel_of("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add");
    size_t size = 16;
    OK(clSetKernelArgSVMPointer(kernel, 0, a));
    IS(clSetKernelArgSVMPointer(kernel, 1, a), CL_INVALID_ARG_VALUE);
    IS(clSetKernelArgSVMPointer(kernel, 2, a), CL_INVALID_ARG_INDEX);
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof a, &a));
    IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &a), CL_INVALID_VALUE);
    OK(clSetKernelArg(kernel, 1, sizeof seven, &seven));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 64, 0, NULL, NULL));
    CHECK(a[0] == 14 && a[15] == 14);
    OK(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));

    void *last = a;
    cl_event event;
    OK(clEnqueueSVMFree(queue, 1, &last, on_free, (void *)&freed, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    for (int i = 0; !freed && i < 1 << 28; i++)
        ;
    CHECK(freed);
    IS(clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    clSVMFree(context, b);
    clSVMFree(context, NULL);
    (void)status;
    arguments_again();
    finish();
    return 0;
}
