#include "answers.h"
#include "arguments.h"
#include "buffers.h"
#include "commands.h"
#include "descriptions.h"
#include "held.h"
#include "images.h"
#include "kernels.h"
#include "maps.h"
#include "programs.h"
#include "spares.h"
#include "svm.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 24 };

/* The package's functions: from an exception to a status, and from a name to an entry point that is imported late. */
static PyObject *status_of, *function_of;

int32_t unsupported(void)
{
    return INVALID_OPERATION;
}

void *unsupported_object(void)
{
    return NULL;
}

int32_t invalid(enum kind kind)
{
    switch (kind) {
    case PLATFORM: return -32;
    case DEVICE: return -33;
    case CONTEXT: return -34;
    case QUEUE: return -36;
    case MEMORY: return -38;
    case SAMPLER: return -41;
    case PROGRAM: return -44;
    case KERNEL: return -48;
    case EVENT: return -58;
    case COMMAND_BUFFER: return -1138;
    case MUTABLE_COMMAND: return -1141;
    case SEMAPHORE: return -1142;
    default: return INVALID_VALUE;
    }
}

static PyObject *new_reference(PyObject *object)
{
    py.Py_IncRef(object);
    return object;
}

PyObject *tuple_of_words(const uint64_t *words, Py_ssize_t count)
{
    PyObject *tuple = py.PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++)
        py.PyTuple_SetItem(tuple, i, py.PyLong_FromUnsignedLongLong(words[i]));
    return tuple;
}

/* The objects of an array as a tuple; None for no array. `wrong` is what an element that is none means. */
static int32_t list(uint32_t count, struct object *const *array, enum kind kind, int32_t wrong, int32_t mismatch, PyObject **tuple)
{
    if (!count != !array)
        return mismatch;
    if (!array) {
        *tuple = kind == EVENT ? py.PyTuple_New(0) : new_reference(py.none);
        return *tuple ? SUCCESS : OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!is_object(array[i], kind))
            return wrong;
    if (!(*tuple = py.PyTuple_New(count)))
        return OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        PyObject *core = core_of(array[i]);
        if (!core)
            return status_of_failure();
        py.PyTuple_SetItem(*tuple, i, new_reference(core));
    }
    return SUCCESS;
}

/* What the answer needs beside Python's arguments. */
struct outputs {
    uint32_t dimensions;
    struct object **event;
    const word *info;
    int32_t *error;
};

static int is_prefix(char code)
{
    return code == '?' || code == '&' || code == '=';
}

/* The kind of the first parameter, where it is an object, and not told by its address. */
static enum kind first_kind(const struct entry *entry)
{
    const char *code = entry->parameters + (entry->parameters[0] == '=');
    return *code >= 'A' && *code <= 'Z' && *code != 'I' ? (enum kind)*code : NO_OBJECT;
}

/* One argument for Python, or none where the code is an output; moves past the code and its words. */
static int32_t argument(const char **code, const word **words, PyObject **made, struct outputs *outputs)
{
    const word *given = *words;
    char prefix = is_prefix(**code) ? *(*code)++ : 0;
    char letter = **code;
    *made = NULL;
    *words += 1;
    *code += 1;
    switch (letter) {
    case 'u': case 'p':
        *made = py.PyLong_FromUnsignedLongLong(*given);
        break;
    case 'i':
        *made = py.PyLong_FromLongLong((long long)*given);
        break;
    case 'n':
        outputs->dimensions = *given <= 3 ? (uint32_t)*given : 0;
        *made = py.PyLong_FromUnsignedLongLong(*given);
        break;
    case 't':
        *made = *given ? tuple_of_words((const uint64_t *)*given, outputs->dimensions) : new_reference(py.none);
        break;
    case 'o':
        *made = *given ? tuple_of_words((const uint64_t *)*given, 3) : new_reference(py.none);
        break;
    case 'w':
        *words += 1;
        return list((uint32_t)given[0], (struct object *const *)given[1], EVENT, INVALID_EVENT_WAIT_LIST, INVALID_EVENT_WAIT_LIST, made);
    case 'l': {
        enum kind kind = (enum kind)*(*code)++;
        *words += 1;
        return list((uint32_t)given[0], (struct object *const *)given[1], kind, invalid(kind), INVALID_VALUE, made);
    }
    case 'e':
        outputs->event = (struct object **)*given;
        return SUCCESS;
    case 'I':
        *words += 2;
        outputs->info = given;
        return SUCCESS;
    case 'r':
        outputs->error = (int32_t *)*given;
        return SUCCESS;
    default:
        if (prefix == '?' && !*given)
            *made = new_reference(py.none);
        else if (!is_object((void *)*given, (enum kind)letter))
            return invalid((enum kind)letter);
        else if (prefix == '&')
            *made = py.PyLong_FromUnsignedLongLong(*given);
        else if (!(prefix == '=' ? made_core : core_of)((struct object *)*given))
            return status_of_failure();
        else
            *made = new_reference(((struct object *)*given)->core);
    }
    return *made ? SUCCESS : OUT_OF_HOST_MEMORY;
}

