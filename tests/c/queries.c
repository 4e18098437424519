/* Queries: an answer that the library keeps is the first one in every way, whoever asks, in whatever order, and whatever room there is. */
#include "check.h"

#include <pthread.h>

enum { CODES = 128, ROOM = 16384, THREADS = 4, ROUNDS = 20, LIVE = 4 };

/* All queries have the parameters of one. */
typedef cl_int (CL_API_CALL *query)(void *, cl_uint, size_t, void *, size_t *);

static cl_int CL_API_CALL work_group(void *kernel, cl_uint code, size_t room, void *value, size_t *size)
{
    return clGetKernelWorkGroupInfo(kernel, device, code, room, value, size);
}

static cl_int CL_API_CALL work_group_of_any(void *kernel, cl_uint code, size_t room, void *value, size_t *size)
{
    return clGetKernelWorkGroupInfo(kernel, NULL, code, room, value, size);
}

/* What can be asked, from the first code on, and what is said of another object. */
static struct kind {
    query ask;
    void *object;
    cl_uint first;
    cl_int wrong;
} kinds[] = {
    { (query)clGetPlatformInfo, NULL, CL_PLATFORM_PROFILE, CL_INVALID_PLATFORM },
    { (query)clGetDeviceInfo, NULL, CL_DEVICE_TYPE, CL_INVALID_DEVICE },
    { (query)clGetContextInfo, NULL, CL_CONTEXT_REFERENCE_COUNT, CL_INVALID_CONTEXT },
    { (query)clGetCommandQueueInfo, NULL, CL_QUEUE_CONTEXT, CL_INVALID_COMMAND_QUEUE },
    { (query)clGetMemObjectInfo, NULL, CL_MEM_TYPE, CL_INVALID_MEM_OBJECT },
    { (query)clGetMemObjectInfo, NULL, CL_MEM_TYPE, CL_INVALID_MEM_OBJECT },
    { (query)clGetImageInfo, NULL, CL_IMAGE_FORMAT, CL_INVALID_MEM_OBJECT },
    { (query)clGetSamplerInfo, NULL, CL_SAMPLER_REFERENCE_COUNT, CL_INVALID_SAMPLER },
    { (query)clGetKernelInfo, NULL, CL_KERNEL_FUNCTION_NAME, CL_INVALID_KERNEL },
    { work_group, NULL, CL_KERNEL_WORK_GROUP_SIZE, CL_INVALID_KERNEL },
    { work_group_of_any, NULL, CL_KERNEL_WORK_GROUP_SIZE, CL_INVALID_KERNEL },
    { (query)clGetEventInfo, NULL, CL_EVENT_COMMAND_QUEUE, CL_INVALID_EVENT },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static cl_kernel kernel;
static cl_mem buffer, image;
static cl_sampler sampler;
static cl_event event;

static void make_objects(void)
{
    const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
    const cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 40, .image_height = 30 };
    cl_int status;
    kernel = kernel_of("kernel void longer_than_a_word(global int *a) { *a = 1; }", "longer_than_a_word");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &status);
    OK(status);
    image = clCreateImage(context, 0, &format, &description, NULL, &status);
    OK(status);
    sampler = clCreateSamplerWithProperties(context, NULL, &status);
    OK(status);
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    OK(clFinish(queue));
    void *objects[KINDS] = { platform, device, context, queue, buffer, image, image, sampler, kernel, kernel, kernel, event };
    for (int i = 0; i < KINDS; i++)
        kinds[i].object = objects[i];
}

static void release_objects(void)
{
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(image));
    OK(clReleaseSampler(sampler));
    OK(clReleaseEvent(event));
}

struct told {
    cl_int status;
    size_t size;
    char value[ROOM];
};

static void ask(const struct kind *kind, cl_uint code, struct told *told)
{
    memset(told, 0x5a, sizeof *told);
    told->status = kind->ask(kind->object, code, ROOM, told->value, &told->size);
    CHECK(told->status == CL_SUCCESS || told->status == CL_INVALID_VALUE || told->status == kind->wrong); /* CL_QUEUE_SIZE on the host */
}

/* "CL_INVALID_VALUE [...] if size in bytes specified by param_value_size is < size of return type and param_value is not NULL" */
static void check_room(const struct kind *kind, cl_uint code, const struct told *first)
{
    static char value[ROOM + 1];
    size_t size = 0;
    memset(value, 0x77, sizeof value);
    OK(kind->ask(kind->object, code, 0, NULL, &size));
    CHECK(size == first->size);
    OK(kind->ask(kind->object, code, 0, NULL, NULL));
    for (size_t room = size > 9 ? size - 9 : 0; room < size; room++) {
        size_t none = 99;
        IS(kind->ask(kind->object, code, room, value, &none), CL_INVALID_VALUE);
        CHECK(value[0] == 0x77);
    }
    OK(kind->ask(kind->object, code, size, value, NULL));
    CHECK(!memcmp(value, first->value, size) && value[size] == 0x77);
}

