/* 5.2, 5.12, 5.13: what the library does without Python as soon as Python has done the like before, each thing several times: new
   buffers that are not used, small copies, markers, barriers, clFlush and clFinish. And all that may be wrong with them. */
#include "check.h"

#include <unistd.h>

enum { SIZE = 256, AGAIN = 4 };

static volatile int gone;

static void CL_CALLBACK on_destroy(cl_mem memory, void *data)
{
    CHECK(memory == *(cl_mem *)data);
    gone++;
}

static cl_uint references(cl_mem memory)
{
    cl_uint count;
    OK(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static cl_uint type_of(cl_event event)
{
    cl_command_type type;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    return type;
}

static cl_int state_of(cl_event event)
{
    cl_int state;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state;
}

static cl_mem buffer_of(cl_mem_flags flags, size_t size)
{
    cl_int status = 77;
    cl_mem made = clCreateBuffer(context, flags, size, NULL, &status);
    OK(status);
    CHECK(made);
    return made;
}

static void refused(cl_mem_flags flags, size_t size, cl_int why)
{
    cl_int status = 77;
    CHECK(!clCreateBuffer(context, flags, size, NULL, &status) && status == why);
}

static cl_mem copy_of(const void *contents, cl_mem_flags flags, size_t size)
{
    cl_int status = 77;
    cl_mem made = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, size, (void *)(uintptr_t)contents, &status);
    OK(status);
    CHECK(made);
    return made;
}

static void has_contents(cl_command_queue from, cl_mem buffer, const char *contents, size_t size)
{
    char found[SIZE] = { 0 };
    OK(clEnqueueReadBuffer(from, buffer, CL_TRUE, 0, size, found, 0, NULL, NULL));
    CHECK(!memcmp(found, contents, size));
}

/* They are those of the call, whatever becomes of the application's memory, and what uses the buffer first. */
static void first_contents(cl_command_queue other)
{
    static char large[(64 << 10) + 1], all[(64 << 10) + 1];
    cl_int status;
    for (int again = 0; again < AGAIN; again++) {
        char given[SIZE], wanted[SIZE], found[SIZE] = { 0 };
        memset(wanted, 'a' + again, SIZE);
        memcpy(given, wanted, SIZE);
        const cl_mem_flags flags[] = { 0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
                                       CL_MEM_ALLOC_HOST_PTR | CL_MEM_READ_WRITE };
        for (int i = 0; i < 4; i++) {
            cl_mem unused = copy_of(given, flags[i], SIZE), made = copy_of(given, flags[i], SIZE), plain;
            memset(given, 'x', SIZE);
            has_contents(i % 2 ? other : queue, made, wanted, SIZE);
            cl_mem_flags told;
            void *host = given;
            OK(clGetMemObjectInfo(made, CL_MEM_FLAGS, sizeof told, &told, NULL));
            OK(clGetMemObjectInfo(made, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
            CHECK(told == (CL_MEM_COPY_HOST_PTR | flags[i]) && !host && references(made) == 1);
            OK(clReleaseMemObject(made));
            IS(clReleaseMemObject(made), CL_INVALID_MEM_OBJECT);
            /* The memory of the one that has gone may be theirs. */
            memset(given, 'y', SIZE);
            plain = buffer_of(flags[i], SIZE);
            made = copy_of(given, flags[i], SIZE);
            memcpy(given, wanted, SIZE);
            OK(clEnqueueCopyBuffer(queue, made, plain, 0, 0, SIZE, 0, NULL, NULL));
            OK(clFinish(queue));
            memset(found, 'y', SIZE);
            has_contents(queue, plain, found, SIZE);
            has_contents(queue, made, found, SIZE);
            OK(clReleaseMemObject(made));
            OK(clReleaseMemObject(plain));
            OK(clReleaseMemObject(unused));
        }
        cl_mem made = copy_of(given, 0, SIZE);
        OK(clEnqueueFillBuffer(queue, made, "z", 1, 0, 16, 0, NULL, NULL));
        memset(found, 'z', 16);
        memcpy(found + 16, wanted + 16, SIZE - 16);
        has_contents(queue, made, found, SIZE);
        OK(clReleaseMemObject(made));
        made = copy_of(given, 0, SIZE);
        cl_buffer_region part = { 0, 16 };
        cl_mem cut = clCreateSubBuffer(made, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
        OK(status);
        OK(clReleaseMemObject(made));
        has_contents(queue, cut, wanted, 16);
        OK(clReleaseMemObject(cut));
        made = copy_of(given, 0, SIZE);
        char *mapped = clEnqueueMapBuffer(queue, made, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &status);
        OK(status);
        CHECK(!memcmp(mapped, wanted, SIZE));
        OK(clEnqueueUnmapMemObject(queue, made, mapped, 0, NULL, NULL));
        OK(clFinish(queue));
        OK(clReleaseMemObject(made));
        for (size_t size = sizeof all - 1; size <= sizeof all; size++) {
            memset(all, 'l' + again, size);
            memcpy(large, all, size);
            made = copy_of(large, 0, size);
            memset(large, 0, size);
            OK(clEnqueueReadBuffer(queue, made, CL_TRUE, 0, size, large, 0, NULL, NULL));
            CHECK(!memcmp(large, all, size));
            OK(clReleaseMemObject(made));
        }
        const struct { cl_mem_flags flags; size_t size; cl_int why; } wrong[] = {
            { CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR, SIZE, CL_INVALID_VALUE },
            { CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, SIZE, CL_INVALID_VALUE },
            { CL_MEM_COPY_HOST_PTR | (cl_mem_flags)1 << 40, SIZE, CL_INVALID_VALUE },
            { CL_MEM_COPY_HOST_PTR, 0, CL_INVALID_BUFFER_SIZE },
        };
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
            CHECK(!clCreateBuffer(context, wrong[i].flags, wrong[i].size, given, &status) && status == wrong[i].why);
        CHECK(!clCreateBuffer(NULL, CL_MEM_COPY_HOST_PTR, SIZE, given, &status) && status == CL_INVALID_CONTEXT);
    }
}

/* Where the context has another queue, they cannot go to the first one in order. */
static void first_contents_with_two_queues(void)
{
    cl_int status;
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    first_contents(other);
    OK(clReleaseCommandQueue(other));
}

static void new_buffers(void)
{
    cl_ulong most;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    for (int again = 0; again < AGAIN; again++) {
        OK(clReleaseMemObject(buffer_of(0, SIZE)));
        refused(0, 0, CL_INVALID_BUFFER_SIZE);
        refused(0, most + 1, CL_INVALID_BUFFER_SIZE);
        refused(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, SIZE, CL_INVALID_VALUE);
        refused(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, SIZE, CL_INVALID_VALUE);
        refused(1 << 6, SIZE, CL_INVALID_VALUE);
        refused((cl_mem_flags)1 << 40, SIZE, CL_INVALID_VALUE);
        refused(CL_MEM_USE_HOST_PTR, SIZE, CL_INVALID_HOST_PTR);
        refused(CL_MEM_COPY_HOST_PTR, SIZE, CL_INVALID_HOST_PTR);
        cl_int status;
        CHECK(!clCreateBuffer(context, 0, SIZE, &most, &status) && status == CL_INVALID_HOST_PTR);
        CHECK(!clCreateBuffer(NULL, 0, SIZE, NULL, &status) && status == CL_INVALID_CONTEXT);
        CHECK(!clCreateBuffer((cl_context)queue, 0, SIZE, NULL, &status) && status == CL_INVALID_CONTEXT);

        cl_mem made = buffer_of(CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, SIZE);
        CHECK(references(made) == 1);
        OK(clRetainMemObject(made));
        CHECK(references(made) == 2);
        OK(clReleaseMemObject(made));
        size_t size;
        cl_mem_flags flags;
        cl_mem_object_type type;
        cl_context of;
        OK(clGetMemObjectInfo(made, CL_MEM_SIZE, sizeof size, &size, NULL));
        OK(clGetMemObjectInfo(made, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
        OK(clGetMemObjectInfo(made, CL_MEM_TYPE, sizeof type, &type, NULL));
        OK(clGetMemObjectInfo(made, CL_MEM_CONTEXT, sizeof of, &of, NULL));
        CHECK(size == SIZE && flags == (CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY) && type == CL_MEM_OBJECT_BUFFER && of == context);
        OK(clReleaseMemObject(made));
        IS(clReleaseMemObject(made), CL_INVALID_MEM_OBJECT);
        IS(clRetainMemObject(made), CL_INVALID_MEM_OBJECT);

        /* Its callback is its first use, or a part of it. */
        made = buffer_of(0, SIZE);
        int before = gone;
        OK(clSetMemObjectDestructorCallback(made, on_destroy, &made));
        OK(clReleaseMemObject(made));
        for (int i = 0; gone == before && i < 1000; i++) {
            OK(clFinish(queue));
            usleep(1000);
        }
        CHECK(gone == before + 1);
        cl_buffer_region part = { 0, 16 };
        cl_mem whole = buffer_of(0, SIZE), found;
        cl_mem sub = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
        OK(status);
        OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof found, &found, NULL));
        CHECK(found == whole);
        OK(clReleaseMemObject(whole));
        OK(clReleaseMemObject(sub));
    }
}

/* An unused buffer keeps its context, which somebody waits for. */
static void CL_CALLBACK on_context(cl_context of, void *data)
{
    (void)of;
    *(int *)data = 1;
}

static void released_context(void)
{
    int over = 0, number = 5;
    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    OK(status);
    OK(clSetContextDestructorCallback(other, on_context, &over));
    cl_mem first = clCreateBuffer(other, 0, SIZE, NULL, &status), second, third;
    OK(status);
    second = clCreateBuffer(other, 0, SIZE, NULL, &status);
    OK(status);
    third = clCreateBuffer(other, 0, SIZE, NULL, &status);
    OK(status);
    IS(clEnqueueWriteBuffer(queue, second, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL), CL_INVALID_CONTEXT);
    OK(clReleaseContext(other));
    OK(clReleaseMemObject(first));
    OK(clReleaseMemObject(second));
    CHECK(!over);
    OK(clReleaseMemObject(third));
    CHECK(over);
}

static void copies(cl_mem buffer)
{
    int in[16], out[16];
    cl_event event;
    for (int again = 0; again < AGAIN; again++) {
        for (int i = 0; i < 16; i++)
            in[i] = 100 * again + i;
        OK(clEnqueueWriteBuffer(queue, buffer, again % 2, 64, sizeof in, in, 0, NULL, &event));
        memset(in, 0, sizeof in * (again % 2)); /* which a blocking write has read */
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 64, sizeof out, out, 1, &event, NULL));
        for (int i = 0; i < 16; i++)
            CHECK(out[i] == 100 * again + i);
        CHECK(type_of(event) == CL_COMMAND_WRITE_BUFFER && state_of(event) == CL_COMPLETE);
        OK(clReleaseEvent(event));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 68, 4, out, 0, NULL, &event));
        CHECK(state_of(event) == CL_COMPLETE && type_of(event) == CL_COMMAND_READ_BUFFER && out[0] == 100 * again + 1);
        OK(clReleaseEvent(event));
        IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, SIZE - 4, 8, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, (size_t)-4, 8, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, (size_t)-4, out, 0, NULL, NULL), CL_INVALID_VALUE);
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 0, out, 0, NULL, NULL));
        IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, out, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        IS(clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, 8, out, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        IS(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 8, out, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        IS(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, SIZE, 1, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    }
}

/* Patterns of every width, of which some repeat less; and nothing is written beyond. */
static void fills(cl_mem buffer)
{
    unsigned char pattern[128], found[SIZE], expected[SIZE];
    cl_event event;
    for (int again = 0; again < AGAIN; again++)
        for (size_t width = 1; width <= sizeof pattern; width *= 2) {
            size_t offset = again % 2 ? width : 0, size = again < 2 ? width : SIZE - offset;
            for (size_t i = 0; i < width; i++)
                pattern[i] = (unsigned char)(again + (again % 3 ? i : i % 4) + width);
            memset(expected, 0xEE, sizeof expected);
            OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof expected, expected, 0, NULL, NULL));
            for (size_t i = 0; i < size; i++)
                expected[offset + i] = pattern[i % width];
            OK(clEnqueueFillBuffer(queue, buffer, pattern, width, offset, size, 0, NULL, &event));
            memset(pattern, 0, width); /* "may be reused": it is the caller's again. */
            OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 1, &event, NULL));
            CHECK(!memcmp(found, expected, sizeof found));
            CHECK(type_of(event) == CL_COMMAND_FILL_BUFFER && state_of(event) == CL_COMPLETE);
            OK(clReleaseEvent(event));
        }
    const struct {
        size_t width, offset, size;
    } wrong[] = { { 0, 0, 4 }, { 3, 0, 3 }, { 256, 0, 256 }, { 4, 2, 4 }, { 4, 0, 6 }, { 4, SIZE, 4 }, { 4, 4, SIZE },
                  { 4, (size_t)-4, 8 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        IS(clEnqueueFillBuffer(queue, buffer, pattern, wrong[i].width, wrong[i].offset, wrong[i].size, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueFillBuffer(queue, buffer, NULL, 4, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    IS(clEnqueueFillBuffer(NULL, buffer, pattern, 4, 0, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    IS(clEnqueueFillBuffer(queue, NULL, pattern, 4, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
}

/* An image of 16 by 16 bytes, and one of the same size, of which parts go there and back. */
static void rectangles(cl_mem buffer)
{
    unsigned char in[SIZE], out[SIZE], expected[SIZE];
    cl_mem other = buffer_of(0, SIZE);
    cl_event events[3];
    for (int again = 0; again < AGAIN; again++) {
        size_t here[3] = { 3, 2, 0 }, there[3] = { 5, 1, 0 }, region[3] = { 4 + again, 3, 1 }, start_[3] = { 0 };
        size_t pitch = again % 2 ? 16 : 0, tight = again % 2 ? 16 : region[0];
        for (int i = 0; i < SIZE; i++)
            in[i] = (unsigned char)(i + 7 * again);
        memset(expected, 0, sizeof expected);
        OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE, expected, 0, NULL, NULL));
        OK(clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, SIZE, expected, 0, NULL, NULL));
        OK(clEnqueueWriteBufferRect(queue, buffer, again % 2, here, start_, region, 16, 0, pitch, 0, in, 0, NULL, &events[0]));
        OK(clEnqueueCopyBufferRect(queue, buffer, other, here, there, region, 16, 0, 16, 0, 1, events, &events[1]));
        memset(out, 0xEE, sizeof out);
        OK(clEnqueueReadBufferRect(queue, other, CL_TRUE, there, start_, region, 16, 256, 16, 0, out, 2, events, &events[2]));
        for (size_t y = 0; y < 3; y++)
            for (size_t x = 0; x < 16; x++)
                CHECK(out[16 * y + x] == (x < region[0] ? in[tight * y + x] : 0xEE));
        const cl_uint types[] = { CL_COMMAND_WRITE_BUFFER_RECT, CL_COMMAND_COPY_BUFFER_RECT, CL_COMMAND_READ_BUFFER_RECT };
        for (int i = 0; i < 3; i++) {
            CHECK(type_of(events[i]) == types[i] && state_of(events[i]) == CL_COMPLETE);
            OK(clReleaseEvent(events[i]));
        }
        OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, SIZE, out, 0, NULL, NULL));
        for (size_t y = 0; y < 3; y++)
            memcpy(expected + 16 * (1 + y) + 5, in + tight * y, region[0]);
        CHECK(!memcmp(out, expected, SIZE));

        size_t outside[3] = { 13, 14, 0 }, empty[3] = { 4, 0, 1 }, far[3] = { (size_t)-1, 0, 0 };
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, outside, start_, region, 16, 0, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, far, start_, region, 16, 0, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, start_, start_, empty, 16, 0, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, start_, start_, region, 3, 0, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, start_, start_, region, 16, 40, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, start_, start_, region, 16, 0, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, start_, NULL, region, 16, 0, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBufferRect(queue, other, CL_TRUE, start_, start_, NULL, 16, 0, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueWriteBufferRect(queue, NULL, CL_TRUE, start_, start_, region, 16, 0, 0, 0, in, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        IS(clEnqueueWriteBufferRect(NULL, other, CL_TRUE, start_, start_, region, 16, 0, 0, 0, in, 0, NULL, NULL),
            CL_INVALID_COMMAND_QUEUE);
        IS(clEnqueueWriteBufferRect(queue, other, CL_TRUE, start_, start_, region, 16, 0, 0, 0, in, 1, NULL, NULL),
            CL_INVALID_EVENT_WAIT_LIST);
        IS(clEnqueueCopyBufferRect(queue, buffer, other, start_, outside, region, 16, 0, 16, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueCopyBufferRect(queue, buffer, buffer, start_, there, region, 16, 0, 32, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        size_t wide[3] = { 8, 3, 1 };
        IS(clEnqueueCopyBufferRect(queue, buffer, buffer, start_, there, wide, 16, 0, 16, 0, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    }
    OK(clReleaseMemObject(other));
}

static void host_access(void)
{
    char data[16] = { 1 };
    cl_mem written = buffer_of(CL_MEM_HOST_WRITE_ONLY, 16), read = buffer_of(CL_MEM_HOST_READ_ONLY, 16);
    cl_mem neither = buffer_of(CL_MEM_HOST_NO_ACCESS, 16);
    for (int again = 0; again < AGAIN; again++) {
        OK(clEnqueueWriteBuffer(queue, written, CL_TRUE, 0, 16, data, 0, NULL, NULL));
        IS(clEnqueueReadBuffer(queue, written, CL_TRUE, 0, 16, data, 0, NULL, NULL), CL_INVALID_OPERATION);
        OK(clEnqueueReadBuffer(queue, read, CL_TRUE, 0, 16, data, 0, NULL, NULL));
        IS(clEnqueueWriteBuffer(queue, read, CL_TRUE, 0, 16, data, 0, NULL, NULL), CL_INVALID_OPERATION);
        IS(clEnqueueReadBuffer(queue, neither, CL_TRUE, 0, 16, data, 0, NULL, NULL), CL_INVALID_OPERATION);
        IS(clEnqueueWriteBuffer(queue, neither, CL_TRUE, 0, 16, data, 0, NULL, NULL), CL_INVALID_OPERATION);
    }
    OK(clReleaseMemObject(written));
    OK(clReleaseMemObject(read));
    OK(clReleaseMemObject(neither));
}

/* Sub-buffers, mapped regions and the application's own memory see what copies bring, and copies what is there. */
static void other_views(void)
{
    cl_int status, own[64], got = 0;
    cl_uint align;
    for (int i = 0; i < 64; i++)
        own[i] = i;
    OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL));
    cl_buffer_region part = { align / 8, 16 };
    cl_mem whole = buffer_of(0, 4096), over = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof own, own, &status);
    OK(status);
    cl_mem sub = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
    OK(status);
    for (int again = 0; again < AGAIN; again++) {
        int number = 1000 + again;
        OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 4, sizeof number, &number, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, whole, CL_TRUE, part.origin + 4, sizeof got, &got, 0, NULL, NULL));
        CHECK(got == number);
        IS(clEnqueueReadBuffer(queue, sub, CL_TRUE, 16, sizeof got, &got, 0, NULL, NULL), CL_INVALID_VALUE);
        OK(clEnqueueReadBuffer(queue, over, CL_TRUE, 20, sizeof got, &got, 0, NULL, NULL));
        CHECK(got == 5 + 100 * again);
        int *mapped = clEnqueueMapBuffer(queue, over, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof own, 0, NULL, NULL, &status);
        OK(status);
        CHECK(mapped == own && mapped[5] == 5 + 100 * again);
        mapped[5] += 50;
        OK(clEnqueueUnmapMemObject(queue, over, mapped, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, over, CL_TRUE, 20, sizeof got, &got, 0, NULL, NULL));
        CHECK(got == 55 + 100 * again);
        got += 50;
        OK(clEnqueueWriteBuffer(queue, over, CL_FALSE, 20, sizeof got, &got, 0, NULL, NULL));
    }
    /* A released buffer that its part keeps. */
    OK(clReleaseMemObject(whole));
    IS(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    OK(clEnqueueReadBuffer(queue, sub, CL_TRUE, 4, sizeof got, &got, 0, NULL, NULL));
    CHECK(got == 1000 + AGAIN - 1);
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(over));
}

static void order(cl_mem buffer)
{
    cl_int status;
    cl_event all[2], user = clCreateUserEvent(context, &status), after;
    OK(status);
    int number = 1, got;
    for (int again = 0; again < AGAIN; again++) {
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &all[0]));
        OK(clEnqueueBarrierWithWaitList(queue, 1, all, &all[1]));
        OK(clEnqueueMarkerWithWaitList(queue, 2, all, NULL));
        OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
        OK(clFlush(queue));
        CHECK(type_of(all[0]) == CL_COMMAND_MARKER && type_of(all[1]) == CL_COMMAND_BARRIER);
        IS(clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        IS(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        IS(clEnqueueBarrierWithWaitList(queue, 0, all, NULL), CL_INVALID_EVENT_WAIT_LIST);
        OK(clFinish(queue));
        OK(clFinish(queue));
        CHECK(state_of(all[0]) == CL_COMPLETE && state_of(all[1]) == CL_COMPLETE);
        OK(clWaitForEvents(2, all));
        OK(clReleaseEvent(all[0]));
        OK(clReleaseEvent(all[1]));
    }
    /* What comes behind a user event comes behind it, whoever would be quicker. */
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL));
    number = 2;
    OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof number, &number, 1, &user, NULL));
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &after));
    CHECK(state_of(after) > CL_COMPLETE);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    CHECK(got == 2);
    OK(clFinish(queue));
    CHECK(state_of(after) == CL_COMPLETE);
    OK(clReleaseEvent(after));
    OK(clReleaseEvent(user));
}

int main(void)
{
    start();
    new_buffers();
    first_contents(queue);
    released_context();
    cl_mem buffer = buffer_of(0, SIZE);
    copies(buffer);
    fills(buffer);
    rectangles(buffer);
    host_access();
    other_views();
    order(buffer);
    copies(buffer);
    OK(clReleaseMemObject(buffer));
    first_contents_with_two_queues();
    cl_mem never_used = buffer_of(0, SIZE);
    finish();
    OK(clReleaseMemObject(never_used));
    IS(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
    IS(clFlush(queue), CL_INVALID_COMMAND_QUEUE);
    return 0;
}
