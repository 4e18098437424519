/* What programs ask, or say, of each new event, kernel or program: the answers are those of the first time, before anything else was asked,
   and after. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "check.h"

#include <stdint.h>

enum { SIZE = 64, ROUNDS = 4 };

static cl_mem buffer;

static void tells(cl_event event, cl_command_queue from, cl_command_type wanted)
{
    for (int round = 0; round < 2; round++) {
        cl_command_queue its_queue = (cl_command_queue)&event;
        cl_context its_context;
        cl_command_type type;
        cl_uint references;
        size_t size;
        char little[2];
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, &size));
        CHECK(type == wanted && size == sizeof type);
        OK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof its_context, &its_context, &size));
        CHECK(its_context == context && size == sizeof context);
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof its_queue, &its_queue, &size));
        CHECK(its_queue == from && size == sizeof from);
        OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
        CHECK(references == 1);
        IS(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof little, little, NULL), CL_INVALID_VALUE);
        IS(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof type, &type, NULL), CL_INVALID_VALUE);
        IS(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof little, little, NULL), CL_INVALID_VALUE);
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 0, NULL, &size));
        CHECK(size == sizeof(cl_int));
        IS(clGetEventInfo(event, 1, 0, NULL, &size), CL_INVALID_VALUE);
        if (!round && from) /* From here on Python knows it. */
            OK(clEnqueueBarrierWithWaitList(queue, 1, &event, NULL));
    }
    OK(clReleaseEvent(event));
}

static cl_command_queue new_queue(cl_command_queue_properties properties)
{
    cl_int status;
    const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, properties, 0 };
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &status);
    OK(status);
    return made;
}

static void events_tell_their_commands(cl_command_queue to)
{
    cl_int status, numbers[SIZE] = { 0 }, one = 1;
    const size_t size = SIZE;
    cl_event event, gate, behind;
    cl_kernel kernel = kernel_of("kernel void f(global int *a) { a[get_global_id(0)] = 1; }", "f");
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 0; round < ROUNDS; round++) {
        OK(clEnqueueMarkerWithWaitList(to, 0, NULL, &event));
        tells(event, to, CL_COMMAND_MARKER);
        OK(clEnqueueBarrierWithWaitList(to, 0, NULL, &event));
        tells(event, to, CL_COMMAND_BARRIER);
        OK(clEnqueueMarker(to, &event));
        tells(event, to, CL_COMMAND_MARKER);
        OK(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
        tells(event, to, CL_COMMAND_NDRANGE_KERNEL);
        OK(clEnqueueWriteBuffer(to, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, &event));
        tells(event, to, CL_COMMAND_WRITE_BUFFER);
        OK(clEnqueueReadBuffer(to, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, &event));
        tells(event, to, CL_COMMAND_READ_BUFFER);
        OK(clEnqueueFillBuffer(to, buffer, &one, sizeof one, 0, sizeof numbers, 0, NULL, &event));
        tells(event, to, CL_COMMAND_FILL_BUFFER);
        OK(clEnqueueCopyBuffer(to, buffer, buffer, 0, 128, 64, 0, NULL, &event));
        tells(event, to, CL_COMMAND_COPY_BUFFER);
        void *mapped = clEnqueueMapBuffer(to, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, &event, &status);
        tells(event, to, CL_COMMAND_MAP_BUFFER);
        OK(clEnqueueUnmapMemObject(to, buffer, mapped, 0, NULL, &event));
        tells(event, to, CL_COMMAND_UNMAP_MEM_OBJECT);
        gate = clCreateUserEvent(context, &status);
        OK(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &size, NULL, 1, &gate, &event));
        OK(clEnqueueMarkerWithWaitList(to, 1, &event, &behind));
        if (round % 2)
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
        tells(event, to, CL_COMMAND_NDRANGE_KERNEL);
        tells(behind, to, CL_COMMAND_MARKER);
        if (!(round % 2))
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clFinish(to));
        tells(gate, NULL, CL_COMMAND_USER);
        gate = clCreateUserEvent(context, &status);
        tells(gate, NULL, CL_COMMAND_USER);
    }
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
}

