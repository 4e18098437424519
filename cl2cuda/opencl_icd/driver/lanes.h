/* Launches, markers, barriers, copies and fills of buffers in queues out of order without Python. Each stream of such a queue is a *lane*:
   an object like a queue in order, to which the library gives commands as to one, and whose events are like those of one. Python opens the
   streams, and has all other commands. */
#ifndef CL2CUDA_LANES_H
#define CL2CUDA_LANES_H

#include "calls.h"

/* Whether it is such a queue, whose streams are given commands as NativeStream says. */
static inline int has_lanes(const struct object *queue)
{
    const struct stream *stream = is_object(queue, QUEUE) ? __atomic_load_n(&queue->stream, __ATOMIC_ACQUIRE) : NULL;
    return stream && stream->has_lanes && is_referenced(queue);
}

/* The lane for a command behind these events, which its stream comes after then; NULL where the command is Python's. */
struct object *lane_for(struct object *queue, uint32_t wait_count, const void *waits);

/* Whether launches of the queue need no Python now, and take no times. */
int takes_lanes(struct object *queue);

/* Another command will be given to the lane; and the launch was, where `launch` is the name of what takes about as long each time. */
void note_lane_copy(const struct object *lane);
void note_lane_launch(const struct object *lane, uint64_t number, const void *launch);

/* A marker or a barrier in such a queue; 0 where that is Python's. */
int place_in_lane(uint32_t command, struct object *queue, uint32_t wait_count, const void *waits, const void *event, int32_t *status);

/* Whether nothing is to be done for clFlush. */
int is_flushed_by_itself(const struct object *queue);

/* clFinish */
int32_t finish_lanes(struct entry *entry, struct object *queue);

/* At the last release of the queue: whether another one may have its lanes, of which nobody has an event, and which have come to
   their ends; then they are behind its last barrier, too. */
int lanes_rest(struct object *queue);

/* With Python's lock: after the queue's last reference; and when its object goes. */
void leave_lanes(const struct stream *stream);
void free_lanes(const struct stream *stream);

/* See begin_objects_anew: no thread is at the queue's lanes. */
void begin_lanes_anew(const struct stream *stream);

#endif
