#include "images.h"

#include "arrays.h"
#include "colors.h"
#include "maps.h"

#include <string.h>

PyObject *element_of;

/* At the first use of one that began bare, which has its memory from then on. */
static void learn_array_first(struct object *image)
{
    int state;
    if (!image->description || __atomic_exchange_n(&image->is_used, 1, __ATOMIC_RELAXED) || !python_enter(&state))
        return;
    if (made_core(image))
        learn_contents(image);
    else
        drop_exception(0); /* Whoever asks next is told. */
    python_leave(state);
}

struct contents *array_in(const struct object *queue, struct object *image, uint64_t refused)
{
    const struct native_stream *stream = &queue->stream->functions;
    if (!is_object(image, MEMORY) || !is_referenced(image) || image->context != queue->context || !stream->copy_3d || !is_open(stream))
        return NULL;
    if (!known_contents(image) && !has_own_array(image))
        learn_array_first(image);
    struct contents *contents = known_contents(image);
    return contents && contents->known.array.handle && !(contents->known.array.flags & refused) ? contents : NULL;
}

static void learn_array(struct object *image)
{
    if (is_object(image, MEMORY) && !known_contents(image))
        learn_contents(image);
}

/* The host's end of a read or a write. */
struct host_side {
    const void *memory;
    size_t row_pitch, slice_pitch;
};

/* A copy whose times are to be the device's alone. */
struct timed_box {
    struct object *queue;
    struct times *times;
    int has_end;
};

static int begin_box(void *command)
{
    const struct timed_box *box = command;
    return begin_times(box->queue, box->times);
}

static int end_box(void *command)
{
    struct timed_box *box = command;
    box->has_end = end_times(box->queue, box->times);
    return 1;
}

/* The times of a little write are those of its call: what the processor does then is little, too. */
static enum outcome copy_box_between(copy_of_box *copy, struct timed_box *timed, const struct array *array, const struct box *box,
                                     const struct linear *rows, int reads, int waits)
{
    const struct native_stream *stream = &timed->queue->stream->functions;
    const struct around around = { timed, begin_box, end_box };
    if (timed->times && (reads || bytes_of(array, box) > SCRATCH))
        return (enum outcome)copy(stream, array, box, rows, waits, &around);
    enum outcome outcome = begin_times(timed->queue, timed->times) ? (enum outcome)copy(stream, array, box, rows, waits, NULL) : LEFT_TO_PYTHON;
    timed->has_end = outcome != LEFT_TO_PYTHON && end_times(timed->queue, timed->times);
    return outcome;
}

/* Whether it was made: its event. */
static int give_host_command(struct object *queue, struct object *image, uint32_t command, int waits, const void *origin, const void *size,
                             const struct host_side *host, const void *event, int32_t *status)
{
    const struct native_stream *stream = &queue->stream->functions;
    int reads = command == READ_IMAGE, is_ours = !waits || (is_quiet(stream) && stream->poll_ns);
    copy_of_box *copy = (copy_of_box *)(uintptr_t)(reads ? stream->read_box : stream->write_box);
    struct contents *contents = is_ours && copy ? array_in(queue, image, reads ? HOST_WRITES : HOST_READS | IMMUTABLE) : NULL;
    const struct array *array = contents ? &contents->known.array : NULL;
    struct progress before = progress_of(queue);
    struct times *times;
    struct linear rows;
    struct box box;
    if (!array || !read_box(&box, array, origin, size) || !lay_out_box(&rows, array, &box, host->memory, host->row_pitch, host->slice_pitch)
        || !take_times(queue, event, &times))
        return 0;
    waits = waits || (reads && can_read_image_at_once(stream, host->memory, bytes_of(array, &box)));
    struct timed_box timed = { queue, times, 0 };
    enum outcome outcome = copy_box_between(copy, &timed, array, &box, &rows, reads, waits);
    uint64_t number;
    if (!count_outcome(queue, before, outcome, waits, &number)) {
        give_times(queue, times);
        return 0;
    }
    *status = give_timed_event(queue, number, command, times, timed.has_end, event);
    return 1;
}

static int32_t answer_and_learn_one(struct entry *entry, const word *words, struct object *image)
{
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS)
        learn_array(image);
    return status;
}

