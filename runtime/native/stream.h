/* A stream of a driver as native code gives commands to it and waits for them: of Python programs here, of programs in C in
   cl2cuda/opencl_icd/driver. */
#ifndef CL2CUDA_NATIVE_STREAM_H
#define CL2CUDA_NATIVE_STREAM_H

#include "grid.h"
#include "moves.h"

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* runtime.driver.interface.NativeStream, whose words stand in this order: without a function to ask, commands are Python's. */
struct native_stream {
    uint64_t query, handle, poll_ns, read, write, most_read, most_written, flushes, current, context, prints, copy, fill_1, fill_2, fill_4,
        record, wait, copy_2d, staging, most_staged, attributes, pool, read_staged, write_staged, least_read, least_written, elapsed, graphs,
        write_unwaited, most_unwaited, copy_3d, scratch, copy_any, prefetch, device, few_pages, query_event, launch, fill_kernel,
        copy_kernel, write_value, read_box, write_box, write_parts, set_current,
        due_pages;
};

/* The words by which Python and code in C know of each other's commands: see runtime/queue/stream_timeline.py. */
enum native_word {
    NEEDS_PYTHON, FENCES_AHEAD_WANTED, NATIVE, NATIVE_ENDED, GIVEN, GIVEN_ENDED, REACHED, SETTLED, STREAMS, MORE_WANTED, LAST_BARRIER,
    BEHIND, BARRED, BARRING, NATIVE_BARRIER
};
enum { TIMES_ONLY = 2 }; /* NEEDS_PYTHON: commands would be plain but for the times that the queue takes */

static inline uint64_t native_word(const volatile uint64_t *words, enum native_word word)
{
    return __atomic_load_n(&words[word], __ATOMIC_ACQUIRE);
}

/* How many commands code in C has given, and up to which position Python has. */
struct progress {
    uint64_t commands, given;
};

static inline struct progress progress_in(const volatile uint64_t *words)
{
    return (struct progress){ native_word(words, NATIVE), native_word(words, GIVEN) };
}

/* Whether Python's commands up to the position are known to have ended; and whether all commands of then are. */
static inline int python_has_ended(const volatile uint64_t *words, uint64_t given)
{
    return given <= native_word(words, GIVEN_ENDED) || given <= native_word(words, REACHED);
}

static inline int all_have_ended(const volatile uint64_t *words, struct progress before)
{
    return before.commands <= native_word(words, NATIVE_ENDED) && python_has_ended(words, before.given);
}

/* Memory of the stream's on the device, for one command after the other: runtime/cuda/stream.py makes it and has its words. The first
   `filled` bytes are the element of so many bytes, again and again. Beside it page-locked memory of the host's, from byte STAGED on, for
   reads and writes of at most so many bytes: 0 where none was to be had. */
enum { LARGEST_ELEMENT = 16 };

struct device_scratch {
    uint64_t taken, memory, size, filled, width;
    char element[LARGEST_ELEMENT];
    uint64_t staging, staging_size;
};

/* CUDA_ERROR_NOT_READY; how long a thread polls before it lets others run; the largest write by way of memory of ours (SCRATCH of
   runtime.cuda.stream); where the contents of staged reads are, and the largest of them that take less than asking whether the host's
   memory is page-locked; and how much of a pattern comes from the host, which CUDA has read when its call returns (DIRECT there). */
enum { NOT_READY = 600, ALONE_NS = 50000, SCRATCH = 16 << 10, STAGED = 64, STAGED_UNASKED = 16 << 10, MOST_PATTERN = 64 << 10 };
/* The largest write of a buffer that goes by page-locked memory as a whole (STAGED_AS_A_WHOLE of runtime.cuda.stream). */
enum { MOST_IN_PARTS = 1 << 20 };
/* The most page-locked memory of the host's whose copy is waited for here: of more, it takes long. */
enum { MOST_LOCKED = 16 << 20 };

