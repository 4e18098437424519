/* Threads that do all sorts of things at once, in a random order, each with memory of its own of which it knows what is in it: launches,
   copies, maps, images, callbacks, user events, and releases while commands run, in queues of their own and in common ones. `stress
   SECONDS SEED` */
#include "memory_objects.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 8, MEMORIES = 6, WORDS = 512, SIZE = 4 * WORDS, SIDE = 16, POOL = 32, GATES = 4, QUEUES = 5, ROWS = SIZE / (4 * SIDE) };

static cl_command_queue common[3]; /* in order, out of order, and one that takes times */
static cl_program program;
static cl_event pool[POOL];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int told, expected, destroyed, made, seconds = 1;
static unsigned seed = 1;
static double until;

struct memory {
    cl_mem object, part; /* an image where `is_image`; `part` a sub-buffer of its second half, or NULL */
    int is_image;
    cl_int words[WORDS];
    cl_event last;
};

/* The commands of a `quiet` thread are the library's mostly: in queues of its own, behind events of theirs, of which nobody else knows. */
struct thread {
    unsigned random;
    int quiet;
    struct memory memories[MEMORIES];
    cl_event gates[GATES];
    int gate_count;
    cl_command_queue queues[QUEUES];
    cl_kernel kernel;
    unsigned char *shared;
};

static const size_t start_of[3] = { 0, 0, 0 }, whole[3] = { SIDE, ROWS, 1 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static unsigned choose(struct thread *self, unsigned count)
{
    self->random = self->random * 1664525u + 1013904223u;
    return (self->random >> 12) % count;
}

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
    cl_int state = 77;
    CHECK(status == CL_COMPLETE);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state == CL_COMPLETE);
    free(data);
    __atomic_add_fetch(&told, 1, __ATOMIC_RELEASE);
}

static void call_back(cl_event event, void *data)
{
    __atomic_add_fetch(&expected, 1, __ATOMIC_RELAXED);
    OK(clSetEventCallback(event, CL_COMPLETE, tell, data));
}

/* What is read without waiting, and what it has to be. */
struct reading {
    cl_int found[WORDS], wanted[WORDS];
};

static void CL_CALLBACK compare(cl_event event, cl_int status, void *data)
{
    const struct reading *reading = data;
    CHECK(!memcmp(reading->found, reading->wanted, SIZE));
    tell(event, status, data);
}

static void let_go(cl_event *event)
{
    if (*event)
        OK(clReleaseEvent(*event));
    *event = NULL;
}

/* Open gates are the thread's own: it closes none behind which it waits. */
static void open_gates(struct thread *self)
{
    while (self->gate_count) {
        cl_event gate = self->gates[--self->gate_count];
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(gate));
    }
}

static void put_into_pool(struct thread *self, cl_event event)
{
    unsigned place = choose(self, POOL);
    OK(clRetainEvent(event));
    pthread_mutex_lock(&pool_lock);
    cl_event before = pool[place];
    pool[place] = event;
    pthread_mutex_unlock(&pool_lock);
    let_go(&before);
}

static cl_event take_from_pool(struct thread *self)
{
    unsigned place = choose(self, POOL);
    pthread_mutex_lock(&pool_lock);
    cl_event event = pool[place];
    pool[place] = NULL;
    pthread_mutex_unlock(&pool_lock);
    return event;
}

/* What a command waits for: what used the memory last, perhaps another thread's command and a gate. */
struct waits {
    cl_event events[4];
    cl_uint count;
    cl_event taken;
};

static void gather(struct thread *self, struct waits *waits, struct memory *one, struct memory *other, int blocks)
{
    waits->count = 0;
    waits->taken = self->quiet || choose(self, 3) ? NULL : take_from_pool(self);
    if (blocks)
        open_gates(self);
    if (one->last)
        waits->events[waits->count++] = one->last;
    if (other && other != one && other->last)
        waits->events[waits->count++] = other->last;
    if (waits->taken)
        waits->events[waits->count++] = waits->taken;
    if (!blocks && !self->quiet && self->gate_count < GATES && !choose(self, 8)) {
        cl_int status;
        cl_event gate = clCreateUserEvent(context, &status);
        OK(status);
        self->gates[self->gate_count++] = waits->events[waits->count++] = gate;
    }
}

#define WAITS waits.count, waits.count ? waits.events : NULL

