/* 5.8: programs that are made of the same source or binary again and again, and may all be what a released one was: nothing may tell them
   from new ones. */
#include "returning_kernels.h"
#include "together.h"

#include <time.h>

static unsigned char *binary;
static size_t binary_size;

static void take_binary(cl_program from)
{
    free(binary);
    OK(clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof binary_size, &binary_size, NULL));
    binary = malloc(binary_size);
    CHECK(binary);
    OK(clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
}

static cl_program of_bytes_in(cl_context where, const unsigned char *bytes, size_t size)
{
    cl_int one = 1, status = 1;
    cl_program made = clCreateProgramWithBinary(where, 1, &device, &size, &bytes, &one, &status);
    OK(status);
    OK(one);
    return made;
}

static cl_program of_binary(void) { return of_bytes_in(context, binary, binary_size); }

static cl_program of_source(const char *text)
{
    cl_int status;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    OK(status);
    return made;
}

static cl_build_status status_of(cl_program asked)
{
    cl_build_status status;
    OK(clGetProgramBuildInfo(asked, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

static const char *options_of(cl_program asked)
{
    static char options[64];
    OK(clGetProgramBuildInfo(asked, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    return options;
}

static cl_uint number_of(cl_program asked, cl_program_info what)
{
    cl_uint number;
    OK(clGetProgramInfo(asked, what, sizeof number, &number, NULL));
    return number;
}

/* One of which something is asked in each state, or a call with it refused: by turns in the rounds. */
static void is_as_new(cl_program made, int round, int is_binary, const char *options)
{
    cl_int status;
    char text[sizeof "-DMORE=100"];
    if (round % 5 == 1)
        CHECK(status_of(made) == CL_BUILD_NONE && !*options_of(made));
    if (round % 7 == 2)
        CHECK(!clCreateKernel(made, "put", &status) && status == CL_INVALID_PROGRAM_EXECUTABLE);
    if (round % 6 == 3)
        CHECK(number_of(made, CL_PROGRAM_REFERENCE_COUNT) == 1 && number_of(made, CL_PROGRAM_NUM_DEVICES) == 1);
    if (round % 9 == 4)
        IS(clBuildProgram(made, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    OK(clBuildProgram(made, round % 2, round % 2 ? &device : NULL, options, NULL, NULL));
    if (round % 4 == 1) {
        size_t size, kernels;
        CHECK(status_of(made) == CL_BUILD_SUCCESS);
        if (options)
            CHECK(!strcmp(options_of(made), options));
        OK(clGetProgramInfo(made, CL_PROGRAM_SOURCE, 0, NULL, &size));
        OK(clGetProgramInfo(made, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
        CHECK((size == 1) == is_binary && kernels == 4);
        IS(clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_OPTIONS, options && *options ? 1 : 0, text, NULL), CL_INVALID_VALUE);
    }
}

static void use(cl_program made, int round, int more)
{
    cl_program its;
    cl_kernel kernel = kernel_in(made, "put"), other = round % 3 ? NULL : kernel_in(made, "put");
    IS(launched(queue, kernel), CL_INVALID_KERNEL_ARGS);
    set(kernel, buffer, round);
    OK(launched(queue, kernel));
    expect(round + more);
    OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof its, &its, NULL));
    CHECK(its == made && references(kernel) == 1);
    IS(clBuildProgram(made, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    if (other)
        OK(clReleaseKernel(other));
    OK(clReleaseKernel(kernel));
}

static void binaries_begin_anew(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        cl_program made = of_binary();
        is_as_new(made, round, 1, round % 8 < 5 ? "" : NULL);
        use(made, round, 100);
        OK(clReleaseProgram(made));
        IS(clReleaseProgram(made), CL_INVALID_PROGRAM);
        IS(clRetainProgram(made), CL_INVALID_PROGRAM);
    }
}

static void sources_begin_anew(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        char options[16];
        snprintf(options, sizeof options, "-DMORE=%d", round % 4);
        cl_program made = of_source(source);
        is_as_new(made, round, 0, options);
        use(made, round, round % 4);
        OK(clReleaseProgram(made));
    }
}

/* "the program will be built as if options were the same as when the program binary was originally built" */
static void no_options_are_the_binarys(void)
{
    for (int round = 0; round < 12; round++) {
        cl_program made = of_binary();
        OK(clBuildProgram(made, 1, &device, round % 2 ? "" : NULL, NULL, NULL));
        CHECK(!strcmp(options_of(made), round % 2 ? "" : "-DMORE=100"));
        OK(clReleaseProgram(made));
    }
}

static void several_live_at_once(void)
{
    enum { LIVE = 12 };
    for (int round = 0; round < 3; round++) {
        cl_program made[LIVE];
        for (int i = 0; i < LIVE; i++) {
            made[i] = of_binary();
            OK(clBuildProgram(made[i], 0, NULL, "", NULL, NULL));
            for (int j = 0; j < i; j++)
                CHECK(made[i] != made[j]);
        }
        for (int i = 0; i < LIVE; i++)
            use(made[i], i, 100);
        for (int i = 0; i < LIVE; i++)
            OK(clReleaseProgram(made[(5 * i + round) % LIVE]));
    }
}

/* A kernel keeps its program, which may be retained again. */
static void kernels_go_later(void)
{
    for (int round = 0; round < 12; round++) {
        cl_program made = of_binary(), its;
        OK(clBuildProgram(made, 0, NULL, "", NULL, NULL));
        cl_kernel kernel = kernel_in(made, "put");
        OK(clReleaseProgram(made));
        cl_program next = of_binary();
        OK(clBuildProgram(next, 0, NULL, "", NULL, NULL));
        set(kernel, buffer, round);
        OK(launched(queue, kernel));
        expect(round + 100);
        if (round % 3 == 1) {
            OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof its, &its, NULL));
            CHECK(its == made && its != next && number_of(its, CL_PROGRAM_REFERENCE_COUNT) == 0);
            OK(clRetainProgram(its));
            OK(clReleaseKernel(kernel));
            use(its, round, 100);
            OK(clReleaseProgram(its));
        } else {
            OK(clReleaseKernel(kernel));
        }
        OK(clReleaseProgram(next));
    }
}

/* Nor is anything left of what else was done with a program. */
static void other_uses_stay_with_one(void)
{
    cl_int status;
    for (int round = 0; round < 12; round++) {
        cl_program made = of_source(source);
        OK(clBuildProgram(made, 0, NULL, "", NULL, NULL));
        if (round % 4 == 0) {
            OK(clBuildProgram(made, 0, NULL, "-DMORE=7", NULL, NULL));
            use(made, round, 7);
        }
        if (round % 4 == 1) {
            IS(clBuildProgram(made, 0, NULL, "-DMORE=+", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
            CHECK(status_of(made) == CL_BUILD_ERROR);
        }
        if (round % 4 == 2) {
            OK(clCompileProgram(made, 0, NULL, "-DMORE=8", 0, NULL, NULL, NULL, NULL));
            cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &made, NULL, NULL, &status);
            OK(status);
            use(linked, round, 8);
            OK(clReleaseProgram(linked));
        }
        if (round % 4 == 3) {
            size_t one = 1;
            cl_kernel kernel = kernel_in(made, "put");
            clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(cl_bool), &(cl_bool){ CL_FALSE });
            set(kernel, buffer, round);
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
            OK(clReleaseKernel(kernel));
        }
        OK(clReleaseProgram(made));
    }
}

/* A released program's variables are not the next one's. */
static void variables_are_one_programs(void)
{
    const char *text = "global int count = 5; kernel void put(global int *a, int b) { int i = get_global_id(0);"
                       " a[i] = b + i + count; if (!i) { a[0] = b + count; count += 10; } }";
    for (int round = 0; round < 6; round++) {
        cl_program made = built(text, "-cl-std=CL3.0");
        size_t one = 1;
        int got;
        for (int again = 0; again < 2; again++) {
            cl_kernel kernel = kernel_in(made, "put");
            set(kernel, buffer, round);
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
            CHECK(got == round + 5 + 10 * again);
            OK(clReleaseKernel(kernel));
        }
        OK(clReleaseProgram(made));
    }
}

static void files_are_read_again(void)
{
    char folder[] = P_tmpdir "/programsXXXXXX", path[64], options[64];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/more.h", folder);
    snprintf(options, sizeof options, "-I %s", folder);
    for (int round = 0; round < 6; round++) {
        FILE *file = fopen(path, "w");
        CHECK(file);
        fprintf(file, "#define MORE %d\n", round / 2);
        fclose(file);
        cl_program made = built("#include \"more.h\"\n"
                                "kernel void put(global int *a, int b) { int i = get_global_id(0); a[i] = b + i + MORE; }", options);
        put_by_a_new_kernel(made, round);
        expect(round + round / 2);
        OK(clReleaseProgram(made));
    }
    remove(path);
    remove(folder);
}

static void damage_is_found(void)
{
    cl_int one, status;
    unsigned char *other = malloc(binary_size);
    CHECK(other);
    for (int round = 0; round < 6; round++) {
        const unsigned char *given = other;
        size_t size = binary_size - (round == 5);
        memcpy(other, binary, binary_size);
        if (round < 5)
            other[round * (binary_size - 1) / 4] ^= 1;
        one = 0;
        CHECK(!clCreateProgramWithBinary(context, 1, &device, &size, &given, &one, &status) && status == CL_INVALID_BINARY);
        CHECK(one == CL_INVALID_BINARY);
        given = binary;
        size = 0;
        CHECK(!clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &status) && status == CL_INVALID_VALUE);
        CHECK(!clCreateProgramWithBinary(context, 0, &device, &binary_size, &given, NULL, &status) && status == CL_INVALID_VALUE);
        memcpy(other, binary, binary_size); /* What was given may go once the call has returned. */
        cl_program made = of_bytes_in(context, other, binary_size);
        memset(other, 0, binary_size);
        if (round % 2)
            CHECK(status_of(made) == CL_BUILD_NONE);
        OK(clBuildProgram(made, 0, NULL, "", NULL, NULL));
        use(made, round, 100);
        OK(clReleaseProgram(made));
        CHECK(!clCreateProgramWithBinary(NULL, 1, &device, &binary_size, &given, NULL, &status) && status == CL_INVALID_CONTEXT);
    }
    free(other);
}

static void CL_CALLBACK note(cl_program done, void *data)
{
    (void)done;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

static void CL_CALLBACK context_is_gone(cl_context gone, void *data)
{
    (void)gone;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

static void wait_for(const int *place)
{
    const struct timespec pause = { 0, 1000000 };
    for (int i = 0; i < 5000 && !__atomic_load_n(place, __ATOMIC_ACQUIRE); i++)
        nanosleep(&pause, NULL);
    CHECK(__atomic_load_n(place, __ATOMIC_ACQUIRE));
}

static void callbacks_are_called(void)
{
    for (int round = 0; round < 6; round++) {
        int done = 0;
        cl_program made = of_binary();
        IS(clBuildProgram(made, 0, NULL, "", NULL, &done), CL_INVALID_VALUE);
        OK(clBuildProgram(made, 0, NULL, "", note, &done));
        wait_for(&done);
        use(made, round, 100);
        OK(clReleaseProgram(made));
    }
}

/* What is kept of released programs keeps no context. */
static void the_context_goes(void)
{
    for (int round = 0; round < 3; round++) {
        cl_int status;
        int gone = 0;
        cl_program last = NULL;
        cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
        OK(status);
        OK(clSetContextDestructorCallback(other, context_is_gone, &gone));
        for (int i = 0; i < 4; i++) {
            cl_program made = of_bytes_in(other, binary, binary_size);
            OK(clBuildProgram(made, 0, NULL, "", NULL, NULL));
            OK(clReleaseKernel(kernel_in(made, "put")));
            if (round == 2 && i == 3)
                last = made;
            else
                OK(clReleaseProgram(made));
        }
        if (round == 1)
            last = of_bytes_in(other, binary, binary_size);
        OK(clReleaseContext(other));
        if (last)
            OK(clReleaseProgram(last));
        wait_for(&gone);
    }
}

static void *work(void *number)
{
    cl_int status;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);
    cl_mem memory = made_buffer();
    for (int round = 0; round < ROUNDS; round++) {
        int value = 1000 * (int)(size_t)number + round, is_binary = (round + (int)(size_t)number) % 3;
        cl_program made = is_binary ? of_binary() : of_source(source);
        OK(clBuildProgram(made, 0, NULL, is_binary ? "" : "-DMORE=100", NULL, NULL));
        cl_kernel kernel = kernel_in(made, "put");
        set(kernel, memory, value);
        OK(launched(own, kernel));
        expect_in(own, memory, value + 100);
        if (round % 4 == 3)
            OK(clReleaseProgram(made));
        OK(clReleaseKernel(kernel));
        if (round % 4 != 3)
            OK(clReleaseProgram(made));
    }
    OK(clReleaseMemObject(memory));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

/* Threads that build one program at once: one of them does, and all find it built. */
static cl_program common;

static void *build_common(void *unused)
{
    cl_int status = clBuildProgram(common, 0, NULL, "", NULL, NULL);
    CHECK(status == CL_SUCCESS || status == CL_INVALID_OPERATION);
    return unused;
}

static void threads_build_one(void)
{
    for (int round = 0; round < 20; round++) {
        common = of_binary();
        run_with(3, build_common, NULL);
        use(common, round, 100);
        OK(clReleaseProgram(common));
    }
}

int main(void)
{
    start_kernels();
    cl_program first = built(source, "-DMORE=100");
    take_binary(first);
    OK(clReleaseProgram(first));
    binaries_begin_anew();
    sources_begin_anew();
    no_options_are_the_binarys();
    several_live_at_once();
    kernels_go_later();
    other_uses_stay_with_one();
    variables_are_one_programs();
    files_are_read_again();
    damage_is_found();
    callbacks_are_called();
    the_context_goes();
    run_numbered(3, work);
    threads_build_one();
    binaries_begin_anew();
    free(binary);
    finish_kernels();
    return 0;
}