typedef int get_current_context(void **context);
typedef int set_current_context(void *context);
typedef int query_stream(void *stream);
typedef int copy_to_host(void *host, uint64_t memory, size_t size, void *stream);
typedef int copy_from_host(uint64_t memory, const void *host, size_t size, void *stream);
typedef int copy_on_device(uint64_t to, uint64_t from, size_t size, void *stream);
typedef int copy_anywhere(uint64_t to, uint64_t from, size_t size, void *stream);
typedef int fetch_pages(uint64_t address, size_t size, int device, void *stream);
typedef int fill_with_bytes(uint64_t memory, unsigned char value, size_t count, void *stream);
typedef int fill_with_shorts(uint64_t memory, unsigned short value, size_t count, void *stream);
typedef int fill_with_words(uint64_t memory, unsigned value, size_t count, void *stream);
typedef int record_event(void *event, void *stream);
typedef int query_event(void *event);
typedef int write_word(void *stream, uint64_t address, uint32_t value, unsigned flags);
typedef int staged_read(void *pool, void *host, uint64_t memory, size_t size, void *stream, uint64_t poll_ns);
typedef int staged_write(void *pool, uint64_t memory, const void *host, size_t size, void *stream, uint64_t poll_ns);
typedef int unwaited_write(void *pool, uint64_t memory, const void *host, size_t size, void *stream);
typedef int write_by_parts(const struct native_stream *stream, uint64_t memory, const void *host, size_t size);
typedef int get_attributes(unsigned count, const int *which, void **answers, uint64_t address);

static inline void *handle_of(const struct native_stream *stream)
{
    return (void *)(uintptr_t)stream->handle;
}

/* Whether CUDA's calls go to the context, which a call of Python's would make current. */
static inline int is_current(uint64_t current, uint64_t context)
{
    void *now = NULL;
    return !((get_current_context *)(uintptr_t)current)(&now) && (uintptr_t)now == context;
}

/* Whether the stream's functions may be called on this thread. */
static inline int is_open(const struct native_stream *stream)
{
    return stream->query && (!stream->current || is_current(stream->current, stream->context));
}

/* The same for what changes which context is current in Python, too: a command, or a wait for all. Where a program goes from device to device
   the stream's is made so. */
static inline int enter_stream(const struct native_stream *stream)
{
    return is_open(stream)
        || (stream->query && stream->set_current
            && !((set_current_context *)(uintptr_t)stream->set_current)((void *)(uintptr_t)stream->context));
}

/* Whether waiting is all that waiting for commands takes: Python brings out what kernels print. */
static inline int is_quiet(const struct native_stream *stream)
{
    return !stream->prints || !__atomic_load_n((const uint64_t *)(uintptr_t)stream->prints, __ATOMIC_ACQUIRE);
}

/* 0 where all that the stream was given has ended, NOT_READY, or an error, which is Python's. */
static inline int ask_stream(const struct native_stream *stream)
{
    return ((query_stream *)(uintptr_t)stream->query)(handle_of(stream));
}

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

/* Whether the stream comes to its end within a time that is little beside a copy that CUDA makes by itself then. A thread whose last one
   did not only asks. */
static inline int ends_soon(const struct native_stream *stream)
{
    enum { SOON_NS = 10000 };
    static __thread int did_not;
    int status = ask_stream(stream);
    for (uint64_t start = now_ns(); status == NOT_READY && !did_not && now_ns() - start < SOON_NS;)
        status = ask_stream(stream);
    did_not = status != 0;
    return !status;
}

/* Whether CUDA has allocated or page-locked the host's memory. */
static inline int is_page_locked(const struct native_stream *stream, const void *host)
{
    static const int memory_type = 2; /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
    unsigned type = 0;
    void *answer = &type;
    return ((get_attributes *)(uintptr_t)stream->attributes)(1, &memory_type, &answer, (uintptr_t)host) || type;
}

