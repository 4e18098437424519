/* Threads that use the same objects at once: buffers and their parts, images, kernels and clones of them, events and user events, queues,
   programs and shared virtual memory. An object is taken from a common place, with a reference of the thread's own, used, and let go, while
   others put new ones into its place. `shared_objects ROUNDS SEED` */
#include "memory_objects.h"
#include "together.h"

enum { THREADS = 12, PLACES = 6, SIZE = 2048, WORDS = SIZE / 4, SIDE = 16, QUEUES = 6 };

/* Objects of a kind: how their references are counted, and how new ones are made. */
struct kind {
    cl_int (*retain)(void *), (*release)(void *);
    void *(*make)(unsigned *);
    void *places[PLACES];
    pthread_mutex_t lock;
};

static cl_program program;
static cl_context other;
static cl_command_queue queues[QUEUES];
static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER;
static cl_kernel common_kernel;
static int rounds = 60, seed = 1;
static int called, to_be_called, destroyed, to_be_destroyed;
static const char *source = "kernel void add(global int *a, int step) { a[get_global_id(0)] += step; }\n"
                            "kernel void none(int a) { }";
static const size_t start_of[3] = { 0 }, whole[3] = { SIDE, SIDE, 1 };

static unsigned choose(unsigned *random, unsigned count)
{
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 12) % count;
}

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELEASE);
}

static void CL_CALLBACK count_context(cl_context ended, void *data)
{
    (void)ended;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELEASE);
}

static void *make_buffer(unsigned *random)
{
    static const cl_mem_flags flags[] = { 0, CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR };
    static char contents[SIZE];
    cl_int status;
    cl_mem_flags chosen = flags[choose(random, 4)];
    cl_mem made = clCreateBuffer(context, chosen, SIZE, chosen & CL_MEM_COPY_HOST_PTR ? contents : NULL, &status);
    OK(status);
    if (choose(random, 2)) {
        __atomic_add_fetch(&to_be_destroyed, 1, __ATOMIC_RELAXED);
        OK(clSetMemObjectDestructorCallback(made, count_memory, &destroyed));
    }
    return made;
}

static void *make_image(unsigned *random)
{
    static const cl_image_format format = { CL_R, CL_SIGNED_INT32 };
    const cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE };
    cl_int status;
    cl_mem made = clCreateImage(context, choose(random, 2) ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, &format, &description, NULL, &status);
    OK(status);
    return made;
}

static void *make_kernel(unsigned *random)
{
    cl_int status;
    cl_kernel made = clCreateKernel(program, choose(random, 2) ? "add" : "none", &status);
    OK(status);
    return made;
}

static void *make_gate(unsigned *random)
{
    cl_int status;
    cl_event made = clCreateUserEvent(context, &status);
    (void)random;
    OK(status);
    return made;
}

static void *make_event(unsigned *random)
{
    cl_event made = NULL;
    OK(clEnqueueMarkerWithWaitList(queues[choose(random, QUEUES)], 0, NULL, &made));
    return made;
}

static void *make_program(unsigned *random)
{
    cl_int status;
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    (void)random;
    OK(status);
    return made;
}