/* A blocking read, or a write: by Python where it is not made here. */
static int32_t copy_host(struct entry *entry, const word *words, uint32_t command)
{
    enum { QUEUE, IMAGE, BLOCKING, ORIGIN, REGION, ROW_PITCH, SLICE_PITCH, HOST, WAIT_COUNT, WAITS, EVENT_PLACE };
    struct object *image = (struct object *)words[IMAGE];
    struct object *where = place_for_copy((struct object *)words[QUEUE], (uint32_t)words[WAIT_COUNT], (const void *)words[WAITS]);
    const struct host_side host = { (const void *)words[HOST], words[ROW_PITCH], words[SLICE_PITCH] };
    int32_t status;
    return where && give_host_command(where, image, command, words[BLOCKING] != 0, (const void *)words[ORIGIN], (const void *)words[REGION],
                                      &host, (const void *)words[EVENT_PLACE], &status)
        ? status : answer_and_learn_one(entry, words, image);
}

int32_t read_image(struct entry *entry, struct object *queue, struct object *image, uint32_t blocking, const void *origin, const void *size,
                   size_t row_pitch, size_t slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    return copy_host(entry, (const word[]){ (word)queue, (word)image, blocking, (word)origin, (word)size, row_pitch, slice_pitch, (word)host,
                                            wait_count, (word)waits, (word)event }, READ_IMAGE);
}

int32_t write_image(struct entry *entry, struct object *queue, struct object *image, uint32_t blocking, const void *origin, const void *size,
                    size_t row_pitch, size_t slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event)
{
    return copy_host(entry, (const word[]){ (word)queue, (word)image, blocking, (word)origin, (word)size, row_pitch, slice_pitch, (word)host,
                                            wait_count, (word)waits, (word)event }, WRITE_IMAGE);
}

/* Between an image and another one, or a buffer, or filled memory: the command's event, if that was given. */
static int give_copy(struct object *queue, struct copy_end to, struct copy_end from, const struct array *array, const struct box *box,
                     uint32_t command, const void *event, int32_t *status)
{
    struct times *times;
    if (!take_times(queue, event, &times))
        return 0;
    if (begin_times(queue, times) && copy_box(&queue->stream->functions, to, from, array, box)) {
        int has_end = end_times(queue, times);
        *status = give_timed_event(queue, count_given(queue), command, times, has_end, event);
        return 1;
    }
    give_times(queue, times);
    return 0;
}

/* Of the same image parts may overlap. */
int32_t copy_image(struct entry *entry, struct object *queue, struct object *source, struct object *target, const void *source_origin,
                   const void *target_origin, const void *size, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)source, (word)target, (word)source_origin, (word)target_origin, (word)size, wait_count,
                           (word)waits, (word)event };
    struct object *where = place_for_copy(queue, wait_count, waits);
    const struct contents *from, *to;
    struct box there, here;
    int32_t status;
    if (where && (from = array_in(where, source, 0)) && (to = array_in(where, target, IMMUTABLE))
        && from->known.array.handle != to->known.array.handle && from->known.format == to->known.format
        && read_box(&there, &from->known.array, source_origin, size) && read_box(&here, &to->known.array, target_origin, size)
        && give_copy(where, end_in(&to->known.array, &here), end_in(&from->known.array, &there), &from->known.array, &there, COPY_IMAGE,
                     event, &status))
        return status;
    status = (int32_t)answer(entry, words);
    if (status == SUCCESS) {
        learn_array(source);
        learn_array(target);
    }
    return status;
}

static int copy_with_buffer(struct object *queue, struct object *image, struct object *buffer, size_t offset, const void *origin,
                            const void *size, uint32_t command, uint32_t wait_count, const void *waits, const void *event, int32_t *status)
{
    struct object *where = place_for_copy(queue, wait_count, waits);
    const struct contents *contents = where ? array_in(where, image, command == COPY_BUFFER_TO_IMAGE ? IMMUTABLE : 0) : NULL;
    const struct array *array = contents ? &contents->known.array : NULL;
    struct box box;
    if (!array || !read_box(&box, array, origin, size) || !is_reached(where, buffer, 0, offset, bytes_of(array, &box)))
        return 0;
    struct copy_end in = end_in(array, &box), at = end_at(address_in(buffer) + offset, array, &box);
    int to_image = command == COPY_BUFFER_TO_IMAGE;
    return give_copy(where, to_image ? in : at, to_image ? at : in, array, &box, command, event, status);
}

