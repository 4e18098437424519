/* Where buffers are, and what is done with them on the device: copies, fills, migration (reads and writes are in host_copies.c). */
#include "commands.h"

#include "access.h"
#include "held.h"
#include "stream_fills.h"

PyObject *memory_of;

static void set_address(struct object *buffer, uint64_t address)
{
    __atomic_store_n(&buffer->may_be_written, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&buffer->memory.address, address, __ATOMIC_RELEASE);
    __atomic_store_n(&buffer->address, address, __ATOMIC_RELEASE);
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
        set_address(buffer, found.address);
    }
    python_leave(state);
}

/* Whether it is a part of a buffer whose place is known, and where commands may write. */
static int find_part(struct object *buffer)
{
    const struct object *whole = is_part(buffer) ? buffer->parent : NULL;
    const uint64_t address = whole && __atomic_load_n(&whole->may_be_written, __ATOMIC_RELAXED)
        ? __atomic_load_n(&whole->address, __ATOMIC_ACQUIRE) : 0;
    if (address)
        set_address(buffer, address + buffer->number);
    return address != 0;
}

void find_memory_first(struct object *buffer)
{
    if (buffer->began_bare && !__atomic_load_n(&buffer->is_used, __ATOMIC_RELAXED) && !address_in(buffer)) {
        __atomic_store_n(&buffer->is_used, 1, __ATOMIC_RELAXED);
        if (!find_part(buffer))
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

/* Whether the copy was given, and then, or is known to have ended. */
static int give_copy(struct object *queue, uint64_t to, uint64_t from, size_t size, struct times *times, int *has_end)
{
    if (queue->stream->functions.read)
        return give_between(queue, times, &(struct plain_copy){ DEVICE_TO_DEVICE, to, from, size, 1 }, has_end);
    begin_times(queue, times);
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    *has_end = end_times(queue, times);
    return 1;
}

/* What is behind a user event that is not set. */
static int is_copy_held_back(struct object *queue, struct object *source, struct object *target, size_t source_offset,
                             size_t target_offset, size_t size, uint32_t wait_count, const void *waits, const void *event)
{
    const struct gate gate = gate_in_order(queue, wait_count, waits);
    if (!gate.event || (queue->stream->functions.read && !queue->stream->functions.copy)
        || !is_reached(queue, source, 0, source_offset, size) || !is_reached(queue, target, 0, target_offset, size))
        return 0;
    const struct held_copy copy = {
        .command = COPY_BUFFER, .buffer = source, .target = target, .address = address_in(source) + source_offset,
        .target_address = address_in(target) + target_offset, .offset = source_offset, .target_offset = target_offset, .size = size };
    int overlap = copy.address < copy.target_address + size && copy.target_address < copy.address + size;
    return !overlap && hold_copy_back(gate, &copy, queue, (struct object **)event);
}

static int is_fill_held_back(struct object *queue, struct object *buffer, const void *pattern, size_t width, size_t offset, size_t size,
                             uint32_t wait_count, const void *waits, const void *event)
{
    const struct gate gate = gate_in_order(queue, wait_count, waits);
    if (!gate.event || !pattern || !can_fill(&queue->stream->functions, width, offset, size) || !is_reached(queue, buffer, 0, offset, size))
        return 0;
    const struct held_copy copy = { .command = FILL_BUFFER, .buffer = buffer, .address = address_in(buffer) + offset, .offset = offset,
                                    .size = size, .host = pattern, .pattern_width = width };
    return hold_copy_back(gate, &copy, queue, (struct object **)event);
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
    if (!where && is_copy_held_back(queue, source, target, source_offset, target_offset, size, wait_count, waits, event))
        return SUCCESS;
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
    if (!where && is_fill_held_back(queue, buffer, pattern, width, offset, size, wait_count, waits, event))
        return SUCCESS;
    return answer_and_learn(entry, words, buffer, NULL);
}

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
    if (objects && takes_commands(queue, wait_count, waits) && are_migration_flags(flags)
        && stay_where_they_are(queue, count, objects) && put_place(MIGRATE_MEM_OBJECTS, queue, event, &status))
        return status;
    return answer_and_learn(entry, words, objects && count ? objects[0] : NULL, NULL);
}
