/* The launches of a kernel that Python has made, each by all that decides it: what is launched again is found here. */
#ifndef CL2CUDA_PLANS_H
#define CL2CUDA_PLANS_H

#include "calls.h"
#include "graphs.h"
#include "group_size.h"
#include "turn.h"

enum launch_kind { BY_PYTHON, GRID, RANGE, DEPENDENT_GRID, RECORDED_GRID };

/* A launch (runtime.driver.device.NativeLaunch). */
struct launch {
    uint64_t kind; /* of enum launch_kind */
    uint64_t address, current, context;
    uint64_t words[13];
};

/* Where in the words the numbers of a grid's blocks are, or a range's global size, and the size of the groups; the bytes of local memory
   that their arguments have, of a grid and of a range; a grid's stream; and the address of the parameters' addresses. How many parameters
   there are, and where their values are. */
enum { GRID_FUNCTION = 0, EXTENT = 1, GROUP = 4, GRID_LOCAL = 7, GRID_STREAM = 8, RANGE_LOCAL = 10, PARAMETERS = 9 };
struct parameters {
    uint64_t count, values, size;
};

/* A launch that Python has made, by all that decides it beside the arguments' values. */
struct plan_key {
    uint64_t number, serial;
    uint32_t dimensions, has_offset, has_local;
    size_t offset[3], global[3], local[3];
    uint64_t local_memory; /* the size of the only argument to it, or 0 */
    uint64_t stream, context; /* of CUDA's, for launches that are made like those of other queues; 0 where there are to be none */
};

struct plan {
    struct plan_key key;
    struct launch launch;
    struct parameters parameters;
    struct launch_limits limits;   /* of launches of other sizes */
    uint64_t record[RECORD_WORDS]; /* of a recorded grid, which has another one for each offset */
    struct timed_graph *timed; /* the launch between two events, once times have been taken of it */
    struct repeated_grid *repeated; /* the launch by itself, once it was made often without times, */
    uint32_t uses, is_single;       /* which it was so often, unless that is refused */
    uint32_t is_apart;         /* a thread has those graphs, or CUDA has refused the first one: then the launch is none */
};

/* What a launch may be: one of CUDA's or the host device's, or a graph that the plan has. */
enum form { PLAIN, TIMED, REPEATED };

/* What decides a launch beside the kernel's arguments. */
void know_key(struct plan_key *key, const struct object *queue, const struct object *kernel, uint32_t dimensions, const size_t *offset,
              const size_t *global, const size_t *local);

/* Whether the launch is known; `plan` is given its key before, and is given the launch here, and with it what it needs for that form, if no
   other thread has that. */
int find_plan(struct object *kernel, struct plan *plan, enum form form);

/* Behind that, where it let the graphs be taken: without the one of the form CUDA has refused it, and is not asked again. */
void give_graphs_back(struct object *kernel, struct plan *plan, const struct graph_calls *calls, enum form form);

/* With Python's lock, or where the kernel has plans. */
void keep_plan(struct object *kernel, const struct plan *plan);

/* When a kernel's object goes. */
void drop_plans(struct object *kernel);

/* See begin_objects_anew: no thread is at the kernel's plans. */
void begin_plans_anew(struct object *kernel);

#endif
