/* Reads and writes of buffers (commands.h). */
#include "commands.h"
#include "held.h"
#include "lanes.h"
#include "locked.h"

#include <string.h>

/* Whether times are taken by CUDA, which would time the processor's work, too, of what is large. */
static int are_cudas(const struct object *queue, const void *event)
{
    return queue->stream->functions.write && wants_times(queue, event);
}

/* How a copy between the host and a buffer is made here, if it is. */
enum way { NOT_HERE, AT_ONCE, BY_ITSELF, STAGED_FIRST };

static enum way way_to_read(const struct object *queue, const void *event, int blocking, const void *host, size_t size)
{
    const struct native_stream *stream = &queue->stream->functions;
    if (!is_quiet(stream))
        return NOT_HERE;
    if (!blocking && reads_by_itself(stream, host, size))
        return BY_ITSELF;
    if (!blocking && !can_read_more_at_once(stream, size))
        return NOT_HERE;
    if (are_cudas(queue, event))
        return size <= stream->most_read || is_one_copy(stream, host, size) ? AT_ONCE
            : goes_by_locked(stream, host, size) ? STAGED_FIRST : NOT_HERE;
    if (blocking && !can_read(stream, host, size))
        return NOT_HERE;
    if (!reads_by_locked(stream, host, size))
        return AT_ONCE;
    return wants_staging(stream, host, size) ? NOT_HERE : STAGED_FIRST;
}

static enum way way_to_write(const struct object *queue, const void *event, int blocking, const void *host, size_t size)
{
    const struct native_stream *stream = &queue->stream->functions;
    if (blocking && !is_quiet(stream))
        return NOT_HERE;
    if (are_cudas(queue, event) && size > SCRATCH) {
        if (is_pageable(stream, host, size))
            return goes_by_locked(stream, host, size) ? STAGED_FIRST : NOT_HERE;
        return !blocking || waits_for_locked(stream, size) ? BY_ITSELF : NOT_HERE;
    }
    if (!blocking && goes_by_itself(stream, host, size))
        return BY_ITSELF;
    return can_write(stream, host, size, blocking) && !(blocking && goes_by_staging(stream, size) && wants_staging(stream, host, size));
}

/* A copy of little behind a user event that is not set, or behind what waits for one: it is made when that is. Of more CUDA might have the
   thread wait that sets the event. */
static int is_held_back(uint32_t command, struct object *queue, struct object *buffer, uint64_t refused, size_t offset, size_t size,
                        const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    enum { MOST_HELD = 64 << 10 };
    if (size > MOST_HELD)
        return 0;
    struct gate gate = gate_in_order(queue, wait_count, waits);
    if (!gate.event || (command == READ_BUFFER && size > queue->stream->functions.most_read)
        || !is_reached(queue, buffer, refused, offset, size))
        return 0;
    const struct held_copy copy = { .command = command, .buffer = buffer, .address = address_in(buffer) + offset, .offset = offset,
                                    .size = size, .host = host };
    return hold_copy_back(gate, &copy, queue, (struct object **)event);
}

/* A read by page-locked memory, whose times are those of CUDA's copy alone: its number, and whether the contents are there. */
static int read_by_locked_memory(const struct locked *locked, struct object *queue, struct times *times, int *has_end, uint64_t memory,
                                 void *host, size_t size, uint64_t *number)
{
    const struct plain_copy copy = { DEVICE_TO_HOST, (uintptr_t)locked->memory, memory, size, 1 };
    int ended = 0;
    if (give_between(queue, times, &copy, has_end)) {
        *number = count_command(queue);
        ended = wait_for_command(queue);
    }
    if (ended)
        memcpy(host, locked->memory, size);
    end_locked_read(locked, ended);
    return ended;
}

