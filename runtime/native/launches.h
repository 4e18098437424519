/* Plans in C (launch_plans.c), how they are launched (launches.c), and launches that have none (resized.c). */
#ifndef CL2CUDA_NATIVE_LAUNCHES_H
#define CL2CUDA_NATIVE_LAUNCHES_H

#include "calls.h"
#include "due_pages.h"
#include "turn.h"

/* cuLaunchKernel, by one thread or by several: see cuda/launching.py, whose rules these are. All counts change with Python's lock.
   `graphs` has no functions where CUDA's are too old. */
struct launching {
    PyObject head;
    grid_launcher *address;
    extended_launcher *extended; /* NULL where there is none */
    struct graph_calls graphs;
    int inside;  /* threads that are in a launch and have let others run */
    int held;    /* launches that keep the lock, once threads have met: so many are left */
    int let_go;  /* launches that do not, once one had to wait */
    int most_held, most_let_go;
    uint64_t waited_ns; /* what is no wait yet */
};

typedef int launch_range(const void *words);
typedef void choose_pool(void *pool);

/* In a context of several devices: what of the arguments is memory, which the launch takes where it is resident (residents.h), and the
   values of all, which the launch has copied, since those that are set are of all queues. `inner` is what Python launches by. */
struct memory_arguments {
    PyObject *buffers, *keep, *inner;
    char *values;
    const char *values_of_now;
    size_t size;
    int count;
    struct { PyObject *index; char *place; int writes; } arguments[];
};

/* A plan (runtime/kernel/launch.py): a grid of CUDA's, by way of `launching`, or a range of the host device's, which has run when the call
   returns. `failed` is Python's function for a status that is not 0. */
struct launch {
    PyObject head;
    struct launching *launching;
    PyObject *failed;
    void *stream;
    struct grid grid;
    int is_dependent;          /* its kernel waits for the grid before it */
    struct due_pages *pages;   /* for Python's launches of it; NULL where none are to be brought */
    struct timed_graph *timed; /* made when times are first taken of it */
    int is_timed_apart;       /* CUDA has refused that, or `timed` is in use: the events are recorded before and after */
    struct repeated_grid *repeated; /* made when it was launched often in a queue that takes no times */
    unsigned uses;                  /* such launches before */
    int is_repeated_apart;          /* there is to be none, or it is in use */
    void *frozen;              /* its own memory of the parameters, if it has any */
    launch_range *range;
    choose_pool *choose;       /* whose threads a range runs on, where that is no whole device's */
    void *pool;
    PyObject *words;
    struct turn *turn;         /* of a grid that reads a record, which is to be at the place then; */
    uint64_t place, record[RECORD_WORDS];
    struct memory_arguments *memory;
    PyObject *again;           /* Python's launch of it, where it is another stream's turn, or memory is not resident */
};

extern PyTypeObject *launch_type;

/* CUDA's status for the launch that `frozen_launch` has made, in the target's stream. */
int launch_frozen(struct launch *frozen, const struct target *target);

/* A grid of CUDA's whose global size, local size and offset have no plan, made like the last one in the queue, which is given; NULL where
   Python is to make a plan. */
struct launch *resized(struct launch *made, const struct target *target, PyObject *queue, PyObject *kernel, PyObject *const *sizes);
/* Such launches are timed as the last one, as one graph with their events: whether that is there, and no other thread has it. */
int borrow_graph(struct launch *made, struct launch *last);

/* launch(), and launch.timed(begun, ended): see library.py */
PyObject *call_launch(PyObject *self, PyObject *arguments, PyObject *keywords), *timed_launch(PyObject *self, PyObject *arguments);

#endif
