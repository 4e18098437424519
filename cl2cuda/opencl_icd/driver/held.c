#include "held_commands.h"

#include "commands.h"
#include "lanes.h"
#include "order.h"
#include "user_events.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

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

/* Whether the queue's own order sees to the event. */
static int is_of(const struct object *event, const struct object *queue)
{
    return is_object(event, EVENT) && event->parent == queue && !has_core(event) && !event->description;
}

/* Adds an event of the list to what the command stands behind; 0 where Python is to see to it. With the lock. */
static int add_event(struct gate *gate, const struct object *queue, struct object *event)
{
    const struct held *held = is_object(event, EVENT) ? event->waits : NULL;
    int is_gate = !held && is_bare_user_event(event);
    if (!held && !is_gate)
        return is_of(event, queue);
    struct object *shut = held ? held->gate.event : event;
    if ((gate->event && gate->event != shut) || shut->context != queue->context)
        return 0;
    gate->event = shut;
    gate->is_waited_for |= is_gate || held->gate.is_waited_for;
    if (is_gate || held->queue == queue)
        return 1;
    if (has_lanes(held->queue) || gate->elsewhere_count == MOST_ELSEWHERE)
        return 0;
    gate->elsewhere[gate->elsewhere_count++] = event;
    return 1;
}

/* Without the lock: whether commands behind these events may be held back here. */
static int may_be_held(const struct object *queue, uint32_t wait_count, struct object *const *waits)
{
    int found = wait_count ? any_held() : holds_back(queue);
    for (uint32_t i = 0; !found && i < wait_count; i++)
        found = is_bare_user_event(waits[i]);
    return found;
}

struct gate gate_for(struct object *queue, uint32_t wait_count, const void *place)
{
    struct object *const *waits = place;
    const struct gate none = { .event = NULL };
    int is_ordered = is_plain_beside_held(queue) && !is_timed(queue);
    if (!wait_count != !waits || (!is_ordered && !(has_lanes(queue) && takes_lanes(queue))))
        return none;
    if (wait_count == 1 && is_bare_user_event(waits[0]) && waits[0]->context == queue->context)
        return (struct gate){ .event = waits[0], .is_waited_for = 1 };
    if (!is_ordered || !may_be_held(queue, wait_count, waits))
        return none;
    pthread_mutex_lock(&lock);
    struct gate gate = { .event = gate_of(queue) };
    int is_ours = 1;
    for (uint32_t i = 0; is_ours && i < wait_count; i++)
        is_ours = add_event(&gate, queue, waits[i]);
    pthread_mutex_unlock(&lock);
    return is_ours ? gate : none;
}

struct gate gate_in_order(struct object *queue, uint32_t wait_count, const void *waits)
{
    const struct gate none = { .event = NULL };
    return is_object(queue, QUEUE) && queue->stream && !has_lanes(queue) ? gate_for(queue, wait_count, waits) : none;
}

static void end_held(struct held *held)
{
    free(held->block);
    free(held);
}

/* With the lock: whether what it comes behind in other queues is held back still, which is kept. */
static int find_behind(struct held *held)
{
    for (uint32_t i = 0; i < held->gate.elsewhere_count; i++) {
        struct held *before = held->gate.elsewhere[i]->waits;
        if (!before || before->gate.event != held->gate.event)
            return 0;
        held->behind[i] = (struct behind){ .held = before, .queue = before->queue, .command = before->command };
    }
    for (uint32_t i = 0; i < held->gate.elsewhere_count; i++)
        held->gate.elsewhere[i]->waits->is_awaited = 1;
    return 1;
}

/* Puts the command behind the gate, unless that was set, or a thread has taken some. The count says so before the gate is looked at: the
   thread that sets it looks the other way round. */
static int list_held(struct held *held)
{
    struct object *queue = held->queue;
    pthread_mutex_lock(&lock);
    __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    int done = !is_taken && is_unset(held->gate.event) && (has_lanes(queue) || !holds_back(queue) || gate_of(queue) == held->gate.event)
        && find_behind(held);
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
static int hold(struct held *held, struct object **event)
{
    int made = !event || (held->event = new_bare_event(held->queue, 0, held->command));
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
    *held = (struct held){ .gate = gate, .queue = queue, .kernel = kernel, .command = NDRANGE_KERNEL, .launch = *launch, .key = *key };
    if (freeze_launch(held, parameters))
        return hold(held, event);
    end_held(held);
    return 0;
}

int hold_copy_back(struct gate gate, const struct held_copy *copy, struct object *queue, struct object **event)
{
    struct held *held = malloc(sizeof *held);
    if (!held)
        return 0;
    *held = (struct held){ .gate = gate, .queue = queue, .command = copy->command, .copy = *copy };
    if (freeze_copy(held))
        return hold(held, event);
    end_held(held);
    return 0;
}

int hold_place_back(uint32_t command, struct object *queue, uint32_t wait_count, const void *waits, const void *event)
{
    struct gate gate = gate_in_order(queue, wait_count, waits);
    return gate.event && hold_copy_back(gate, &(struct held_copy){ .command = command }, queue, (struct object **)event);
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

/* What comes behind it in other queues, which was taken with it, comes behind what it has become. */
static void go_before(const struct held *held, uint64_t number, PyObject *core)
{
    for (struct held *later = held->is_awaited ? held->next : NULL; later; later = later->next)
        for (uint32_t i = 0; i < later->gate.elsewhere_count; i++)
            if (later->behind[i].held == held) {
                later->behind[i].held = NULL;
                later->behind[i].number = number;
                later->behind[i].core = core ? new_reference(core) : NULL;
            }
}

/* Whether the command was made. */
static int make_held(struct held *held)
{
    struct object *queue = held->queue, *where = has_lanes(queue) ? lane_for(queue, 0, NULL) : is_plain_beside_held(queue) ? queue : NULL;
    uint64_t number;
    if (!where || !give_held(held, where, &number))
        return 0;
    go_before(held, number, NULL);
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

/* What came behind it elsewhere, and knows its event, needs that no more when it has been told of itself. */
static void forget_behind(struct held *held)
{
    for (uint32_t i = 0; i < held->gate.elsewhere_count; i++)
        if (held->behind[i].core) {
            py.Py_DecRef(held->behind[i].core);
            held->behind[i].core = NULL;
        }
}

static void tell(struct held *held)
{
    PyObject *core = tell_of_held(held);
    if (!core)
        drop_exception(1);
    go_before(held, 0, core);
    forget_behind(held);
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