static int32_t answer_and_learn_array(struct entry *entry, const word *words, struct object *image, struct object *buffer)
{
    int32_t status = answer_and_learn(entry, words, buffer, NULL);
    if (status == SUCCESS)
        learn_array(image);
    return status;
}

int32_t copy_image_to_buffer(struct entry *entry, struct object *queue, struct object *image, struct object *buffer, const void *origin,
                             const void *size, size_t offset, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)image, (word)buffer, (word)origin, (word)size, offset, wait_count, (word)waits, (word)event };
    int32_t status;
    return copy_with_buffer(queue, image, buffer, offset, origin, size, COPY_IMAGE_TO_BUFFER, wait_count, waits, event, &status)
        ? status : answer_and_learn_array(entry, words, image, buffer);
}

int32_t copy_buffer_to_image(struct entry *entry, struct object *queue, struct object *buffer, struct object *image, size_t offset,
                             const void *origin, const void *size, uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)buffer, (word)image, offset, (word)origin, (word)size, wait_count, (word)waits, (word)event };
    int32_t status;
    return copy_with_buffer(queue, image, buffer, offset, origin, size, COPY_BUFFER_TO_IMAGE, wait_count, waits, event, &status)
        ? status : answer_and_learn_array(entry, words, image, buffer);
}

enum { COLOR = 16 };

/* The element that holds a colour; 0 where Python says what is wrong. */
static int make_element(struct object *image, const struct known_contents *known, const void *color, char *element)
{
    const size_t size = known->array.element_size;
    int state;
    if (element_of_color((uint32_t)(known->format >> 32), (uint32_t)known->format, color, element) == size)
        return 1;
    if (!python_enter(&state))
        return 0;
    PyObject *core = made_core(image);
    PyObject *made = core ? py.PyObject_CallFunction(element_of, "OK", core, (unsigned long long)(uintptr_t)color) : NULL;
    int found = take_bytes(made, element, size);
    python_leave(state);
    return found;
}

/* The element that holds a colour in images of the format. The thread's next fill has mostly the same one. NULL where Python says what is
   wrong. */
static const char *element_for(struct object *image, const struct known_contents *known, const void *color)
{
    static __thread struct {
        uint64_t format;
        char color[COLOR], element[LARGEST_ELEMENT];
    } kept;
    if (!known->format || !color || known->array.element_size > LARGEST_ELEMENT)
        return NULL;
    if (kept.format == known->format && !memcmp(kept.color, color, COLOR))
        return kept.element;
    kept.format = 0;
    if (!make_element(image, known, color, kept.element))
        return NULL;
    memcpy(kept.color, color, COLOR);
    kept.format = known->format;
    return kept.element;
}

/* By way of the stream's scratch memory. */
static int fill_natively(struct object *queue, struct object *image, const void *color, const void *origin, const void *size,
                         const void *event, int32_t *status)
{
    const struct native_stream *stream = &queue->stream->functions;
    const struct contents *contents = array_in(queue, image, IMMUTABLE);
    struct device_scratch *scratch;
    struct times *times;
    struct box box;
    const char *element;
    if (!contents || !read_box(&box, &contents->known.array, origin, size) || !(element = element_for(image, &contents->known, color))
        || !take_times(queue, event, &times))
        return 0;
    const struct array *array = &contents->known.array;
    int done = (scratch = take_scratch(stream, bytes_of(array, &box))) && begin_times(queue, times)
        && fill_box(stream, scratch, element, array, &box);
    give_scratch(scratch);
    if (!done) {
        give_times(queue, times);
        return 0;
    }
    int has_end = end_times(queue, times);
    *status = give_timed_event(queue, count_given(queue), FILL_IMAGE, times, has_end, event);
    return 1;
}

int32_t fill_image(struct entry *entry, struct object *queue, struct object *image, const void *color, const void *origin, const void *size,
                   uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)image, (word)color, (word)origin, (word)size, wait_count, (word)waits, (word)event };
    struct object *where = place_for_copy(queue, wait_count, waits);
    int32_t status;
    if (where && fill_natively(where, image, color, origin, size, event, &status))
        return status;
    return answer_and_learn_one(entry, words, image);
}
