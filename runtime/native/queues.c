/* Command-queues without Python's own steps: made of a bit field that their context has had a queue of (`note_kind` of queue/queue.py),
   with the timeline of one that has gone, and let go, where their timeline rests for the next one. Whatever is out of the ordinary is
   left to Python. */
#include "calls.h"

#define DEFINE(name) static PyObject *name_##name;
#define QUEUE_NAMES(N) \
    N(queue_kinds) N(devices) N(add_queue) N(_lock) N(_offloaded) N(serial) N(_RECORDER) N(_active) N(native_address) N(_native_stream) \
    N(next_position) N(_closed) N(_timelines) N(event_type) N(_resting) N(fails_apart) N(_watcher) N(keeps_order) \
    N(rests) N(scratch)
QUEUE_NAMES(DEFINE)

/* What queues are made of: `queue_parts` of library.py. */
enum { NEXT_SERIAL, SET, DEQUE, LOCK, TRACE, DEBUG_MODE, IS_ENDING };

/* What a context knows of a kind of queues; attributes are pairs of names and values. */
enum { TYPE, RESTING, WORD, HAS_TARGET, IS_UNORDERED, ATTRIBUTES };

/* As queue/stream_timeline.py has it. */
enum { MOST_RESTING = 16 };

static PyObject *part(int which)
{
    return PyTuple_GetItem(known.queue_parts, which);
}

/* A number that the timeline draws: all that the stream was given has a lower one. 0 where it is quiet, or nothing stands behind the last
   fence. Whether it is to be had. */
static int find_end(PyObject *timeline, uint64_t *number)
{
    *number = 0;
    if (is(timeline, name_busy, FALSE_))
        return 1;
    PyObject *draw = get(timeline, name_next_position);
    int quiet = draw && is_quiet_timeline(timeline, draw, number), found = *number != 0;
    drop(draw);
    if (quiet)
        *number = 0;
    return found;
}

/* Whether QueueStream.close would have it rest, but for its stream. */
static int may_rest(PyObject *timeline)
{
    PyObject *kept = NULL;
    int may = is(timeline, name__closed, FALSE_) && is(timeline, name_has_native, FALSE_) && is(timeline, name_fails_apart, FALSE_)
        && is(timeline, name__watcher, NONE) && (kept = get(timeline, name__kept)) && PyObject_Size(kept) == 0;
    drop(kept);
    return may;
}

/* Whether nothing of the queue is left but one stream, and its timeline may rest beside others. */
static int is_simple(PyObject *queue, PyObject *resting)
{
    PyObject *deferred = NULL, *timelines = NULL;
    int simple = resting && (void *)resting->type == (void *)&PyList_Type && PyList_Size(resting) < MOST_RESTING
        && is(queue, name_closed, FALSE_) && (deferred = get(queue, name__deferred)) && PySet_Size(deferred) == 0
        && (is(queue, name_keeps_order, TRUE_) || ((timelines = get(queue, name__timelines)) && PyList_Size(timelines) == 1));
    drop(deferred);
    drop(timelines);
    return simple;
}

static int answers(PyObject *function, PyObject *wanted)
{
    PyObject *answer = function ? PyObject_CallNoArgs(function) : NULL;
    drop(answer);
    return answer == wanted;
}

/* Whether the stream has memory of its own on the device, or beside that, which Python gives back, as far as C knows. */
static int has_scratch(PyObject *stream, const struct native_stream *native)
{
    const struct device_scratch *scratch = (const struct device_scratch *)(uintptr_t)native->scratch;
    uint64_t size;
    if (!scratch)
        return 0;
    if (scratch->taken || scratch->memory || scratch->staging)
        return 1;
    PyObject *pythons = get(stream, name_scratch);
    int known = pythons && read_word(pythons, name_size, &size);
    drop(pythons);
    return !known || size;
}

/* Of commands that nobody has waited for it is CUDA that says whether they have ended: those up to the number, where there is one. */
static int stream_rests(PyObject *queue, PyObject *timeline, uint64_t number)
{
    PyObject *stream = get(timeline, name_stream), *rests = NULL;
    struct target *target = stream ? known_target(queue) : NULL;
    int does = target && is_open(&target->stream) && !has_scratch(stream, &target->stream) && !ask_stream(&target->stream);
    forget_error();
    if (does && number) {
        PyObject *reached = PyLong_FromSsize_t((Py_ssize_t)number);
        does = reached && reach(target, reached);
        drop(reached);
    } else if (!does && stream && !number) {
        does = answers(rests = get(stream, name_rests), TRUE_);
    }
    drop(rests);
    drop((PyObject *)target);
    drop(stream);
    return does;
}

