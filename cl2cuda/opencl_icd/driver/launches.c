#include "arguments.h"
#include "commands.h"

#include "due_pages.h"
#include "graphs.h"
#include "held.h"
#include "lanes.h"
#include "turn.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

PyObject *launch_of, *fault_of;

/* As cl2cuda.opencl_icd.launches packs it. */
struct known_launch {
    struct launch launch;
    uint64_t record[RECORD_WORDS];
    struct parameters parameters;
};

enum launch_kind { BY_PYTHON, GRID, RANGE, DEPENDENT_GRID, RECORDED_GRID };

struct plan {
    struct plan_key key;
    struct launch launch;
    struct parameters parameters;
    uint64_t record[RECORD_WORDS]; /* of a recorded grid, which has another one for each offset */
    struct timed_graph *timed; /* the launch between two events, once times have been taken of it */
    struct repeated_grid *repeated; /* the launch by itself, once it was made often without times, */
    uint32_t uses, is_single;       /* which it was so often, unless that is refused */
    uint32_t is_apart;         /* a thread has those graphs, or CUDA has refused the first one: then the launch is none */
};

enum { MOST_PLANS = 16 };

/* Other threads may launch the same kernel, so a plan is copied under the lock, and called without. */
struct plans {
    pthread_mutex_t lock;
    uint32_t count, next;
    size_t resized[3];         /* the last size that was made of another one: one that comes again is kept */
    struct graph_calls calls; /* once there is a graph */
    struct plan plans[MOST_PLANS];
};

static void end_graphs(const struct graph_calls *calls, const struct plan *plan)
{
    end_timed_grid(calls, plan->timed);
    end_repeated_grid(calls, plan->repeated);
}

void drop_plans(struct object *kernel)
{
    struct plans *plans = kernel->plans;
    for (uint32_t i = 0; plans && i < plans->count; i++)
        if (!python_was_told_of_exit)
            end_graphs(&plans->calls, &plans->plans[i]);
    free(plans);
}

void begin_plans_anew(struct object *kernel)
{
    if (kernel->plans)
        pthread_mutex_init(&kernel->plans->lock, NULL);
}

static int same_sizes(const size_t *known, const size_t *given, uint32_t dimensions)
{
    for (uint32_t i = 0; i < dimensions; i++)
        if (known[i] != given[i])
            return 0;
    return 1;
}

/* Whether the plan's record may be given the offset: launches without one have a quicker plan, or none that has a record. */
static int may_have_offset(const struct plan *plan, const struct plan_key *wanted)
{
    const size_t *had = plan->key.offset, *offset = wanted->offset;
    if (plan->launch.kind != RECORDED_GRID || !(had[0] | had[1] | had[2]) || !(offset[0] | offset[1] | offset[2]))
        return 0;
    for (int i = 0; i < 3; i++)
        if (offset[i] + wanted->global[i] < offset[i]) /* CL_INVALID_GLOBAL_OFFSET */
            return 0;
    return 1;
}

static int is_plan(const struct plan *plan, const struct plan_key *wanted)
{
    const struct plan_key *key = &plan->key;
    return key->global[0] == wanted->global[0] && key->serial == wanted->serial && key->number == wanted->number
        && key->dimensions == wanted->dimensions && key->has_offset == wanted->has_offset && key->has_local == wanted->has_local
        && same_sizes(key->global, wanted->global, 3) && same_sizes(key->local, wanted->local, 3)
        && (same_sizes(key->offset, wanted->offset, 3) || may_have_offset(plan, wanted));
}

/* With the lock. */
static struct plan *kept_plan(struct plans *plans, const struct plan_key *wanted)
{
    for (uint32_t i = 0; i < plans->count; i++)
        if (is_plan(&plans->plans[i], wanted))
            return &plans->plans[i];
    return NULL;
}

/* A launch over whole work-groups of a given size, from the start, that CUDA runs in one grid: the limits of runtime/cuda/launch.py. */
static int is_in_whole_groups(const struct plan_key *key)
{
    static const size_t most[3] = { INT32_MAX, 65535, 65535 };
    for (uint32_t i = 0; i < key->dimensions; i++)
        if (!key->local[i] || !key->global[i] || key->global[i] % key->local[i] || key->global[i] > UINT32_MAX
            || key->global[i] / key->local[i] > most[i])
            return 0;
    return !key->has_offset && key->has_local;
}

/* Whether the plan's launch is the wanted one but for the number of its work-groups, of which nothing else depends. */
static int is_of_other_size(const struct plan *plan, const struct plan_key *wanted)
{
    const struct plan_key *key = &plan->key;
    const uint64_t kind = plan->launch.kind;
    return key->serial == wanted->serial && key->number == wanted->number && key->dimensions == wanted->dimensions
        && same_sizes(key->local, wanted->local, 3) && (kind == GRID || kind == DEPENDENT_GRID || kind == RANGE)
        && is_in_whole_groups(key);
}