#define KIND(object, make) \
    { (cl_int (*)(void *))clRetain##object, (cl_int (*)(void *))clRelease##object, make, { 0 }, PTHREAD_MUTEX_INITIALIZER }
static struct kind buffers = KIND(MemObject, make_buffer), images = KIND(MemObject, make_image), kernels = KIND(Kernel, make_kernel),
                   gates = KIND(Event, make_gate), events = KIND(Event, make_event), programs = KIND(Program, make_program);
static struct kind *const kinds[] = { &buffers, &images, &kernels, &gates, &events, &programs };

static void *take(struct kind *kind, unsigned *random)
{
    unsigned place = choose(random, PLACES);
    pthread_mutex_lock(&kind->lock);
    void *found = kind->places[place];
    OK(kind->retain(found));
    pthread_mutex_unlock(&kind->lock);
    return found;
}

static void put_into(struct kind *kind, void *object, unsigned *random)
{
    unsigned place = choose(random, PLACES);
    pthread_mutex_lock(&kind->lock);
    void *before = kind->places[place];
    kind->places[place] = object;
    pthread_mutex_unlock(&kind->lock);
    OK(kind->release(before));
}

static void renew(unsigned *random)
{
    struct kind *kind = kinds[choose(random, 6)];
    put_into(kind, kind->make(random), random);
}

static cl_command_queue any_queue(unsigned *random)
{
    return queues[choose(random, QUEUES)];
}

/* Events of others, no user events: so nobody waits for what has to be set by those who wait. */
struct waits {
    cl_event events[3];
    cl_uint count;
};

static void gather(struct waits *waits, unsigned *random)
{
    waits->count = choose(random, 3);
    for (cl_uint i = 0; i < waits->count; i++)
        waits->events[i] = take(&events, random);
}

static void end_command(struct waits *waits, cl_event event, unsigned *random)
{
    for (cl_uint i = 0; i < waits->count; i++)
        OK(clReleaseEvent(waits->events[i]));
    if (event)
        put_into(&events, event, random);
}

#define WAITS waits.count, waits.count ? waits.events : NULL

static void use_buffer(unsigned *random)
{
    cl_mem buffer = take(&buffers, random), second = take(&buffers, random);
    cl_buffer_region half = { choose(random, 2) ? SIZE / 2 : 0, SIZE / 2 };
    struct waits waits;
    cl_event event = NULL;
    cl_int status, found[WORDS], pattern = (cl_int)choose(random, 100);
    size_t size = 0;
    cl_mem part;
    void *mapped;
    gather(&waits, random);
    switch (choose(random, 9)) {
    case 0: OK(clEnqueueReadBuffer(any_queue(random), buffer, CL_TRUE, 0, SIZE, found, WAITS, &event)); break;
    case 1:
        memset(found, 0, SIZE);
        OK(clEnqueueWriteBuffer(any_queue(random), buffer, CL_TRUE, 0, SIZE, found, WAITS, &event));
        break;
    case 2: OK(clEnqueueFillBuffer(any_queue(random), buffer, &pattern, 4, 0, SIZE, WAITS, &event)); break;
    case 3:
        if (buffer != second)
            OK(clEnqueueCopyBuffer(any_queue(random), buffer, second, 0, 0, SIZE, WAITS, &event));
        break;
    case 4:
        mapped = clEnqueueMapBuffer(any_queue(random), buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, WAITS, NULL, &status);
        OK(status);
        OK(clEnqueueUnmapMemObject(any_queue(random), buffer, mapped, 0, NULL, &event));
        break;
    case 5:
        part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
        OK(status);
        OK(clEnqueueFillBuffer(any_queue(random), part, &pattern, 4, 0, SIZE / 2, WAITS, &event));
        OK(clReleaseMemObject(part));
        break;
    case 6:
        OK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
        CHECK(size == SIZE);
        OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof status, &status, NULL));
        break;
    case 7:
        pthread_mutex_lock(&kernel_lock);
        OK(clSetKernelArg(common_kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(common_kernel, 1, sizeof pattern, &pattern));
        size = WORDS;
        OK(clEnqueueNDRangeKernel(any_queue(random), common_kernel, 1, NULL, &size, NULL, WAITS, &event));
        pthread_mutex_unlock(&kernel_lock);
        break;
    case 8: OK(clEnqueueMigrateMemObjects(any_queue(random), 1, &buffer, 0, WAITS, &event)); break;
    }
    end_command(&waits, event, random);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(second));
}

static void use_image(unsigned *random)
{
    cl_mem image = take(&images, random), buffer = take(&buffers, random);
    const cl_int value[4] = { (cl_int)choose(random, 100) };
    struct waits waits;
    cl_event event = NULL;
    cl_int found[SIDE * SIDE], status;
    size_t row = 0;
    void *mapped;
    gather(&waits, random);
    switch (choose(random, 6)) {
    case 0: OK(clEnqueueReadImage(any_queue(random), image, CL_TRUE, start_of, whole, 0, 0, found, WAITS, &event)); break;
    case 1:
        memset(found, 0, sizeof found);
        OK(clEnqueueWriteImage(any_queue(random), image, CL_TRUE, start_of, whole, 0, 0, found, WAITS, &event));
        break;
    case 2: OK(clEnqueueFillImage(any_queue(random), image, value, start_of, whole, WAITS, &event)); break;
    case 3: OK(clEnqueueCopyImageToBuffer(any_queue(random), image, buffer, start_of, whole, 0, WAITS, &event)); break;
    case 4:
        mapped = clEnqueueMapImage(any_queue(random), image, CL_TRUE, CL_MAP_READ, start_of, whole, &row, NULL, WAITS, NULL, &status);
        OK(status);
        OK(clEnqueueUnmapMemObject(any_queue(random), image, mapped, 0, NULL, &event));
        break;
    case 5:
        OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof row, &row, NULL));
        CHECK(row == SIDE);
        break;
    }
    end_command(&waits, event, random);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
}

