#include "buffers.h"

#include "answers.h"
#include "maps.h"
#include "spares.h"

PyObject *bare_buffers_of;

/* cl_buffer_create_type */
enum { BUFFER_CREATE_TYPE_REGION = 0x1220 };

/* "CL_INVALID_VALUE if values specified in flags are not valid": of those that ask for nothing but access, at most one of each kind. */
static int ask_for_access_alone(uint64_t flags)
{
    uint64_t access = flags & (MEM_READ_WRITE | MEM_WRITE_ONLY | MEM_READ_ONLY);
    uint64_t host = flags & (MEM_HOST_WRITE_ONLY | MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS);
    return flags == (access | host) && !(access & (access - 1)) && !(host & (host - 1));
}

/* All of cl_mem_flags that sub-buffers inherit without more: those of access and of the host's memory. */
#define INHERITED_FLAGS ((uint64_t)(MEM_READ_WRITE | MEM_WRITE_ONLY | MEM_READ_ONLY | MEM_USE_HOST_PTR | MEM_ALLOC_HOST_PTR \
                                    | MEM_COPY_HOST_PTR | MEM_HOST_WRITE_ONLY | MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS))

/* The most first contents that a bare buffer keeps: FILLED_IN_ORDER of runtime/memory/buffer.py. */
enum { MOST_COPIED = 64 << 10 };

static void learn_bare_buffers(struct object *context)
{
    struct { uint64_t largest, part_align; } found;
    int state;
    if (!is_object(context, CONTEXT) || __atomic_exchange_n(&context->is_used, 1, __ATOMIC_RELAXED) || !python_enter(&state))
        return;
    if (take_bytes(py.PyObject_CallFunction(bare_buffers_of, "O", context->core), &found, sizeof found)) {
        __atomic_store_n(&context->part_align, found.part_align, __ATOMIC_RELAXED);
        __atomic_store_n(&context->largest_bare, found.largest, __ATOMIC_RELEASE);
    }
    python_leave(state);
}

void *create_buffer(struct entry *entry, struct object *context, uint64_t flags, size_t size, const void *host, const void *error)
{
    const word words[] = { (word)context, flags, size, (word)host, (word)error };
    struct object *made;
    int copies = host && flags & MEM_COPY_HOST_PTR && size <= MOST_COPIED;
    if (is_object(context, CONTEXT) && is_referenced(context) && (!host || copies) && size
        && size <= __atomic_load_n(&context->largest_bare, __ATOMIC_ACQUIRE)
        && ask_for_access_alone(flags & ~(uint64_t)(MEM_ALLOC_HOST_PTR | (copies ? MEM_COPY_HOST_PTR : 0))) && python_alive()
        && ((!host && (made = take_spare(context, flags, size))) || (made = new_bare_buffer(context, flags, size, host)))) {
        if (error)
            *(int32_t *)error = SUCCESS;
        return made;
    }
    made = (struct object *)answer(entry, words);
    if (made) {
        learn_bare_buffers(context);
        made->whole = (struct whole){ .size = flags & ~INHERITED_FLAGS ? 0 : size, .flags = flags };
    }
    return made;
}

/* What a part is made with: "If flags is 0 [...]", and where the host's access is not given, it is that of the whole. Others than those of
   access alone, and what the whole may not do, are Python's; 0 there. */
static int inherit_flags(const struct whole *whole, uint64_t flags, uint64_t *inherited)
{
    const uint64_t host = MEM_HOST_WRITE_ONLY | MEM_HOST_READ_ONLY | MEM_HOST_NO_ACCESS;
    *inherited = flags | (flags & host ? 0 : whole->flags & host);
    return !flags || (!(whole->flags & ~(uint64_t)MEM_READ_WRITE) && ask_for_access_alone(flags));
}

void *create_part(struct entry *entry, struct object *buffer, uint64_t flags, uint32_t type, const void *place, const void *error)
{
    const word words[] = { (word)buffer, flags, type, (word)place, (word)error };
    const struct { size_t origin, size; } *region = place;
    const struct whole *whole = is_object(buffer, MEMORY) && is_referenced(buffer) ? &buffer->whole : NULL;
    uint64_t align = whole && buffer->context ? __atomic_load_n(&buffer->context->part_align, __ATOMIC_RELAXED) : 0, inherited;
    struct object *made;
    if (align && region && type == BUFFER_CREATE_TYPE_REGION && region->size && region->origin % align == 0
        && region->origin <= whole->size && region->size <= whole->size - region->origin && inherit_flags(whole, flags, &inherited)
        && python_alive() && (made = new_bare_part(buffer, inherited, region->origin, region->size))) {
        if (error)
            *(int32_t *)error = SUCCESS;
        return made;
    }
    return (void *)answer(entry, words);
}

static int32_t tell_map_count(struct entry *entry, struct object *memory, size_t room, const void *value, const void *size)
{
    uint32_t count;
    int32_t status = ask_map_count(entry, memory, &count);
    return status == SUCCESS ? give_sized(&count, sizeof count, room, value, size) : status;
}

int32_t tell_memory_object(struct entry *entry, struct object *memory, uint32_t query, size_t room, const void *value, const void *size)
{
    const word words[] = { (word)memory, query, room, (word)value, (word)size };
    if (query == MEM_MAP_COUNT && is_object(memory, MEMORY))
        return tell_map_count(entry, memory, room, value, size);
    return (int32_t)answer(entry, words);
}
