#include "launches.h"

#include "arguments.h"
#include "commands.h"
#include "due_pages.h"
#include "held.h"
#include "lanes.h"

#include <string.h>

PyObject *launch_of, *fault_of;

/* As cl2cuda.opencl_icd.launches packs it. */
struct known_launch {
    struct launch launch;
    uint64_t record[RECORD_WORDS];
    struct parameters parameters;
    struct launch_limits limits;
};

PyObject *ask_of(PyObject *function, struct object *queue, struct object *kernel, const struct plan_key *key, PyObject *more)
{
    tell_arguments(kernel);
    PyObject *offset = key->has_offset ? tuple_of_words((const uint64_t *)key->offset, key->dimensions) : NULL;
    PyObject *global = tuple_of_words((const uint64_t *)key->global, key->dimensions);
    PyObject *local = key->has_local ? tuple_of_words((const uint64_t *)key->local, key->dimensions) : NULL;
    PyObject *answer = py.PyObject_CallFunction(function, more ? "OOIOOOO" : "OOIOOO", queue->core, kernel->core, key->dimensions,
                                                offset ? offset : py.none, global ? global : py.none, local ? local : py.none, more);
    if (offset)
        py.Py_DecRef(offset);
    if (global)
        py.Py_DecRef(global);
    if (local)
        py.Py_DecRef(local);
    return answer;
}

/* After a launch that Python has made. */
static void learn_plan(struct object *queue, struct object *kernel, struct plan *plan)
{
    int state;
    if (!kernel->arguments || !python_enter(&state))
        return;
    plan->key.number = number_of_plans(kernel->arguments);
    struct known_launch known;
    if (take_bytes(ask_of(launch_of, queue, kernel, &plan->key, NULL), &known, sizeof known)) {
        plan->launch = known.launch;
        plan->parameters = known.parameters;
        plan->limits = known.limits;
        memcpy(plan->record, known.record, sizeof plan->record);
        keep_plan(kernel, plan);
    }
    python_leave(state);
}

static int32_t report_fault(struct object *queue, struct object *kernel, const struct plan_key *key)
{
    int state;
    if (!python_enter(&state))
        return OUT_OF_RESOURCES;
    PyObject *none = ask_of(fault_of, queue, kernel, key, NULL);
    int32_t status = none ? OUT_OF_RESOURCES : status_of_failure();
    if (none)
        py.Py_DecRef(none);
    python_leave(state);
    return status;
}

typedef int launch_range(const uint64_t *words);

enum made { ISSUED, FAULTED, NOT_MADE };

static struct grid grid_of(const uint64_t *w)
{
    return (struct grid){
        .function = (void *)(uintptr_t)w[0], .blocks = { (unsigned)w[1], (unsigned)w[2], (unsigned)w[3] },
        .threads = { (unsigned)w[4], (unsigned)w[5], (unsigned)w[6] }, .shared_bytes = (unsigned)w[7],
        .parameters = (void **)(uintptr_t)w[PARAMETERS]
    };
}

static struct turn *turn_of(const struct launch *launch)
{
    return (struct turn *)(uintptr_t)launch->words[11];
}

/* The launch's is the first stream of a queue, and its only one where that is in order. */
static void *stream_of(const struct launch *launch, const struct object *where)
{
    return is_object(where, LANE) ? handle_of(&where->stream->functions) : (void *)(uintptr_t)launch->words[8];
}

int give_grid(const struct launch *launch, const struct object *where)
{
    if ((launch->kind != GRID && launch->kind != DEPENDENT_GRID) || !is_current(launch->current, launch->context))
        return 0;
    const struct grid grid = grid_of(launch->words);
    void *call = (void *)(uintptr_t)launch->address, *handle = stream_of(launch, where);
    return launch->kind == GRID ? !launch_grid((grid_launcher *)call, &grid, handle)
        : !launch_dependent_grid((extended_launcher *)call, &grid, handle);
}

/* Before a grid that reads a record, unless it is Python's; `turn_of` it has begun then. */
static int begin_recorded_grid(const struct plan *plan, const struct object *where)
{
    const struct launch *launch = &plan->launch;
    const struct native_stream *stream = &where->stream->functions;
    return stream->write && is_current(launch->current, launch->context)
        && begin_turn(stream, turn_of(launch), launch->words[12], plan->record);
}

