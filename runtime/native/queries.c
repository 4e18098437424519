/* What asks an object no more than what it knows: get_info of memory objects and events, the integers that stand for objects, and whether
   two are the same, of the PyOpenCL face. All else is left to Python. */
#include "calls.h"

static PyObject *name__query_in_python, *name__pointer, *name__pointer_in_python;

/* What the queries of memory objects and of events answer by their codes: a number, or the name of the attribute that is one. */
static PyObject *memory_answers, *event_answers;

/* CL_COMPLETE */
static PyObject *complete;

/* Whether the command has been given to its stream, also where a gate held it back before. A user event is its own gate. */
static int was_given(PyObject *event)
{
    PyObject *gate = get(event, name_gate);
    uint64_t status;
    int given = gate == NONE || (gate && gate != event && read_word(gate, name_status, &status) && !status);
    drop(gate);
    forget_error();
    return given;
}

/* As Event.status (runtime/queue/event.py), where it is known that the command has ended. */
int event_has_ended(PyObject *event)
{
    PyObject *timeline = was_given(event) ? get(event, name_timeline) : NULL;
    uint64_t position, reached;
    int ended = timeline && is(timeline, name_any_failed, FALSE_) && read_word(event, name_position, &position)
        && read_word(timeline, name_reached, &reached) && position <= reached;
    drop(timeline);
    return ended;
}

/* The answer to a query of the code in `arguments`; NULL where Python is to look. */
static PyObject *answer_of(PyObject *self, PyObject *answers, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *answer = count == 1 && !names && is_int(arguments[0]) ? PyDict_GetItemWithError(answers, arguments[0]) : NULL, *value = NULL;
    if (answer && is_int(answer)) {
        Py_IncRef(answer);
        return answer;
    }
    PyObject *core = answer ? get(self, name__core) : NULL;
    if (core && answer == name_status && event_has_ended(core))
        Py_IncRef(value = complete);
    else if (core && !PyErr_Occurred())
        value = get(core, answer);
    drop(core);
    forget_error();
    return value;
}

static PyObject *get_memory_info(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *answer = answer_of(self, memory_answers, arguments, count, names);
    return answer ? answer : by_method(self, name__query_in_python, arguments, count, names);
}

static PyObject *get_event_info(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *answer = answer_of(self, event_answers, arguments, count, names);
    return answer ? answer : by_method(self, name__query_in_python, arguments, count, names);
}

/* Handle.int_ptr, once it was asked for. */
static PyObject *get_pointer(PyObject *self, void *unused)
{
    PyObject *core = get(self, name__core), *pointer = core ? get(self, name__pointer) : NULL;
    int is_known = pointer && is_int(pointer) && PyLong_AsSsize_t(pointer) == (Py_ssize_t)core;
    (void)unused;
    drop(core);
    if (is_known)
        return pointer;
    drop(pointer);
    forget_error();
    return get(self, name__pointer_in_python);
}

/* Objects that stand for one of the runtime's are the same where that is: as _SameInPython (handles.py), of programs without these calls.
   */
static PyTypeObject *same_type;

static Py_ssize_t hash_of(PyObject *self)
{
    PyObject *core = get(self, name__core);
    drop(core); /* It stays the object's. */
    return core ? (Py_ssize_t)core : -1;
}

static PyObject *compare(PyObject *self, PyObject *other, int how)
{
    PyObject *answer = &_Py_NotImplementedStruct, *core = NULL, *its_core = NULL;
    if (how == Py_EQ || how == Py_NE) {
        int comparable = PyType_IsSubtype(other->type, same_type);
        if (comparable && (!(core = get(self, name__core)) || !(its_core = get(other, name__core))))
            answer = NULL;
        else
            answer = (comparable && core == its_core) == (how == Py_EQ) ? TRUE_ : FALSE_;
    }
    drop(core);
    drop(its_core);
    if (answer)
        Py_IncRef(answer);
    return answer;
}

static PyType_Slot same_slots[] = { { Py_tp_hash, hash_of }, { Py_tp_richcompare, compare }, { 0, NULL } };
static PyType_Spec same_spec = { "cl2cuda.runtime.native.Same", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, same_slots };

/* same(): see library.py */
PyObject *same(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    Py_IncRef((PyObject *)same_type);
    return (PyObject *)same_type;
}

static PyMethodDef memory_query = { "get_info", get_memory_info, METH_FASTCALL | METH_KEYWORDS,
                                    "get_info($self, arg)\n--\n\nThe answer to clGetMemObjectInfo, but for the host's memory, which is an array's." };
static PyMethodDef event_query = { "get_info", get_event_info, METH_FASTCALL | METH_KEYWORDS,
                                   "get_info($self, arg)\n--\n\nThe answer to the object's clGet*Info query." };
static PyGetSetDef pointer_attribute = { "int_ptr", get_pointer, NULL,
                                         "An integer that stands for the object while it lives; `from_int_ptr` is the way back.", NULL };

/* memory_queries(MemoryObjectHolder, answers): see library.py */
PyObject *memory_queries(PyObject *module, PyObject *arguments)
{
    PyObject *type;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &type, &memory_answers))
        return NULL;
    Py_IncRef(memory_answers); /* for as long as the process lives */
    return PyDescr_NewMethod((PyTypeObject *)type, &memory_query);
}

/* event_queries(Event, answers, CL_COMPLETE): see library.py */
PyObject *event_queries(PyObject *module, PyObject *arguments)
{
    PyObject *type;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &type, &event_answers, &complete))
        return NULL;
    Py_IncRef(event_answers); /* as above */
    Py_IncRef(complete);
    return PyDescr_NewMethod((PyTypeObject *)type, &event_query);
}

/* pointers(Handle): see library.py */
PyObject *pointers(PyObject *module, PyObject *arguments)
{
    PyObject *type;
    (void)module;
    return PyArg_ParseTuple(arguments, "O", &type) ? PyDescr_NewGetSet((PyTypeObject *)type, &pointer_attribute) : NULL;
}

int prepare_queries(void)
{
    name__query_in_python = PyUnicode_InternFromString("_query_in_python");
    name__pointer = PyUnicode_InternFromString("_pointer");
    name__pointer_in_python = PyUnicode_InternFromString("_pointer_in_python");
    same_type = (PyTypeObject *)PyType_FromSpec(&same_spec);
    return name__query_in_python && name__pointer && name__pointer_in_python && same_type;
}
