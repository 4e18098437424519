/* The end of what held.c holds back: when a gate opens the commands behind it are given to their streams. As Opening and DeferredCommands
   (runtime/queue/gate.py, deferred.py); whatever is out of the ordinary Python issues. */
#include "held_parts.h"

#include "stream_fills.h"

#define DEFINE(name) static PyObject *name_##name;
#define ISSUE_NAMES(N) \
    N(recorder) N(ranges) N(timed) N(_last_deferred) N(needs_full_submit) N(_lock) N(behind) N(_active) N(_done_with)
ISSUE_NAMES(DEFINE)

static PyObject *issue_held(PyObject *self, PyObject *none);
static PyMethodDef of_held = { "issue", issue_held, METH_NOARGS, NULL };
static PyTypeObject *function_type; /* of those */

/* What the thread has to issue yet, while it issues something: a chain of commands may be longer than a stack is deep. */
static __thread PyObject *due;

PyObject *held_function(PyObject *self)
{
    return PyCFunction_NewEx(&of_held, self, NULL);
}

int would_be_plain(PyObject *queue)
{
    return is(queue, name_closed, FALSE_) && is(queue, name_timed, FALSE_) && is(queue, name_recorder, NONE) && is(queue, name_ranges, NONE)
        && is(held_part(DEBUG_MODE), name__active, FALSE_);
}

int take_held_lock(PyObject *queue)
{
    PyObject *lock = get(queue, name__lock), *taken = lock ? PyObject_CallMethod(lock, "acquire", "i", 0) : NULL;
    drop(taken);
    drop(lock);
    return taken == TRUE_;
}

void give_held_lock(PyObject *queue)
{
    PyObject *lock = get(queue, name__lock);
    drop(lock ? PyObject_CallMethod(lock, "release", NULL) : NULL);
    drop(lock);
}

/* Opening. */

/* Takes the gate's hooks, where all are of commands that are held here. NULL, perhaps with an error, where Python is to call them. Nothing
   is made between looking and taking, which may have Python search for garbage: another thread could take some, too. */
static PyObject *take_hooks(PyObject *gate)
{
    PyObject *none = PyList_New(0), *hooks = none ? get(gate, name__hooks) : NULL;
    Py_ssize_t count = hooks ? PyList_Size(hooks) : 0, ours = 0;
    while (ours < count && PyList_GetItem(hooks, ours)->type == function_type)
        ours++;
    int are_taken = hooks && ours == count && set(gate, name__hooks, none);
    drop(none);
    if (are_taken)
        return hooks;
    drop(hooks);
    return NULL;
}

/* Calls what is due until nothing is. */
static void call_all(PyObject *hooks)
{
    due = hooks;
    for (Py_ssize_t i = 0; i < PyList_Size(hooks); i++) {
        PyObject *hook = PyList_GetItem(hooks, i), *none;
        Py_IncRef(hook);
        none = PyObject_CallNoArgs(hook);
        drop(none);
        Py_DecRef(hook);
        forget_error();
    }
    due = NULL;
}

/* Those of a gate that has just opened, behind all that the thread has to call already. */
int call_hooks(PyObject *gate)
{
    PyObject *hooks = take_hooks(gate);
    if (!hooks) {
        forget_error();
        PyObject *none = by_method(gate, name__call_hooks, NULL, 0, NULL);
        drop(none);
        return none != NULL;
    }
    if (!due)
        call_all(hooks);
    else if (PyList_SetSlice(due, PyList_Size(due), PyList_Size(due), hooks))
        forget_error();
    drop(hooks);
    return 1;
}

/* As Gate.open. */
static void open_gate(PyObject *gate)
{
    PyObject *zero = PyLong_FromSsize_t(0), *nothing = PyTuple_New(0);
    if (zero && nothing && set(gate, name__key, NULL) && set(gate, name_status, zero) && set(gate, name_behind, nothing))
        call_hooks(gate);
    drop(zero);
    drop(nothing);
}

int put_behind(PyObject *gate, PyObject *hook)
{
    PyObject *hooks = get(gate, name__hooks);
    long long status;
    int is_there = hooks && !PyList_Append(hooks, hook);
    drop(hooks);
    if (is_there && read_status(gate, &status) && status <= 0) /* Another thread has opened it. */
        call_hooks(gate);
    return is_there;
}

