/* Commands behind user events that are not set: launches, little copies between the host and buffers that nobody waits for, copies and
   fills on the device, markers and barriers. Launches keep the values that arguments had, and all are made by the thread that sets the event. Of
   what is held back Python does not know as long as nobody enters it: whoever does tells it first. How each kind is made, and told of, is
   in held_commands.c. */
#ifndef CL2CUDA_HELD_H
#define CL2CUDA_HELD_H

#include "launches.h"

/* Whether anything is held back. */
int any_held(void);

/* What a command stands behind: the user event of its list, or that of what the queue in order holds back already, which ends the
   command where it fails if it is in the list, or an event is that waits for it. Beside that, events of its list that other queues hold
   back behind the same one. */
enum { MOST_ELSEWHERE = 4 };
struct gate {
    struct object *event; /* NULL where the command is not to be held back here */
    int is_waited_for;
    uint32_t elsewhere_count;
    struct object *elsewhere[MOST_ELSEWHERE];
};
struct gate gate_for(struct object *queue, uint32_t wait_count, const void *waits);
/* The same of all but launches, which are held back in queues in order alone. */
struct gate gate_in_order(struct object *queue, uint32_t wait_count, const void *waits);

/* Holds the launch back; 0 where that is Python's. The event is made where one is wanted. */
int hold_back(struct gate gate, const struct launch *launch, const struct parameters *parameters, const struct plan_key *key,
              struct object *queue, struct object *kernel, struct object **event);

/* The same of any other command (cl_command_type): of a buffer at an address that is known, and the host's memory or the buffer that it is
   copied to; or of none, for markers and barriers. */
struct held_copy {
    uint32_t command;
    struct object *buffer, *target;
    uint64_t address, target_address;
    size_t offset, target_offset, size;
    const void *host;     /* of a fill, its pattern */
    size_t pattern_width;
};
int hold_copy_back(struct gate gate, const struct held_copy *copy, struct object *queue, struct object **event);

/* A marker or barrier; 0 where it is not held back here. */
int hold_place_back(uint32_t command, struct object *queue, uint32_t wait_count, const void *waits, const void *event);

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
