#include "commands.h"

#include "held.h"
#include "lanes.h"
#include "order.h"
#include "stream_fills.h"
#include "user_events.h"

#include <stddef.h>
#include <stdlib.h>

PyObject *native_of, *memory_of, *wait_at_end;

/* cl_int execution statuses */
enum { COMPLETE = 0, SUBMITTED = 2, QUEUED = 3 };

void find_native(struct object *queue)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream && take_bytes(py.PyObject_CallFunction(native_of, "O", queue->core), stream, offsetof(struct stream, mark)))
        queue->stream = stream;
    else
        free(stream);
}

static void raise_to(struct object *queue, enum native_word word, uint64_t number)
{
    raise_word(&queue->stream->native[word], number);
}

int is_plain(const struct object *queue)
{
    return is_plain_beside_held(queue) && !__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE);
}

int is_plain_beside_held(const struct object *queue)
{
    if (!(is_object(queue, QUEUE) || is_object(queue, LANE)) || !__atomic_load_n(&queue->stream, __ATOMIC_ACQUIRE) || !queue->stream->native
        || seen(queue, FENCES_AHEAD_WANTED) || !python_alive())
        return 0;
    uint64_t needs = seen(queue, NEEDS_PYTHON);
    return !needs || (needs == TIMES_ONLY && may_take_times(queue));
}

/* Events of commands of ours, in this queue, which keeps its order, or in one that it can be put after. */
static int come_before(const struct object *queue, uint32_t count, struct object *const *events)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_bare(events[i]) || (events[i]->parent != queue && !come_after(queue, events[i])))
            return 0;
    return 1;
}

/* A queue of which Python has not heard has had no commands. */
static int is_unused(const struct object *queue)
{
    return is_object(queue, QUEUE) && !has_core(queue);
}

/* What is wrong Python tells once more. */
static void begin_queue(struct object *queue)
{
    int state;
    if (!python_enter(&state))
        return;
    if (!made_core(queue))
        drop_exception(0);
    python_leave(state);
}

int takes_commands(struct object *queue, uint32_t wait_count, const void *waits)
{
    if (is_unused(queue))
        begin_queue(queue);
    return !wait_count == !waits && is_plain(queue) && come_before(queue, wait_count, waits);
}

struct object *place_for(struct object *queue, uint32_t wait_count, const void *waits)
{
    if (takes_commands(queue, wait_count, waits))
        return queue;
    return has_lanes(queue) ? lane_for(queue, wait_count, waits) : NULL;
}

struct object *place_for_copy(struct object *queue, uint32_t wait_count, const void *waits)
{
    struct object *where = place_for(queue, wait_count, waits);
    if (where && where != queue)
        note_lane_copy(where);
    return where;
}

uint64_t count_command(struct object *queue)
{
    return __atomic_add_fetch(&queue->stream->native[NATIVE], 1, __ATOMIC_RELEASE);
}

void note_end(struct object *queue, uint64_t number)
{
    raise_to(queue, NATIVE_ENDED, number);
}

int32_t give_bare_event(struct object *queue, uint64_t number, uint32_t command, struct times *times, struct object **event)
{
    if (!event)
        return SUCCESS;
    if (!(*event = new_bare_event(queue, number, command))) {
        give_times(queue, times);
        return OUT_OF_HOST_MEMORY;
    }
    (*event)->times = times;
    return SUCCESS;
}

int32_t give_ended_event(struct object *queue, uint32_t command, const void *event)
{
    return give_bare_event(queue, 0, command, NULL, (struct object **)event);
}

int32_t give_timed_event(struct object *queue, uint64_t number, uint32_t command, struct times *times, int has_end, const void *event)
{
    if (!has_end)
        give_times(queue, times);
    return give_bare_event(queue, number, command, has_end ? times : NULL, (struct object **)event);
}

static void note_ends(struct object *queue, uint64_t commands, uint64_t given)
{
    raise_to(queue, NATIVE_ENDED, commands);
    raise_to(queue, GIVEN_ENDED, given);
}

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

