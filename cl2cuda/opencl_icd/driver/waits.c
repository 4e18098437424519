/* Waits for commands, and what has become of them. */
#include "commands.h"

#include "lanes.h"
#include "user_events.h"

PyObject *wait_at_end;

/* cl_int execution statuses */
enum { COMPLETE = 0, SUBMITTED = 2, QUEUED = 3 };

int ask_for_end(struct object *queue)
{
    uint64_t commands = seen(queue, NATIVE), given = seen(queue, GIVEN);
    int status = ask_stream(&queue->stream->functions);
    if (!status)
        note_ends(queue, commands, given);
    return status;
}

static int wait_by(int (*wait)(const struct native_stream *), struct object *queue)
{
    uint64_t commands = seen(queue, NATIVE), given = seen(queue, GIVEN);
    int ended = wait(&queue->stream->functions);
    if (ended)
        note_ends(queue, commands, given);
    return ended;
}

int wait_for_end(struct object *queue)
{
    return wait_by(wait_for_stream, queue);
}

/* With pauses, as Python waits; 0 where the stream says what is wrong. */
static int wait_longer(const struct native_stream *stream)
{
    enum { FIRST_PAUSE_NS = 20000, LONGEST_PAUSE_NS = 1000000 };
    const uint32_t ticket = stream->poll_ns ? ask_for_flag(stream) : 0;
    int status;
    for (long pause = FIRST_PAUSE_NS; (status = ask_stream(stream)) == NOT_READY && !(ticket && sees_flag(stream, ticket, 0));
         pause = pause < LONGEST_PAUSE_NS ? pause + pause / 4 : LONGEST_PAUSE_NS)
        nanosleep(&(struct timespec){ 0, pause }, NULL);
    return !status || status == NOT_READY;
}

int wait_for_command(struct object *queue)
{
    /* Python, which is to wait longer elsewhere, gives the command once more. In a queue out of order that may be to another stream, and
       what the lane was given could then come after what the program does next. */
    return wait_by(wait_for_given, queue) || (queue->kind == LANE && wait_by(wait_longer, queue));
}

int is_last(const struct object *event)
{
    const struct object *queue = event->parent;
    return seen(queue, NATIVE) == event->number && python_has_ended(queue->stream->native, seen(queue, GIVEN)) && is_plain(queue)
        && is_quiet(&queue->stream->functions) && is_open(&queue->stream->functions);
}

int tell_state(struct object *event, int32_t *state)
{
    int status;
    if (tell_user_event(event, state))
        return 1;
    if (is_object(event, EVENT) && __atomic_load_n(&event->waits, __ATOMIC_ACQUIRE)) {
        *state = QUEUED;
        return 1;
    }
    if (!is_bare(event))
        return 0;
    if (has_ended(event) || has_times(event)) {
        *state = COMPLETE;
        return 1;
    }
    if (!is_last(event) || ((status = ask_for_end(event->parent)) && status != NOT_READY))
        return 0;
    *state = status ? SUBMITTED : COMPLETE;
    return 1;
}

/* Whether the event's command has ended, after a wait that is no longer than it has to be. */
static int has_come(struct object *event)
{
    return has_ended(event) || has_times(event) || (is_last(event) && wait_for_end(event->parent));
}

/* Whether a command that only the library knows of has ended, after a wait for all that its stream was given: for less than that Python would
   have to be asked, whose functions may be gone before the program's last objects are. */
static int has_come_at_end(const struct object *event)
{
    struct object *queue = event->parent;
    if (!is_bare(event))
        return 0;
    if (has_ended(event))
        return 1;
    const struct native_stream *stream = &queue->stream->functions;
    return is_quiet(stream) && is_open(stream) && wait_by(wait_longer, queue);
}

/* With Python's lock: whether the commands have ended. */
static int have_come_at_end(uint32_t count, struct object *const *events)
{
    for (uint32_t i = 0; i < count; i++) {
        if (has_come_at_end(events[i]))
            continue;
        PyObject *core = is_object(events[i], EVENT) ? core_of(events[i]) : NULL;
        PyObject *done = core ? py.PyObject_CallFunction(wait_at_end, "O", core) : NULL;
        int come = done && py.PyLong_AsUnsignedLongLongMask(done);
        if (done)
            py.Py_DecRef(done);
        if (!come) {
            py.PyErr_Clear(); /* Nobody is left who would hear more of it. */
            return 0;
        }
    }
    return count != 0;
}

/* Stock PyOpenCL waits for a copy before it lets go of the host's memory, in the end from one of Python's last destructors. */
static int wait_at_end_of_python(uint32_t count, struct object *const *events)
{
    int state;
    if (!python_enter_at_end(&state))
        return 0;
    int come = have_come_at_end(count, events);
    python_leave(state);
    return come;
}

int32_t wait_for_events(struct entry *entry, uint32_t count, const void *place)
{
    struct object *const *events = place;
    const word words[] = { count, (word)place };
    uint32_t left = events ? count : 0;
    /* Mostly in the order of their commands: when the last has ended, all have. */
    while (left && is_bare(events[left - 1]) && events[left - 1]->context == events[count - 1]->context && has_come(events[left - 1]))
        left--;
    return count && events && (!left || wait_at_end_of_python(left, events)) ? SUCCESS : (int32_t)answer(entry, words);
}

int needs_flush(const struct object *queue)
{
    if (has_lanes(queue))
        return !is_flushed_by_itself(queue);
    return !is_unused(queue) && (!is_plain_beside_held(queue) || queue->stream->functions.flushes);
}

int32_t flush_queue(struct entry *entry, struct object *queue)
{
    const word words[] = { (word)queue };
    return needs_flush(queue) ? (int32_t)answer(entry, words) : SUCCESS;
}

/* Python's `finish` also lets go of what commands have used. As long as nobody has entered Python since it has left nothing to do, there is
   nothing, and no command beside those of ours. */
int32_t finish_queue(struct entry *entry, struct object *queue)
{
    const word words[] = { (word)queue };
    if (is_unused(queue))
        return SUCCESS;
    if (has_lanes(queue))
        return finish_lanes(entry, queue);
    if (!is_plain(queue))
        return (int32_t)answer(entry, words);
    uint64_t entries = __atomic_load_n(&python_entries, __ATOMIC_ACQUIRE), commands = seen(queue, NATIVE);
    if (__atomic_load_n(&queue->settled, __ATOMIC_RELAXED) == entries
        && is_quiet(&queue->stream->functions)
        && (seen(queue, NATIVE_ENDED) >= commands || (is_open(&queue->stream->functions) && wait_for_end(queue))))
        return SUCCESS;
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS) {
        note_end(queue, commands);
        if (seen(queue, SETTLED))
            __atomic_store_n(&queue->settled, entries + 1, __ATOMIC_RELAXED);
    }
    return status;
}
