/* User events of which Python has not heard: their status is set here, until a command waits for one, or a callback. */
#ifndef CL2CUDA_USER_EVENTS_H
#define CL2CUDA_USER_EVENTS_H

#include "calls.h"

/* Whether it is one. */
static inline int is_bare_user_event(const struct object *event)
{
    return is_object(event, EVENT) && event->description && !has_core(event);
}

/* Whether nobody has set it, and Python has not heard of it. */
int is_unset(const struct object *event);

/* With Python's lock: the core of one, with the status that was set; from now on Python sets it. */
PyObject *user_event_core(struct object *event);

/* Its status; 0 where it is none. */
int tell_user_event(const struct object *event, int32_t *state);

/* Of what a call has made that makes user events, or others, or nothing. */
void note_user_event(struct object *made);

/* After the last reference to an event: whether it stays, since commands wait for it. The specification has it deleted when there are none
   (5.11, clReleaseEvent), and programs set it then. */
int is_left_to_be_set(struct object *event);

/* clSetUserEventStatus */
int32_t set_user_event(struct entry *entry, struct object *event, int32_t status);

#endif
