/* What a command comes after that other streams have: events of other queues of the context, and in a queue that is out of order what
   OutOfOrderQueue._timeline_for (runtime/queue/out_of_order.py) sees to. One stream waits for another by a CUDA event, which each target
   has one of: whoever waits for it waits for what was recorded last at that time, so it can be recorded anew at once. */
#include "calls.h"

typedef int wait_for_event(void *stream, void *event, unsigned flags);

/* How many later commands may be waited for in vain, as in stream_timeline.py: of more, Python sees to it that there are fences. */
enum { LATE = 4 };

Py_ssize_t length_of(PyObject *list)
{
    return list == NONE ? 0 : is_tuple(list) ? PyTuple_Size(list) : (void *)list->type == (void *)&PyList_Type ? PyList_Size(list) : -1;
}

PyObject *event_at(PyObject *list, Py_ssize_t place)
{
    PyObject *handle = is_tuple(list) ? PyTuple_GetItem(list, place) : PyList_GetItem(list, place), *event = NULL;
    if (handle) { /* Else another thread has made the list shorter. */
        Py_IncRef(handle);
        event = get(handle, name__core);
        Py_DecRef(handle);
    }
    return event;
}

struct target *target_with(PyObject *queue, PyObject *timeline)
{
    struct target *first = known_target(queue), *found = NULL;
    if (!first || first->timeline == timeline)
        return first;
    PyObject *all = first->is_unordered ? get(queue, name_native_targets) : NULL;
    for (Py_ssize_t i = 0; all && !found && i < PyTuple_Size(all); i++) {
        struct target *target = (struct target *)PyTuple_GetItem(all, i);
        if (target->timeline == timeline) {
            found = target;
            Py_IncRef((PyObject *)target);
        }
    }
    drop(all);
    drop((PyObject *)first);
    return found;
}

/* The fence that the timeline keeps; NULL, perhaps with an error, where there is none. */
static PyObject *kept_mark(const struct target *target)
{
    PyObject *kept = get(target->timeline, name_mark);
    if (kept != NONE)
        return kept;
    drop(kept);
    return NULL;
}

/* The timeline's CUDA event for that: a fence of Python's, which the timeline keeps for queues that have it later, and for code in C of
   another kind. While Python makes one another thread may. */
static int make_mark(struct target *target)
{
    PyObject *made = kept_mark(target), *new = made ? NULL : new_fence(target, FALSE_);
    uint64_t event = 0;
    if (new && !(made = kept_mark(target)) && set(target->timeline, name_mark, new))
        Py_IncRef(made = new);
    drop(new);
    if (made && read_word(made, name_event, &event) && event && !target->mark) {
        target->mark = made;
        target->mark_event = event;
        made = NULL;
    }
    drop(made);
    return target->mark != NULL;
}

/* What the stream gets from now on comes after all that the other one has been given up to the position, and all that had a number before
   that one was drawn. 0 where Python is to see to it. */
static int come_after(struct target *target, struct target *other, uint64_t position)
{
    const struct native_stream *stream = &target->stream, *before = &other->stream;
    if (before->query && !before->read) /* Commands have ended when they return. */
        return 1;
    if (see_word(other, GIVEN) > position + LATE || !before->record || !stream->wait || before->context != stream->context || !is_open(stream)
        || (!other->mark && !make_mark(other)))
        return 0;
    void *event = (void *)(uintptr_t)other->mark_event;
    int records = position > other->marked, status = 0;
    uint64_t given = see_word(other, GIVEN);
    PyThreadState *state = PyEval_SaveThread();
    if (records)
        status = ((record_event *)(uintptr_t)before->record)(event, handle_of(before));
    if (!status)
        status = ((wait_for_event *)(uintptr_t)stream->wait)(handle_of(stream), event, 0);
    PyEval_RestoreThread(state);
    given = given > position ? given : position;
    if (records && !status && given > other->marked)
        other->marked = given;
    return !status;
}

/* The same for an event of another stream of the context. */
static int come_after_event(struct target *target, PyObject *queue, PyObject *event, PyObject *timeline)
{
    PyObject *its_queue = get(event, name_queue), *context = get(queue, name_context);
    struct target *other = NULL;
    uint64_t position, reached;
    int done = 0;
    if (its_queue && context && its_queue != NONE && is(its_queue, name_context, context) && is(event, name_fence, NONE)
        && read_word(event, name_position, &position) && read_word(timeline, name_reached, &reached)
        && (other = target_with(its_queue, timeline)))
        done = position <= reached || (target->given.is_behind_others = come_after(target, other, position));
    drop((PyObject *)other);
    drop(context);
    drop(its_queue);
    return done;
}

