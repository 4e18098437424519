/* See plans.h: where a plan is looked for, and how long it is kept. */
#include "plans.h"

#include "arguments.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLANS = 32 };

/* Other threads may launch the same kernel, so a plan is copied under the lock, and called without. */
struct plans {
    pthread_mutex_t lock;
    uint32_t count, next;
    size_t resized[3], resized_local; /* the last size that was made of another one, and its local memory: one that comes again is kept */
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

static int has_no_offset(const struct plan_key *key)
{
    return !(key->offset[0] | key->offset[1] | key->offset[2]);
}

/* Whether the plan's record may be given the offset: launches without one have a quicker plan, or none that has a record. */
static int may_have_offset(const struct plan *plan, const struct plan_key *wanted)
{
    const size_t *offset = wanted->offset;
    if (plan->launch.kind != RECORDED_GRID || has_no_offset(&plan->key) || has_no_offset(wanted))
        return 0;
    for (int i = 0; i < 3; i++)
        if (offset[i] + wanted->global[i] < offset[i]) /* CL_INVALID_GLOBAL_OFFSET */
            return 0;
    return 1;
}

static int has_all_sizes(const struct plan_key *key, const struct plan_key *wanted)
{
    return key->global[0] == wanted->global[0] && key->has_local == wanted->has_local && key->local_memory == wanted->local_memory
        && same_sizes(key->global, wanted->global, 3) && same_sizes(key->local, wanted->local, 3);
}

static int is_plan(const struct plan *plan, const struct plan_key *wanted)
{
    const struct plan_key *key = &plan->key;
    return has_all_sizes(key, wanted) && key->serial == wanted->serial && key->number == wanted->number
        && key->dimensions == wanted->dimensions && key->has_offset == wanted->has_offset
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

/* The launch's extent, of which it is one grid of CUDA's, or a range of the host device's; 0 where it is another one. */
static int is_one_grid(const struct plan *plan, uint32_t *group)
{
    const struct launch *launch = &plan->launch;
    const uint64_t *extent = launch->words + EXTENT;
    for (int i = 0; i < 3; i++) {
        const uint64_t items = (uint32_t)i < plan->key.dimensions ? plan->key.global[i] : 1;
        group[i] = (uint32_t)launch->words[GROUP + i];
        if (!group[i] || (!may_exceed(&plan->limits) && (launch->kind == RANGE ? items % group[i] : extent[i] * group[i] != items)))
            return 0;
    }
    return (launch->kind == GRID || launch->kind == DEPENDENT_GRID || launch->kind == RANGE) && has_no_offset(&plan->key);
}

/* The launch's bytes of local memory with the wanted argument. */
static uint64_t local_with(const struct plan *plan, const struct plan_key *wanted)
{
    const uint64_t local = plan->launch.words[plan->launch.kind == RANGE ? RANGE_LOCAL : GRID_LOCAL];
    return local + wanted->local_memory - plan->key.local_memory;
}

/* Whether the kernel has all that a launch with so much local memory needs. */
static int may_have_local(const struct plan *plan, const struct plan_key *wanted)
{
    return wanted->local_memory <= plan->key.local_memory
        || (wanted->local_memory <= plan->limits.local_memory && local_with(plan, wanted) <= plan->limits.local_memory);
}

/* Whether the launch may be one of the wanted queue's: of its own, or of another one of the device. */
static int may_be_in_queue(const struct plan *plan, const struct plan_key *wanted)
{
    return plan->key.serial == wanted->serial || plan->launch.kind == RANGE
        || (wanted->stream && plan->launch.context == wanted->context);
}

/* Whether the wanted launch is this one but for its sizes and queue: programs work on less and less, or on as much as there is. */
static int is_alike(const struct plan *plan, const struct plan_key *wanted, uint32_t *group)
{
    const struct plan_key *key = &plan->key;
    return key->number == wanted->number && key->dimensions == wanted->dimensions && is_one_grid(plan, group)
        && may_be_in_queue(plan, wanted) && may_have_local(plan, wanted);
}

static void resize(struct plan *plan, const struct plan *from, const struct extent *extent)
{
    plan->launch = from->launch;
    plan->parameters = from->parameters;
    plan->limits = from->limits;
    plan->is_apart = 1;
    if (may_exceed(&from->limits)) { /* of a kernel without local memory */
        plan->launch.words[GRID_FUNCTION] = from->limits.functions[extent->surplus != 0];
        plan->launch.words[GRID_LOCAL] = extent->surplus;
    } else {
        plan->launch.words[from->launch.kind == RANGE ? RANGE_LOCAL : GRID_LOCAL] = local_with(from, &plan->key);
    }
    if (from->launch.kind != RANGE && from->key.serial != plan->key.serial)
        plan->launch.words[GRID_STREAM] = plan->key.stream;
    for (int i = 0; i < 3; i++) {
        plan->launch.words[EXTENT + i] = from->launch.kind == RANGE ? extent->size[i] : extent->blocks[i];
        plan->launch.words[GROUP + i] = extent->group[i];
    }
}

/* With the lock: the launch made of one of another size or queue, which is returned; NULL where there is none. */
static const struct plan *find_resized(struct plan *plan, const struct plans *plans)
{
    const struct plan_key *key = &plan->key;
    const struct launch_limits *tried = NULL;
    struct extent extent;
    uint32_t group[3];
    for (uint32_t i = 0; has_no_offset(key) && i < plans->count; i++) {
        const struct plan *from = &plans->plans[i];
        if (!is_alike(from, key, group))
            continue;
        if (tried && !key->has_local && !memcmp(tried, &from->limits, sizeof *tried)) /* It would choose the same. */
            continue;
        if (find_extent(&extent, &from->limits, key->dimensions, key->global, key->has_local ? key->local : NULL, group)) {
            resize(plan, from, &extent);
            return from;
        }
        tried = &from->limits;
    }
    return NULL;
}

/* With the lock: whether what was made of another launch is to be kept, since it is what the last one was that was made so, or the other
   one in another queue. */
static int is_to_be_kept(struct plans *plans, const struct plan_key *key, const struct plan *from)
{
    int comes_again = same_sizes(plans->resized, key->global, 3) && plans->resized_local == key->local_memory;
    memcpy(plans->resized, key->global, sizeof plans->resized);
    plans->resized_local = key->local_memory;
    return comes_again || has_all_sizes(&from->key, key);
}

static void give_record(struct plan *plan, const uint64_t *record)
{
    memcpy(plan->record, record, sizeof plan->record);
    memcpy(plan->record, plan->key.offset, sizeof plan->key.offset);
}

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

void keep_plan(struct object *kernel, const struct plan *plan)
{
    struct plans *plans = kernel->plans;
    if (!plans) {
        if (!(plans = calloc(1, sizeof *plans)))
            return;
        pthread_mutex_init(&plans->lock, NULL);
        __atomic_store_n(&kernel->plans, plans, __ATOMIC_RELEASE);
    }
    pthread_mutex_lock(&plans->lock);
    const struct plan before = plans->plans[plans->next];
    const struct graph_calls calls = plans->calls;
    plans->plans[plans->next] = *plan;
    plans->next = (plans->next + 1) % MOST_PLANS;
    plans->count += plans->count < MOST_PLANS;
    pthread_mutex_unlock(&plans->lock);
    end_graphs(&calls, &before);
}

/* From now on it is a launch of its own, which may have graphs. */
static void keep_resized(struct object *kernel, const struct plan *plan)
{
    struct plan kept = *plan;
    kept.is_apart = 0;
    keep_plan(kernel, &kept);
}

int find_plan(struct object *kernel, struct plan *plan, enum form form)
{
    struct plans *plans = __atomic_load_n(&kernel->plans, __ATOMIC_ACQUIRE);
    int is_to_keep = 0;
    if (!plans)
        return 0;
    pthread_mutex_lock(&plans->lock);
    struct plan *kept = kept_plan(plans, &plan->key);
    const struct plan *from = kept ? NULL : find_resized(plan, plans);
    if (from)
        is_to_keep = is_to_be_kept(plans, &plan->key, from);
    if (kept) {
        plan->launch = kept->launch;
        plan->parameters = kept->parameters;
        if (kept->launch.kind == RECORDED_GRID)
            give_record(plan, kept->record);
        take_graphs(plan, kept, form);
    }
    pthread_mutex_unlock(&plans->lock);
    if (is_to_keep)
        keep_resized(kernel, plan);
    return kept || from;
}

void give_graphs_back(struct object *kernel, struct plan *plan, const struct graph_calls *calls, enum form form)
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

void know_key(struct plan_key *key, const struct object *queue, const struct object *kernel, uint32_t dimensions,
                     const size_t *offset, const size_t *global, const size_t *local)
{
    *key = (struct plan_key){ .number = number_of_plans(kernel->arguments),
                              .serial = queue->stream->serial, .dimensions = dimensions, .has_offset = offset != NULL,
                              .has_local = local != NULL, .local_memory = local_memory_of(kernel->arguments) };
    for (uint32_t i = 0; i < dimensions; i++) {
        key->offset[i] = offset ? offset[i] : 0;
        key->global[i] = global[i];
        key->local[i] = local ? local[i] : 0;
    }
}
