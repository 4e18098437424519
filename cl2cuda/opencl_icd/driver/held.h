/* Launches, and writes of little that nobody waits for, behind user events that are not set: launches keep the values that arguments had, and
   all are made by the thread that sets the event. Of what is held back Python does not know as long as nobody enters it: whoever does tells
   it first. */
#ifndef CL2CUDA_HELD_H
#define CL2CUDA_HELD_H

#include "launches.h"

extern PyObject *hold_launch, *hold_write;

/* Whether anything is held back. */
int any_held(void);

/* What a command stands behind: the user event of its list, or that of what the queue in order holds back already, which ends the
   command where it fails if it is in the list, or an event is that waits for it. */
struct gate {
    struct object *event; /* NULL where the command is not to be held back here */
    int is_waited_for;
};
struct gate gate_for(struct object *queue, uint32_t wait_count, const void *waits);

/* Holds the launch back; 0 where that is Python's. The event is made where one is wanted. */
int hold_back(struct gate gate, const struct launch *launch, const struct parameters *parameters, const struct plan_key *key,
              struct object *queue, struct object *kernel, struct object **event);

/* The same of a write to a buffer, at an address that is known. */
struct held_write {
    struct object *buffer;
    uint64_t address;
    size_t offset, size;
    const void *host;
};
int hold_write_back(struct gate gate, const struct held_write *write, struct object *queue, struct object **event);

/* After the user event was set: makes what it has held back. */
void let_go_behind(const struct object *event, int32_t status);

/* With Python's lock: it takes all that is held back. */
void tell_held(void);

/* The event, which was released, or the user event that nobody can set any more. */
void leave_held(struct object *event);
void leave_gate(struct object *event);

/* Around a fork, so that the child gets the list as it is; and in the child, before it gives the lock: what another thread had taken is
   made in the parent alone. */
void lock_held(void);
void unlock_held(void);
void forget_taken(void);

#endif
