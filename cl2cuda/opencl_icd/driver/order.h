/* Commands behind events of other queues' commands. */
#ifndef CL2CUDA_ORDER_H
#define CL2CUDA_ORDER_H

#include "calls.h"

static inline uint64_t seen(const struct object *queue, enum native_word word)
{
    return native_word(queue->stream->native, word);
}

static inline void raise_word(uint64_t *place, uint64_t number)
{
    uint64_t now = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (now < number && !__atomic_compare_exchange_n(place, &now, number, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
}

/* An event of a command of the library's, no user event, of which Python has not heard, and which is not held back; and whether the command
   is known to have ended, as one that the queue has not counted had from the start. */
static inline int is_bare(const struct object *event)
{
    return is_object(event, EVENT) && !has_core(event) && !event->description && !__atomic_load_n(&event->waits, __ATOMIC_ACQUIRE);
}

static inline int has_ended(const struct object *event)
{
    return !event->number || seen(event->parent, NATIVE_ENDED) >= event->number;
}

/* Has what the queue's stream is given from now on come after the command of a bare event of another queue. 0 where that is Python's: then
   the stream may wait already for what the command would have waited for. */
int come_after(const struct object *queue, const struct object *event);

/* The same for the library's command of that number in another queue, and perhaps later ones; and for all that the other one was given. */
int come_after_command(const struct object *queue, struct object *other, uint64_t number);
int come_after_queue(const struct object *queue, struct object *other);

/* Marks the place behind all that the queue was given, for those that will come after it. What is not marked now is marked then. */
void mark_place(struct object *queue);

#endif
