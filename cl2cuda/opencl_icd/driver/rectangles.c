/* Small reads and writes of rectangles and boxes, whose events have no times, and copies between buffers (rows.h). */
#include "commands.h"
#include "rows.h"

/* A rectangle in a buffer or in the host's memory, but for its region. */
struct rectangle {
    const size_t *origin;
    size_t row_pitch, slice_pitch;
};

static int are_small(uint64_t *numbers, const size_t *given)
{
    for (int i = 0; i < 3; i++)
        if ((numbers[i] = given[i]) > MOST_IN_ROWS)
            return 0;
    return 1;
}

static int lay_out(struct rows *rows, const struct rectangle *given, const uint64_t *region)
{
    const uint64_t pitches[] = { given->row_pitch, given->slice_pitch };
    uint64_t at[3];
    return given->origin && given->row_pitch <= MOST_IN_ROWS && given->slice_pitch <= MOST_IN_ROWS && are_small(at, given->origin)
        && lay_out_rows(rows, at, pitches, region);
}

/* The region, and its rows at both places; 0 where Python is to look, as where `untimed`, an event that would have no times, is to have some. */
static int lay_out_both(uint64_t *region, struct rows *there, struct rows *here, struct object *queue, uint32_t wait_count,
                        const void *waits, const void *untimed, const size_t *size, const struct rectangle *one, const struct rectangle *other)
{
    return size && takes_commands(queue, wait_count, waits) && !wants_times(queue, untimed) && are_small(region, size)
        && copies_rows(&queue->stream->functions, region) && lay_out(there, one, region) && lay_out(here, other, region);
}

static int reaches(const struct object *queue, struct object *buffer, uint64_t refused, const struct rows *rows)
{
    return is_reached(queue, buffer, refused, rows->start, rows->end - rows->start);
}

int32_t read_rectangle(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, const void *origin,
                       const void *host_origin, const void *size, size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                       size_t host_slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, blocking, (word)origin, (word)host_origin, (word)size, row_pitch, slice_pitch,
                           host_row_pitch, host_slice_pitch, (word)host, wait_count, (word)waits, (word)event };
    const struct rectangle one = { origin, row_pitch, slice_pitch }, other = { host_origin, host_row_pitch, host_slice_pitch };
    uint64_t region[3];
    struct rows there, here;
    if (blocking && host && lay_out_both(region, &there, &here, queue, wait_count, waits, event, size, &one, &other)
        && reaches(queue, buffer, MEM_HOST_WRITE_ONLY | MEM_HOST_NO_ACCESS, &there)) {
        const struct native_stream *stream = &queue->stream->functions;
        struct progress before = progress_of(queue);
        if (is_quiet(stream) && bytes_in_rows(region) <= stream->most_read
            && read_rows(stream, on_host(host, &here), on_device(address_in(buffer), &there), region))
            return give_timed_event(queue, count_ended(queue, before), READ_BUFFER_RECT, NULL, 0, event);
    }
    return answer_and_learn(entry, words, buffer, NULL);
}

int32_t write_rectangle(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, const void *origin,
                        const void *host_origin, const void *size, size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                        size_t host_slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, blocking, (word)origin, (word)host_origin, (word)size, row_pitch, slice_pitch,
                           host_row_pitch, host_slice_pitch, (word)host, wait_count, (word)waits, (word)event };
    const struct rectangle one = { origin, row_pitch, slice_pitch }, other = { host_origin, host_row_pitch, host_slice_pitch };
    uint64_t region[3];
    struct rows there, here;
    if (host && lay_out_both(region, &there, &here, queue, wait_count, waits, event, size, &one, &other)
        && reaches(queue, buffer, MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS, &there)) {
        const struct native_stream *stream = &queue->stream->functions;
        struct progress before = progress_of(queue);
        uint64_t number;
        if (bytes_in_rows(region) <= most_written_in_rows(stream, blocking != 0) && (!blocking || is_quiet(stream))
            && count_outcome(queue, before, write_rows(stream, on_device(address_in(buffer), &there), on_host(host, &here), region,
                                                       blocking != 0),
                             blocking != 0, &number))
            return give_timed_event(queue, number, WRITE_BUFFER_RECT, NULL, 0, event);
    }
    return answer_and_learn(entry, words, buffer, NULL);
}

/* Where they meet, within a buffer or in two parts of one, Python looks whether they overlap. */
static int are_apart(uint64_t from, const struct rows *there, uint64_t to, const struct rows *here)
{
    return from + there->end <= to + here->start || to + here->end <= from + there->start;
}

int32_t copy_rectangle_between(struct entry *entry, struct object *queue, struct object *source, struct object *target,
                               const void *source_origin, const void *target_origin, const void *size, size_t source_row_pitch,
                               size_t source_slice_pitch, size_t target_row_pitch, size_t target_slice_pitch, uint32_t wait_count,
                               const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)source, (word)target, (word)source_origin, (word)target_origin, (word)size, source_row_pitch,
                           source_slice_pitch, target_row_pitch, target_slice_pitch, wait_count, (word)waits, (word)event };
    const struct rectangle one = { source_origin, source_row_pitch, source_slice_pitch };
    const struct rectangle other = { target_origin, target_row_pitch, target_slice_pitch };
    uint64_t region[3];
    struct rows there, here;
    struct times *times;
    if (source != target && lay_out_both(region, &there, &here, queue, wait_count, waits, NULL, size, &one, &other)
        && reaches(queue, source, 0, &there) && reaches(queue, target, 0, &here)
        && are_apart(address_in(source), &there, address_in(target), &here) && take_times(queue, event, &times)) {
        if (begin_times(queue, times)
            && copy_rows(&queue->stream->functions, on_device(address_in(target), &here), on_device(address_in(source), &there), region)) {
            int has_end = end_times(queue, times);
            return give_timed_event(queue, count_given(queue), COPY_BUFFER_RECT, times, has_end, event);
        }
        give_times(queue, times);
    }
    return answer_and_learn(entry, words, source, target);
}
