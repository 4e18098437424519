/* Buffers whose memory, and all else, may have been a released one's. */
#include "check.h"

#include <unistd.h>

enum { SIZE = 1024, ROUNDS = 50 };

static int told;

static void CL_CALLBACK count_told(cl_mem memory, void *data)
{
    (void)memory;
    ++*(int *)data;
}

static cl_mem made(cl_mem_flags flags, size_t size)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, flags, size, NULL, &status);
    OK(status);
    return buffer;
}

static void put(cl_command_queue to, cl_mem buffer, int value)
{
    int data[SIZE];
    for (int i = 0; i < SIZE; i++)
        data[i] = value + i;
    OK(clEnqueueWriteBuffer(to, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
}

static void has(cl_command_queue from, cl_mem buffer, int value)
{
    int data[SIZE];
    OK(clEnqueueReadBuffer(from, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < SIZE; i++)
        CHECK(data[i] == value + i);
}

static cl_ulong told_of(cl_mem buffer, cl_mem_info query)
{
    cl_ulong value = 0;
    OK(clGetMemObjectInfo(buffer, query, sizeof value, &value, NULL));
    return value;
}

/* Each is a buffer of its own, whatever was released before. */
static void test_buffers_are_apart(void)
{
    cl_mem kept[4];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 4; i++)
            put(queue, kept[i] = made(0, SIZE * sizeof(int)), round + 1000 * i);
        for (int i = 0; i < 4; i++) {
            has(queue, kept[i], round + 1000 * i);
            for (int j = 0; j < i; j++)
                CHECK(kept[i] != kept[j]);
        }
        for (int i = 0; i < 4; i++)
            OK(clReleaseMemObject(kept[i]));
        IS(clReleaseMemObject(kept[round % 4]), CL_INVALID_MEM_OBJECT);
    }
}

static void test_flags_and_sizes_are_those_asked_for(void)
{
    static const cl_mem_flags flags[] = { CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY,
                                          CL_MEM_ALLOC_HOST_PTR };
    int one = 1, got;
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem_flags wanted = flags[round % 5];
        size_t size = 4 << round % 3;
        cl_mem buffer = made(wanted, size);
        OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL));
        IS(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, size, sizeof one, &one, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL),
           wanted == CL_MEM_HOST_WRITE_ONLY ? CL_INVALID_OPERATION : CL_SUCCESS);
        if (round > ROUNDS / 2)
            CHECK(told_of(buffer, CL_MEM_SIZE) == size && told_of(buffer, CL_MEM_REFERENCE_COUNT) == 1
                  && (told_of(buffer, CL_MEM_FLAGS) & wanted) == wanted);
        OK(clRetainMemObject(buffer));
        OK(clReleaseMemObject(buffer));
        OK(clReleaseMemObject(buffer));
    }
}

/* What was asked of one buffer holds for that one. */
static void test_callbacks_parts_and_maps_are_one_buffers(void)
{
    cl_int status;
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem buffer = made(round / 3 % 2 ? CL_MEM_ALLOC_HOST_PTR : 0, SIZE * sizeof(int)), part;
        put(queue, buffer, round);
        if (round % 3 == 0)
            OK(clSetMemObjectDestructorCallback(buffer, count_told, &told));
        if (round % 3 == 1) {
            cl_buffer_region region = { 0, 64 };
            part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
            OK(status);
        }
        if (round % 3 == 2) {
            clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status);
            OK(status);
        }
        OK(clReleaseMemObject(buffer));
        cl_mem next = made(0, SIZE * sizeof(int));
        put(queue, next, -round);
        CHECK(told_of(next, CL_MEM_MAP_COUNT) == 0);
        if (round % 3 == 1) {
            int first;
            OK(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof first, &first, 0, NULL, NULL));
            CHECK(first == round);
            OK(clReleaseMemObject(part));
        }
        OK(clReleaseMemObject(next));
    }
    OK(clFinish(queue));
}

