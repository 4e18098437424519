/* The program rounds upwards, traps or flushes denormals, as compilers' options and other languages have it: kernels compute as always, also
   with numbers that only Python has read, and the program's own way is the same after each call. */
#define _GNU_SOURCE
#include "check.h"

#include <fenv.h>
#include <pthread.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum { ITEMS = 4096, TRAPS = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

static const char *source =
    "kernel void thirds(global float *a, global double *b) { size_t i = get_global_id(0); a[i] = i / 3.0f; b[i] = i / 3.0; }\n"
    "kernel void zeros(global float *a, global double *b) {\n"
    "    size_t i = get_global_id(0); a[i] = (i + 1) / (float)(i - i); b[i] = sqrt(-1.0 - i) + fmod((double)i, 0.0); }\n"
    "kernel void denormals(global float *a, global double *b) {\n"
    "    size_t i = get_global_id(0); a[i] = i * 1e-45f; b[i] = i * 4.9406564584124654e-324; barrier(CLK_GLOBAL_MEM_FENCE); }\n";

static float floats[ITEMS];
static double doubles[ITEMS];

static void run(cl_program program, const char *name)
{
    cl_int status;
    const size_t items = ITEMS;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    OK(status);
    cl_mem buffers[] = { clCreateBuffer(context, 0, sizeof floats, NULL, &status), clCreateBuffer(context, 0, sizeof doubles, NULL, &status) };
    for (cl_uint i = 0; i < 2; i++)
        OK(clSetKernelArg(kernel, i, sizeof *buffers, &buffers[i]));
    for (int again = 0; again < 3; again++) /* the later ones without Python */
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, sizeof floats, floats, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, sizeof doubles, doubles, 0, NULL, NULL));
    for (int i = 0; i < 2; i++)
        OK(clReleaseMemObject(buffers[i]));
    OK(clReleaseKernel(kernel));
}

/* All of a program's life; `option` gives each a build of its own. */
static void run_all(const char *option)
{
    const int rounding = fegetround(), traps = fegetexcept();
    cl_int status;
    char options[100]; /* OpenCL's own division may be 2.5 ulp off, and is on GPUs. */
    snprintf(options, sizeof options, "-cl-fp32-correctly-rounded-divide-sqrt %s", option);
    start();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    run(program, "thirds");
    CHECK(fegetround() == rounding && fegetexcept() == traps);
    fenv_t own;
    CHECK(!feholdexcept(&own));
    fesetenv(FE_DFL_ENV);
    for (int i = 0; i < ITEMS; i++)
        CHECK(floats[i] == i / 3.0f && doubles[i] == i / 3.0);
    fesetenv(&own);
    run(program, "zeros");
    CHECK(fegetround() == rounding && fegetexcept() == traps && !(traps && fetestexcept(traps)));
    uint32_t words[ITEMS];
    uint64_t long_words[ITEMS];
    memcpy(words, floats, sizeof words);
    memcpy(long_words, doubles, sizeof long_words);
    for (int i = 0; i < ITEMS; i++)
        CHECK(words[i] == 0x7f800000 && long_words[i] << 1 > 0x7ffull << 53);
    run(program, "denormals");
    CHECK(fegetround() == rounding && fegetexcept() == traps);
    memcpy(words, floats, sizeof words);
    memcpy(long_words, doubles, sizeof long_words);
    for (int i = 0; i < ITEMS; i++)
        CHECK(words[i] == (uint32_t)i && long_words[i] == (uint64_t)i);
    OK(clReleaseProgram(program));
    finish();
}

static void *trapping_thread(void *unused)
{
    CHECK(feenableexcept(TRAPS) != -1);
    run_all("-D TRAPPING_THREAD");
    CHECK(fegetexcept() == TRAPS);
    return unused;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "trap";
    if (!strcmp(way, "trap")) {
        CHECK(feenableexcept(TRAPS) != -1);
    } else if (!strcmp(way, "round")) {
        CHECK(!fesetround(FE_UPWARD));
    }
#ifdef __x86_64__
    if (!strcmp(way, "flush"))
        _mm_setcsr(_mm_getcsr() | 0x8040);
    const unsigned control = _mm_getcsr() & ~0x3fu;
    run_all("-D BUILT_NOW");
    CHECK((_mm_getcsr() & ~0x3fu) == control);
#else
    run_all("-D BUILT_NOW");
#endif
    fesetenv(FE_DFL_ENV);
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, trapping_thread, NULL) && !pthread_join(thread, NULL));
    return 0;
}
