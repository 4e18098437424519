/* Commands behind user events that are not set, in queues in order of one device's contexts, without Python's own steps: launches with the
   arguments of then, little reads and writes that nobody waits for, copies, fills, markers and barriers; and what comes after them in their queue, or in
   another one behind their events. As CommandQueue.hold and DeferredCommands (runtime/queue/deferred.py), whose gates they have; whatever
   is out of the ordinary Python holds back, or issues. How they are issued is in held_issues.c. */
#include "held_parts.h"

#include "stream_fills.h"

#define DEFINE(name) static PyObject *name_##name;
#define HELD_NAMES(N) \
    N(_last_deferred) N(needs_full_submit) N(behind) N(reason) N(theirs) N(checked_launches) N(arguments) N(native_parameters)
HELD_NAMES(DEFINE)

/* What a command comes behind, for `hold`: by the first of the gates it is called, and looks for the others of its list then. */
enum { MOST_GATES = 8 };
struct behind {
    PyObject *waits; /* the runtime's events */
    PyObject *gates[MOST_GATES]; /* which are shut */
    int count;
    int is_queued;   /* the first is the last command's that the queue holds back */
};

static void drop_behind(struct behind *behind)
{
    drop(behind->waits);
    for (int i = 0; i < behind->count; i++)
        drop(behind->gates[i]);
}

/* Whether it is of the queue's context: a user event, or a command of a queue in order, which is another one or is held back before. */
static int is_of_context(PyObject *event, PyObject *queue)
{
    PyObject *context = get(queue, name_context), *its_queue = NULL;
    int is_one = context && ((PyObject *)event->type == known.user_event
        ? is(event, name__context, context)
        : (its_queue = get(event, name_queue)) && its_queue != NONE && (its_queue == queue || is(its_queue, name_context, context)));
    drop(its_queue);
    drop(context);
    return is_one;
}

/* Adds an event of the list; those of the queue come before anyway. */
static int add_event(struct behind *behind, PyObject *event, PyObject *queue)
{
    int is_users = (PyObject *)event->type == known.user_event;
    if (!is_of_context(event, queue))
        return 0;
    if (!is_users && is(event, name_queue, queue))
        return 1;
    PyObject *gate = shut_gate(event);
    if (!gate)
        return has_gone_well(event);
    if (behind->count < MOST_GATES) {
        behind->gates[behind->count++] = gate;
        return 1;
    }
    drop(gate);
    return 0;
}

static int look_at_list(struct behind *behind, PyObject *wait_for, PyObject *queue)
{
    Py_ssize_t count = length_of(wait_for);
    int plain = count >= 0 && (behind->waits = PyTuple_New(count));
    for (Py_ssize_t i = 0; plain && i < count; i++) {
        PyObject *event = event_at(wait_for, i);
        plain = event && add_event(behind, event, queue);
        if (event && PyTuple_SetItem(behind->waits, i, event))
            plain = 0;
    }
    return plain;
}

/* Whether the queue holds the last command back by a gate, behind which the next one comes. */
static int look_at_last(struct behind *behind, PyObject *queue)
{
    PyObject *last = get(queue, name__last_deferred), *gate = last && last != NONE ? shut_gate(last) : NULL;
    drop(last);
    if (gate)
        behind->gates[behind->count++] = gate;
    return behind->is_queued = gate != NULL;
}

/* Whether the command is one to be held back here. A queue that holds others back has it come after these. */
static int look_ahead(struct behind *behind, PyObject *queue, const struct target *target, PyObject *wait_for)
{
    *behind = (struct behind){ .count = 0 };
    uint64_t word = see_word(target, NEEDS_PYTHON);
    return known.held && !target->is_unordered && !target->device && target->stream.read && word <= 1 && would_be_plain(queue)
        && is(target->timeline, name_has_native, FALSE_) && is(target->timeline, name_any_failed, FALSE_)
        && (!word || look_at_last(behind, queue)) && look_at_list(behind, wait_for, queue) && behind->count;
}

/* As Gate.__init__. */
static PyObject *new_gate(const struct behind *behind)
{
    PyObject *gate = PyType_GenericAlloc((PyTypeObject *)held_part(GATE_TYPE), 0), *hooks = PyList_New(0);
    PyObject *gates = tuple_of(behind->count, behind->gates);
    PyObject *reason = PyUnicode_InternFromString("");
    if (gate && !(hooks && gates && reason && set(gate, name_status, held_part(QUEUED)) && set(gate, name_behind, gates)
                  && set(gate, name_theirs, FALSE_) && set(gate, name_reason, reason) && set(gate, name__key, TRUE_)
                  && set(gate, name__hooks, hooks))) {
        Py_DecRef(gate);
        gate = NULL;
    }
    drop(reason);
    drop(gates);
    drop(hooks);
    return gate;
}

