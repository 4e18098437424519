/* 5.2.1, 5.3.1: parts of buffers, and images over them, which are no more than what they were asked for with until they are used; nor may
   the buffer be more. */
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

static const cl_image_format numbers_format = { CL_R, CL_SIGNED_INT32 };

static cl_mem image_over(cl_mem whole, cl_mem_flags flags, size_t width)
{
    cl_int status;
    cl_image_desc described = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = width, .mem_object = whole };
    cl_mem image = clCreateImage(context, flags, &numbers_format, &described, NULL, &status);
    OK(status);
    return image;
}

static void put_element(cl_mem image, size_t at, int value)
{
    const size_t origin[3] = { at }, one[3] = { 1, 1, 1 };
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, one, 0, 0, &value, 0, NULL, NULL));
}

static int element(cl_mem image, size_t at)
{
    const size_t origin[3] = { at }, one[3] = { 1, 1, 1 };
    int value;
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, one, 0, 0, &value, 0, NULL, NULL));
    return value;
}

/* Whoever of buffer and images is used, or released, first. */
static void images_are_over_their_buffers(void)
{
    cl_int status;
    for (int round = 0; round < ROUNDS; round++) {
        int told = 0, is_used_first = round % 2, is_asked = round / 2 % 2, is_released_first = round / 4 % 2;
        size_t width = round % 3 ? SIZE / 4 : 16, all;
        cl_mem whole = clCreateBuffer(context, round % 5 ? 0 : CL_MEM_READ_ONLY, SIZE, NULL, &status), other;
        OK(status);
        if (is_asked)
            OK(clSetMemObjectDestructorCallback(whole, count_memory, &told));
        if (is_used_first)
            put(queue, whole, 12, round, CL_TRUE);
        cl_mem image = image_over(whole, 0, width), second = image_over(whole, CL_MEM_READ_ONLY, width), unused = image_over(whole, 0, width);
        CHECK(memory_info(whole, CL_MEM_REFERENCE_COUNT) == 1 && memory_info(image, CL_MEM_REFERENCE_COUNT) == 1);
        if (is_released_first) {
            OK(clReleaseMemObject(whole));
            IS(clReleaseMemObject(whole), CL_INVALID_MEM_OBJECT);
            IS(clRetainMemObject(whole), CL_INVALID_MEM_OBJECT);
        }
        put(queue, other = clCreateBuffer(context, 0, SIZE, NULL, &status), 12, -1, CL_TRUE);
        if (is_used_first)
            CHECK(element(image, 3) == round);
        put_element(image, 3, 100 + round);
        CHECK(element(second, 3) == 100 + round && got(queue, other, 12) == -1);
        if (!is_released_first) {
            CHECK(got(queue, whole, 12) == 100 + round);
            CHECK(memory_info(second, CL_MEM_ASSOCIATED_MEMOBJECT) == (cl_ulong)(size_t)whole);
            OK(clReleaseMemObject(whole));
        }
        OK(clGetImageInfo(second, CL_IMAGE_WIDTH, sizeof all, &all, NULL));
        CHECK(all == width && memory_info(second, CL_MEM_FLAGS) == CL_MEM_READ_ONLY);
        if (round % 3 == 1)
            CHECK(memory_info(unused, CL_MEM_FLAGS) == (round % 5 ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY));
        OK(clReleaseMemObject(image));
        OK(clReleaseMemObject(second));
        OK(clFinish(queue));
        CHECK(!told);
        OK(clReleaseMemObject(unused));
        IS(clReleaseMemObject(unused), CL_INVALID_MEM_OBJECT);
        OK(clFinish(queue));
        CHECK(comes_to(&told, is_asked));
        OK(clReleaseMemObject(other));
    }
}

/* What was right for another buffer is not for one that is smaller, of other flags, or of another context. */
static void wrong_images_stay_wrong(void)
{
    cl_int status;
    cl_context elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_mem whole = clCreateBuffer(context, 0, SIZE, NULL, &status), small = clCreateBuffer(context, 0, SIZE / 2, NULL, &status),
           reads = clCreateBuffer(context, CL_MEM_READ_ONLY, SIZE, NULL, &status),
           far = clCreateBuffer(elsewhere, 0, SIZE, NULL, &status), made;
    int host[SIZE / 4];
    for (int round = 0; round < 3; round++) {
        cl_image_desc right = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = SIZE / 4, .mem_object = whole }, of = right;
#define NO_IMAGE(flags, memory, host, wanted) \
        CHECK((of.mem_object = (memory), !clCreateImage(context, flags, &numbers_format, &of, host, &status)) && status == wanted)
        made = image_over(whole, CL_MEM_WRITE_ONLY, SIZE / 4);
        NO_IMAGE(CL_MEM_WRITE_ONLY, small, NULL, CL_INVALID_IMAGE_SIZE);
        NO_IMAGE(CL_MEM_WRITE_ONLY, reads, NULL, CL_INVALID_VALUE);
        NO_IMAGE(CL_MEM_WRITE_ONLY, far, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
        NO_IMAGE(CL_MEM_WRITE_ONLY, NULL, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
        NO_IMAGE(CL_MEM_WRITE_ONLY, (cl_mem)queue, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
        NO_IMAGE(CL_MEM_WRITE_ONLY, made, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
        NO_IMAGE(CL_MEM_WRITE_ONLY, whole, host, CL_INVALID_HOST_PTR);
        of.image_width = SIZE / 4 + 1;
        NO_IMAGE(CL_MEM_WRITE_ONLY, whole, NULL, CL_INVALID_IMAGE_SIZE);
        OK(clReleaseMemObject(made));
    }
    OK(clReleaseMemObject(whole));
    OK(clReleaseMemObject(small));
    OK(clReleaseMemObject(reads));
    OK(clReleaseMemObject(far));
    OK(clReleaseContext(elsewhere));
}

/* Regions of the buffer that are mapped while an image over it is made, or used first. */
static void maps_of_the_buffer_are_the_images_too(void)
{
    cl_int status;
    const size_t origin[3] = { 0 }, some[3] = { 16, 1, 1 };
    size_t pitch;
    cl_mem whole = clCreateBuffer(context, 0, SIZE, NULL, &status);
    for (int round = 0; round < 6; round++) {
        put(queue, whole, 4, round, CL_TRUE);
        cl_mem image = round % 2 ? image_over(whole, 0, 64) : NULL;
        int *mapped = clEnqueueMapBuffer(queue, whole, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &status);
        OK(status);
        CHECK(mapped[1] == round);
        if (!image)
            image = image_over(whole, 0, 64);
        CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, origin, some, &pitch, NULL, 0, NULL, NULL, &status)
              && status == CL_INVALID_OPERATION);
        mapped[1] = 50 + round;
        OK(clEnqueueUnmapMemObject(queue, whole, mapped, 0, NULL, NULL));
        CHECK(element(image, 1) == 50 + round && memory_info(whole, CL_MEM_MAP_COUNT) == 0);
        OK(clReleaseMemObject(image));
    }
    OK(clReleaseMemObject(whole));
}

int main(void)
{
    cl_bool has_images;
    start();
    parts_are_where_they_are();
    wrong_parts_stay_wrong();
    the_whole_stays_for_its_parts();
    kernels_take_parts();
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (has_images) {
        images_are_over_their_buffers();
        wrong_images_stay_wrong();
        maps_of_the_buffer_are_the_images_too();
    }
    finish();
    return 0;
}
