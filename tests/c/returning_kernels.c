/* 5.9: kernel objects that are made for one launch each, and may all be what a released one was: nothing may tell them from new ones. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "returning_kernels.h"

#include <unistd.h>

static void each_call_has_its_kernel(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        put_by_a_new_kernel(program, round);
        expect(round);
    }
}

static void each_is_told_as_new(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        cl_kernel kernel = kernel_in(program, round % 2 ? "put" : "late"), other = kernel_in(program, "put");
        char name[8];
        cl_uint count, references_before, references_now;
        cl_program its;
        cl_context where;
        CHECK(kernel != other && references(kernel) == 1);
        OK(clRetainKernel(kernel));
        CHECK(references(kernel) == 2);
        OK(clReleaseKernel(kernel));
        OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
        OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof its, &its, NULL));
        OK(clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof where, &where, NULL));
        CHECK(!strcmp(name, round % 2 ? "put" : "late") && count == (round % 2 ? 2 : 3) && its == program && where == context);
        OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &references_before, NULL));
        OK(clReleaseKernel(other));
        OK(clReleaseKernel(kernel));
        OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &references_now, NULL));
        CHECK(references_before == 1 && references_now == 1);
    }
    cl_int status;
    CHECK(!clCreateKernel(program, "none", &status) && status == CL_INVALID_KERNEL_NAME);
    CHECK(!clCreateKernel(program, NULL, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateKernel(NULL, "put", &status) && status == CL_INVALID_PROGRAM);
    cl_kernel unasked = clCreateKernel(program, "put", NULL);
    CHECK(unasked);
    OK(clReleaseKernel(unasked));
}

static void a_released_one_is_none(void)
{
    int value = 0;
    cl_uint count;
    cl_int status;
    cl_kernel kernel = kernel_in(program, "put");
    set(kernel, buffer, 1);
    OK(clReleaseKernel(kernel));
    IS(clReleaseKernel(kernel), CL_INVALID_KERNEL);
    IS(clRetainKernel(kernel), CL_INVALID_KERNEL);
    IS(clSetKernelArg(kernel, 1, sizeof value, &value), CL_INVALID_KERNEL);
    IS(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL), CL_INVALID_KERNEL);
    IS(launched(queue, kernel), CL_INVALID_KERNEL);
    CHECK(!clCloneKernel(kernel, &status) && status == CL_INVALID_KERNEL);
}

static void arguments_count_as_unset(void)
{
    for (int round = 0; round < 12; round++) {
        int value = 100 * round;
        cl_kernel kernel = kernel_in(program, "put");
        if (round % 4 == 1)
            OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        if (round % 4 == 2)
            OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        if (round % 4 != 3) {
            IS(launched(queue, kernel), CL_INVALID_KERNEL_ARGS);
            IS(launched(queue, kernel), CL_INVALID_KERNEL_ARGS);
            if (round == 8)
                IS(clEnqueueTask(queue, kernel, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
        }
        IS(clSetKernelArg(kernel, 2, sizeof value, &value), CL_INVALID_ARG_INDEX);
        IS(clSetKernelArg(kernel, 1, 1, &value), CL_INVALID_ARG_SIZE);
        IS(clSetKernelArg(kernel, 1, sizeof value, NULL), CL_INVALID_ARG_VALUE);
        IS(launched(queue, kernel), CL_INVALID_KERNEL_ARGS);
        set(kernel, buffer, value);
        for (int again = 0; again < round % 3 + 1; again++)
            OK(launched(queue, kernel));
        expect(value);
        OK(clReleaseKernel(kernel));
        put_by_a_new_kernel(program, value + 1);
        expect(value + 1);
    }
}

static void other_ways_to_set_are_one_kernels(void)
{
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE * sizeof(int), 0);
    for (int round = 0; shared && round < 6; round++) {
        int value = 7 + round;
        cl_kernel kernel = kernel_in(program, "put");
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        IS(launched(queue, kernel), CL_INVALID_KERNEL_ARGS);
        if (round % 2)
            OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof shared, &shared));
        OK(clSetKernelArgSVMPointer(kernel, 0, shared));
        OK(launched(queue, kernel));
        OK(clFinish(queue));
        OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, SIZE * sizeof(int), 0, NULL, NULL));
        for (int i = 0; i < SIZE; i++)
            CHECK(shared[i] == value + i);
        OK(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
        OK(clReleaseKernel(kernel));
    }
    OK(clFinish(queue));
    if (shared)
        clSVMFree(context, shared);
}

static cl_ulong local_memory(cl_kernel kernel)
{
    cl_ulong bytes;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    return bytes;
}

static void local_memory_is_one_kernels(void)
{
    size_t size = SIZE, most;
    cl_kernel first = kernel_in(program, "share");
    cl_ulong none = local_memory(first);
    OK(clReleaseKernel(first));
    for (int round = 0; round < 12; round++) {
        size_t local = 8u << round / 2 % 3;
        int got[SIZE];
        cl_kernel kernel = kernel_in(program, "share");
        OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
        if (round % 4 == 2)
            CHECK(most >= local && local_memory(kernel) == none);
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, local * sizeof(int), NULL));
        IS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
        OK(clSetKernelArg(kernel, 2, local * sizeof(int), NULL));
        IS(clSetKernelArg(kernel, 1, 0, NULL), CL_INVALID_ARG_SIZE);
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL));
        CHECK(local_memory(kernel) >= none + 2 * local * sizeof(int));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (size_t i = 0; i < SIZE; i++)
            CHECK(got[i] == (int)(local - i % local));
        OK(clReleaseKernel(kernel));
    }
}

static void images_and_samplers_are_one_kernels(void)
{
    cl_int status, has_images;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (!has_images)
        return;
    cl_image_format format = { CL_R, CL_SIGNED_INT32 };
    cl_image_desc plane = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    OK(status);
    size_t size = 16;
    for (int round = 0; round < 6; round++) {
        int pixels[16], got[16];
        for (int i = 0; i < 16; i++)
            pixels[i] = 16 * round + i;
        cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &plane, pixels, &status);
        OK(status);
        cl_kernel kernel = kernel_in(program, "look");
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        IS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
        OK(clSetKernelArg(kernel, 1, sizeof image, &image));
        IS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
        OK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        cl_kernel clone = clCloneKernel(kernel, &status);
        OK(status);
        OK(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &size, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        CHECK(!memcmp(got, pixels, sizeof got));
        OK(clReleaseKernel(kernel));
        OK(clReleaseKernel(clone));
        OK(clReleaseMemObject(image));
    }
    OK(clReleaseSampler(sampler));
}

static void CL_CALLBACK count_gone(cl_mem memory, void *data)
{
    (void)memory;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELEASE);
}

static void wait_for(const int *place, int value)
{
    for (int i = 0; i < 5000 && __atomic_load_n(place, __ATOMIC_ACQUIRE) != value; i++)
        usleep(1000);
    CHECK(__atomic_load_n(place, __ATOMIC_ACQUIRE) == value);
}

static void memory_is_not_kept(void)
{
    int gone = 0;
    for (int round = 0; round < 4; round++) {
        cl_mem memory = made_buffer();
        OK(clSetMemObjectDestructorCallback(memory, count_gone, &gone));
        cl_kernel kernel = kernel_in(program, "put");
        set(kernel, memory, round);
        OK(launched(queue, kernel));
        expect_in(queue, memory, round);
        OK(clReleaseKernel(kernel));
        OK(clReleaseMemObject(memory));
        OK(clFinish(queue));
        wait_for(&gone, round + 1);
    }
}

/* "CL_INVALID_OPERATION if there are kernel objects attached to program": no released ones are. */
static void programs_are_built_again(void)
{
    cl_int status;
    cl_uint count;
    cl_kernel several[4];
    cl_program again = built(source, "");
    for (int round = 0; round < 4; round++) {
        char options[20];
        snprintf(options, sizeof options, "-DMORE=%d", 1000 * round);
        OK(clBuildProgram(again, 0, NULL, options, NULL, NULL));
        for (int use = 0; use < 3; use++)
            put_by_a_new_kernel(again, use);
        expect(1000 * round + 2);
        cl_kernel live = kernel_in(again, "put");
        put_by_a_new_kernel(again, 5);
        IS(clBuildProgram(again, 0, NULL, options, NULL, NULL), CL_INVALID_OPERATION);
        set(live, buffer, 3);
        OK(launched(queue, live));
        expect(1000 * round + 3);
        OK(clReleaseKernel(live));
    }
    OK(clCreateKernelsInProgram(again, 4, several, &count));
    CHECK(count == 4);
    for (int i = 0; i < 4; i++)
        OK(clReleaseKernel(several[i]));
    OK(clCompileProgram(again, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    CHECK(!clCreateKernel(again, "put", &status) && status == CL_INVALID_PROGRAM_EXECUTABLE);
    cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &again, NULL, NULL, &status);
    OK(status);
    for (int use = 0; use < 4; use++)
        put_by_a_new_kernel(linked, 30 + use);
    expect(33);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(again));
}

