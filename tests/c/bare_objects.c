/* Objects that are no more than what they were asked for with until they are used: images, samplers, queues, parts of buffers, programs. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS /* clCreateImage2D */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateSampler, clCreateCommandQueue */
#include "memory_objects.h"
#include "together.h"

#include <pthread.h>

enum { SIDE = 8, ROUNDS = 20, THREADS = 8, SIZE = 4096 };

static const size_t origin[3] = { 0 }, square[3] = { SIDE, SIDE, 1 };
static const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };

static void CL_CALLBACK count_context(cl_context gone, void *data)
{
    (void)gone;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELEASE);
}

/* The members' gaps are whatever was there. */
static cl_mem image_with(cl_mem_flags flags, size_t width, int garbage, cl_int *status)
{
    cl_image_desc desc;
    memset(&desc, garbage, sizeof desc);
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = SIDE;
    desc.image_depth = desc.image_array_size = desc.image_row_pitch = desc.image_slice_pitch = 0;
    desc.num_mip_levels = desc.num_samples = 0;
    desc.mem_object = NULL;
    return clCreateImage(context, flags, &format, &desc, NULL, status);
}

static cl_mem image_of(size_t width)
{
    cl_int status;
    static _Thread_local int turn;
    cl_mem image = image_with(CL_MEM_READ_WRITE, width, turn++, &status);
    OK(status);
    return image;
}

static void fill(cl_mem image, cl_uint value)
{
    cl_uint color[4] = { value, value, value, value };
    OK(clEnqueueFillImage(queue, image, color, origin, square, 0, NULL, NULL));
}

static void is_filled(cl_mem image, cl_uint value)
{
    unsigned char pixels[SIDE * SIDE * 4];
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, square, 0, 0, pixels, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof pixels; i++)
        CHECK(pixels[i] == value);
}

static void images_are_apart(void)
{
    cl_mem images[4];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 4; i++)
            images[i] = image_of(SIDE);
        for (int i = 3; i >= round % 4; i--)
            fill(images[i], 10 * i + round);
        for (int i = round % 4; i < 4; i++)
            is_filled(images[i], 10 * i + round);
        for (int i = 0; i < 4; i++) {
            CHECK(memory_info(images[i], CL_MEM_REFERENCE_COUNT) == 1 && images[i] != images[(i + 1) % 4]);
            OK(clRetainMemObject(images[i]));
            CHECK(memory_info(images[i], CL_MEM_REFERENCE_COUNT) == 2);
            OK(clReleaseMemObject(images[i]));
            OK(clReleaseMemObject(images[i]));
            IS(clReleaseMemObject(images[i]), CL_INVALID_MEM_OBJECT);
        }
    }
}

static void images_are_as_asked_for(void)
{
    cl_int status;
    for (int round = 0; round < ROUNDS; round++) {
        size_t width = SIDE << round % 3, got;
        cl_mem_flags flags = round % 2 ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
        cl_mem image = image_with(flags, width, round, &status), older = clCreateImage2D(context, flags, &format, width, SIDE, 0, NULL,
            &status);
        OK(status);
        if (round % 4 == 3)
            OK(clEnqueueFillImage(queue, image, (cl_uint[4]){ 1 }, origin, square, 0, NULL, NULL));
        OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof got, &got, NULL));
        CHECK(got == width && memory_info(image, CL_MEM_FLAGS) == flags && memory_info(image, CL_MEM_SIZE) >= width * SIDE * 4);
        CHECK(memory_info(image, CL_MEM_TYPE) == CL_MEM_OBJECT_IMAGE2D && memory_info(image, CL_MEM_CONTEXT) == (cl_ulong)(size_t)context);
        OK(clGetImageInfo(older, CL_IMAGE_WIDTH, sizeof got, &got, NULL));
        CHECK(got == width);
        OK(clReleaseMemObject(older));
        OK(clReleaseMemObject(image));
    }
}

