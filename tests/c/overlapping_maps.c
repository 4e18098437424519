/* 5.5.4: "Mapping (and unmapping) overlapped regions in a memory object and/or associated memory objects (sub-buffer objects or 1D image buffer
   objects that overlap this region) for writing is an error", whichever of them is mapped first, again and again: the library maps without Python
   what Python has mapped before. */
#include "memory_objects.h"

enum { SIZE = 1 << 16, PART = 4096, AGAIN = 4 };

static const cl_image_format pixels = { CL_RGBA, CL_UNORM_INT8 }, seen_otherwise = { CL_sRGBA, CL_UNORM_INT8 };

/* A memory object as bytes in rows: a buffer has one. */
struct rows {
    cl_mem memory;
    int is_image;
};

static void *map(struct rows of, cl_map_flags flags, size_t start, size_t size, cl_int *status)
{
    const size_t origin[3] = { start / 4, 0, 0 }, region[3] = { size / 4, 1, 1 };
    size_t pitch;
    *status = 77;
    return of.is_image ? clEnqueueMapImage(queue, of.memory, CL_TRUE, flags, origin, region, &pitch, NULL, 0, NULL, NULL, status)
                       : clEnqueueMapBuffer(queue, of.memory, CL_TRUE, flags, start, size, 0, NULL, NULL, status);
}

static void *mapped(struct rows of, cl_map_flags flags, size_t start, size_t size)
{
    cl_int status;
    void *found = map(of, flags, start, size, &status);
    OK(status);
    CHECK(found);
    return found;
}

static void refused(struct rows of, cl_map_flags flags, size_t start, size_t size)
{
    cl_int status;
    CHECK(!map(of, flags, start, size, &status));
    IS(status, CL_INVALID_OPERATION);
}

static void unmap(struct rows of, void *place)
{
    OK(clEnqueueUnmapMemObject(queue, of.memory, place, 0, NULL, NULL));
}

/* Bytes of the one from `start` on are the first of the other. */
static void meet_each_other(struct rows one, size_t start, struct rows other)
{
    void *first, *second, *third;
    first = mapped(one, CL_MAP_WRITE_INVALIDATE_REGION, start, 64);
    memset(first, 7, 64);
    refused(other, CL_MAP_READ, 0, 16);
    refused(other, CL_MAP_WRITE, 60, 8);
    second = mapped(other, CL_MAP_WRITE, 64, 16);
    refused(one, CL_MAP_READ, start + 76, 4);
    third = mapped(one, CL_MAP_READ, start + 80, 4);
    unmap(one, first);
    first = mapped(other, CL_MAP_READ, 0, 64);
    CHECK(((unsigned char *)first)[63] == 7);
    refused(one, CL_MAP_WRITE, start, 4);
    unmap(other, second);
    unmap(other, first);
    unmap(one, third);
    first = mapped(other, CL_MAP_READ, 0, 128);
    second = mapped(one, CL_MAP_READ, start, 128);
    refused(one, CL_MAP_WRITE, start + 124, 4);
    refused(other, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4);
    unmap(other, first);
    refused(other, CL_MAP_WRITE, 4, 4);
    unmap(one, second);
    unmap(other, mapped(other, CL_MAP_WRITE, 0, 128));
    first = mapped(other, CL_MAP_WRITE, 0, 128);
    refused(one, CL_MAP_WRITE, start, 128);
    unmap(other, first);
    unmap(one, mapped(one, CL_MAP_WRITE, start, 128));
    first = mapped(one, CL_MAP_READ, start, 4);
    unmap(one, first);
    IS(clEnqueueUnmapMemObject(queue, one.memory, first, 0, NULL, NULL), CL_INVALID_VALUE);
}

static cl_mem image_of(cl_mem memory, const cl_image_format *format, cl_mem_object_type type, size_t height, size_t pitch)
{
    const cl_image_desc description = { .image_type = type, .image_width = 256, .image_height = height, .image_row_pitch = pitch,
                                        .mem_object = memory };
    cl_int status;
    cl_mem image = clCreateImage(context, 0, format, &description, NULL, &status);
    OK(status);
    return image;
}