static void answers_stay_as_they_are(void)
{
    static struct told first[KINDS][CODES], again;
    int answers = 0;
    for (int turn = 0; turn < 4; turn++)
        for (int which = 0; which < KINDS * CODES; which++) {
            int at = turn % 2 ? KINDS * CODES - 1 - which : which;
            const struct kind *kind = &kinds[at / CODES];
            cl_uint code = kind->first + at % CODES;
            struct told *told = turn ? &again : &first[at / CODES][at % CODES];
            ask(kind, code, told);
            answers += told->status == CL_SUCCESS;
            CHECK(!turn || !memcmp(told, &first[at / CODES][at % CODES], sizeof *told));
            if (told->status == CL_SUCCESS && told->size)
                check_room(kind, code, told);
        }
    CHECK(answers > 4 * 100);
}

static void others_are_refused(void)
{
    void *nothing[32] = { *(void **)queue }; /* of which the loader finds the driver */
    size_t size;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < KINDS; i++)
            for (int code = 0; code < CODES; code++) {
                if (kinds[i].ask != (query)clGetPlatformInfo)
                    IS(kinds[i].ask(NULL, kinds[i].first + code, 0, NULL, &size), kinds[i].wrong);
                IS(kinds[i].ask(nothing, kinds[i].first + code, 0, NULL, &size), kinds[i].wrong);
                void *other = kinds[i].object == sampler ? (void *)queue : (void *)sampler;
                IS(kinds[i].ask(other, kinds[i].first + code, 0, NULL, &size), kinds[i].wrong);
            }
    IS(clGetKernelWorkGroupInfo(kernel, (cl_device_id)context, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &size), CL_INVALID_DEVICE);
}

static cl_uint references(void)
{
    cl_uint count = 0;
    size_t size = 0;
    char little[2];
    OK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, &size));
    CHECK(size == sizeof count);
    IS(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof little, little, NULL), CL_INVALID_VALUE);
    OK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, 0, NULL, NULL));
    return count;
}

/* What changes is told as it is. */
static void what_changes_is_not_kept(void)
{
    cl_uint maps, before = references();
    cl_int status;
    for (int turn = 0; turn < 3; turn++) {
        OK(clRetainMemObject(buffer));
        CHECK(references() == before + 1);
        OK(clReleaseMemObject(buffer));
        CHECK(references() == before);
        OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
        CHECK(maps == 0);
        void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status);
        OK(status);
        OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
        CHECK(maps == 1);
        OK(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
        OK(clFinish(queue));
    }
    cl_event gate = clCreateUserEvent(context, &status);
    for (int turn = 0; turn < 4; turn++) {
        OK(clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK(status == (turn < 2 ? CL_SUBMITTED : CL_COMPLETE));
        if (turn == 1)
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
    }
    OK(clReleaseEvent(gate));
}

/* Each has its own size: an answer that another one had before in the same place would be seen. */
static cl_mem live[LIVE];
static size_t sizes[LIVE];
static pthread_barrier_t turn_begins, turn_ends;

static void *ask_all(void *data)
{
    static const cl_uint codes[] = { CL_MEM_SIZE, CL_MEM_FLAGS, CL_MEM_CONTEXT, CL_MEM_TYPE, CL_MEM_OFFSET, CL_MEM_HOST_PTR };
    enum { COUNT = sizeof codes / sizeof *codes };
    size_t turn = (size_t)data;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&turn_begins);
        for (int i = 0; i < LIVE * COUNT; i++) {
            int which = (int)((i + turn * 5) % (LIVE * COUNT)), at = which / COUNT;
            cl_uint code = codes[which % COUNT];
            size_t value = 0, size;
            OK(clGetMemObjectInfo(live[at], code, sizeof value, &value, &size));
            CHECK(code != CL_MEM_SIZE || (value == sizes[at] && size == sizeof value));
            CHECK(code != CL_MEM_FLAGS || value == CL_MEM_READ_ONLY);
            CHECK(code != CL_MEM_CONTEXT || value == (size_t)context);
            CHECK(code != CL_MEM_TYPE || (value == CL_MEM_OBJECT_BUFFER && size == sizeof(cl_uint)));
            CHECK((code != CL_MEM_OFFSET && code != CL_MEM_HOST_PTR) || !value);
        }
        pthread_barrier_wait(&turn_ends);
    }
    return NULL;
}

/* The first to ask may be any thread, or several. */
static void threads_ask_together(void)
{
    pthread_t threads[THREADS];
    cl_int status;
    pthread_barrier_init(&turn_begins, NULL, THREADS + 1);
    pthread_barrier_init(&turn_ends, NULL, THREADS + 1);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, ask_all, (void *)i));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LIVE; i++) {
            sizes[i] = 64 * (size_t)(round * LIVE + i + 1);
            live[i] = clCreateBuffer(context, CL_MEM_READ_ONLY, sizes[i], NULL, &status);
            OK(status);
        }
        pthread_barrier_wait(&turn_begins);
        pthread_barrier_wait(&turn_ends);
        for (int i = 0; i < LIVE; i++)
            OK(clReleaseMemObject(live[i]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    start();
    make_objects();
    answers_stay_as_they_are();
    others_are_refused();
    what_changes_is_not_kept();
    threads_ask_together();
    release_objects();
    finish();
    return 0;
}