int32_t read_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, size_t offset, size_t size,
                    const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, blocking, offset, size, (word)host, wait_count, (word)waits, (word)event };
    struct object *where;
    struct times *times;
    enum way way;
    if (!blocking && host && is_held_back(READ_BUFFER, queue, buffer, MEM_HOST_WRITE_ONLY | MEM_HOST_NO_ACCESS, offset, size, host,
                                          wait_count, waits, event))
        return SUCCESS;
    if ((where = place_for_copy(queue, wait_count, waits)) && host
        && is_reached(where, buffer, MEM_HOST_WRITE_ONLY | MEM_HOST_NO_ACCESS, offset, size)
        && (way = way_to_read(where, event, blocking != 0, host, size))
        && take_times(where, event, &times)) {
        const struct native_stream *stream = &where->stream->functions;
        uint64_t memory = address_in(buffer) + offset;
        if (!stream->read) {
            begin_times(where, times);
            memmove((void *)host, (const void *)(uintptr_t)memory, size);
            return give_timed_event(where, count_given(where), READ_BUFFER, times, end_times(where, times), event);
        }
        struct plain_copy copy = { DEVICE_TO_HOST, (uintptr_t)host, memory, size, way == BY_ITSELF };
        struct reading reading;
        int has_end;
        struct locked locked;
        uint64_t number;
        if (way == STAGED_FIRST && !take_locked(&locked, stream, size))
            way = are_cudas(where, event) ? NOT_HERE : AT_ONCE;
        if (way == BY_ITSELF) {
            if (give_between(where, times, &copy, &has_end))
                return give_timed_event(where, count_command(where), READ_BUFFER, times, has_end, event);
        } else if (way == STAGED_FIRST) {
            if (read_by_locked_memory(&locked, where, times, &has_end, memory, (void *)host, size, &number))
                return give_timed_event(where, number, READ_BUFFER, times, has_end, event);
        } else if (way == AT_ONCE && reads_staged(stream, host, size)) {
            struct progress before = progress_of(where);
            if (read_staged(stream, (void *)host, memory, size))
                return give_timed_event(where, count_ended(where, before), READ_BUFFER, times, 0, event);
        } else if (way == AT_ONCE && stream->poll_ns) {
            copy.to = (uintptr_t)take_reading(&reading, stream, (void *)host, size);
            copy.is_locked = reading.staged != NULL;
            if (give_between(where, times, &copy, &has_end)) {
                number = count_command(where);
                int ended = wait_for_command(where);
                end_reading(&reading, stream, ended);
                if (ended)
                    return give_timed_event(where, number, READ_BUFFER, times, has_end, event);
            } else {
                leave_reading(&reading, stream);
            }
        } /* Python reads again, and waits longer or tells what is wrong. */
        give_times(where, times);
    }
    return answer_and_learn(entry, words, buffer, NULL);
}

/* A write whose times are to be of CUDA's copy alone: the contents are where the device copies them from by itself before it begins. */
static enum outcome write_with_times(struct object *queue, struct times *times, int *has_end, uint64_t memory, const void *host,
                                     size_t size, int waits)
{
    const struct native_stream *stream = &queue->stream->functions;
    struct locked locked;
    if (!fill_locked(&locked, stream, host, size))
        return LEFT_TO_PYTHON;
    const struct plain_copy copy = { HOST_TO_DEVICE, memory, (uintptr_t)locked.memory, size, 1 };
    return end_locked(&locked, stream, give_between(queue, times, &copy, has_end), waits);
}

int32_t write_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, size_t offset, size_t size,
                     const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, blocking, offset, size, (word)host, wait_count, (word)waits, (word)event };
    struct object *where;
    struct times *times;
    enum way way;
    if (!blocking && host && is_held_back(WRITE_BUFFER, queue, buffer, MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS, offset, size, host,
                                          wait_count, waits, event))
        return SUCCESS;
    if ((where = place_for_copy(queue, wait_count, waits)) && host
        && is_reached(where, buffer, MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS, offset, size)
        && (way = way_to_write(where, event, blocking != 0, host, size)) && take_times(where, event, &times)) {
        const struct native_stream *stream = &where->stream->functions;
        uint64_t memory = address_in(buffer) + offset;
        if (!stream->write) {
            begin_times(where, times);
            memmove((void *)(uintptr_t)memory, host, size);
            return give_timed_event(where, count_given(where), WRITE_BUFFER, times, end_times(where, times), event);
        }
        struct progress before = progress_of(where);
        int has_end = 0;
        enum outcome outcome = way == STAGED_FIRST ? write_with_times(where, times, &has_end, memory, host, size, blocking != 0)
            : blocking && goes_by_staging(stream, size) ? write_by_staging(stream, memory, host, size) : LEFT_TO_PYTHON;
        const struct plain_copy copy = { HOST_TO_DEVICE, memory, (uintptr_t)host, size, 1 };
        uint64_t number;
        if (outcome != LEFT_TO_PYTHON) {
            if (count_outcome(where, before, outcome, blocking != 0, &number))
                return give_timed_event(where, number, WRITE_BUFFER, times, has_end, event);
        } else if (way == BY_ITSELF ? give_between(where, times, &copy, &has_end)
                   : way == AT_ONCE && begin_times(where, times) && write_now(stream, memory, host, size, blocking != 0)) {
            has_end = has_end || end_times(where, times);
            number = count_command(where);
            if (!blocking || wait_for_command(where))
                return give_timed_event(where, number, WRITE_BUFFER, times, has_end, event);
        } /* Python writes again, and waits longer or tells what is wrong. */
        give_times(where, times);
    }
    return answer_and_learn(entry, words, buffer, NULL);
}