int come_after_issued(struct target *target, PyObject *queue, PyObject *event)
{
    PyObject *timeline = get(event, name_timeline);
    int done = timeline && timeline != NONE && is(timeline, name_any_failed, FALSE_)
        && (timeline == target->timeline || come_after_event(target, queue, event, timeline));
    drop(timeline);
    return done;
}

/* Whether the event at that place of the list is one of the stream's own, which is in its turn, as far as slots tell: what PyOpenCL's
   arrays wait for is a dozen of those. */
static int is_own(PyObject *list, Py_ssize_t place, PyObject *timeline)
{
    PyObject *handle = is_tuple(list) ? PyTuple_GetItem(list, place) : PyList_GetItem(list, place);
    PyObject *event = handle ? peek(handle, name__core) : NULL;
    return event && peek(event, name_timeline) == timeline && peek(event, name_gate) == NONE;
}

int read_status(PyObject *gate, long long *status)
{
    PyObject *found = get(gate, name_status);
    int is_number = found && is_int(found);
    *status = is_number ? PyLong_AsLongLong(found) : 0;
    drop(found);
    return is_number && !PyErr_Occurred();
}

/* Whether it is a user event, and of them whether it is one of the queue's context that is set to go on. */
static int is_user_event(PyObject *event)
{
    return event && (PyObject *)event->type == known.user_event;
}

static int is_complete(PyObject *event, PyObject *queue)
{
    PyObject *context = get(queue, name_context);
    long long status;
    int complete = context && is(event, name__context, context) && read_status(event, &status) && !status;
    drop(context);
    return complete;
}

int are_held_back(PyObject *wait_for)
{
    int held = 0;
    for (Py_ssize_t i = 0, count = length_of(wait_for); !held && i < count; i++) {
        PyObject *event = event_at(wait_for, i), *gate = event && !is_user_event(event) ? get(event, name_gate) : NULL;
        long long status;
        held = is_user_event(event) ? !read_status(event, &status) || status : gate != NONE;
        drop(gate);
        drop(event);
    }
    forget_error();
    return held;
}

int put_after(PyObject *wait_for, PyObject *queue, struct target *target)
{
    Py_ssize_t count = length_of(wait_for);
    int plain = count >= 0, is_in_turn = count > 0 && is(target->timeline, name_any_failed, FALSE_);
    for (Py_ssize_t i = 0; plain && i < count; i++) {
        if (is_in_turn && is_own(wait_for, i, target->timeline))
            continue;
        PyObject *event = event_at(wait_for, i), *timeline = event && !is_user_event(event) ? get(event, name_timeline) : NULL;
        plain = is_user_event(event) ? is_complete(event, queue)
            : timeline && is(event, name_gate, NONE) && is(timeline, name_any_failed, FALSE_) && (timeline == target->timeline || come_after_event(target, queue, event, timeline));
        drop(timeline);
        drop(event);
    }
    forget_error();
    return plain;
}

int is_quiet_timeline(PyObject *timeline, PyObject *next_position, uint64_t *drawn)
{
    PyObject *number = PyObject_CallNoArgs(next_position);
    uint64_t reached;
    int ended = 0;
    if (number && read_word(timeline, name_reached, &reached)) {
        ended = (*drawn = PyLong_AsUnsignedLongLong(number)) == reached + 1;
        set(timeline, ended ? name_reached : name__in_vain, number);
    }
    drop(number);
    return ended;
}

int is_quiet_now(struct target *target, uint64_t *drawn)
{
    return is_quiet_timeline(target->timeline, target->next_position, drawn);
}

/* Whether all that the queue has given to the stream is known to have ended. */
static int has_nothing_left(const struct target *target)
{
    uint64_t last, reached;
    return read_word(target->timeline, name_last, &last) && read_word(target->timeline, name_reached, &reached) && last <= reached;
}

static int is_known_to_rest(const struct target *target)
{
    return has_nothing_left(target) && is_open(&target->stream);
}

/* A stream that comes after all the queue has been given: the only one that may not have come to its end, or one that waits for the
   others. */
static struct target *behind_all(PyObject *targets)
{
    Py_ssize_t count = PyTuple_Size(targets);
    struct target *chosen = count == 1 ? (struct target *)PyTuple_GetItem(targets, 0) : NULL;
    for (Py_ssize_t i = 0; count > 1 && i < count; i++) {
        struct target *target = (struct target *)PyTuple_GetItem(targets, i);
        uint64_t drawn = 0;
        if (has_nothing_left(target) || is_quiet_now(target, &drawn))
            continue;
        if (!chosen)
            chosen = target;
        else if (!(chosen->given.is_behind_others = come_after(chosen, target, drawn)))
            return NULL;
    }
    return chosen ? chosen : (struct target *)PyTuple_GetItem(targets, 0);
}

