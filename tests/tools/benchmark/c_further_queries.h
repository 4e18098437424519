/* Lines of c_further_calls.c: queries, and references counted. */
#ifndef C_FURTHER_QUERIES_H
#define C_FURTHER_QUERIES_H

#include "c_further_bench.h"

QUERY(ask_source, clGetProgramInfo, program, CL_PROGRAM_SOURCE)
QUERY(ask_kernels, clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS)
QUERY(ask_names, clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES)
QUERY(ask_binary_size, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES)
QUERY(ask_log, clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_LOG)
QUERY(ask_binary_type, clGetProgramBuildInfo, program, device, CL_PROGRAM_BINARY_TYPE)
QUERY(ask_argument, clGetKernelArgInfo, add, 0, CL_KERNEL_ARG_TYPE_NAME)
QUERY(ask_attributes, clGetKernelInfo, add, CL_KERNEL_ATTRIBUTES)
QUERY(ask_compile_size, clGetKernelWorkGroupInfo, add, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
QUERY(ask_local, clGetKernelWorkGroupInfo, add, device, CL_KERNEL_LOCAL_MEM_SIZE)
QUERY(ask_private, clGetKernelWorkGroupInfo, add, device, CL_KERNEL_PRIVATE_MEM_SIZE)
QUERY(ask_image_format, clGetImageInfo, image, CL_IMAGE_FORMAT)
QUERY(ask_program_devices, clGetProgramInfo, program, CL_PROGRAM_DEVICES)
QUERY(ask_map_count, clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT)
QUERY(ask_memory_context, clGetMemObjectInfo, buffer, CL_MEM_CONTEXT)
QUERY(ask_memory_type, clGetMemObjectInfo, buffer, CL_MEM_TYPE)
QUERY(ask_event_context, clGetEventInfo, ended, CL_EVENT_CONTEXT)
QUERY(ask_queue_properties, clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES)
QUERY(ask_context_count, clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES)
QUERY(ask_units, clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS)
QUERY(ask_version, clGetPlatformInfo, platform, CL_PLATFORM_VERSION)

static void ask_binary(void)
{
    unsigned char *places[MOST_DEVICES] = { (unsigned char *)answer };
    if (binary_sizes[0] <= sizeof answer)
        NEED(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof places, places, NULL));
}

static void ask_devices(void)
{
    cl_device_id found[16];
    NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, found, NULL));
}

static void ask_formats(void)
{
    static cl_image_format formats[512];
    cl_uint count;
    NEED(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
}

LINE(retain_all, clRetainMemObject(buffer); clRetainKernel(add); clRetainProgram(program); clRetainCommandQueue(queue); clRetainContext(context);
     clReleaseMemObject(buffer); clReleaseKernel(add); clReleaseProgram(program); clReleaseCommandQueue(queue); clReleaseContext(context))

#endif
