#include "answers.h"

#include <stdlib.h>
#include <string.h>

int32_t give_info(const void *data, size_t size, const word *info)
{
    if (info[1]) {
        if (info[0] < size)
            return INVALID_VALUE;
        if (size == sizeof(word)) /* Most are, and a copy of known size is an instruction. */
            memcpy((void *)info[1], data, sizeof(word));
        else
            memcpy((void *)info[1], data, size);
    }
    if (info[2])
        *(size_t *)info[2] = size;
    return SUCCESS;
}

/* What a query asks, and about which device where there is one. */
static uint32_t query_of(const struct entry *entry, const word *words, const void **device)
{
    *device = entry->query > 1 ? (const void *)words[1] : NULL;
    return (uint32_t)words[entry->query];
}

const struct known *known_by(const struct object *object, uint32_t query, const void *of)
{
    const struct known *each = __atomic_load_n(&object->known, __ATOMIC_ACQUIRE);
    while (each && (each->query != query || each->of != of))
        each = each->next;
    return each;
}

const struct known *known_answer(const struct entry *entry, const word *words)
{
    const void *device;
    uint32_t query = query_of(entry, words, &device);
    return known_by((const struct object *)words[0], query, device);
}

void keep_known(struct object *object, uint32_t query, const void *of, const char *data, size_t size)
{
    struct known *new = malloc(sizeof *new + size);
    if (!new)
        return;
    *new = (struct known){ .next = object->known, .of = of, .query = query, .size = size };
    memcpy(new->answer, data, size);
    __atomic_store_n(&object->known, new, __ATOMIC_RELEASE); /* Python's lock is held. */
}

static int are_staying_devices(const char *data, size_t size)
{
    struct object *const *devices = (struct object *const *)data;
    for (size_t i = 0; i < size / sizeof *devices; i++)
        if (!is_staying_device(devices[i]))
            return 0;
    return size && size % sizeof *devices == 0;
}

static int stays(const struct entry *entry, uint32_t query, const char *data, size_t size)
{
    int32_t number;
    if (entry->devices && query == entry->devices)
        return are_staying_devices(data, size);
    if (query != entry->settling || !query)
        return query != entry->changing[0] && query != entry->changing[1];
    memcpy(&number, data, sizeof number);
    return number <= 0;
}

void keep_answer(const struct entry *entry, const word *words, const char *data, size_t size)
{
    const void *device;
    uint32_t query = query_of(entry, words, &device);
    struct object *object = (struct object *)words[0];
    if (entry->stays && object && stays(entry, query, data, size) && !known_by(object, query, device))
        keep_known(object, query, device, data, size);
}

/* The count as it stands above a kept answer: never 0. */
static uint64_t upper_half(uint64_t count)
{
    return (uint64_t)((uint32_t)count | 1u << 31) << 32;
}

int tell_kept(const struct object *object, const struct object *device, uint64_t count, uint32_t *answer)
{
    uint64_t kept = __atomic_load_n(&object->kept.answer, __ATOMIC_ACQUIRE);
    *answer = (uint32_t)kept;
    return kept >> 32 == upper_half(count) >> 32 && __atomic_load_n(&object->kept.of, __ATOMIC_RELAXED) == device
        && is_staying_device(device);
}

void keep_while(struct object *object, const struct object *device, uint64_t count, uint32_t answer)
{
    const void *none = NULL;
    if (!is_staying_device(device))
        return; /* Another one may have its address later. */
    __atomic_compare_exchange_n(&object->kept.of, &none, device, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (__atomic_load_n(&object->kept.of, __ATOMIC_RELAXED) == device)
        __atomic_store_n(&object->kept.answer, upper_half(count) | answer, __ATOMIC_RELEASE);
}

/* A cl_image_format is one word here. */
enum { MOST_FORMATS = 512, MEM_ACCESS = 7, MEM_KERNEL_READ_AND_WRITE = 1 << 12 };
#define OF_FORMATS ((uint64_t)1 << 63) /* No query of a context has it. */

/* The formats of a context, as a query of the image type; NULL where Python says what is wrong, or there are more. */
static const struct known *find_formats(struct entry *entry, struct object *context, uint64_t flags, uint32_t type)
{
    const void *of = (const void *)(uintptr_t)(flags | OF_FORMATS);
    const struct known *known = known_by(context, type, of);
    uint64_t found[MOST_FORMATS];
    uint32_t count;
    int state;
    const word words[] = { (word)context, flags, type, MOST_FORMATS, (word)found, (word)&count };
    if (known || (int32_t)answer(entry, words) != SUCCESS || count > MOST_FORMATS || !python_enter(&state))
        return known;
    keep_known(context, type, of, (const char *)found, count * sizeof *found);
    python_leave(state);
    return known_by(context, type, of);
}

int32_t tell_formats(struct entry *entry, struct object *context, uint64_t flags, uint32_t type, uint32_t room, const void *formats,
                     const void *count)
{
    const word words[] = { (word)context, flags, type, room, (word)formats, (word)count };
    const struct known *known = NULL;
    if (is_object(context, CONTEXT) && context->references && (room || !formats)
        && !(flags & ~(uint64_t)(MEM_ACCESS | MEM_KERNEL_READ_AND_WRITE))) /* With others there are many. */
        known = find_formats(entry, context, flags, type);
    if (!known)
        return (int32_t)answer(entry, words);
    uint32_t found = (uint32_t)(known->size / sizeof(uint64_t));
    if (formats)
        memcpy((void *)formats, known->answer, (found < room ? found : room) * sizeof(uint64_t));
    if (count)
        *(uint32_t *)count = found;
    return SUCCESS;
}

void forget_answers(struct object *object)
{
    for (struct known *each = object->known, *next; each; each = next) {
        next = each->next;
        free(each);
    }
    object->known = NULL;
}