/* Whatever was right before. */
static void wrong_images_stay_wrong(void)
{
    cl_int status;
    char host[SIDE * SIDE * 4] = { 7 };
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE };
    for (int round = 0; round < 3; round++) {
        OK(clReleaseMemObject(image_of(SIDE)));
        CHECK(!clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, host, &status) && status == CL_INVALID_HOST_PTR);
        CHECK(!clCreateImage(context, CL_MEM_READ_WRITE, NULL, &desc, NULL, &status) && status == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        CHECK(!clCreateImage(context, CL_MEM_READ_WRITE, &format, NULL, NULL, &status) && status == CL_INVALID_IMAGE_DESCRIPTOR);
        CHECK(!image_with(CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, SIDE, 0, &status) && status == CL_INVALID_VALUE);
        CHECK(!image_with(CL_MEM_READ_WRITE, 0, 0, &status) && status == CL_INVALID_IMAGE_DESCRIPTOR);
        CHECK(!clCreateImage(NULL, CL_MEM_READ_WRITE, &format, &desc, NULL, &status) && status == CL_INVALID_CONTEXT);
        desc.image_row_pitch = SIDE * 4;
        CHECK(!clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status) && status == CL_INVALID_IMAGE_DESCRIPTOR);
        const cl_image_format plain = { CL_RGBA, CL_UNORM_INT8 }, curved = { CL_sRGBA, CL_UNORM_INT8 };
        cl_mem with = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &plain, &desc, host, NULL), over;
        CHECK(with);
        desc.image_row_pitch = 0;
        desc.mem_object = with;
        over = clCreateImage(context, CL_MEM_READ_ONLY, &curved, &desc, NULL, &status);
        OK(status);
        desc.mem_object = NULL;
        unsigned char pixel[4];
        OK(clEnqueueReadImage(queue, over, CL_TRUE, origin, (size_t[3]){ 1, 1, 1 }, 0, 0, pixel, 0, NULL, NULL));
        CHECK(pixel[0] == 7);
        OK(clReleaseMemObject(over));
        OK(clReleaseMemObject(with));
    }
}

static void callbacks_of_images_are_called(void)
{
    int told = 0;
    for (int round = 0; round < 4; round++) {
        cl_mem image = image_of(SIDE);
        if (round % 2)
            fill(image, 1);
        OK(clSetMemObjectDestructorCallback(image, count_memory, &told));
        OK(clReleaseMemObject(image));
        OK(clFinish(queue));
        CHECK(comes_to(&told, round + 1));
    }
}

static cl_uint sampled(cl_kernel kernel, cl_sampler sampler, cl_mem image, cl_mem found)
{
    size_t one = 1;
    cl_uint got;
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    OK(clSetKernelArg(kernel, 2, sizeof found, &found));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, found, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    return got;
}

/* Outside the image there is the border's color or the last element. */
static void samplers_are_as_asked_for(void)
{
    cl_int status;
    cl_kernel kernel = kernel_of("kernel void look(read_only image2d_t image, sampler_t s, global uint *found) "
                                 "{ *found = read_imageui(image, s, (int2)(-3, 0)).x; }", "look");
    cl_mem image = image_of(SIDE), found = clCreateBuffer(context, 0, 4, NULL, &status);
    fill(image, 9);
    for (int round = 0; round < ROUNDS; round++) {
        cl_addressing_mode mode = round % 2 ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE, got;
        cl_sampler_properties asked[] = { CL_SAMPLER_ADDRESSING_MODE, mode, CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0 }, back[8];
        cl_sampler sampler = round % 4 < 2 ? clCreateSampler(context, CL_FALSE, mode, CL_FILTER_NEAREST, &status)
                                           : clCreateSamplerWithProperties(context, asked, &status);
        cl_uint count;
        size_t size;
        OK(status);
        if (round > ROUNDS / 2)
            CHECK(sampled(kernel, sampler, image, found) == (mode == CL_ADDRESS_CLAMP ? 0 : 9));
        OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof got, &got, NULL));
        OK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof count, &count, NULL));
        CHECK(got == mode && count == 1);
        OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof back, back, &size));
        CHECK(round % 4 < 2 ? !size : size == sizeof asked && !memcmp(asked, back, size));
        memset(asked, 0, sizeof asked);
        CHECK(!clCreateSampler(context, CL_TRUE, 0x1234, CL_FILTER_NEAREST, &status) && status == CL_INVALID_VALUE);
        OK(clReleaseSampler(sampler));
        IS(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    }
    for (int round = 0; round < 3; round++) {
        cl_sampler plain = clCreateSamplerWithProperties(context, NULL, &status);
        OK(status);
        OK(clReleaseSampler(plain));
        cl_sampler_properties nothing[] = { 0 };
        plain = clCreateSamplerWithProperties(context, nothing, &status);
        size_t size;
        OK(clGetSamplerInfo(plain, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
        CHECK(size == sizeof nothing);
        OK(clReleaseSampler(plain));
    }
    OK(clReleaseMemObject(found));
    OK(clReleaseMemObject(image));
    OK(clReleaseKernel(kernel));
}

/* There may be more descriptions than are kept. */
static void many_descriptions(void)
{
    for (int turn = 0; turn < 3; turn++)
        for (size_t width = 1; width < 150; width++) {
            cl_mem image = image_of(width);
            size_t got;
            OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof got, &got, NULL));
            CHECK(got == width);
            OK(clReleaseMemObject(image));
        }
}

