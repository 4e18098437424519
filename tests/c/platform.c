/* 4.1 to 4.3: the platform, devices, sub-devices. */
#include "check.h"

int main(void)
{
    char text[4096];
    size_t size;
    cl_uint count, number;
    IS(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    start();
    OK(clGetPlatformIDs(0, NULL, &count));
    CHECK(count == 1);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &size));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, text, NULL));
    CHECK(strlen(text) + 1 == size && strstr(text, "cl2cuda"));
    IS(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size - 1, text, NULL), CL_INVALID_VALUE);
    IS(clGetPlatformInfo(platform, 0x1234, sizeof text, text, NULL), CL_INVALID_VALUE);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
    CHECK(strstr(text, "cl_khr_icd"));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof text, text, NULL));
    CHECK(!strcmp(text, "CL2CUDA"));
    cl_name_version versions[128];
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &size));
    CHECK(size % sizeof *versions == 0 && !strcmp(versions[0].name, "cl_khr_icd"));
    OK(clUnloadPlatformCompiler(platform));

    IS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL), CL_INVALID_VALUE);
    IS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clGetDeviceIDs(platform, 0, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
    IS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, NULL), CL_DEVICE_NOT_FOUND);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    CHECK(count >= 1);

    cl_platform_id of;
    OK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof of, &of, NULL));
    CHECK(of == platform);
    size_t sizes[3];
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, &size));
    CHECK(size == sizeof sizes && sizes[0] >= 1);
    const char *extensions[64];
    cl_uint capabilities[256], kernel = 0;
    OK(clGetDeviceInfo(device, 0x12BA, sizeof extensions, extensions, &size)); /* CL_DEVICE_SPIRV_EXTENSIONS_KHR */
    CHECK(size >= sizeof *extensions && !strncmp(extensions[0], "SPV_", 4));
    OK(clGetDeviceInfo(device, 0x12BB, sizeof capabilities, capabilities, &size)); /* CL_DEVICE_SPIRV_CAPABILITIES_KHR */
    for (size_t i = 0; i < size / sizeof *capabilities; i++)
        kernel += capabilities[i] == 6;
    CHECK(kernel == 1);
    cl_device_id parent = device;
    OK(clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    CHECK(parent == NULL);
    IS(clGetDeviceInfo(device, 0x1234, sizeof text, text, NULL), CL_INVALID_VALUE);
    IS(clGetDeviceInfo((cl_device_id)context, CL_DEVICE_TYPE, sizeof text, text, NULL), CL_INVALID_DEVICE);
    OK(clRetainDevice(device));
    OK(clReleaseDevice(device));
    OK(clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, sizeof number, &number, &size));
    CHECK(number == 1 && size == sizeof number);

    cl_ulong there, here, later;
    OK(clGetDeviceAndHostTimer(device, &there, &here));
    OK(clGetHostTimer(device, &later));
    CHECK(later >= here);
    IS(clGetDeviceAndHostTimer(device, NULL, &here), CL_INVALID_VALUE);
    IS(clGetHostTimer(device, NULL), CL_INVALID_VALUE);

    cl_device_partition_property schemes[4] = { 0 };
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof schemes, schemes, &size));
    CHECK(size % sizeof *schemes == 0);
    cl_device_partition_property by_one[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
    cl_device_id parts[256];
    IS(clCreateSubDevices(device, NULL, 256, parts, &count), CL_INVALID_VALUE);
    if (schemes[0] == CL_DEVICE_PARTITION_EQUALLY) {
        OK(clCreateSubDevices(device, by_one, 256, parts, &count));
        CHECK(count >= 2);
        OK(clGetDeviceInfo(parts[1], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        CHECK(parent == device);
        OK(clRetainDevice(parts[0]));
        OK(clGetDeviceInfo(parts[0], CL_DEVICE_REFERENCE_COUNT, sizeof number, &number, NULL));
        CHECK(number == 2);
        OK(clReleaseDevice(parts[0]));
        IS(clCreateSubDevices(device, by_one, 1, parts + count, NULL), CL_INVALID_VALUE);
        for (cl_uint i = 0; i < count; i++)
            OK(clReleaseDevice(parts[i]));
        IS(clReleaseDevice(parts[0]), CL_INVALID_DEVICE);
        /* Counts end with their own 0: what is behind it is the application's. */
        cl_device_partition_property by_counts[] = { CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 1234 };
        OK(clCreateSubDevices(device, by_counts, 256, parts, &count));
        CHECK(count == 2);
        for (cl_uint i = 0; i < count; i++)
            OK(clReleaseDevice(parts[i]));
    } else {
        IS(clCreateSubDevices(device, by_one, 256, parts, &count), CL_INVALID_VALUE);
    }
    CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
    CHECK(!clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunctionKHR"));
    CHECK(!clGetExtensionFunctionAddressForPlatform(platform, "clGetDeviceIDsFromD3D10KHR"));
    finish();
    return 0;
}