int is_idle(const struct object *queue)
{
    return all_have_ended(queue->stream->native, progress_of(queue));
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

/* With Python's lock: whether the commands have ended. */
static int have_come_at_end(uint32_t count, struct object *const *events)
{
    for (uint32_t i = 0; i < count; i++) {
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

int put_place(uint32_t command, struct object *queue, const void *event, int32_t *status)
{
    struct times *times;
    if (!queue->stream->functions.query || !take_times(queue, event, &times))
        return 0;
    int has_times = begin_times(queue, times) && end_times(queue, times);
    *status = event ? give_timed_event(queue, count_command(queue), command, times, has_times, event) : SUCCESS;
    return 1;
}

/* A place of an ordered queue, or in one of the lanes of another; 0 where it is Python's. */
static int put_anywhere(uint32_t command, struct object *queue, uint32_t wait_count, const void *waits, const void *event, int32_t *status)
{
    return takes_commands(queue, wait_count, waits) ? put_place(command, queue, event, status)
        : has_lanes(queue) && place_in_lane(command, queue, wait_count, waits, event, status);
}

static int32_t place(struct entry *entry, uint32_t command, struct object *queue, uint32_t wait_count, const void *waits,
                     const void *event)
{
    const word words[] = { (word)queue, wait_count, (word)waits, (word)event };
    int32_t status;
    return put_anywhere(command, queue, wait_count, waits, event, &status) ? status : (int32_t)answer(entry, words);
}

/* Those of OpenCL 1.1 are the same, without a list, or without an event. */
int32_t place_old_marker(struct entry *entry, struct object *queue, const void *event)
{
    const word words[] = { (word)queue, (word)event };
    int32_t status;
    return put_anywhere(MARKER, queue, 0, NULL, event, &status) ? status : (int32_t)answer(entry, words);
}

int32_t place_old_barrier(struct entry *entry, struct object *queue)
{
    const word words[] = { (word)queue };
    int32_t status;
    return put_anywhere(BARRIER, queue, 0, NULL, NULL, &status) ? status : (int32_t)answer(entry, words);
}

int32_t place_after_events(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits)
{
    const word words[] = { (word)queue, wait_count, (word)waits };
    int32_t status;
    return wait_count && put_anywhere(BARRIER, queue, wait_count, waits, NULL, &status) ? status : (int32_t)answer(entry, words);
}

int32_t place_marker(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event)
{
    return place(entry, MARKER, queue, wait_count, waits, event);
}

int32_t place_barrier(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event)
{
    return place(entry, BARRIER, queue, wait_count, waits, event);
}

void find_memory(struct object *buffer)
{
    struct memory found;
    PyObject *core;
    int state;
    if (!python_enter(&state))
        return;
    if (!(core = made_core(buffer))) {
        drop_exception(0); /* Whoever asks next is told. */
    } else if (take_bytes(py.PyObject_CallFunction(memory_of, "O", core), &found, sizeof found) && found.address) {
        if (!buffer->began_bare && !buffer->memory.size) {
            buffer->memory.flags = found.flags;
            __atomic_store_n(&buffer->memory.size, found.size, __ATOMIC_RELEASE); /* The flags are known where it is. */
        }
        __atomic_store_n(&buffer->may_be_written, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&buffer->memory.address, found.address, __ATOMIC_RELEASE);
        __atomic_store_n(&buffer->address, found.address, __ATOMIC_RELEASE);
    }
    python_leave(state);
}

void find_memory_first(struct object *buffer)
{
    if (buffer->began_bare && !__atomic_load_n(&buffer->is_used, __ATOMIC_RELAXED) && !address_in(buffer)) {
        __atomic_store_n(&buffer->is_used, 1, __ATOMIC_RELAXED);
        find_memory(buffer);
    }
}

void learn_memory(struct object *buffer)
{
    if (is_object(buffer, MEMORY) && __atomic_fetch_add(&buffer->is_used, 1, __ATOMIC_RELAXED) == 1)
        find_memory(buffer);
}

int32_t answer_and_learn(struct entry *entry, const word *words, struct object *buffer, struct object *other)
{
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS) {
        learn_memory(buffer);
        learn_memory(other);
    }
    return status;
}

int is_reached(const struct object *queue, struct object *buffer, uint64_t refused, size_t offset, size_t size)
{
    if (!is_object(buffer, MEMORY) || !is_referenced(buffer) || buffer->context != queue->context)
        return 0;
    size_t whole = __atomic_load_n(&buffer->memory.size, __ATOMIC_ACQUIRE); /* before the flags, which another thread may just find */
    if ((buffer->memory.flags & refused) || !size || offset > whole || size > whole - offset || !is_open(&queue->stream->functions))
        return 0;
    find_memory_first(buffer);
    return address_in(buffer) != 0;
}

struct progress progress_of(const struct object *queue)
{
    return progress_in(queue->stream->native);
}

uint64_t count_ended(struct object *queue, struct progress before)
{
    uint64_t number = count_command(queue);
    note_ends(queue, number == before.commands + 1 ? number : before.commands, before.given);
    return number;
}

uint64_t count_given(struct object *queue)
{
    uint64_t number = count_command(queue);
    if (!queue->stream->functions.read)
        note_end(queue, number);
    return number;
}

int count_waited(struct object *queue, struct progress before, int did_nothing, uint64_t *number)
{
    if (did_nothing && all_have_ended(queue->stream->native, before)) {
        *number = count_ended(queue, before);
        return 1;
    }
    *number = count_given(queue);
    return !queue->stream->functions.read || (did_nothing ? wait_for_end(queue) : wait_for_command(queue));
}

int count_outcome(struct object *queue, struct progress before, enum outcome outcome, int waits, uint64_t *number)
{
    if (outcome == WAS_GIVEN && waits)
        return count_waited(queue, before, 0, number);
    *number = outcome == HAS_ENDED ? count_ended(queue, before) : outcome == WAS_GIVEN ? count_given(queue) : 0;
    return outcome != LEFT_TO_PYTHON;
}

int is_timed(const struct object *queue)
{
    return seen(queue, NEEDS_PYTHON) == TIMES_ONLY;
}

/* Whether the copy was given, and then, or is known to have ended. */
static int give_copy(struct object *queue, uint64_t to, uint64_t from, size_t size, struct times *times, int *has_end)
{
    const struct native_stream *stream = &queue->stream->functions;
    struct stream_graphs *graphs = (struct stream_graphs *)(uintptr_t)stream->graphs;
    if (times && times->fences && graphs
        && give_timed_copy(graphs, DEVICE_TO_DEVICE, to, from, size, times->begun, times->ended, handle_of(stream)))
        return *has_end = 1;
    if (!begin_times(queue, times))
        return 0;
    if (!stream->read)
        memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    else if (((copy_on_device *)(uintptr_t)stream->copy)(to, from, size, handle_of(stream)))
        return 0;
    *has_end = end_times(queue, times);
    return 1;
}

int32_t copy_buffer(struct entry *entry, struct object *queue, struct object *source, struct object *target, size_t source_offset,
                    size_t target_offset, size_t size, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)source, (word)target, source_offset, target_offset, size, wait_count, (word)waits,
                           (word)event };
    struct object *where;
    struct times *times;
    if ((where = place_for_copy(queue, wait_count, waits)) && (!where->stream->functions.read || where->stream->functions.copy)
        && is_reached(where, source, 0, source_offset, size) && is_reached(where, target, 0, target_offset, size)) {
        uint64_t from = address_in(source) + source_offset, to = address_in(target) + target_offset;
        int overlap = from < to + size && to < from + size, has_end; /* which Python refuses within a buffer */
        if (!overlap && take_times(where, event, &times)) {
            if (give_copy(where, to, from, size, times, &has_end))
                return give_timed_event(where, count_given(where), COPY_BUFFER, times, has_end, event);
            give_times(where, times);
        }
    }
    return answer_and_learn(entry, words, source, target);
}

