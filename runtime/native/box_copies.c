/* Reads and writes of boxes of images that are CUDA's arrays, between which and pageable memory CUDA is slow. They go by page-locked memory
   of the stream's, in a copy or two, which the processor moves on, or has moved there before, and so do writes of buffers. What the caller
   does not wait for goes by the stream's scratch memory on the device where a copy before it is under way there. None of it knows Python,
   or has its lock. */
#include "helpers.h"
#include "images.h"
#include "moves.h"

struct host_copy {
    const struct native_stream *stream;
    const struct array *array;
    const struct box *box;
    const struct linear *host;
    struct device_scratch *scratch;
    uint64_t size;
    const struct around *around; /* or NULL */
    char *staged; /* NULL where it goes by the scratch memory */
};

/* Whether it was given, between what comes around it. */
static int give(const struct host_copy *copy, struct copy_end to, struct copy_end from, const struct box *box)
{
    const struct around *around = copy->around;
    return (!around || around->begin(around->command)) && copy_box(copy->stream, to, from, copy->array, box)
        && (!around || around->end(around->command));
}

static char *host_of(const struct host_copy *copy)
{
    return (char *)(uintptr_t)copy->host->address;
}

static int is_tight(const struct host_copy *copy)
{
    return span_of_box(copy->host, copy->array, copy->box) == copy->size;
}

/* What is page-locked itself CUDA copies by itself, to and from its own memory. */
static int goes_staged(const struct native_stream *stream, const void *host, uint64_t size)
{
    return size < stream->least_read && !(size > STAGED_UNASKED && is_page_locked(stream, host));
}

/* Whether CUDA can copy between the image and the host's rows. */
static int lies_for_cuda(const struct host_copy *copy)
{
    return copies_to_rows(copy->array, copy->box, copy->stream)
        && (copy->box->size[2] == 1 || copy->host->slice_pitch % copy->host->row_pitch == 0);
}

/* Whether CUDA copies by itself between the image and what the host has page-locked. */
static int is_for_cuda_alone(const struct host_copy *copy)
{
    return copy->size > STAGED_UNASKED && lies_for_cuda(copy)
        && is_one_copy(copy->stream, host_of(copy), span_of_box(copy->host, copy->array, copy->box));
}

static enum outcome give_by_itself(const struct host_copy *copy, int to_image)
{
    struct copy_end in = end_in(copy->array, copy->box), at = end_in_host(copy->host);
    return give(copy, to_image ? in : at, to_image ? at : in, copy->box) ? WAS_GIVEN : LEFT_TO_PYTHON;
}

/* It is waited for. */
static enum outcome copy_by_itself(const struct host_copy *copy, int to_image)
{
    if (give_by_itself(copy, to_image) == LEFT_TO_PYTHON)
        return LEFT_TO_PYTHON;
    return wait_for_given(copy->stream) ? HAS_ENDED : to_image ? WAS_GIVEN : LEFT_TO_PYTHON;
}

/* 0 where Python is to make the copy, and the stream's memory larger: of a copy that `stages` and that the caller does not wait for, other
   memory will do. */
static int begin(struct host_copy *copy, int stages, int waits)
{
    struct device_scratch *scratch = copy->scratch = take_scratch(copy->stream, 0);
    const int has_room = scratch && scratch->staging_size >= copy->size;
    if (!scratch || (stages && waits && !has_room))
        return 0;
    if (stages && has_room && scratch->staging)
        copy->staged = (char *)(uintptr_t)scratch->staging + STAGED;
    return copy->staged || (!copy->around && is_tight(copy) && scratch->size >= copy->size);
}

/* Between a box and page-locked memory, where its rows lie close. */
static int copy_tight(const struct host_copy *copy, const struct box *box, const char *staged, int to_image)
{
    uint64_t pitch = row_of(copy->array, box);
    const struct linear rows = { (uintptr_t)staged, pitch, pitch * box->size[1] };
    struct copy_end in = end_in(copy->array, box), at = end_in_host(&rows);
    return give(copy, to_image ? in : at, to_image ? at : in, box);
}

/* Between the host's rows and such memory. */
static void move_box(const struct host_copy *copy, int to_host)
{
    const struct linear *rows = copy->host;
    uint64_t row = row_of(copy->array, copy->box);
    char *staged = copy->staged;
    for (uint64_t z = 0; z < copy->box->size[2]; z++)
        for (uint64_t y = 0; y < copy->box->size[1]; y++, staged += row) {
            char *host = host_of(copy) + z * rows->slice_pitch + y * rows->row_pitch;
            memcpy(to_host ? host : staged, to_host ? staged : host, row);
        }
}

