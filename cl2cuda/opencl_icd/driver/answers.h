/* Answers to queries: how they are given, and those that stay, which objects keep. */
#ifndef CL2CUDA_ANSWERS_H
#define CL2CUDA_ANSWERS_H

#include <string.h>

#include "calls.h"

/* Of what a function seldom comes to: so it keeps no registers, and no words on the stack, for that. */
#define NOINLINE __attribute__((noinline))

/* As room, address and real size ask for it. Most answers are a word or a number: of those the size is known where this is called, and the
   copy is an instruction. */
static inline int32_t give_sized(const void *data, size_t size, size_t room, const void *value, const void *real_size)
{
    if (value) {
        if (room < size)
            return INVALID_VALUE;
        memcpy((void *)value, data, size);
    }
    if (real_size)
        *(size_t *)real_size = size;
    return SUCCESS;
}
int32_t give_bytes(const void *data, size_t size, size_t room, const void *value, const void *real_size);

/* The same of any size. */
static inline int32_t give_info(const void *data, size_t size, size_t room, const void *value, const void *real_size)
{
    return size == sizeof(word) ? give_sized(data, sizeof(word), room, value, real_size)
        : size == sizeof(uint32_t) ? give_sized(data, sizeof(uint32_t), room, value, real_size)
        : give_bytes(data, size, room, value, real_size);
}

/* What is kept of an object's answers, by what was asked, and of what: NULL where nothing is. With Python's lock something is added. */
enum { IMAGE_ARGUMENT = 0xFFFFFFFF, DEVICES_OF_TYPE = 0xFFFFFFFE, ALL_KERNELS = 0xFFFFFFFD }; /* no queries: for `arguments.c`,
                                                                                `tell_devices` and `kernels.c` */
static inline const struct known *known_by(const struct object *object, uint32_t query, const void *of)
{
    const struct answers *answers = __atomic_load_n(&object->answers, __ATOMIC_ACQUIRE);
    const struct known *each = answers ? __atomic_load_n(&answers->first[query % ANSWER_LISTS], __ATOMIC_ACQUIRE) : NULL;
    while (each && (each->query != query || each->of != of))
        each = each->next;
    return each;
}
void keep_known(struct object *object, uint32_t query, const void *of, const char *data, size_t size);

/* The answer to a query of an object and a device that is not kept. */
int32_t ask_with_device(struct entry *entry, struct object *object, struct object *device, uint32_t query, size_t room, const void *value,
                        const void *real_size);

/* Whether the answer is devices of which nobody can release one. */
int are_staying_devices(const char *data, size_t size);

/* With Python's lock: the answer to a query's words is kept, if it is one that stays. */
void keep_answer(const struct entry *entry, const word *words, const char *data, size_t size);

/* What stands above a kept answer: never 0. */
static inline uint32_t mark_of_count(uint64_t count)
{
    return (uint32_t)count | 1u << 31;
}

/* One more answer, about a device, which stays as long as something is not counted on; 0 where it is not known. Without Python's lock. */
static inline int tell_kept(const struct object *object, const struct object *device, uint64_t count, uint32_t *answer)
{
    uint64_t kept = __atomic_load_n(&object->kept.answer, __ATOMIC_ACQUIRE);
    *answer = (uint32_t)kept;
    return kept >> 32 == mark_of_count(count) && __atomic_load_n(&object->kept.of, __ATOMIC_RELAXED) == device
        && is_staying_device(device);
}
void keep_while(struct object *object, const struct object *device, uint64_t count, uint32_t answer);

/* clGetSupportedImageFormats */
int32_t tell_formats(struct entry *entry, struct object *context, uint64_t flags, uint32_t type, uint32_t room, const void *formats,
                     const void *count);

/* clGetDeviceIDs */
int32_t tell_devices(struct entry *entry, struct object *platform, uint64_t type, uint32_t room, const void *devices, const void *count);

/* Of an object that nobody asks any more. */
void forget_answers(struct object *object);

#endif
