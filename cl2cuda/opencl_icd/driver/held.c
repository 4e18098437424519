#include "held.h"

#include "commands.h"
#include "due_pages.h"
#include "lanes.h"
#include "order.h"
#include "user_events.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

PyObject *hold_launch, *hold_write;

/* A launch, whose parameters are in the block, with their values before them; or a write. */
struct held {
    struct held *next;
    struct gate gate;
    struct object *queue, *kernel, *event; /* no kernel for a write; the event until it is released, or NULL */
    struct held_write write;
    struct launch launch;
    struct plan_key key;
    struct parameters parameters;
    void *block;
};

/* In the order in which they came. One thread at a time takes some from the list, and makes them, or tells Python of them: until then
   `count` has them, and no more come. It may enter Python meanwhile, and keeps nobody from it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct held *first, **last = &first;
static uint32_t count, is_taken;
static __thread int has_taken;

void lock_held(void)
{
    pthread_mutex_lock(&lock);
}

void unlock_held(void)
{
    pthread_mutex_unlock(&lock);
}

void forget_taken(void)
{
    uint32_t left = 0;
    if (!is_taken || has_taken)
        return;
    for (const struct held *held = first; held; held = held->next)
        left++;
    is_taken = 0;
    __atomic_store_n(&count, left, __ATOMIC_SEQ_CST);
}

int any_held(void)
{
    return __atomic_load_n(&count, __ATOMIC_SEQ_CST) != 0;
}

static int holds_back(const struct object *queue)
{
    return __atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) != 0;
}

/* With the lock: the user event that the queue's commands wait for, of which there is one. */
static struct object *gate_of(const struct object *queue)
{
    for (struct held *held = first; held; held = held->next)
        if (held->queue == queue)
            return held->gate.event;
    return NULL;
}

/* With the lock: the same, for a command behind events of the queue. */
static struct gate gate_behind(const struct object *queue, uint32_t wait_count, struct object *const *waits)
{
    struct gate gate = { gate_of(queue), 0 };
    for (uint32_t i = 0; gate.event && i < wait_count; i++)
        gate.is_waited_for |= waits[i]->waits && waits[i]->waits->gate.is_waited_for;
    return gate;
}

/* Whether the queue's own order sees to the event. */
static int is_of(const struct object *event, const struct object *queue)
{
    return is_object(event, EVENT) && event->parent == queue && !has_core(event) && !event->description;
}

struct gate gate_for(struct object *queue, uint32_t wait_count, const void *place)
{
    struct object *const *waits = place;
    const struct gate none = { NULL, 0 };
    int is_ordered = is_plain_beside_held(queue) && !is_timed(queue);
    if (!wait_count != !waits || (!is_ordered && !(has_lanes(queue) && takes_lanes(queue))))
        return none;
    if (wait_count == 1 && is_bare_user_event(waits[0]) && waits[0]->context == queue->context)
        return (struct gate){ waits[0], 1 };
    for (uint32_t i = 0; i < wait_count; i++)
        if (!is_of(waits[i], queue))
            return none;
    if (!is_ordered || !holds_back(queue))
        return none;
    pthread_mutex_lock(&lock);
    struct gate gate = gate_behind(queue, wait_count, waits);
    pthread_mutex_unlock(&lock);
    return gate;
}

/* As copy_parameters of runtime/native/launches.c: the values of now, as aligned as those they are of. */
static int freeze(struct held *held, const struct parameters *parameters)
{
    enum { MOST_ALIGNED = 128 };
    size_t place = (parameters->size + MOST_ALIGNED - 1) & ~(size_t)(MOST_ALIGNED - 1);
    char *const *given = (char *const *)(uintptr_t)held->launch.words[PARAMETERS], *values = (char *)(uintptr_t)parameters->values;
    if (posix_memalign(&held->block, MOST_ALIGNED, place + (parameters->count + 1) * sizeof *given))
        return 0;
    char *block = held->block, **copied = (char **)(block + place);
    memcpy(block, values, parameters->size);
    for (uint64_t i = 0; i < parameters->count; i++)
        copied[i] = block + (given[i] - values);
    held->parameters = (struct parameters){ parameters->count, (uintptr_t)block, parameters->size };
    held->launch.words[PARAMETERS] = (uintptr_t)copied;
    return 1;
}