/* Whether any of the host's memory is not, as far as its ends tell. */
static inline int is_pageable(const struct native_stream *stream, const void *host, size_t size)
{
    return !is_page_locked(stream, host) || !is_page_locked(stream, (const char *)host + size - 1);
}

/* Whether one copy of so much, which CUDA makes by itself where the host's memory is page-locked, is waited for here. */
static inline int waits_for_locked(const struct native_stream *stream, size_t size)
{
    return stream->poll_ns && size <= MOST_LOCKED;
}

/* Whether it is such a copy. */
static inline int is_one_copy(const struct native_stream *stream, const void *host, size_t size)
{
    return waits_for_locked(stream, size) && !is_pageable(stream, host, size);
}

/* Whether a read that the caller waits for is made from here, or a write, of which the caller waits for nothing before it unless `waits`.
   All else is Python's, as is what is page-locked and much, of which CUDA makes one copy that takes long, or is not little and not waited
   for: CUDA reads it after its call has returned. */
static inline int can_read(const struct native_stream *stream, const void *host, size_t size)
{
    return size <= stream->most_read || size < stream->least_read
        || (stream->pool && (waits_for_locked(stream, size) || is_pageable(stream, host, size)));
}

static inline int can_write(const struct native_stream *stream, const void *host, size_t size, int waits)
{
    if (size <= stream->most_written)
        return 1;
    if (waits)
        return (stream->pool || size < stream->least_written) && (waits_for_locked(stream, size) || is_pageable(stream, host, size));
    return stream->pool && size <= stream->most_unwaited && is_pageable(stream, host, size);
}

/* Whether a little read that the caller need not wait for is made at once, where nothing else is to be waited for long. */
static inline int can_read_at_once(const struct native_stream *stream, size_t size)
{
    return size <= stream->most_read && (!stream->read || ends_soon(stream));
}

/* Whether such a read is one of several threads, and whether that has been made. What is page-locked CUDA copies by itself. */
static inline int reads_staged(const struct native_stream *stream, const void *host, size_t size)
{
    return stream->pool && size >= stream->least_read && !is_one_copy(stream, host, size);
}

static inline int read_staged(const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    return !((staged_read *)(uintptr_t)stream->read_staged)((void *)(uintptr_t)stream->pool, host, memory, size, handle_of(stream),
                                                            stream->poll_ns);
}

/* What became of a copy between the host's memory and the device's: Python is to make it, whatever of it was given; the stream was given
   it, and of a write the host's memory has been read; or it has ended. */
enum outcome { LEFT_TO_PYTHON, WAS_GIVEN, HAS_ENDED };

/* The stream's page-locked memory, for one copy; NULL where another thread has it, or a read gains nothing by it. */
static inline char *take_staging(const struct native_stream *stream, const void *host, size_t size)
{
    uint64_t *taken = (uint64_t *)(uintptr_t)stream->staging;
    if (!taken || size > stream->most_staged || (size > STAGED_UNASKED && is_page_locked(stream, host))
        || __atomic_exchange_n(taken, 1, __ATOMIC_ACQUIRE))
        return NULL;
    return (char *)taken + STAGED;
}

/* Whether a copy that was not waited for may still come there, or go from there, which all that the stream is given comes after, but not
   what the processor writes there. Of such memory the second word says so. */
static inline int is_left(const char *staged)
{
    return ((const uint64_t *)(const void *)(staged - STAGED))[1] != 0;
}

static inline void set_left(char *staged, uint64_t left)
{
    ((uint64_t *)(void *)(staged - STAGED))[1] = left;
}

/* Whether the processor may write there: what was left under way has ended when the stream has. */
static inline int may_fill(const struct native_stream *stream, char *staged)
{
    if (is_left(staged) && !ask_stream(stream))
        set_left(staged, 0);
    return !is_left(staged);
}

