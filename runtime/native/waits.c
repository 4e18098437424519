/* Waits for queues and events without Python's own steps, where nothing is held back: as CommandQueue, QueueStream and Event
   (runtime/queue) wait. Behind CommandQueue.finish Context.reclaim looks whether anything is to be freed. */
#include "calls.h"

/* Whether the attribute has no items; 0, perhaps with an error, where it has. */
static int is_empty(PyObject *object, PyObject *name)
{
    PyObject *items = get(object, name);
    int empty = items && PyObject_Size(items) == 0;
    drop(items);
    return empty;
}

/* Whether the stream is waited for by no more than that. */
static int is_plain(const struct target *target)
{
    return is_quiet(&target->stream) && is_empty(target->timeline, name__kept);
}

/* Whether there is no code in C of another kind that gives the stream commands (cl2cuda/opencl_icd/driver). */
static int is_alone(const struct target *target)
{
    return is(target->timeline, name_has_native, FALSE_);
}

/* Its commands have numbers, and what it has waited for is known. */
static int know_others(struct target *target)
{
    uint64_t reached;
    return (see_word(target, NATIVE) == target->others && read_word(target->timeline, name_reached, &reached)
        && see_word(target, GIVEN_ENDED) <= reached)
        || note_others(target);
}

/* Whether the stream's commands have ended, all that were given to it before; not where Python is to wait. */
static int wait_for_all(struct target *target)
{
    uint64_t reached;
    PyObject *position = PyObject_CallNoArgs(target->next_position);
    int ended = position && read_word(target->timeline, name_reached, &reached);
    /* Where the last number drawn was that up to which all have ended, none was given to the stream since. */
    if (ended && PyLong_AsUnsignedLongLong(position) != reached + 1) {
        uint32_t flag = take_flag(target, position);
        PyThreadState *state = PyEval_SaveThread();
        ended = wait_for_all_by(&target->stream, flag);
        PyEval_RestoreThread(state);
    }
    ended = ended && reach(target, position);
    drop(position);
    return ended;
}

/* Whether the queue of this target holds nothing back, and has its stream. That its commands take times does not matter. */
static int is_open_queue(PyObject *queue, const struct target *target)
{
    return !see_word(target, NEEDS_PYTHON) || (is_empty(queue, name__deferred) && is(queue, name_closed, FALSE_));
}

/* The same for all streams of the queue. */
static int wait_for_queue(PyObject *queue)
{
    struct target *first = known_target(queue);
    int ended = first && is_open_queue(queue, first);
    PyObject *targets = NULL;
    if (ended && first->is_unordered)
        ended = (targets = get(queue, name_native_targets)) != NULL;
    for (Py_ssize_t i = 0; ended && i < (targets ? PyTuple_Size(targets) : 1); i++) {
        struct target *target = targets ? (struct target *)PyTuple_GetItem(targets, i) : first;
        ended = enter_stream(&target->stream) && is_plain(target) && know_others(target) && wait_for_all(target);
    }
    drop(targets);
    drop((PyObject *)first);
    return ended;
}

/* Whether there is little to be freed: a few pieces of little memory, with which the next ones go, and nothing that somebody waits for. */
static int has_little(PyObject *context)
{
    enum { FEW = 8 }; /* ALLOCATIONS of context/reclaim.py */
    PyObject *reclaimer = get(context, name__reclaimer), *noted = reclaimer ? get(reclaimer, name_noted) : NULL;
    int little = noted && PyObject_Size(noted) < FEW && is_empty(reclaimer, name_retired) && PyObject_Size(known.leftovers) == 0
        && !presses(context) && is_empty(reclaimer, name_awaited);
    drop(noted);
    drop(reclaimer);
    return little;
}

/* Frees what waits for that, if it is more than little. */
static int reclaim(PyObject *context)
{
    if (has_little(context))
        return 1;
    forget_error();
    PyObject *none = by_method(context, name_reclaim, NULL, 0, NULL);
    drop(none);
    return none != NULL;
}

/* CommandQueue.finish */
static PyObject *finish(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *queue = !count && !names ? get(self, name__core) : NULL, *context = NULL;
    int ended = queue && wait_for_queue(queue) && (context = get(queue, name_context));
    int done = ended && reclaim(context);
    drop(context);
    drop(queue);
    if (ended && !done)
        return NULL;
    if (done) {
        Py_IncRef(NONE);
        return NONE;
    }
    forget_error();
    return by_method(self, name__finish_in_python, arguments, count, names);
}