/* The global size, or CUDA's numbers of blocks, are the words from the second one on. */
static void resize(struct plan *plan, const struct plan *from)
{
    const struct plan_key *key = &plan->key;
    plan->launch = from->launch;
    plan->parameters = from->parameters;
    plan->is_apart = 1;
    for (uint32_t i = 0; i < key->dimensions; i++)
        plan->launch.words[1 + i] = key->global[i] / (from->launch.kind == RANGE ? 1 : key->local[i]);
}

/* With the lock: the launch made of one with other numbers of work-groups, as programs have whose steps work on less and less; 0 where there
   is none. */
static int find_resized(struct plan *plan, const struct plans *plans)
{
    if (!is_in_whole_groups(&plan->key))
        return 0;
    for (uint32_t i = 0; i < plans->count; i++)
        if (is_of_other_size(&plans->plans[i], &plan->key)) {
            resize(plan, &plans->plans[i]);
            return 1;
        }
    return 0;
}

static void give_record(struct plan *plan, const uint64_t *record)
{
    memcpy(plan->record, record, sizeof plan->record);
    memcpy(plan->record, plan->key.offset, sizeof plan->key.offset);
}

/* What a launch may be: one of CUDA's or the host device's, or a graph that the plan has. */
enum form { PLAIN, TIMED, REPEATED };

/* With the lock: the plan's graphs, unless another thread has them. */
static void take_graphs(struct plan *plan, struct plan *kept, enum form form)
{
    uint64_t kind = kept->launch.kind;
    int may_be = kind == GRID || kind == DEPENDENT_GRID || (kind == RECORDED_GRID && form == REPEATED);
    plan->is_apart = kept->is_apart || !may_be || form == PLAIN
        || (form == REPEATED && !kept->repeated && (kept->is_single || ++kept->uses < REPEATED_FROM));
    if (plan->is_apart)
        return;
    plan->timed = kept->timed;
    plan->repeated = kept->repeated;
    kept->timed = NULL;
    kept->repeated = NULL;
    kept->is_apart = 1;
}

/* With Python's lock, or where the kernel has plans. */
static void keep_plan(struct object *kernel, const struct plan *plan)
{
    struct plans *plans = kernel->plans;
    if (!plans) {
        if (!(plans = calloc(1, sizeof *plans)))
            return;
        pthread_mutex_init(&plans->lock, NULL);
        __atomic_store_n(&kernel->plans, plans, __ATOMIC_RELEASE);
    }
    pthread_mutex_lock(&plans->lock);
    struct plan before = plans->plans[plans->next];
    plans->plans[plans->next] = *plan;
    plans->next = (plans->next + 1) % MOST_PLANS;
    plans->count += plans->count < MOST_PLANS;
    pthread_mutex_unlock(&plans->lock);
    end_graphs(&plans->calls, &before);
}

/* From now on it is a launch of its own, which may have graphs. */
static void keep_resized(struct object *kernel, const struct plan *plan)
{
    struct plan kept = *plan;
    kept.is_apart = 0;
    keep_plan(kernel, &kept);
}

/* Whether the launch is known; `plan` is given its key before, and is given the launch here, and with it what it needs for that form, if no
   other thread has that. */
static int find_plan(struct object *kernel, struct plan *plan, enum form form)
{
    struct plans *plans = __atomic_load_n(&kernel->plans, __ATOMIC_ACQUIRE);
    int is_resized = 0, comes_again = 0;
    if (!plans)
        return 0;
    pthread_mutex_lock(&plans->lock);
    struct plan *kept = kept_plan(plans, &plan->key);
    if (!kept && (is_resized = find_resized(plan, plans))) {
        comes_again = same_sizes(plans->resized, plan->key.global, 3);
        memcpy(plans->resized, plan->key.global, sizeof plans->resized);
    }
    if (kept) {
        plan->launch = kept->launch;
        plan->parameters = kept->parameters;
        if (kept->launch.kind == RECORDED_GRID)
            give_record(plan, kept->record);
        take_graphs(plan, kept, form);
    }
    pthread_mutex_unlock(&plans->lock);
    if (comes_again)
        keep_resized(kernel, plan);
    return kept || is_resized;
}

