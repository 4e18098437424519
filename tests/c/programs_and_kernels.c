/* 5.8 to 5.10: programs, kernels, and running them. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clEnqueueTask */
#include "check.h"

#include <unistd.h>

static int told;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
    cl_build_status status;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_BUILD_SUCCESS && data == &told);
    __atomic_store_n(&told, 1, __ATOMIC_RELEASE);
}

static const char *source = "kernel void twice(global int *a, local int *room, int b) { a[get_global_id(0)] = 2 * b; }\n"
                            "kernel void other(global int *a) { a[0] = 1; }";

static void building(void)
{
    cl_int status;
    size_t size, length = strlen(source);
    const char *parts[] = { source, "\n" }, *none[] = { NULL };
    CHECK(!clCreateProgramWithSource(context, 0, parts, NULL, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithSource(context, 1, none, NULL, &status) && status == CL_INVALID_VALUE);
    size_t lengths[] = { length, 0 };
    cl_program program = clCreateProgramWithSource(context, 2, parts, lengths, &status);
    OK(status);
    char text[4096], names[64];
    OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    CHECK(size == length + 2 && !strncmp(text, source, length));
    IS(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(!clCreateKernel(program, "twice", &status) && status == CL_INVALID_PROGRAM_EXECUTABLE);
    IS(clBuildProgram(program, 1, NULL, "", NULL, NULL), CL_INVALID_VALUE);
    IS(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    IS(clBuildProgram(program, 0, NULL, "", NULL, &size), CL_INVALID_VALUE);
    OK(clBuildProgram(program, 1, &device, "-DX=1", on_built, &told));
    for (int i = 0; !__atomic_load_n(&told, __ATOMIC_ACQUIRE) && i < 6000; i++)
        usleep(10000);
    CHECK(told);
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    CHECK(!strcmp(names, "twice;other"));
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    CHECK(!strcmp(text, "-DX=1"));
    IS(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL), CL_INVALID_DEVICE);

    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CHECK(size > 0);
    unsigned char *binary = malloc(size), *places[] = { binary };
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof places, places, NULL));
    cl_int one;
    const unsigned char *given[] = { binary };
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, given, &one, &status);
    OK(status);
    OK(one);
    OK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(again));
    binary[size / 2] ^= 1;
    CHECK(!clCreateProgramWithBinary(context, 1, &device, &size, given, &one, &status));
    CHECK(status == CL_INVALID_BINARY && one == CL_INVALID_BINARY);
    CHECK(!clCreateProgramWithBinary(context, 1, &device, NULL, given, &one, &status) && status == CL_INVALID_VALUE);
    free(binary);

    cl_kernel kernels[2];
    cl_uint count;
    OK(clCreateKernelsInProgram(program, 2, kernels, &count));
    CHECK(count == 2);
    IS(clCreateKernelsInProgram(program, 1, kernels, NULL), CL_INVALID_VALUE);
    IS(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    OK(clReleaseKernel(kernels[0]));
    OK(clReleaseKernel(kernels[1]));
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    OK(clRetainProgram(program));
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(program));
    IS(clReleaseProgram(program), CL_INVALID_PROGRAM);

    const char *bad = "kernel void f( {";
    program = clCreateProgramWithSource(context, 1, &bad, NULL, &status);
    IS(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    CHECK(strlen(text) > 0);
    OK(clReleaseProgram(program));
    CHECK(!clCreateProgramWithBuiltInKernels(context, 1, &device, "no such kernel", &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithIL(context, NULL, 4, &status) && status == CL_INVALID_VALUE);
}

/* Asked again they are the same, until the program is built again. */
static void answers_of_a_build(void)
{
    static const char *one = "#ifdef TWO\nkernel void second(global int *a) { *a = 2; }\n#else\n#warning one\nkernel void first(void) {}\n"
                             "#endif\nkernel void third(global int *a) { *a = 3; }";
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &one, NULL, &status);
    OK(status);
    for (int built = 0; built < 4; built++) {
        int two = built & 1;
        OK(clBuildProgram(program, 1, &device, two ? "-DTWO" : "", NULL, NULL));
        for (int asked = 0; asked < 3; asked++) {
            char text[4096];
            size_t count, size;
            cl_program_binary_type type;
            OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, &size));
            CHECK(!strcmp(text, two ? "second;third" : "first;third") && size == strlen(text) + 1);
            IS(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size - 1, text, NULL), CL_INVALID_VALUE);
            OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, &size));
            CHECK(count == 2 && size == sizeof count);
            OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
            CHECK(!two == (strstr(text, "one") != NULL));
            OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
            CHECK(!strcmp(text, two ? "-DTWO" : ""));
            OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
            CHECK(type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
            IS(clGetProgramBuildInfo(program, device, 0x1234, sizeof text, text, NULL), CL_INVALID_VALUE);
        }
    }
    cl_kernel kernel = clCreateKernel(program, "third", &status);
    OK(status);
    for (int asked = 0; asked < 3; asked++) {
        cl_kernel_arg_address_qualifier qualifier;
        OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof qualifier, &qualifier, NULL));
        CHECK(qualifier == CL_KERNEL_ARG_ADDRESS_GLOBAL);
        IS(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof qualifier, &qualifier, NULL), CL_INVALID_ARG_INDEX);
    }
    cl_mem buffer = clCreateBuffer(context, 0, sizeof(int), NULL, &status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int turn = 0; turn < 4; turn++) {
        int zero = 0, found;
        cl_event event;
        cl_command_type type;
        OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
        OK(clEnqueueTask(queue, kernel, 0, NULL, turn & 1 ? &event : NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
        CHECK(found == 3);
        if (!(turn & 1))
            continue;
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        CHECK(type == CL_COMMAND_TASK);
        OK(clReleaseEvent(event));
    }
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void linking(void)
{
    cl_int status;
    const char *header = "int one(void);", *main_ = "#include \"one.h\"\nkernel void k(global int *a) { *a = one(); }",
               *library = "int one(void) { return 1; }", *name = "one.h";
    cl_program programs[2], h = clCreateProgramWithSource(context, 1, &header, NULL, &status);
    programs[0] = clCreateProgramWithSource(context, 1, &main_, NULL, &status);
    programs[1] = clCreateProgramWithSource(context, 1, &library, NULL, &status);
    IS(clCompileProgram(programs[0], 0, NULL, "", 1, &h, NULL, NULL, NULL), CL_INVALID_VALUE);
    IS(clCompileProgram(programs[0], 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    OK(clCompileProgram(programs[0], 0, NULL, "", 1, &h, &name, NULL, NULL));
    cl_program failed = clLinkProgram(context, 0, NULL, "", 1, programs, NULL, NULL, &status);
    CHECK(status == CL_LINK_PROGRAM_FAILURE);
    if (failed)
        OK(clReleaseProgram(failed));
    OK(clCompileProgram(programs[1], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, "", 2, programs, NULL, NULL, &status);
    OK(status);
    cl_kernel kernel = clCreateKernel(linked, "k", &status);
    OK(status);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(linked));
    CHECK(!clLinkProgram(context, 0, NULL, "", 0, NULL, NULL, NULL, &status) && status == CL_INVALID_VALUE);
    OK(clReleaseProgram(programs[0]));
    OK(clReleaseProgram(programs[1]));
    OK(clReleaseProgram(h));
}

static void arguments(cl_kernel kernel, cl_mem buffer)
{
    int value = 21;
    cl_mem null = NULL;
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 0, sizeof null, &null));
    OK(clSetKernelArg(kernel, 0, sizeof null, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    IS(clSetKernelArg(kernel, 0, 4, &buffer), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(kernel, 0, sizeof buffer, &queue), CL_INVALID_MEM_OBJECT);
    IS(clSetKernelArg(kernel, 3, 4, &value), CL_INVALID_ARG_INDEX);
    IS(clSetKernelArg(kernel, 2, 8, &value), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(kernel, 2, 4, NULL), CL_INVALID_ARG_VALUE);
    IS(clSetKernelArg(kernel, 1, 4, &value), CL_INVALID_ARG_VALUE);
    IS(clSetKernelArg(kernel, 1, 0, NULL), CL_INVALID_ARG_SIZE);
    OK(clSetKernelArg(kernel, 1, 64, NULL));
    size_t size = 8;
    IS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    OK(clSetKernelArg(kernel, 2, 4, &value));
}

static void CL_CALLBACK add_one(void *block)
{
    int **pointer = block;
    (*pointer)[0] += 1;
}

static void running(void)
{
    cl_int status;
    cl_kernel kernel = kernel_of(source, "twice");
    cl_mem buffer = clCreateBuffer(context, 0, 32, NULL, &status);
    arguments(kernel, buffer);
    size_t size = 8, local = 4, offset = 0, none = 0, huge = 1 << 20;
    int got[8];
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &size, &local, 0, NULL, &event));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 1, &event, NULL));
    CHECK(got[0] == 42 && got[7] == 42);
    OK(clReleaseEvent(event));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &none, NULL, 0, NULL, NULL));
    IS(clEnqueueNDRangeKernel(queue, kernel, 0, NULL, &size, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    IS(clEnqueueNDRangeKernel(queue, kernel, 4, NULL, &size, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    IS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &none, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &huge, &huge, 0, NULL, NULL);
    CHECK(status == CL_INVALID_WORK_GROUP_SIZE || status == CL_INVALID_WORK_ITEM_SIZE);
    IS(clEnqueueNDRangeKernel(queue, (cl_kernel)queue, 1, NULL, &size, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);

    char name[64];
    cl_uint count;
    size_t room;
    OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    CHECK(!strcmp(name, "twice"));
    OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK(count == 1);
    cl_program program;
    OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    OK(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    CHECK(!strcmp(name, "b"));
    IS(clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_NAME, sizeof name, name, NULL), CL_INVALID_ARG_INDEX);
    OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof room, &room, NULL));
    CHECK(room >= 4);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof size, &size, sizeof room, &room, NULL));
    CHECK(room == 1);
    size_t sizes[3], one = 1;
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof one, &one, 8, sizes, &room));
    CHECK(room == 8 && sizes[0] >= 1);
    IS(clGetKernelSubGroupInfo(kernel, device, 0x1234, 0, NULL, 8, sizes, NULL), CL_INVALID_VALUE);

    cl_kernel copy = clCloneKernel(kernel, &status);
    OK(status);
    OK(clEnqueueNDRangeKernel(queue, copy, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clRetainKernel(copy));
    OK(clReleaseKernel(copy));
    OK(clReleaseKernel(copy));
    IS(clReleaseKernel(copy), CL_INVALID_KERNEL);

    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
        (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    OK(suggest(queue, kernel, 1, NULL, &size, &room));
    CHECK(room >= 1 && room <= 8);
    IS(suggest(queue, kernel, 1, NULL, &size, NULL), CL_INVALID_VALUE);

    void *block = NULL;
    const void *place = &block;
    OK(clEnqueueNativeKernel(queue, add_one, &block, sizeof block, 1, &buffer, &place, 0, NULL, NULL));
    IS(clEnqueueNativeKernel(queue, NULL, &block, sizeof block, 1, &buffer, &place, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueNativeKernel(queue, add_one, NULL, 8, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, got, 0, NULL, NULL));
    CHECK(got[0] == 43);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    start();
    building();
    answers_of_a_build();
    linking();
    running();
    finish();
    return 0;
}
