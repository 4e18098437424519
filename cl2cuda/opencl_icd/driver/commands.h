/* Commands that are given to a queue's stream without Python, and what waits for them: where the queue is in order, and nothing beside
   the driver's own calls is to be done (runtime.queue.stream_timeline). */
#ifndef CL2CUDA_COMMANDS_H
#define CL2CUDA_COMMANDS_H

#include "launches.h"
#include "times.h"

/* cl_command_type */
enum { NDRANGE_KERNEL = 0x11F0, READ_BUFFER = 0x11F3, WRITE_BUFFER = 0x11F4, COPY_BUFFER = 0x11F5, FILL_BUFFER = 0x1207, MARKER = 0x11FE, BARRIER = 0x1205 };

/* With Python's lock, for a new queue: how commands are given to its stream. */
void find_native(struct object *queue);

/* Whether a queue takes a command with this wait list without Python. */
int takes_commands(const struct object *queue, uint32_t wait_count, const void *waits);

/* A command was given to the stream: its number. Where commands have ended when their call returns, that is noted, too. */
uint64_t count_command(struct object *queue);
void note_end(struct object *queue, uint64_t number);

/* CL_SUCCESS, with the event of a command where one is asked for, and its times. */
int32_t give_bare_event(struct object *queue, uint64_t number, uint32_t command, struct times *times, struct object **event);

/* clGetEventInfo, CL_EVENT_COMMAND_EXECUTION_STATUS, of an event of which Python has not heard; 0 where only Python can tell. */
int tell_state(struct object *event, int32_t *state);

int32_t flush_queue(struct entry *entry, struct object *queue);
int32_t finish_queue(struct entry *entry, struct object *queue);
int32_t wait_for_events(struct entry *entry, uint32_t count, const void *events);
int32_t place_marker(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event);
int32_t place_barrier(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event);

/* Asks Python for a buffer's memory, which one that began bare has from then on. */
void find_memory(struct object *buffer);
/* Where that was not asked yet of one that began bare. */
void find_memory_first(struct object *buffer);

/* Of buffers that began bare, and of others that Python has copied to or from twice. */
int32_t read_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, size_t offset, size_t size,
                    const void *host, uint32_t wait_count, const void *waits, const void *event);
int32_t write_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, size_t offset, size_t size,
                     const void *host, uint32_t wait_count, const void *waits, const void *event);

int32_t copy_buffer(struct entry *entry, struct object *queue, struct object *source, struct object *target, size_t source_offset,
                    size_t target_offset, size_t size, uint32_t wait_count, const void *waits, const void *event);

int32_t fill_buffer(struct entry *entry, struct object *queue, struct object *buffer, const void *pattern, size_t width, size_t offset,
                    size_t size, uint32_t wait_count, const void *waits, const void *event);

/* clCreateBuffer: where its flags and size are right and nothing is to be put into it, a bare one. */
void *create_buffer(struct entry *entry, struct object *context, uint64_t flags, size_t size, const void *host, const void *error);

#endif
