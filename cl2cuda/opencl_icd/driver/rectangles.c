/* Small reads and writes of rectangles and boxes, and copies between buffers (rows.h). */
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

/* The region, and its rows at both places; 0 where Python is to look. */
static int lay_out_both(uint64_t *region, struct rows *there, struct rows *here, const struct object *where, const size_t *size,
                        const struct rectangle *one, const struct rectangle *other)
{
    return size && are_small(region, size) && copies_rows(&where->stream->functions, region) && lay_out(there, one, region)
        && lay_out(here, other, region);
}

/* The host's own memory, in which the copy has ended when it was made. */
static int32_t move_at_once(struct object *where, struct times *times, struct rows_at to, struct rows_at from, const uint64_t *region,
                            uint32_t command, const void *event)
{
    begin_times(where, times);
    move_rows(to, from, region);
    int has_end = end_times(where, times);
    return give_timed_event(where, count_given(where), command, times, has_end, event);
}

/* Between its times. */
static int give_rows_between(struct object *where, struct times *times, struct rows_at to, struct rows_at from, const uint64_t *region,
                             int *has_end)
{
    int given = begin_times(where, times) && give_rows(&where->stream->functions, to, from, region);
    *has_end = given && end_times(where, times);
    return given;
}

/* Whether a read is made here: one that is waited for, or that ends soon. */
static int may_read(const struct native_stream *stream, const uint64_t *region, int waits)
{
    return is_quiet(stream) && (waits ? bytes_in_rows(region) <= stream->most_read : can_read_at_once(stream, bytes_in_rows(region)));
}

static int may_write(const struct native_stream *stream, const uint64_t *region, int waits)
{
    return bytes_in_rows(region) <= most_written_in_rows(stream, waits) && (!waits || is_quiet(stream));
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
    struct object *where;
    struct times *times;
    if (host && (where = place_for_copy(queue, wait_count, waits)) && lay_out_both(region, &there, &here, where, size, &one, &other)
        && reaches(where, buffer, MEM_HOST_WRITE_ONLY | MEM_HOST_NO_ACCESS, &there)
        && may_read(&where->stream->functions, region, blocking != 0) && take_times(where, event, &times)) {
        const struct native_stream *stream = &where->stream->functions;
        const struct rows_at memory = on_device(address_in(buffer), &there), to = on_host(host, &here);
        if (!stream->read)
            return move_at_once(where, times, to, memory, region, READ_BUFFER_RECT, event);
        int has_end;
        struct rows_here staged = take_rows(stream, to, region);
        int given = give_rows_between(where, times, staged.rows, memory, region, &has_end);
        uint64_t number = given ? count_command(where) : 0;
        int ended = given && wait_for_command(where);
        end_rows_read(&staged, stream, to, region, ended);
        if (ended)
            return give_timed_event(where, number, READ_BUFFER_RECT, times, has_end, event);
        give_times(where, times); /* Python reads again, and waits longer or tells what is wrong. */
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
    struct object *where;
    struct times *times;
    if (host && (where = place_for_copy(queue, wait_count, waits)) && lay_out_both(region, &there, &here, where, size, &one, &other)
        && reaches(where, buffer, MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS, &there)
        && may_write(&where->stream->functions, region, blocking != 0) && take_times(where, event, &times)) {
        const struct native_stream *stream = &where->stream->functions;
        const struct rows_at memory = on_device(address_in(buffer), &there), from = on_host(host, &here);
        if (!stream->read)
            return move_at_once(where, times, memory, from, region, WRITE_BUFFER_RECT, event);
        struct progress before = progress_of(where);
        struct rows_here staged;
        uint64_t number;
        if (fill_rows(&staged, stream, from, region, blocking != 0)) {
            int has_end, given = give_rows_between(where, times, memory, staged.rows, region, &has_end);
            if (count_outcome(where, before, end_rows_write(&staged, stream, given), blocking != 0, &number))
                return give_timed_event(where, number, WRITE_BUFFER_RECT, times, has_end, event);
        }
        give_times(where, times);
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
    struct object *where;
    struct times *times;
    if (source != target && (where = place_for_copy(queue, wait_count, waits))
        && lay_out_both(region, &there, &here, where, size, &one, &other) && reaches(where, source, 0, &there) && reaches(where, target, 0, &here)
        && are_apart(address_in(source), &there, address_in(target), &here) && take_times(where, event, &times)) {
        const struct rows_at from = on_device(address_in(source), &there), to = on_device(address_in(target), &here);
        int has_end;
        if (!where->stream->functions.read)
            return move_at_once(where, times, to, from, region, COPY_BUFFER_RECT, event);
        if (give_rows_between(where, times, to, from, region, &has_end))
            return give_timed_event(where, count_command(where), COPY_BUFFER_RECT, times, has_end, event);
        give_times(where, times);
    }
    return answer_and_learn(entry, words, source, target);
}
