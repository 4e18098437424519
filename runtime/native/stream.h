/* A stream of a driver, as native code knows it: of Python programs here, of programs in C in cl2cuda/opencl_icd/driver. How it is waited for
   is in stream_waits.h, and what it is given in stream_copies.h and stream_fills.h. */
#ifndef CL2CUDA_NATIVE_STREAM_H
#define CL2CUDA_NATIVE_STREAM_H

#include <stddef.h>
#include <stdint.h>

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

/* CUDA_ERROR_NOT_READY */
enum { NOT_READY = 600 };

/* The functions that its words are. */
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

#endif