int32_t status_of_failure(void)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    py.PyErr_Fetch(&type, &value, &trace);
    py.PyErr_NormalizeException(&type, &value, &trace);
    if (comes_later(type, value, trace))
        return OUT_OF_RESOURCES;
    PyObject *found = py.PyObject_CallFunction(status_of, "OO", value ? value : py.none, trace ? trace : py.none);
    int32_t status = found ? (int32_t)py.PyLong_AsUnsignedLongLongMask(found) : OUT_OF_RESOURCES;
    if (!found)
        py.PyErr_Clear();
    if (found)
        py.Py_DecRef(found);
    if (type)
        py.Py_DecRef(type);
    if (value)
        py.Py_DecRef(value);
    if (trace)
        py.Py_DecRef(trace);
    return status;
}

int take_bytes(PyObject *bytes, void *target, size_t size)
{
    char *data = NULL;
    Py_ssize_t given = 0;
    int done = bytes && !py.PyBytes_AsStringAndSize(bytes, &data, &given) && (size_t)given == size;
    if (done)
        memcpy(target, data, size);
    else
        drop_exception(1);
    if (bytes)
        py.Py_DecRef(bytes);
    return done;
}

static int32_t give_python_info(struct entry *entry, PyObject *bytes, const word *words, const word *info)
{
    char *data;
    Py_ssize_t size;
    if (py.PyBytes_AsStringAndSize(bytes, &data, &size))
        return status_of_failure();
    keep_answer(entry, words, data, size);
    return give_info(data, size, info[0], (const void *)info[1], (const void *)info[2]);
}

static int32_t give_event(PyObject *core, struct object *parent, struct object **event)
{
    if (!event)
        return SUCCESS;
    *event = new_object(core, EVENT, parent);
    return *event ? SUCCESS : OUT_OF_HOST_MEMORY;
}

/* What Python answered: (value, status) where there is both, (address, event) of a map, else the value, whether the program asks for
   the status or not. */
static int32_t give(struct entry *entry, PyObject *value, const word *words, struct object *parent, struct outputs *outputs, word *result)
{
    char kind = entry->returns;
    if (kind == 'i' || kind == 'v') {
        if (outputs->info)
            return give_python_info(entry, value, words, outputs->info);
        return value != py.none ? give_event(value, parent, outputs->event) : SUCCESS;
    }
    if (kind == 'p') {
        int pair = py.PyTuple_Size(value) == 2;
        py.PyErr_Clear(); /* an address alone is no tuple */
        if (pair) {
            *result = py.PyLong_AsUnsignedLongLongMask(py.PyTuple_GetItem(value, 0));
            return give_event(py.PyTuple_GetItem(value, 1), parent, outputs->event);
        }
        *result = py.PyLong_AsUnsignedLongLongMask(value);
        return SUCCESS;
    }
    int32_t status = SUCCESS;
    PyObject *core = value;
    if (kind == PROGRAM && py.PyTuple_Size(value) == 2) {
        core = py.PyTuple_GetItem(value, 0);
        status = (int32_t)py.PyLong_AsUnsignedLongLongMask(py.PyTuple_GetItem(value, 1));
    }
    py.PyErr_Clear(); /* a core is no tuple */
    /* Creating the default queue on a device again gives the one that is there. */
    struct object *again = kind == QUEUE ? created_again(core) : NULL;
    struct object *object = again ? again : new_object(core, (enum kind)kind, parent);
    if (object && kind == KERNEL)
        find_arguments(object);
    if (object && !again && kind == QUEUE) {
        find_native(object);
        end_at_exit();
    }
    *result = (word)object;
    return object ? status : OUT_OF_HOST_MEMORY;
}

