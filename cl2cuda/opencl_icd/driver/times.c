#include "times.h"

#include "answers.h"
#include "stream_waits.h"

#include <stdlib.h>

PyObject *fences_of, *base_time_of, *timed_event_of;

/* Of how many commands Python makes the fences together; cl_profiling_info. */
enum { BATCH = 16, QUEUED = 0x1280, SUBMIT, START, END, COMPLETE };

typedef int elapsed_time(float *milliseconds, void *start, void *end);

static struct base *unused_bases; /* nothing is counted from them any more */

int may_take_times(const struct object *queue)
{
    const struct native_stream *stream = &queue->stream->functions;
    return stream->query && (!stream->read || (stream->record && stream->elapsed));
}

/* With the lock of objects. */
static void leave_base(struct base *base)
{
    if (base && !--base->users) {
        base->next = unused_bases;
        unused_bases = base;
    }
}

static struct times *take_unused(struct timing *timing, uint64_t now)
{
    struct times *times = NULL;
    hold_objects();
    if (timing->base && now <= timing->until && (times = timing->unused)) {
        timing->unused = times->next;
        times->base = timing->base;
        times->base->users++;
    }
    let_objects_go();
    return times;
}

/* With Python's lock: times with the fences of one command. */
static struct times *new_times(PyObject *fences)
{
    struct times *times = fences ? calloc(1, sizeof *times) : NULL;
    if (times) {
        py.Py_IncRef(fences);
        times->fences = fences;
        times->begun = (void *)(uintptr_t)py.PyLong_AsUnsignedLongLongMask(py.PyTuple_GetItem(fences, 2));
        times->ended = (void *)(uintptr_t)py.PyLong_AsUnsignedLongLongMask(py.PyTuple_GetItem(fences, 3));
    }
    return times;
}

/* With Python's lock, of the package's answer. */
static int take_batch(struct timing *timing, PyObject *answer)
{
    PyObject *object = py.PyTuple_GetItem(answer, 0), *all = py.PyTuple_GetItem(answer, 3);
    struct base *base = calloc(1, sizeof *base);
    struct times *first = NULL, **last = &first;
    if (!base || !object || !all) {
        free(base);
        return 0;
    }
    py.Py_IncRef(object);
    *base = (struct base){ .object = object, .users = 1,
                           .event = (void *)(uintptr_t)py.PyLong_AsUnsignedLongLongMask(py.PyTuple_GetItem(answer, 1)) };
    for (Py_ssize_t i = 0; i < py.PyTuple_Size(all); i++)
        if ((*last = new_times(py.PyTuple_GetItem(all, i))))
            last = &(*last)->next;
    hold_objects();
    *last = timing->unused;
    timing->unused = first;
    leave_base(timing->base);
    timing->base = base;
    timing->until = py.PyLong_AsUnsignedLongLongMask(py.PyTuple_GetItem(answer, 2));
    let_objects_go();
    return 1;
}

static int ask_for_batch(struct object *queue, struct timing *timing)
{
    int state, done;
    if (!python_enter(&state))
        return 0;
    drop_released();
    PyObject *answer = py.PyObject_CallFunction(fences_of, "OI", queue->core, timing->unused ? 0 : BATCH);
    done = answer && take_batch(timing, answer);
    if (answer)
        py.Py_DecRef(answer);
    else
        drop_exception(0); /* Python's own way with the command says what is wrong. */
    python_leave(state);
    return done;
}

