/* Launches of Python programs whose sizes, or offsets, have no plan, since they come for the first time: they are made like one that has. */
#include "group_size.h"
#include "launches.h"

/* The numbers of a tuple of ints, of as many dimensions; 0 where it is none, or one is negative. */
static int take_sizes(size_t *numbers, PyObject *sizes, Py_ssize_t dimensions)
{
    if (!is_tuple(sizes) || PyTuple_Size(sizes) != dimensions)
        return 0;
    for (Py_ssize_t i = 0; i < dimensions; i++) {
        PyObject *size = PyTuple_GetItem(sizes, i);
        long long number = is_int(size) ? PyLong_AsLongLong(size) : -1;
        if (number < 0)
            return 0;
        numbers[i] = (size_t)number;
    }
    return 1;
}

enum { GLOBAL, LOCAL, OFFSET }; /* of the sizes of a plan */

/* A grid like the last one over the work-groups that the size has: of the same size, or as the kernel's limits allow. */
static int change_extent(struct grid *grid, const struct launch_limits *limits, PyObject *const *sizes)
{
    const Py_ssize_t dimensions = PyTuple_Size(sizes[GLOBAL]);
    size_t global[3], local[3];
    struct extent extent;
    if (dimensions > 3 || !take_sizes(global, sizes[GLOBAL], dimensions)
        || (sizes[LOCAL] != NONE && !take_sizes(local, sizes[LOCAL], dimensions))
        || !find_extent(&extent, limits, (uint32_t)dimensions, global, sizes[LOCAL] == NONE ? NULL : local, grid->threads))
        return 0;
    for (int i = 0; i < 3; i++) {
        grid->blocks[i] = extent.blocks[i];
        grid->threads[i] = extent.group[i];
    }
    if (may_exceed(limits)) { /* of a kernel without local memory */
        grid->function = (void *)(uintptr_t)limits->functions[extent.surplus != 0];
        grid->shared_bytes = extent.surplus;
    }
    return 1;
}

/* With so many bytes of local memory, unless they are what the grid has (-1): as many as it had, or as the kernel's limits allow. */
static int change_local_memory(struct grid *grid, const struct launch_limits *limits, long long local_memory)
{
    if (local_memory > grid->shared_bytes && local_memory > limits->local_memory)
        return 0;
    if (local_memory >= 0)
        grid->shared_bytes = (unsigned)local_memory;
    return 1;
}

static int change_grid(struct grid *grid, PyObject *kernel, PyObject *const *sizes, const struct model *model)
{
    PyObject *given = get(kernel, name_launch_limits);
    const struct launch_limits *limits = given && given != NONE && PyBytes_Size(given) == sizeof *limits
        ? (const struct launch_limits *)PyBytes_AsString(given) : NULL;
    int done = limits && change_local_memory(grid, limits, model->local_memory) && change_extent(grid, limits, sizes);
    drop(given);
    return done;
}

/* The record of a launch from an offset on, where the last one had another. */
static int change_offset(uint64_t *record, PyObject *const *sizes)
{
    const Py_ssize_t dimensions = PyTuple_Size(sizes[GLOBAL]);
    size_t global[3], offset[3];
    if (dimensions > 3 || !take_sizes(global, sizes[GLOBAL], dimensions) || !take_sizes(offset, sizes[OFFSET], dimensions))
        return 0;
    size_t any = 0;
    for (Py_ssize_t i = 0; i < dimensions; i++) {
        record[i] = offset[i];
        any |= offset[i];
        if (offset[i] + global[i] < offset[i]) /* CL_INVALID_GLOBAL_OFFSET */
            return 0;
    }
    return any != 0; /* Launches without one have a quicker plan. */
}

/* The launch becomes a plan of its own. Where that fails, Python makes another one, which says why: it knows nothing of this. */
static void keep_plan(PyObject *kernel, const struct target *target, PyObject *const *sizes, const struct launch *made)
{
    struct launch *plan = (struct launch *)PyType_GenericAlloc(launch_type, 0);
    if (!plan)
        return;
    PyObject head = plan->head;
    *plan = *made;
    plan->head = head;
    plan->timed = NULL;
    plan->repeated = NULL;
    plan->uses = 2; /* this launch, and the one before */
    plan->is_timed_apart = plan->is_repeated_apart = 0;
    Py_IncRef((PyObject *)plan->launching);
    Py_IncRef(plan->failed);
    if (plan->again)
        Py_IncRef(plan->again);
    keep_plan_of(kernel, target, sizes, (PyObject *)plan);
    Py_DecRef((PyObject *)plan);
}

struct launch *resized(struct launch *made, const struct target *target, PyObject *queue, PyObject *kernel, PyObject *const *sizes)
{
    struct model model;
    if (!find_model(&model, kernel, queue, target, sizes, launch_type))
        return NULL;
    struct launch *last = (struct launch *)model.plan;
    PyObject *const *had = model.sizes;
    if (last->range || last->memory || last->frozen || !is_tuple(sizes[GLOBAL]) || PyTuple_Size(sizes[GLOBAL]) != PyTuple_Size(had[GLOBAL]))
        return NULL;
    *made = *last;
    made->is_timed_apart = made->is_repeated_apart = 1;
    int done = last->turn ? model.local_memory < 0 && have_same_extent(sizes, had) && change_offset(made->record, sizes)
        : sizes[OFFSET] == NONE && had[OFFSET] == NONE && change_grid(&made->grid, kernel, sizes, &model);
    forget_error();
    if (!done)
        return NULL;
    Py_IncRef((PyObject *)last);
    if (model.comes_again)
        keep_plan(kernel, target, sizes, made);
    return last;
}

int borrow_graph(struct launch *made, struct launch *last)
{
    if (!last->timed || last->is_timed_apart || made->grid.function != last->grid.function)
        return 0;
    made->is_timed_apart = 0;
    return last->is_timed_apart = 1;
}
