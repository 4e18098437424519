/* cl_intel_unified_shared_memory, cl_intel_create_buffer_with_properties, cl_ext_buffer_device_address and
   cl_intel_global_variable_access, by clGetExtensionFunctionAddressForPlatform: the headers of a machine may lack the prototypes. */
#include "check.h"

typedef cl_ulong property_t;

#define FIND(name) clGetExtensionFunctionAddressForPlatform(platform, #name)

static void *(*host_alloc)(cl_context, const property_t *, size_t, cl_uint, cl_int *);
static void *(*device_alloc)(cl_context, cl_device_id, const property_t *, size_t, cl_uint, cl_int *);
static void *(*shared_alloc)(cl_context, cl_device_id, const property_t *, size_t, cl_uint, cl_int *);
static cl_int (*mem_free)(cl_context, void *), (*blocking_free)(cl_context, void *);
static cl_int (*mem_info)(cl_context, const void *, cl_uint, size_t, void *, size_t *);
static cl_int (*set_pointer)(cl_kernel, cl_uint, const void *);
static cl_int (*fill)(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *);
static cl_int (*copy)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *);
static cl_int (*migrate)(cl_command_queue, const void *, size_t, cl_mem_migration_flags, cl_uint, const cl_event *, cl_event *);
static cl_int (*advise)(cl_command_queue, const void *, size_t, cl_uint, cl_uint, const cl_event *, cl_event *);

static void allocations(void)
{
    property_t combined[] = { 0x4195, 1, 0 }, placed[] = { 0x4195, 2, 0 }; /* CL_MEM_ALLOC_FLAGS_INTEL: WRITE_COMBINED, PLACEMENT_DEVICE */
    cl_int status;
    cl_uint type;
    size_t size, got;
    void *base;
    cl_device_id of;
    cl_ulong flags, can;
    OK(clGetDeviceInfo(device, 0x4191, sizeof can, &can, NULL)); /* CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL */
    CHECK(can & 1);
    void *all[] = { host_alloc(context, combined, 100, 0, &status), device_alloc(context, device, combined, 100, 64, &status),
                    shared_alloc(context, device, combined, 100, 0, NULL), shared_alloc(context, NULL, placed, 100, 0, &status) };
    OK(status);
    for (int i = 0; i < 4; i++) {
        CHECK(all[i]);
        const char *inside = (const char *)all[i] + 99;
        OK(mem_info(context, inside, 0x419A, sizeof type, &type, &got)); /* CL_MEM_ALLOC_TYPE_INTEL */
        CHECK(got == sizeof type && type == (i < 3 ? 0x4197u + (cl_uint)i : 0x4199u));
        OK(mem_info(context, inside, 0x419B, sizeof base, &base, NULL));
        OK(mem_info(context, inside, 0x419C, sizeof size, &size, NULL));
        OK(mem_info(context, inside, 0x419D, sizeof of, &of, NULL));
        OK(mem_info(context, inside, 0x4195, sizeof flags, &flags, NULL));
        CHECK(base == all[i] && size == 100 && of == (i == 0 || i == 3 ? NULL : device) && flags == (i < 3 ? 1u : 2u));
    }
    IS(mem_info(context, all[0], 0x419A, 1, &type, NULL), CL_INVALID_VALUE);
    IS(mem_info(context, all[0], 0x4190, sizeof type, &type, NULL), CL_INVALID_VALUE);
    CHECK(!host_alloc(context, NULL, 0, 0, &status) && status == CL_INVALID_BUFFER_SIZE);
    CHECK(!host_alloc(context, placed, 64, 0, &status) && status == CL_INVALID_PROPERTY);
    CHECK(!device_alloc(context, NULL, NULL, 64, 0, &status) && status == CL_INVALID_DEVICE);
    CHECK(!shared_alloc(context, device, NULL, 64, 3, &status) && status == CL_INVALID_VALUE);
    for (int i = 0; i < 4; i++)
        OK((i & 1 ? mem_free : blocking_free)(context, all[i]));
    OK(mem_free(context, NULL));
    IS(mem_free(context, &status), CL_INVALID_VALUE);
    IS(blocking_free(context, &status), CL_INVALID_VALUE);
    OK(mem_info(context, &status, 0x419A, sizeof type, &type, NULL));
    CHECK(type == 0x4196);
}

