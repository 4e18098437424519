/* The commands that held.c holds back, each by its kind. */
#include "held_commands.h"

#include "commands.h"
#include "due_pages.h"
#include "lanes.h"
#include "stream_fills.h"

#include <stdlib.h>
#include <string.h>

PyObject *hold_launch, *hold_read, *hold_write, *hold_copy, *hold_fill, *hold_place;

/* As copy_parameters of runtime/native/launches.c: the values of now, as aligned as those they are of. */
int freeze_launch(struct held *held, const struct parameters *parameters)
{
    enum { MOST_ALIGNED = 128 };
    size_t place = (parameters->size + MOST_ALIGNED - 1) & ~(size_t)(MOST_ALIGNED - 1);
    char *const *given = (char *const *)(uintptr_t)held->launch.words[PARAMETERS], *values = (char *)(uintptr_t)parameters->values;
    if (posix_memalign(&held->block, MOST_ALIGNED, place + (parameters->count + 1) * sizeof *given))
        return 0;
    char *block = held->block, **copied = (char **)(block + place);
    memcpy(block, values, parameters->size);
    for (uint64_t i = 0; i < parameters->count; i++)
        copied[i] = block + (given[i] - values);
    held->parameters = (struct parameters){ parameters->count, (uintptr_t)block, parameters->size };
    held->launch.words[PARAMETERS] = (uintptr_t)copied;
    return 1;
}

int freeze_copy(struct held *held)
{
    if (!held->copy.pattern_width)
        return 1;
    if (!(held->block = malloc(held->copy.pattern_width)))
        return 0;
    held->copy.host = memcpy(held->block, held->copy.host, held->copy.pattern_width);
    return 1;
}

/* Giving. */

static int give_launch(struct held *held, struct object *where, uint64_t *number)
{
    bring_due_pages_to(&where->stream->functions);
    if (!give_grid(&held->launch, where))
        return 0;
    *number = count_command(where);
    if (where != held->queue)
        note_lane_launch(where, *number, launch_name(held->kernel, held->key.global));
    return 1;
}

/* As in host_copies.c, of reads that are not waited for. The commands before the read were given just now: beside the way of Python's
   threads it takes little to wait until their end, but for a thread whose last ones took longer. */
static int give_read(const struct held_copy *copy, struct object *queue, uint64_t *number)
{
    enum { SOON_NS = 30000 };
    static __thread int did_not;
    const struct native_stream *stream = &queue->stream->functions;
    void *host = (void *)copy->host;
    struct reading reading;
    if (!is_quiet(stream))
        return 0;
    if (!stream->read) {
        memmove(host, (const void *)(uintptr_t)copy->address, copy->size);
        *number = count_given(queue);
        return 1;
    }
    if (reads_by_itself(stream, host, copy->size)) {
        if (!copy_from_device(stream, host, copy->address, copy->size))
            return 0;
        *number = count_command(queue);
        return 1;
    }
    if (!ends_within(stream, SOON_NS, &did_not) || begin_reading(&reading, stream, host, copy->address, copy->size))
        return 0;
    *number = count_command(queue);
    int ended = wait_for_command(queue);
    end_reading(&reading, stream, ended);
    return ended; /* Else Python reads again, and waits longer or tells what is wrong. */
}

static int was_copied(const struct held_copy *copy, const struct native_stream *stream)
{
    void *at = (void *)(uintptr_t)copy->address;
    switch (copy->command) {
    case WRITE_BUFFER:
        if (stream->write)
            return copy_to_device(stream, copy->address, copy->host, copy->size);
        memmove(at, copy->host, copy->size);
        return 1;
    case COPY_BUFFER:
        if (stream->read)
            return !((copy_on_device *)(uintptr_t)stream->copy)(copy->target_address, copy->address, copy->size, handle_of(stream));
        memmove((void *)(uintptr_t)copy->target_address, at, copy->size);
        return 1;
    case FILL_BUFFER:
        return fill_now(stream, copy->address, copy->host, copy->pattern_width, copy->size);
    default: /* a marker or a barrier */
        return 1;
    }
}

/* In queues in order alone. */
static int give_copy(const struct held_copy *copy, struct object *queue, uint64_t *number)
{
    if (!is_open(&queue->stream->functions))
        return 0;
    if (copy->command == READ_BUFFER)
        return give_read(copy, queue, number);
    if (!was_copied(copy, &queue->stream->functions))
        return 0;
    *number = count_given(queue);
    return 1;
}