static inline void leave_staging(const struct native_stream *stream)
{
    set_left((char *)(uintptr_t)stream->staging + STAGED, 1);
}

static inline void give_staging(const struct native_stream *stream)
{
    __atomic_store_n((uint64_t *)(uintptr_t)stream->staging, 0, __ATOMIC_RELEASE);
}

/* The same memory, for a write. */
static inline char *take_staging_to_fill(const struct native_stream *stream, const void *host, size_t size)
{
    char *staged = take_staging(stream, host, size);
    if (!staged || may_fill(stream, staged))
        return staged;
    give_staging(stream);
    return NULL;
}

/* What became of a write from there, which was `given` to the stream or not, and is waited for as long as that is polled. */
static inline enum outcome end_staged_write(const struct native_stream *stream, char *staged, int given)
{
    int ended = given && wait_for_given(stream);
    set_left(staged, !ended);
    return ended ? HAS_ENDED : given ? WAS_GIVEN : LEFT_TO_PYTHON;
}

/* A read: CUDA copies into page-locked memory sooner than into other memory, and what is little the processor moves on. What a read has
   left there that was not waited for, the next one of the stream comes after. */
struct reading {
    char *staged; /* NULL where the contents come to the host's memory by themselves */
    void *host;
    size_t size;
};

/* CUDA's status for the contents' way to the host, where they are when the stream has ended and `end_reading` was called. */
static inline int begin_reading(struct reading *reading, const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    *reading = (struct reading){ take_staging(stream, host, size), host, size };
    void *to = reading->staged ? reading->staged : host;
    int status = ((copy_to_host *)(uintptr_t)stream->read)(to, memory, size, handle_of(stream));
    if (status && reading->staged)
        give_staging(stream);
    return status;
}

/* `ended`: the stream has. */
static inline void end_reading(const struct reading *reading, const struct native_stream *stream, int ended)
{
    if (!reading->staged)
        return;
    if (ended)
        memcpy(reading->host, reading->staged, reading->size);
    else
        leave_staging(stream);
    give_staging(stream);
}

/* The thread's own pageable memory, of SCRATCH bytes. */
static inline char *scratch_memory(void)
{
    static __thread char scratch[SCRATCH];
    return scratch;
}

/* CUDA's copy to the device: whether it was given. */
static inline int copy_to_device(const struct native_stream *stream, uint64_t memory, const void *host, size_t size)
{
    return !((copy_from_host *)(uintptr_t)stream->write)(memory, host, size, handle_of(stream));
}

/* The same to the host, without memory between. */
static inline int copy_from_device(const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    return !((copy_to_host *)(uintptr_t)stream->read)(host, memory, size, handle_of(stream));
}

/* Whether CUDA has read the host's memory, as it has before its call returns where that is pageable memory, which the caller's need not be,
   or will have when the stream comes to its end, which the caller waits for. What is little and not waited for is moved into memory that is
   pageable, which takes less than asking; what is not stays where it is. */
static inline int write_at_once(const struct native_stream *stream, uint64_t memory, const void *host, size_t size, int waits)
{
    if (size <= SCRATCH)
        host = memcpy(scratch_memory(), host, size);
    else if (!(waits && stream->poll_ns) && is_page_locked(stream, host))
        return 0;
    return copy_to_device(stream, memory, host, size);
}

/* Whether a write that is waited for goes by the stream's page-locked memory, from where the device copies it by itself: what is less
   CUDA puts among its commands. Much goes by the memory beside its scratch memory: Python is to make that as large first. */
static inline int goes_by_staging(const struct native_stream *stream, size_t size)
{
    return size > SCRATCH && (size <= stream->most_staged || (stream->write_parts && size <= MOST_IN_PARTS));
}

static inline int wants_staging(const struct native_stream *stream, const void *host, size_t size)
{
    const struct device_scratch *scratch = (const struct device_scratch *)(uintptr_t)stream->scratch;
    return size > stream->most_staged && __atomic_load_n(&scratch->staging_size, __ATOMIC_RELAXED) < size
        && is_pageable(stream, host, size);
}