/* Of the queue's streams in a tuple, for `choose_stream`. */
static struct target *target_at(void *targets, int which)
{
    return (struct target *)PyTuple_GetItem(targets, which);
}

static int rests(void *targets, int which)
{
    return is_known_to_rest(target_at(targets, which));
}

static int ends_with_launch(void *targets, int which)
{
    const struct target *target = target_at(targets, which);
    uint64_t last;
    return read_word(target->timeline, name_last, &last) && last == target->launched_at && is_open(&target->stream);
}

static int ask(void *targets, int which)
{
    const struct target *target = target_at(targets, which);
    return is_open(&target->stream) && !ask_stream(&target->stream);
}

/* The stream whose last command is the queue's barrier, which all later commands come after anyway. */
static struct target *behind_barrier(PyObject *queue, PyObject *targets)
{
    PyObject *barrier = get(queue, name__barrier), *place = barrier && barrier != NONE ? get(barrier, name_timeline) : NULL;
    struct target *found = NULL;
    uint64_t position, last;
    for (Py_ssize_t i = 0; place && place != NONE && !found && i < PyTuple_Size(targets); i++) {
        struct target *target = (struct target *)PyTuple_GetItem(targets, i);
        if (target->timeline == place && read_word(barrier, name_position, &position) && read_word(place, name_last, &last)
            && position == last && is_open(&target->stream))
            found = target;
    }
    drop(place);
    drop(barrier);
    return found;
}

/* One for a command that may run beside all others; NULL where Python is to open it. */
static struct target *at_rest(PyObject *queue, struct target *first, PyObject *targets)
{
    struct target *barred = behind_barrier(queue, targets);
    if (barred) {
        note_rest(&barred->given);
        return barred;
    }
    Py_ssize_t count = PyTuple_Size(targets);
    struct streams streams = { .choice = &first->choice, .count = count < MOST_STREAMS ? (int)count : MOST_STREAMS, .queue = targets,
                               .rests = rests, .ends_with_launch = ends_with_launch, .ask = ask };
    for (int i = 0; i < streams.count; i++)
        streams.given[i] = &target_at(targets, i)->given;
    int chosen = see_word(first, MORE_WANTED) ? -1 : choose_stream(&streams, now_ns());
    return chosen < 0 ? NULL : target_at(targets, chosen);
}

int note_marker(struct target *target, PyObject *position)
{
    uint64_t last;
    if (!target->is_unordered)
        return 1;
    if (!read_word(target->timeline, name_last, &last))
        return 0;
    if (last == target->launched_at)
        target->launched_at = PyLong_AsUnsignedLongLong(position);
    return set(target->timeline, name_last, position);
}

int note_launch(struct target *target, PyObject *position, const void *launch)
{
    if (!target->is_unordered)
        return 1;
    note_given(&target->given, launch, now_ns());
    target->launched_at = PyLong_AsUnsignedLongLong(position);
    return set(target->timeline, name_last, position);
}

/* What has ended comes before the stream's last command. */
int note_command(struct target *target, PyObject *position)
{
    uint64_t last, reached, at = PyLong_AsUnsignedLongLong(position);
    if (!target->is_unordered)
        return 1;
    if (!read_word(target->timeline, name_last, &last) || !read_word(target->timeline, name_reached, &reached))
        return 0;
    if (at <= reached || at < last)
        return 1;
    note_given(&target->given, NULL, now_ns());
    return set(target->timeline, name_last, position);
}

/* The stream of an event of the list that is the last there. */
static struct target *behind_one(PyObject *targets, PyObject *wait_for, Py_ssize_t count)
{
    struct target *found = NULL;
    for (Py_ssize_t i = 0; !found && i < count; i++) {
        PyObject *event = event_at(wait_for, i), *timeline = event ? get(event, name_timeline) : NULL;
        uint64_t position, last;
        for (Py_ssize_t k = 0; timeline && !found && k < PyTuple_Size(targets); k++) {
            struct target *target = (struct target *)PyTuple_GetItem(targets, k);
            if (target->timeline == timeline && read_word(event, name_position, &position) && read_word(timeline, name_last, &last)
                && position == last)
                found = target;
        }
        drop(timeline);
        drop(event);
    }
    return found;
}

/* Code in C of another kind is told, too. */
static int note_behind(const struct target *target, PyObject *barrier)
{
    uint64_t number;
    if (!read_word(barrier, name_number, &number))
        return 0;
    tell_word(target, BEHIND, number);
    return 1;
}