static void commands(void)
{
    int three = 3, got[16];
    size_t size = 16;
    cl_event event;
    int *there = device_alloc(context, device, NULL, 64, 0, NULL), *here = shared_alloc(context, device, NULL, 64, 0, NULL);
    OK(fill(queue, there, &three, 4, 64, 0, NULL, &event));
    IS(fill(queue, there, NULL, 4, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_kernel kernel = kernel_of("kernel void add(global int *a, global int *b) { a[get_global_id(0)] += b[get_global_id(0)]; }", "add");
    OK(fill(queue, here, &three, 4, 64, 0, NULL, NULL));
    OK(migrate(queue, here, 64, 0, 1, &event, NULL));
    OK(advise(queue, here, 64, 0, 0, NULL, NULL));
    IS(advise(queue, here, 64, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(set_pointer(kernel, 0, there));
    OK(set_pointer(kernel, 1, here));
    IS(set_pointer(kernel, 2, here), CL_INVALID_ARG_INDEX);
    cl_bool yes = CL_TRUE;
    OK(clSetKernelExecInfo(kernel, 0x4202, sizeof yes, &yes)); /* CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL */
    OK(clSetKernelExecInfo(kernel, 0x4203, sizeof here, &here)); /* CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL */
    IS(clSetKernelExecInfo(kernel, 0x4202, 1, &yes), CL_INVALID_VALUE);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(copy(queue, CL_TRUE, got, there, 64, 0, NULL, NULL));
    CHECK(got[0] == 6 && got[15] == 6);
    IS(copy(queue, CL_TRUE, there + 1, there, 32, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(blocking_free(context, there));
    OK(blocking_free(context, here));
}

static void addresses(void)
{
    cl_mem (*create)(cl_context, const property_t *, cl_mem_flags, size_t, void *, cl_int *) = FIND(clCreateBufferWithPropertiesINTEL);
    cl_int (*set_address)(cl_kernel, cl_uint, cl_ulong) = FIND(clSetKernelArgDevicePointerEXT);
    CHECK(create && set_address);
    property_t fixed[] = { 0x5000, CL_TRUE, 0 }, unknown[] = { 0x1234, 1, 0 }; /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */
    int numbers[] = { 1, 2, 3, 4 }, got[4];
    cl_ulong address;
    size_t size, one = 1;
    cl_int status;
    CHECK(!create(context, unknown, 0, 64, NULL, &status) && status == CL_INVALID_PROPERTY);
    cl_mem plain = create(context, NULL, 0, 64, NULL, &status), buffer = create(context, fixed, CL_MEM_COPY_HOST_PTR, 16, numbers, &status);
    OK(status);
    OK(clGetMemObjectInfo(buffer, 0x5001, sizeof address, &address, &size)); /* CL_MEM_DEVICE_ADDRESS_EXT */
    CHECK(size == sizeof address && address);
    IS(clGetMemObjectInfo(plain, 0x5001, sizeof address, &address, NULL), CL_INVALID_OPERATION);
    cl_kernel kernel = kernel_of("kernel void set(global int *a) { a[-1] = a[1] * 10; }", "set");
    OK(set_address(kernel, 0, address + 8));
    IS(set_address(kernel, 1, address), CL_INVALID_ARG_INDEX);
    OK(clSetKernelExecInfo(kernel, 0x5002, sizeof address, &address)); /* CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT */
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, got, 0, NULL, NULL));
    CHECK(got[0] == 1 && got[1] == 40 && got[3] == 4);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(plain));
    OK(clReleaseMemObject(buffer));
}

static void variables(void)
{
    cl_int (*read)(cl_command_queue, cl_program, const char *, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *) =
        FIND(clEnqueueReadGlobalVariableINTEL);
    cl_int (*write)(cl_command_queue, cl_program, const char *, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *,
        cl_event *) =
        FIND(clEnqueueWriteGlobalVariableINTEL);
    cl_int (*pointer)(cl_device_id, cl_program, const char *, size_t *, void **) = FIND(clGetDeviceGlobalVariablePointerINTEL);
    CHECK(read && write && pointer);
    const char *source = "global int table[3] = { 1, 2, 3 }; kernel void add(void) { table[0] += table[2]; }";
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    OK(status);
    int nine = 9, got[3];
    size_t one = 1, size;
    void *place;
    OK(write(queue, program, "table", CL_TRUE, 4, 8, &nine, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(read(queue, program, "table", CL_TRUE, 12, 0, got, 0, NULL, NULL));
    CHECK(got[0] == 10 && got[1] == 2 && got[2] == 9);
    IS(read(queue, program, "table", CL_TRUE, 12, 4, got, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(read(queue, program, NULL, CL_TRUE, 12, 0, got, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(read(queue, program, "table", CL_TRUE, 12, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(write(queue, program, "other", CL_TRUE, 4, 0, &nine, 0, NULL, NULL), CL_INVALID_ARG_VALUE);
    OK(pointer(device, program, "table", &size, &place));
    CHECK(size == 12 && place);
    OK(copy(queue, CL_TRUE, got, place, 12, 0, NULL, NULL));
    CHECK(got[0] == 10 && got[2] == 9);
    OK(pointer(device, program, "table", NULL, NULL));
    IS(pointer(device, program, "other", &size, &place), CL_INVALID_ARG_VALUE);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    start();
    host_alloc = FIND(clHostMemAllocINTEL), device_alloc = FIND(clDeviceMemAllocINTEL), shared_alloc = FIND(clSharedMemAllocINTEL);
    mem_free = FIND(clMemFreeINTEL), blocking_free = FIND(clMemBlockingFreeINTEL), mem_info = FIND(clGetMemAllocInfoINTEL);
    set_pointer = FIND(clSetKernelArgMemPointerINTEL), fill = FIND(clEnqueueMemFillINTEL), copy = FIND(clEnqueueMemcpyINTEL);
    migrate = FIND(clEnqueueMigrateMemINTEL), advise = FIND(clEnqueueMemAdviseINTEL);
    CHECK(host_alloc && device_alloc && shared_alloc && mem_free && blocking_free && mem_info && set_pointer && fill && copy && migrate
          && advise);
    allocations();
    commands();
    addresses();
    variables();
    finish();
    return 0;
}
