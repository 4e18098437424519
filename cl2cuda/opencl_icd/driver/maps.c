#include "maps.h"

#include "order.h"

#include <sched.h>
#include <stdlib.h>

PyObject *contents_of, *note_mapped, *note_unmapped;

uint64_t relisted;

static void note_relisted(void)
{
    __atomic_add_fetch(&relisted, 1, __ATOMIC_RELEASE);
}

/* What a part is a part of has the mapped regions. */
static struct object *whole_of(struct object *memory)
{
    while (is_part(memory) && memory->parent)
        memory = memory->parent;
    return memory;
}

/* The region as it is from here on this thread's to change; 0 where it is in another state than `from`. Other threads change it for
   moments. */
static int begin_change(struct contents *contents, uint32_t from)
{
    uint32_t now;
    while (now = from, !__atomic_compare_exchange_n(&contents->state, &now, CHANGING, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        if (now != CHANGING)
            return 0;
        else
            sched_yield();
    return 1;
}

static void end_change(struct contents *contents, uint32_t to)
{
    __atomic_store_n(&contents->state, to, __ATOMIC_RELEASE);
}

/* Threads change it without Python's lock to map, and when they have unmapped. */
void begin_maps_anew(struct object *memory)
{
    struct contents *contents = known_contents(memory);
    if (contents && contents->state == CHANGING)
        end_change(contents, NOT_MAPPED);
}

/* With Python's lock. */
static PyObject *note_in_python(PyObject *function, PyObject *core, const struct region *region)
{
    const uint64_t *at = region->box.at, *size = region->box.size;
    return py.PyObject_CallFunction(function, "OKK(KKK)(KKK)", core, (unsigned long long)region->address, (unsigned long long)region->flags,
                                    at[0], at[1], at[2], size[0], size[1], size[2]);
}

static void tell(PyObject *function, PyObject *core, const struct region *region)
{
    PyObject *none = note_in_python(function, core, region);
    if (none)
        py.Py_DecRef(none);
    else
        drop_exception(1);
    note_relisted();
}

void tell_region(struct object *memory)
{
    struct object *whole = whole_of(memory);
    struct contents *contents = known_contents(whole);
    if (!contents || !begin_change(contents, MAPPED))
        return;
    struct region region = contents->region;
    __atomic_add_fetch(&contents->known.by_python, 1, __ATOMIC_RELAXED); /* before another thread may map */
    end_change(contents, NOT_MAPPED);
    tell(note_mapped, whole->core, &region);
}

/* A region that was listed before is told of with the core. */
PyObject *note_image_of(PyObject *self, PyObject *arguments)
{
    struct object *memory;
    (void)self;
    if (!take_object(arguments, &memory))
        return NULL;
    if (is_object(memory, MEMORY))
        __atomic_store_n(&whole_of(memory)->has_images, 1, __ATOMIC_SEQ_CST);
    return new_reference(py.none);
}

int32_t ask_map_count(struct entry *entry, struct object *memory, uint32_t *count)
{
    const word words[] = { (word)memory, MEM_MAP_COUNT, sizeof *count, (word)count, 0 };
    uint64_t before = __atomic_load_n(&relisted, __ATOMIC_ACQUIRE); /* A map that is on its way counts when it has returned. */
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS && !*count && __atomic_load_n(&memory->has_images, __ATOMIC_SEQ_CST))
        __atomic_store_n(&memory->kept.answer, (uint64_t)mark_of_count(before) << 32, __ATOMIC_RELEASE);
    return status;
}

void learn_contents(struct object *memory)
{
    struct known_contents found;
    int state;
    if (!is_object(memory, MEMORY) || !has_core(memory) || !python_enter(&state))
        return;
    if (take_bytes(py.PyObject_CallFunction(contents_of, "O", memory->core), &found, sizeof found)) {
        struct contents *before = known_contents(memory), *whole = known_contents(whole_of(memory));
        struct contents *made = before ? NULL : calloc(1, sizeof *made);
        if (is_part(memory))
            found.host.address = 0;
        if (before && !before->known.host.address && found.host.address) {
            before->known.side = found.side;
            before->known.maps_left = found.maps_left;
            before->known.host.row_pitch = found.host.row_pitch;
            before->known.host.slice_pitch = found.host.slice_pitch;
            __atomic_store_n(&before->known.host.address, found.host.address, __ATOMIC_RELEASE);
        } else if (before && found.host.address) { /* which may have been page-locked since */
            __atomic_store_n(&before->known.side, found.side, __ATOMIC_RELAXED);
        }
        if (made) {
            made->known = found;
            __atomic_store_n(&memory->contents, made, __ATOMIC_RELEASE);
        }
        whole = whole ? whole : made;
        if (whole)
            __atomic_store_n(&whole->known.by_python, found.by_python, __ATOMIC_RELAXED);
    }
    python_leave(state);
}

/* Whether Python lists the memory object's regions. */
static int are_pythons(const struct object *memory, const struct contents *contents)
{
    return __atomic_load_n(&contents->known.by_python, __ATOMIC_RELAXED) || __atomic_load_n(&memory->has_images, __ATOMIC_SEQ_CST);
}

/* Lists the region, where it is the only one of its memory object; no part of another one, whose regions may be others'. */
static int list_region(const struct object *memory, struct contents *contents, const struct region *region)
{
    if (are_pythons(memory, contents) || !begin_change(contents, NOT_MAPPED))
        return 0;
    if (are_pythons(memory, contents)) {
        end_change(contents, NOT_MAPPED);
        return 0;
    }
    contents->region = *region;
    end_change(contents, MAPPED);
    return 1;
}

/* Takes the region at the address from the list, if it is there. */
static int strike_out(struct contents *contents, uint64_t address, struct region *region)
{
    if (!begin_change(contents, MAPPED))
        return 0;
    *region = contents->region;
    end_change(contents, region->address == address ? NOT_MAPPED : MAPPED);
    return region->address == address;
}

/* What was listed is mapped by Python, which may have been told meanwhile. */
static void unlist(struct object *memory, struct contents *contents, const struct region *listed)
{
    struct region region;
    int state;
    if (strike_out(contents, listed->address, &region) || !python_enter(&state))
        return;
    tell(note_unmapped, memory->core, listed);
    python_leave(state);
}

/* Python has what the library cannot give to the stream. */
static void relist(struct object *memory, struct contents *contents, const struct region *region)
{
    int state;
    if (list_region(memory, contents, region) || !python_enter(&state))
        return;
    tell(note_mapped, memory->core, region);
    python_leave(state);
}

/* Whether the contents' way to the host, or back, was given to the stream. (Of a pageable copy the way back is; `read_contents` brings it.) */
static int give_contents(const struct native_stream *stream, const struct object *memory, const struct contents *contents,
                         const struct region *region, int to_host)
{
    const struct array *array = &contents->known.array;
    if (array->handle) {
        struct linear rows = contents->known.host;
        rows.address = region->address;
        struct copy_end host = end_in_host(&rows), device = end_in(array, &region->box);
        return copy_box(stream, to_host ? host : device, to_host ? device : host, array, &region->box);
    }
    uint64_t place = address_in(memory) + region->box.at[0], size = region->box.size[0];
    void *host = (void *)(uintptr_t)region->address;
    if (region->side == AS_PAGEABLE_COPY)
        return !to_host && write_now(stream, place, host, size, 0);
    return to_host ? copy_from_device(stream, host, place, size) : copy_to_device(stream, place, host, size);
}

/* A map in a queue or a lane: `waits` says whether the caller waits for it, and `is_alone` whether there are no events that it waits for. */
struct map {
    struct object *queue, *memory;
    struct contents *contents;
    struct region region;
    uint32_t command, waits, is_alone;
};

/* Behind the map, whose times are between: 0 where Python is to wait. */
static int count_map(const struct map *map, struct progress before, int did_nothing, uint64_t *number)
{
    if (map->waits)
        return count_waited(map->queue, before, did_nothing, number);
    *number = count_given(map->queue);
    return 1;
}

/* Has the contents of a buffer come into pageable memory, as those of a read do that is waited for: 0 where Python is to. */
static int read_contents(const struct map *map, struct progress before, uint64_t *number)
{
    const struct native_stream *stream = &map->queue->stream->functions;
    const struct region *region = &map->region;
    void *host = (void *)(uintptr_t)region->address;
    uint64_t place = address_in(map->memory) + region->box.at[0], size = region->box.size[0];
    struct reading reading;
    if (reads_staged(stream, host, size)) {
        if (!read_staged(stream, host, place, size))
            return 0;
        *number = count_ended(map->queue, before);
        return 1;
    }
    if (begin_reading(&reading, stream, host, place, size))
        return 0;
    *number = count_command(map->queue);
    int ended = wait_for_command(map->queue);
    end_reading(&reading, stream, ended);
    return ended;
}

/* Maps the region: CL_SUCCESS, or what keeps its event from being made. Where Python is to map, `done` is 0. */
static int32_t map_region(const struct map *map, const void *event, int *done)
{
    struct object *queue = map->queue;
    const struct region *region = &map->region;
    struct progress before = progress_of(queue);
    struct times *times;
    int copies = region->side && region->flags != MAP_WRITE_INVALIDATE_REGION, counted = 0, has_end = 0;
    *done = 0;
    if (!list_region(map->memory, map->contents, region))
        return SUCCESS;
    if (take_times(queue, event, &times)) {
        uint64_t number = 0;
        if (copies && region->side == AS_PAGEABLE_COPY)
            counted = !times && read_contents(map, before, &number);
        else if (begin_times(queue, times) && (!copies || give_contents(&queue->stream->functions, map->memory, map->contents, region, 1))) {
            has_end = end_times(queue, times);
            counted = count_map(map, before, !copies && !times && map->is_alone, &number);
        }
        if (counted) {
            int32_t status = give_timed_event(queue, number, map->command, times, has_end, event);
            if (status != SUCCESS)
                unlist(map->memory, map->contents, region);
            *done = 1;
            return status;
        }
        give_times(queue, times);
    }
    unlist(map->memory, map->contents, region);
    return SUCCESS;
}

/* The queue, or a lane of it, where the library may map regions of a memory object so, or unmap them; NULL where Python does. */
static struct object *place_for_map(struct object *queue, struct object *memory, uint32_t wait_count, const void *waits)
{
    struct object *where = place_for_copy(queue, wait_count, waits);
    return where && is_object(memory, MEMORY) && is_referenced(memory) && memory->context == queue->context
        && is_open(&where->stream->functions) ? where : NULL;
}

/* What is known of where the host finds the contents; NULL where maps are Python's. */
static struct contents *mappable(struct object *queue, struct object *memory, uint32_t blocking, uint64_t flags)
{
    const struct native_stream *stream = &queue->stream->functions;
    struct contents *contents = known_contents(memory);
    return contents && are_map_flags(flags) && (!blocking || is_quiet(stream)) && !stream->read == !contents->known.side
        && __atomic_load_n(&contents->known.host.address, __ATOMIC_ACQUIRE) ? contents : NULL;
}

static uint64_t *maps_left(const struct contents *contents)
{
    return (uint64_t *)(uintptr_t)contents->known.maps_left;
}

/* Whether a map into pageable memory is a read that is waited for here, until with the last of the maps that are left Python page-locks it. */
static int may_read(const struct map *map)
{
    const uint64_t *left = maps_left(map->contents);
    return map->waits && (!left || __atomic_load_n(left, __ATOMIC_RELAXED) != 1)
        && can_read(&map->queue->stream->functions, (const void *)(uintptr_t)map->region.address, map->region.box.size[0]);
}

static void count_left(const struct map *map)
{
    uint64_t *left = map->region.side == AS_PAGEABLE_COPY ? maps_left(map->contents) : NULL;
    uint64_t now = left ? __atomic_load_n(left, __ATOMIC_RELAXED) : 0;
    while (now > 1 && !__atomic_compare_exchange_n(left, &now, now - 1, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* Of a buffer that began bare, before its first map: where the host finds its contents Python knows by then where they lie there anyway, or
   page-locked memory was asked for. Python is given others to map, which makes their copies. */
static void learn_contents_first(const struct object *queue, struct object *buffer)
{
    if (buffer->began_bare && !is_part(buffer) && !known_contents(buffer)
        && (!queue->stream->functions.read || buffer->memory.flags & MEM_ALLOC_HOST_PTR))
        learn_contents(buffer);
}

int leaves_no_map(const struct object *memory)
{
    const struct contents *contents = known_contents(memory);
    return !__atomic_load_n(&memory->has_images, __ATOMIC_ACQUIRE) && !__atomic_load_n(&memory->is_mapped_by_python, __ATOMIC_ACQUIRE)
        && (!contents || (__atomic_load_n(&contents->state, __ATOMIC_ACQUIRE) == NOT_MAPPED
                          && !__atomic_load_n(&contents->known.by_python, __ATOMIC_ACQUIRE)));
}

/* Python's answer, after which it is asked for what there is to know. */
static void *map_by_python(struct entry *entry, const word *words, struct object *memory)
{
    void *mapped = (void *)answer(entry, words);
    if (mapped) {
        note_relisted();
        __atomic_store_n(&whole_of(memory)->is_mapped_by_python, 1, __ATOMIC_RELEASE);
        learn_memory(memory);
        learn_contents(memory);
    }
    return mapped;
}

static void *give_mapped(const struct region *region, int32_t status, const void *error)
{
    if (error)
        *(int32_t *)error = status;
    return status == SUCCESS ? (void *)(uintptr_t)region->address : NULL;
}

void *map_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, uint64_t flags, size_t offset,
                 size_t size, uint32_t wait_count, const void *waits, const void *event, const void *error)
{
    const word words[] = { (word)queue, (word)buffer, blocking, flags, offset, size, wait_count, (word)waits, (word)event, (word)error };
    struct contents *contents = NULL;
    struct object *where = place_for_map(queue, buffer, wait_count, waits);
    if (where && is_reached(where, buffer, refused_by(flags), offset, size)) {
        learn_contents_first(where, buffer);
        contents = mappable(where, buffer, blocking, flags);
    }
    if (contents && !contents->known.array.element_size) {
        const struct map map = { .queue = where, .memory = buffer, .contents = contents, .command = MAP_BUFFER, .waits = blocking,
                                 .is_alone = !wait_count, .region = { contents->known.host.address + offset, flags,
                                             __atomic_load_n(&contents->known.side, __ATOMIC_RELAXED), { { offset, 0, 0 }, { size, 1, 1 } } } };
        int done = map.region.side != AS_PAGEABLE_COPY || (where == queue && may_read(&map));
        int32_t status = done ? map_region(&map, event, &done) : SUCCESS;
        if (done && status == SUCCESS)
            count_left(&map);
        if (done)
            return give_mapped(&map.region, status, error);
    }
    return map_by_python(entry, words, buffer);
}

int read_box(struct box *box, const struct array *array, const size_t *origin, const size_t *region)
{
    for (int i = 0; origin && region && i < 3; i++) {
        box->at[i] = origin[i];
        box->size[i] = region[i];
    }
    return origin && region && is_in(box, array);
}

void *map_image(struct entry *entry, struct object *queue, struct object *image, uint32_t blocking, uint64_t flags, const void *origin,
                const void *size, const void *row_pitch, const void *slice_pitch, uint32_t wait_count, const void *waits, const void *event,
                const void *error)
{
    const word words[] = { (word)queue, (word)image, blocking, flags, (word)origin, (word)size, (word)row_pitch, (word)slice_pitch,
                           wait_count, (word)waits, (word)event, (word)error };
    struct contents *contents;
    struct object *where = place_for_map(queue, image, wait_count, waits);
    struct box box;
    if (where && (contents = mappable(where, image, blocking, flags))) {
        const struct known_contents *known = &contents->known;
        const struct array *array = &known->array;
        if (array->element_size && !(array->flags & (refused_by(flags) | (flags & MAP_WRITES ? IMMUTABLE : 0))) && row_pitch
            && (slice_pitch || !array->has_planes) && read_box(&box, array, origin, size)
            && (!known->side || copies_to_rows(array, &box, &where->stream->functions))) {
            const struct map map = { .queue = where, .memory = image, .contents = contents, .command = MAP_IMAGE, .waits = blocking,
                                     .is_alone = !wait_count, .region = { place_of_box(&known->host, array, &box), flags, known->side, box } };
            int done;
            int32_t status = map_region(&map, event, &done);
            if (done) {
                *(size_t *)row_pitch = known->host.row_pitch;
                if (slice_pitch)
                    *(size_t *)slice_pitch = array->has_planes ? known->host.slice_pitch : 0;
                return give_mapped(&map.region, status, error);
            }
        }
    }
    return map_by_python(entry, words, image);
}

/* What was mapped for writing goes to the device; 0 where Python is to unmap. */
static int give_back(struct object *queue, struct object *memory, const struct contents *contents, const struct region *region,
                     const void *event, int32_t *status)
{
    struct times *times;
    if (!region->side || !(region->flags & MAP_WRITES))
        return put_place(UNMAP_MEM_OBJECT, queue, event, status);
    if (region->side == AS_PAGEABLE_COPY
        && (wants_times(queue, event)
            || !can_write(&queue->stream->functions, (const void *)(uintptr_t)region->address, region->box.size[0], 0)))
        return 0;
    if (!take_times(queue, event, &times))
        return 0;
    if (begin_times(queue, times) && give_contents(&queue->stream->functions, memory, contents, region, 0)) {
        int has_end = end_times(queue, times);
        *status = give_timed_event(queue, count_given(queue), UNMAP_MEM_OBJECT, times, has_end, event);
        return 1;
    }
    give_times(queue, times);
    return 0;
}

int32_t unmap_memory(struct entry *entry, struct object *queue, struct object *memory, const void *address, uint32_t wait_count,
                     const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)memory, (word)address, wait_count, (word)waits, (word)event };
    struct region region;
    struct object *where = place_for_map(queue, memory, wait_count, waits);
    int32_t status;
    if (where) {
        struct contents *contents = known_contents(memory);
        if (contents && strike_out(contents, (uintptr_t)address, &region)) {
            if (give_back(where, memory, contents, &region, event, &status))
                return status;
            relist(memory, contents, &region);
        }
    }
    status = (int32_t)answer(entry, words);
    if (status == SUCCESS) {
        note_relisted();
        learn_contents(memory);
    }
    return status;
}