/* The other one is made of the first while that is mapped by whoever maps it then. */
static void each_way(cl_mem (*make)(cl_mem whole), int is_image, cl_mem whole, int whole_is_image, size_t start)
{
    const struct rows one = { whole, whole_is_image };
    for (int before = 0; before < 3; before++)
        unmap(one, mapped(one, CL_MAP_WRITE, 0, 64));
    void *place = mapped(one, CL_MAP_WRITE, start, 64);
    const struct rows other = { make(whole), is_image };
    refused(other, CL_MAP_READ, 32, 4);
    unmap(one, place);
    for (int again = 0; again < AGAIN; again++) {
        meet_each_other(one, start, other);
        OK(clFinish(queue));
    }
    OK(clReleaseMemObject(other.memory));
    unmap(one, mapped(one, CL_MAP_WRITE, 0, 128));
}

static cl_mem part(cl_mem whole)
{
    return part_of(whole, 0, PART, 2 * PART);
}

static cl_mem row(cl_mem whole)
{
    return image_of(whole, &pixels, CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, 0);
}

static cl_mem row_of_part(cl_mem whole)
{
    cl_mem half = part(whole), image = row(half);
    OK(clReleaseMemObject(half));
    return image;
}

static cl_mem rows_of(cl_mem whole)
{
    return image_of(whole, &pixels, CL_MEM_OBJECT_IMAGE2D, 8, 2048);
}

static cl_mem view(cl_mem image)
{
    return image_of(image, &seen_otherwise, CL_MEM_OBJECT_IMAGE2D, 8, 0);
}

static cl_mem buffer(void)
{
    cl_int status;
    cl_mem made = clCreateBuffer(context, 0, SIZE, NULL, &status);
    OK(status);
    return made;
}

/* Rows of an image lie apart: what is between them is none of it. */
static void between_rows(void)
{
    const struct rows whole = { buffer(), 0 }, image = { rows_of(whole.memory), 1 };
    const size_t origin[3] = { 4, 2, 0 }, region[3] = { 8, 3, 1 };
    size_t pitch;
    cl_int status;
    void *square = clEnqueueMapImage(queue, image.memory, CL_TRUE, CL_MAP_WRITE, origin, region, &pitch, NULL, 0, NULL, NULL, &status);
    OK(status);
    CHECK(pitch == 2048);
    for (size_t at = 2; at < 5; at++) {
        refused(whole, CL_MAP_READ, at * 2048 + 12, 8);
        refused(whole, CL_MAP_READ, at * 2048 + 44, 8);
        unmap(whole, mapped(whole, CL_MAP_WRITE, at * 2048, 16));
        unmap(whole, mapped(whole, CL_MAP_WRITE, at * 2048 + 48, 2000));
    }
    unmap(whole, mapped(whole, CL_MAP_WRITE, 0, 2 * 2048 + 16));
    unmap(whole, mapped(whole, CL_MAP_WRITE, 4 * 2048 + 48, 4096));
    refused(whole, CL_MAP_WRITE, 3 * 2048 + 48, 2048);
    unmap(image, square);
    unmap(whole, mapped(whole, CL_MAP_WRITE, 0, SIZE));
    OK(clReleaseMemObject(image.memory));
    OK(clReleaseMemObject(whole.memory));
}

/* Parts that overlap, and an image that goes while it is mapped. */
static void among_parts(void)
{
    cl_mem whole = buffer();
    const struct rows first = { part_of(whole, 0, 0, PART + 1024), 0 }, second = { part_of(whole, 0, PART, PART), 0 };
    for (int again = 0; again < AGAIN; again++)
        meet_each_other(first, PART, second);
    const struct rows image = { row(whole), 1 }, all = { whole, 0 };
    mapped(image, CL_MAP_WRITE, 0, 64);
    refused(all, CL_MAP_READ, 0, 4);
    OK(clReleaseMemObject(image.memory));
    OK(clFinish(queue));
    unmap(all, mapped(all, CL_MAP_WRITE, 0, SIZE));
    OK(clReleaseMemObject(first.memory));
    OK(clReleaseMemObject(second.memory));
    OK(clReleaseMemObject(whole));
}

int main(void)
{
    const cl_image_desc square = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 256, .image_height = 8 };
    cl_int status;
    start();
    cl_mem image = clCreateImage(context, 0, &pixels, &square, NULL, &status), whole[4];
    OK(status);
    for (int i = 0; i < 4; i++)
        whole[i] = buffer();
    each_way(part, 0, whole[0], 0, PART);
    each_way(row, 1, whole[1], 0, 0);
    each_way(row_of_part, 1, whole[2], 0, PART);
    each_way(rows_of, 1, whole[3], 0, 0);
    each_way(view, 1, image, 1, 0);
    for (int i = 0; i < 4; i++)
        OK(clReleaseMemObject(whole[i]));
    OK(clReleaseMemObject(image));
    between_rows();
    among_parts();
    finish();
    return 0;
}