static void use_kernel(unsigned *random)
{
    cl_kernel kernel = take(&kernels, random), clone;
    cl_int status, number = (cl_int)choose(random, 100);
    cl_uint count = 0;
    char name[8];
    size_t size = WORDS;
    cl_event event = NULL;
    cl_mem buffer;
    switch (choose(random, 4)) {
    case 0:
        OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
        OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        CHECK(count == (strcmp(name, "add") ? 1 : 2));
        break;
    case 1:
        OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
        CHECK(size);
        break;
    case 2: /* of the common one, which others use meanwhile */
        pthread_mutex_lock(&kernel_lock);
        clone = clCloneKernel(common_kernel, &status);
        OK(status);
        pthread_mutex_unlock(&kernel_lock);
        buffer = take(&buffers, random);
        OK(clSetKernelArg(clone, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(clone, 1, sizeof number, &number));
        OK(clEnqueueNDRangeKernel(any_queue(random), clone, 1, NULL, &size, NULL, 0, NULL, &event));
        OK(clReleaseKernel(clone));
        OK(clReleaseMemObject(buffer));
        put_into(&events, event, random);
        break;
    case 3: /* of the thread's own */
        OK(clReleaseKernel(kernel));
        kernel = clCreateKernel(program, "none", &status);
        OK(status);
        OK(clSetKernelArg(kernel, 0, sizeof number, &number));
        OK(clEnqueueNDRangeKernel(any_queue(random), kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        break;
    }
    OK(clReleaseKernel(kernel));
}

static void use_event(unsigned *random)
{
    cl_event event = take(&events, random), second = take(&events, random), both[] = { event, second };
    cl_int status = 77;
    cl_ulong time;
    cl_command_queue queue = NULL;
    switch (choose(random, 6)) {
    case 0: OK(clWaitForEvents(1, &event)); break;
    case 1: OK(clWaitForEvents(2, both)); break;
    case 2:
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK(status >= CL_COMPLETE && status <= CL_QUEUED);
        break;
    case 3:
        __atomic_add_fetch(&to_be_called, 1, __ATOMIC_RELAXED);
        OK(clSetEventCallback(event, choose(random, 2) ? CL_COMPLETE : CL_SUBMITTED, count_call, &called));
        break;
    case 4:
        status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL);
        CHECK(status == CL_SUCCESS || status == CL_PROFILING_INFO_NOT_AVAILABLE);
        break;
    case 5:
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
        CHECK(queue);
        break;
    }
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(second));
}

static cl_int set(cl_event gate, cl_int status)
{
    cl_int found = clSetUserEventStatus(gate, status);
    CHECK(found == CL_SUCCESS || found == CL_INVALID_OPERATION);
    return found;
}

/* Commands that wait for a user event that another thread may set, or this one afterwards. */
static void use_gate(unsigned *random)
{
    cl_event gate = take(&gates, random), event = NULL, after = NULL;
    cl_mem buffer = take(&buffers, random);
    const cl_int pattern = 5;
    cl_int status;
    switch (choose(random, 4)) {
    case 0:
        OK(clEnqueueMarkerWithWaitList(queues[1], 1, &gate, &event));
        OK(clEnqueueFillBuffer(queues[2], buffer, &pattern, 4, 0, SIZE, 1, &gate, &after));
        set(gate, CL_COMPLETE);
        OK(clWaitForEvents(1, &event));
        OK(clWaitForEvents(1, &after));
        break;
    case 1:
        OK(clEnqueueFillBuffer(queues[0], buffer, &pattern, 4, 0, SIZE, 1, &gate, &event));
        set(gate, CL_COMPLETE);
        OK(clFlush(queues[0]));
        break;
    case 2:
        __atomic_add_fetch(&to_be_called, 1, __ATOMIC_RELAXED);
        OK(clSetEventCallback(gate, CL_COMPLETE, count_call, &called));
        OK(clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK(status == CL_COMPLETE || status == CL_SUBMITTED);
        set(gate, CL_COMPLETE);
        break;
    case 3:
        set(gate, CL_COMPLETE);
        OK(clWaitForEvents(1, &gate));
        break;
    }
    if (event)
        put_into(&events, event, random);
    if (after)
        OK(clReleaseEvent(after));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(buffer));
}

static void use_shared_memory(unsigned *random)
{
    const cl_int pattern = 3;
    cl_int *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    void *addresses[] = { memory };
    size_t size = WORDS;
    cl_command_queue queue = any_queue(random);
    cl_event event;
    cl_int status;
    CHECK(memory);
    OK(clEnqueueSVMMemFill(queue, memory, &pattern, 4, SIZE, 0, NULL, &event));
    OK(clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, memory, SIZE, 1, &event, NULL));
    CHECK(memory[WORDS - 1] == 3);
    OK(clReleaseEvent(event));
    OK(clEnqueueSVMUnmap(queues[0], memory, 0, NULL, &event));
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    OK(status);
    OK(clSetKernelArgSVMPointer(kernel, 0, memory));
    OK(clSetKernelArg(kernel, 1, sizeof pattern, &pattern));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 1, &event, NULL));
    OK(clReleaseEvent(event));
    if (choose(random, 2)) {
        OK(clFinish(queue));
        clSVMFree(context, memory);
    } else {
        OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
        OK(clEnqueueSVMFree(queue, 1, addresses, NULL, NULL, 0, NULL, NULL));
    }
    OK(clReleaseKernel(kernel));
}

