/* 5.9: kernel objects that are what a released one was, while that one's launches are on their way: in several queues, a command-buffer,
   threads and a child. */
#include "returning_kernels.h"
#include "together.h"

#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8 };

/* Of a kernel that was released, and is another one by now. */
static void what_runs_has_its_arguments(void)
{
    cl_int status;
    cl_event gate;
    cl_mem memory[4];
    for (int round = 0; round < 4; round++) {
        int turns = 20000 * (round % 2);
        gate = round / 2 ? clCreateUserEvent(context, &status) : NULL;
        for (int i = 0; i < 4; i++) {
            size_t size = SIZE;
            cl_kernel kernel = kernel_in(program, "late");
            set(kernel, memory[i] = made_buffer(), 100 * round + i);
            OK(clSetKernelArg(kernel, 2, sizeof turns, &turns));
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, gate != NULL, gate ? &gate : NULL, NULL));
            OK(clReleaseKernel(kernel));
        }
        if (gate) {
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
            OK(clReleaseEvent(gate));
        }
        for (int i = 0; i < 4; i++) {
            expect_in(queue, memory[i], 100 * round + i);
            OK(clReleaseMemObject(memory[i]));
        }
    }
}

static void other_queues_launch_them(void)
{
    cl_int status;
    for (int round = 0; round < 12; round++) {
        cl_queue_properties kinds[] = { 0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
        cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, kinds[round % 3], 0 };
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, properties, &status);
        OK(status);
        for (int use = 0; use < 4; use++) {
            cl_kernel kernel = kernel_in(program, "put");
            set(kernel, buffer, 10 * round + use);
            OK(launched(other, kernel));
            OK(clReleaseKernel(kernel));
            OK(clFinish(other));
        }
        expect_in(other, buffer, 10 * round + 3);
        OK(clReleaseCommandQueue(other));
    }
}

/* A command-buffer has kernels of its own, whatever those are that the application makes. */
static void recorded_ones_stay(void)
{
#define FIND(name) clGetExtensionFunctionAddressForPlatform(platform, #name)
    void *(*create)(cl_uint, const cl_command_queue *, const void *, cl_int *) = FIND(clCreateCommandBufferKHR);
    cl_int (*record)(void *, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                     const cl_uint *, cl_uint *, void **) = FIND(clCommandNDRangeKernelKHR);
    cl_int (*finalize)(void *) = FIND(clFinalizeCommandBufferKHR), (*release)(void *) = FIND(clReleaseCommandBufferKHR), status;
    cl_int (*enqueue)(cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *, cl_event *) = FIND(clEnqueueCommandBufferKHR);
    size_t size = SIZE;
    for (int round = 0; round < 3; round++) {
        void *commands = create(1, &queue, NULL, &status);
        OK(status);
        cl_kernel kernel = kernel_in(program, "put");
        set(kernel, buffer, 40 + round);
        OK(record(commands, NULL, NULL, kernel, 1, NULL, &size, NULL, 0, NULL, NULL, NULL));
        OK(finalize(commands));
        OK(clReleaseKernel(kernel));
        put_by_a_new_kernel(program, 1);
        OK(enqueue(0, NULL, commands, 0, NULL, NULL));
        expect(40 + round);
        OK(clFinish(queue));
        OK(release(commands));
        put_by_a_new_kernel(program, 2);
        expect(2);
    }
}

static void *make_and_launch(void *data)
{
    cl_int status;
    int mine = (int)(size_t)data;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    cl_mem memory = made_buffer();
    for (int round = 0; round < ROUNDS; round++) {
        int value = 1000 * mine + round, turns = 0;
        cl_kernel kernel = kernel_in(program, round % 3 ? "put" : "late");
        if (round % 5 == 0)
            IS(launched(own, kernel), CL_INVALID_KERNEL_ARGS);
        set(kernel, memory, value);
        if (round % 3 == 0)
            OK(clSetKernelArg(kernel, 2, sizeof turns, &turns));
        cl_kernel clone = round % 7 ? NULL : clCloneKernel(kernel, &status);
        OK(launched(own, clone ? clone : kernel));
        OK(clReleaseKernel(kernel));
        if (clone)
            OK(clReleaseKernel(clone));
        expect_in(own, memory, value);
    }
    OK(clReleaseMemObject(memory));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

static void threads_make_and_launch_them(void)
{
    run_numbered(THREADS, make_and_launch);
}

static void *launch_it(void *kernel)
{
    OK(launched(queue, kernel));
    return NULL;
}

/* Of which Python has to hear, before it launches it, that its arguments are set. */
static void threads_launch_a_new_one(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        cl_kernel kernel = kernel_in(program, "put");
        IS(launched(queue, kernel), CL_INVALID_KERNEL_ARGS);
        set(kernel, buffer, round);
        run_with(THREADS, launch_it, kernel);
        expect(round);
        OK(clReleaseKernel(kernel));
    }
}

static void a_child_makes_its_own(void)
{
    int result;
    put_by_a_new_kernel(program, 1);
    pid_t child = fork();
    if (!child) {
        cl_kernel kernel = kernel_in(program, "put");
        int value = 3;
        OK(clSetKernelArg(kernel, 1, sizeof value, &value));
        OK(clReleaseKernel(kernel));
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &result, 0) == child && WIFEXITED(result) && WEXITSTATUS(result) == 0);
    put_by_a_new_kernel(program, 2);
    expect(2);
}

int main(void)
{
    start_kernels();
    what_runs_has_its_arguments();
    other_queues_launch_them();
    recorded_ones_stay();
    threads_make_and_launch_them();
    threads_launch_a_new_one();
    a_child_makes_its_own();
    finish_kernels();
    return 0;
}