static struct timing *timing_of(struct object *queue)
{
    struct timing *timing = __atomic_load_n(&queue->timing, __ATOMIC_ACQUIRE);
    if (timing || !(timing = calloc(1, sizeof *timing)))
        return timing;
    struct timing *other = NULL;
    if (__atomic_compare_exchange_n(&queue->timing, &other, timing, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return timing;
    free(timing);
    return other;
}

/* CUDA's, whose fences are Python's work once for many commands; the host device's commands need no fences. */
static struct times *times_for(struct object *queue, uint64_t now)
{
    struct timing *timing = timing_of(queue);
    if (!timing)
        return NULL;
    if (!queue->stream->functions.read)
        return calloc(1, sizeof(struct times));
    if (!is_open(&queue->stream->functions))
        return NULL;
    struct times *times = take_unused(timing, now);
    return times || !ask_for_batch(queue, timing) ? times : take_unused(timing, 0);
}

int take_times(struct object *queue, const void *event, struct times **times)
{
    *times = NULL;
    if (!event || __atomic_load_n(&queue->stream->native[NEEDS_PYTHON], __ATOMIC_ACQUIRE) != TIMES_ONLY)
        return 1;
    uint64_t now = now_ns();
    if (!(*times = times_for(queue, now)))
        return 0;
    (*times)->queued = now;
    (*times)->is_known = 0;
    return 1;
}

static int record(const struct object *queue, void *event)
{
    const struct native_stream *stream = &queue->stream->functions;
    return !((record_event *)(uintptr_t)stream->record)(event, handle_of(stream));
}

int begin_times(struct object *queue, struct times *times)
{
    if (!times)
        return 1;
    if (times->fences)
        return record(queue, times->begun);
    times->start = now_ns();
    return 1;
}

int end_times(struct object *queue, struct times *times)
{
    if (!times)
        return 1;
    if (times->fences)
        return record(queue, times->ended);
    times->end = now_ns();
    times->is_known = 1;
    return 1;
}

void give_times(struct object *queue, struct times *times)
{
    if (!times)
        return;
    if (!times->fences) {
        free(times);
        return;
    }
    hold_objects();
    leave_base(times->base);
    times->base = NULL;
    times->next = queue->timing->unused;
    queue->timing->unused = times;
    let_objects_go();
}

/* Python's event has the fences from when it was made. */
void drop_times(struct object *event)
{
    struct times *times = event->times;
    event->times = NULL;
    if (!times)
        return;
    if (!event->core || !times->fences) {
        give_times(event->parent, times);
        return;
    }
    hold_objects();
    leave_base(times->base);
    let_objects_go();
    py.Py_DecRef(times->fences);
    free(times);
}

void drop_timing(struct object *queue)
{
    struct timing *timing = queue->timing;
    queue->timing = NULL;
    if (!timing)
        return;
    for (struct times *each = timing->unused, *next; each; each = next) {
        next = each->next;
        py.Py_DecRef(each->fences);
        free(each);
    }
    hold_objects();
    leave_base(timing->base);
    let_objects_go();
    free(timing);
}

void drop_bases(void)
{
    if (!__atomic_load_n(&unused_bases, __ATOMIC_RELAXED))
        return;
    hold_objects();
    struct base *list = unused_bases;
    unused_bases = NULL;
    let_objects_go();
    while (list) {
        struct base *next = list->next;
        py.Py_DecRef(list->object);
        free(list);
        list = next;
    }
}

PyObject *timed_core(struct object *event)
{
    const struct times *times = event->times;
    return py.PyObject_CallFunction(timed_event_of, "OKIKKKOO", event->parent->core, (unsigned long long)event->number, event->command,
                                    (unsigned long long)times->queued, (unsigned long long)times->start, (unsigned long long)times->end,
                                    times->fences ? times->fences : py.none, times->fences ? times->base->object : py.none);
}

/* CUDA's milliseconds between the two events as nanoseconds; 0 where it does not tell them, or one has not been reached. */
static int nanoseconds_between(const struct native_stream *stream, void *start, void *end, int64_t *between)
{
    float milliseconds;
    if (((elapsed_time *)(uintptr_t)stream->elapsed)(&milliseconds, start, end))
        return 0;
    double exact = milliseconds * 1e6;
    *between = (int64_t)(exact < 0 ? exact - .5 : exact + .5);
    return 1;
}

/* The host's time of the base, which Python has once it was asked. */
static int know_base(struct base *base)
{
    int state;
    if (__atomic_load_n(&base->is_known, __ATOMIC_ACQUIRE))
        return 1;
    if (!python_enter(&state))
        return 0;
    PyObject *time = py.PyObject_CallFunction(base_time_of, "O", base->object);
    if (time) {
        base->time = (int64_t)py.PyLong_AsUnsignedLongLongMask(time);
        __atomic_store_n(&base->is_known, 1, __ATOMIC_RELEASE);
        py.Py_DecRef(time);
    } else {
        drop_exception(0);
    }
    python_leave(state);
    return time != NULL;
}

/* Threads that meet here find the same. */
int has_times(struct object *event)
{
    struct times *times = event->times;
    int64_t start, end;
    if (!times)
        return 0;
    if (__atomic_load_n(&times->is_known, __ATOMIC_ACQUIRE))
        return 1;
    const struct native_stream *stream = &event->parent->stream->functions;
    if (!is_open(stream) || !is_quiet(stream) || !nanoseconds_between(stream, times->base->event, times->ended, &end)
        || !nanoseconds_between(stream, times->base->event, times->begun, &start) || !know_base(times->base))
        return 0;
    times->start = (uint64_t)(times->base->time + start);
    times->end = (uint64_t)(times->base->time + end);
    __atomic_store_n(&times->is_known, 1, __ATOMIC_RELEASE);
    return 1;
}

static uint64_t lower(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* As PROFILING of runtime.queue.event: the host's clock and the device's are only nearly the same. The end of a command and of all that it
   has enqueued are one here. */
static uint64_t told(const struct times *times, uint32_t query)
{
    if (query == QUEUED || query == SUBMIT)
        return lower(times->queued, times->start);
    return query == START || times->end < times->start ? times->start : times->end;
}

int32_t tell_times(struct entry *entry, struct object *event, uint32_t query, size_t room, const void *value, const void *size)
{
    const word words[] = { (word)event, query, room, (word)value, (word)size };
    if (!is_object(event, EVENT) || query < QUEUED || query > COMPLETE || !has_times(event))
        return (int32_t)answer(entry, words);
    uint64_t time = told(event->times, query);
    return give_info(&time, sizeof time, room, value, size);
}