/* Where nothing comes before the contents, they are there about as soon as helpers are. What another copy has left under way in the
   memory, this one comes after. */
static int read_by_staging(const struct host_copy *copy)
{
    struct parts parts;
    int is_helped = is_tight(copy) && !ask_stream(copy->stream);
    if (!copy_tight(copy, copy->box, copy->staged, 0))
        return LEFT_TO_PYTHON;
    if (is_helped)
        call_for_copy(&parts, host_of(copy), copy->staged, copy->size);
    int ended = wait_for_given(copy->stream);
    if (is_helped)
        finish_copy(&parts, ended);
    else if (ended && is_tight(copy))
        copy_with_helpers(host_of(copy), copy->staged, copy->size);
    else if (ended)
        move_box(copy, 1);
    set_left(copy->staged, !ended);
    return ended ? HAS_ENDED : LEFT_TO_PYTHON;
}

static int read_by_scratch(const struct host_copy *copy)
{
    const struct native_stream *stream = copy->stream;
    struct copy_end at = end_at(copy->scratch->memory, copy->array, copy->box);
    return copy_box(stream, at, end_in(copy->array, copy->box), copy->array, copy->box)
            && read_and_wait(stream, host_of(copy), copy->scratch->memory, copy->size)
        ? HAS_ENDED : LEFT_TO_PYTHON;
}

int read_box_now(const struct native_stream *stream, const struct array *array, const struct box *box, const struct linear *rows, int waits,
                 const struct around *around)
{
    struct host_copy copy = { stream, array, box, rows, NULL, bytes_of(array, box), around, NULL };
    int outcome = LEFT_TO_PYTHON;
    if (is_for_cuda_alone(&copy))
        return waits ? copy_by_itself(&copy, 0) : give_by_itself(&copy, 0);
    if (waits && can_read(stream, host_of(&copy), copy.size) && begin(&copy, goes_staged(stream, host_of(&copy), copy.size), 1)) {
        if (!copy.staged)
            copy.scratch->filled = 0;
        outcome = copy.staged ? read_by_staging(&copy) : read_by_scratch(&copy);
    }
    give_scratch(copy.scratch);
    return outcome;
}

/* How what is written is moved into page-locked memory, by its size: as a whole, or in parts that this thread and helpers take, of which the
   device is given what is there each time that so much is, since to give it a copy takes the host as long as to move 16 KiB. On an H200's
   machine with 16 processors, until the device had it, with two helpers that polled, with two that had to be woken, and alone: an image of
   256 KiB took 22, 25 and 40 us, where CUDA took 32 from pageable memory, a buffer of 1 MiB 45, 51 and 89, and CUDA 100. Three that had to be
   woken took 40 for the image. */
enum { MOST_PARTS = 64 };
static const struct way {
    uint64_t most, part, given;
} ways[] = { { (128 << 10) - 1, 0, 0 }, { 256 << 10, 64 << 10, 128 << 10 }, { MOST_IN_PARTS, 64 << 10, 256 << 10 } };

static const struct way *way_for(uint64_t size)
{
    const struct way *way = ways, *last = ways + sizeof ways / sizeof *ways - 1;
    while (way < last && size > way->most)
        way++;
    return way;
}

/* Gives the stream a part of the copy, which begins so many bytes behind its start. */
typedef int give_part(const void *copy, uint64_t start, uint64_t size);

/* Whether all was given. Nothing comes between the bytes of a unit. */
static int give_by_parts(const char *host, char *staged, uint64_t size, uint64_t unit, give_part *give, const void *copy)
{
    const struct way *way = way_for(size);
    uint64_t part = way->part < unit ? unit : way->part - way->part % unit, given = 0, there = 0;
    unsigned char copied[MOST_PARTS] = { 0 };
    struct parts parts;
    if (!way->part || part >= size || size / part >= MOST_PARTS) {
        move_for_device(staged, host, size);
        return give(copy, 0, size);
    }
    begin_copy(&parts, staged, host, size, part, copied);
    while (given < size) {
        there = copy_on(&parts, there);
        if (there < size && there - given < way->given)
            continue;
        if (!give(copy, given, there - given))
            break;
        given = there;
    }
    end_copy(&parts);
    return given == size;
}

