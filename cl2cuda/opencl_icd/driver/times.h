/* The times of commands that are given to a queue's stream without Python, where the queue takes times of its commands
   (CL_QUEUE_PROFILING_ENABLE) and nothing else makes them Python's. */
#ifndef CL2CUDA_TIMES_H
#define CL2CUDA_TIMES_H

#include "calls.h"
#include "graphs.h"

/* What CUDA's times are counted from for a while (runtime.driver.interface.TimeBase). `time` counts where `is_known`. */
struct base {
    struct base *next;
    PyObject *object;
    void *event;
    int64_t time;
    uint32_t is_known, users;
};

/* The times of one command, whose event has them until it goes; then another one takes them. Those of CUDA are two events that Python's
   `fences` have, for an event of which Python hears (native_commands.fences_of); `start` and `end` count where `is_known`. */
struct times {
    struct times *next;
    PyObject *fences;
    void *begun, *ended;
    struct base *base;
    uint64_t queued, start, end;
    uint32_t is_known;
};

/* Of a queue: times of no command, and what commands are counted from until then. */
struct timing {
    struct times *unused;
    struct base *base;
    uint64_t until;
};

/* Whether times of the queue's commands can be taken here. */
int may_take_times(const struct object *queue);

/* Before a command is given to the stream whose event is wanted: `times` is NULL where the queue takes none. 0 where that is Python's. */
int take_times(struct object *queue, const void *event, struct times **times);

/* Just before the command, and just after it; for NULL, too. 0 where CUDA does not record that. */
int begin_times(struct object *queue, struct times *times);
int end_times(struct object *queue, struct times *times);

/* Where there is no command, or no event that has the times any more. */
void give_times(struct object *queue, struct times *times);

/* With Python's lock: when the event's object goes, or the queue's; and what was counted from bases of which nothing is any more. */
void drop_times(struct object *event);
void drop_timing(struct object *queue);
void drop_bases(void);

/* With Python's lock: the runtime's event of a command with times; NULL with Python's error. */
PyObject *timed_core(struct object *event);

/* Whether the event's command is known to have ended by its times. */
int has_times(struct object *event);

/* clGetEventProfilingInfo */
int32_t tell_times(struct entry *entry, struct object *event, uint32_t query, size_t room, const void *value, const void *size);

#endif
