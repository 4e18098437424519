/* What asks an object no more than what it knows: queries, the integers that stand for objects, and whether two are the same, of the
   PyOpenCL face. All else is left to Python. */
#include "calls.h"

static PyObject *name__query_in_python, *name__image_query_in_python, *name__pointer, *name__pointer_in_python, *name_answers,
    *name__channel_order, *name__channel_data_type;

/* What queries answer by their codes: a number, the name of the attribute that is one or a text, or a tuple of steps to it (`walk`). */
static PyObject *memory_answers, *image_answers, *event_answers, *kernel_answers, *queue_answers;

/* CL_COMPLETE */
static PyObject *complete;

/* A user event is its own gate. */
int was_given(PyObject *event)
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

/* The attribute of the name, of truth values the number; NULL where it is anything but a number or a text. */
static PyObject *attribute_of(PyObject *object, PyObject *name)
{
    PyObject *value = get(object, name);
    if (value == TRUE_ || value == FALSE_) {
        Py_DecRef(value);
        return PyLong_FromSsize_t(value == TRUE_);
    }
    if (value && !is_int(value) && !is_str(value)) {
        Py_DecRef(value);
        return NULL;
    }
    return value;
}

/* What the function in a tuple makes of one of the runtime's objects, or a handle of the class for it; None of none. */
static PyObject *made_of(PyObject *object, PyObject *maker)
{
    if (object == NONE) {
        Py_IncRef(NONE);
        return NONE;
    }
    if (is_tuple(maker))
        return PyObject_CallFunction(PyTuple_GetItem(maker, 0), "(O)", object);
    PyObject *handle = PyType_GenericAlloc((PyTypeObject *)maker, 0);
    if (handle && !set(handle, name__core, object)) {
        Py_DecRef(handle);
        return NULL;
    }
    return handle;
}

/* From attribute to attribute, of which the last one may be what something is made of (`made_of`). */
static PyObject *walk(PyObject *object, PyObject *steps)
{
    const Py_ssize_t last = PyTuple_Size(steps) - 1;
    Py_IncRef(object);
    for (Py_ssize_t i = 0; object && i <= last; i++) {
        PyObject *step = PyTuple_GetItem(steps, i);
        PyObject *next = !is_str(step) ? made_of(object, step) : i < last ? get(object, step) : attribute_of(object, step);
        Py_DecRef(object);
        object = next;
    }
    return object;
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
        value = is_tuple(answer) ? walk(core, answer) : attribute_of(core, answer);
    drop(core);
    forget_error();
    return value;
}

/* A `get_info` by the answers, and by the method in Python. */
#define QUERY(function, answers, in_python) \
    static PyObject *function(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) \
    { \
        PyObject *answer = answer_of(self, answers, arguments, count, names); \
        return answer ? answer : by_method(self, in_python, arguments, count, names); \
    }
QUERY(get_memory_info, memory_answers, name__query_in_python)
QUERY(get_event_info, event_answers, name__query_in_python)
QUERY(get_kernel_info, kernel_answers, name__query_in_python)
QUERY(get_queue_info, queue_answers, name__query_in_python)

/* What of the answers may be changed by who has it: a copy. */
static PyObject *copy_of_list(PyObject *list)
{
    return PyList_GetSlice(list, 0, PyList_Size(list));
}

static PyObject *copy_of_format(PyObject *format)
{
    PyObject *copy = PyType_GenericAlloc(format->type, 0), *order = get(format, name__channel_order), *type = get(format, name__channel_data_type);
    if (copy && !(order && type && set(copy, name__channel_order, order) && set(copy, name__channel_data_type, type))) {
        Py_DecRef(copy);
        copy = NULL;
    }
    drop(order);
    drop(type);
    return copy;
}

/* What the runtime's object keeps of the answers that its handle has given in Python; NULL where it keeps none. */
static PyObject *kept_answer(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *core = count == 1 && !names && is_int(arguments[0]) ? get(self, name__core) : NULL;
    PyObject *answers = core ? get(core, name_answers) : NULL;
    PyObject *answer = answers ? PyDict_GetItemWithError(answers, arguments[0]) : NULL;
    if (answer)
        Py_IncRef(answer);
    drop(answers);
    drop(core);
    forget_error();
    return answer;
}