static void queues_are_as_asked_for(void)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &status);
    cl_queue_properties lists[3][5] = { { 0 }, { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 },
                                        { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 } };
    for (int round = 0; round < ROUNDS; round++) {
        const cl_queue_properties *asked = lists[round % 3];
        size_t wanted = round % 3 ? 24 : 8, size;
        cl_queue_properties back[8], bits;
        cl_context of;
        cl_device_id on;
        cl_uint count;
        cl_event event;
        cl_command_queue made = clCreateCommandQueueWithProperties(context, device, asked, &status);
        OK(status);
        OK(clRetainCommandQueue(made));
        OK(clReleaseCommandQueue(made));
        OK(clFlush(made));
        if (round % 2) {
            OK(clEnqueueWriteBuffer(made, buffer, CL_TRUE, 0, sizeof round, &round, 0, NULL, &event));
            CHECK(got(made, buffer, 0) == round);
            cl_ulong time;
            IS(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
               round % 3 == 1 ? CL_SUCCESS : CL_PROFILING_INFO_NOT_AVAILABLE);
            OK(clReleaseEvent(event));
        }
        OK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, &size));
        CHECK(size == wanted && !memcmp(back, asked, size));
        OK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof bits, &bits, NULL));
        OK(clGetCommandQueueInfo(made, CL_QUEUE_CONTEXT, sizeof of, &of, NULL));
        OK(clGetCommandQueueInfo(made, CL_QUEUE_DEVICE, sizeof on, &on, NULL));
        OK(clGetCommandQueueInfo(made, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
        CHECK(bits == asked[1] && of == context && on == device && count == 1);
        OK(clFinish(made));
        OK(clReleaseCommandQueue(made));
        IS(clReleaseCommandQueue(made), CL_INVALID_COMMAND_QUEUE);
        IS(clFinish(made), CL_INVALID_COMMAND_QUEUE);
        CHECK(!clCreateCommandQueueWithProperties(context, NULL, asked, &status) && status == CL_INVALID_DEVICE);
        CHECK(!clCreateCommandQueueWithProperties(NULL, device, asked, &status) && status == CL_INVALID_CONTEXT);
        CHECK(!clCreateCommandQueueWithProperties(context, device, (cl_queue_properties[]){ 0x1234, 1, 0 }, &status)
              && status == CL_INVALID_VALUE);
        made = clCreateCommandQueue(context, device, asked[1], &status);
        OK(status);
        if (round % 4 == 0)
            OK(clFinish(made));
        OK(clReleaseCommandQueue(made));
    }
    OK(clReleaseMemObject(buffer));
}

/* What a queue without commands did not know when it was made: it comes after what other queues have given to memory that is used again. */
static void a_queue_begins_with_its_first_command(void)
{
    cl_int status;
    cl_command_queue late = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem old = clCreateBuffer(context, 0, SIZE, NULL, &status);
        put(queue, old, 0, round, CL_FALSE);
        OK(clReleaseMemObject(old));
        cl_mem next = clCreateBuffer(context, 0, SIZE, NULL, &status);
        put(late, next, 0, 100 + round, CL_TRUE);
        OK(clFinish(queue));
        CHECK(got(late, next, 0) == 100 + round);
        OK(clReleaseMemObject(next));
        OK(clReleaseCommandQueue(late));
        late = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    }
    OK(clReleaseCommandQueue(late));
}