/* The command has used the memory. */
static void note(struct thread *self, struct waits *waits, cl_event event, struct memory *one, struct memory *other)
{
    cl_int state = 77;
    let_go(&waits->taken);
    let_go(&one->last);
    one->last = event;
    if (other && other != one) {
        let_go(&other->last);
        OK(clRetainEvent(event));
        other->last = event;
    }
    switch (self->quiet ? 2 : choose(self, 6)) {
    case 0: put_into_pool(self, event); break;
    case 1: call_back(event, NULL); break;
    case 2: OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
        CHECK(state >= 0 && state <= CL_QUEUED);
        break;
    }
}

static cl_command_queue any_queue(struct thread *self)
{
    return self->queues[choose(self, QUEUES)];
}

static void CL_CALLBACK count_end(cl_mem memory, void *data)
{
    (void)memory, (void)data;
    __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELEASE);
}

static void make(struct thread *self, struct memory *memory)
{
    static const cl_image_format format = { CL_R, CL_SIGNED_INT32 };
    const cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = ROWS };
    cl_int status;
    memory->is_image = !choose(self, 4);
    for (int i = 0; i < WORDS; i++)
        memory->words[i] = (cl_int)choose(self, 1000000);
    memory->object = memory->is_image
        ? clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &description, memory->words, &status)
        : clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, SIZE, memory->words, &status);
    OK(status);
    memory->part = memory->is_image || choose(self, 3) ? NULL : part_of(memory->object, 0, SIZE / 2, SIZE / 2);
    if (!choose(self, 3)) {
        __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
        OK(clSetMemObjectDestructorCallback(memory->object, count_end, NULL));
    }
}

static void end(struct thread *self, struct memory *memory)
{
    if (memory->part && choose(self, 2)) {
        OK(clReleaseMemObject(memory->part));
        memory->part = NULL;
    }
    OK(clReleaseMemObject(memory->object));
    if (memory->part)
        OK(clReleaseMemObject(memory->part));
    let_go(&memory->last);
}

static void fill(struct thread *self, struct memory *memory)
{
    const cl_int value[4] = { (cl_int)choose(self, 1000000) };
    size_t from = choose(self, WORDS / 2), count = 1 + choose(self, WORDS / 2);
    struct waits waits;
    cl_event event;
    gather(self, &waits, memory, NULL, 0);
    if (memory->is_image) {
        from = 0, count = WORDS;
        OK(clEnqueueFillImage(any_queue(self), memory->object, value, start_of, whole, WAITS, &event));
    } else {
        OK(clEnqueueFillBuffer(any_queue(self), memory->object, value, 4, 4 * from, 4 * count, WAITS, &event));
    }
    for (size_t i = from; i < from + count; i++)
        memory->words[i] = value[0];
    note(self, &waits, event, memory, NULL);
}

static void write_all(struct thread *self, struct memory *memory)
{
    const int blocks = choose(self, 2);
    struct waits waits;
    cl_int *source = malloc(SIZE);
    cl_event event;
    CHECK(source);
    for (int i = 0; i < WORDS; i++)
        source[i] = memory->words[i] = (cl_int)choose(self, 1000000);
    gather(self, &waits, memory, NULL, blocks);
    if (memory->is_image)
        OK(clEnqueueWriteImage(any_queue(self), memory->object, blocks, start_of, whole, 0, 0, source, WAITS, &event));
    else
        OK(clEnqueueWriteBuffer(any_queue(self), memory->object, blocks, 0, SIZE, source, WAITS, &event));
    if (self->quiet)
        OK(clWaitForEvents(1, &event));
    if (self->quiet || blocks)
        free(source);
    else
        call_back(event, source);
    note(self, &waits, event, memory, NULL);
}

static void read_all(struct thread *self, struct memory *memory)
{
    const int blocks = choose(self, 2);
    struct waits waits;
    struct reading *reading = malloc(sizeof *reading);
    cl_event event;
    CHECK(reading);
    memcpy(reading->wanted, memory->words, SIZE);
    gather(self, &waits, memory, NULL, blocks);
    if (memory->is_image)
        OK(clEnqueueReadImage(any_queue(self), memory->object, blocks, start_of, whole, 0, 0, reading->found, WAITS, &event));
    else
        OK(clEnqueueReadBuffer(any_queue(self), memory->object, blocks, 0, SIZE, reading->found, WAITS, &event));
    if (self->quiet)
        OK(clWaitForEvents(1, &event));
    if (self->quiet || blocks) {
        CHECK(!memcmp(reading->found, reading->wanted, SIZE));
        free(reading);
    } else {
        __atomic_add_fetch(&expected, 1, __ATOMIC_RELAXED);
        OK(clSetEventCallback(event, CL_COMPLETE, compare, reading));
    }
    note(self, &waits, event, memory, NULL);
}

