/* What CUDA's own calls take, in microseconds, without any OpenCL: the floor of c_calls.c, in whose rounds it measures. usage: cuda_calls
   [ROUNDS]

   It opens the NVIDIA driver's library by its name, so it needs no headers and no library of CUDA's to be built. */
#include <dlfcn.h>
#include <stdint.h>

#include "c_measure.h"

enum { NON_BLOCKING = 1, NOT_READY = 600 };

static const char *PTX = ".version 7.0\n.target sm_50\n.address_size 64\n"
                         ".visible .entry add(.param .u64 a, .param .u32 b)\n{ ret; }\n";

static int (*launch_kernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*stream_query)(void *), (*to_host)(void *, uint64_t, size_t, void *), (*from_host)(uint64_t, const void *, size_t, void *);
static int (*event_record)(void *, void *), (*take_memory)(uint64_t *, size_t, void *), (*give_memory)(uint64_t, void *);
static void *stream, *function, *event;
static uint64_t memory;
static int (*make_array)(uint64_t *, const void *), (*end_array)(uint64_t);
static int (*make_surface)(uint64_t *, const void *), (*end_surface)(uint64_t);
static int (*make_texture)(uint64_t *, const void *, const void *, const void *), (*end_texture)(uint64_t);
static char host[4096];
static int rounds = 2000;

static void launch(void)
{
    int number = 3;
    void *parameters[] = { &memory, &number };
    need(launch_kernel(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL), "cuLaunchKernel");
}

static void finish(void)
{
    int status;
    while ((status = stream_query(stream)) == NOT_READY)
        ;
    need(status, "cuStreamQuery");
}

static void launch_and_finish(void)
{
    launch();
    finish();
}

static void launch_with_event(void)
{
    launch();
    need(event_record(event, stream), "cuEventRecord");
}

static void write_small(void) { need(from_host(memory, host, 64, stream), "cuMemcpyHtoDAsync"); }

static void read_small(void)
{
    need(to_host(host, memory, 64, stream), "cuMemcpyDtoHAsync");
    finish();
}

static void use_memory(void)
{
    uint64_t taken;
    need(take_memory(&taken, 4096, stream), "cuMemAllocAsync");
    need(give_memory(taken, stream), "cuMemFreeAsync");
}

/* What an image of a size that has not come before takes: its array, and for each state of a sampler a texture of it. */
enum { MOST = 4096 };
static uint64_t arrays[MOST], objects[MOST];
static int array_count, object_count;

static void new_array(void)
{
    struct { size_t width, height, depth; int format; unsigned channels, flags; } with = { 8 + array_count % 131, 8 + array_count % 137, 0, 1,
                                                                                       4, 2 };
    need(make_array(&arrays[array_count++], &with), "cuArray3DCreate");
}

static void new_texture(void)
{
    const uint64_t resource[18] = { 0, arrays[object_count % array_count] };
    const int how[26] = { 1, 1, 1, 0, 2 };
    need(make_texture(&objects[object_count++], resource, how, NULL), "cuTexObjectCreate");
}

static void new_surface(void)
{
    const uint64_t resource[18] = { 0, arrays[object_count % array_count] };
    need(make_surface(&objects[object_count++], resource), "cuSurfObjectCreate");
}

static void drop_texture(void) { need(end_texture(objects[--object_count]), "cuTexObjectDestroy"); }
static void drop_surface(void) { need(end_surface(objects[--object_count]), "cuSurfObjectDestroy"); }
static void drop_array(void) { need(end_array(arrays[--array_count]), "cuArrayDestroy"); }

static void measure_images(void)
{
    int count = rounds / 20 < MOST / SAMPLES ? rounds / 20 : MOST / SAMPLES;
    measure("cuArray3DCreate, of another size", new_array, finish, count);
    measure("cuTexObjectCreate", new_texture, finish, count);
    measure("cuTexObjectDestroy", drop_texture, finish, count);
    measure("cuSurfObjectCreate", new_surface, finish, count);
    measure("cuSurfObjectDestroy", drop_surface, finish, count);
    measure("cuArrayDestroy", drop_array, finish, count);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*init)(unsigned), (*retain)(void **, int), (*set_current)(void *), (*load)(void **, const void *);
    int (*find)(void **, void *, const char *), (*make_stream)(void **, unsigned), (*make_event)(void **, unsigned);
    int (*allocate)(uint64_t *, size_t);
#define FIND(pointer, name) (*(void **)&(pointer) = dlsym(library, name))
    FIND(init, "cuInit"), FIND(retain, "cuDevicePrimaryCtxRetain"), FIND(set_current, "cuCtxSetCurrent"), FIND(load, "cuModuleLoadData");
    FIND(find, "cuModuleGetFunction"), FIND(make_stream, "cuStreamCreate"), FIND(make_event, "cuEventCreate");
    FIND(allocate, "cuMemAlloc_v2"), FIND(launch_kernel, "cuLaunchKernel"), FIND(stream_query, "cuStreamQuery");
    FIND(to_host, "cuMemcpyDtoHAsync_v2"), FIND(from_host, "cuMemcpyHtoDAsync_v2"), FIND(event_record, "cuEventRecord");
    FIND(take_memory, "cuMemAllocAsync"), FIND(give_memory, "cuMemFreeAsync");
    FIND(make_array, "cuArray3DCreate_v2"), FIND(end_array, "cuArrayDestroy"), FIND(make_surface, "cuSurfObjectCreate");
    FIND(end_surface, "cuSurfObjectDestroy"), FIND(make_texture, "cuTexObjectCreate"), FIND(end_texture, "cuTexObjectDestroy");
    void *context, *module;
    double start = now();
    need(init(0), "cuInit");
    double begun = now();
    need(retain(&context, 0), "cuDevicePrimaryCtxRetain");
    need(set_current(context), "cuCtxSetCurrent");
    double made = now();
    printf("%-48s %10s\n%-48s %10.1f\n%-48s %10.1f\n", "CUDA itself", "us", "cuInit", begun - start, "context", made - begun);
    need(load(&module, PTX), "cuModuleLoadData");
    need(find(&function, module, "add"), "cuModuleGetFunction");
    need(make_stream(&stream, NON_BLOCKING), "cuStreamCreate");
    need(make_event(&event, 2), "cuEventCreate");
    need(allocate(&memory, sizeof host), "cuMemAlloc");
    warm_up(launch_and_finish);
    measure("cuLaunchKernel", launch, finish, rounds / 4);
    measure("cuLaunchKernel, cuEventRecord", launch_with_event, finish, rounds / 4);
    measure("cuLaunchKernel, cuStreamQuery", launch_and_finish, finish, rounds / 4);
    measure("cuMemcpyHtoDAsync, 64 B", write_small, finish, rounds / 4);
    measure("cuMemcpyDtoHAsync, 64 B, cuStreamQuery", read_small, finish, rounds / 4);
    measure("cuMemAllocAsync, cuMemFreeAsync", use_memory, finish, rounds / 4);
    measure_images();
    return 0;
}