/* Queries beside a build by another thread, which nobody has begun before, and a context with callbacks of its own. */
static void use_program(unsigned *random)
{
    cl_program taken = take(&programs, random);
    cl_int status;
    cl_uint count;
    cl_build_status built;
    cl_context made;
    switch (choose(random, 5)) {
    case 0:
        OK(clGetProgramInfo(taken, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL));
        OK(clGetProgramBuildInfo(taken, device, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL));
        break;
    case 1:
        OK(clReleaseProgram(taken));
        taken = make_program(random);
        OK(clBuildProgram(taken, 0, NULL, "", NULL, NULL));
        OK(clReleaseKernel(clCreateKernel(taken, "add", &status)));
        OK(status);
        break;
    case 2:
        made = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
        OK(status);
        __atomic_add_fetch(&to_be_destroyed, 1, __ATOMIC_RELAXED);
        OK(clSetContextDestructorCallback(made, count_context, &destroyed));
        cl_mem buffer = clCreateBuffer(made, 0, SIZE, NULL, &status);
        OK(status);
        OK(clReleaseContext(made));
        OK(clReleaseMemObject(buffer));
        break;
    case 3:
        OK(clRetainContext(other));
        OK(clGetContextInfo(other, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
        CHECK(count == 1);
        OK(clReleaseContext(other));
        break;
    case 4:
        OK(clRetainProgram(program));
        OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(size_t), &(size_t) { 0 }, NULL));
        OK(clReleaseProgram(program));
        break;
    }
    OK(clReleaseProgram(taken));
}

static void use_queue(unsigned *random)
{
    static const cl_queue_properties kinds[2][3] = { { 0 }, { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 } };
    cl_command_queue queue = any_queue(random);
    cl_int status;
    cl_uint count;
    cl_event event;
    switch (choose(random, 5)) {
    case 0: OK(clFinish(queue)); break;
    case 1: OK(clFlush(queue)); break;
    case 2: OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL)); break;
    case 3:
        OK(clRetainCommandQueue(queue));
        OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
        CHECK(count > 1);
        OK(clReleaseCommandQueue(queue));
        break;
    case 4:
        queue = clCreateCommandQueueWithProperties(context, device, kinds[choose(random, 2)], &status);
        OK(status);
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
        OK(clReleaseCommandQueue(queue));
        put_into(&events, event, random);
        break;
    }
}

static void *work(void *number)
{
    static void (*const uses[])(unsigned *) = { use_buffer, use_buffer, use_buffer, use_image, use_image, use_kernel, use_kernel, use_event,
                                                use_event, use_gate, use_gate, use_shared_memory, use_queue, renew, renew, use_program };
    unsigned random = (unsigned)(seed * THREADS) + (unsigned)(size_t)number;
    for (int i = 0; i < rounds; i++)
        uses[choose(&random, sizeof uses / sizeof *uses)](&random);
    return NULL;
}

int main(int count, char **words)
{
    static const cl_command_queue_properties properties[QUEUES] = { 0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0, CL_QUEUE_PROFILING_ENABLE,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
    unsigned random = 1;
    cl_int status;
    if (count > 1)
        rounds = atoi(words[1]);
    if (count > 2)
        seed = atoi(words[2]);
    start();
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    OK(status);
    program = make_program(&random);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    common_kernel = clCreateKernel(program, "add", &status);
    OK(status);
    for (int i = 0; i < QUEUES; i++) {
        const cl_queue_properties given[] = { CL_QUEUE_PROPERTIES, properties[i], 0 };
        queues[i] = clCreateCommandQueueWithProperties(context, device, given, &status);
        OK(status);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int j = 0; j < PLACES; j++)
            kinds[i]->places[j] = kinds[i]->make(&random);
    run_numbered(THREADS, work);
    for (int j = 0; j < PLACES; j++) /* nothing waits for one for ever, and callbacks come */
        set(gates.places[j], CL_COMPLETE);
    for (int i = 0; i < QUEUES; i++)
        OK(clFinish(queues[i]));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int j = 0; j < PLACES; j++)
            OK(kinds[i]->release(kinds[i]->places[j]));
    for (int i = 0; i < QUEUES; i++)
        OK(clReleaseCommandQueue(queues[i]));
    OK(clReleaseKernel(common_kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(other));
    CHECK(comes_to(&destroyed, to_be_destroyed));
    CHECK(comes_to(&called, to_be_called));
    finish();
    return 0;
}
