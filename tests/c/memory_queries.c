/* 5.5.5: what a buffer, or a part of one, tells of itself, whether it has been used or not; and how many regions are mapped. */
#include "memory_objects.h"

enum { SIZE = 8192 };

static size_t alignment(void)
{
    cl_uint bits;
    OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    return bits / 8;
}

/* With the size that it is to have. */
static cl_ulong asked(cl_mem memory, cl_mem_info query, size_t wanted)
{
    cl_ulong value = 0, other = 0;
    size_t size = 0;
    OK(clGetMemObjectInfo(memory, query, wanted, &value, &size));
    CHECK(size == wanted);
    size = 0;
    OK(clGetMemObjectInfo(memory, query, 0, NULL, &size));
    CHECK(size == wanted);
    OK(clGetMemObjectInfo(memory, query, sizeof other, &other, NULL));
    CHECK(other == value);
    other = 77;
    IS(clGetMemObjectInfo(memory, query, wanted - 1, &other, NULL), CL_INVALID_VALUE);
    CHECK(other == 77);
    return value;
}

static void tells(cl_mem memory, cl_mem_flags flags, size_t size, void *host, cl_mem whole, size_t offset)
{
    CHECK(asked(memory, CL_MEM_TYPE, sizeof(cl_uint)) == CL_MEM_OBJECT_BUFFER);
    CHECK(asked(memory, CL_MEM_FLAGS, sizeof flags) == flags);
    CHECK(asked(memory, CL_MEM_SIZE, sizeof size) == size);
    CHECK(asked(memory, CL_MEM_HOST_PTR, sizeof host) == (cl_ulong)(size_t)host);
    CHECK(asked(memory, CL_MEM_MAP_COUNT, sizeof(cl_uint)) == 0);
    CHECK(asked(memory, CL_MEM_REFERENCE_COUNT, sizeof(cl_uint)) == 1);
    CHECK(asked(memory, CL_MEM_CONTEXT, sizeof context) == (cl_ulong)(size_t)context);
    CHECK(asked(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole) == (cl_ulong)(size_t)whole);
    CHECK(asked(memory, CL_MEM_OFFSET, sizeof offset) == offset);
    CHECK(asked(memory, CL_MEM_USES_SVM_POINTER, sizeof(cl_bool)) == CL_FALSE);
    IS(clGetMemObjectInfo(memory, CL_IMAGE_WIDTH, 0, NULL, &offset), CL_INVALID_VALUE);
    IS(clGetMemObjectInfo(memory, 0, 0, NULL, &offset), CL_INVALID_VALUE);
}

static void buffers_tell_what_they_are(void)
{
    static char host[SIZE];
    const cl_mem_flags flags[] = { 0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_NO_ACCESS,
                                   CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR };
    size_t align = alignment();
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            cl_int status;
            int has_host = (flags[i] & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0;
            cl_mem_flags all = flags[i] ? flags[i] : CL_MEM_READ_WRITE;
            cl_mem whole = clCreateBuffer(context, flags[i], SIZE, has_host ? host : NULL, &status);
            OK(status);
            void *its = flags[i] & CL_MEM_USE_HOST_PTR ? host : NULL;
            cl_mem part = part_of(whole, 0, align, 64);
            if (round == 1)
                tells(part, all, 64, its ? host + align : NULL, whole, align);
            if (round == 2 && !(flags[i] & CL_MEM_HOST_NO_ACCESS)) {
                put(queue, whole, 0, 1, CL_TRUE);
                put(queue, part, 0, 1, CL_TRUE);
            }
            tells(whole, all, SIZE, its, NULL, 0);
            tells(part, all, 64, its ? host + align : NULL, whole, align);
            OK(clReleaseMemObject(whole));
            CHECK(asked(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole) == (cl_ulong)(size_t)whole);
            OK(clReleaseMemObject(part));
            IS(clGetMemObjectInfo(part, CL_MEM_SIZE, 0, NULL, &align), CL_INVALID_MEM_OBJECT);
        }
}

static cl_ulong maps_of(cl_mem memory)
{
    return asked(memory, CL_MEM_MAP_COUNT, sizeof(cl_uint));
}

static void *mapped(cl_mem memory, size_t offset, cl_event gate)
{
    cl_int status;
    void *place = clEnqueueMapBuffer(queue, memory, !gate, CL_MAP_READ, offset, 64, gate != NULL, gate ? &gate : NULL, NULL, &status);
    OK(status);
    return place;
}

static void unmap(cl_mem memory, void *place)
{
    OK(clEnqueueUnmapMemObject(queue, memory, place, 0, NULL, NULL));
}

/* One region, several, those of a part, and those of an image over the buffer. */
static void regions_are_counted(void)
{
    size_t align = alignment(), pitch;
    const size_t origin[3] = { 0 }, some[3] = { 16, 1, 1 };
    const cl_image_format format = { CL_R, CL_SIGNED_INT32 };
    cl_bool has_images;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    for (int kind = 0; kind < 3; kind++) {
        cl_int status;
        cl_mem whole = clCreateBuffer(context, kind == 1 ? CL_MEM_ALLOC_HOST_PTR : 0, SIZE, NULL, &status), part = NULL;
        if (kind == 2)
            part = part_of(whole, 0, align, 64);
        for (int round = 0; round < 4; round++) {
            CHECK(maps_of(whole) == 0);
            void *first = mapped(whole, 0, NULL);
            CHECK(maps_of(whole) == 1 && maps_of(whole) == 1);
            void *second = mapped(whole, 64, NULL), *third = part ? mapped(part, 0, NULL) : NULL;
            CHECK(maps_of(whole) == (part ? 3 : 2));
            unmap(whole, first);
            CHECK(maps_of(whole) == (part ? 2 : 1));
            if (part)
                unmap(part, third);
            CHECK(maps_of(whole) == 1);
            IS(clEnqueueUnmapMemObject(queue, whole, first, 0, NULL, NULL), CL_INVALID_VALUE);
            CHECK(maps_of(whole) == 1);
            unmap(whole, second);
        }
        CHECK(maps_of(whole) == 0);
        cl_event gate = clCreateUserEvent(context, &status);
        void *later = mapped(whole, 0, gate);
        CHECK(maps_of(whole) == 1);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clFinish(queue));
        unmap(whole, later);
        CHECK(maps_of(whole) == 0);
        if (has_images) {
            cl_image_desc line = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = whole };
            cl_mem image = clCreateImage(context, 0, &format, &line, NULL, &status);
            OK(status);
            for (int round = 0; round < 2; round++) {
                void *place = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, some, &pitch, NULL, 0, NULL, NULL, &status);
                OK(status);
                CHECK(maps_of(image) == 1);
                void *again = mapped(whole, 64, NULL);
                CHECK(maps_of(whole) == 2);
                unmap(whole, again);
                OK(clEnqueueUnmapMemObject(queue, image, place, 0, NULL, NULL));
                CHECK(maps_of(image) == 0 && maps_of(whole) == 0);
            }
            OK(clReleaseMemObject(image));
        }
        OK(clReleaseEvent(gate));
        if (part)
            OK(clReleaseMemObject(part));
        OK(clReleaseMemObject(whole));
    }
}

int main(void)
{
    start();
    buffers_tell_what_they_are();
    regions_are_counted();
    IS(clGetMemObjectInfo(NULL, CL_MEM_SIZE, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    IS(clGetMemObjectInfo((cl_mem)queue, CL_MEM_SIZE, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    finish();
    return 0;
}
