/* User events (UserEvent of the PyOpenCL face and of runtime/queue/event.py): made and set in one step. */
#include "held.h"

/* The face's context, and the status of a user event at first. */
static PyObject *context_type, *submitted;

/* __init__(self, context) */
static PyObject *begin(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *context = NULL, *event = NULL, *hooks = NULL;
    int made = 0;
    if (count == 1 && !names && known.user_event && (PyObject *)arguments[0]->type == context_type
        && (context = get(arguments[0], name__core))
        && (event = PyType_GenericAlloc((PyTypeObject *)known.user_event, 0)) && (hooks = PyList_New(0)))
        made = set(event, name__context, context) && set(event, name_status, submitted) && set(event, name__key, TRUE_)
            && set(event, name__hooks, hooks) && set(self, name__core, event);
    drop(hooks);
    drop(event);
    drop(context);
    if (!made) {
        forget_error();
        return by_method(self, name__begin_in_python, arguments, count, names);
    }
    Py_IncRef(NONE);
    return NONE;
}

/* As Opening.open; 0 where it is open already, or something is wrong with the status or the event. */
static int open_event(PyObject *event, PyObject *status)
{
    PyObject *hooks = NULL;
    if ((PyObject *)event->type != known.user_event || !is_int(status))
        return 0;
    long long number = PyLong_AsLongLong(status);
    if (PyErr_Occurred() || number > 0 || number < INT32_MIN || !set(event, name__key, NULL))
        return 0;
    if (set(event, name_status, status) && (hooks = get(event, name__hooks)) && PyList_Size(hooks))
        call_hooks(event);
    drop(hooks);
    return 1;
}

/* set_status(self, status) */
static PyObject *set_status(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *event = count == 1 && !names ? get(self, name__core) : NULL;
    int opened = event && open_event(event, arguments[0]);
    drop(event);
    if (!opened) {
        forget_error();
        return by_method(self, name__set_in_python, arguments, count, names);
    }
    if (PyErr_Occurred()) /* of a hook */
        return NULL;
    Py_IncRef(NONE);
    return NONE;
}

static PyMethodDef begin_definition = { "__init__", begin, METH_FASTCALL | METH_KEYWORDS, "__init__($self, context)\n--\n\n" };
static PyMethodDef set_definition = {
    "set_status", set_status, METH_FASTCALL | METH_KEYWORDS,
    "set_status($self, status)\n--\n\ncommand_execution_status.COMPLETE, or a negative number for an error." };

/* user_events(UserEvent, Context, a user event's first status): the two methods */
PyObject *user_events(PyObject *module, PyObject *arguments)
{
    PyObject *face, *parts[2], *both;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &face, &parts[0], &parts[1]))
        return NULL;
    both = both_of(PyDescr_NewMethod((PyTypeObject *)face, &begin_definition), PyDescr_NewMethod((PyTypeObject *)face, &set_definition));
    if (both) {
        for (int i = 0; i < 2; i++)
            Py_IncRef(parts[i]);
        context_type = parts[0]; /* kept */
        submitted = parts[1];
    }
    return both;
}