/* Whether it is still so that the queue holds that command back last, or none. */
static int is_behind(PyObject *queue, PyObject *deferred, const struct behind *behind)
{
    PyObject *last = get(queue, name__last_deferred);
    int is = last && (last == NONE || PySet_Size(deferred) == 0 ? !behind->is_queued
                                                                : behind->is_queued && peek(last, name_gate) == behind->gates[0]);
    drop(last);
    return is;
}

/* As CommandQueue._hold_back, where nothing of Python's runs between. */
static int enter_deferred(PyObject *queue, PyObject *event, const struct behind *behind, const struct target *target)
{
    PyObject *deferred = get(queue, name__deferred);
    int done = deferred && take_held_lock(queue);
    if (done) {
        done = is_behind(queue, deferred, behind) && !PySet_Add(deferred, event) && set(queue, name__last_deferred, event)
            && set(queue, name_needs_full_submit, TRUE_);
        if (done)
            tell_word(target, NEEDS_PYTHON, 1);
        give_held_lock(queue);
    }
    drop(deferred);
    return done;
}

/* A command that is about to be held back. */
struct holding {
    struct target *target;
    struct behind behind;
};

/* The event of a command that is held back; NULL, perhaps with an error, where Python is to see to it. `parts` are the `self` of its
   function from OF_PLACES on. */
static PyObject *hold(const struct holding *holding, PyObject *queue, PyObject *command_type, PyObject *const *parts, int count)
{
    const struct behind *behind = &holding->behind;
    struct target *target = holding->target;
    PyObject *all[MOST_PARTS] = { queue }, *zero = PyLong_FromSsize_t(0), *gate = new_gate(behind), *self = NULL, *hook = NULL;
    PyObject *event = zero ? new_event(queue, target, command_type, zero) : NULL;
    all[EVENT] = event;
    all[WAITS] = behind->waits;
    for (int i = OF_PLACES; i < count; i++)
        all[i] = parts[i - OF_PLACES];
    int held = event && gate && set(event, name_gate, gate) && (self = tuple_of(count, all))
        && (hook = held_function(self)) && enter_deferred(queue, event, behind, target);
    if (held && !put_behind(behind->gates[0], hook)) { /* without memory: it is issued now, or says what is wrong */
        forget_error();
        drop(PyObject_CallNoArgs(hook));
    }
    forget_error();
    drop(hook);
    drop(self);
    drop(gate);
    drop(zero);
    if (held)
        return event;
    drop(event);
    return NULL;
}

/* How the launch was checked that the plan was made from; NULL, perhaps with an error, where Python is to look. */
static PyObject *checked_launch(PyObject *kernel, const struct target *target, PyObject *const *sizes)
{
    PyObject *dimensions = is_tuple(sizes[0]) ? PyLong_FromSsize_t(PyTuple_Size(sizes[0])) : NULL;
    PyObject *range = dimensions ? tuple_of(4, (PyObject *[]){ dimensions, sizes[2], sizes[0], sizes[1] }) : NULL;
    PyObject *key = range ? tuple_of(2, (PyObject *[]){ target->serial, range }) : NULL, *checked = get(kernel, name_checked_launches);
    PyObject *launch = key && checked ? PyDict_GetItemWithError(checked, key) : NULL;
    if (launch)
        Py_IncRef(launch);
    drop(checked);
    drop(key);
    drop(range);
    drop(dimensions);
    return launch;
}

/* The plan's launch with the arguments of now; NULL, perhaps with an error, where it takes more than one call. */
static PyObject *frozen_now(PyObject *kernel, PyObject *queue, const struct target *target, PyObject *const *sizes)
{
    PyObject *plan = plan_of(kernel, queue, target, sizes, launch_type), *arguments = plan ? get(kernel, name_arguments) : NULL;
    PyObject *parameters = arguments ? get(arguments, name_native_parameters) : NULL, *frozen = NULL;
    PyObject *all = parameters ? tuple_of(3, (PyObject *[]){ plan, parameters, NONE }) : NULL;
    if (all && !((struct launch *)plan)->turn && !((struct launch *)plan)->memory)
        frozen = frozen_launch(NULL, all);
    drop(all);
    drop(parameters);
    drop(arguments);
    drop(plan);
    if (frozen != NONE)
        return frozen;
    drop(frozen);
    return NULL;
}

