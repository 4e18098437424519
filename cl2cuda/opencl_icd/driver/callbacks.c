/* Callbacks of events without Python. Each stream whose commands have some gets a thread for a while, a *watcher*, which waits for them one
   after the other, as they end. Right behind the command, when its callback is set, a CUDA event is recorded, so that it is called as soon
   as that has ended, whatever comes behind. What is not of this kind is Python's (runtime/queue/event.py), as is the first callback of a
   stream, whose watcher makes its CUDA events meanwhile. */
#define _GNU_SOURCE
#include "callbacks.h"

#include "commands.h"
#include "order.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

PyObject *watched_fences_of, *status_at_end;

/* How many callbacks of a stream may be under way for commands that have not ended, and how long a watcher without any stays. */
enum { FENCES = 16, LINGER_SECONDS = 1 };

/* cl_int execution statuses; and that nobody is there any more to tell. */
enum { COMPLETE = 0, RUNNING = 1, SUBMITTED = 2, NEVER_KNOWN = 3 };

typedef void notify(struct object *event, int32_t status, void *user_data);

/* One that was set, and the status that it waits for. The fence is where in its watcher's `fences` the CUDA event stands; NONE where the
   command is at the status, or past it. */
enum { NONE = -1 };
struct callback {
    struct callback *next;
    struct object *event;
    notify *function;
    void *user_data;
    int32_t status;
    int fence;
};

/* Of a queue's stream. `setting` counts the threads that are about to add a callback, behind the first of `calls`, in whose place the
   watcher looks without the lock for a moment after its last one. */
