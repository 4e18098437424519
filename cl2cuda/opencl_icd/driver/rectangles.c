/* Small reads and writes of rectangles and boxes, and copies between buffers (rows.h). */
#include "commands.h"
#include "rows.h"

/* A rectangle in a buffer or in the host's memory, but for its region. */
struct rectangle {
    const size_t *origin;
    size_t row_pitch, slice_pitch;
};

/* A command from rows to rows: once it is laid out, its region and its rows at both places. */
struct rows_command {
    struct object *where;
    struct times *times;
    uint64_t region[3];
    struct rows there, here;
};

/* What a command between a buffer and the host's memory is asked for. */
struct host_rectangles {
    struct rectangle there, here;
    const size_t *region;
    const void *event;
    int waits;
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

/* 0 where Python is to look. */
static int lay_out_both(struct rows_command *command, struct object *where, const size_t *region, const struct rectangle *there,
                        const struct rectangle *here)
{
    command->where = where;
    return region && are_small(command->region, region) && copies_rows(&where->stream->functions, command->region)
        && lay_out(&command->there, there, command->region) && lay_out(&command->here, here, command->region);
}

/* The host's own memory, in which the copy has ended when it was made. */
static int32_t move_at_once(struct rows_command *command, struct rows_at to, struct rows_at from, uint32_t type, const void *event)
{
    struct object *where = command->where;
    begin_times(where, command->times);
    move_rows(to, from, command->region);
    int has_end = end_times(where, command->times);
    return give_timed_event(where, count_given(where), type, command->times, has_end, event);
}

/* Between its times. */
static int give_rows_between(struct rows_command *command, struct rows_at to, struct rows_at from, int *has_end)
{
    struct object *where = command->where;
    int given = begin_times(where, command->times) && give_rows(&where->stream->functions, to, from, command->region);
    *has_end = given && end_times(where, command->times);
    return given;
}

typedef int may_move(const struct native_stream *stream, const uint64_t *region, int waits);

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

/* Whether the command is made here, in a buffer without the refused flags; then it is laid out, and has its times. */
static int may_begin(struct rows_command *command, struct object *where, const struct host_rectangles *asked, struct object *buffer,
                     uint64_t refused, may_move *may)
{
    return where && lay_out_both(command, where, asked->region, &asked->there, &asked->here)
        && reaches(where, buffer, refused, &command->there) && may(&where->stream->functions, command->region, asked->waits)
        && take_times(where, asked->event, &command->times);
}

int32_t read_rectangle(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, const void *origin,
                       const void *host_origin, const void *size, size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                       size_t host_slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, blocking, (word)origin, (word)host_origin, (word)size, row_pitch, slice_pitch,
                           host_row_pitch, host_slice_pitch, (word)host, wait_count, (word)waits, (word)event };
    const struct host_rectangles asked = { { origin, row_pitch, slice_pitch }, { host_origin, host_row_pitch, host_slice_pitch }, size,
                                           event, blocking != 0 };
    struct object *where = host ? place_for_copy(queue, wait_count, waits) : NULL;
    struct rows_command read;
    if (may_begin(&read, where, &asked, buffer, MEM_HOST_WRITE_ONLY | MEM_HOST_NO_ACCESS, may_read)) {
        const struct native_stream *stream = &where->stream->functions;
        const struct rows_at memory = on_device(address_in(buffer), &read.there), to = on_host(host, &read.here);
        if (!stream->read)
            return move_at_once(&read, to, memory, READ_BUFFER_RECT, event);
        int has_end;
        struct rows_here staged = take_rows(stream, to, read.region);
        int given = give_rows_between(&read, staged.rows, memory, &has_end);
        uint64_t number = given ? count_command(where) : 0;
        int ended = given && wait_for_command(where);
        end_rows_read(&staged, stream, to, read.region, ended);
        if (ended)
            return give_timed_event(where, number, READ_BUFFER_RECT, read.times, has_end, event);
        give_times(where, read.times); /* Python reads again, and waits longer or tells what is wrong. */
    }
    return answer_and_learn(entry, words, buffer, NULL);
}

int32_t write_rectangle(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, const void *origin,
                        const void *host_origin, const void *size, size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                        size_t host_slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, blocking, (word)origin, (word)host_origin, (word)size, row_pitch, slice_pitch,
                           host_row_pitch, host_slice_pitch, (word)host, wait_count, (word)waits, (word)event };
    const struct host_rectangles asked = { { origin, row_pitch, slice_pitch }, { host_origin, host_row_pitch, host_slice_pitch }, size,
                                           event, blocking != 0 };
    struct object *where = host ? place_for_copy(queue, wait_count, waits) : NULL;
    struct rows_command write;
    if (may_begin(&write, where, &asked, buffer, MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS, may_write)) {
        const struct native_stream *stream = &where->stream->functions;
        const struct rows_at memory = on_device(address_in(buffer), &write.there), from = on_host(host, &write.here);
        if (!stream->read)
            return move_at_once(&write, memory, from, WRITE_BUFFER_RECT, event);
        struct progress before = progress_of(where);
        struct rows_here staged;
        uint64_t number;
        if (fill_rows(&staged, stream, from, write.region, asked.waits)) {
            int has_end, given = give_rows_between(&write, memory, staged.rows, &has_end);
            if (count_outcome(where, before, end_rows_write(&staged, stream, given), asked.waits, &number))
                return give_timed_event(where, number, WRITE_BUFFER_RECT, write.times, has_end, event);
        }
        give_times(where, write.times);
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
    const struct rectangle there = { source_origin, source_row_pitch, source_slice_pitch };
    const struct rectangle here = { target_origin, target_row_pitch, target_slice_pitch };
    struct object *where = source != target ? place_for_copy(queue, wait_count, waits) : NULL;
    struct rows_command copy;
    if (where && lay_out_both(&copy, where, size, &there, &here) && reaches(where, source, 0, &copy.there)
        && reaches(where, target, 0, &copy.here) && are_apart(address_in(source), &copy.there, address_in(target), &copy.here)
        && take_times(where, event, &copy.times)) {
        const struct rows_at from = on_device(address_in(source), &copy.there), to = on_device(address_in(target), &copy.here);
        int has_end;
        if (!where->stream->functions.read)
            return move_at_once(&copy, to, from, COPY_BUFFER_RECT, event);
        if (give_rows_between(&copy, to, from, &has_end))
            return give_timed_event(where, count_command(where), COPY_BUFFER_RECT, copy.times, has_end, event);
        give_times(where, copy.times);
    }
    return answer_and_learn(entry, words, source, target);
}