static PyObject *copied(PyObject *answer, PyObject *(*copy)(PyObject *))
{
    PyObject *made = copy(answer);
    Py_DecRef(answer);
    return made;
}

/* See Answering in handles.py. */
static PyObject *get_staying_info(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *answer = kept_answer(self, arguments, count, names);
    if (!answer)
        return by_method(self, name__query_in_python, arguments, count, names);
    return is_list(answer) ? copied(answer, copy_of_list) : answer;
}

/* Of images Python keeps numbers and a format. */
static PyObject *get_image_info(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *answer = kept_answer(self, arguments, count, names);
    if (answer)
        return is_int(answer) ? answer : copied(answer, copy_of_format);
    answer = answer_of(self, image_answers, arguments, count, names);
    return answer ? answer : by_method(self, name__image_query_in_python, arguments, count, names);
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

#define ANSWER "get_info($self, arg)\n--\n\nThe answer to the object's clGet*Info query."
static PyMethodDef memory_query = { "get_info", get_memory_info, METH_FASTCALL | METH_KEYWORDS,
                                    "get_info($self, arg)\n--\n\nThe answer to clGetMemObjectInfo, but for the host's memory, which is an array's." };
static PyMethodDef image_query = { "get_image_info", get_image_info, METH_FASTCALL | METH_KEYWORDS,
                                   "get_image_info($self, arg)\n--\n\nThe answer to clGetImageInfo." };
static PyMethodDef event_query = { "get_info", get_event_info, METH_FASTCALL | METH_KEYWORDS, ANSWER };
static PyMethodDef kernel_query = { "get_info", get_kernel_info, METH_FASTCALL | METH_KEYWORDS, ANSWER };
static PyMethodDef queue_query = { "get_info", get_queue_info, METH_FASTCALL | METH_KEYWORDS, ANSWER };
static PyMethodDef staying_query = { "get_info", get_staying_info, METH_FASTCALL | METH_KEYWORDS, ANSWER };
static PyGetSetDef pointer_attribute = { "int_ptr", get_pointer, NULL,
                                         "An integer that stands for the object while it lives; `from_int_ptr` is the way back.", NULL };

/* The method of the class in `arguments`, (class, answers), which stay for as long as the process lives. */
static PyObject *query_of(PyObject *arguments, PyMethodDef *definition, PyObject **answers)
{
    PyObject *type;
    if (!PyArg_ParseTuple(arguments, "OO", &type, answers))
        return NULL;
    Py_IncRef(*answers);
    return PyDescr_NewMethod((PyTypeObject *)type, definition);
}

/* memory_queries(MemoryObjectHolder, answers): see library.py, as for the others */
PyObject *memory_queries(PyObject *module, PyObject *arguments)
{
    (void)module;
    return query_of(arguments, &memory_query, &memory_answers);
}

PyObject *image_queries(PyObject *module, PyObject *arguments)
{
    (void)module;
    return query_of(arguments, &image_query, &image_answers);
}

PyObject *kernel_queries(PyObject *module, PyObject *arguments)
{
    (void)module;
    return query_of(arguments, &kernel_query, &kernel_answers);
}

PyObject *queue_queries(PyObject *module, PyObject *arguments)
{
    (void)module;
    return query_of(arguments, &queue_query, &queue_answers);
}

PyObject *staying_queries(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &staying_query);
}

/* event_queries(Event, answers, CL_COMPLETE): see library.py */
PyObject *event_queries(PyObject *module, PyObject *arguments)
{
    PyObject *type;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &type, &event_answers, &complete))
        return NULL;
    Py_IncRef(event_answers);
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
    name__image_query_in_python = PyUnicode_InternFromString("_image_query_in_python");
    name__pointer = PyUnicode_InternFromString("_pointer");
    name__pointer_in_python = PyUnicode_InternFromString("_pointer_in_python");
    name_answers = PyUnicode_InternFromString("answers");
    name__channel_order = PyUnicode_InternFromString("_channel_order");
    name__channel_data_type = PyUnicode_InternFromString("_channel_data_type");
    same_type = (PyTypeObject *)PyType_FromSpec(&same_spec);
    return name__query_in_python && name__image_query_in_python && name__pointer && name__pointer_in_python && name_answers
        && name__channel_order && name__channel_data_type && same_type;
}
