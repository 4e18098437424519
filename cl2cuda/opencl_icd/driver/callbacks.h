/* Callbacks of commands that are given to a stream without Python: a thread in C waits for them, and calls. */
#ifndef CL2CUDA_CALLBACKS_H
#define CL2CUDA_CALLBACKS_H

#include "calls.h"

extern PyObject *watched_fences_of, *status_at_end;

/* clSetEventCallback */
int32_t set_event_callback(struct entry *entry, struct object *event, int32_t status, const void *function, const void *user_data);

/* Around a fork, so that the child gets the list as it is; and in the child, before it gives the lock: the threads are the parent's, and so
   is what they were to call. */
void lock_watchers(void);
void unlock_watchers(void);
void forget_watchers(void);

#endif
