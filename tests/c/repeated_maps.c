/* 5.2.4, 5.3.7, 5.5.3, 5.6: maps and unmaps of buffers, images and shared virtual memory, each several times, which the library makes
   without Python as soon as Python has made one of the same memory object: contents, events, counts, and what may be wrong with them. */
#include "memory_objects.h"

enum { SIZE = 4096, SIDE = 16, AGAIN = 5 };

static cl_uint maps_of(cl_mem memory)
{
    cl_uint count = 77;
    OK(clGetMemObjectInfo(memory, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

static void check_event(cl_event event, cl_command_type wanted)
{
    cl_command_type type;
    cl_int state;
    OK(clWaitForEvents(1, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(type == wanted && state == CL_COMPLETE);
    OK(clReleaseEvent(event));
}

static unsigned char *mapped(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size, cl_event *event)
{
    cl_int status = 77;
    unsigned char *found = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, size, 0, NULL, event, &status);
    OK(status);
    CHECK(found);
    return found;
}

static void refused(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size, cl_int why)
{
    cl_int status = 77;
    CHECK(!clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, size, 0, NULL, NULL, &status) && status == why);
}

static void maps_of_buffers(void)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, 0, SIZE, NULL, &status);
    OK(status);
    for (int again = 0; again < AGAIN; again++) {
        cl_event event;
        unsigned char *all = mapped(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE, &event);
        check_event(event, CL_COMMAND_MAP_BUFFER);
        memset(all, again, SIZE);
        OK(clEnqueueUnmapMemObject(queue, buffer, all, 0, NULL, &event));
        check_event(event, CL_COMMAND_UNMAP_MEM_OBJECT);
        unsigned char *part = mapped(buffer, CL_MAP_READ | CL_MAP_WRITE, 64, 128, NULL);
        CHECK(part[0] == again && part[127] == again);
        part[5] = 99;
        if (again & 1)
            CHECK(maps_of(buffer) == 1);
        refused(buffer, CL_MAP_WRITE, 100, 8, CL_INVALID_OPERATION);
        IS(clEnqueueUnmapMemObject(queue, buffer, part + 1, 0, NULL, NULL), CL_INVALID_VALUE);
        OK(clEnqueueUnmapMemObject(queue, buffer, part, 0, NULL, NULL));
        IS(clEnqueueUnmapMemObject(queue, buffer, part, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK(maps_of(buffer) == 0 && got(queue, buffer, 68) == ((99 << 8) | again * 0x01010001));
        part = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 32, 64, 0, NULL, &event, &status);
        OK(status);
        check_event(event, CL_COMMAND_MAP_BUFFER);
        CHECK(part[0] == again && part[37] == 99);
        part[37] = 98;
        OK(clEnqueueUnmapMemObject(queue, buffer, part, 0, NULL, NULL));
        part = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 64, 64, 0, NULL, NULL, &status);
        OK(status);
        OK(clFinish(queue));
        CHECK(part[0] == again && part[5] == 98);
        OK(clEnqueueUnmapMemObject(queue, buffer, part, 0, NULL, NULL));
        refused(buffer, CL_MAP_READ, SIZE - 4, 8, CL_INVALID_VALUE);
        refused(buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 8, CL_INVALID_VALUE);
        OK(clFinish(queue));
    }
    /* One that is mapped when it goes, and another one like it. */
    mapped(buffer, CL_MAP_READ, 0, 16, NULL);
    OK(clReleaseMemObject(buffer));
    buffer = clCreateBuffer(context, 0, SIZE, NULL, &status);
    OK(status);
    CHECK(maps_of(buffer) == 0);
    OK(clReleaseMemObject(buffer));
}

static void maps_of_images(void)
{
    const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
    const cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE };
    const size_t origin[3] = { 3, 2, 0 }, region[3] = { 4, 5, 1 }, start[3] = { 0 }, square[3] = { SIDE, SIDE, 1 };
    cl_int status;
    cl_mem image = clCreateImage(context, 0, &format, &description, NULL, &status);
    OK(status);
    for (cl_uint again = 0; again < AGAIN; again++) {
        const cl_uint color[4] = { again, 1, 2, 3 };
        size_t row = 0;
        cl_event event;
        OK(clEnqueueFillImage(queue, image, color, start, square, 0, NULL, NULL));
        unsigned char *part = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, NULL, 0, NULL,
            &event,
                                                &status);
        OK(status);
        CHECK(row >= SIDE * 4 && part[4 * row] == again && part[13] == 1);
        part[2 * row + 4] = 200;
        check_event(event, CL_COMMAND_MAP_IMAGE);
        OK(clEnqueueUnmapMemObject(queue, image, part, 0, NULL, &event));
        check_event(event, CL_COMMAND_UNMAP_MEM_OBJECT);
        unsigned char pixel[4];
        const size_t at[3] = { 4, 4, 0 }, one[3] = { 1, 1, 1 };
        OK(clEnqueueReadImage(queue, image, CL_TRUE, at, one, 0, 0, pixel, 0, NULL, NULL));
        CHECK(pixel[0] == 200 && pixel[1] == 1 && maps_of(image) == 0);
        part = clEnqueueMapImage(queue, image, CL_FALSE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL, &event, &status);
        OK(status);
        check_event(event, CL_COMMAND_MAP_IMAGE);
        CHECK(part[2 * row + 4] == 200 && part[4 * row] == again);
        OK(clEnqueueUnmapMemObject(queue, image, part, 0, NULL, NULL));
        CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, square, &row, NULL, 0, NULL, NULL, &status)
              && status == CL_INVALID_VALUE);
        CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, NULL, NULL, 0, NULL, NULL, &status)
              && status == CL_INVALID_VALUE);
    }
    OK(clReleaseMemObject(image));
}

static void maps_of_shared_memory(void)
{
    for (int again = 0; again < AGAIN; again++) {
        unsigned char *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0), host[64];
        CHECK(shared);
        for (int turn = 0; turn < AGAIN; turn++) {
            const cl_int pattern = turn * 0x01010101;
            cl_event event;
            OK(clEnqueueSVMMemFill(queue, shared, &pattern, sizeof pattern, SIZE, 0, NULL, NULL));
            OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, shared + 64, 64, 0, NULL, &event));
            check_event(event, CL_COMMAND_SVM_MAP);
            CHECK(shared[64] == turn && shared[127] == turn);
            shared[70] = 77;
            OK(clEnqueueSVMUnmap(queue, shared + 64, 0, NULL, &event));
            check_event(event, CL_COMMAND_SVM_UNMAP);
            IS(clEnqueueSVMUnmap(queue, shared + 64, 0, NULL, NULL), CL_INVALID_VALUE);
            OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, shared + 64, sizeof host, 0, NULL, &event));
            check_event(event, CL_COMMAND_SVM_MEMCPY);
            CHECK(host[0] == turn && host[6] == 77);
            host[1] = 55;
            OK(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, host, sizeof host, 0, NULL, NULL));
            OK(clEnqueueSVMMemcpy(queue, CL_FALSE, shared + 256, shared, 64, 0, NULL, NULL));
            OK(clFinish(queue));
            CHECK(shared[257] == 55);
            IS(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, shared + 8, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
        }
        clSVMFree(context, shared);
    }
}

int main(void)
{
    start();
    maps_of_buffers();
    maps_of_images();
    maps_of_shared_memory();
    finish();
    return 0;
}
