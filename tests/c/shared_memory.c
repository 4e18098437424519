/* 5.6: shared virtual memory. */
#include "check.h"

static volatile int freed;

static void CL_CALLBACK on_free(cl_command_queue of, cl_uint count, void *pointers[], void *data)
{
    CHECK(of == queue && count == 1 && data == &freed);
    clSVMFree(context, pointers[0]);
    freed = 1;
}

int main(void)
{
    cl_int status;
    start();
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
    finish();
    return 0;
}
