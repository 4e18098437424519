/* 5.2, 5.4, 5.5: buffers, pipes, memory objects. */
#include "check.h"

static cl_mem gone;

static void CL_CALLBACK on_destroy(cl_mem memory, void *data)
{
    gone = memory;
    *(int *)data += 1;
}

static void commands(cl_mem a, cl_mem b)
{
    int in[16], out[16] = { 0 }, zero = 0;
    cl_event event;
    for (int i = 0; i < 16; i++)
        in[i] = i;
    OK(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, sizeof in, 0, NULL, &event));
    OK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof out, out, 1, &event, NULL));
    OK(clFinish(queue));
    CHECK(!memcmp(in, out, sizeof in));
    IS(clEnqueueReadBuffer(queue, b, CL_TRUE, 60, 8, out, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 8, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueReadBuffer(queue, (cl_mem)queue, CL_TRUE, 0, 8, out, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    IS(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 8, out, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    IS(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 8, out, 0, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_event none = NULL;
    IS(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 8, out, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    IS(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, 8, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueCopyBuffer(queue, a, a, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    OK(clReleaseEvent(event));

    OK(clEnqueueFillBuffer(queue, b, &zero, sizeof zero, 0, sizeof out, 0, NULL, NULL));
    IS(clEnqueueFillBuffer(queue, b, NULL, 4, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueFillBuffer(queue, b, &zero, 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);

    /* The middle 2 x 2 of a 4 x 4 matrix. */
    size_t origin[] = { 4, 1, 0 }, start_[] = { 0, 0, 0 }, region[] = { 8, 2, 1 };
    OK(clEnqueueReadBufferRect(queue, a, CL_TRUE, origin, start_, region, 16, 0, 0, 0, out, 0, NULL, NULL));
    CHECK(out[0] == 5 && out[1] == 6 && out[2] == 9 && out[3] == 10);
    OK(clEnqueueWriteBufferRect(queue, b, CL_TRUE, origin, start_, region, 16, 0, 0, 0, out, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(queue, b, a, origin, start_, region, 16, 0, 16, 0, 0, NULL, NULL));
    IS(clEnqueueReadBufferRect(queue, a, CL_TRUE, NULL, start_, region, 16, 0, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueCopyBufferRect(queue, b, a, origin, start_, region, 4, 0, 16, 0, 0, NULL, NULL), CL_INVALID_VALUE);

    cl_int status;
    int *mapped = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 16, 0, NULL, &event, &status);
    OK(status);
    CHECK(mapped[0] == 5 && mapped[1] == 6);
    cl_uint count;
    OK(clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK(count == 1);
    mapped[0] = 77;
    OK(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, NULL));
    OK(clReleaseEvent(event));
    mapped = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, NULL);
    CHECK(mapped && mapped[0] == 77);
    OK(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    CHECK(out[0] == 77);
    IS(clEnqueueUnmapMemObject(queue, a, out, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(!clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 60, 8, 0, NULL, NULL, &status) && status == CL_INVALID_VALUE);
    cl_mem both[] = { a, b };
    OK(clEnqueueMigrateMemObjects(queue, 2, both, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    IS(clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueMigrateMemObjects(queue, 1, both, 0x80, 0, NULL, NULL), CL_INVALID_VALUE);
}

/* "Copy operations with zero sizes" (3.2) are right, also where both ends are one place. Maps are of one byte at least. Each is done as
   often as the library needs to make such commands itself. */
static void of_no_bytes(cl_mem a, cl_mem b)
{
    char host[8] = "abcdefg";
    cl_int status;
    for (int again = 0; again < 4; again++) {
        cl_event user = clCreateUserEvent(context, &status), events[4];
        OK(status);
        OK(clEnqueueReadBuffer(queue, a, CL_FALSE, 64, 0, host, 1, &user, &events[0]));
        OK(clEnqueueWriteBuffer(queue, a, CL_FALSE, 64, 0, host, 0, NULL, &events[1]));
        OK(clEnqueueCopyBuffer(queue, a, b, 64, 64, 0, 0, NULL, &events[2]));
        OK(clEnqueueFillBuffer(queue, a, host, 4, 64, 0, 0, NULL, &events[3]));
        for (int i = 0; i < 4; i++) {
            OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
            CHECK(status > CL_COMPLETE);
        }
        OK(clSetUserEventStatus(user, CL_COMPLETE));
        OK(clWaitForEvents(4, events));
        for (int i = 0; i < 4; i++)
            OK(clReleaseEvent(events[i]));
        OK(clReleaseEvent(user));
        OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 0, host, 0, NULL, NULL));
        OK(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, 0, host, 0, NULL, NULL));
        OK(clEnqueueCopyBuffer(queue, a, a, 8, 8, 0, 0, NULL, NULL));
        CHECK(!strcmp(host, "abcdefg"));
        IS(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueReadBuffer(queue, a, CL_TRUE, 65, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueWriteBuffer(queue, a, CL_TRUE, 65, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(clEnqueueCopyBuffer(queue, a, b, 0, 65, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK(!clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &status) && status == CL_INVALID_VALUE);
    }
}

static void sub_buffers(cl_mem a)
{
    cl_int status;
    cl_uint align;
    OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL));
    cl_buffer_region part = { 0, 16 }, beyond = { 0, 1 << 20 };
    cl_mem sub = clCreateSubBuffer(a, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &part, &status), parent;
    OK(status);
    OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    CHECK(parent == a);
    CHECK(!clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status) && status == CL_INVALID_MEM_OBJECT);
    CHECK(!clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateSubBuffer(a, 0, 0x1234, &part, &status) && status == CL_INVALID_VALUE);
    OK(clReleaseMemObject(sub));
}

/* cl_ext_immutable_memory_objects, whose headers not every machine has. */
static void immutable(void)
{
    const cl_mem_flags immutable = (cl_mem_flags)1 << 6;
    int in[16] = { 7, 8, 9 }, out[16], zero = 0;
    cl_int status;
    CHECK(!clCreateBuffer(context, immutable, 64, NULL, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateBuffer(context, immutable | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE, 64, in, &status) && status == CL_INVALID_VALUE);
    cl_mem kept = clCreateBuffer(context, immutable | CL_MEM_COPY_HOST_PTR, 64, in, &status);
    OK(status);
    cl_mem other = clCreateBuffer(context, 0, 64, NULL, &status);
    for (int i = 0; i < 4; i++) { /* The third copy of a buffer is the library's own. */
        OK(clEnqueueReadBuffer(queue, kept, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        IS(clEnqueueWriteBuffer(queue, kept, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL), CL_INVALID_OPERATION);
        IS(clEnqueueFillBuffer(queue, kept, &zero, 4, 0, 64, 0, NULL, NULL), CL_INVALID_OPERATION);
        IS(clEnqueueCopyBuffer(queue, other, kept, 0, 0, 64, 0, NULL, NULL), CL_INVALID_OPERATION);
    }
    CHECK(!memcmp(in, out, sizeof in));
    OK(clEnqueueCopyBuffer(queue, kept, other, 0, 0, 64, 0, NULL, NULL));
    CHECK(!clEnqueueMapBuffer(queue, kept, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &status) && status == CL_INVALID_OPERATION);

    const char *source = "kernel void copy(global int *to, global const int *from) { to[get_global_id(0)] = from[get_global_id(0)]; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "copy", &status);
    OK(status);
    const cl_mem_properties nothing[] = { 0 };
    cl_buffer_region whole = { 0, 64 };
    cl_mem by_properties = clCreateBufferWithProperties(context, nothing, immutable | CL_MEM_COPY_HOST_PTR, 64, in, &status);
    OK(status);
    cl_mem part = clCreateSubBuffer(kept, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, &status);
    OK(status);
    cl_mem same_part = clCreateSubBuffer(by_properties, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &whole, &status);
    OK(status);
    cl_mem all[] = { kept, by_properties, part, same_part };
    size_t global = 16;
    for (int i = 0; i < 12; i++) { /* From the second time on arguments are known, and from the fifth on buffers. */
        cl_mem *from = &all[i % 4], plain = clCreateBuffer(context, 0, 64, NULL, &status);
        OK(clSetKernelArg(kernel, 0, sizeof other, &other));
        OK(clSetKernelArg(kernel, 1, sizeof *from, from));
        IS(clSetKernelArg(kernel, 0, sizeof *from, from), CL_INVALID_ARG_VALUE);
        OK(clEnqueueFillBuffer(queue, other, &zero, 4, 0, 64, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        CHECK(!memcmp(in, out, sizeof in));
        OK(clSetKernelArg(kernel, 1, sizeof plain, &plain)); /* What may be written is given to both. */
        OK(clSetKernelArg(kernel, 0, sizeof plain, &plain));
        OK(clReleaseMemObject(plain));
    }
    for (int i = 3; i > 0; i--)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(other));
    OK(clReleaseMemObject(kept));
}

int main(void)
{
    cl_int status;
    start();
    immutable();
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &status);
    OK(status);
    cl_mem_properties nothing[] = { 0 }, back[1] = { 7 };
    cl_mem b = clCreateBufferWithProperties(context, nothing, 0, 64, NULL, &status);
    OK(status);
    size_t size;
    OK(clGetMemObjectInfo(b, CL_MEM_PROPERTIES, sizeof back, back, &size));
    CHECK(size == sizeof back && back[0] == 0);
    OK(clGetMemObjectInfo(a, CL_MEM_PROPERTIES, sizeof back, back, &size));
    CHECK(size == 0);
    cl_mem_properties unknown[] = { 0x1234, 1, 0 };
    CHECK(!clCreateBufferWithProperties(context, unknown, 0, 64, NULL, &status) && status == CL_INVALID_PROPERTY);
    CHECK(!clCreateBuffer(context, 0, 0, NULL, &status) && status == CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 8, NULL, &status) && status == CL_INVALID_HOST_PTR);
    CHECK(!clCreateBuffer(context, 0, 8, &size, &status) && status == CL_INVALID_HOST_PTR);
    CHECK(!clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8, NULL, &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateBuffer((cl_context)queue, 0, 8, NULL, &status) && status == CL_INVALID_CONTEXT);
    int data[4] = { 1, 2, 3, 4 }, got[4];
    cl_mem over = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof data, data, &status);
    OK(status);
    void *host;
    OK(clGetMemObjectInfo(over, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
    CHECK(host == data);
    OK(clEnqueueReadBuffer(queue, over, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(!memcmp(data, got, sizeof got));
    OK(clReleaseMemObject(over));
    commands(a, b);
    of_no_bytes(a, b);
    sub_buffers(a);

    int count = 0;
    IS(clSetMemObjectDestructorCallback(b, NULL, NULL), CL_INVALID_VALUE);
    OK(clSetMemObjectDestructorCallback(b, on_destroy, &count));
    OK(clRetainMemObject(b));
    OK(clFinish(queue));
    OK(clReleaseMemObject(b));
    CHECK(count == 0);
    OK(clReleaseMemObject(b));
    CHECK(count == 1 && gone == b);
    IS(clReleaseMemObject(b), CL_INVALID_MEM_OBJECT);
    IS(clGetMemObjectInfo(b, CL_MEM_SIZE, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);
    IS(clGetMemObjectInfo(a, 0x1234, sizeof size, &size, NULL), CL_INVALID_VALUE);

    cl_mem pipe = clCreatePipe(context, 0, 4, 16, NULL, &status);
    OK(status);
    cl_uint packets;
    OK(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof packets, &packets, NULL));
    CHECK(packets == 16);
    IS(clGetPipeInfo(a, CL_PIPE_MAX_PACKETS, sizeof packets, &packets, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(!clCreatePipe(context, 0, 0, 16, NULL, &status) && status == CL_INVALID_PIPE_SIZE);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(a));
    finish();
    return 0;
}
