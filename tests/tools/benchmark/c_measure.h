/* What benchmarks in C have in common: the clock, and the median of several rounds of many calls. */
#ifndef C_MEASURE_H
#define C_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 9, WARM_US = 100000 };

/* In microseconds. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static void need(int status, const char *what)
{
    if (status) {
        fprintf(stderr, "%s: %d\n", what, status);
        exit(1);
    }
}

#ifdef CL_PLATFORM_NAME /* where the program is one of OpenCL */
/* The first line that a program prints tells what it has measured. */
static void print_names(cl_platform_id platform, cl_device_id device)
{
    char platform_name[256] = "", device_name[256] = "";
    need(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL), "clGetPlatformInfo");
    need(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_name, device_name, NULL), "clGetDeviceInfo");
    printf("%s, %s\n", platform_name, device_name);
}

/* The devices of the context, so many as the program's second argument says; the first is used. */
enum { MOST_DEVICES = 16 };
static cl_device_id devices[MOST_DEVICES];
static cl_uint device_count = 1;

static cl_device_id find_devices(cl_platform_id platform, int argc, char **argv)
{
    cl_uint found;
    device_count = argc > 2 ? (cl_uint)atoi(argv[2]) : 1;
    need(device_count < 1 || device_count > MOST_DEVICES, "the number of devices");
    need(clGetDeviceIDs(platform, device_count > 1 ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_DEFAULT, device_count, devices, &found),
         "clGetDeviceIDs");
    need(found < device_count, "so many devices");
    return devices[0];
}
#endif

static int ascending(const void *a, const void *b)
{
    return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b);
}

/* A device at rest takes its time to come to its full pace. */
static void warm_up(void (*call)(void))
{
    for (double start = now(); now() - start < WARM_US;)
        call();
}

/* Prints what one of `count` calls takes; `finish` runs untimed after each round. */
static void measure(const char *name, void (*call)(void), void (*finish)(void), int count)
{
    double samples[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        double start = now();
        for (int i = 0; i < count; i++)
            call();
        samples[sample] = (now() - start) / count;
        finish();
    }
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    printf("%-48s %10.3f\n", name, samples[SAMPLES / 2]);
}

#endif