PyObject *shut_gate(PyObject *event)
{
    PyObject *gate = event;
    long long status;
    if ((PyObject *)event->type == known.user_event)
        Py_IncRef(event);
    else
        gate = get(event, name_gate);
    if (gate && gate != NONE && read_status(gate, &status) && status > 0)
        return gate;
    drop(gate);
    return NULL;
}

/* Issuing. */

int has_gone_well(PyObject *event)
{
    long long status = 0;
    if ((PyObject *)event->type == known.user_event)
        return read_status(event, &status) && !status;
    PyObject *gate = get(event, name_gate);
    int well = gate && (gate == NONE || (read_status(gate, &status) && !status));
    drop(gate);
    return well;
}

/* Whether it has not failed, as far as that is known, and the stream comes after it. */
static int comes_after(PyObject *event, PyObject *queue, struct target *target)
{
    return has_gone_well(event)
        && ((PyObject *)event->type == known.user_event || is(event, name_queue, queue) || come_after_issued(target, queue, event));
}

static int comes_after_all(PyObject *waits, PyObject *queue, struct target *target)
{
    int comes = 1;
    for (Py_ssize_t i = 0; comes && i < PyTuple_Size(waits); i++)
        comes = comes_after(PyTuple_GetItem(waits, i), queue, target);
    return comes;
}

/* The host's memory of a read or a write, if that is where it was; 0 where Python is to look. */
static int take_host(PyObject *self, Py_buffer *host, int flags)
{
    if (!take_memory(PyTuple_GetItem(self, HOST), host, flags))
        return 0;
    if ((uintptr_t)host->memory == PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, ADDRESS))
        && (uint64_t)host->size == PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, SIZE)))
        return 1;
    PyBuffer_Release(host);
    return 0;
}

/* Whether CUDA was given the contents, from where they were. */
static int write_held(PyObject *self, const struct target *target)
{
    const uint64_t memory = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, MEMORY));
    Py_buffer host;
    if (!take_host(self, &host, 0))
        return 0;
    PyThreadState *state = PyEval_SaveThread();
    int given = write_now(&target->stream, memory, host.memory, (size_t)host.size, 0);
    PyEval_RestoreThread(state);
    PyBuffer_Release(&host);
    return given;
}

/* Without Python's lock. What comes before a read was given to the stream just now: beside the way of Python's threads it takes little to
   wait until its end, but for a thread whose last ones took longer. */
static enum outcome read_now(const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    enum { SOON_NS = 30000 };
    static __thread int did_not;
    struct reading reading;
    if (reads_by_itself(stream, host, size))
        return copy_from_device(stream, host, memory, size) ? WAS_GIVEN : LEFT_TO_PYTHON;
    if (!ends_within(stream, SOON_NS, &did_not) || begin_reading(&reading, stream, host, memory, size))
        return LEFT_TO_PYTHON;
    int ended = wait_for_given(stream);
    end_reading(&reading, stream, ended);
    return ended ? HAS_ENDED : LEFT_TO_PYTHON;
}

/* A read's place in the stream; NULL where Python is to read. One that has ended was there before all that other threads give meanwhile. */
static PyObject *place_of_read(PyObject *self, struct target *target)
{
    const uint64_t memory = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, MEMORY));
    Py_buffer host;
    if (!is_quiet(&target->stream) || !take_host(self, &host, PyBUF_WRITABLE))
        return NULL;
    PyObject *position = PyObject_CallNoArgs(target->next_position);
    enum outcome outcome = LEFT_TO_PYTHON;
    if (position) {
        PyThreadState *state = PyEval_SaveThread();
        outcome = read_now(&target->stream, host.memory, memory, (size_t)host.size);
        PyEval_RestoreThread(state);
    }
    PyBuffer_Release(&host);
    if (outcome == HAS_ENDED && reach(target, position))
        return position;
    drop(position);
    return outcome == WAS_GIVEN ? draw_position(target) : NULL;
}

static int copy_held(PyObject *self, const struct target *target)
{
    const uint64_t from = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, FROM)), to = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, TO));
    const uint64_t size = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, COPY_SIZE));
    PyThreadState *state = PyEval_SaveThread();
    int given = !((copy_on_device *)(uintptr_t)target->stream.copy)(to, from, size, handle_of(&target->stream));
    PyEval_RestoreThread(state);
    return given;
}

