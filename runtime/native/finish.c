/* CommandQueue.finish without Python's own steps, where nothing is held back: as CommandQueue and QueueStream (runtime/queue) wait, and
   Context.reclaim looks whether anything is to be freed. */
#include "calls.h"

/* Whether the attribute has no items; 0, perhaps with an error, where it has. */
static int is_empty(PyObject *object, PyObject *name)
{
    PyObject *items = PyObject_GetAttr(object, name);
    int empty = items && PyObject_Size(items) == 0;
    drop(items);
    return empty;
}

/* Whether the stream is waited for by no more than that. */
static int is_plain(const struct target *target)
{
    return is_open(&target->stream) && is_quiet(&target->stream) && is(target->timeline, name_has_native, FALSE_)
        && is_empty(target->timeline, name__kept);
}

/* Whether the stream's commands have ended, all that were given to it before; not where Python is to wait. */
static int wait_for_all(const struct target *target)
{
    uint64_t reached;
    PyObject *position = PyObject_CallNoArgs(target->next_position);
    int ended = position && read_word(target->timeline, name_reached, &reached);
    /* Where the last number drawn was that up to which all have ended, none was given to the stream since. */
    if (ended && PyLong_AsUnsignedLongLong(position) != reached + 1) {
        PyThreadState *state = PyEval_SaveThread();
        ended = wait_for_stream(&target->stream);
        PyEval_RestoreThread(state);
    }
    ended = ended && reach(target, position);
    drop(position);
    return ended;
}

/* The same for all streams of the queue. */
static int wait_for_queue(PyObject *queue)
{
    struct target *first = known_target(queue);
    /* Commands that take times do so by themselves. */
    int ended = first && (!first->words[NEEDS_PYTHON] || (is_empty(queue, name__deferred) && is(queue, name_closed, FALSE_)));
    PyObject *targets = NULL;
    if (ended && first->is_unordered)
        ended = (targets = PyObject_GetAttr(queue, name_native_targets)) != NULL;
    for (Py_ssize_t i = 0; ended && i < (targets ? PyTuple_Size(targets) : 1); i++) {
        const struct target *target = targets ? (struct target *)PyTuple_GetItem(targets, i) : first;
        ended = is_plain(target) && wait_for_all(target);
    }
    drop(targets);
    drop((PyObject *)first);
    return ended;
}

/* Frees what waits for that, if anything does. */
static int reclaim(PyObject *context)
{
    PyObject *reclaimer = PyObject_GetAttr(context, name__reclaimer);
    int nothing = reclaimer && is_empty(reclaimer, name_noted) && is_empty(reclaimer, name_retired) && PyObject_Size(known.leftovers) == 0;
    drop(reclaimer);
    if (nothing)
        return 1;
    forget_error();
    PyObject *none = by_method(context, name_reclaim, NULL, 0, NULL);
    drop(none);
    return none != NULL;
}

/* CommandQueue.finish */
static PyObject *finish(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *queue = !count && !names ? PyObject_GetAttr(self, name__core) : NULL, *context = NULL;
    int ended = queue && wait_for_queue(queue) && (context = PyObject_GetAttr(queue, name_context));
    int done = ended && reclaim(context);
    drop(context);
    drop(queue);
    if (ended && !done)
        return NULL;
    if (done) {
        Py_IncRef(NONE);
        return NONE;
    }
    forget_error();
    return by_method(self, name__finish_in_python, arguments, count, names);
}

static PyMethodDef definition = { "finish", finish, METH_FASTCALL | METH_KEYWORDS, "finish($self)\n--\n\nWaits for every command." };

/* finisher(CommandQueue): see library.py */
PyObject *finisher(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &definition);
}
