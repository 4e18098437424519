/* Commands that are given to a queue's stream without Python, and what waits for them: where the queue is in order, and nothing beside
   the driver's own calls is to be done (runtime.queue.stream_timeline). */
#ifndef CL2CUDA_COMMANDS_H
#define CL2CUDA_COMMANDS_H

#include "launches.h"
#include "order.h"
#include "stream_copies.h"
#include "times.h"

/* cl_command_type */
enum {
    NDRANGE_KERNEL = 0x11F0, READ_BUFFER = 0x11F3, WRITE_BUFFER = 0x11F4, COPY_BUFFER = 0x11F5, READ_IMAGE = 0x11F6, WRITE_IMAGE = 0x11F7,
    COPY_IMAGE = 0x11F8, COPY_IMAGE_TO_BUFFER = 0x11F9, COPY_BUFFER_TO_IMAGE = 0x11FA, MAP_BUFFER = 0x11FB, MAP_IMAGE = 0x11FC,
    UNMAP_MEM_OBJECT = 0x11FD, MARKER = 0x11FE, READ_BUFFER_RECT = 0x1201, WRITE_BUFFER_RECT = 0x1202, COPY_BUFFER_RECT = 0x1203,
    BARRIER = 0x1205, MIGRATE_MEM_OBJECTS = 0x1206, FILL_BUFFER = 0x1207, FILL_IMAGE = 0x1208, SVM_FREE = 0x1209, SVM_MEMCPY = 0x120A,
    SVM_MEMFILL = 0x120B, SVM_MAP = 0x120C, SVM_UNMAP = 0x120D, SVM_MIGRATE_MEM = 0x120E
};

/* cl_mem_flags */
enum {
    MEM_READ_WRITE = 1 << 0, MEM_WRITE_ONLY = 1 << 1, MEM_READ_ONLY = 1 << 2, MEM_USE_HOST_PTR = 1 << 3, MEM_ALLOC_HOST_PTR = 1 << 4,
    MEM_COPY_HOST_PTR = 1 << 5, MEM_HOST_WRITE_ONLY = 1 << 7, MEM_HOST_READ_ONLY = 1 << 8, MEM_HOST_NO_ACCESS = 1 << 9
};

/* CL_MEM_TYPE and so on, CL_MEM_OBJECT_BUFFER */
enum {
    MEM_TYPE = 0x1100, MEM_FLAGS, MEM_SIZE, MEM_HOST_PTR, MEM_MAP_COUNT, MEM_CONTEXT = 0x1106, MEM_ASSOCIATED_MEMOBJECT, MEM_OFFSET,
    MEM_USES_SVM_POINTER, MEM_OBJECT_BUFFER = 0x10F0
};

/* With Python's lock, for a new queue: how commands are given to its stream. */
void find_native(struct object *queue);

/* A queue of which Python has not heard has had no commands. */
static inline int is_unused(const struct object *queue)
{
    return is_object(queue, QUEUE) && !has_core(queue);
}

/* Whether commands can be given to the queue's stream without Python now; and whether, but for what is held back there. */
int is_plain(const struct object *queue);
int is_plain_beside_held(const struct object *queue);

/* Whether a queue takes a command with this wait list without Python. */
int takes_commands(struct object *queue, uint32_t wait_count, const void *waits);

/* The queue, where it is in order, or a lane of it, for such a command; NULL where that is Python's. */
struct object *place_for(struct object *queue, uint32_t wait_count, const void *waits);

/* The same for a command that is no launch. */
struct object *place_for_copy(struct object *queue, uint32_t wait_count, const void *waits);

/* A command was given to the stream: its number. Where commands have ended when their call returns, that is noted, too. */
static inline uint64_t count_command(struct object *queue)
{
    return __atomic_add_fetch(&queue->stream->native[NATIVE], 1, __ATOMIC_RELEASE);
}

static inline void raise_to(struct object *queue, enum native_word word, uint64_t number)
{
    raise_word(&queue->stream->native[word], number);
}

static inline void note_end(struct object *queue, uint64_t number)
{
    raise_to(queue, NATIVE_ENDED, number);
}

/* So many commands of ours have ended, and Python's up to the position. */
static inline void note_ends(struct object *queue, uint64_t commands, uint64_t given)
{
    raise_to(queue, NATIVE_ENDED, commands);
    raise_to(queue, GIVEN_ENDED, given);
}

/* The number of a command that has ended where the device is the host. */
static inline uint64_t count_given(struct object *queue)
{
    uint64_t number = count_command(queue);
    if (!queue->stream->functions.read)
        note_end(queue, number);
    return number;
}

/* How many commands a queue had, and up to which position Python's; and the number of one that has ended since with all of those. */
static inline struct progress progress_of(const struct object *queue)
{
    return progress_in(queue->stream->native);
}

static inline uint64_t count_ended(struct object *queue, struct progress before)
{
    uint64_t number = count_command(queue);
    note_ends(queue, number == before.commands + 1 ? number : before.commands, before.given);
    return number;
}

/* Whether all that the queue was given is known to have ended. */
static inline int is_idle(const struct object *queue)
{
    return all_have_ended(queue->stream->native, progress_of(queue));
}

/* The number of a command that is waited for, with all before: of one that `did_nothing` to the stream only where that has not ended all.
   0 where that takes long, or fails: that is Python's. */
int count_waited(struct object *queue, struct progress before, int did_nothing, uint64_t *number);
/* The number of a copy that has had this outcome, and that the caller `waits` for or not; 0 where it is Python's. */
int count_outcome(struct object *queue, struct progress before, enum outcome outcome, int waits, uint64_t *number);