static int give_recorded_grid(const struct plan *plan, const struct object *where)
{
    const struct grid grid = grid_of(plan->launch.words);
    if (!begin_recorded_grid(plan, where))
        return 0;
    int given = !launch_grid((grid_launcher *)(uintptr_t)plan->launch.address, &grid, handle_of(&where->stream->functions));
    end_turn(turn_of(&plan->launch));
    return given;
}

static enum made make_plain(const struct plan *plan, const struct object *where)
{
    const struct launch *launch = &plan->launch;
    if (launch->kind == RANGE)
        return ((launch_range *)(uintptr_t)launch->address)(launch->words) ? FAULTED : ISSUED;
    return (launch->kind == RECORDED_GRID ? give_recorded_grid(plan, where) : give_grid(launch, where)) ? ISSUED : NOT_MADE;
}

/* The launch and its events as one graph in the stream; 0 where it was not made so. */
static int make_timed(struct object *kernel, struct plan *plan, const struct graph_calls *calls, const struct times *times, void *stream)
{
    const struct grid grid = grid_of(plan->launch.words);
    if (!plan->timed)
        plan->timed = new_timed_grid(calls, &grid, times->begun, times->ended);
    int made = plan->timed && !launch_timed_grid(calls, plan->timed, &grid, times->begun, times->ended, stream);
    if (!made) {
        end_timed_grid(calls, plan->timed);
        plan->timed = NULL;
    }
    give_graphs_back(kernel, plan, calls, TIMED);
    return made;
}

static int launch_repeated(struct object *where, struct plan *plan, const struct graph_calls *calls, void *stream)
{
    const struct grid grid = grid_of(plan->launch.words);
    if (!plan->repeated)
        plan->repeated = new_repeated_grid(calls, &grid, stream, plan->launch.kind == DEPENDENT_GRID);
    return plan->repeated && launch_repeated_grid(calls, plan->repeated, &grid, stream, is_idle(where));
}

/* The launch as a graph by itself, likewise. */
static int make_repeated(struct object *where, struct object *kernel, struct plan *plan, const struct graph_calls *calls)
{
    const struct launch *launch = &plan->launch;
    int is_recorded = launch->kind == RECORDED_GRID, made = 0;
    int may_be = is_recorded ? begin_recorded_grid(plan, where)
        : is_current(launch->current, launch->context); /* Without a context CUDA's graphs crash. */
    if (may_be)
        made = launch_repeated(where, plan, calls, is_recorded ? handle_of(&where->stream->functions) : stream_of(launch, where));
    if (may_be && is_recorded)
        end_turn(turn_of(launch));
    give_graphs_back(kernel, plan, calls, may_be ? REPEATED : PLAIN);
    return made;
}

static const struct graph_calls *graph_calls_of(const struct object *where)
{
    return &((const struct stream_graphs *)(uintptr_t)where->stream->functions.graphs)->calls;
}

static enum form form_in(const struct object *where, const struct times *times)
{
    if (!where->stream->functions.graphs || (times && !times->fences))
        return PLAIN;
    return times ? TIMED : REPEATED;
}

static enum made make_launch(struct object *where, struct object *kernel, struct plan *plan)
{
    return !plan->is_apart && make_repeated(where, kernel, plan, graph_calls_of(where)) ? ISSUED : make_plain(plan, where);
}

/* The launch between its times, where there are any; `has_end`: they have their end. */
static enum made make_between(struct object *where, struct object *kernel, struct plan *plan, struct times *times, int *has_end)
{
    *has_end = 0;
    if (!times)
        return make_launch(where, kernel, plan);
    if (!plan->is_apart && make_timed(kernel, plan, graph_calls_of(where), times, stream_of(&plan->launch, where)))
        return *has_end = 1, ISSUED;
    if (!begin_times(where, times))
        return NOT_MADE;
    enum made made = make_plain(plan, where);
    *has_end = made == ISSUED && end_times(where, times);
    return made;
}

/* Of clEnqueueNDRangeKernel or clEnqueueTask, with the words by which Python is given it. */
struct call {
    struct entry *entry;
    const word *words;
    struct object *queue, *kernel;
    uint32_t dimensions;
    const size_t *offset, *global, *local;
    uint32_t wait_count;
    const void *waits;
    struct object **event;
};

/* The launch is Python's, which is told before which arguments are set. */
static int32_t ask_for_launch(const struct call *call)
{
    tell_arguments_first(call->kernel);
    return (int32_t)answer(call->entry, call->words);
}

