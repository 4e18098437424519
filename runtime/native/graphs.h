/* Commands as CUDA graphs, between two events or launched again and again: of Python programs here, of programs in C in
   cl2cuda/opencl_icd/driver. */
#ifndef CL2CUDA_NATIVE_GRAPHS_H
#define CL2CUDA_NATIVE_GRAPHS_H

#include "grid.h"

#include <stddef.h>
#include <stdint.h>

/* CUDA_MEMCPY3D. */
struct copy_end {
    size_t x, y, z, level;
    unsigned memory_type;
    uint64_t host, device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy {
    struct copy_end source, target;
    size_t width, height, depth;
};

/* CUDA's functions, in the order of GRAPH_CALLS (runtime/cuda/launching.py). */
struct graph_calls {
    int (*create)(void **graph, unsigned flags);
    int (*end)(void *graph);
    int (*add_record)(void **node, void *graph, void *const *behind, size_t count, void *event);
    int (*add_kernel)(void **node, void *graph, void *const *behind, size_t count, const struct grid *grid);
    int (*instantiate)(void **made, void *graph, unsigned long long flags);
    int (*end_made)(void *made);
    int (*set_kernel)(void *made, void *node, const struct grid *grid);
    int (*set_event)(void *made, void *node, void *event);
    int (*launch)(void *made, void *stream);
    int (*add_copy)(void **node, void *graph, void *const *behind, size_t count, const struct copy *copy, void *context);
    int (*set_copy)(void *made, void *node, const struct copy *copy, void *context);
    int (*new_event)(void **event, unsigned flags); /* NULL where repeated launches of the stream are to be no graphs */
    int (*end_event)(void *event);
    int (*record)(void *event, void *stream);
    int (*elapsed)(float *milliseconds, void *begun, void *ended);
};

/* The graph, what is launched of it, and its nodes. All are NULL, or none. */
struct timed_graph {
    void *graph, *made, *begun, *work, *ended;
};

/* A launch. NULL where CUDA makes none. */
struct timed_graph *new_timed_grid(const struct graph_calls *calls, const struct grid *grid, void *begun, void *ended);
/* With the parameters of now, by one thread at a time. */
int launch_timed_grid(const struct graph_calls *calls, const struct timed_graph *timed, const struct grid *grid, void *begun, void *ended,
                      void *stream);
void end_timed_grid(const struct graph_calls *calls, struct timed_graph *timed);

/* A grid that is launched again and again in one stream, as a graph of its own, which would not run beside itself in another. The host
   of an H200 takes 1.6 us to launch that, where it takes 3.5 for a grid and 2.9 for a dependent one, and a device that has nothing else to
   do has ended it 1.9 us sooner. But from one grid to the next the device takes 0.7 us more than between dependent ones: those that are
   not brief are graphs only where nothing is before them, and how long they take is measured now and then. Threads that launch at once
   hinder each other more in graphs than otherwise. */
struct repeated_grid {
    void *graph, *made, *work, *stream;
    void *begun, *ended; /* events around a launch that is measured */
    unsigned launches;
    int is_dependent, is_brief, is_measured, is_refused;
    unsigned doubts; /* measurements in a row by which it is not brief */
};

/* From which launch on a grid is repeated. */
enum { REPEATED_FROM = 16 };

/* NULL where CUDA makes none, there are to be none, or there are many already. */
struct repeated_grid *new_repeated_grid(const struct graph_calls *calls, const struct grid *grid, void *stream, int is_dependent);
/* With the parameters of now, by one thread at a time; `is_idle`: all that the stream was given has ended. 0 where it was not launched,
   and is to be launched as a grid. */
int launch_repeated_grid(const struct graph_calls *calls, struct repeated_grid *repeated, const struct grid *grid, void *stream,
                         int is_idle);
void end_repeated_grid(const struct graph_calls *calls, struct repeated_grid *repeated);

/* Where the ends of a graph's copy are stays as it is, so there is a graph of each kind. */
enum copy_kind { HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, COPY_KINDS };

/* A stream's graphs of copies, made when the first ones are given: memory of Python's (_Graphs of runtime/cuda/stream.py), which ends them.
   `taken` is 1 while a thread launches the graph, and for good where CUDA has refused it. */
struct stream_graphs {
    struct graph_calls calls;
    void *context;
    struct {
        struct timed_graph timed;
        uint64_t taken;
    } copies[COPY_KINDS];
};

/* Whether the copy was given between the two events, which have been recorded with it; else nothing was given. The host's memory is
   page-locked. */
int give_timed_copy(struct stream_graphs *graphs, enum copy_kind kind, uint64_t to, uint64_t from, size_t size, void *begun, void *ended,
                    void *stream);

#endif