/* The arguments for Python as a tuple; NULL where `status` says what is wrong. */
static PyObject *arguments_of(struct entry *entry, const word *words, struct outputs *outputs, int32_t *status)
{
    PyObject *made[MOST_WORDS];
    int count = 0;
    const word *next = words;
    *status = SUCCESS;
    for (const char *code = entry->parameters; *code && *status == SUCCESS;) {
        PyObject *one;
        *status = argument(&code, &next, &one, outputs);
        if (one)
            made[count++] = one;
    }
    PyObject *arguments = *status == SUCCESS ? py.PyTuple_New(count) : NULL;
    if (!arguments && *status == SUCCESS)
        *status = OUT_OF_HOST_MEMORY;
    for (int i = 0; i < count; i++)
        if (arguments)
            py.PyTuple_SetItem(arguments, i, made[i]);
        else
            py.Py_DecRef(made[i]);
    return arguments;
}

/* What the package's function gives; the reference to the arguments is taken. */
static PyObject *call(struct entry *entry, const word *words, PyObject *arguments)
{
    if (entry->returns == QUEUE)
        note_new_queue((struct object *)words[0]);
    PyObject *value = py.PyObject_CallObject(entry->function, arguments);
    py.Py_DecRef(arguments);
    return value;
}

PyObject *core_by(struct entry *entry, const word *words)
{
    struct outputs outputs = { 0 };
    int32_t status;
    PyObject *arguments = arguments_of(entry, words, &outputs, &status);
    return arguments ? call(entry, words, arguments) : py.PyErr_NoMemory();
}

static int32_t ask_python(struct entry *entry, const word *words, struct outputs *outputs, word *result)
{
    int32_t status;
    PyObject *arguments = arguments_of(entry, words, outputs, &status), *value = arguments ? call(entry, words, arguments) : NULL;
    if (!value)
        return arguments ? status_of_failure() : status;
    struct object *parent = first_kind(entry) ? (struct object *)words[0] : NULL;
    if (entry->returns == KERNEL && is_object(parent, KERNEL)) /* A clone is the program's. */
        parent = parent->parent;
    status = give(entry, value, words, parent, outputs, result);
    py.Py_DecRef(value);
    return status;
}

/* Where the error goes, also if Python is not reached. */
static int32_t *error_of(struct entry *entry, const word *words)
{
    size_t length = strlen(entry->parameters);
    if (!length || entry->parameters[length - 1] != 'r')
        return NULL;
    size_t place = 0;
    for (const char *code = entry->parameters; *code != 'r'; code++) {
        if (is_prefix(*code))
            continue;
        place += *code == 'w' || *code == 'l' ? 2 : *code == 'I' ? 3 : 1;
        code += *code == 'l';
    }
    return (int32_t *)words[place];
}


/* With Python's lock: the package's function, borrowed, or NULL. */
static PyObject *function_for(struct entry *entry)
{
    if (!entry->function && !entry->is_asked) {
        PyObject *found = py.PyObject_CallFunction(function_of, "s", entry->name);
        if (!found)
            drop_exception(1);
        else if (found == py.none)
            py.Py_DecRef(found);
        else
            entry->function = found;
        entry->is_asked = 1;
    }
    return entry->function;
}

int is_answered(struct entry *entry)
{
    int state;
    if (!python_enter(&state))
        return 0;
    int found = function_for(entry) != NULL;
    python_leave(state);
    return found;
}

/* How many calls of this thread Python is answering. Within one there is another where Python's search for garbage calls a destructor of
   the application: what that frees may be in use by the command that is on its way, so nothing may be waited for. */
static __thread int depth;
static struct entry free_within_a_call = { .name = "free_within_a_call", .parameters = "Cp", .returns = 'i' };

/* Where Python has ended nothing is left to do for what gives memory back: a process that is ending takes it along, and no command comes
   after. Who frees the memory by a function of its own waits for what does not come. */
static int32_t give_back_by_ending(const struct entry *entry, const word *words)
{
    enum { FUNCTION = 3, EVENT_OF_FREE = 7, EVENT_OF_UNMAP = 5 }; /* clEnqueueSVMFree's, and clEnqueueUnmapMemObject's */
    struct object *queue = (struct object *)words[0];
    if (!python_started() || entry->frees == FREES_NOTHING || (entry->frees == FREES_BY_COMMAND && words[FUNCTION]))
        return OUT_OF_RESOURCES;
    if (entry->frees == FREES_AT_ONCE)
        return SUCCESS;
    if (!is_object(queue, QUEUE))
        return invalid(QUEUE);
    if (entry->frees == FREES_BY_COMMAND)
        return give_ended_event(queue, SVM_FREE, (const void *)words[EVENT_OF_FREE]);
    if (!is_object((const void *)words[1], MEMORY))
        return invalid(MEMORY);
    return give_ended_event(queue, UNMAP_MEM_OBJECT, (const void *)words[EVENT_OF_UNMAP]);
}

