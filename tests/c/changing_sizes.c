/* 5.10: launches whose sizes change from one to the next, as those of programs whose steps work on less and less. */
#include "check.h"

#include <pthread.h>

enum { SIZE = 4096, FACTS = 16, THREADS = 4 };

static const char *source =
    "kernel void tell(global int *facts, global int *counts, int number) {\n"
    "    size_t at = get_global_id(0) - get_global_offset(0)\n"
    "        + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));\n"
    "    counts[at] = number + (int)at;\n"
    "    if (at == 0) {\n"
    "        facts[0] = number; facts[1] = get_work_dim();\n"
    "        for (int i = 0; i < 3; i++) {\n"
    "            facts[2 + i] = get_global_size(i); facts[5 + i] = get_local_size(i); facts[8 + i] = get_num_groups(i);\n"
    "            facts[11 + i] = get_global_offset(i); } } }\n"
    "kernel void sum(global int *facts, local int *mine) {\n"
    "    mine[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int all = 0; for (size_t i = 0; i < get_local_size(0); i++) all += mine[i];\n"
    "    facts[get_global_id(0)] = all; }\n"
    "kernel void count(global int *counts, int number) { counts[get_global_id(0)] = number; }\n"
    "kernel __attribute__((reqd_work_group_size(16, 1, 1))) void sixteen(global int *facts, global int *counts, int number) {\n"
    "    counts[get_global_id(0)] = number; facts[0] = get_local_size(0); }\n";

static cl_program program;

struct launched {
    cl_kernel kernel;
    cl_mem facts, counts;
    int number;
};

static struct launched begin(void)
{
    cl_int status;
    struct launched made = { .kernel = clCreateKernel(program, "tell", &status) };
    OK(status);
    made.facts = clCreateBuffer(context, 0, FACTS * sizeof(int), NULL, &status);
    made.counts = clCreateBuffer(context, 0, 2 * SIZE * sizeof(int), NULL, &status);
    OK(clSetKernelArg(made.kernel, 0, sizeof made.facts, &made.facts));
    OK(clSetKernelArg(made.kernel, 1, sizeof made.counts, &made.counts));
    return made;
}

static void end(struct launched *made)
{
    OK(clReleaseKernel(made->kernel));
    OK(clReleaseMemObject(made->facts));
    OK(clReleaseMemObject(made->counts));
}

static cl_int enqueue(struct launched *made, cl_command_queue to, cl_uint dimensions, const size_t *offset, const size_t *global,
                      const size_t *local)
{
    made->number += 7;
    OK(clSetKernelArg(made->kernel, 2, sizeof made->number, &made->number));
    return clEnqueueNDRangeKernel(to, made->kernel, dimensions, offset, global, local, 0, NULL, NULL);
}