int32_t fill_buffer(struct entry *entry, struct object *queue, struct object *buffer, const void *pattern, size_t width, size_t offset,
                    size_t size, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, (word)pattern, width, offset, size, wait_count, (word)waits, (word)event };
    struct object *where;
    struct times *times;
    if ((where = place_for_copy(queue, wait_count, waits)) && pattern && can_fill(&where->stream->functions, width, offset, size)
        && is_reached(where, buffer, 0, offset, size) && take_times(where, event, &times)) {
        const struct native_stream *stream = &where->stream->functions;
        if (begin_times(where, times) && fill_now(stream, address_in(buffer) + offset, pattern, width, size)) {
            int has_end = end_times(where, times);
            return give_timed_event(where, count_given(where), FILL_BUFFER, times, has_end, event);
        }
        give_times(where, times);
    }
    return answer_and_learn(entry, words, buffer, NULL);
}

/* cl_mem_migration_flags: to the host, contents undefined. */
enum { MIGRATION_FLAGS = 1 << 0 | 1 << 1 };

/* Whether all are buffers whose memory is at one place, which one device has. */
static int stay_where_they_are(const struct object *queue, uint32_t count, struct object *const *buffers)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_reached(queue, buffers[i], 0, 0, 1))
            return 0;
    return count != 0;
}

int32_t migrate_objects(struct entry *entry, struct object *queue, uint32_t count, const void *place, uint64_t flags, uint32_t wait_count,
                        const void *waits, const void *event)
{
    struct object *const *objects = place;
    const word words[] = { (word)queue, count, (word)place, flags, wait_count, (word)waits, (word)event };
    int32_t status;
    if (objects && takes_commands(queue, wait_count, waits) && !(flags & ~(uint64_t)MIGRATION_FLAGS)
        && stay_where_they_are(queue, count, objects) && put_place(MIGRATE_MEM_OBJECTS, queue, event, &status))
        return status;
    return answer_and_learn(entry, words, objects && count ? objects[0] : NULL, NULL);
}
