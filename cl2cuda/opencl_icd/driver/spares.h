/* Released buffers that become new ones of the same size and flags, without Python, and queues that become new ones like them. */
#ifndef CL2CUDA_SPARES_H
#define CL2CUDA_SPARES_H

#include "objects.h"

/* The package's function that says whether the buffers of a context may. */
extern PyObject *buffers_may_return;

/* With the lock on objects: keeps one more, and takes the one at its place in the list; NULL where none is there. And the one
   that was kept first, of some. */
void put_among(struct spares *spares, struct object *object);
struct object *take_from(struct spares *spares, struct object **place);
struct object *take_oldest_from(struct spares *spares);

/* At the last release of a buffer; 0 where it goes the usual way. */
int keep_spare(struct object *buffer);

/* One of those that were kept, with one reference; NULL where none is like that. */
struct object *take_spare(struct object *context, uint64_t flags, size_t size);

/* Whether all that a queue in order, or a lane, was given has ended, and nobody has an event of it. What is to be printed is Python's. */
int queue_rests(struct object *queue);

/* The same of a queue, and for one like it; and with Python's lock, when the context is nobody's: ends those that were kept, and keeps
   no more. */
int keep_queue(struct object *queue);
struct object *take_queue(struct object *context, const struct description *description);
void end_queues(struct object *context);

/* With Python's lock, before a queue is made in the context. */
void note_new_queue(struct object *context);

/* With Python's lock: ends what is kept, and keeps nothing more. */
void end_spares(struct object *context);

#endif
