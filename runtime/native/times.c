/* The times of commands, in queues that take them (CL_QUEUE_PROFILING_ENABLE), as CommandQueue._issue_command has them taken. */
#include "calls.h"

struct target *timed_target(PyObject *queue, struct times *times)
{
    struct target *target = target_that_says(queue, TIMES_ONLY);
    if (target)
        times->queued = now_ns();
    return target;
}

int begin_times(struct times *times, const struct target *target)
{
    if (!times->queued)
        return 1;
    times->submitted = now_ns();
    times->begun = new_fence(target, TRUE_);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return times->begun != NULL;
}

int end_times(struct times *times, const struct target *target)
{
    if (times->queued && !(times->ended = new_fence(target, TRUE_)) && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return !PyErr_Occurred();
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
