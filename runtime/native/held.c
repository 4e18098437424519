/* Commands behind user events that are not set, in queues in order of one device's contexts, without Python's own steps: launches with the
   arguments of then, and little writes that nobody waits for, and what comes after them in their queue. As CommandQueue.hold and
   DeferredCommands (runtime/queue/deferred.py), whose gates they have; whatever is out of the ordinary Python holds back, or issues. */
#include "held.h"
#include "launches.h"

#define DEFINE(name) static PyObject *name_##name;
#define HELD_NAMES(N) \
    N(recorder) N(ranges) N(timed) N(_last_deferred) N(needs_full_submit) N(_lock) N(behind) N(reason) N(theirs) N(_active) \
    N(checked_launches) N(arguments) N(native_parameters) N(_done_with)
HELD_NAMES(DEFINE)

/* What `known.held` has (deferred.py): the class Gate, its first status, what issues in Python what is held here, and the module of the
   debug mode. */
enum { GATE_TYPE, QUEUED, ISSUE_IN_PYTHON, DEBUG_MODE };

/* A command that is held back is a function, whose `self` has the runtime's queue, event and wait list, and of a launch how it is
   checked, and made with the arguments of then; of a write the host's object, the storage, the address there and the host's, and how
   many bytes. */
enum { QUEUE, EVENT, WAITS, LAUNCH, FROZEN, OF_LAUNCHES, HOST = LAUNCH, STORAGE, MEMORY, ADDRESS, SIZE, OF_WRITES };

static PyObject *issue_held(PyObject *self, PyObject *none);
static PyMethodDef of_held = { "issue", issue_held, METH_NOARGS, NULL };
static PyTypeObject *function_type; /* of those */

/* What the thread has to issue yet, while it issues something: a chain of commands may be longer than a stack is deep. */
static __thread PyObject *due;

static PyObject *part(int which)
{
    return PyTuple_GetItem(known.held, which);
}

/* Whether the queue would be plain but for commands that it holds back. */
static int is_plain_queue(PyObject *queue)
{
    return is(queue, name_closed, FALSE_) && is(queue, name_timed, FALSE_) && is(queue, name_recorder, NONE) && is(queue, name_ranges, NONE)
        && is(part(DEBUG_MODE), name__active, FALSE_);
}

/* The lock of the queue's held commands: whether it is taken, which another thread may have. */
static int take_lock(PyObject *queue)
{
    PyObject *lock = get(queue, name__lock), *taken = lock ? PyObject_CallMethod(lock, "acquire", "i", 0) : NULL;
    drop(taken);
    drop(lock);
    return taken == TRUE_;
}

static void give_lock(PyObject *queue)
{
    PyObject *lock = get(queue, name__lock);
    drop(lock ? PyObject_CallMethod(lock, "release", NULL) : NULL);
    drop(lock);
}

/* Opening. */

/* Takes the gate's hooks, where all are of commands that are held here. NULL, perhaps with an error, where Python is to call them. */
static PyObject *take_hooks(PyObject *gate)
{
    PyObject *hooks = get(gate, name__hooks), *taken = NULL;
    Py_ssize_t count = hooks ? PyList_Size(hooks) : 0, ours = 0;
    while (ours < count && PyList_GetItem(hooks, ours)->type == function_type)
        ours++;
    if (hooks && ours == count && (taken = PyList_GetSlice(hooks, 0, count)) && PyList_SetSlice(hooks, 0, count, NULL)) {
        drop(taken);
        taken = NULL;
    }
    drop(hooks);
    return taken;
}

/* Calls what is due until nothing is. */
static void call_all(PyObject *hooks)
{
    due = hooks;
    for (Py_ssize_t i = 0; i < PyList_Size(hooks); i++) {
        PyObject *hook = PyList_GetItem(hooks, i), *none;
        Py_IncRef(hook);
        none = PyObject_CallNoArgs(hook);
        drop(none);
        Py_DecRef(hook);
        forget_error();
    }
    due = NULL;
}