/* By the package's function. Apart, so that what is answered without it saves no registers for it. */
static __attribute__((noinline)) word answer_by_python(struct entry *entry, const word *words)
{
    word result = 0;
    int32_t status = INVALID_OPERATION;
    int state;
    int32_t *error = error_of(entry, words);
    if (!python_enter(&state)) {
        status = give_back_by_ending(entry, words);
    } else {
        tell_held();
        drop_released();
        struct outputs outputs = { .error = error };
        struct entry *asked = entry->frees == FREES_AT_ONCE && depth ? &free_within_a_call : entry;
        depth++;
        if (function_for(asked))
            status = ask_python(asked, words, &outputs, &result);
        depth--;
        python_leave(state);
    }
    if (error)
        *error = status;
    return entry->returns == 'i' ? (word)(int64_t)status : result;
}

word answer(struct entry *entry, const word *words)
{
    int32_t event_state;
    if (entry->settling && words[1] == entry->settling && tell_state((struct object *)words[0], &event_state))
        return (word)(int64_t)give_info(&event_state, sizeof event_state, words[2], (const void *)words[3], (const void *)words[4]);
    return answer_by_python(entry, words);
}

/* Functions for Python: reading and writing the application's memory, making objects, calling back. */

static PyObject *read_memory(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    Py_ssize_t size;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "Kn", &address, &size))
        return NULL;
    return py.PyBytes_FromStringAndSize((const char *)(uintptr_t)address, size);
}

static PyObject *write_memory(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    PyObject *bytes;
    char *data;
    Py_ssize_t size;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "KO", &address, &bytes) || py.PyBytes_AsStringAndSize(bytes, &data, &size))
        return NULL;
    memcpy((void *)(uintptr_t)address, data, size);
    return new_reference(py.none);
}

static PyObject *view_memory(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    Py_ssize_t size;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "Kn", &address, &size))
        return NULL;
    return py.PyMemoryView_FromMemory((char *)(uintptr_t)address, size, PyBUF_WRITE);
}

static PyObject *text_at(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "K", &address))
        return NULL;
    const char *text = (const char *)(uintptr_t)address;
    return py.PyBytes_FromStringAndSize(text, (Py_ssize_t)strlen(text));
}

static PyObject *words_at(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    Py_ssize_t count;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "Kn", &address, &count))
        return NULL;
    return tuple_of_words((const uint64_t *)(uintptr_t)address, count);
}

/* handle(core, kind, new, parent): the address of the core's object; `new` makes one with a reference. The platform, and devices
   that are no part of another, are not counted. */
static PyObject *handle(PyObject *self, PyObject *arguments)
{
    PyObject *core;
    int kind, is_new;
    unsigned long long parent;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "OCpK", &core, &kind, &is_new, &parent))
        return NULL;
    struct object *object = is_new ? new_object(core, (enum kind)kind, (struct object *)(uintptr_t)parent)
                                   : object_of(core, (enum kind)kind);
    if (object && (kind == PLATFORM || (kind == DEVICE && is_new && !parent)))
        object->counted = 0;
    if (kind == PLATFORM)
        platform_object = object;
    if (object && is_new && kind == KERNEL)
        find_arguments(object);
    return object ? py.PyLong_FromVoidPtr(object) : py.PyErr_NoMemory();
}

/* core(handle, kind): the runtime's object, or None where the application gave none of the kind. */
static PyObject *core(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    int kind;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "KC", &address, &kind))
        return NULL;
    struct object *object = (struct object *)(uintptr_t)address;
    if (!is_object(object, (enum kind)kind))
        return new_reference(py.none);
    return core_of(object) ? new_reference(object->core) : NULL;
}

/* keep(address), drop(address): for a callback that will be given the object, which lives until then. */
static PyObject *keep(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "K", &address))
        return NULL;
    __atomic_add_fetch(&((struct object *)(uintptr_t)address)->users, 1, __ATOMIC_RELAXED);
    return new_reference(py.none);
}

static PyObject *drop(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "K", &address))
        return NULL;
    drop_object((struct object *)(uintptr_t)address);
    return new_reference(py.none);
}

/* hold(core): the object's address, with one more reference; 0 where it has none. let_go(address): that reference goes. */
static PyObject *hold(PyObject *self, PyObject *arguments)
{
    PyObject *core;
    (void)self;
    return py.PyArg_ParseTuple(arguments, "O", &core) ? py.PyLong_FromVoidPtr(hold_object(core)) : NULL;
}