static void check(struct launched *made, cl_command_queue to, cl_uint dimensions, const size_t *offset, const size_t *global,
                  const size_t *local)
{
    int facts[FACTS], counts[SIZE + 1], none = -5;
    size_t items = 1;
    OK(clEnqueueFillBuffer(to, made->counts, &none, sizeof none, 0, 2 * SIZE * sizeof none, 0, NULL, NULL));
    OK(enqueue(made, to, dimensions, offset, global, local));
    OK(clEnqueueReadBuffer(to, made->facts, CL_TRUE, 0, sizeof facts, facts, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(to, made->counts, CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL));
    CHECK(facts[0] == made->number && facts[1] == (int)dimensions);
    for (cl_uint i = 0; i < 3; i++) {
        int all = i < dimensions ? (int)global[i] : 1, group = i < dimensions && local ? (int)local[i] : local ? 1 : facts[5 + i];
        CHECK(facts[2 + i] == all && facts[5 + i] == group && facts[8 + i] == (all + group - 1) / group);
        CHECK(facts[11 + i] == (i < dimensions && offset ? (int)offset[i] : 0));
        items *= all;
    }
    for (size_t i = 0; i <= items && i <= SIZE; i++)
        CHECK(counts[i] == (i < items ? made->number + (int)i : none));
}

static void sizes_of_one_dimension(cl_command_queue to)
{
    struct launched made = begin();
    for (int round = 0; round < 3; round++)
        for (size_t global = SIZE; global; global -= 128) {
            size_t local = 64, other = 32, three = 3, odd = global + 1;
            check(&made, to, 1, NULL, &global, &local);
            if (global % 384 == 0) { /* In between: others, the same again, some that are more or wrong. */
                check(&made, to, 1, NULL, &global, &other);
                check(&made, to, 1, NULL, &global, NULL);
                check(&made, to, 1, NULL, &global, &local);
                check(&made, to, 1, NULL, &global, &local);
                check(&made, to, 1, NULL, &(size_t){ 3 * global / 3 }, &three);
                if (global < SIZE)
                    check(&made, to, 1, &local, &global, &local);
                size_t none = 0, most = (size_t)1 << 40;
                OK(enqueue(&made, to, 1, NULL, &none, &local));
                IS(enqueue(&made, to, 1, NULL, &global, &none), CL_INVALID_WORK_GROUP_SIZE);
                IS(enqueue(&made, to, 1, NULL, &global, &most), CL_INVALID_WORK_ITEM_SIZE);
                cl_int status = enqueue(&made, to, 1, NULL, &odd, &local);
                CHECK(status == CL_SUCCESS || status == CL_INVALID_WORK_GROUP_SIZE);
                IS(enqueue(&made, to, 1, NULL, &odd, &local), status);
            }
        }
    end(&made);
}

/* What Python would choose. */
static void check_choice(struct launched *made, cl_uint dimensions, const size_t *global)
{
    static clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;
    int facts[FACTS];
    size_t group[3] = { 1, 1, 1 };
    if (!suggest)
        suggest = (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    check(made, queue, dimensions, NULL, global, NULL);
    OK(clEnqueueReadBuffer(queue, made->facts, CL_TRUE, 0, sizeof facts, facts, 0, NULL, NULL));
    OK(suggest(queue, made->kernel, dimensions, NULL, global, group));
    for (cl_uint i = 0; i < 3; i++)
        CHECK(facts[5 + i] == (int)group[i]);
}

static void groups_that_are_left_open(void)
{
    struct launched made = begin();
    const size_t none[3] = { 0 };
    for (size_t x = 1; x <= SIZE; x += x < 300 ? 1 : 37) {
        check_choice(&made, 1, &x);
        if (x % 5 == 0)
            check(&made, queue, 1, none, &x, NULL);
    }
    for (size_t x = 1; x <= 64; x += 3)
        for (size_t y = 1; y <= SIZE / 64; y += 7) {
            const size_t plane[2] = { x, y }, volume[3] = { x, 1 + y / 8, 5 };
            check_choice(&made, 2, plane);
            check_choice(&made, 3, volume);
        }
    end(&made);
}

/* Where no work-item can tell, groups need not divide the size. */
static void groups_that_nobody_sees(void)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "count", &status);
    cl_mem counts = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, &status);
    OK(clSetKernelArg(kernel, 0, sizeof counts, &counts));
    for (int number = 1; number < SIZE; number += number < 100 ? 1 : 101) {
        int found[SIZE], zero = 0;
        size_t global = (size_t)number;
        OK(clEnqueueFillBuffer(queue, counts, &zero, sizeof zero, 0, sizeof found, 0, NULL, NULL));
        OK(clSetKernelArg(kernel, 1, sizeof number, &number));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, counts, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        for (int i = 0; i < SIZE; i++)
            CHECK(found[i] == (i < number ? number : 0));
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(counts));
}

