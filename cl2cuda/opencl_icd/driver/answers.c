#include "answers.h"

#include <stdlib.h>

int32_t give_bytes(const void *data, size_t size, size_t room, const void *value, const void *real_size)
{
    return give_sized(data, size, room, value, real_size);
}

int32_t ask_with_device(struct entry *entry, struct object *object, struct object *device, uint32_t query, size_t room, const void *value,
                        const void *real_size)
{
    const word words[] = { (word)object, (word)device, query, room, (word)value, (word)real_size };
    return (int32_t)answer(entry, words);
}

/* What a query asks, and of what (struct known). */
static uint32_t query_of(const struct entry *entry, const word *words, const void **of)
{
    *of = entry->query > 1 ? (const void *)words[1] : entry;
    return (uint32_t)words[entry->query];
}

void keep_known(struct object *object, uint32_t query, const void *of, const char *data, size_t size)
{
    struct answers *answers = object->answers ? object->answers : calloc(1, sizeof *answers);
    struct known *new = answers ? malloc(sizeof *new + size) : NULL;
    if (new) {
        const struct known **first = &answers->first[query % ANSWER_LISTS];
        *new = (struct known){ .next = *first, .of = of, .query = query, .size = size };
        memcpy(new->answer, data, size);
        __atomic_store_n(first, new, __ATOMIC_RELEASE); /* Python's lock is held. */
    }
    __atomic_store_n(&object->answers, answers, __ATOMIC_RELEASE);
}

int are_staying_devices(const char *data, size_t size)
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
    const void *of;
    uint32_t query = query_of(entry, words, &of);
    struct object *object = (struct object *)words[0];
    if (entry->stays && object && stays(entry, query, data, size) && !known_by(object, query, of))
        keep_known(object, query, of, data, size);
}

void keep_while(struct object *object, const struct object *device, uint64_t count, uint32_t answer)
{
    const void *none = NULL;
    if (!is_staying_device(device))
        return; /* Another one may have its address later. */
    __atomic_compare_exchange_n(&object->kept.of, &none, device, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (__atomic_load_n(&object->kept.of, __ATOMIC_RELAXED) == device)
        __atomic_store_n(&object->kept.answer, (uint64_t)mark_of_count(count) << 32 | answer, __ATOMIC_RELEASE);
}

/* A list's items are words: a cl_image_format is one, as is the address of a device. */
static const struct known *keep_list(struct object *object, uint32_t query, const void *of, const void *found, uint32_t count)
{
    int state;
    if (!python_enter(&state))
        return NULL;
    if (!known_by(object, query, of)) /* Another thread may have kept it since. */
        keep_known(object, query, of, found, count * sizeof(word));
    python_leave(state);
    return known_by(object, query, of);
}

static int32_t give_list(const struct known *known, uint32_t room, const void *list, const void *real_count)
{
    uint32_t count = (uint32_t)(known->size / sizeof(word));
    if (list)
        memcpy((void *)list, known->answer, (count < room ? count : room) * sizeof(word));
    if (real_count)
        *(uint32_t *)real_count = count;
    return SUCCESS;
}

enum { MOST_FORMATS = 512, MEM_ACCESS = 7, MEM_KERNEL_READ_AND_WRITE = 1 << 12 };
#define OF_FORMATS ((uint64_t)1 << 63) /* No query of a context has it. */

/* The formats of a context, as a query of the image type; NULL where Python says what is wrong, or there are more. */
static const struct known *find_formats(struct entry *entry, struct object *context, uint64_t flags, uint32_t type)
{
    const void *of = (const void *)(uintptr_t)(flags | OF_FORMATS);
    const struct known *known = known_by(context, type, of);
    uint64_t found[MOST_FORMATS];
    uint32_t count;
    const word words[] = { (word)context, flags, type, MOST_FORMATS, (word)found, (word)&count };
    if (known || (int32_t)answer(entry, words) != SUCCESS || count > MOST_FORMATS)
        return known;
    return keep_list(context, type, of, found, count);
}

int32_t tell_formats(struct entry *entry, struct object *context, uint64_t flags, uint32_t type, uint32_t room, const void *formats,
                     const void *count)
{
    const word words[] = { (word)context, flags, type, room, (word)formats, (word)count };
    const struct known *known = NULL;
    if (is_object(context, CONTEXT) && is_referenced(context) && (room || !formats)
        && !(flags & ~(uint64_t)(MEM_ACCESS | MEM_KERNEL_READ_AND_WRITE))) /* With others there are many. */
        known = find_formats(entry, context, flags, type);
    if (!known)
        return (int32_t)answer(entry, words);
    return give_list(known, room, formats, count);
}

/* The platform's devices of a type; NULL where there are none, or such as do not stay. */
static const struct known *find_devices(struct entry *entry, struct object *platform, uint64_t type)
{
    enum { MOST_DEVICES = 64 };
    const void *of = (const void *)(uintptr_t)type;
    const struct known *known = known_by(platform, DEVICES_OF_TYPE, of);
    struct object *found[MOST_DEVICES];
    uint32_t count;
    const word words[] = { (word)platform, type, MOST_DEVICES, (word)found, (word)&count };
    if (known || (int32_t)answer(entry, words) != SUCCESS || count > MOST_DEVICES
        || !are_staying_devices((const char *)found, count * sizeof *found))
        return known;
    return keep_list(platform, DEVICES_OF_TYPE, of, found, count);
}

int32_t tell_devices(struct entry *entry, struct object *platform, uint64_t type, uint32_t room, const void *devices, const void *count)
{
    const word words[] = { (word)platform, type, room, (word)devices, (word)count };
    const struct known *known = is_object(platform, PLATFORM) && (devices ? room != 0 : count != NULL) && python_alive()
        ? find_devices(entry, platform, type) : NULL;
    if (!known)
        return (int32_t)answer(entry, words);
    return give_list(known, room, devices, count);
}

void forget_answers(struct object *object)
{
    for (uint32_t i = 0; object->answers && i < ANSWER_LISTS; i++)
        for (const struct known *each = object->answers->first[i], *next; each; each = next) {
            next = each->next;
            free((void *)each);
        }
    free(object->answers);
    object->answers = NULL;
}