/* Those of OpenCL 1.1, in the order of the queue and behind events of another one. */
static void old_calls_keep_order(cl_command_queue to, cl_command_queue other)
{
    cl_int status, value;
    cl_event gate, written, marker;
    for (int round = 0; round < ROUNDS; round++) {
        cl_int wanted = round + 1, state;
        gate = clCreateUserEvent(context, &status);
        OK(clEnqueueFillBuffer(other, buffer, &wanted, sizeof wanted, 0, SIZE, round % 2, round % 2 ? &gate : NULL, &written));
        OK(clEnqueueWaitForEvents(to, 1, &written));
        OK(clEnqueueBarrier(to));
        OK(clEnqueueCopyBuffer(to, buffer, buffer, 0, 128, 64, 0, NULL, NULL));
        OK(clEnqueueMarker(to, &marker));
        OK(clEnqueueMarker(to, NULL));
        OK(clFlush(other));
        if (round % 2) {
            OK(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
            CHECK(state > CL_COMPLETE);
        }
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &marker));
        OK(clEnqueueReadBuffer(to, buffer, CL_TRUE, 128, sizeof value, &value, 0, NULL, NULL));
        CHECK(value == wanted);
        IS(clEnqueueWaitForEvents(to, 0, NULL), CL_INVALID_VALUE);
        IS(clEnqueueWaitForEvents(to, 0, &written), CL_INVALID_VALUE);
        IS(clEnqueueWaitForEvents(to, 1, NULL), CL_INVALID_VALUE);
        IS(clEnqueueWaitForEvents(to, 1, (cl_event *)&buffer), CL_INVALID_EVENT);
        IS(clEnqueueWaitForEvents(NULL, 1, &written), CL_INVALID_COMMAND_QUEUE);
        IS(clEnqueueBarrier((cl_command_queue)buffer), CL_INVALID_COMMAND_QUEUE);
        IS(clEnqueueMarker(NULL, &marker), CL_INVALID_COMMAND_QUEUE);
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(written));
        OK(clReleaseEvent(marker));
    }
}

/* "a NULL value will be used as the value for the argument" */
static void pointers_may_be_null(void)
{
    const char *source = "kernel void f(global int *a, constant int *b, global int *c) { *c = (a ? 1 : 0) + (b ? 2 : 0); }";
    const size_t one = 1;
    cl_kernel kernel = kernel_of(source, "f");
    cl_mem none = NULL;
    OK(clSetKernelArg(kernel, 2, sizeof buffer, &buffer));
    IS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    for (int round = 0; round < 3 * ROUNDS; round++) {
        int value, first = round % 2, second = round / 2 % 2;
        OK(clSetKernelArg(kernel, 0, sizeof none, first ? &buffer : &none));
        OK(clSetKernelArg(kernel, 1, sizeof none, second ? &buffer : round % 3 ? &none : NULL));
        IS(clSetKernelArg(kernel, 0, 4, NULL), CL_INVALID_ARG_SIZE);
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
        CHECK(value == first + 2 * second);
    }
    OK(clReleaseKernel(kernel));
}

static void truths_are_checked_once(void)
{
    cl_kernel kernel = kernel_of("kernel void f(global int *a) { *a = 1; }", "f");
    cl_device_svm_capabilities svm;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    cl_int wanted = svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? CL_SUCCESS : CL_INVALID_OPERATION;
    for (int round = 0; round < 3; round++) {
        const cl_bool yes = CL_TRUE, no = CL_FALSE;
        IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes), wanted);
        OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
        OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
        for (cl_kernel_exec_info which = CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL;
             which <= CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL; which++) {
            cl_int status = clSetKernelExecInfo(kernel, which, sizeof yes, &yes);
            IS(clSetKernelExecInfo(kernel, which, sizeof yes, &yes), status);
            IS(clSetKernelExecInfo(kernel, which, sizeof no, &no), status);
            IS(clSetKernelExecInfo(kernel, which, 1, &no), CL_INVALID_VALUE);
            IS(clSetKernelExecInfo(kernel, which, sizeof no, NULL), CL_INVALID_VALUE);
        }
        IS(clSetKernelExecInfo(kernel, 0x41FF, sizeof no, &no), CL_INVALID_VALUE);
        IS(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no), CL_INVALID_KERNEL);
    }
    OK(clReleaseKernel(kernel));
}

static void programs_tell_their_devices(void)
{
    const char *source = "kernel void f(void) {}";
    for (int round = 0; round < 2; round++) {
        cl_int status;
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
        for (int turn = 0; turn < 2 * ROUNDS; turn++) {
            cl_uint count, references;
            cl_context its;
            cl_device_id devices[2] = { NULL, NULL };
            size_t size;
            OK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, &size));
            CHECK(count == 1 && size == sizeof count);
            OK(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof its, &its, &size));
            CHECK(its == context && size == sizeof its);
            OK(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &size));
            CHECK(devices[0] == device && !devices[1] && size == sizeof device);
            IS(clGetProgramInfo(program, CL_PROGRAM_DEVICES, 4, devices, NULL), CL_INVALID_VALUE);
            OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references, NULL));
            CHECK(references == 1);
            if (turn % 2)
                OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
        }
        OK(clReleaseProgram(program));
        IS(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, 0, NULL, NULL), CL_INVALID_PROGRAM);
    }
}

int main(void)
{
    cl_int status;
    start();
    buffer = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, &status);
    cl_command_queue unordered = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), timed = new_queue(CL_QUEUE_PROFILING_ENABLE);
    events_tell_their_commands(queue);
    events_tell_their_commands(unordered);
    events_tell_their_commands(timed);
    old_calls_keep_order(queue, timed);
    old_calls_keep_order(unordered, queue);
    pointers_may_be_null();
    truths_are_checked_once();
    programs_tell_their_devices();
    OK(clReleaseCommandQueue(unordered));
    OK(clReleaseCommandQueue(timed));
    OK(clReleaseMemObject(buffer));
    finish();
    return 0;
}
