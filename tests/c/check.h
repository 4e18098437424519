/* What every program here begins with: an OpenCL device of the platform, and checks that say where they fail. */
#ifndef CHECK_H
#define CHECK_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

#define IS(call, status) \
    do { \
        cl_int got_ = (call); \
        if (got_ != (status)) { \
            fprintf(stderr, "%s:%d: %s gives %d, not %d\n", __FILE__, __LINE__, #call, got_, (cl_int)(status)); \
            exit(1); \
        } \
    } while (0)

#define OK(call) IS(call, CL_SUCCESS)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline void start(void)
{
    cl_int status;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    OK(status);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
}

static inline cl_kernel kernel_of(const char *source, const char *name)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, name, &status);
    OK(status);
    OK(clReleaseProgram(program));
    return kernel;
}

static inline void finish(void)
{
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

#endif
