/* The times of commands, in queues that take them (CL_QUEUE_PROFILING_ENABLE), as CommandQueue._issue_command has them taken. */
#include "calls.h"

struct target *timed_target(PyObject *queue, struct times *times)
{
    struct target *target = target_that_says(queue, TIMES_ONLY);
    if (target)
        times->queued = now_ns();
    return target;
}

/* Two fences of the stream's that nothing has recorded yet. */
static int take_pair(struct times *times, const struct target *target)
{
    PyObject *stream = get(target->timeline, name_stream), *method = stream ? get(stream, name_timed_fences) : NULL;
    PyObject *pair = method ? PyObject_CallNoArgs(method) : NULL, *first, *second;
    unsigned long long begun, ended;
    if (pair && PyArg_ParseTuple(pair, "OOKK", &first, &second, &begun, &ended)) {
        Py_IncRef(times->begun = first);
        Py_IncRef(times->ended = second);
        times->begun_event = (void *)(uintptr_t)begun;
        times->ended_event = (void *)(uintptr_t)ended;
    }
    drop(pair);
    drop(method);
    drop(stream);
    return times->ended_event != NULL;
}

int take_fences(struct times *times, const struct target *target)
{
    if (!times->queued)
        return 1;
    int done;
    times->submitted = now_ns();
    if (target->stream.record)
        done = is_open(&target->stream) && take_pair(times, target);
    else
        done = (times->begun = new_fence(target, TRUE_)) != NULL;
    forget_error();
    return done;
}

static int record(const struct target *target, void *event)
{
    return !((record_event *)(uintptr_t)target->stream.record)(event, handle_of(&target->stream));
}

int begin_times(const struct times *times, const struct target *target)
{
    return !times->begun_event || record(target, times->begun_event);
}

int copy_between(struct times *times, const struct target *target, enum copy_kind kind, uint64_t to, uint64_t from, size_t size)
{
    struct stream_graphs *graphs = (struct stream_graphs *)(uintptr_t)target->stream.graphs;
    if (times->begun_event && graphs)
        times->end_is_recorded = give_timed_copy(graphs, kind, to, from, size, times->begun_event, times->ended_event,
                                                 handle_of(&target->stream));
    return times->end_is_recorded;
}

int record_end(struct times *times, const struct target *target)
{
    if (times->ended_event && !times->end_is_recorded)
        times->end_is_recorded = record(target, times->ended_event);
    return !times->ended_event || times->end_is_recorded;
}

void end_times(struct times *times, const struct target *target)
{
    if (!record_end(times, target)) {
        drop(times->ended);
        times->ended = NULL;
    } else if (times->queued && !times->ended && !(times->ended = new_fence(target, TRUE_)))
        forget_error();
}

PyObject *with_times(PyObject *event, const struct times *times)
{
    if (!event || !times->ended)
        return event;
    PyObject *queued = PyLong_FromSsize_t((Py_ssize_t)times->queued), *submitted = PyLong_FromSsize_t((Py_ssize_t)times->submitted);
    PyObject *all = tuple_of(3, (PyObject *[]){ queued, submitted, times->begun });
    int done = all && set(event, name_times, all) && set(event, name_fence, times->ended);
    drop(all);
    drop(submitted);
    drop(queued);
    if (done)
        return event;
    Py_DecRef(event);
    return NULL;
}

void drop_times(struct times *times)
{
    drop(times->begun);
    drop(times->ended);
}

/* timed_copy(graphs, kind, destination, source, size, begun, ended, stream): see library.py */
PyObject *timed_copy(PyObject *module, PyObject *arguments)
{
    unsigned long long graphs, kind, to, from, size, begun, ended, stream;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KKKKKKKK", &graphs, &kind, &to, &from, &size, &begun, &ended, &stream))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    int given = give_timed_copy((struct stream_graphs *)(uintptr_t)graphs, (enum copy_kind)kind, to, from, size, (void *)(uintptr_t)begun,
                                (void *)(uintptr_t)ended, (void *)(uintptr_t)stream);
    PyEval_RestoreThread(state);
    PyObject *answer = given ? TRUE_ : FALSE_;
    Py_IncRef(answer);
    return answer;
}
