/* The staging of a device (staging.h) as Python has it: NativeStaging in library.py. */
#include "calls.h"
#include "helpers.h"
#include "staging.h"

static PyTypeObject *staging_type;

struct staging_object {
    PyObject head;
    struct staging staging;
};

/* staging(functions, helpers for one copy, helpers for all) */
PyObject *new_staging(PyObject *module, PyObject *arguments)
{
    unsigned long long calls[5];
    int helpers, most;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "(KKKKK)ii", &calls[0], &calls[1], &calls[2], &calls[3], &calls[4], &helpers, &most))
        return NULL;
    struct staging_object *made = (struct staging_object *)PyType_GenericAlloc(staging_type, 0);
    if (!made)
        return NULL;
    const struct staging_calls functions = {
        (query_stream *)(uintptr_t)calls[0], (copy_to_host *)(uintptr_t)calls[1], (copy_from_host *)(uintptr_t)calls[2],
        (record_event *)(uintptr_t)calls[3], (ask_event *)(uintptr_t)calls[4]
    };
    begin_staging(&made->staging, &functions, helpers);
    allow_helpers(most);
    return (PyObject *)made;
}

static struct staging *staging_of(PyObject *self)
{
    return &((struct staging_object *)self)->staging;
}

/* add(memory, events) */
static PyObject *add(PyObject *self, PyObject *arguments)
{
    unsigned long long memory;
    void *events[ADDED];
    PyObject *given;
    if (!PyArg_ParseTuple(arguments, "KO", &memory, &given))
        return NULL;
    if (!is_tuple(given) || PyTuple_Size(given) != ADDED) {
        PyErr_SetString(PyExc_TypeError, "every slot has an event");
        return NULL;
    }
    for (int i = 0; i < ADDED; i++)
        events[i] = (void *)(uintptr_t)PyLong_AsUnsignedLongLong(PyTuple_GetItem(given, i));
    if (PyErr_Occurred())
        return NULL;
    PyObject *answer = add_slots(staging_of(self), (char *)(uintptr_t)memory, events) ? TRUE_ : FALSE_;
    Py_IncRef(answer);
    return answer;
}

/* copy(to_device, host, memory, size, stream, poll_ns, may_add) */
static PyObject *copy(PyObject *self, PyObject *arguments)
{
    unsigned long long host, memory, size, stream, poll_ns;
    int to_device, may_add;
    if (!PyArg_ParseTuple(arguments, "pKKKKKp", &to_device, &host, &memory, &size, &stream, &poll_ns, &may_add))
        return NULL;
    const struct ends ends = { (char *)(uintptr_t)host, memory, (size_t)size, to_device };
    PyThreadState *state = PyEval_SaveThread();
    int status = copy_staged(staging_of(self), &ends, (void *)(uintptr_t)stream, poll_ns,
                             may_add ? MAY_ADD : AS_MANY_AS_THERE_ARE);
    PyEval_RestoreThread(state);
    return PyLong_FromSsize_t(status);
}

/* free_slots() */
static PyObject *free_slots(PyObject *self, PyObject *arguments)
{
    (void)arguments;
    return PyLong_FromSsize_t((Py_ssize_t)count_free_slots(staging_of(self)));
}

/* words() */
static PyObject *words(PyObject *self, PyObject *arguments)
{
    const uintptr_t all[] = { (uintptr_t)staging_of(self), (uintptr_t)read_for_stream, (uintptr_t)write_for_stream,
                              (uintptr_t)write_without_waiting };
    (void)arguments;
    return numbers_of(sizeof all / sizeof *all, all);
}

/* Where Python ends while threads of the program copy, which it leaves behind, the slots stay. */
static void end_staging(PyObject *self)
{
    if (__atomic_load_n(&staging_of(self)->in_flight, __ATOMIC_ACQUIRE))
        return;
    pthread_mutex_destroy(&staging_of(self)->lock);
    end_object(self);
}

static PyMethodDef methods[] = {
    { "add", add, METH_VARARGS, NULL },
    { "copy", copy, METH_VARARGS, NULL },
    { "free_slots", free_slots, METH_VARARGS, NULL },
    { "words", words, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
static PyType_Slot type_slots[] = { { Py_tp_dealloc, end_staging }, { Py_tp_methods, methods }, { 0, NULL } };
static PyType_Spec type_spec = { "cl2cuda.runtime.native.Staging", sizeof(struct staging_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, type_slots };

int prepare_copies(void)
{
    staging_type = (PyTypeObject *)PyType_FromSpec(&type_spec);
    return staging_type && prepare_helpers();
}