static PyMethodDef definition = { "finish", finish, METH_FASTCALL | METH_KEYWORDS, "finish($self)\n--\n\nWaits for every command." };

/* As QueueStream.flush of all streams of the queue: asked for, they are handed over. */
static int flush_queue(PyObject *queue)
{
    struct target *first = known_target(queue);
    PyObject *targets = first && first->is_unordered ? get(queue, name_native_targets) : NULL;
    int done = first && is_open_queue(queue, first) && (!first->is_unordered || targets);
    for (Py_ssize_t i = 0; done && i < (targets ? PyTuple_Size(targets) : 1); i++) {
        struct target *target = targets ? (struct target *)PyTuple_GetItem(targets, i) : first;
        uint64_t drawn;
        int status = 0;
        done = is_open(&target->stream);
        if (done && !(is_alone(target) && is_quiet_now(target, &drawn)))
            status = ask_stream(&target->stream);
        done = done && (!status || status == NOT_READY);
    }
    drop(targets);
    drop((PyObject *)first);
    return done;
}

/* CommandQueue.flush */
static PyObject *flush(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *queue = !count && !names ? get(self, name__core) : NULL;
    int done = queue && flush_queue(queue);
    drop(queue);
    forget_error();
    if (!done)
        return by_method(self, name__flush_in_python, arguments, count, names);
    Py_IncRef(NONE);
    return NONE;
}

static PyMethodDef flush_definition = { "flush", flush, METH_FASTCALL | METH_KEYWORDS,
                                        "flush($self)\n--\n\nHands what was enqueued to the device." };

/* Waits for all that the stream was given before the position was drawn: by Python where that takes long. 0 where it fails, which the same
   command in Python says. */
static int wait_up_to(const struct target *target, PyObject *position, wait_for_all_given *wait)
{
    PyThreadState *state = PyEval_SaveThread();
    int ended = wait(&target->stream);
    PyEval_RestoreThread(state);
    if (ended)
        return reach(target, position);
    PyObject *method = get(target->timeline, name_synchronize_to), *none = method ? PyObject_CallFunction(method, "O", position) : NULL;
    drop(method);
    drop(none);
    return none != NULL;
}

PyObject *waited_for(const struct target *target, PyObject *position, wait_for_all_given *wait)
{
    if (!position || !wait || wait_up_to(target, position, wait))
        return position;
    Py_DecRef(position);
    forget_error();
    return NULL;
}

PyObject *position_of(const struct target *target, enum outcome outcome, PyObject *position, int waits)
{
    if (outcome == HAS_ENDED && position && reach(target, position))
        return position;
    drop(position);
    return outcome == WAS_GIVEN ? waited_for(target, next_position(target), waits ? wait_for_given : NULL) : NULL;
}

/* finisher(CommandQueue): see library.py */
PyObject *finisher(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &definition);
}

/* flusher(CommandQueue): see library.py */
PyObject *flusher(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &flush_definition);
}

/* As QueueStream.poll_completed: whether the command at the position is the last one of the stream, and has ended after a short wait. */
static int poll_completed(struct target *target, uint64_t position)
{
    struct native_stream stream = target->stream;
    PyObject *number = PyObject_CallNoArgs(target->next_position);
    uint64_t drawn = number ? PyLong_AsUnsignedLongLong(number) : 0, in_vain;
    int ended = drawn == position + 1
        || (drawn == position + 2 && read_word(target->timeline, name__in_vain, &in_vain) && in_vain == position + 1);
    if (ended) {
        if (stream.poll_ns > ALONE_NS) /* Longer others might give it commands. */
            stream.poll_ns = ALONE_NS;
        uint32_t flag = take_flag(target, number);
        PyThreadState *state = PyEval_SaveThread();
        ended = wait_for_all_by(&stream, flag);
        PyEval_RestoreThread(state);
    }
    if (ended)
        ended = reach(target, number);
    else if (number)
        set(target->timeline, name__in_vain, number);
    drop(number);
    return ended;
}