static const char *name_of(cl_kernel kernel)
{
    static char name[8];
    OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    return name;
}

/* Each time as the first time: the same order, new kernels, and none where they do not fit. */
static void all_of_a_program(cl_program from, int rounds, int more)
{
    const char *names[] = { "put", "late", "share", "look" };
    cl_kernel kernels[5];
    cl_uint count = 7;
    for (int round = 0; round < rounds; round++) {
        if (round % 3) {
            OK(clCreateKernelsInProgram(from, 0, NULL, &count));
            CHECK(count == 4);
        }
        memset(kernels, 0, sizeof kernels);
        IS(clCreateKernelsInProgram(from, 3, kernels, &count), CL_INVALID_VALUE);
        CHECK(!kernels[0] && count == (round ? 4 : 7));
        OK(clCreateKernelsInProgram(from, 4 + round % 2, kernels, round % 4 ? &count : NULL));
        for (int i = 0; i < 4; i++)
            CHECK(references(kernels[i]) == 1 && !strcmp(name_of(kernels[i]), names[i]));
        CHECK(!kernels[4]);
        IS(launched(queue, kernels[0]), CL_INVALID_KERNEL_ARGS);
        set(kernels[0], buffer, round);
        OK(launched(queue, kernels[0]));
        expect(round + more);
        count = 4;
        for (int i = 0; i < 4; i++)
            OK(clReleaseKernel(kernels[i]));
    }
}

