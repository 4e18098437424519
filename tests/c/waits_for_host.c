/* Kernels that wait for what the host does when it has enqueued them. */
#include "check.h"

#include <stdatomic.h>

static const char *source =
    "kernel void answers(volatile global int *words, int more) { while (words[0] == 0) {} words[1] = words[0] + more; }\n"
    "kernel void talks(global atomic_int *words, int rounds) {\n"
    "    for (int round = 1; round <= rounds; round++) {\n"
    "        while (atomic_load_explicit(words, memory_order_acquire, memory_scope_all_svm_devices) < round) {}\n"
    "        atomic_store_explicit(words + 32, round, memory_order_release, memory_scope_all_svm_devices);\n"
    "    }\n"
    "}\n"
    "kernel void adds(global int *words) { words[2] += words[1]; }\n";

static cl_program program;

static cl_kernel kernel_named(const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    OK(status);
    return kernel;
}

static cl_command_queue queue_with(cl_command_queue_properties bits)
{
    cl_int status;
    const cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, bits, 0 };
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, properties, &status);
    OK(status);
    return made;
}

static cl_int status_of(cl_event event)
{
    cl_int status = 99;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* In memory that buffer and host have in common, which the host writes without a map. What comes behind the kernel waits for it. */
static void a_flag_in_the_hosts_memory(cl_command_queue in)
{
    static _Alignas(4096) volatile int words[1024], other[1024];
    const size_t one = 1;
    cl_int status;
    cl_kernel kernel = kernel_named("answers"), adds = kernel_named("adds");
    for (int more = 1; more < 4; more++) {
        words[0] = words[1] = 0;
        words[2] = 100;
        cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof words, (void *)words, &status);
        OK(status);
        cl_mem unused = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof other, (void *)other, &status);
        OK(status);
        cl_event events[2];
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, sizeof more, &more));
        OK(clSetKernelArg(adds, 0, sizeof buffer, &buffer));
        OK(clEnqueueNDRangeKernel(in, kernel, 1, NULL, &one, NULL, 0, NULL, &events[0]));
        OK(clEnqueueNDRangeKernel(in, adds, 1, NULL, &one, NULL, 1, events, &events[1]));
        /* The arguments are those of then. */
        const int less = -1000;
        OK(clSetKernelArg(kernel, 0, sizeof unused, &unused));
        OK(clSetKernelArg(kernel, 1, sizeof less, &less));
        OK(clSetKernelArg(adds, 0, sizeof unused, &unused));
        OK(clReleaseMemObject(buffer));
        OK(clFlush(in));
        CHECK(status_of(events[0]) > CL_COMPLETE && status_of(events[1]) > CL_COMPLETE);
        words[0] = 41;
        OK(clFinish(in));
        CHECK(words[1] == 41 + more && words[2] == 141 + more);
        CHECK(status_of(events[0]) == CL_COMPLETE && status_of(events[1]) == CL_COMPLETE);
        OK(clReleaseEvent(events[0]));
        OK(clReleaseEvent(events[1]));
        OK(clReleaseMemObject(unused));
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(adds));
}

static void rounds_in_shared_memory(cl_command_queue in)
{
    enum { ROUNDS = 20 };
    const int rounds = ROUNDS;
    const size_t one = 1;
    cl_kernel kernel = kernel_named("talks");
    atomic_int *words = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 256, 0);
    CHECK(words);
    atomic_store(words, 0);
    atomic_store(words + 32, 0);
    OK(clSetKernelArgSVMPointer(kernel, 0, words));
    OK(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    OK(clEnqueueNDRangeKernel(in, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    OK(clFlush(in));
    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(words, round);
        while (atomic_load(words + 32) < round) {}
    }
    OK(clFinish(in));
    clSVMFree(context, words);
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    start();
    cl_int status;
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_command_queue timed = queue_with(CL_QUEUE_PROFILING_ENABLE), out_of_order = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_device_type type;
    cl_device_svm_capabilities shared;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof shared, &shared, NULL));
    if (type & CL_DEVICE_TYPE_CPU) { /* whose buffers are where the host's memory is */
        a_flag_in_the_hosts_memory(queue);
        a_flag_in_the_hosts_memory(timed);
        a_flag_in_the_hosts_memory(out_of_order);
    }
    if (shared & CL_DEVICE_SVM_FINE_GRAIN_BUFFER && shared & CL_DEVICE_SVM_ATOMICS) {
        rounds_in_shared_memory(queue);
        rounds_in_shared_memory(timed);
    }
    OK(clReleaseCommandQueue(timed));
    OK(clReleaseCommandQueue(out_of_order));
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