struct watcher {
    struct watcher *next;
    uint64_t serial, handle;
    struct object *queue;    /* until the fences are made */
    struct callback *calls, **last;
    int setting, sleeps;
    pthread_cond_t wanted;
    PyObject *kept;          /* the fences in Python */
    void *fences[FENCES];
    int unused[FENCES], unused_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watcher *watchers;

void lock_watchers(void)
{
    pthread_mutex_lock(&lock);
}

void unlock_watchers(void)
{
    pthread_mutex_unlock(&lock);
}

void forget_watchers(void)
{
    watchers = NULL;
}

/* With the lock. */
static void give_fence(struct watcher *watcher, int fence)
{
    watcher->unused[watcher->unused_count++] = fence;
}

/* On the watcher's thread. */
static void make_fences(struct watcher *watcher)
{
    const struct native_stream *stream = &watcher->queue->stream->functions;
    int state, count = 0, has_events = stream->record && stream->query_event;
    if (!python_enter(&state))
        return;
    PyObject *made = has_events
        ? py.PyObject_CallFunction(watched_fences_of, "OI", watcher->queue->core, FENCES) : NULL;
    PyObject *events = made ? py.PyTuple_GetItem(made, 1) : NULL;
    for (; events && count < py.PyTuple_Size(events); count++)
        watcher->fences[count] = (void *)(uintptr_t)py.PyLong_AsUnsignedLongLongMask(py.PyTuple_GetItem(events, count));
    if (has_events && !made)
        drop_exception(0); /* Python sees to the callbacks, and says what is wrong. */
    drop_object(watcher->queue);
    python_leave(state);
    pthread_mutex_lock(&lock);
    watcher->kept = made;
    while (count--)
        give_fence(watcher, count);
    pthread_mutex_unlock(&lock);
}

static void drop_fences(PyObject *kept)
{
    int state;
    if (!kept || !python_enter(&state))
        return;
    py.Py_DecRef(kept);
    python_leave(state);
}

/* Whether CUDA comes to the event: watched closely for a moment, then with pauses that are little beside the wait. */
static int is_reached_later(const struct native_stream *stream, void *fence)
{
    enum { PART = 8, LONGEST_PAUSE_NS = 1000000 };
    int status;
    uint64_t start = now_ns();
    while ((status = ((query_event *)(uintptr_t)stream->query_event)(fence)) == NOT_READY && !python_was_told_of_exit) {
        uint64_t waited = now_ns() - start, pause = waited / PART;
        if (waited < ALONE_NS)
            relax();
        else
            nanosleep(&(struct timespec){ 0, pause < LONGEST_PAUSE_NS ? (long)pause : LONGEST_PAUSE_NS }, NULL);
    }
    return !status;
}

static int32_t ask_python_for_status(struct object *event)
{
    int state;
    if (python_was_told_of_exit || !python_enter(&state))
        return NEVER_KNOWN;
    PyObject *core = core_of(event), *found = core ? py.PyObject_CallFunction(status_at_end, "O", core) : NULL;
    int32_t status = found ? (int32_t)py.PyLong_AsUnsignedLongLongMask(found) : OUT_OF_RESOURCES;
    if (found)
        py.Py_DecRef(found);
    else
        drop_exception(1);
    python_leave(state);
    return status;
}

/* What the callback is told: its own status, or that of a command which has failed, once that has ended. */
static int32_t wait_for_status(const struct watcher *watcher, const struct callback *call)
{
    struct object *queue = call->event->parent;
    if (call->fence == NONE)
        return call->status;
    if (!is_reached_later(&queue->stream->functions, watcher->fences[call->fence])) {
        int32_t status = ask_python_for_status(call->event);
        return status == COMPLETE ? call->status : status;
    }
    note_end(queue, call->event->number);
    return call->status;
}

/* With the lock, for a while without: the next callback; NULL where none has come for long. */
static struct callback *next_call(struct watcher *watcher, int has_called)
{
    if (!watcher->calls && has_called) { /* To wake a thread takes longer than most commands. */
        pthread_mutex_unlock(&lock);
        for (uint64_t start = now_ns(); !__atomic_load_n(&watcher->calls, __ATOMIC_ACQUIRE) && now_ns() - start < ALONE_NS;)
            relax();
        pthread_mutex_lock(&lock);
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LINGER_SECONDS;
    watcher->sleeps = 1;
    for (int status = 0; !watcher->calls && (status != ETIMEDOUT || watcher->setting);)
        status = pthread_cond_timedwait(&watcher->wanted, &lock, &until);
    watcher->sleeps = 0;
    struct callback *call = watcher->calls;
    if (call && !(watcher->calls = call->next))
        watcher->last = &watcher->calls;
    return call;
}

/* With the lock: nobody will find it. */
static void strike_out(struct watcher *watcher)
{
    struct watcher **place = &watchers;
    while (*place != watcher)
        place = &(*place)->next;
    *place = watcher->next;
}

static void *watch(void *given)
{
    struct watcher *watcher = given;
    struct callback *call;
    make_fences(watcher);
    pthread_mutex_lock(&lock);
    for (int has_called = 0; (call = next_call(watcher, has_called)); has_called = 1) {
        pthread_mutex_unlock(&lock);
        int32_t status = wait_for_status(watcher, call);
        if (status != NEVER_KNOWN)
            call->function(call->event, status, call->user_data);
        let_go_of(call->event);
        pthread_mutex_lock(&lock);
        if (call->fence != NONE)
            give_fence(watcher, call->fence);
        free(call);
    }
    strike_out(watcher);
    pthread_mutex_unlock(&lock);
    drop_fences(watcher->kept);
    pthread_cond_destroy(&watcher->wanted);
    free(watcher);
    return NULL;
}

static int start_thread(struct watcher *watcher)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, watcher))
        return 0;
    pthread_detach(thread);
#ifdef __linux__
    pthread_setname_np(thread, "cl2cuda events");
#endif
    return 1;
}

