/* 5.2.1: parts of buffers, which are no more than a place and a size until they are used; nor may the buffer be more. */
#include "memory_objects.h"

enum { ROUNDS = 20, SIZE = 4096 };

static size_t alignment(void)
{
    cl_uint bits;
    OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    return bits / 8;
}

static void parts_are_where_they_are(void)
{
    cl_int status;
    static int numbers[SIZE];
    size_t align = alignment(), size = 4 * align;
    for (int round = 0; round < ROUNDS; round++) {
        memset(numbers, 0, sizeof numbers);
        cl_mem whole = round % 3 == 0 ? clCreateBuffer(context, CL_MEM_USE_HOST_PTR, size, numbers, &status)
                     : round % 3 == 1 ? clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, numbers, &status)
                                      : clCreateBuffer(context, 0, size, NULL, &status);
        OK(status);
        cl_mem parts[3];
        for (int i = 0; i < 3; i++)
            parts[i] = part_of(whole, i == 1 ? CL_MEM_READ_WRITE : 0, (i + 1) * align, align);
        for (int i = 2; i >= 0; i--) {
            put(queue, parts[i], 4, 100 * round + i, CL_TRUE);
            CHECK(got(queue, whole, (i + 1) * align + 4) == 100 * round + i);
        }
        IS(clEnqueueReadBuffer(queue, parts[0], CL_TRUE, align, 4, numbers, 0, NULL, NULL), CL_INVALID_VALUE);
        put(queue, whole, 3 * align, round, CL_TRUE);
        CHECK(got(queue, parts[2], 0) == round);
        CHECK(memory_info(parts[1], CL_MEM_OFFSET) == 2 * align && memory_info(parts[1], CL_MEM_SIZE) == align);
        CHECK(memory_info(parts[1], CL_MEM_ASSOCIATED_MEMOBJECT) == (cl_ulong)(size_t)whole
            && memory_info(whole, CL_MEM_REFERENCE_COUNT) == 1);
        for (int i = 0; i < 3; i++)
            OK(clReleaseMemObject(parts[i]));
        IS(clReleaseMemObject(parts[0]), CL_INVALID_MEM_OBJECT);
        CHECK(got(queue, whole, 3 * align) == round);
        OK(clReleaseMemObject(whole));
    }
}

static void wrong_parts_stay_wrong(void)
{
    cl_int status;
    size_t align = alignment(), size = 2 * align;
    cl_mem whole = clCreateBuffer(context, 0, size, NULL, &status), reads = clCreateBuffer(context, CL_MEM_READ_ONLY, size, NULL, &status),
           hidden = clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, size, NULL, &status), part;
    for (int round = 0; round < 3; round++) {
        cl_buffer_region right = { align, align }, empty = { 0, 0 }, beyond = { align, align + 1 }, far = { 4 * align, 1 },
                         askew = { 1, 1 },
                         wraps = { align, (size_t)-1 };
#define REFUSED(of, flags, type, region, wanted) CHECK(!clCreateSubBuffer(of, flags, type, region, &status) && status == wanted)
        REFUSED(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, CL_INVALID_BUFFER_SIZE);
        REFUSED(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, CL_INVALID_VALUE);
        REFUSED(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &far, CL_INVALID_VALUE);
        REFUSED(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &wraps, CL_INVALID_VALUE);
        if (align > 1)
            REFUSED(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &askew, CL_MISALIGNED_SUB_BUFFER_OFFSET);
        REFUSED(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, CL_INVALID_VALUE);
        REFUSED(whole, 0, 0x1234, &right, CL_INVALID_VALUE);
        REFUSED(whole, CL_MEM_COPY_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &right, CL_INVALID_VALUE);
        REFUSED(whole, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &right, CL_INVALID_VALUE);
        REFUSED(reads, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &right, CL_INVALID_VALUE);
        REFUSED(reads, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &right, CL_INVALID_VALUE);
        REFUSED(hidden, CL_MEM_HOST_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &right, CL_INVALID_VALUE);
        REFUSED(NULL, 0, CL_BUFFER_CREATE_TYPE_REGION, &right, CL_INVALID_MEM_OBJECT);
        part = part_of(whole, 0, align, align);
        REFUSED(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, CL_INVALID_MEM_OBJECT);
        OK(clReleaseMemObject(part));
        part = part_of(hidden, 0, align, align); /* What the host may do it inherits. */
        put(queue, part, 0, 1, CL_TRUE);
        int value;
        IS(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL), CL_INVALID_OPERATION);
        CHECK(memory_info(part, CL_MEM_FLAGS) == CL_MEM_HOST_WRITE_ONLY); /* nothing but what was given is told */
        OK(clReleaseMemObject(part));
        part = part_of(whole, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 0, 1);
        CHECK(memory_info(part, CL_MEM_FLAGS) == (CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS));
        OK(clReleaseMemObject(part));
    }
    OK(clReleaseMemObject(whole));
    OK(clReleaseMemObject(reads));
    OK(clReleaseMemObject(hidden));
}

