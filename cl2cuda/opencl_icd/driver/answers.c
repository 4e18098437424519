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

/* Whether these are devices that nobody can release. */
static int are_staying_devices(const char *data, size_t size)
{
    struct object *const *devices = (struct object *const *)data;
    for (size_t i = 0; i < size / sizeof *devices; i++)
        if (!is_object(devices[i], DEVICE) || devices[i]->counted)
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

void forget_answers(struct object *object)
{
    for (struct known *each = object->known, *next; each; each = next) {
        next = each->next;
        free(each);
    }
    object->known = NULL;
}