/* With the lock. */
static struct watcher *start_watcher(struct object *queue)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);
    if (!watcher)
        return NULL;
    *watcher = (struct watcher){ .serial = queue->stream->serial, .handle = queue->stream->functions.handle, .queue = queue };
    watcher->last = &watcher->calls;
    pthread_cond_init(&watcher->wanted, NULL);
    __atomic_add_fetch(&queue->users, 1, __ATOMIC_RELAXED);
    if (!start_thread(watcher)) {
        __atomic_sub_fetch(&queue->users, 1, __ATOMIC_RELAXED); /* The event's own use of it is left. */
        pthread_cond_destroy(&watcher->wanted);
        free(watcher);
        return NULL;
    }
    watcher->next = watchers;
    return watchers = watcher;
}

/* The stream's watcher, which stays until `leave`. */
static struct watcher *find_watcher(struct object *queue)
{
    const struct stream *stream = queue->stream;
    pthread_mutex_lock(&lock);
    struct watcher *watcher = watchers;
    while (watcher && (watcher->serial != stream->serial || watcher->handle != stream->functions.handle))
        watcher = watcher->next;
    if (!watcher)
        watcher = start_watcher(queue);
    if (watcher)
        watcher->setting++;
    pthread_mutex_unlock(&lock);
    return watcher;
}

/* A fence behind all that the stream was given, or NONE. */
static int record_fence(struct watcher *watcher, const struct native_stream *stream)
{
    pthread_mutex_lock(&lock);
    int fence = watcher->unused_count ? watcher->unused[--watcher->unused_count] : NONE;
    pthread_mutex_unlock(&lock);
    if (fence == NONE || !((record_event *)(uintptr_t)stream->record)(watcher->fences[fence], handle_of(stream)))
        return fence;
    pthread_mutex_lock(&lock);
    give_fence(watcher, fence);
    pthread_mutex_unlock(&lock);
    return NONE;
}

/* The end of `setting`, with the callback if there is one: its event stays, with its queue, until it was called. */
static void leave(struct watcher *watcher, struct callback *call)
{
    if (call)
        hold_by_callback(call->event);
    pthread_mutex_lock(&lock);
    if (call) {
        __atomic_store_n(watcher->last, call, __ATOMIC_RELEASE);
        watcher->last = &call->next;
    }
    watcher->setting--;
    if (watcher->sleeps) /* It may have waited for no more than that nobody is setting one. */
        pthread_cond_signal(&watcher->wanted);
    pthread_mutex_unlock(&lock);
}

/* Whether the callback can wait for its turn, and the fence that it waits for is recorded then. A command that has an event has been
   submitted; such a callback waits for no other's. Where times are taken, the start of a command is known to Python. */
static int is_taken(struct watcher *watcher, struct callback *call)
{
    struct object *event = call->event;
    if (call->status == SUBMITTED)
        return !__atomic_load_n(&watcher->calls, __ATOMIC_ACQUIRE);
    if (call->status == RUNNING && event->times)
        return 0;
    return has_ended(event)
        || (is_last(event) && (call->fence = record_fence(watcher, &event->parent->stream->functions)) != NONE);
}

/* 0 where the callback is Python's. */
static int is_watched(struct object *event, int32_t status, notify *function, const void *user_data)
{
    if (!is_bare(event) || !is_plain(event->parent))
        return 0;
    struct callback *call = malloc(sizeof *call);
    struct watcher *watcher = call ? find_watcher(event->parent) : NULL;
    if (!watcher) {
        free(call);
        return 0;
    }
    *call = (struct callback){ .event = event, .function = function, .user_data = (void *)user_data, .status = status, .fence = NONE };
    int is_set = is_taken(watcher, call);
    leave(watcher, is_set ? call : NULL);
    if (!is_set)
        free(call);
    return is_set;
}

int32_t set_event_callback(struct entry *entry, struct object *event, int32_t status, const void *function, const void *user_data)
{
    const word words[] = { (word)event, (word)(int64_t)status, (word)function, (word)user_data };
    return status >= COMPLETE && status <= SUBMITTED && function && is_watched(event, status, (notify *)(uintptr_t)function, user_data)
        ? SUCCESS : (int32_t)answer(entry, words);
}
