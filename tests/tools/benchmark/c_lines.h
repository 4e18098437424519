/* What the longer lists of calls in C have in common: an OpenCL device, macros for lines of a table, and what measures them. */
#ifndef C_LINES_H
#define C_LINES_H

#include <CL/cl.h>
#include <string.h>

#include "c_measure.h"

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_int status;
static char answer[1 << 16];

/* A line of the table: what is called again and again. */
#define LINE(name, ...) static void name(void) { __VA_ARGS__; }
#define NEED(call) need(call, #call)
/* An object that is released at once. */
#define OBJECT(name, type, release, ...) \
    static void name(void) \
    { \
        type made = __VA_ARGS__; \
        need(status, #name); \
        release(made); \
    }
#define QUERY(name, query, ...) LINE(name, NEED(query(__VA_ARGS__, sizeof answer, answer, NULL)))

/* What takes long is called less often, by one of the shares. */
struct line {
    const char *name;
    void (*call)(void);
    int is_long;
};
enum { LONG = 1, LONGEST };

static cl_command_queue new_queue(cl_command_queue_properties properties)
{
    const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, properties, 0 };
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &status);
    NEED(status);
    return made;
}

static void begin(int argc, char **argv)
{
    NEED(clGetPlatformIDs(1, &platform, NULL));
    device = find_devices(platform, argc, argv);
    print_names(platform, device);
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &status);
    NEED(status);
}

/* `finish` runs untimed after each sample, and `restore` after each line. */
static void measure_lines(const struct line *lines, size_t count, int rounds, void (*finish)(void), void (*restore)(void))
{
    static const int shares[] = { 4, 20, 500 };
    for (size_t i = 0; i < count; i++) {
        int calls = rounds / shares[lines[i].is_long];
        measure(lines[i].name, lines[i].call, finish, calls ? calls : 1);
        restore();
    }
}

#endif