/* Those of a gate that has just opened, behind all that the thread has to call already. */
int call_hooks(PyObject *gate)
{
    PyObject *hooks = take_hooks(gate);
    if (!hooks) {
        forget_error();
        PyObject *none = by_method(gate, name__call_hooks, NULL, 0, NULL);
        drop(none);
        return none != NULL;
    }
    if (!due)
        call_all(hooks);
    else if (PyList_SetSlice(due, PyList_Size(due), PyList_Size(due), hooks))
        forget_error();
    drop(hooks);
    return 1;
}

/* As Gate.open. */
static void open_gate(PyObject *gate)
{
    PyObject *zero = PyLong_FromSsize_t(0), *nothing = PyTuple_New(0);
    if (zero && nothing && set(gate, name__key, NULL) && set(gate, name_status, zero) && set(gate, name_behind, nothing))
        call_hooks(gate);
    drop(zero);
    drop(nothing);
}

/* Issuing. */

/* Whether the command of the list's event has not failed, as far as that is known; else Python is asked. */
static int is_well(PyObject *event, PyObject *queue)
{
    long long status = 0;
    if ((PyObject *)event->type == known.user_event)
        return read_status(event, &status) && !status;
    PyObject *gate = get(event, name_gate);
    int well = gate && (gate == NONE || (read_status(gate, &status) && !status)) && is(event, name_queue, queue);
    drop(gate);
    return well;
}

static int are_well(PyObject *waits, PyObject *queue)
{
    int well = 1;
    for (Py_ssize_t i = 0; well && i < PyTuple_Size(waits); i++)
        well = is_well(PyTuple_GetItem(waits, i), queue);
    return well;
}

/* Whether CUDA was given the contents, from where they were. */
static int write_held(PyObject *self, const struct target *target)
{
    const uint64_t memory = PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, MEMORY));
    Py_buffer host;
    if (!take_memory(PyTuple_GetItem(self, HOST), &host, 0))
        return 0;
    int given = (uintptr_t)host.memory == PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, ADDRESS))
        && (uint64_t)host.size == PyLong_AsUnsignedLongLong(PyTuple_GetItem(self, SIZE));
    if (given) {
        PyThreadState *state = PyEval_SaveThread();
        given = write_now(&target->stream, memory, host.memory, (size_t)host.size, 0);
        PyEval_RestoreThread(state);
    }
    PyBuffer_Release(&host);
    return given;
}

/* Whether the stream has been given the command, whose event has its place then. */
static int give_held(PyObject *self, struct target *target)
{
    PyObject *queue = PyTuple_GetItem(self, QUEUE), *event = PyTuple_GetItem(self, EVENT), *position = NULL;
    int given = is_plain_queue(queue) && is(target->timeline, name_has_native, FALSE_) && is(target->timeline, name_any_failed, FALSE_)
        && are_well(PyTuple_GetItem(self, WAITS), queue) && enter_stream(&target->stream)
        && (PyTuple_Size(self) == OF_LAUNCHES ? !launch_frozen((struct launch *)PyTuple_GetItem(self, FROZEN), target)
                                              : write_held(self, target));
    /* The event has its place before it is known to be issued. */
    given = given && (position = draw_position(target)) && set(event, name_position, position);
    if (given)
        position = after_position(target, position);
    drop(position);
    forget_error();
    return given;
}

/* As DeferredCommands._done_with, of a command that was issued. */
static int note_issued(PyObject *queue, PyObject *event, const struct target *target)
{
    PyObject *deferred = get(queue, name__deferred);
    int done = deferred && take_lock(queue);
    if (done) {
        done = is_plain_queue(queue) && PySet_Discard(deferred, event) >= 0;
        if (done && !PySet_Size(deferred)) {
            tell_word(target, NEEDS_PYTHON, 0);
            set(queue, name__last_deferred, NONE);
            set(queue, name_needs_full_submit, FALSE_);
        }
        give_lock(queue);
    }
    drop(deferred);
    forget_error();
    return done;
}

static void end_issued(PyObject *queue, PyObject *event, const struct target *target)
{
    PyObject *gate = get(event, name_gate);
    if (gate && note_issued(queue, event, target))
        open_gate(gate);
    else if (gate)
        drop(PyObject_CallMethod(queue, "_done_with", "OOi", event, gate, 0));
    drop(gate);
}