static volatile uint64_t *words_at(uint64_t address)
{
    return (volatile uint64_t *)(uintptr_t)address;
}

/* As CommandQueue._release and QueueStream.close, where that is all that they do. */
static int put_to_rest(PyObject *queue, PyObject *timeline, PyObject *resting)
{
    uint64_t words, number;
    if (!may_rest(timeline) || !find_end(timeline, &number) || !stream_rests(queue, timeline, number) || !read_word(timeline, name_native_address, &words) || !set(queue, name_closed, TRUE_)
        || !set(timeline, name__closed, TRUE_))
        return 0;
    words_at(words)[NEEDS_PYTHON] = 1;
    return !PyList_Append(resting, timeline);
}

/* __del__ of the runtime's queue */
static PyObject *drop_queue(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *resting = count || names || !known.queue_parts ? NULL : get(self, name__resting), *timeline = NULL;
    int done = resting && is_simple(self, resting) && answers(part(IS_ENDING), FALSE_) && (timeline = get(self, name_timeline))
        && put_to_rest(self, timeline, resting);
    drop(timeline);
    drop(resting);
    if (done) {
        Py_IncRef(NONE);
        return NONE;
    }
    forget_error();
    return by_method(self, name__let_go_in_python, arguments, count, names);
}

/* The timeline that came last to those at rest, taken from there, and the address of its words; NULL where Python is to look. Nothing of
   Python's runs between looking and taking. */
static PyObject *take_timeline(PyObject *resting, uint64_t *words)
{
    Py_ssize_t count = PyList_Size(resting);
    PyObject *timeline = count > 0 ? PyList_GetItem(resting, count - 1) : NULL;
    if (!timeline || is(timeline, name__native_stream, NONE) || !read_word(timeline, name_native_address, words)
        || words_at(*words)[FENCES_AHEAD_WANTED])
        return NULL;
    Py_IncRef(timeline);
    if (!PyList_SetSlice(resting, count - 1, count, NULL))
        return timeline;
    Py_DecRef(timeline);
    return NULL;
}

/* An attribute that is an object of its own for each queue. */
static int set_new(PyObject *queue, PyObject *name, int which)
{
    PyObject *made = PyObject_CallNoArgs(part(which));
    int done = made && set(queue, name, made);
    drop(made);
    return done;
}

static int set_all(PyObject *queue, PyObject *attributes)
{
    int done = 1;
    for (Py_ssize_t i = 0; done && i < PyTuple_Size(attributes); i++) {
        PyObject *pair = PyTuple_GetItem(attributes, i);
        done = set(queue, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1));
    }
    return done;
}

/* The timeline's stream as code in C knows it, or None where it does not. */
static PyObject *target_for(PyObject *queue, PyObject *kind, PyObject *timeline, uint64_t words)
{
    PyObject *target = NONE;
    if (PyTuple_GetItem(kind, HAS_TARGET) != TRUE_) {
        Py_IncRef(target);
        return target;
    }
    PyObject *parts[] = { get(queue, name_serial), get(queue, name_event_type), timeline, get(timeline, name_next_position) };
    PyObject *native = get(timeline, name__native_stream);
    if (parts[0] && parts[1] && parts[3] && native)
        target = make_target(parts, words, PyObject_Size(native) ? native : NONE, PyTuple_GetItem(kind, IS_UNORDERED) == TRUE_,
                             NONE);
    else
        target = NULL;
    drop(parts[0]);
    drop(parts[1]);
    drop(parts[3]);
    drop(native);
    return target;
}

/* What a queue that is out of order has beside. */
static int set_unordered(PyObject *queue, PyObject *target, PyObject *timeline)
{
    PyObject *timelines = PyList_New(0), *targets = tuple_of(target != NONE, &target);
    int done = timelines && !PyList_Append(timelines, timeline) && targets && set(queue, name__timelines, timelines)
        && set(queue, name_native_targets, targets);
    drop(timelines);
    drop(targets);
    return done;
}

/* As QueueStream.reopened and the end of CommandQueue.__init__. */
static int open_queue(PyObject *queue, PyObject *kind, PyObject *timeline, uint64_t words)
{
    PyObject *target = NULL;
    uint64_t word = PyLong_AsUnsignedLongLong(PyTuple_GetItem(kind, WORD));
    int done = set(timeline, name__closed, FALSE_) && set(timeline, name_barrier, NONE) && set(queue, name_timeline, timeline)
        && set(queue, name_closed, FALSE_) && (target = target_for(queue, kind, timeline, words)) && set(queue, name_native_target, target)
        && (PyTuple_GetItem(kind, IS_UNORDERED) != TRUE_ || set_unordered(queue, target, timeline));
    drop(target);
    if (done)
        words_at(words)[NEEDS_PYTHON] = word;
    return done;
}