/* Whether the runtime's event has ended; not where Python is to wait. Who only lets go of something has the thread keep its context. */
static int wait_for_event(PyObject *event, PyObject *queue, int lets_go)
{
    if (event_has_ended(event))
        return 1;
    struct target *first = known_target(queue), *target = NULL;
    PyObject *timeline = first ? get(event, name_timeline) : NULL;
    uint64_t position;
    int ended = timeline && (target = target_with(queue, timeline)) && target->timeline == timeline && was_given(event)
        && is(timeline, name_any_failed, FALSE_) && read_word(event, name_position, &position) && position
        && is_open_queue(queue, first) && (lets_go ? is_open : enter_stream)(&target->stream) && is_plain(target) && is_alone(target)
        && (see_word(target, GIVEN) > position ? wait_behind_others(target, event, position) : poll_completed(target, position));
    drop(timeline);
    drop((PyObject *)target);
    drop((PyObject *)first);
    return ended;
}

/* Event.wait */
static PyObject *wait(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *event = !count && !names ? get(self, name__core) : NULL;
    PyObject *queue = event ? get(event, name_queue) : NULL;
    int ended = queue && wait_for_event(event, queue, 0);
    drop(queue);
    drop(event);
    if (ended) {
        Py_IncRef(NONE);
        return NONE;
    }
    forget_error();
    return by_method(self, name__wait_in_python, arguments, count, names);
}

/* NannyEvent.wait: it lets go of the host's memory. */
static PyObject *wait_and_let_go(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *none = wait(self, arguments, count, names);
    if (!none || set(self, name__ward, NONE))
        return none;
    Py_DecRef(none);
    return NULL;
}

/* NannyEvent.__del__: waits where the transfer may use the host's memory. */
static PyObject *let_go(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *ward = get(self, name__ward), *event = NULL, *queue = NULL; /* it has none where it was not made as a whole */
    int done = !ward || ward == NONE
        || ((event = get(self, name__core)) && (queue = get(event, name_queue)) && wait_for_event(event, queue, 1));
    drop(queue);
    drop(event);
    drop(ward);
    forget_error();
    if (!done)
        return by_method(self, name__let_go_in_python, arguments, count, names);
    Py_IncRef(NONE);
    return NONE;
}

/* Whether all events of the list have ended, which are of one queue: mostly they are in the order of their commands. */
static int wait_for_list(PyObject *list)
{
    int is_list = (void *)list->type == (void *)&PyList_Type;
    Py_ssize_t count = is_list ? PyList_Size(list) : is_tuple(list) ? PyTuple_Size(list) : 0;
    PyObject *queue = NULL;
    int ended = count > 0;
    for (Py_ssize_t i = count; ended && i--;) {
        PyObject *handle = is_list ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i), *event = NULL, *its_queue = NULL;
        if (handle) /* Else another thread has made the list shorter. */
            Py_IncRef(handle);
        ended = handle && (event = get(handle, name__core)) && (its_queue = get(event, name_queue))
            && (!queue || queue == its_queue) && wait_for_event(event, its_queue, 0);
        drop(queue);
        queue = its_queue;
        drop(event);
        drop(handle);
    }
    drop(queue);
    return ended;
}

/* wait_for_events(events); `self` is the function in Python. */
static PyObject *wait_for_events(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    if (count == 1 && !names && wait_for_list(arguments[0])) {
        Py_IncRef(NONE);
        return NONE;
    }
    forget_error();
    return by_python(self, arguments, count, names);
}

static PyMethodDef wait_definition = {
    "wait", wait, METH_FASTCALL | METH_KEYWORDS, "wait($self)\n--\n\nWaits for the command; raises if it ended with an error." };
static PyMethodDef list_definition = {
    "wait_for_events", wait_for_events, METH_FASTCALL | METH_KEYWORDS, "wait_for_events(events)\n--\n\nWaits for all of them." };

static PyMethodDef nanny_definitions[] = {
    { "wait", wait_and_let_go, METH_FASTCALL | METH_KEYWORDS,
      "wait($self)\n--\n\nWaits for the command; raises if it ended with an error." },
    { "__del__", let_go, METH_FASTCALL | METH_KEYWORDS, "__del__($self)\n--\n\nWaits while the transfer may use the host's memory." },
};

/* nanny_methods(NannyEvent): see library.py */
PyObject *nanny_methods(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *waits = method_of(arguments, &nanny_definitions[0]);
    return both_of(waits, waits ? method_of(arguments, &nanny_definitions[1]) : NULL);
}

/* waiter(Event): see library.py */
PyObject *waiter(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &wait_definition);
}

/* list_waiter(function, module's name): see library.py */
PyObject *list_waiter(PyObject *module, PyObject *arguments)
{
    PyObject *function, *name;
    (void)module;
    return PyArg_ParseTuple(arguments, "OO", &function, &name) ? PyCFunction_NewEx(&list_definition, function, name) : NULL;
}