static PyObject *issue_held(PyObject *self, PyObject *none)
{
    PyObject *queue = PyTuple_GetItem(self, QUEUE);
    struct target *target = known_target(queue);
    (void)none;
    if (target && give_held(self, target))
        end_issued(queue, PyTuple_GetItem(self, EVENT), target);
    else
        drop(PyObject_Call(part(ISSUE_IN_PYTHON), self, NULL));
    drop((PyObject *)target);
    if (PyErr_Occurred())
        return NULL;
    Py_IncRef(NONE);
    return NONE;
}

/* Holding back. */

/* What a command comes behind, for `hold`. */
struct behind {
    PyObject *waits; /* the runtime's events */
    PyObject *gate;  /* which is shut */
};

static void drop_behind(struct behind *behind)
{
    drop(behind->waits);
    drop(behind->gate);
}

/* The user event of the context that is not set, which the queue's command waits for; NULL for any other event. */
static int is_shut_user_event(PyObject *event, PyObject *queue)
{
    PyObject *context = get(queue, name_context);
    long long status;
    int is_one = context && (PyObject *)event->type == known.user_event && is(event, name__context, context)
        && read_status(event, &status) && status > 0;
    drop(context);
    return is_one;
}

/* Also one that is held back, which comes before. */
static int is_of_queue(PyObject *event, PyObject *queue)
{
    return (PyObject *)event->type != known.user_event && is(event, name_queue, queue);
}

/* Whether the wait list is one of the queue's own events, and of at most one user event, which is the gate. */
static int look_at_list(struct behind *behind, PyObject *wait_for, PyObject *queue)
{
    Py_ssize_t count = length_of(wait_for);
    PyObject *waits = count >= 0 ? PyTuple_New(count) : NULL;
    int plain = waits != NULL;
    for (Py_ssize_t i = 0; plain && i < count; i++) {
        PyObject *event = event_at(wait_for, i);
        if (event && !behind->gate && is_shut_user_event(event, queue))
            Py_IncRef(behind->gate = event);
        else
            plain = event && (is_of_queue(event, queue) || is_well(event, queue));
        if (event && PyTuple_SetItem(waits, i, event))
            plain = 0;
    }
    behind->waits = waits;
    return plain;
}

/* Whether the queue holds the last command back by a gate, behind which the next one comes. */
static int look_at_last(struct behind *behind, PyObject *queue)
{
    PyObject *last = get(queue, name__last_deferred);
    long long status;
    int is_shut = last && last != NONE && (behind->gate = get(last, name_gate)) && behind->gate != NONE
        && read_status(behind->gate, &status) && status > 0;
    drop(last);
    return is_shut;
}

/* Whether the command is one to be held back here. A queue that holds others back has it come after these. */
static int look_ahead(struct behind *behind, PyObject *queue, const struct target *target, PyObject *wait_for)
{
    *behind = (struct behind){ NULL, NULL };
    uint64_t word = see_word(target, NEEDS_PYTHON);
    int is_ours = known.held && !target->is_unordered && !target->device && target->stream.read && word <= 1 && is_plain_queue(queue)
        && is(target->timeline, name_has_native, FALSE_) && is(target->timeline, name_any_failed, FALSE_)
        && look_at_list(behind, wait_for, queue);
    return is_ours && (word ? !behind->gate && look_at_last(behind, queue) : behind->gate != NULL);
}