/* "memobj cannot be deleted until all sub-buffer objects associated with memobj are deleted": nor is its memory another's. */
static void the_whole_stays_for_its_parts(void)
{
    cl_int status;
    for (int round = 0; round < ROUNDS; round++) {
        int told = 0, is_used = round % 2, is_asked = round / 2 % 2, is_last_used = round / 4 % 2;
        cl_mem whole = clCreateBuffer(context, 0, SIZE, NULL, &status), parts[2], others[3];
        if (is_used)
            put(queue, whole, 0, round, CL_TRUE);
        if (is_asked)
            OK(clSetMemObjectDestructorCallback(whole, count_memory, &told));
        parts[0] = part_of(whole, 0, 0, 64);
        parts[1] = part_of(whole, 0, 0, 128);
        OK(clReleaseMemObject(whole));
        IS(clReleaseMemObject(whole), CL_INVALID_MEM_OBJECT);
        IS(clRetainMemObject(whole), CL_INVALID_MEM_OBJECT);
        CHECK(!clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){ 0, 64 }, &status)
              && status == CL_INVALID_MEM_OBJECT);
        for (int i = 0; i < 3; i++)
            put(queue, others[i] = clCreateBuffer(context, 0, SIZE, NULL, &status), 0, -1, CL_TRUE);
        if (is_last_used) {
            if (is_used)
                CHECK(got(queue, parts[1], 0) == round);
            put(queue, parts[0], 0, 7, CL_TRUE);
            CHECK(got(queue, parts[1], 0) == 7);
        }
        OK(clReleaseMemObject(parts[0]));
        OK(clFinish(queue));
        CHECK(!told);
        if (!is_last_used && is_used)
            CHECK(got(queue, parts[1], 0) == round);
        OK(clReleaseMemObject(parts[1]));
        OK(clFinish(queue));
        CHECK(comes_to(&told, is_asked));
        for (int i = 0; i < 3; i++) {
            CHECK(got(queue, others[i], 0) == -1);
            OK(clReleaseMemObject(others[i]));
        }
    }
}

/* Parts as arguments of kernels, whoever of whole and part is used first. */
static void kernels_take_parts(void)
{
    cl_int status;
    size_t align = alignment(), one = 1;
    cl_kernel kernel = kernel_of("kernel void put(global int *a, int b) { *a = b; }", "put");
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem whole = clCreateBuffer(context, 0, 2 * align, NULL, &status), part = part_of(whole, 0, align, align);
        OK(clSetKernelArg(kernel, 1, sizeof round, &round));
        cl_mem order[2] = { round % 2 ? part : whole, round % 2 ? whole : part };
        for (int i = 0; i < 2; i++) {
            OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &order[i]));
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        }
        CHECK(got(queue, whole, 0) == round && got(queue, whole, align) == round && got(queue, part, 0) == round);
        OK(clReleaseMemObject(whole));
        OK(clReleaseMemObject(part));
    }
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    start();
    parts_are_where_they_are();
    wrong_parts_stay_wrong();
    the_whole_stays_for_its_parts();
    kernels_take_parts();
    finish();
    return 0;
}
