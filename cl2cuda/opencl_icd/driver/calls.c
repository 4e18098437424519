#include "answers.h"
#include "arguments.h"
#include "commands.h"
#include "held.h"
#include "spares.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 24 };

PyObject *status_of, *function_of;

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

PyObject *core_by(struct entry *entry, const word *words)
{
    struct outputs outputs = { 0 };
    int32_t status;
    PyObject *arguments = function_for(entry) ? arguments_of(entry, words, &outputs, &status) : NULL;
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

/* By the package's function. */
word answer(struct entry *entry, const word *words)
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