/* The launch is kept, unless it is known. */
static int32_t launch_by_python(const struct call *call, struct plan *plan, int known)
{
    int32_t status = ask_for_launch(call);
    if (!known && status == SUCCESS)
        learn_plan(call->queue, call->kernel, plan);
    return status;
}

/* Whether the launch was held back behind the user event of its list, or of what the queue holds back already. */
static int is_held_back(const struct call *call, struct plan *plan, int *known)
{
    struct gate gate = gate_for(call->queue, call->wait_count, call->waits);
    return gate.event && (*known = find_plan(call->kernel, plan, PLAIN))
        && (plan->launch.kind == GRID || plan->launch.kind == DEPENDENT_GRID)
        && hold_back(gate, &plan->launch, &plan->parameters, &plan->key, call->queue, call->kernel, call->event);
}

static void know_call(struct plan *plan, const struct call *call)
{
    know_key(&plan->key, call->queue, call->kernel, call->dimensions, call->offset, call->global, call->local);
}

/* No stream takes the launch now. */
static int32_t launch_later(const struct call *call, struct plan *plan)
{
    int known = 1; /* or not to be kept */
    if (!is_object(call->queue, QUEUE) || !call->queue->stream)
        return ask_for_launch(call);
    know_call(plan, call);
    return is_held_back(call, plan, &known) ? SUCCESS : launch_by_python(call, plan, known);
}

/* What became of the launch, if it is known; where it has been issued, its times, if its event is to have some. */
static enum made make_known(const struct call *call, struct object *where, struct plan *plan, int *known, struct times **times)
{
    enum made made = NOT_MADE;
    int has_end;
    *known = 0;
    bring_due_pages_to(&where->stream->functions);
    if (!take_times(where, call->event, times))
        return NOT_MADE;
    plan->key.stream = where->stream->functions.handle;
    plan->key.context = where->stream->functions.context;
    if ((*known = find_plan(call->kernel, plan, form_in(where, *times))))
        made = make_between(where, call->kernel, plan, *times, &has_end);
    if (made != ISSUED || !has_end) {
        give_times(where, *times);
        *times = NULL;
    }
    return made;
}

/* Its number in the stream. */
static uint64_t count_launch(const struct call *call, struct object *where, const struct plan *plan)
{
    uint64_t number = count_command(where);
    if (where != call->queue)
        note_lane_launch(where, number, launch_name(call->kernel, call->global));
    if (plan->launch.kind == RANGE)
        note_end(where, number);
    return number;
}

/* Whether the library knows the kernel's arguments, and all are set. */
static int has_arguments(const struct object *kernel)
{
    return is_object(kernel, KERNEL) && kernel->arguments && !__atomic_load_n(&kernel->arguments->left, __ATOMIC_RELAXED);
}

static int32_t launch(const struct call *call)
{
    struct object *where;
    struct times *times;
    int known;
    if (!call->global || !call->dimensions || call->dimensions > 3 || !has_arguments(call->kernel))
        return ask_for_launch(call);
    struct plan plan; /* Its launch is copied where it is known, and not cleared before. */
    plan.timed = NULL;
    plan.repeated = NULL;
    plan.uses = plan.is_single = plan.is_apart = 0;
    if (!(where = place_for(call->queue, call->wait_count, call->waits)))
        return launch_later(call, &plan);
    know_call(&plan, call);
    enum made made = make_known(call, where, &plan, &known, &times);
    if (made == NOT_MADE)
        return launch_by_python(call, &plan, known);
    uint64_t number = count_launch(call, where, &plan);
    return made == FAULTED ? report_fault(call->queue, call->kernel, &plan.key)
        : give_bare_event(where, number, NDRANGE_KERNEL, times, call->event);
}

int32_t launch_kernel(struct entry *entry, struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)kernel, dimensions, (word)offset, (word)global, (word)local, wait_count, (word)waits,
                           (word)event };
    return launch(&(struct call){ entry, words, queue, kernel, dimensions, offset, global, local, wait_count, waits, (struct object **)event });
}

int32_t launch_task(struct entry *entry, struct object *queue, struct object *kernel, uint32_t wait_count, const void *waits,
                    const void *event)
{
    static const size_t one = 1;
    const word words[] = { (word)queue, (word)kernel, wait_count, (word)waits, (word)event };
    const struct call call = { entry, words, queue, kernel, 1, NULL, &one, &one, wait_count, waits, NULL };
    /* An event says that it is a task's. */
    return event ? ask_for_launch(&call) : launch(&call);
}