/* 0 where it is Python's; it is ended either way. */
static int begin_holding(struct holding *holding, PyObject *queue, PyObject *wait_for)
{
    *holding = (struct holding){ .target = known_target(queue) };
    return holding->target && look_ahead(&holding->behind, queue, holding->target, wait_for);
}

/* The event, if there is one. */
static PyObject *end_holding(struct holding *holding, PyObject *event)
{
    drop_behind(&holding->behind);
    drop((PyObject *)holding->target);
    forget_error();
    return event;
}

PyObject *hold_launch(PyObject *queue, PyObject *kernel, PyObject *const *sizes, PyObject *wait_for, PyObject *command_type)
{
    struct holding holding;
    PyObject *parts[] = { NULL, NULL }, *event = NULL;
    if (begin_holding(&holding, queue, wait_for) && (parts[0] = checked_launch(kernel, holding.target, sizes)) && parts[0] != NONE
        && (parts[1] = frozen_now(kernel, queue, holding.target, sizes)))
        event = hold(&holding, queue, command_type, parts, OF_LAUNCHES);
    drop(parts[0]);
    drop(parts[1]);
    return end_holding(&holding, event);
}

PyObject *hold_host_copy(PyObject *queue, const struct part *part, PyObject *host, int reads, PyObject *wait_for, PyObject *command_type)
{
    struct holding holding;
    Py_buffer memory;
    PyObject *event = NULL;
    if (begin_holding(&holding, queue, wait_for) && take_memory(host, &memory, reads ? PyBUF_WRITABLE : 0)) {
        const struct native_stream *stream = &holding.target->stream;
        uint64_t size = (uint64_t)memory.size;
        PyObject *numbers = numbers_of(3, (uintptr_t[]){ (uintptr_t)part->address, (uintptr_t)memory.memory, (uintptr_t)size });
        if (numbers && size && size <= part->size - part->start && size <= (reads ? stream->most_read : stream->most_written))
            event = hold(&holding, queue, command_type,
                         (PyObject *[]){ host, part->storage, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1),
                                         PyTuple_GetItem(numbers, 2), reads ? TRUE_ : FALSE_ }, OF_HOST_COPIES);
        drop(numbers);
        PyBuffer_Release(&memory);
    }
    return end_holding(&holding, event);
}

PyObject *hold_device_copy(PyObject *queue, const struct part *of, const struct part *to, uint64_t size, PyObject *wait_for,
                           PyObject *command_type)
{
    struct holding holding;
    PyObject *numbers = NULL, *event = NULL;
    if (begin_holding(&holding, queue, wait_for) && holding.target->stream.copy
        && (numbers = numbers_of(3, (uintptr_t[]){ (uintptr_t)of->address, (uintptr_t)to->address, (uintptr_t)size })))
        event = hold(&holding, queue, command_type,
                     (PyObject *[]){ of->storage, to->storage, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1),
                                     PyTuple_GetItem(numbers, 2) }, OF_COPIES);
    drop(numbers);
    return end_holding(&holding, event);
}

PyObject *hold_device_fill(PyObject *queue, const struct part *part, PyObject *pattern, uint64_t size, PyObject *wait_for,
                           PyObject *command_type)
{
    struct holding holding;
    Py_buffer memory;
    PyObject *event = NULL;
    if (begin_holding(&holding, queue, wait_for) && take_memory(pattern, &memory, 0)) {
        PyObject *bytes = can_fill(&holding.target->stream, (size_t)memory.size, part->start, size)
            ? PyBytes_FromStringAndSize(memory.memory, memory.size) : NULL; /* as they are now */
        PyObject *numbers = bytes ? numbers_of(2, (uintptr_t[]){ (uintptr_t)part->address, (uintptr_t)size }) : NULL;
        if (numbers)
            event = hold(&holding, queue, command_type,
                         (PyObject *[]){ part->storage, bytes, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1) }, OF_FILLS);
        drop(numbers);
        drop(bytes);
        PyBuffer_Release(&memory);
    }
    return end_holding(&holding, event);
}

PyObject *hold_place(PyObject *queue, PyObject *wait_for, PyObject *command_type)
{
    struct holding holding;
    PyObject *event = begin_holding(&holding, queue, wait_for) ? hold(&holding, queue, command_type, NULL, OF_PLACES) : NULL;
    return end_holding(&holding, event);
}

int prepare_held(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    HELD_NAMES(INTERN)
    return prepare_issues();
}
