/* 5.2.2, 5.3.3: contents that a read brings to the host's memory, and that a write takes from there, while neither is waited for: in one
   queue, in another one by the read's event, and out of order. A kernel that takes long comes before the read. */
#include "memory_objects.h"

enum { MOST = 64 << 10, NUMBERS = MOST / 4, WAYS = 3, ITEMS = 64 };

static cl_command_queue other, unordered;
static cl_mem source, target, image;
static cl_kernel late;

enum place { IN_ONE, IN_TWO, OUT_OF_ORDER, PLACES };

/* Gives the kernel that sets the source's numbers. */
static cl_event set_numbers(cl_command_queue of, cl_int number)
{
    const size_t items = ITEMS;
    cl_event event;
    OK(clSetKernelArg(late, 1, sizeof number, &number));
    OK(clEnqueueNDRangeKernel(of, late, 1, NULL, &items, NULL, 0, NULL, &event));
    return event;
}

/* The write of so many bytes, by a buffer's contents, by a rectangle of them, or by an image's. */
static void write_by(int way, cl_command_queue to, cl_bool blocking, const cl_int *host, size_t size, cl_event behind)
{
    const size_t origin[3] = { 0 }, rows[3] = { size / 4, 4, 1 }, pixels[3] = { size / 16, 1, 1 };
    const cl_uint waits = behind != NULL;
    const cl_event *list = waits ? &behind : NULL;
    if (way == 0)
        OK(clEnqueueWriteBuffer(to, target, blocking, 0, size, host, waits, list, NULL));
    else if (way == 1)
        OK(clEnqueueWriteBufferRect(to, target, blocking, origin, origin, rows, 0, 0, 0, 0, host, waits, list, NULL));
    else
        OK(clEnqueueWriteImage(to, image, blocking, origin, pixels, 0, 0, host, waits, list, NULL));
}

static void check_written(int way, size_t size, cl_int wanted)
{
    static cl_int found[NUMBERS];
    const size_t origin[3] = { 0 }, pixels[3] = { size / 16, 1, 1 };
    memset(found, 0, sizeof found);
    if (way < 2)
        OK(clEnqueueReadBuffer(queue, target, CL_TRUE, 0, size, found, 0, NULL, NULL));
    else
        OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, pixels, 0, 0, found, 0, NULL, NULL));
    for (size_t i = 0; i < size / 4; i++)
        CHECK(found[i] == wanted);
}

static void pass(cl_int *host, size_t size, int way, enum place place, cl_bool blocking)
{
    static cl_int number;
    cl_command_queue from = place == OUT_OF_ORDER ? unordered : queue, to = place == IN_TWO ? other : from;
    cl_event set, read;
    memset(host, -1, size);
    set = set_numbers(from, ++number);
    OK(clEnqueueReadBuffer(from, source, CL_FALSE, 0, size, host, place == OUT_OF_ORDER, place == OUT_OF_ORDER ? &set : NULL, &read));
    OK(clFlush(from));
    write_by(way, to, blocking, host, size, place == IN_ONE ? NULL : read);
    OK(clFinish(to));
    OK(clFinish(from));
    check_written(way, size, number);
    for (size_t i = 0; i < size / 4; i++)
        CHECK(host[i] == number);
    OK(clReleaseEvent(set));
    OK(clReleaseEvent(read));
}

static void pass_all(cl_int *host)
{
    const size_t sizes[] = { 64, 4096, 16 << 10, MOST };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < WAYS; way++)
            for (enum place place = IN_ONE; place < PLACES; place++)
                for (cl_bool blocking = CL_FALSE; blocking <= CL_TRUE; blocking++)
                    pass(host, sizes[i], way, place, blocking);
}

int main(void)
{
    cl_int status;
    start();
    late = kernel_of("kernel void late(global int *x, int number, int count) {"
                     "    float sum = get_global_id(0);"
                     "    for (int i = 0; i < 20000; i++) sum = sum * 0.5f + 1.0f;"
                     "    for (int i = get_global_id(0); i < count; i += get_global_size(0)) x[i] = number + (sum < 0.0f);"
                     "}", "late");
    const cl_image_format format = { CL_RGBA, CL_SIGNED_INT32 };
    const cl_image_desc shape = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = MOST / 16, .image_height = 1 };
    const cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
    other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    unordered = clCreateCommandQueueWithProperties(context, device, properties, &status);
    OK(status);
    source = clCreateBuffer(context, 0, MOST, NULL, &status);
    OK(status);
    target = clCreateBuffer(context, 0, MOST, NULL, &status);
    OK(status);
    image = clCreateImage(context, 0, &format, &shape, NULL, &status);
    OK(status);
    const cl_int count = NUMBERS;
    OK(clSetKernelArg(late, 0, sizeof source, &source));
    OK(clSetKernelArg(late, 2, sizeof count, &count));

    cl_int *pageable = malloc(MOST);
    CHECK(pageable);
    pass_all(pageable);
    free(pageable);

    cl_mem locked = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, MOST, NULL, &status);
    OK(status);
    cl_int *host = clEnqueueMapBuffer(queue, locked, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, MOST, 0, NULL, NULL, &status);
    OK(status);
    pass_all(host);
    OK(clEnqueueUnmapMemObject(queue, locked, host, 0, NULL, NULL));
    finish();
    OK(clReleaseMemObject(locked));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(target));
    OK(clReleaseMemObject(source));
    OK(clReleaseKernel(late));
    OK(clReleaseCommandQueue(unordered));
    OK(clReleaseCommandQueue(other));
    return 0;
}