static PyObject *let_go(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "K", &address))
        return NULL;
    let_go_of((struct object *)(uintptr_t)address);
    return new_reference(py.none);
}

/* call(function, four words): a callback of the application's, without Python's lock. */
static PyObject *call_back(PyObject *self, PyObject *arguments)
{
    unsigned long long function, a, b, c, d;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "KKKKK", &function, &a, &b, &c, &d))
        return NULL;
    void *thread = py.PyEval_SaveThread();
    ((void (*)(word, word, word, word))(uintptr_t)function)(a, b, c, d);
    py.PyEval_RestoreThread(thread);
    return new_reference(py.none);
}

static PyMethodDef functions[] = {
    { "read", read_memory, METH_VARARGS, "read(address, size): bytes" },
    { "write", write_memory, METH_VARARGS, "write(address, bytes)" },
    { "view", view_memory, METH_VARARGS, "view(address, size): a writable memoryview" },
    { "text", text_at, METH_VARARGS, "text(address): the bytes before the 0" },
    { "words", words_at, METH_VARARGS, "words(address, count): a tuple of 64-bit numbers" },
    { "handle", handle, METH_VARARGS, "handle(core, kind, new, parent): the address of the object" },
    { "core", core, METH_VARARGS, "core(address, kind): the runtime's object, or None" },
    { "note_image_of", note_image_of, METH_VARARGS, "note_image_of(address)" },
    { "keep", keep, METH_VARARGS, "keep(address)" },
    { "drop", drop, METH_VARARGS, "drop(address)" },
    { "hold", hold, METH_VARARGS, "hold(core): the address of the object, or 0" },
    { "hold_event", hold_event, METH_VARARGS, "hold_event(address)" },
    { "let_go", let_go, METH_VARARGS, "let_go(address)" },
    { "call", call_back, METH_VARARGS, "call(function, a, b, c, d)" },
    { NULL, NULL, 0, NULL },
};

/* The package's functions that are no entry points, by name. */
static const struct { const char *name; PyObject **place; } own[] = {
    { "last_release", &last_release }, { "flush_of", &flush_of }, { "status_of", &status_of }, { "comes_again", &comes_again },
    { "function_of", &function_of }, { "wait_at_end", &wait_at_end }, { "places_of", &places_of }, { "note_arguments", &note_arguments }, { "image_given", &image_given },
    { "launch_of", &launch_of }, { "hold_launch", &hold_launch }, { "timed_event_of", &timed_event_of }, { "fences_of", &fences_of },
    { "base_time_of", &base_time_of }, { "mark_of", &mark_of }, { "fault_of", &fault_of }, { "native_of", &native_of },
    { "lanes_of", &lanes_of }, { "event_of", &event_of }, { "memory_of", &memory_of },
    { "bare_buffers_of", &bare_buffers_of }, { "buffer_of", &buffer_of }, { "buffers_may_return", &buffers_may_return },
    { "contents_of", &contents_of }, { "note_mapped", &note_mapped }, { "note_unmapped", &note_unmapped }, { "element_of", &element_of },
    { "allocation_of", &allocation_of }, { "note_shared_mapped", &note_shared_mapped },
    { "part_of", &part_of }, { "program_of", &program_of }, { "may_begin_bare", &may_begin_bare },
    { NULL, NULL },
};

/* start(functions of this library) gives (entry points by name, functions of `own` by name). */
int connect_package(PyObject *start)
{
    PyObject *given = py.PyDict_New();
    for (PyMethodDef *each = functions; given && each->name; each++) {
        PyObject *function = py.PyCFunction_NewEx(each, NULL, NULL);
        if (!function || py.PyDict_SetItemString(given, each->name, function))
            return 0;
        py.Py_DecRef(function);
    }
    PyObject *back = given ? py.PyObject_CallFunction(start, "O", given) : NULL;
    if (given)
        py.Py_DecRef(given);
    if (!back)
        return 0;
    PyObject *by_name = py.PyTuple_GetItem(back, 0), *others = py.PyTuple_GetItem(back, 1);
    if (!by_name || !others)
        return 0;
    for (int i = 0; own[i].name; i++)
        if (!(*own[i].place = py.PyDict_GetItemString(others, own[i].name)))
            return 0;
    for (struct entry *const *each = entries; *each; each++) {
        (*each)->function = py.PyDict_GetItemString(by_name, (*each)->name);
    }
    return 1; /* `back` is kept, and with it all that it holds. */
}
