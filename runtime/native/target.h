/* A command-queue in order, and the places of commands on its stream (target.c); what its commands come after, and how that is waited for. */
#ifndef CL2CUDA_NATIVE_TARGET_H
#define CL2CUDA_NATIVE_TARGET_H

#include "access.h"
#include "attributes.h"
#include "choice.h"
#include "stream_copies.h"

struct target {
    PyObject head;
    volatile uint64_t *words;
    PyObject *serial, *event_type, *timeline, *next_position;
    struct native_stream stream;
    int is_unordered; /* a stream of a queue that is out of order */
    PyObject *device; /* the queue's, where memory objects may be on several; NULL where each is on one, always at one place */
    /* order.c: a fence of the stream's, its CUDA event, and the position up to which that was recorded. */
    PyObject *mark;
    uint64_t mark_event, marked;
    struct fences *fences; /* fences.c; NULL while none were wanted */
    uint64_t others; /* commands of code in C of another kind that have got their numbers */
    /* Where the last command stands that nobody waits for as such, but perhaps for all; the flag that was asked for behind it, and whether
       that is done for the next one. */
    uint64_t flagged_at;
    uint32_t flag;
    int wants_flags;
    /* What is known of a stream of a queue out of order, and the position of its last launch by code in C, or of markers right behind it;
       of the first one also what the queue chooses among its streams by. */
    struct given given;
    uint64_t launched_at;
    struct choice choice;
};

/* Words that code in C of another kind writes, or goes by, without Python's lock. */
static inline uint64_t see_word(const struct target *target, enum native_word word)
{
    return native_word(target->words, word);
}

static inline void tell_word(const struct target *target, enum native_word word, uint64_t number)
{
    __atomic_store_n(&target->words[word], number, __ATOMIC_RELEASE);
}

/* Whether all that the stream was given is known to have ended. */
static inline int is_idle(const struct target *target)
{
    return all_have_ended(target->words, progress_in(target->words));
}

/* Of the serial, the type of events, the timeline and its next_position, the address of its words, the bytes of its native_stream, or
   None, and the device, or None. */
PyObject *make_target(PyObject *const *parts, uint64_t words, PyObject *native, int is_unordered, PyObject *device);
PyObject *new_target(PyObject *module, PyObject *arguments);
int prepare_targets(void);
/* The queue as code in C knows it, or the first stream of one that is out of order; NULL, without an error, where it does not. */
struct target *known_target(PyObject *queue);
/* The queue in order, where its commands are not Python's, and each memory object is on one device; NULL, without an error, where not. */
struct target *plain_target(PyObject *queue);
/* The queue in order whose timeline says this of NEEDS_PYTHON. */
struct target *target_that_says(PyObject *queue, uint64_t word);
/* As CommandTarget.issued after a command that was given to the stream: its place, which is drawn first, without any code of Python's, and
   what is done then, which gives NULL for NULL. */
PyObject *draw_position(const struct target *target);
PyObject *after_position(const struct target *target, PyObject *position);
PyObject *next_position(const struct target *target);
/* Commands of code in C of another kind (cl2cuda/opencl_icd/driver) get their numbers, if there are any. 0, with an error, where they do
   not. */
int note_others(struct target *target);
/* Where programs wait for all right behind an unmapping, or a write that they do not wait for, the stream is asked for its flag behind the
   next one, and not only when they wait: before such a command, whether it is to be; behind it, its place, and the flag or 0; and for who
   waits for all before a position, the flag behind the last command, or 0. */
int wants_flag(struct target *target);
void note_flag(struct target *target, PyObject *position, uint32_t flag);
uint32_t take_flag(struct target *target, PyObject *position);
/* A fence behind what the stream has been given, with its time where `timing` is True. */
PyObject *new_fence(const struct target *target, PyObject *timing);
/* The runtime's event of the command at the position. */
PyObject *new_event(PyObject *queue, const struct target *target, PyObject *command_type, PyObject *position);
/* The face's object for the runtime's event, which is dropped, or without a type that event; NULL for NULL. */
PyObject *stand_for(PyObject *event, PyObject *type);

/* As QueueStream._is_quiet: no command was given to the stream since all had ended. `drawn` is the number by which that is known; it stays
   what it was, perhaps with an error, where that is not to be had. Of a timeline, whose method draws numbers, or a target's. */
int is_quiet_timeline(PyObject *timeline, PyObject *next_position, uint64_t *drawn);
int is_quiet_now(struct target *target, uint64_t *drawn);

/* order.c: what a command comes after. */

/* How long a wait list is; negative where it is Python's. And the runtime's event at a place of it; NULL, with an error, where there is
   none. */
Py_ssize_t length_of(PyObject *list);
PyObject *event_at(PyObject *list, Py_ssize_t place);
/* The status of a user event, or of the gate of a command that was held back; 0, perhaps with an error, where there is none. */
int read_status(PyObject *gate, long long *status);

/* Whether an event of the list was or is held back by a gate, or it has none that are events: such a list is Python's. */
int are_held_back(PyObject *wait_for);
/* Has a command that the target is about to get come after the whole list; 0, without an error, where Python is to see to it. What the
   stream comes after already then, Python would have it come after, too. */
int put_after(PyObject *wait_for, PyObject *queue, struct target *target);
/* The same for one event of another stream of the context, whose command has been given to that, perhaps after a gate held it back. */
int come_after_issued(struct target *target, PyObject *queue, PyObject *event);
/* The stream of a queue that is out of order for a command behind the list, or with `follows_all` behind everything where that is empty;
   NULL, without an error, where Python is to choose: also behind a barrier of code in C of another kind of which Python has not heard,
   and for a barrier where there may be one. */
struct target *target_among(PyObject *queue, PyObject *wait_for, int follows_all, int is_barrier);
/* The command at the position of such a stream is the queue's barrier: all later ones come behind it. 0, with an error, without memory. */
int set_barrier(PyObject *queue, const struct target *target, PyObject *position);
/* After a launch in such a stream, of which `launch` is the name, a marker or barrier, or another command. 0, with an error, without
   memory. */
int note_launch(struct target *target, PyObject *position, const void *launch);
int note_marker(struct target *target, PyObject *position);
int note_command(struct target *target, PyObject *position);
/* The target of a queue that has this timeline; NULL, perhaps with an error, where code in C has none. */
struct target *target_with(PyObject *queue, PyObject *timeline);

/* fences.c: fences behind commands that others are behind by the time they are waited for, so that none waits for those, too. */

/* Whether the stream has come to the command at the position, which is an event's; not where Python is to wait. */
int wait_behind_others(struct target *target, PyObject *event, uint64_t position);
/* After the command at the position: has CUDA record a fence where someone is likely to wait for it, or one shortly before it, later on. */
void record_ahead(const struct target *target, uint64_t position);
void drop_fences(struct target *target);

/* waits.c: the position, where the caller need not wait up to there (NULL), or has waited so: `wait_for_given` right behind a command, and
   `wait_for_stream` where all has ended mostly. NULL where Python is to make the command. */
typedef int wait_for_all_given(const struct native_stream *stream);
PyObject *waited_for(const struct target *target, PyObject *position, wait_for_all_given *wait);
/* The same of a copy that has had this outcome. `position`, which goes, was drawn before it, and is its place where it has ended since. */
PyObject *position_of(const struct target *target, enum outcome outcome, PyObject *position, int waits);

/* As `can_read_more_at_once`, for who has Python's lock (buffer_commands.c). */
int ends_at_once(const struct target *target, size_t size);

#endif