/* What it comes behind in other queues was given before. */
static int comes_behind(const struct held *held)
{
    for (uint32_t i = 0; i < held->gate.elsewhere_count; i++) {
        const struct behind *behind = &held->behind[i];
        if (behind->held || behind->core || (behind->number && !come_after_command(held->queue, behind->queue, behind->number)))
            return 0;
    }
    return 1;
}

int give_held(struct held *held, struct object *where, uint64_t *number)
{
    if (!comes_behind(held))
        return 0;
    return held->kernel ? give_launch(held, where, number) : give_copy(&held->copy, where, number);
}

/* Telling. */

static int comes_before_still(const struct behind *behind)
{
    return behind->core || behind->number;
}

/* Python's event of what the command comes behind, as a new reference; NULL where that cannot be made. */
static PyObject *core_behind(const struct behind *behind)
{
    return behind->core ? new_reference(behind->core)
        : py.PyObject_CallFunction(event_of, "OKI", behind->queue->core, (unsigned long long)behind->number, behind->command);
}

/* Whether there is a core, which is the tuple's from now on. */
static int put(PyObject *tuple, Py_ssize_t place, PyObject *core)
{
    return core && !py.PyTuple_SetItem(tuple, place, core);
}

/* Its wait list, as far as the queue's order does not see to it. */
static PyObject *waits_of(const struct held *held)
{
    const struct gate *gate = &held->gate;
    Py_ssize_t count = gate->is_waited_for, place = 0;
    for (uint32_t i = 0; i < gate->elsewhere_count; i++)
        count += comes_before_still(&held->behind[i]);
    PyObject *waits = py.PyTuple_New(count), *core = waits && gate->is_waited_for ? core_of(gate->event) : NULL;
    int is_whole = waits && (!gate->is_waited_for || put(waits, place++, core ? new_reference(core) : NULL));
    for (uint32_t i = 0; is_whole && i < gate->elsewhere_count; i++)
        is_whole = !comes_before_still(&held->behind[i]) || put(waits, place++, core_behind(&held->behind[i]));
    if (is_whole)
        return waits;
    if (waits)
        py.Py_DecRef(waits);
    return NULL;
}

static PyObject *tell_launch(const struct held *held, PyObject *waits)
{
    const uint64_t words[] = { held->parameters.values, held->parameters.size };
    PyObject *values = tuple_of_words(words, 2), *more = values ? py.PyTuple_New(2) : NULL;
    if (!more) {
        if (values)
            py.Py_DecRef(values);
        return NULL;
    }
    py.PyTuple_SetItem(more, 0, new_reference(waits));
    py.PyTuple_SetItem(more, 1, values);
    PyObject *core = ask_of(hold_launch, held->queue, held->kernel, &held->key, more);
    py.Py_DecRef(more);
    return core;
}

static PyObject *tell_copy(const struct held *held, PyObject *waits)
{
    const struct held_copy *copy = &held->copy;
    PyObject *queue = held->queue->core, *buffer = copy->buffer ? core_of(copy->buffer) : NULL;
    unsigned long long offset = copy->offset, host = (uintptr_t)copy->host, size = copy->size;
    if (!copy->buffer)
        return py.PyObject_CallFunction(hold_place, "OOI", queue, waits, copy->command);
    PyObject *target = copy->target ? core_of(copy->target) : NULL;
    if (!buffer || (copy->target && !target))
        return NULL;
    if (copy->target)
        return py.PyObject_CallFunction(hold_copy, "OOOOKKK", queue, waits, buffer, target, offset,
                                        (unsigned long long)copy->target_offset, size);
    if (copy->pattern_width)
        return py.PyObject_CallFunction(hold_fill, "OOOKKKK", queue, waits, buffer, offset, host, (unsigned long long)copy->pattern_width,
                                        size);
    return py.PyObject_CallFunction(copy->command == READ_BUFFER ? hold_read : hold_write, "OOOKKK", queue, waits, buffer, offset, host,
                                    size);
}

PyObject *tell_of_held(const struct held *held)
{
    PyObject *waits = waits_of(held), *core = NULL;
    if (waits)
        core = held->kernel ? tell_launch(held, waits) : tell_copy(held, waits);
    if (waits)
        py.Py_DecRef(waits);
    return core;
}
