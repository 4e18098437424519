/* 5.5.1: "The registered callback functions are called in the reverse order in which they were registered", once no command uses the memory
   object and what was made from it is released, whoever knows of the object by then. */
#include "memory_objects.h"

#include <pthread.h>

enum { SIZE = 4096, MOST_CALLS = 16, ROUNDS = 12 };

static struct call {
    cl_mem memory;
    int number;
} calls[MOST_CALLS];
static int count;

static void CL_CALLBACK note(cl_mem memory, void *data)
{
    calls[count] = (struct call){ memory, (int)(size_t)data };
    __atomic_add_fetch(&count, 1, __ATOMIC_RELEASE);
}

static void ask(cl_mem memory, int number)
{
    OK(clSetMemObjectDestructorCallback(memory, note, (void *)(size_t)number));
}

/* "number" and the ones below it, in this order. */
static void were_called(cl_mem memory, int from, int number)
{
    for (int i = 0; i < number; i++)
        CHECK(calls[from + i].memory == memory && calls[from + i].number == number - i);
}

static void use(cl_mem memory, int is_image)
{
    const size_t origin[3] = { 0 }, all[3] = { 4, 4, 1 };
    static char pixels[64];
    if (is_image)
        OK(clEnqueueReadImage(queue, memory, CL_TRUE, origin, all, 0, 0, pixels, 0, NULL, NULL));
    else
        put(queue, memory, 0, 5, CL_TRUE);
}

static cl_mem made(int kind, int *is_image)
{
    const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
    const cl_image_desc plane = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    static char host[SIZE];
    cl_int status;
    *is_image = kind == 2;
    cl_mem memory = kind == 2 ? clCreateImage(context, 0, &format, &plane, NULL, &status)
        : clCreateBuffer(context, kind ? CL_MEM_USE_HOST_PTR : 0, SIZE, kind ? host : NULL, &status);
    OK(status);
    return memory;
}

/* Set before the first use or after it, or both. */
static void the_last_comes_first(int kinds)
{
    for (int round = 0; round < ROUNDS; round++) {
        int is_image;
        cl_mem memory = made(round % kinds, &is_image);
        count = 0;
        if (round & 1)
            use(memory, is_image);
        ask(memory, 1);
        ask(memory, 2);
        if (round & 2)
            use(memory, is_image);
        OK(clRetainMemObject(memory));
        ask(memory, 3);
        OK(clReleaseMemObject(memory));
        OK(clFinish(queue));
        CHECK(!count);
        OK(clReleaseMemObject(memory));
        IS(clSetMemObjectDestructorCallback(memory, note, NULL), CL_INVALID_MEM_OBJECT);
        OK(clFinish(queue));
        CHECK(comes_to(&count, 3));
        were_called(memory, 0, 3);
    }
}

static void parts_go_before_the_whole(void)
{
    for (int round = 0; round < 8; round++) {
        cl_int status;
        cl_mem whole = clCreateBuffer(context, 0, SIZE, NULL, &status), part = part_of(whole, 0, 0, 64);
        count = 0;
        ask(part, 1);
        ask(whole, 2);
        ask(whole, 1);
        calls[1].memory = NULL;
        if (round & 1)
            use(part, 0);
        if (round & 2)
            use(whole, 0);
        if (round & 4)
            OK(clReleaseMemObject(whole));
        OK(clFinish(queue));
        CHECK(!count);
        OK(clReleaseMemObject(part));
        if (!(round & 4)) {
            OK(clFinish(queue));
            CHECK(comes_to(&count, 1));
            OK(clReleaseMemObject(whole));
        }
        OK(clFinish(queue));
        CHECK(comes_to(&count, 3));
        CHECK(calls[0].memory == part || round & 4);
        CHECK(calls[1].memory == whole || calls[0].memory == whole);
    }
}

/* "[...] until the commands in a queue that use memobj have finished". */
static void commands_end_before(void)
{
    static int one = 1;
    for (int round = 0; round < 6; round++) {
        cl_int status;
        cl_event gate = clCreateUserEvent(context, &status), filled;
        cl_mem memory = clCreateBuffer(context, 0, SIZE, NULL, &status);
        count = 0;
        if (round % 2)
            ask(memory, 1);
        OK(clEnqueueFillBuffer(queue, memory, &one, sizeof one, 0, SIZE, 1, &gate, &filled));
        if (!(round % 2))
            ask(memory, 1);
        OK(clReleaseMemObject(memory));
        usleep(20000);
        CHECK(!count);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &filled));
        OK(clFinish(queue));
        CHECK(comes_to(&count, 1));
        were_called(memory, 0, 1);
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(filled));
    }
}

static void CL_CALLBACK make_another(cl_mem memory, void *data)
{
    cl_int status;
    cl_mem other = clCreateBuffer(context, 0, SIZE, NULL, &status);
    CHECK(other != memory && !status);
    OK(clSetMemObjectDestructorCallback(other, note, data));
    OK(clReleaseMemObject(other));
}

static void callbacks_may_call(void)
{
    for (int round = 0; round < 4; round++) {
        cl_int status;
        cl_mem memory = clCreateBuffer(context, 0, SIZE, NULL, &status);
        count = 0;
        if (round % 2)
            use(memory, 0);
        OK(clSetMemObjectDestructorCallback(memory, make_another, (void *)7));
        OK(clReleaseMemObject(memory));
        OK(clFinish(queue));
        CHECK(comes_to(&count, 1) && calls[0].number == 7);
    }
}

static void *ask_often(void *data)
{
    for (int i = 0; i < 200; i++)
        OK(clSetMemObjectDestructorCallback(data, count_memory, &count));
    return NULL;
}

static void threads_ask(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (int round = 0; round < 2; round++) {
        cl_int status;
        cl_mem memory = clCreateBuffer(context, 0, SIZE, NULL, &status);
        count = 0;
        for (int i = 0; i < THREADS; i++)
            CHECK(!pthread_create(&threads[i], NULL, ask_often, memory));
        if (round)
            use(memory, 0);
        for (int i = 0; i < THREADS; i++)
            CHECK(!pthread_join(threads[i], NULL));
        OK(clReleaseMemObject(memory));
        OK(clFinish(queue));
        CHECK(comes_to(&count, 200 * THREADS));
    }
}

int main(void)
{
    cl_bool has_images;
    start();
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    the_last_comes_first(has_images ? 3 : 2);
    parts_go_before_the_whole();
    commands_end_before();
    callbacks_may_call();
    threads_ask();
    IS(clSetMemObjectDestructorCallback(NULL, note, NULL), CL_INVALID_MEM_OBJECT);
    IS(clSetMemObjectDestructorCallback((cl_mem)queue, note, NULL), CL_INVALID_MEM_OBJECT);
    finish();
    return 0;
}