/* As Gate.__init__. */
static PyObject *new_gate(PyObject *behind)
{
    PyObject *gate = PyType_GenericAlloc((PyTypeObject *)part(GATE_TYPE), 0), *hooks = PyList_New(0), *gates = tuple_of(1, &behind);
    PyObject *reason = PyUnicode_InternFromString("");
    if (gate && !(hooks && gates && reason && set(gate, name_status, part(QUEUED)) && set(gate, name_behind, gates)
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

/* Whether it is still so that the command comes behind that gate alone. */
static int is_behind(PyObject *queue, PyObject *deferred, PyObject *gate)
{
    PyObject *last = get(queue, name__last_deferred);
    int is = last && (last == NONE || PySet_Size(deferred) == 0 ? (PyObject *)gate->type == known.user_event
                                                                : peek(last, name_gate) == gate);
    drop(last);
    return is;
}

/* As CommandQueue._hold_back, where nothing of Python's runs between. */
static int enter_deferred(PyObject *queue, PyObject *event, PyObject *gate, const struct target *target)
{
    PyObject *deferred = get(queue, name__deferred);
    int done = deferred && take_lock(queue);
    if (done) {
        done = is_behind(queue, deferred, gate) && !PySet_Add(deferred, event) && set(queue, name__last_deferred, event)
            && set(queue, name_needs_full_submit, TRUE_);
        if (done)
            tell_word(target, NEEDS_PYTHON, 1);
        give_lock(queue);
    }
    drop(deferred);
    return done;
}

/* As Opening.when_open: whether it is there, or was called. */
static int put_behind(PyObject *gate, PyObject *hook)
{
    PyObject *hooks = get(gate, name__hooks);
    long long status;
    int is_there = hooks && !PyList_Append(hooks, hook);
    drop(hooks);
    if (is_there && read_status(gate, &status) && status <= 0) /* Another thread has opened it. */
        call_hooks(gate);
    return is_there;
}

/* The event of a command that is held back; NULL, perhaps with an error, where Python is to see to it. `parts` are the `self` of its
   function from LAUNCH on. */
static PyObject *hold(const struct behind *behind, PyObject *queue, struct target *target, PyObject *command_type, PyObject *const *parts,
                      int count)
{
    PyObject *all[OF_WRITES] = { queue }, *zero = PyLong_FromSsize_t(0), *gate = new_gate(behind->gate), *self = NULL, *hook = NULL;
    PyObject *event = zero ? new_event(queue, target, command_type, zero) : NULL;
    all[EVENT] = event;
    all[WAITS] = behind->waits;
    for (int i = LAUNCH; i < count; i++)
        all[i] = parts[i - LAUNCH];
    int held = event && gate && set(event, name_gate, gate) && (self = tuple_of(count, all))
        && (hook = PyCFunction_NewEx(&of_held, self, NULL)) && enter_deferred(queue, event, behind->gate, target);
    if (held && !put_behind(behind->gate, hook)) { /* without memory: it is issued now, or says what is wrong */
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

PyObject *hold_launch(PyObject *queue, PyObject *kernel, PyObject *const *sizes, PyObject *wait_for, PyObject *command_type)
{
    struct target *target = known_target(queue);
    struct behind behind = { NULL, NULL };
    PyObject *parts[] = { NULL, NULL }, *event = NULL;
    if (target && look_ahead(&behind, queue, target, wait_for) && (parts[0] = checked_launch(kernel, target, sizes)) && parts[0] != NONE
        && (parts[1] = frozen_now(kernel, queue, target, sizes)))
        event = hold(&behind, queue, target, command_type, parts, OF_LAUNCHES);
    drop(parts[0]);
    drop(parts[1]);
    drop_behind(&behind);
    drop((PyObject *)target);
    forget_error();
    return event;
}

PyObject *hold_write(PyObject *queue, const struct part *part, PyObject *host, PyObject *wait_for, PyObject *command_type)
{
    struct target *target = known_target(queue);
    struct behind behind = { NULL, NULL };
    Py_buffer memory;
    PyObject *event = NULL;
    if (target && part->storage && look_ahead(&behind, queue, target, wait_for) && take_memory(host, &memory, 0)) {
        uint64_t size = (uint64_t)memory.size;
        PyObject *numbers = numbers_of(3, (uintptr_t[]){ (uintptr_t)part->address, (uintptr_t)memory.memory, (uintptr_t)size });
        if (numbers && size && size <= part->size - part->start && size <= target->stream.most_written)
            event = hold(&behind, queue, target, command_type,
                         (PyObject *[]){ host, part->storage, PyTuple_GetItem(numbers, 0), PyTuple_GetItem(numbers, 1),
                                         PyTuple_GetItem(numbers, 2) }, OF_WRITES);
        drop(numbers);
        PyBuffer_Release(&memory);
    }
    drop_behind(&behind);
    drop((PyObject *)target);
    forget_error();
    return event;
}

int prepare_held(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    HELD_NAMES(INTERN)
    PyObject *one = PyCFunction_NewEx(&of_held, NULL, NULL);
    function_type = one ? one->type : NULL;
    drop(one);
    return function_type != NULL;
}