static void groups_that_are_required(void)
{
    struct launched made = begin();
    OK(clReleaseKernel(made.kernel));
    cl_int status;
    made.kernel = clCreateKernel(program, "sixteen", &status);
    OK(status);
    OK(clSetKernelArg(made.kernel, 0, sizeof made.facts, &made.facts));
    OK(clSetKernelArg(made.kernel, 1, sizeof made.counts, &made.counts));
    for (size_t global = 16; global < 1024; global += 16) {
        const size_t right = 16, wrong = 8, odd = global + 4;
        int found;
        OK(enqueue(&made, queue, 1, NULL, &global, global % 32 ? &right : NULL));
        OK(clEnqueueReadBuffer(queue, made.facts, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
        CHECK(found == 16);
        OK(clEnqueueReadBuffer(queue, made.counts, CL_TRUE, (global - 1) * sizeof found, sizeof found, &found, 0, NULL, NULL));
        CHECK(found == made.number);
        IS(enqueue(&made, queue, 1, NULL, &global, &wrong), CL_INVALID_WORK_GROUP_SIZE);
        status = enqueue(&made, queue, 1, NULL, &odd, NULL);
        CHECK(status == CL_SUCCESS || status == CL_INVALID_WORK_GROUP_SIZE);
    }
    end(&made);
}

static void sizes_of_more_dimensions(cl_command_queue to)
{
    struct launched made = begin();
    const size_t local[3] = { 4, 2, 2 }, wide[2] = { 8, 4 };
    for (int round = 0; round < 2; round++)
        for (size_t x = 4; x <= 32; x += 4)
            for (size_t y = 4; y <= 16; y += 4) {
                const size_t global[3] = { x, y, y / 2 };
                check(&made, to, 3, NULL, global, local);
                check(&made, to, 2, NULL, global, local);
                if (x % 8 == 0)
                    check(&made, to, 2, NULL, global, wide);
                check(&made, to, 1, NULL, global, local);
            }
    end(&made);
}

static void local_memory_has_its_size(void)
{
    cl_int status, found[256];
    cl_kernel kernel = clCreateKernel(program, "sum", &status);
    cl_mem facts = clCreateBuffer(context, 0, sizeof found, NULL, &status);
    OK(clSetKernelArg(kernel, 0, sizeof facts, &facts));
    for (int round = 0; round < 12; round++) {
        size_t local = round % 2 ? 16 : 32, global = 256 - 32 * (round % 5);
        OK(clSetKernelArg(kernel, 1, local * sizeof(int), NULL));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, facts, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        for (size_t i = 0; i < global; i++)
            CHECK(found[i] == (int)local);
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(facts));
}

/* Held back behind a user event, with the sizes and the values of then. */
static void sizes_of_then(void)
{
    struct launched made = begin();
    const size_t local = 32;
    for (size_t global = 64; global < 256; global += 32)
        check(&made, queue, 1, NULL, &global, &local);
    for (size_t global = 256; global < 1024; global += 64) {
        cl_int status;
        cl_event gate = clCreateUserEvent(context, &status);
        int facts[FACTS], later = made.number + 1;
        OK(clSetKernelArg(made.kernel, 2, sizeof made.number, &made.number));
        OK(clEnqueueNDRangeKernel(queue, made.kernel, 1, NULL, &global, &local, 1, &gate, NULL));
        OK(clSetKernelArg(made.kernel, 2, sizeof later, &later));
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clEnqueueReadBuffer(queue, made.facts, CL_TRUE, 0, sizeof facts, facts, 0, NULL, NULL));
        CHECK(facts[0] == made.number && facts[2] == (int)global);
        made.number = later;
        OK(clReleaseEvent(gate));
    }
    end(&made);
}

static void *launch_often(void *data)
{
    struct launched *shared = data;
    for (size_t i = 0; i < 300; i++) {
        size_t global = 32 * (1 + i % 40), local = 32;
        OK(clEnqueueNDRangeKernel(queue, shared->kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    return NULL;
}

static void threads_change_sizes(void)
{
    struct launched made = begin();
    pthread_t threads[THREADS];
    const size_t global = 64, local = 32;
    check(&made, queue, 1, NULL, &global, &local);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, launch_often, &made));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    check(&made, queue, 1, NULL, &global, &local);
    end(&made);
}

int main(void)
{
    cl_int status;
    const cl_queue_properties with_times[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
    start();
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    for (int build = 0; build < 2; build++) {
        OK(clBuildProgram(program, 0, NULL, build ? "-cl-std=CL3.0" : "-cl-std=CL1.2", NULL, NULL));
        cl_command_queue timed = clCreateCommandQueueWithProperties(context, device, with_times, &status);
        sizes_of_one_dimension(queue);
        sizes_of_one_dimension(timed);
        sizes_of_more_dimensions(queue);
        groups_that_are_left_open();
        groups_that_nobody_sees();
        groups_that_are_required();
        local_memory_has_its_size();
        sizes_of_then();
        threads_change_sizes();
        OK(clReleaseCommandQueue(timed));
    }
    OK(clReleaseProgram(program));
    finish();
    return 0;
}