/* Has the stream come behind the queue's last barrier, as OutOfOrderQueue._timeline_for does; 0 where Python is to see to it. */
static int come_after_barrier(struct target *target, PyObject *queue)
{
    PyObject *barrier = get(queue, name__barrier), *place = NULL;
    struct target *other = NULL;
    uint64_t position, reached;
    int done = barrier && (barrier == NONE || is(target->timeline, name_barrier, barrier));
    if (barrier && !done && (place = get(barrier, name_timeline)) && place != NONE && read_word(barrier, name_position, &position)
        && read_word(place, name_reached, &reached))
        done = place == target->timeline
            || ((position <= reached || ((other = target_with(queue, place)) && come_after(target, other, position)))
                && set(target->timeline, name_barrier, barrier) && note_behind(target, barrier));
    drop((PyObject *)other);
    drop(place);
    drop(barrier);
    return done;
}

/* A runtime's Barrier that is open and has its place; NULL, with an error, where none can be made. */
static PyObject *new_barrier(const struct target *target, PyObject *position)
{
    PyObject *type = PyTuple_GetItem(known.barrier, 0), *number = PyObject_CallNoArgs(PyTuple_GetItem(known.barrier, 2));
    PyObject *barrier = number ? PyType_GenericAlloc((PyTypeObject *)type, 0) : NULL;
    if (barrier && !(set(barrier, name_gate, PyTuple_GetItem(known.barrier, 1)) && set(barrier, name_number, number)
                     && set(barrier, name_timeline, target->timeline) && set(barrier, name_position, position))) {
        Py_DecRef(barrier);
        barrier = NULL;
    }
    drop(number);
    return barrier;
}

int set_barrier(PyObject *queue, const struct target *target, PyObject *position)
{
    PyObject *barrier = new_barrier(target, position);
    struct target *first = known_target(queue);
    int done = barrier && first && set(queue, name__barrier, barrier) && note_behind(target, barrier);
    if (done) {
        tell_word(first, LAST_BARRIER, see_word(target, BEHIND));
        tell_word(target, BARRED, PyLong_AsUnsignedLongLong(position));
    }
    drop((PyObject *)first);
    drop(barrier);
    return done;
}

/* Whether all commands of the streams have their numbers now. */
static int have_numbers(PyObject *targets)
{
    int have = 1;
    for (Py_ssize_t i = 0; have && i < PyTuple_Size(targets); i++) {
        struct target *target = target_at(targets, i);
        have = see_word(target, NATIVE) == target->others || note_others(target);
    }
    return have;
}

/* Whether the queue's last barrier is one that Python has heard of. */
static int is_barrier_known(PyObject *queue, const struct target *first)
{
    uint64_t number = 0;
    PyObject *barrier = see_word(first, STREAMS) ? get(queue, name__barrier) : NULL;
    int known = !see_word(first, STREAMS) || (barrier && (barrier == NONE || read_word(barrier, name_number, &number))
                                              && number == see_word(first, LAST_BARRIER));
    drop(barrier);
    return known;
}

/* The streams among which code in C chooses; NULL where Python does. */
static PyObject *targets_of(PyObject *queue, const struct target *first, int is_barrier)
{
    if (!first || !first->is_unordered || see_word(first, NEEDS_PYTHON) || (is_barrier && see_word(first, STREAMS))
        || !is_barrier_known(queue, first))
        return NULL;
    return get(queue, name_native_targets);
}

struct target *target_among(PyObject *queue, PyObject *wait_for, int follows_all, int is_barrier)
{
    struct target *first = known_target(queue), *chosen = NULL;
    PyObject *targets = targets_of(queue, first, is_barrier);
    Py_ssize_t count = targets && have_numbers(targets) ? length_of(wait_for) : -1;
    if (count == 0)
        chosen = follows_all ? behind_all(targets) : at_rest(queue, first, targets);
    else if (count > 0 && !(chosen = behind_one(targets, wait_for, count)) && !PyErr_Occurred())
        chosen = at_rest(queue, first, targets);
    if (chosen)
        Py_IncRef((PyObject *)chosen);
    if (chosen && !come_after_barrier(chosen, queue)) {
        drop((PyObject *)chosen);
        chosen = NULL;
    }
    for (int i = 0; chosen && i < MOST_STREAMS && i < PyTuple_Size(targets); i++)
        if (target_at(targets, i) == chosen)
            first->choice.current = i;
    drop(targets);
    drop((PyObject *)first);
    forget_error();
    return chosen;
}