/* A device that goes may have its address used again. */
static void queues_of_sub_devices(void)
{
    cl_int status;
    cl_uint units, count = 0;
    cl_device_partition_property halves[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 2 || clCreateSubDevices(device, halves, 0, NULL, &count) || count < 2 || count > 256)
        return;
    for (int round = 0; round < 3; round++) {
        cl_device_id parts[256], on;
        OK(clCreateSubDevices(device, halves, count, parts, NULL));
        cl_context its = clCreateContext(NULL, 1, &parts[round % 2], NULL, NULL, &status);
        OK(status);
        for (int i = 0; i < 3; i++) {
            cl_command_queue made = clCreateCommandQueueWithProperties(its, parts[round % 2], NULL, &status);
            OK(status);
            OK(clGetCommandQueueInfo(made, CL_QUEUE_DEVICE, sizeof on, &on, NULL));
            CHECK(on == parts[round % 2]);
            OK(clReleaseCommandQueue(made));
            CHECK(!clCreateCommandQueueWithProperties(its, parts[!(round % 2)], NULL, &status) && status == CL_INVALID_DEVICE);
        }
        for (cl_uint i = 0; i < count; i++)
            OK(clReleaseDevice(parts[i]));
        OK(clReleaseContext(its));
    }
}

static void programs_have_their_source(void)
{
    cl_int status;
    for (int round = 0; round < 6; round++) {
        char first[] = "kernel void put(global int *a)", second[] = " { *a = X; }\0\0", text[256], options[16];
        const char *parts[] = { first, second, "" }, *none[] = { first, NULL };
        size_t lengths[] = { 0, sizeof second - 1, 0 }, size, whole = strlen(first) + strlen(second) + 1, one = 1;
        cl_program program = clCreateProgramWithSource(context, 3, parts, lengths, &status);
        OK(status);
        memset(first, 'x', sizeof first - 1);
        memset(second, 'x', sizeof second - 1);
        if (round % 2) {
            OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
            CHECK(size == whole && !strcmp(text, "kernel void put(global int *a) { *a = X; }"));
        }
        CHECK(!clCreateKernel(program, "put", &status) && status == CL_INVALID_PROGRAM_EXECUTABLE);
        if (round / 2 == 1) {
            sprintf(options, "-DX=%d", 40 + round);
            OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
            cl_kernel kernel = clCreateKernel(program, "put", &status);
            cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, NULL);
            OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
            CHECK(got(queue, buffer, 0) == 40 + round);
            OK(clReleaseMemObject(buffer));
            OK(clReleaseKernel(kernel));
        }
        OK(clRetainProgram(program));
        OK(clReleaseProgram(program));
        OK(clReleaseProgram(program));
        IS(clReleaseProgram(program), CL_INVALID_PROGRAM);
        CHECK(!clCreateProgramWithSource(context, 2, none, NULL, &status) && status == CL_INVALID_VALUE);
        CHECK(!clCreateProgramWithSource(context, 0, parts, NULL, &status) && status == CL_INVALID_VALUE);
        CHECK(!clCreateProgramWithSource(context, 1, NULL, NULL, &status) && status == CL_INVALID_VALUE);
        CHECK(!clCreateProgramWithSource(NULL, 1, (const char *[]){ "" }, NULL, &status) && status == CL_INVALID_CONTEXT);
        program = clCreateProgramWithSource(context, 1, (const char *[]){ "" }, NULL, &status);
        OK(status);
        OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
        CHECK(size == 1 && !*text);
        OK(clReleaseProgram(program));
    }
}

/* Whatever was made of it, and is used or not, keeps its context. */
static void contexts_stay_for_them(void)
{
    cl_int status;
    const char *source = "kernel void put(global int *a) { *a = 1; }";
    for (int round = 0; round < 6; round++) {
        int gone = 0;
        cl_context mine = context;
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
        OK(status);
        OK(clSetContextDestructorCallback(context, count_context, &gone));
        cl_command_queue queues[2];
        cl_sampler samplers[2];
        cl_mem images[2], whole, part;
        for (int i = 0; i < 2; i++) {
            queues[i] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
            samplers[i] = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
            images[i] = image_of(SIDE);
            whole = clCreateBuffer(context, 0, SIZE, NULL, &status);
            if (!i)
                OK(clReleaseMemObject(whole));
        }
        part = part_of(whole, 0, 0, 64);
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
        OK(clReleaseContext(context));
        context = mine;
        OK(clReleaseMemObject(whole));
        for (int i = 0; i < 2; i++) {
            OK(clReleaseSampler(samplers[i]));
            if (round % 2)
                put(queues[i], part, 0, round, CL_TRUE);
            OK(clReleaseMemObject(images[i]));
        }
        if (round % 2)
            CHECK(got(queues[0], part, 0) == round);
        void *all[] = { queues[1], queues[0], part, program };
        for (int i = 0; i < 4; i++) {
            CHECK(!gone);
            void *one = all[(i + round) % 4];
            if (one == part)
                OK(clReleaseMemObject(one));
            else if (one == program)
                OK(clReleaseProgram(one));
            else
                OK(clReleaseCommandQueue(one));
        }
        CHECK(comes_to(&gone, 1));
    }
}