static void all_kernels_are_made_at_once(void)
{
    cl_int status;
    cl_kernel kernels[4], more[4], own;
    cl_program again = built(source, "-DMORE=5");
    all_of_a_program(again, 7, 5);
    OK(clBuildProgram(again, 0, NULL, "-DMORE=6", NULL, NULL));
    all_of_a_program(again, 7, 6);
    /* Some are not there. */
    own = kernel_in(again, "late");
    OK(clCreateKernelsInProgram(again, 4, kernels, NULL));
    OK(clCreateKernelsInProgram(again, 4, more, NULL));
    set(kernels[0], buffer, 1);
    set(more[0], buffer, 2);
    CHECK(kernels[1] != own && kernels[1] != more[1]);
    OK(launched(queue, kernels[0]));
    expect(7);
    OK(launched(queue, more[0]));
    expect(8);
    IS(clBuildProgram(again, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    for (int i = 0; i < 4; i++) {
        OK(clReleaseKernel(kernels[i]));
        OK(clReleaseKernel(more[i]));
    }
    OK(clReleaseKernel(own));
    OK(clCompileProgram(again, 0, NULL, "-DMORE=9", 0, NULL, NULL, NULL, NULL));
    IS(clCreateKernelsInProgram(again, 4, kernels, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    IS(clCreateKernelsInProgram(again, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &again, NULL, NULL, &status);
    OK(status);
    all_of_a_program(linked, 4, 9);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(again));
    const char *none = "void nothing(void) {}";
    for (int round = 0; round < 2; round++) {
        cl_program empty = built(none, "");
        cl_uint count = 7;
        for (int turn = 0; turn < 3; turn++) {
            OK(clCreateKernelsInProgram(empty, 4, kernels, &count));
            CHECK(!count);
            OK(clCreateKernelsInProgram(empty, 0, NULL, &count));
        }
        OK(clReleaseProgram(empty));
    }
    IS(clCreateKernelsInProgram(NULL, 4, kernels, NULL), CL_INVALID_PROGRAM);
}

/* More kernels and names than anybody keeps. */
static void there_may_be_many(void)
{
    enum { NAMES = 80 };
    static char text[NAMES * 100];
    int length = 0;
    cl_kernel kernels[NAMES];
    for (int i = 0; i < NAMES; i++)
        length += snprintf(text + length, sizeof text - length, "kernel void put%d(global int *a, int b) { int i = get_global_id(0);"
                           " a[i] = b + i + %d; }\n", i, 1000 * i);
    cl_program large = built(text, "");
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < NAMES; i++) {
            char name[8];
            snprintf(name, sizeof name, "put%d", i);
            cl_kernel kernel = kernel_in(large, name);
            set(kernel, buffer, i);
            if (i % 10 == round) {
                OK(launched(queue, kernel));
                expect(1001 * i);
            }
            OK(clReleaseKernel(kernel));
        }
    OK(clReleaseProgram(large));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < NAMES; i++)
            set(kernels[i] = kernel_in(program, "put"), buffer, i);
        for (int i = 0; i < NAMES; i += 7) {
            OK(launched(queue, kernels[i]));
            expect(i);
        }
        for (int i = 0; i < NAMES; i++)
            OK(clReleaseKernel(kernels[i]));
    }
}

static void clones_are_of_that_moment(void)
{
    cl_int status;
    size_t size = SIZE, local = 8;
    for (int round = 0; round < ROUNDS; round++) {
        int value = 10 * round, other = value + 1;
        cl_kernel kernel = kernel_in(program, "put");
        cl_kernel empty = clCloneKernel(kernel, &status);
        OK(status);
        IS(launched(queue, empty), CL_INVALID_KERNEL_ARGS);
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        cl_kernel half = clCloneKernel(kernel, &status);
        OK(status);
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        cl_kernel clone = clCloneKernel(kernel, &status);
        OK(status);
        CHECK(clone != kernel && references(clone) == 1 && references(kernel) == 1);
        OK(clSetKernelArg(kernel, 1, sizeof other, &other));
        OK(clReleaseKernel(round % 2 ? kernel : empty));
        OK(launched(queue, clone));
        expect(value);
        IS(launched(queue, half), CL_INVALID_KERNEL_ARGS);
        OK(clSetKernelArg(half, 1, sizeof other, &other));
        OK(launched(queue, half));
        expect(other);
        OK(clReleaseKernel(half));
        OK(clReleaseKernel(round % 2 ? empty : kernel));
        OK(clReleaseKernel(clone));
        cl_kernel with = kernel_in(program, "share");
        OK(clSetKernelArg(with, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(with, 1, (8 + round % 2) * sizeof(int), NULL));
        OK(clSetKernelArg(with, 2, 8 * sizeof(int), NULL));
        clone = clCloneKernel(with, &status);
        OK(status);
        CHECK(local_memory(clone) == local_memory(with));
        OK(clReleaseKernel(with));
        OK(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &size, &local, 0, NULL, NULL));
        OK(clReleaseKernel(clone));
    }
    CHECK(!clCloneKernel(NULL, &status) && status == CL_INVALID_KERNEL);
}

/* Kernels that the application has keep their program, whoever goes first. */
static void a_programs_end_is_not_its_kernels(void)
{
    for (int last = 0; last < 2; last++) {
        cl_program its = built(source, "");
        put_by_a_new_kernel(its, 4);
        cl_kernel first = kernel_in(its, "put"), second = kernel_in(its, "put");
        OK(clReleaseKernel(first));
        OK(clReleaseProgram(its));
        set(second, buffer, last);
        OK(launched(queue, second));
        expect(last);
        OK(clReleaseKernel(second));
    }
}

int main(void)
{
    start_kernels();
    each_call_has_its_kernel();
    each_is_told_as_new();
    a_released_one_is_none();
    arguments_count_as_unset();
    other_ways_to_set_are_one_kernels();
    local_memory_is_one_kernels();
    images_and_samplers_are_one_kernels();
    memory_is_not_kept();
    programs_are_built_again();
    all_kernels_are_made_at_once();
    there_may_be_many();
    clones_are_of_that_moment();
    a_programs_end_is_not_its_kernels();
    finish_kernels();
    return 0;
}