/* The bytes that lie close, of which several make the box: a row, or where there are several planes a plane. */
static int give_rows(const void *of, uint64_t start, uint64_t size)
{
    const struct host_copy *copy = of;
    int axis = copy->box->size[2] > 1 ? 2 : 1;
    uint64_t unit = copy->size / copy->box->size[axis];
    struct box box = *copy->box;
    box.at[axis] += start / unit;
    box.size[axis] = size / unit;
    return copy_tight(copy, &box, copy->staged + start, 1);
}

static int write_box_by_staging(const struct host_copy *copy, int waits)
{
    int given;
    if (is_tight(copy) && copy->around) {
        move_for_device(copy->staged, host_of(copy), copy->size);
        given = copy_tight(copy, copy->box, copy->staged, 1);
    } else if (is_tight(copy)) {
        uint64_t units = copy->box->size[2] > 1 ? copy->box->size[2] : copy->box->size[1];
        given = give_by_parts(host_of(copy), copy->staged, copy->size, copy->size / units, give_rows, copy);
    } else {
        move_box(copy, 0);
        given = copy_tight(copy, copy->box, copy->staged, 1);
    }
    if (waits)
        return end_staged_write(copy->stream, copy->staged, given);
    set_left(copy->staged, 1);
    return given ? WAS_GIVEN : LEFT_TO_PYTHON;
}

static int write_by_scratch(const struct host_copy *copy, int waits)
{
    const struct native_stream *stream = copy->stream;
    struct device_scratch *scratch = copy->scratch;
    scratch->filled = 0;
    return write_now(stream, scratch->memory, host_of(copy), copy->size, waits)
            && copy_box(stream, end_in(copy->array, copy->box), end_at(scratch->memory, copy->array, copy->box), copy->array, copy->box)
        ? WAS_GIVEN : LEFT_TO_PYTHON;
}

int write_box_now(const struct native_stream *stream, const struct array *array, const struct box *box, const struct linear *rows, int waits,
                  const struct around *around)
{
    struct host_copy copy = { stream, array, box, rows, NULL, bytes_of(array, box), around, NULL };
    int outcome = LEFT_TO_PYTHON;
    if (waits && is_for_cuda_alone(&copy))
        return copy_by_itself(&copy, 1);
    /* Which the processor must not read: commands before this one may write there. */
    if (copy.size <= STAGED_UNASKED && is_page_locked(stream, host_of(&copy)))
        return lies_for_cuda(&copy) ? give_by_itself(&copy, 1) : LEFT_TO_PYTHON;
    if (begin(&copy, goes_staged(stream, host_of(&copy), copy.size), waits || around)) {
        if (copy.staged && may_fill(stream, copy.staged))
            outcome = write_box_by_staging(&copy, waits);
        else if (!around && is_tight(&copy) && copy.scratch->size >= copy.size && can_write(stream, host_of(&copy), copy.size, waits))
            outcome = write_by_scratch(&copy, waits);
    }
    give_scratch(copy.scratch);
    return outcome;
}

struct buffer_copy {
    const struct native_stream *stream;
    uint64_t memory;
    const char *staged;
};

static int give_bytes(const void *of, uint64_t start, uint64_t size)
{
    const struct buffer_copy *copy = of;
    return copy_to_device(copy->stream, copy->memory + start, copy->staged + start, size);
}

static int write_parts(const struct native_stream *stream, uint64_t memory, const void *host, size_t size)
{
    struct device_scratch *scratch = take_scratch(stream, 0);
    enum outcome outcome = LEFT_TO_PYTHON;
    char *staged = scratch && scratch->staging && scratch->staging_size >= size ? (char *)(uintptr_t)scratch->staging + STAGED : NULL;
    if (staged && may_fill(stream, staged)) {
        const struct buffer_copy copy = { stream, memory, staged };
        outcome = end_staged_write(stream, staged, give_by_parts(host, staged, size, 1, give_bytes, &copy));
    }
    give_scratch(scratch);
    return outcome;
}

/* box_copies(): see library.py */
PyObject *box_copies(PyObject *module, PyObject *none)
{
    const uintptr_t all[] = { (uintptr_t)read_box_now, (uintptr_t)write_box_now, (uintptr_t)write_parts };
    (void)module;
    (void)none;
    return numbers_of(sizeof all / sizeof *all, all);
}

/* move(to, from, size): see library.py */
PyObject *move_bytes(PyObject *module, PyObject *arguments)
{
    unsigned long long to, from, size;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KKK", &to, &from, &size))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    copy_with_helpers((void *)(uintptr_t)to, (const void *)(uintptr_t)from, (size_t)size);
    PyEval_RestoreThread(thread);
    Py_IncRef(NONE);
    return NONE;
}
