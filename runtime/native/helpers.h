/* Threads that help with work in parts. */
#ifndef CL2CUDA_NATIVE_HELPERS_H
#define CL2CUDA_NATIVE_HELPERS_H

#include <stddef.h>
#include <stdint.h>

/* Work that its thread does in parts; those that help call `help`, which returns when there is nothing left to do, or nothing for now. */
struct work {
    void (*help)(struct work *);
    int invitations, inside; /* threads that may come, and that are at it */
    struct work *next;
};

/* From here on helpers may be invited to the work. */
void share_work(struct work *work);
/* Has so many threads come. Nobody waits for them: they may come late, or never. */
void invite_helpers(struct work *work, int count);
/* No more come; returns when those at it have left. */
void finish_work(struct work *work);

/* As memcpy. Those that come in time help with much, where the process may have any. */
void copy_with_helpers(void *to, const void *from, size_t size);

/* The same of what is still on its way, and little enough for one that begins to help only then to come too late: helpers are called now,
   and wait for it as long as it takes them to come. */
struct parts {
    struct work work;
    char *to;
    const char *from;
    size_t size, part, next; /* where the next part begins that nobody copies yet */
    unsigned char *copied;   /* by a part's number, where that is to be known */
    int is_there;
};

void call_for_copy(struct parts *parts, void *to, const void *from, size_t size);
/* Copies, or with `is_there` 0 sends the helpers away. */
void finish_copy(struct parts *parts, int is_there);

/* Or what is there, for the device, which gets first what comes first: in parts of so many bytes, for each of which `copied` has a zero. */
void begin_copy(struct parts *parts, void *to, const void *from, size_t size, size_t part, unsigned char *copied);
/* One step: up to where all has been copied, as it has up to `done`. */
size_t copy_on(struct parts *parts, size_t done);
/* Sends the helpers away. */
void end_copy(struct parts *parts);

/* The process is to have so many helpers at most, if not more already. They start when they are first invited, and stay. */
void allow_helpers(int count);
/* How often the process was forked off from another: a child has no threads of its parent's, nor the work that they were at. */
unsigned forks_before(void);
int prepare_helpers(void);

/* One step of waiting for something that is done soon by others, after so much time. */
void rest(uint64_t waited_ns);

#endif