/* The runtime's queue of a kind that the context knows; NULL where it is Python's to make. */
static PyObject *queue_of_kind(PyObject *context, PyObject *kind)
{
    uint64_t words;
    PyObject *timeline = take_timeline(PyTuple_GetItem(kind, RESTING), &words), *none = NULL;
    PyObject *queue = timeline ? PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(kind, TYPE), 0) : NULL;
    int made = queue && set_all(queue, PyTuple_GetItem(kind, ATTRIBUTES)) && set(queue, name_context, context)
        && set_new(queue, name_serial, NEXT_SERIAL) && set_new(queue, name__deferred, SET) && set_new(queue, name__offloaded, DEQUE)
        && set_new(queue, name__lock, LOCK) && open_queue(queue, kind, timeline, words)
        && (none = by_method(context, name_add_queue, &queue, 1, NULL));
    drop(none);
    drop(timeline);
    if (made)
        return queue;
    drop(queue);
    return NULL;
}

/* The kind stays meanwhile: another thread, or what a garbage collection runs, may note it anew. */
static PyObject *made_of_kind(PyObject *kinds, PyObject *properties, PyObject *context)
{
    PyObject *kind = PyDict_GetItemWithError(kinds, properties), *made = NULL;
    if (kind) {
        Py_IncRef(kind);
        made = queue_of_kind(context, kind);
        Py_DecRef(kind);
    }
    return made;
}

/* Whether a queue made now is recorded for nobody, and in no debug mode. */
static int is_unwatched(void)
{
    return known.queue_parts && is(part(TRACE), name__RECORDER, NONE) && is(part(DEBUG_MODE), name__active, FALSE_);
}

/* The parameters of CommandQueue.__init__. */
enum { CONTEXT, DEVICE, PROPERTIES, OF_QUEUES };

static int is_only_device(PyObject *device, PyObject *context)
{
    if (device == NONE)
        return 1;
    PyObject *devices = get(context, name_devices), *core = get(device, name__core);
    int is_one = devices && core && PyTuple_GetItem(devices, 0) == core;
    drop(devices);
    drop(core);
    return is_one;
}

static PyObject *queue_for(PyObject *const *taken)
{
    PyObject *properties = taken[PROPERTIES], *context = is_int(properties) && is_unwatched() ? get(taken[CONTEXT], name__core) : NULL;
    PyObject *kinds = NULL, *queue = NULL;
    if (context && (PyObject *)context->type == known.context && is_only_device(taken[DEVICE], context)
        && (kinds = get(context, name_queue_kinds)))
        queue = made_of_kind(kinds, properties, context);
    drop(kinds);
    drop(context);
    return queue;
}

static struct parameters of_queue = { OF_QUEUES, DEVICE, .names = { "context", "device", "properties" }, .defaults = { [DEVICE] = NONE } };

/* CommandQueue.__init__ of the face */
static PyObject *make_queue(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS];
    PyObject *queue = take_arguments(taken, &of_queue, arguments, count, names) ? queue_for(taken) : NULL;
    int done = queue && set(self, name__core, queue);
    drop(queue);
    if (!done) {
        forget_error();
        return by_method(self, name__make_in_python, arguments, count, names);
    }
    Py_IncRef(NONE);
    return NONE;
}

static PyMethodDef of_making = {
    "__init__", make_queue, METH_FASTCALL | METH_KEYWORDS,
    "__init__($self, context, device=None, properties=0)\n--\n\n"
    "`properties` is a bit field, or a property list of CL 2.0 (names and values in turn, with or without the closing 0)." };
static PyMethodDef of_dropping = { "__del__", drop_queue, METH_FASTCALL | METH_KEYWORDS, NULL };

/* queue_maker(CommandQueue), of the face: see library.py */
PyObject *queue_maker(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &of_making);
}

/* queue_dropper(CommandQueue), of the runtime: see library.py */
PyObject *queue_dropper(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &of_dropping);
}

int prepare_queues(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    QUEUE_NAMES(INTERN)
    return prepare_parameters(&of_queue) && (of_queue.defaults[PROPERTIES] = PyLong_FromSsize_t(0));
}
