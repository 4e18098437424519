/* How a thread waits until a stream has come to its end: it looks at a word that the stream sets, asks the driver, and lets others run. */
#ifndef CL2CUDA_NATIVE_STREAM_WAITS_H
#define CL2CUDA_NATIVE_STREAM_WAITS_H

#include "stream.h"

#include <sched.h>
#include <time.h>

/* How long a thread polls before it lets others run. */
enum { ALONE_NS = 50000 };

/* Of a loop that reads memory until it changes: lets the processor's other thread run. */
static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* A word of the host's that the stream sets when it comes to that, of its page-locked memory before STAGED; the number that it was to be
   set to last; and whether CUDA has refused to. The processor sees the word change sooner than a call tells that the stream has ended,
   each of which takes more than a microsecond: on an H200 a launch's end 0.7 us sooner, and a copy's. */
enum { FLAG = 2, LAST_TICKET, REFUSED };

/* Has the stream set its word when all that it was given until now has ended: to a number that is not 0, or 0 where it does not. */
static inline uint32_t ask_for_flag(const struct native_stream *stream)
{
    uint64_t *words = (uint64_t *)(uintptr_t)stream->staging;
    if (!stream->write_value || !words || __atomic_load_n(&words[REFUSED], __ATOMIC_RELAXED))
        return 0;
    uint32_t ticket = (uint32_t)__atomic_add_fetch(&words[LAST_TICKET], 1, __ATOMIC_RELAXED);
    if (!ticket)
        return 0;
    if (!((write_word *)(uintptr_t)stream->write_value)(handle_of(stream), (uintptr_t)&words[FLAG], ticket, 0))
        return ticket;
    __atomic_store_n(&words[REFUSED], 1, __ATOMIC_RELAXED);
    return 0;
}

/* Whether the word is at the number, or behind it, before the time. Threads that ask at once may have a later number overwritten by an
   earlier one: who waits for that asks the stream in the end. */
static inline int sees_flag(const struct native_stream *stream, uint32_t ticket, uint64_t until_ns)
{
    enum { LOOKS = 32 };
    const uint32_t *flag = (const uint32_t *)((const uint64_t *)(uintptr_t)stream->staging + FLAG);
    do {
        for (int i = 0; i < LOOKS; i++) {
            if ((int32_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) - ticket) >= 0)
                return 1;
            relax();
        }
    } while (now_ns() < until_ns);
    return 0;
}

/* Polls until all has ended, or, of an event that is not NULL, all that was there when it was recorded; 0 where that takes long, or
   fails: that is Python's. `ticket` is what `ask_for_flag` has said, where it was asked. */
enum { ASKED_AGAIN_NS = 10000 };

static inline int poll_asked(const struct native_stream *stream, void *event, uint32_t ticket, int is_asked)
{
    uint64_t start = 0;
    int status;
    while ((status = event ? ((query_event *)(uintptr_t)stream->query_event)(event) : ask_stream(stream))) {
        uint64_t now = now_ns();
        start = start ? start : now;
        if (status != NOT_READY || now - start >= stream->poll_ns)
            return 0;
        int is_alone = now - start <= ALONE_NS;
        if (!event && !is_asked)
            ticket = ask_for_flag(stream);
        is_asked = 1;
        if (ticket && sees_flag(stream, ticket, is_alone ? now + ASKED_AGAIN_NS : 0))
            return 1;
        if (!is_alone)
            sched_yield();
    }
    return 1;
}

static inline int poll_stream(const struct native_stream *stream, void *event)
{
    return poll_asked(stream, event, 0, 0);
}

static inline int wait_for_stream(const struct native_stream *stream)
{
    return poll_stream(stream, NULL);
}

/* The same where the flag was asked for behind all that the stream was given, or could not be: to hear of the stream that it has not ended
   takes longer than the last of many a command. */
static inline int wait_for_flag(const struct native_stream *stream, uint32_t ticket)
{
    return (ticket && stream->poll_ns && sees_flag(stream, ticket, now_ns() + ASKED_AGAIN_NS)) || poll_asked(stream, NULL, ticket, 1);
}

/* By the flag that was asked for ahead, or as always where none was (0). */
static inline int wait_for_all_by(const struct native_stream *stream, uint32_t flag)
{
    return flag ? wait_for_flag(stream, flag) : wait_for_stream(stream);
}

/* And right behind a command that the stream was given. */
static inline int wait_for_given(const struct native_stream *stream)
{
    return wait_for_flag(stream, stream->poll_ns ? ask_for_flag(stream) : 0);
}

/* Whether the stream comes to its end within the time. A thread whose last one did not only asks. */
static inline int ends_within(const struct native_stream *stream, uint64_t time_ns, int *did_not)
{
    int status = ask_stream(stream);
    for (uint64_t start = now_ns(); status == NOT_READY && !*did_not && now_ns() - start < time_ns;)
        status = ask_stream(stream);
    *did_not = status != 0;
    return !status;
}

/* The same within a time that is little beside a copy that CUDA makes by itself then. */
static inline int ends_soon(const struct native_stream *stream)
{
    enum { SOON_NS = 10000 };
    static __thread int did_not;
    return ends_within(stream, SOON_NS, &did_not);
}

#endif