static void end_held(struct held *held)
{
    free(held->block);
    free(held);
}

/* Puts the command behind the gate, unless that was set, or a thread has taken some. The count says so before the gate is looked at: the
   thread that sets it looks the other way round. */
static int list_held(struct held *held)
{
    struct object *queue = held->queue;
    pthread_mutex_lock(&lock);
    __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    int done = !is_taken && is_unset(held->gate.event) && (has_lanes(queue) || !holds_back(queue) || gate_of(queue) == held->gate.event);
    if (done) {
        *last = held;
        last = &held->next;
        if (held->event)
            __atomic_store_n(&held->event->waits, held, __ATOMIC_RELEASE);
        __atomic_add_fetch(&queue->waiting, 1, __ATOMIC_RELEASE);
    } else {
        __atomic_sub_fetch(&count, 1, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* Lists it with its event, if that is wanted; 0, and it has ended, where the command is Python's. */
static int hold(struct held *held, uint32_t command, struct object **event)
{
    int made = !event || (held->event = new_bare_event(held->queue, 0, command));
    struct object *its_event = held->event; /* Another thread may set the gate at once. */
    if (made && list_held(held)) {
        if (event)
            *event = its_event;
        return 1;
    }
    if (its_event)
        release_object(its_event, EVENT);
    end_held(held);
    return 0;
}

int hold_back(struct gate gate, const struct launch *launch, const struct parameters *parameters, const struct plan_key *key,
              struct object *queue, struct object *kernel, struct object **event)
{
    struct held *held = malloc(sizeof *held);
    if (!held)
        return 0;
    *held = (struct held){ .gate = gate, .queue = queue, .kernel = kernel, .launch = *launch, .key = *key };
    if (freeze(held, parameters))
        return hold(held, NDRANGE_KERNEL, event);
    end_held(held);
    return 0;
}

int hold_write_back(struct gate gate, const struct held_write *write, struct object *queue, struct object **event)
{
    struct held *held = malloc(sizeof *held);
    if (!held)
        return 0;
    *held = (struct held){ .gate = gate, .queue = queue, .write = *write };
    return hold(held, WRITE_BUFFER, event);
}

/* Takes what is there, or is behind the user event; 0 where a thread has some. */
static int take_held(const struct object *event, struct held **list)
{
    if (has_taken)
        return 0;
    pthread_mutex_lock(&lock);
    has_taken = !is_taken;
    is_taken = 1;
    for (struct held **place = &first, **end = list; has_taken && *place;) {
        struct held *held = *place;
        if (event && held->gate.event != event) {
            place = &held->next;
            continue;
        }
        *place = held->next;
        held->next = NULL;
        *end = held;
        end = &held->next;
    }
    for (last = &first; *last;)
        last = &(*last)->next;
    pthread_mutex_unlock(&lock);
    return has_taken;
}

/* What could not be made comes first again. */
static void end_taking(struct held *list)
{
    struct held **end = &list;
    pthread_mutex_lock(&lock);
    while (*end)
        end = &(*end)->next;
    *end = first;
    first = list;
    for (last = &first; *last;)
        last = &(*last)->next;
    is_taken = 0;
    has_taken = 0;
    pthread_mutex_unlock(&lock);
}

/* It is held back no more. */
static void leave(struct held *held)
{
    __atomic_sub_fetch(&held->queue->waiting, 1, __ATOMIC_RELEASE);
    __atomic_sub_fetch(&count, 1, __ATOMIC_SEQ_CST);
    end_held(held);
}

/* The event's command has this number in the queue, or in a lane. */
static void give_number(const struct held *held, struct object *where, uint64_t number)
{
    pthread_mutex_lock(&lock);
    struct object *event = held->event;
    if (event) {
        event->number = number;
        if (where != held->queue) {
            __atomic_add_fetch(&where->users, 1, __ATOMIC_RELAXED);
            __atomic_sub_fetch(&held->queue->users, 1, __ATOMIC_RELAXED);
            event->parent = where;
        }
        __atomic_store_n(&event->waits, NULL, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

/* Writes are held back in queues in order alone. */
static int make_write(const struct held *held)
{
    const struct held_write *write = &held->write;
    const struct native_stream *stream = &held->queue->stream->functions;
    if (!is_open(stream) || (stream->write && !copy_to_device(stream, write->address, write->host, write->size)))
        return 0;
    if (!stream->write)
        memmove((void *)(uintptr_t)write->address, write->host, write->size);
    give_number(held, held->queue, count_command(held->queue));
    return 1;
}

/* Whether the command was made. */
static int make_held(const struct held *held)
{
    struct object *queue = held->queue, *where = has_lanes(queue) ? lane_for(queue, 0, NULL) : is_plain_beside_held(queue) ? queue : NULL;
    if (!where)
        return 0;
    if (!held->kernel)
        return make_write(held);
    bring_due_pages_to(&where->stream->functions);
    if (!give_grid(&held->launch, where))
        return 0;
    uint64_t number = count_command(where);
    if (where != queue)
        note_lane_launch(where, number, launch_name(held->kernel, held->key.global));
    give_number(held, where, number);
    return 1;
}

/* Whether all commands behind the user event were made. */
static int make_behind(const struct object *event)
{
    struct held *list = NULL, *next;
    while (!take_held(event, &list))
        if (has_taken)
            return 0;
        else
            sched_yield();
    for (; list && make_held(list); list = next) {
        next = list->next;
        leave(list);
    }
    int done = !list;
    end_taking(list);
    return done;
}

void let_go_behind(const struct object *event, int32_t status)
{
    int state;
    if (!any_held() || (!status && make_behind(event)) || !python_enter(&state))
        return;
    tell_held(); /* With the status that its user event has, Python makes the commands, or ends them. */
    python_leave(state);
}

/* Python's event has come in the place of what was held back. */
static void give_core(const struct held *held, PyObject *core)
{
    pthread_mutex_lock(&lock);
    struct object *event = held->event;
    if (event) {
        __atomic_store_n(&event->core, core, __ATOMIC_RELAXED);
        __atomic_store_n(&event->waits, NULL, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    if (!event && core)
        py.Py_DecRef(core);
}

static PyObject *tell_launch(const struct held *held, uint64_t gate)
{
    const uint64_t words[] = { gate, held->parameters.values, held->parameters.size };
    PyObject *more = tuple_of_words(words, 3), *core = more ? ask_of(hold_launch, held->queue, held->kernel, &held->key, more) : NULL;
    if (more)
        py.Py_DecRef(more);
    return core;
}

static PyObject *tell_write(const struct held *held, uint64_t gate)
{
    const struct held_write *write = &held->write;
    return py.PyObject_CallFunction(hold_write, "OOKKKK", held->queue->core, write->buffer->core, (unsigned long long)gate,
                                    (unsigned long long)write->offset, (unsigned long long)(uintptr_t)write->host,
                                    (unsigned long long)write->size);
}

static void tell(const struct held *held)
{
    const uint64_t gate = held->gate.is_waited_for ? (uintptr_t)held->gate.event : 0;
    PyObject *core = held->kernel ? tell_launch(held, gate) : tell_write(held, gate);
    if (!core)
        drop_exception(1);
    give_core(held, core);
}

void tell_held(void)
{
    struct held *list = NULL;
    while (any_held() && !take_held(NULL, &list)) {
        if (has_taken)
            return;
        void *thread = py.PyEval_SaveThread();
        sched_yield();
        py.PyEval_RestoreThread(thread);
    }
    if (!has_taken)
        return;
    for (struct held *next; list; list = next) {
        next = list->next;
        tell(list);
        leave(list);
    }
    end_taking(NULL);
}

void leave_held(struct object *event)
{
    if (!__atomic_load_n(&event->waits, __ATOMIC_ACQUIRE))
        return;
    pthread_mutex_lock(&lock);
    if (event->waits)
        event->waits->event = NULL;
    event->waits = NULL;
    pthread_mutex_unlock(&lock);
}

/* Whether any waits for the user event, or may. */
static int is_gate(const struct object *event)
{
    pthread_mutex_lock(&lock);
    int found = is_taken != 0;
    for (struct held *held = first; held && !found; held = held->next)
        found = held->gate.event == event;
    pthread_mutex_unlock(&lock);
    return found;
}

void leave_gate(struct object *event)
{
    int state;
    if (!any_held() || !is_bare_user_event(event) || !is_gate(event) || !python_enter(&state))
        return;
    tell_held();
    python_leave(state);
}
