/* A command-queue in order as code in C knows it (CommandTarget, runtime/queue/target.py), and the places that commands take there. */
#include "calls.h"

static PyTypeObject *target_type;
static PyObject *nothing; /* the empty tuple */

static void end_target(PyObject *self)
{
    struct target *target = (struct target *)self;
    Py_DecRef(target->serial);
    Py_DecRef(target->event_type);
    Py_DecRef(target->timeline);
    Py_DecRef(target->next_position);
    drop(target->device);
    drop(target->mark);
    drop_fences(target);
    end_object(self);
}

PyObject *make_target(PyObject *const *parts, uint64_t words, PyObject *native, int is_unordered, PyObject *device)
{
    struct native_stream stream = { 0 };
    if (native != NONE) {
        const char *of_stream = PyBytes_AsString(native);
        if (!of_stream || PyObject_Size(native) != sizeof stream) {
            PyErr_SetString(PyExc_TypeError, "the words of a stream are others");
            return NULL;
        }
        memcpy(&stream, of_stream, sizeof stream);
    }
    struct target *target = (struct target *)PyType_GenericAlloc(target_type, 0);
    if (!target)
        return NULL;
    for (int i = 0; i < 4; i++)
        Py_IncRef(parts[i]);
    target->serial = parts[0];
    target->event_type = parts[1];
    target->timeline = parts[2];
    target->next_position = parts[3];
    target->words = (volatile uint64_t *)(uintptr_t)words;
    target->stream = stream;
    target->is_unordered = is_unordered;
    if (device != NONE)
        Py_IncRef(target->device = device);
    return (PyObject *)target;
}

/* target(serial, event_type, timeline, next_position, address of the words, stream, is_unordered, device): see library.py */
PyObject *new_target(PyObject *module, PyObject *arguments)
{
    PyObject *parts[4], *native, *device;
    unsigned long long address;
    int is_unordered;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOKOpO", &parts[0], &parts[1], &parts[2], &parts[3], &address, &native, &is_unordered, &device))
        return NULL;
    return make_target(parts, address, native, is_unordered, device);
}

struct target *known_target(PyObject *queue)
{
    struct target *target = (struct target *)get(queue, name_native_target);
    if (target && target->head.type == target_type)
        return target;
    forget_error();
    drop((PyObject *)target);
    return NULL;
}

struct target *target_that_says(PyObject *queue, uint64_t word)
{
    struct target *target = known_target(queue);
    if (target && !target->is_unordered && see_word(target, NEEDS_PYTHON) == word)
        return target;
    drop((PyObject *)target);
    return NULL;
}

struct target *plain_target(PyObject *queue)
{
    struct target *target = target_that_says(queue, 0);
    if (!target || !target->device)
        return target;
    drop((PyObject *)target);
    return NULL;
}

PyObject *new_fence(const struct target *target, PyObject *timing)
{
    PyObject *stream = get(target->timeline, name_stream), *fence = stream ? get(stream, name_fence) : NULL;
    PyObject *made = fence ? PyObject_CallFunction(fence, "O", timing) : NULL;
    drop(fence);
    drop(stream);
    return made;
}

PyObject *draw_position(const struct target *target)
{
    PyObject *position = set(target->timeline, name_busy, TRUE_) ? PyObject_CallNoArgs(target->next_position) : NULL;
    if (position)
        tell_word(target, GIVEN, PyLong_AsUnsignedLongLong(position));
    return position;
}

PyObject *after_position(const struct target *target, PyObject *position)
{
    if (!position)
        return NULL;
    Py_ssize_t at = PyLong_AsSsize_t(position);
    if (see_word(target, FENCES_AHEAD_WANTED)) {
        PyObject *fence_at = get(target->timeline, name_fence_at), *ahead = NULL, *none = NULL;
        int wanted = fence_at && at >= PyLong_AsSsize_t(fence_at);
        if (wanted && (ahead = get(target->timeline, name_fence_ahead)))
            none = PyObject_CallFunction(ahead, "O", position);
        if (!fence_at || (wanted && !none)) {
            Py_DecRef(position);
            position = NULL;
        }
        drop(fence_at);
        drop(ahead);
        drop(none);
    }
    if (target->fences)
        record_ahead(target, (uint64_t)at);
    return position;
}

PyObject *next_position(const struct target *target)
{
    return after_position(target, draw_position(target));
}

int note_others(struct target *target)
{
    uint64_t others = see_word(target, NATIVE);
    PyObject *method = get(target->timeline, name_note_native_commands), *ended = method ? PyObject_CallNoArgs(method) : NULL;
    if (ended)
        target->others = others;
    drop(method);
    drop(ended);
    return ended != NULL;
}

int wants_flag(struct target *target)
{
    if (target->flag) /* Nobody has waited for the one before. */
        target->wants_flags = 0;
    target->flag = 0;
    return target->wants_flags;
}

void note_flag(struct target *target, PyObject *position, uint32_t flag)
{
    target->flagged_at = PyLong_AsUnsignedLongLong(position);
    target->flag = flag;
}

uint32_t take_flag(struct target *target, PyObject *position)
{
    uint32_t flag = target->flag;
    if (!target->stream.poll_ns || !target->flagged_at || PyLong_AsUnsignedLongLong(position) != target->flagged_at + 1)
        return 0;
    target->wants_flags = 1;
    target->flag = 0;
    return flag;
}

PyObject *new_event(PyObject *queue, const struct target *target, PyObject *command_type, PyObject *position)
{
    PyObject *event = PyType_GenericAlloc((PyTypeObject *)target->event_type, 0);
    if (event && !(set(event, name_queue, queue) && set(event, name_command_type, command_type)
                   && set(event, name_timeline, target->timeline) && set(event, name_position, position)
                   && set(event, name_fence, NONE) && set(event, name_times, NONE) && set(event, name_gate, NONE)
                   && set(event, name_own_end, nothing))) {
        Py_DecRef(event);
        event = NULL;
    }
    return event;
}

PyObject *stand_for(PyObject *event, PyObject *type)
{
    if (type == NONE)
        return event;
    PyObject *handle = event ? PyType_GenericAlloc((PyTypeObject *)type, 0) : NULL;
    if (handle && !set(handle, name__core, event)) {
        Py_DecRef(handle);
        handle = NULL;
    }
    drop(event);
    return handle;
}

static PyType_Slot target_slots[] = { { Py_tp_dealloc, end_target }, { 0, NULL } };
static PyType_Spec target_spec = { "cl2cuda.runtime.native.Target", sizeof(struct target), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, target_slots };

int prepare_targets(void)
{
    target_type = (PyTypeObject *)PyType_FromSpec(&target_spec);
    nothing = PyTuple_New(0);
    return target_type && nothing;
}
