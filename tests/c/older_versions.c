/* What OpenCL 1.0 to 2.2 had and 3.0 has still. */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "check.h"

static void CL_CALLBACK on_release(cl_program program, void *data)
{
    (void)program;
    (void)data;
}

int main(void)
{
    cl_int status;
    start();
    cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    OK(status);
    CHECK(!clCreateCommandQueue(context, device, 1 << 20, &status) && status == CL_INVALID_VALUE);
    size_t size;
    OK(clGetCommandQueueInfo(other, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    CHECK(size == 0);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    OK(status);
    CHECK(!clCreateSampler(context, CL_FALSE, 0x1234, CL_FILTER_NEAREST, &status) && status == CL_INVALID_VALUE);
    OK(clReleaseSampler(sampler));
    cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
    cl_mem plane = clCreateImage2D(context, 0, &format, 4, 4, 0, NULL, &status);
    OK(status);
    cl_mem volume = clCreateImage3D(context, 0, &format, 4, 4, 4, 0, 0, NULL, &status);
    OK(status);
    CHECK(!clCreateImage2D(context, 0, &format, 0, 4, 0, NULL, &status) && status == CL_INVALID_IMAGE_SIZE);
    CHECK(!clCreateImage3D(context, 0, &format, 4, 4, 1, 0, 0, NULL, &status) && status == CL_INVALID_IMAGE_SIZE);
    OK(clReleaseMemObject(plane));
    OK(clReleaseMemObject(volume));

    cl_event event;
    cl_kernel kernel = kernel_of("kernel void k(void) {}", "k");
    OK(clEnqueueTask(other, kernel, 0, NULL, NULL));
    OK(clEnqueueMarker(other, &event));
    OK(clEnqueueWaitForEvents(queue, 1, &event));
    IS(clEnqueueWaitForEvents(queue, 0, NULL), CL_INVALID_VALUE);
    OK(clEnqueueBarrier(queue));
    OK(clFinish(queue));
    OK(clReleaseEvent(event));
    OK(clUnloadCompiler());

    cl_program program;
    cl_int value = 1;
    OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
    IS(clSetProgramReleaseCallback(program, NULL, NULL), CL_INVALID_VALUE);
    IS(clSetProgramReleaseCallback(program, on_release, NULL), CL_INVALID_OPERATION);
    IS(clSetProgramSpecializationConstant(program, 0, sizeof value, NULL), CL_INVALID_VALUE);
    status = clSetProgramSpecializationConstant(program, 0, sizeof value, &value);
    CHECK(status == CL_INVALID_OPERATION || status == CL_INVALID_PROGRAM || status == CL_INVALID_SPEC_ID);
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(other));
    CHECK(!clGetExtensionFunctionAddress("clNoSuchFunctionKHR"));
    finish();
    return 0;
}