static cl_mem shared_image, shared_part;
static cl_command_queue shared_queue;
static pthread_barrier_t together;

/* All use at once what nobody has used. */
static void *use_first(void *data)
{
    int mine = (int)(size_t)data, value = 1000 + mine, back;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&together);
        if (round % 2) {
            OK(clEnqueueWriteBuffer(shared_queue, shared_part, CL_TRUE, 4 * mine, sizeof value, &value, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(shared_queue, shared_part, CL_TRUE, 4 * mine, sizeof back, &back, 0, NULL, NULL));
            CHECK(back == value);
        }
        OK(clEnqueueFillImage(shared_queue, shared_image, (cl_uint[4]){ 5 }, origin, square, 0, NULL, NULL));
        OK(clFinish(shared_queue));
        pthread_barrier_wait(&together);
        if (!mine) {
            cl_int status;
            cl_mem whole = clCreateBuffer(context, 0, SIZE, NULL, &status);
            OK(clReleaseMemObject(shared_part));
            OK(clReleaseMemObject(shared_image));
            OK(clReleaseCommandQueue(shared_queue));
            shared_part = part_of(whole, 0, 0, 64);
            OK(clReleaseMemObject(whole));
            shared_image = image_of(SIDE);
            shared_queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        }
    }
    return NULL;
}

/* Each makes and releases its own. */
static void *make_and_release(void *data)
{
    cl_int status;
    const char *source = "kernel void f(void) {}";
    for (int round = 0; round < 10 * ROUNDS; round++) {
        cl_mem image = image_of(SIDE + (round + (size_t)data) % 3), whole = clCreateBuffer(context, 0, SIZE, NULL, &status),
               part = part_of(whole, 0, 0, 64);
        cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
        cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        if (round % 5 == 0) {
            put(own, part, 0, round, CL_TRUE);
            OK(clEnqueueFillImage(own, image, (cl_uint[4]){ 5 }, origin, square, 0, NULL, NULL));
            OK(clFinish(own));
        }
        OK(clReleaseMemObject(whole));
        OK(clReleaseMemObject(part));
        OK(clReleaseMemObject(image));
        OK(clReleaseSampler(sampler));
        OK(clReleaseProgram(program));
        OK(clReleaseCommandQueue(own));
    }
    return NULL;
}

static void run_threads(void *(*function)(void *))
{
    run_numbered(THREADS, function);
}

static void threads_use_them(void)
{
    cl_int status;
    cl_mem whole = clCreateBuffer(context, 0, SIZE, NULL, &status);
    shared_part = part_of(whole, 0, 0, 64);
    OK(clReleaseMemObject(whole));
    shared_image = image_of(SIDE);
    shared_queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    CHECK(!pthread_barrier_init(&together, NULL, THREADS));
    run_threads(use_first);
    OK(clReleaseMemObject(shared_part));
    OK(clReleaseMemObject(shared_image));
    OK(clReleaseCommandQueue(shared_queue));
    run_threads(make_and_release);
}

int main(void)
{
    start();
    images_are_apart();
    images_are_as_asked_for();
    wrong_images_stay_wrong();
    callbacks_of_images_are_called();
    samplers_are_as_asked_for();
    many_descriptions();
    queues_are_as_asked_for();
    a_queue_begins_with_its_first_command();
    queues_of_sub_devices();
    programs_have_their_source();
    contexts_stay_for_them();
    threads_use_them();
    images_are_apart();
    finish();
    return 0;
}