static void copy(struct thread *self, struct memory *from, struct memory *to)
{
    struct waits waits;
    cl_event event;
    if (from == to)
        return;
    gather(self, &waits, from, to, 0);
    cl_command_queue queue = any_queue(self);
    if (from->is_image && to->is_image)
        OK(clEnqueueCopyImage(queue, from->object, to->object, start_of, start_of, whole, WAITS, &event));
    else if (from->is_image)
        OK(clEnqueueCopyImageToBuffer(queue, from->object, to->object, start_of, whole, 0, WAITS, &event));
    else if (to->is_image)
        OK(clEnqueueCopyBufferToImage(queue, from->object, to->object, 0, start_of, whole, WAITS, &event));
    else
        OK(clEnqueueCopyBuffer(queue, from->object, to->object, 0, 0, SIZE, WAITS, &event));
    memcpy(to->words, from->words, SIZE);
    note(self, &waits, event, from, to);
}

static void launch(struct thread *self, struct memory *memory)
{
    const size_t size = memory->part ? WORDS / 2 : WORDS, first = WORDS - size;
    const cl_int step = (cl_int)choose(self, 100);
    struct waits waits;
    cl_event event;
    if (memory->is_image)
        return;
    gather(self, &waits, memory, NULL, 0);
    OK(clSetKernelArg(self->kernel, 0, sizeof(cl_mem), memory->part ? &memory->part : &memory->object));
    OK(clSetKernelArg(self->kernel, 1, sizeof step, &step));
    OK(clEnqueueNDRangeKernel(any_queue(self), self->kernel, 1, NULL, &size, NULL, WAITS, &event));
    for (size_t i = first; i < WORDS; i++)
        memory->words[i] += step;
    note(self, &waits, event, memory, NULL);
}

static void map(struct thread *self, struct memory *memory)
{
    const int blocks = choose(self, 2);
    struct waits waits;
    cl_event event;
    cl_int status, *words;
    size_t row = 4 * SIDE;
    cl_command_queue queue = any_queue(self);
    gather(self, &waits, memory, NULL, blocks);
    if (memory->is_image)
        words = clEnqueueMapImage(queue, memory->object, blocks, CL_MAP_READ | CL_MAP_WRITE, start_of, whole, &row, NULL, WAITS, &event,
            &status);
    else
        words = clEnqueueMapBuffer(queue, memory->object, blocks, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, WAITS, &event, &status);
    OK(status);
    note(self, &waits, event, memory, NULL);
    if (!blocks) {
        open_gates(self);
        OK(clWaitForEvents(1, &event));
    }
    for (int i = 0; i < WORDS; i++)
        CHECK(words[i / SIDE * (row / 4) + i % SIDE] == memory->words[i]);
    words[5] = memory->words[5] = (cl_int)choose(self, 1000000);
    gather(self, &waits, memory, NULL, 0);
    OK(clEnqueueUnmapMemObject(any_queue(self), memory->object, words, WAITS, &event));
    note(self, &waits, event, memory, NULL);
}

static void again(struct thread *self, struct memory *memory)
{
    end(self, memory);
    make(self, memory);
}

static void share(struct thread *self)
{
    unsigned char pattern = (unsigned char)choose(self, 256);
    cl_command_queue queue = self->queues[0];
    open_gates(self);
    OK(clEnqueueSVMMemFill(queue, self->shared, &pattern, 1, SIZE, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, self->shared, SIZE, 0, NULL, NULL));
    CHECK(self->shared[0] == pattern && self->shared[SIZE - 1] == pattern);
    OK(clEnqueueSVMUnmap(queue, self->shared, 0, NULL, NULL));
    if (!choose(self, 8)) {
        OK(clFinish(queue));
        clSVMFree(context, self->shared);
        CHECK(self->shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0));
    }
}