static inline enum outcome write_by_staging(const struct native_stream *stream, uint64_t memory, const void *host, size_t size)
{
    if (size > stream->most_staged)
        return is_pageable(stream, host, size)
            ? (enum outcome)((write_by_parts *)(uintptr_t)stream->write_parts)(stream, memory, host, size) : LEFT_TO_PYTHON;
    char *staged = take_staging_to_fill(stream, host, size);
    if (!staged)
        return LEFT_TO_PYTHON;
    move_for_device(staged, host, size);
    enum outcome outcome = end_staged_write(stream, staged, copy_to_device(stream, memory, staged, size));
    give_staging(stream);
    return outcome;
}

/* Whether a copy that nobody waits for is made by CUDA alone, while the program leaves the host's memory alone, which is page-locked then. What is
   little is copied sooner in other ways. */
static inline int goes_by_itself(const struct native_stream *stream, const void *host, size_t size)
{
    return stream->attributes && size > SCRATCH && !is_pageable(stream, host, size);
}

/* A write as `can_write` says: whether the host's memory has been read. */
static inline int write_now(const struct native_stream *stream, uint64_t memory, const void *host, size_t size, int waits)
{
    void *pool = (void *)(uintptr_t)stream->pool, *handle = handle_of(stream);
    if (!waits && size > stream->most_written && !ends_soon(stream))
        return !((unwaited_write *)(uintptr_t)stream->write_unwaited)(pool, memory, host, size, handle);
    if (pool && size >= stream->least_written && !is_one_copy(stream, host, size))
        return !((staged_write *)(uintptr_t)stream->write_staged)(pool, memory, host, size, handle, stream->poll_ns);
    return write_at_once(stream, memory, host, size, waits);
}

/* The width of what a pattern repeats. */
static inline size_t least_width(const char *pattern, size_t width)
{
    while (width > 1 && !memcmp(pattern, pattern + width / 2, width / 2))
        width /= 2;
    return width;
}

/* What the word of a kernel of our own is where Python was not asked for it often enough, or has none (runtime/cuda/own_kernels.py), how
   many bytes a thread of it writes, and how many threads a block has. */
enum { NOT_ASKED_FOR = 0, NO_KERNEL = 1, UNIT = 8, UNIT_THREADS = 256 };

static inline uint64_t own_kernel(const struct native_stream *stream, uint64_t word)
{
    return word && stream->launch ? __atomic_load_n((const uint64_t *)(uintptr_t)word, __ATOMIC_ACQUIRE) : NO_KERNEL;
}

/* Whether it was launched, for so many bytes: whole units. */
static inline int launch_own_kernel(const struct native_stream *stream, uint64_t kernel, size_t size, void **parameters)
{
    const struct grid grid = { (void *)(uintptr_t)kernel, { (unsigned)((size / UNIT + UNIT_THREADS - 1) / UNIT_THREADS), 1, 1 },
                               { UNIT_THREADS, 1, 1 }, 0, parameters, NULL };
    return kernel > NO_KERNEL && !launch_grid((grid_launcher *)(uintptr_t)stream->launch, &grid, handle_of(stream));
}

/* The widest pattern, and up to how many bytes a fill with a wide one is one copy. */
enum { WIDEST = 128, FILLED_BY_COPY = 4 << 10 };

/* Whether Python is to be asked for the kernel, by a fill of its own. */
static inline int wants_fill_kernel(const struct native_stream *stream, size_t width, size_t size)
{
    return width >= UNIT && size > FILLED_BY_COPY && own_kernel(stream, stream->fill_kernel) == NOT_ASKED_FOR;
}