/* Behind that, where it let the graphs be taken: without the one of the form CUDA has refused it, and is not asked again. */
static void give_graphs_back(struct object *kernel, struct plan *plan, const struct graph_calls *calls, enum form form)
{
    struct plans *plans = kernel->plans;
    pthread_mutex_lock(&plans->lock);
    struct plan *kept = kept_plan(plans, &plan->key);
    if (kept && !kept->timed && !kept->repeated) {
        plans->calls = *calls;
        kept->timed = plan->timed;
        kept->repeated = plan->repeated;
        kept->is_apart = form == TIMED && !plan->timed;
        kept->is_single |= form == REPEATED && !plan->repeated;
        plan->timed = NULL;
        plan->repeated = NULL;
    }
    pthread_mutex_unlock(&plans->lock);
    end_graphs(calls, plan);
}

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
    plan->key.number = *kernel->arguments->plans_number;
    struct known_launch known;
    if (take_bytes(ask_of(launch_of, queue, kernel, &plan->key, NULL), &known, sizeof known)) {
        plan->launch = known.launch;
        plan->parameters = known.parameters;
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

/* The launch is Python's, which is told before which arguments are set. */
static int32_t ask_for_launch(struct entry *entry, const word *words)
{
    tell_arguments_first((struct object *)words[1]);
    return (int32_t)answer(entry, words);
}

static void know_key(struct plan_key *key, const struct object *queue, const struct object *kernel, uint32_t dimensions,
                     const size_t *offset, const size_t *global, const size_t *local)
{
    *key = (struct plan_key){ .number = __atomic_load_n(kernel->arguments->plans_number, __ATOMIC_ACQUIRE),
                              .serial = queue->stream->serial, .dimensions = dimensions, .has_offset = offset != NULL,
                              .has_local = local != NULL };
    for (uint32_t i = 0; i < dimensions; i++) {
        key->offset[i] = offset ? offset[i] : 0;
        key->global[i] = global[i];
        key->local[i] = local ? local[i] : 0;
    }
}

/* Many a kernel is launched only once: of one that is launched again the launch is kept, unless it is known. */
static int32_t launch_by_python(struct entry *entry, const word *words, struct plan *plan, int known)
{
    struct object *queue = (struct object *)words[0], *kernel = (struct object *)words[1];
    int32_t status = ask_for_launch(entry, words);
    if (!known && status == SUCCESS && __atomic_load_n(&kernel->is_used, __ATOMIC_RELAXED))
        learn_plan(queue, kernel, plan);
    __atomic_store_n(&kernel->is_used, 1, __ATOMIC_RELAXED); /* Many a kernel is launched only once. */
    return status;
}

/* Whether the launch was held back behind the user event of its list, or of what the queue holds back already. */
static int is_held_back(struct object *queue, struct object *kernel, struct plan *plan, int *known, uint32_t wait_count,
                        const void *waits, struct object **event)
{
    struct gate gate = gate_for(queue, wait_count, waits);
    return gate.event && (*known = find_plan(kernel, plan, PLAIN)) && (plan->launch.kind == GRID || plan->launch.kind == DEPENDENT_GRID)
        && hold_back(gate, &plan->launch, &plan->parameters, &plan->key, queue, kernel, event);
}

/* `words` are the call's: Python launches where this does not. */
static int32_t launch(struct entry *entry, const word *words, uint32_t dimensions, const size_t *offset, const size_t *global,
                      const size_t *local, uint32_t wait_count, const void *waits, struct object **event)
{
    struct object *queue = (struct object *)words[0], *kernel = (struct object *)words[1], *where;
    if (!global || !dimensions || dimensions > 3 || !is_object(kernel, KERNEL) || !kernel->arguments
        || __atomic_load_n(&kernel->arguments->left, __ATOMIC_RELAXED))
        return ask_for_launch(entry, words);
    struct plan plan; /* Its launch is copied where it is known, and not cleared before. */
    plan.timed = NULL;
    plan.repeated = NULL;
    plan.uses = plan.is_single = plan.is_apart = 0;
    if (!(where = place_for(queue, wait_count, waits))) {
        if (!is_object(queue, QUEUE) || !queue->stream)
            return ask_for_launch(entry, words);
        int known = 1; /* or not to be kept */
        know_key(&plan.key, queue, kernel, dimensions, offset, global, local);
        return is_held_back(queue, kernel, &plan, &known, wait_count, waits, event) ? SUCCESS
            : launch_by_python(entry, words, &plan, known);
    }
    know_key(&plan.key, queue, kernel, dimensions, offset, global, local);
    struct times *times;
    int known = 0, has_end;
    enum made made = NOT_MADE;
    bring_due_pages_to(&where->stream->functions);
    if (take_times(where, event, &times)) {
        known = find_plan(kernel, &plan, form_in(where, times));
        if (known)
            made = make_between(where, kernel, &plan, times, &has_end);
        if (made != ISSUED || !has_end) {
            give_times(where, times);
            times = NULL;
        }
    }
    uint64_t number = made != NOT_MADE ? count_command(where) : 0;
    if (where != queue && made != NOT_MADE)
        note_lane_launch(where, number, launch_name(kernel, global));
    if (made != NOT_MADE && plan.launch.kind == RANGE)
        note_end(where, number);
    if (made == ISSUED)
        return give_bare_event(where, number, NDRANGE_KERNEL, times, event);
    if (made == FAULTED)
        return report_fault(queue, kernel, &plan.key);
    return launch_by_python(entry, words, &plan, known);
}

int32_t launch_kernel(struct entry *entry, struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)kernel, dimensions, (word)offset, (word)global, (word)local, wait_count, (word)waits,
                           (word)event };
    return launch(entry, words, dimensions, offset, global, local, wait_count, waits, (struct object **)event);
}

int32_t launch_task(struct entry *entry, struct object *queue, struct object *kernel, uint32_t wait_count, const void *waits,
                    const void *event)
{
    static const size_t one = 1;
    const word words[] = { (word)queue, (word)kernel, wait_count, (word)waits, (word)event };
    /* An event says that it is a task's. */
    return event ? ask_for_launch(entry, words) : launch(entry, words, 1, NULL, &one, &one, wait_count, waits, NULL);
}