static void fail(struct thread *self)
{
    cl_int status, state;
    cl_event gate = clCreateUserEvent(context, &status), event;
    OK(status);
    OK(clEnqueueMarkerWithWaitList(self->queues[0], 1, &gate, &event));
    OK(clSetUserEventStatus(gate, -5));
    OK(clReleaseEvent(gate));
    open_gates(self);
    IS(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state < 0);
    OK(clReleaseEvent(event));
}

static void renew(struct thread *self)
{
    cl_int status;
    open_gates(self);
    OK(clReleaseKernel(self->kernel));
    self->kernel = clCreateKernel(program, "add", &status);
    OK(status);
    if (choose(self, 4))
        return;
    OK(clReleaseCommandQueue(self->queues[0]));
    self->queues[0] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
}

static void settle(struct thread *self)
{
    cl_command_queue queue = any_queue(self);
    cl_event event;
    switch (choose(self, 4)) {
    case 0: open_gates(self); OK(clFinish(queue)); break;
    case 1: OK(clFlush(queue)); break;
    case 2: OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL)); break;
    case 3:
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
        if (!self->quiet) {
            put_into_pool(self, event);
            call_back(event, NULL);
        }
        OK(clReleaseEvent(event));
    }
}

static void step(struct thread *self)
{
    struct memory *one = &self->memories[choose(self, MEMORIES)], *other = &self->memories[choose(self, MEMORIES)];
    switch (choose(self, self->quiet ? 15 : 20)) {
    case 0: case 1: fill(self, one); break;
    case 2: case 3: write_all(self, one); break;
    case 4: case 5: case 6: read_all(self, one); break;
    case 7: case 8: copy(self, one, other); break;
    case 9: case 10: case 11: launch(self, one); break;
    case 12: case 13: map(self, one); break;
    case 14: again(self, one); break;
    case 15: share(self); break;
    case 16: fail(self); break;
    case 17: renew(self); break;
    case 18: settle(self); break;
    case 19: open_gates(self); break;
    }
}

static void *work(void *place)
{
    struct thread *self = place;
    cl_int status;
    self->queues[0] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    self->queues[1] = self->queues[0]; /* more often than the common ones */
    for (int i = 0; i < 3; i++)
        self->queues[2 + i] = self->quiet ? self->queues[0] : common[i];
    if (self->quiet) {
        self->queues[4] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        OK(status);
    }
    self->kernel = clCreateKernel(program, "add", &status);
    OK(status);
    CHECK(self->shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0));
    for (int i = 0; i < MEMORIES; i++)
        make(self, &self->memories[i]);
    while (now() < until) {
        step(self);
        self->queues[1] = self->queues[0];
    }
    open_gates(self);
    for (int i = 0; i < MEMORIES; i++) {
        read_all(self, &self->memories[i]);
        open_gates(self);
        OK(clWaitForEvents(1, &self->memories[i].last));
        end(self, &self->memories[i]);
    }
    for (int i = 1; i < QUEUES; i++)
        OK(clFinish(self->queues[i]));
    clSVMFree(context, self->shared);
    OK(clReleaseKernel(self->kernel));
    OK(clReleaseCommandQueue(self->queues[0]));
    if (self->quiet)
        OK(clReleaseCommandQueue(self->queues[4]));
    return NULL;
}

int main(int count, char **words)
{
    static const cl_queue_properties kinds[3][3] = { { 0 }, { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 },
                                                     { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 } };
    static struct thread threads[THREADS];
    const char *source = "kernel void add(global int *a, int step) { a[get_global_id(0)] += step; }";
    pthread_t running[THREADS];
    cl_int status;
    if (count > 1)
        seconds = atoi(words[1]);
    if (count > 2)
        seed = (unsigned)atoi(words[2]);
    start();
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (int i = 0; i < 3; i++) {
        common[i] = clCreateCommandQueueWithProperties(context, device, kinds[i], &status);
        OK(status);
    }
    until = now() + seconds;
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i].random = seed * THREADS + i;
        threads[i].quiet = i % 2;
        CHECK(!pthread_create(&running[i], NULL, work, &threads[i]));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(running[i], NULL));
    for (int i = 0; i < POOL; i++)
        let_go(&pool[i]);
    for (int i = 0; i < 3; i++) {
        OK(clFinish(common[i]));
        OK(clReleaseCommandQueue(common[i]));
    }
    OK(clReleaseProgram(program));
    CHECK(comes_to(&told, expected));
    CHECK(comes_to(&destroyed, made));
    finish();
    return 0;
}