/* Page-locked memory for copies: each buffer is mapped, filled and copied on, and may be released while it is mapped. */
static void test_staging_buffers_are_apart(void)
{
    cl_int status;
    cl_mem all = made(0, 5 * SIZE * sizeof(int));
    for (int round = 0; round < ROUNDS; round++) {
        size_t count = SIZE * (1 + round % 5);
        cl_mem staged = made(round % 7 ? CL_MEM_ALLOC_HOST_PTR : 0, count * sizeof(int));
        cl_map_flags flags = round % 3 ? CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
        int *map = clEnqueueMapBuffer(queue, staged, CL_TRUE, flags, 0, count * sizeof(int), 0, NULL, NULL, &status), got;
        OK(status);
        CHECK(told_of(staged, CL_MEM_MAP_COUNT) == 1);
        for (size_t i = 0; i < count; i++)
            map[i] = 100 * round + (int)i;
        if (round % 4) {
            OK(clEnqueueUnmapMemObject(queue, staged, map, 0, NULL, NULL));
            OK(clEnqueueCopyBuffer(queue, staged, all, 0, 0, count * sizeof(int), 0, NULL, NULL));
            IS(clEnqueueUnmapMemObject(queue, staged, map, 0, NULL, NULL), CL_INVALID_VALUE);
        }
        OK(clReleaseMemObject(staged));
        if (round % 4 == 0)
            continue;
        cl_mem next = made(CL_MEM_ALLOC_HOST_PTR, count * sizeof(int));
        CHECK(told_of(next, CL_MEM_MAP_COUNT) == 0);
        IS(clEnqueueUnmapMemObject(queue, next, map, 0, NULL, NULL), CL_INVALID_VALUE);
        map = clEnqueueMapBuffer(queue, next, CL_TRUE, CL_MAP_WRITE, 0, count * sizeof(int), 0, NULL, NULL, &status);
        OK(status);
        memset(map, 0, count * sizeof(int));
        OK(clEnqueueReadBuffer(queue, all, CL_TRUE, (count - 1) * sizeof(int), sizeof got, &got, 0, NULL, NULL));
        CHECK(got == 100 * round + (int)count - 1);
        OK(clEnqueueUnmapMemObject(queue, next, map, 0, NULL, NULL));
        OK(clReleaseMemObject(next));
    }
    OK(clReleaseMemObject(all));
}

static void test_kernels_get_the_buffer_that_was_set(cl_kernel kernel)
{
    size_t size = SIZE;
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem buffer = made(0, SIZE * sizeof(int)), other = made(0, SIZE * sizeof(int));
        int value = round * 10, turns = 0;
        put(queue, other, 7);
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        OK(clSetKernelArg(kernel, 2, sizeof turns, &turns));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        has(queue, buffer, value);
        has(queue, other, 7);
        OK(clReleaseMemObject(buffer));
        OK(clReleaseMemObject(other));
    }
}

/* A kernel is still at work on a buffer that was released when another queue gets the next one. */
static void test_another_queue_comes_after(cl_kernel kernel)
{
    cl_int status;
    size_t size = SIZE;
    for (int round = 0; round < 3; round++) {
        cl_mem old = made(0, SIZE * sizeof(int));
        int value = 5, turns = 20000;
        put(queue, old, 1);
        OK(clSetKernelArg(kernel, 0, sizeof old, &old));
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        OK(clSetKernelArg(kernel, 2, sizeof turns, &turns));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        OK(clReleaseMemObject(old));
        cl_mem next = made(0, SIZE * sizeof(int));
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        OK(status);
        put(other, next, 100);
        OK(clFinish(queue));
        has(other, next, 100);
        OK(clReleaseMemObject(next));
        OK(clReleaseCommandQueue(other));
    }
}

static void CL_CALLBACK context_is_gone(cl_context gone, void *data)
{
    (void)gone;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

/* What is kept of released buffers keeps no context. */
static void test_the_context_goes(void)
{
    cl_int status;
    int gone = 0;
    cl_context mine = context, other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    OK(status);
    cl_command_queue its = clCreateCommandQueueWithProperties(other, device, NULL, &status);
    OK(status);
    context = other;
    for (int i = 0; i < ROUNDS; i++) {
        cl_mem buffer = made(0, SIZE * sizeof(int));
        put(its, buffer, i);
        OK(clReleaseMemObject(buffer));
    }
    context = mine;
    OK(clSetContextDestructorCallback(other, context_is_gone, &gone));
    OK(clReleaseCommandQueue(its));
    OK(clReleaseContext(other));
    for (int i = 0; i < 5000 && !__atomic_load_n(&gone, __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    CHECK(gone);
}

int main(void)
{
    start();
    cl_kernel kernel = kernel_of("kernel void fill(global int *a, int b, int turns) {\n"
                                 "    int i = get_global_id(0), x = i;\n"
                                 "    for (int t = 0; t < turns; t++) x = x * 1664525 + 1013904223;\n"
                                 "    a[i] = turns && x == 12345 ? 0 : b + i;\n"
                                 "}", "fill");
    test_buffers_are_apart();
    test_flags_and_sizes_are_those_asked_for();
    test_callbacks_parts_and_maps_are_one_buffers();
    CHECK(told == (ROUNDS + 2) / 3);
    test_staging_buffers_are_apart();
    test_kernels_get_the_buffer_that_was_set(kernel);
    test_another_queue_comes_after(kernel);
    test_buffers_are_apart();
    test_the_context_goes();
    OK(clReleaseKernel(kernel));
    finish();
    return 0;
}