/* Whether the kernel was launched. */
static inline int fill_by_kernel(const struct native_stream *stream, uint64_t memory, const char *pattern, size_t width, size_t size)
{
    uint64_t count = size / UNIT, mask = width / UNIT - 1;
    char unit[WIDEST] = { 0 };
    if (size <= FILLED_BY_COPY)
        return 0;
    memcpy(unit, pattern, width);
    return launch_own_kernel(stream, own_kernel(stream, stream->fill_kernel), size, (void *[]){ &memory, &count, &mask, unit });
}

/* Whether a pattern has one of OpenCL's widths and fills the part of a buffer, and the stream has what does so: memory without functions is
   the host's own. */
static inline int can_fill(const struct native_stream *stream, size_t width, size_t start, size_t size)
{
    return width && width <= WIDEST && !(width & (width - 1)) && !(start % width) && !(size % width)
        && !wants_fill_kernel(stream, width, size)
        && (!stream->read || (stream->fill_1 && stream->write && stream->copy));
}

/* What is filled already is copied on, in pieces that stay in the processor's cache. */
static inline void repeat_pattern(char *memory, const char *pattern, size_t width, size_t size)
{
    enum { PIECE = 16 << 10 };
    size_t piece;
    if (width == 1) {
        memset(memory, *pattern, size);
        return;
    }
    memcpy(memory, pattern, width);
    for (size_t filled = width; filled < size; filled += piece) {
        piece = filled < PIECE ? filled : PIECE;
        if (piece > size - filled)
            piece = size - filled;
        memcpy(memory + filled, memory, piece);
    }
}

/* The thread's pageable memory that has a pattern again and again, in so many bytes at least. The next fill has mostly the same one. */
static inline const char *repeated_pattern(const char *pattern, size_t width, size_t size)
{
    static __thread struct {
        size_t width, filled;
        char pattern[WIDEST], memory[MOST_PATTERN];
    } kept;
    if (kept.width != width || memcmp(kept.pattern, pattern, width)) {
        kept.width = width;
        kept.filled = 0;
        memcpy(kept.pattern, pattern, width);
    }
    if (kept.filled < size)
        repeat_pattern(kept.memory, pattern, width, kept.filled = size);
    return kept.memory;
}

/* Of what is wider than the numbers that CUDA fills with, a piece comes from the host, and is doubled on the device: CUDA takes longer
   for two copies than for what it reads at once. */
static inline int fill_by_copies(const struct native_stream *stream, uint64_t memory, const char *pattern, size_t width, size_t size)
{
    size_t filled = size < MOST_PATTERN ? size : MOST_PATTERN, more;
    int status = ((copy_from_host *)(uintptr_t)stream->write)(memory, repeated_pattern(pattern, width, filled), filled, handle_of(stream));
    for (; !status && filled < size; filled += more) {
        more = filled < size - filled ? filled : size - filled;
        status = ((copy_on_device *)(uintptr_t)stream->copy)(memory + filled, memory, more, handle_of(stream));
    }
    return !status;
}

/* Fills as `can_fill` says; 0 where CUDA does not. */
static inline int fill_now(const struct native_stream *stream, uint64_t memory, const char *pattern, size_t width, size_t size)
{
    void *handle = handle_of(stream);
    uint32_t word = 0;
    width = least_width(pattern, width);
    if (!stream->read) {
        repeat_pattern((char *)(uintptr_t)memory, pattern, width, size);
        return 1;
    }
    if (width > sizeof word)
        return fill_by_kernel(stream, memory, pattern, width, size) || fill_by_copies(stream, memory, pattern, width, size);
    memcpy(&word, pattern, width);
    return !(width == 1 ? ((fill_with_bytes *)(uintptr_t)stream->fill_1)(memory, (unsigned char)word, size, handle)
             : width == 2 ? ((fill_with_shorts *)(uintptr_t)stream->fill_2)(memory, (unsigned short)word, size / 2, handle)
                          : ((fill_with_words *)(uintptr_t)stream->fill_4)(memory, word, size / 4, handle));
}

#endif
