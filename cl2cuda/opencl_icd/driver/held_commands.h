/* What held.c keeps of a command: how it is given to its stream, and how Python is told of it, is held_commands.c's. */
#ifndef CL2CUDA_HELD_COMMANDS_H
#define CL2CUDA_HELD_COMMANDS_H

#include "held.h"

extern PyObject *hold_launch, *hold_read, *hold_write, *hold_copy, *hold_fill, *hold_place;

/* A command of another queue that one comes after: as long as that is held back, which; from then on its number there, of 0 where nothing
   is left to come after, or Python's event. */
struct behind {
    const struct held *held;
    struct object *queue;
    uint64_t number;
    uint32_t command;
    PyObject *core;
};

/* A launch, whose parameters are in the block, with their values before them; or another command, whose pattern is there if it has one. */
struct held {
    struct held *next;
    struct gate gate;
    struct object *queue, *kernel, *event; /* a kernel of a launch only; the event until it is released, or NULL */
    int is_awaited;                        /* commands of other queues come behind it */
    uint32_t command;
    struct behind behind[MOST_ELSEWHERE];  /* as many as the gate has elsewhere */
    struct held_copy copy;
    struct launch launch;
    struct plan_key key;
    struct parameters parameters;
    void *block;
};

/* Keeps what the application may change: the values that the launch's parameters have now, or a fill's pattern; 0 without memory. */
int freeze_launch(struct held *held, const struct parameters *parameters);
int freeze_copy(struct held *held);

/* Gives the command to the queue's stream, or the lane's, and `number` is its number there; 0 where it is Python's. */
int give_held(struct held *held, struct object *where, uint64_t *number);

/* With Python's lock: its event, once it has made the command its own; NULL, with Python's error set, where it fails. */
PyObject *tell_of_held(const struct held *held);

#endif