/* Whether events of a queue in order that is plain beside are to have times. */
static inline int is_timed(const struct object *queue)
{
    return seen(queue, NEEDS_PYTHON) == TIMES_ONLY;
}

/* Whether a command's event, if one is asked for, is to have times. */
static inline int wants_times(const struct object *queue, const void *event)
{
    return event && is_timed(queue);
}

/* CL_SUCCESS, with the event of a command, and its times. */
int32_t make_event(struct object *queue, uint64_t number, uint32_t command, struct times *times, struct object **event);
/* The same where an event is asked for. */
static inline int32_t give_bare_event(struct object *queue, uint64_t number, uint32_t command, struct times *times, struct object **event)
{
    return event ? make_event(queue, number, command, times, event) : SUCCESS;
}

/* The same of a command that had nothing to do. */
static inline int32_t give_ended_event(struct object *queue, uint32_t command, const void *event)
{
    return give_bare_event(queue, 0, command, NULL, (struct object **)event);
}

/* A copy between the host's memory and the device's, or on the device. What `is_locked`, CUDA copies by itself. */
struct plain_copy {
    enum copy_kind kind;
    uint64_t to, from;
    size_t size;
    int is_locked;
};

/* Whether the copy was given, between its times if there are any; `has_end`: they have their end. */
int give_between(struct object *queue, struct times *times, const struct plain_copy *copy, int *has_end);

/* The same, behind the command; where CUDA does not record its end, it has no times. */
static inline int32_t give_timed_event(struct object *queue, uint64_t number, uint32_t command, struct times *times, int has_end,
                                       const void *event)
{
    if (!has_end)
        give_times(queue, times);
    return give_bare_event(queue, number, command, has_end ? times : NULL, (struct object **)event);
}

/* waits.c */

/* 0 where all that the queue was given has ended, which is noted for Python; NOT_READY, or an error, which is Python's. */
int ask_for_end(struct object *queue);

/* Polls until all that the queue's stream was given has ended, which is noted; 0 where that takes long, or fails: that is Python's. */
int wait_for_end(struct object *queue);
/* The same right behind a command that the stream was given. */
int wait_for_command(struct object *queue);

/* Whether the stream has nothing to end but the event's command, and what came before: then its end is the command's. */
int is_last(const struct object *event);

/* clGetEventInfo, CL_EVENT_COMMAND_EXECUTION_STATUS, of an event of which Python has not heard; 0 where only Python can tell. */
int tell_state(struct object *event, int32_t *state);

/* Whether Python has to be told that a queue is to be flushed. */
int needs_flush(const struct object *queue);
int32_t flush_queue(struct entry *entry, struct object *queue);
int32_t finish_queue(struct entry *entry, struct object *queue);
int32_t wait_for_events(struct entry *entry, uint32_t count, const void *events);

/* markers.c */

/* A command that does nothing; 0 where that is Python's. */
int put_place(uint32_t command, struct object *queue, const void *event, int32_t *status);

int32_t place_old_marker(struct entry *entry, struct object *queue, const void *event);
int32_t place_old_barrier(struct entry *entry, struct object *queue);
int32_t place_after_events(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits);
int32_t place_marker(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event);
int32_t place_barrier(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event);

/* buffer_commands.c */

/* Whether so many bytes of a buffer from an offset on are where a command of the queue may use them, of one made without the flags that are
   `refused`. Of a buffer that began bare all is known but the address. */
int is_reached(const struct object *queue, struct object *buffer, uint64_t refused, size_t offset, size_t size);
/* Python's answer to a command with a buffer, and perhaps another one, of which the memory is asked for after the second: many a buffer is
   copied only once. */
int32_t answer_and_learn(struct entry *entry, const word *words, struct object *buffer, struct object *other);

/* Asks Python for a buffer's memory, which one that began bare has from then on. */
void find_memory(struct object *buffer);
/* Where that was not asked yet of one that began bare. */
void find_memory_first(struct object *buffer);

/* After a command of Python's: of a buffer that is used again that is asked for. */
void learn_memory(struct object *buffer);

int32_t copy_buffer(struct entry *entry, struct object *queue, struct object *source, struct object *target, size_t source_offset,
                    size_t target_offset, size_t size, uint32_t wait_count, const void *waits, const void *event);

int32_t fill_buffer(struct entry *entry, struct object *queue, struct object *buffer, const void *pattern, size_t width, size_t offset,
                    size_t size, uint32_t wait_count, const void *waits, const void *event);

/* clEnqueueMigrateMemObjects: what stays where it is moves nowhere. */
int32_t migrate_objects(struct entry *entry, struct object *queue, uint32_t count, const void *objects, uint64_t flags, uint32_t wait_count,
                        const void *waits, const void *event);

/* host_copies.c */

/* Of buffers that began bare, and of others that Python has copied to or from twice. */
int32_t read_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, size_t offset, size_t size,
                    const void *host, uint32_t wait_count, const void *waits, const void *event);
int32_t write_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, size_t offset, size_t size,
                     const void *host, uint32_t wait_count, const void *waits, const void *event);

/* rectangles.c */
int32_t read_rectangle(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, const void *origin,
                       const void *host_origin, const void *size, size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                       size_t host_slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event);
int32_t write_rectangle(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, const void *origin,
                        const void *host_origin, const void *size, size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                        size_t host_slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event);
int32_t copy_rectangle_between(struct entry *entry, struct object *queue, struct object *source, struct object *target,
                               const void *source_origin, const void *target_origin, const void *size, size_t source_row_pitch,
                               size_t source_slice_pitch, size_t target_row_pitch, size_t target_slice_pitch, uint32_t wait_count,
                               const void *waits, const void *event);

#endif