static int fill_held(PyObject *self, const struct target *target)
{
    const uint64_t memory = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, FILL_ADDRESS));
    const uint64_t size = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, FILL_SIZE));
    PyObject *pattern = PyTuple_GetItem(self, PATTERN);
    const char *bytes = PyBytes_AsString(pattern);
    const Py_ssize_t width = PyBytes_Size(pattern);
    PyThreadState *state = PyEval_SaveThread();
    int given = fill_now(&target->stream, memory, bytes, (size_t)width, size);
    PyEval_RestoreThread(state);
    return given;
}

static int give(PyObject *self, struct target *target)
{
    switch (PyTuple_Size(self)) {
    case OF_LAUNCHES:
        return !launch_frozen((struct launch *)PyTuple_GetItem(self, FROZEN), target);
    case OF_FILLS:
        return fill_held(self, target);
    case OF_COPIES:
        return copy_held(self, target);
    case OF_HOST_COPIES:
        return write_held(self, target);
    default: /* a marker's place is all there is to it */
        return 1;
    }
}

static PyObject *place_of(PyObject *self, struct target *target)
{
    if (PyTuple_Size(self) == OF_HOST_COPIES && PyTuple_GetItem(self, READS) == TRUE_)
        return place_of_read(self, target);
    return give(self, target) ? draw_position(target) : NULL;
}

/* Whether the stream has been given the command, whose event has its place then. */
static int give_held(PyObject *self, struct target *target)
{
    PyObject *queue = PyTuple_GetItem(self, QUEUE), *event = PyTuple_GetItem(self, EVENT), *position = NULL;
    int given = would_be_plain(queue) && is(target->timeline, name_has_native, FALSE_) && is(target->timeline, name_any_failed, FALSE_)
        && enter_stream(&target->stream) && comes_after_all(PyTuple_GetItem(self, WAITS), queue, target);
    /* The event has its place before it is known to be issued. */
    given = given && (position = place_of(self, target)) && set(event, name_position, position);
    if (given)
        position = after_position(target, position);
    drop(position);
    forget_error();
    return given;
}

/* As DeferredCommands._done_with, of a command that was issued. */
static int note_issued(PyObject *queue, PyObject *event, const struct target *target)
{
    PyObject *deferred = get(queue, name__deferred);
    int done = deferred && take_held_lock(queue);
    if (done) {
        done = would_be_plain(queue) && PySet_Discard(deferred, event) >= 0;
        if (done && !PySet_Size(deferred)) {
            tell_word(target, NEEDS_PYTHON, 0);
            set(queue, name__last_deferred, NONE);
            set(queue, name_needs_full_submit, FALSE_);
        }
        give_held_lock(queue);
    }
    drop(deferred);
    forget_error();
    return done;
}

static void end_issued(PyObject *queue, PyObject *event, const struct target *target)
{
    PyObject *gate = get(event, name_gate);
    if (gate && note_issued(queue, event, target))
        open_gate(gate);
    else if (gate)
        drop(PyObject_CallMethod(queue, "_done_with", "OOi", event, gate, 0));
    drop(gate);
}

/* Whether the command has been put behind a gate of its list that is shut still. */
static int is_put_on(PyObject *self)
{
    PyObject *waits = PyTuple_GetItem(self, WAITS), *hook = NULL;
    int put = 0;
    for (Py_ssize_t i = 0; !put && i < PyTuple_Size(waits); i++) {
        PyObject *gate = shut_gate(PyTuple_GetItem(waits, i));
        put = gate && (hook || (hook = held_function(self))) && put_behind(gate, hook);
        drop(gate);
    }
    drop(hook);
    forget_error();
    return put;
}

static PyObject *issue_held(PyObject *self, PyObject *none)
{
    PyObject *queue = PyTuple_GetItem(self, QUEUE);
    struct target *target = NULL;
    (void)none;
    if (!is_put_on(self)) {
        if ((target = known_target(queue)) && give_held(self, target))
            end_issued(queue, PyTuple_GetItem(self, EVENT), target);
        else
            drop(PyObject_Call(held_part(ISSUE_IN_PYTHON), self, NULL));
    }
    drop((PyObject *)target);
    if (PyErr_Occurred())
        return NULL;
    Py_IncRef(NONE);
    return NONE;
}

int prepare_issues(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    ISSUE_NAMES(INTERN)
    PyObject *one = held_function(NULL);
    function_type = one ? one->type : NULL;
    drop(one);
    return function_type != NULL;
}
