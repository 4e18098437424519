/* What objects tell of themselves, whether Python has heard of them or not: in the entry points' own code, without a call, and without a
   place on the stack for what Python would be asked. */
#ifndef CL2CUDA_FACTS_H
#define CL2CUDA_FACTS_H

#include "answers.h"
#include "commands.h"
#include "maps.h"
#include "programs.h"

/* A number or an address, of so many bytes: 0 where it is to be asked for. */
struct fact {
    uint64_t value;
    size_t size;
};
#define NO_FACT ((struct fact){ 0, 0 })

static inline struct fact number(uint32_t value)
{
    return (struct fact){ value, sizeof value };
}

static inline struct fact long_word(uint64_t value)
{
    return (struct fact){ value, sizeof value };
}

static inline int32_t give_fact(const struct fact *fact, size_t room, const void *value, const void *real_size)
{
    return fact->size == sizeof(word) ? give_sized(&fact->value, sizeof(word), room, value, real_size)
        : give_sized(&fact->value, sizeof(uint32_t), room, value, real_size);
}

/* Of a buffer that says all of what it was made with. */
static inline struct fact fact_of_whole(const struct object *buffer, uint32_t query)
{
    const struct whole *whole = &buffer->whole;
    uint32_t count;
    switch (query) {
    case MEM_TYPE: return number(MEM_OBJECT_BUFFER);
    case MEM_FLAGS: return long_word(whole->flags ? whole->flags : MEM_READ_WRITE);
    case MEM_SIZE: return long_word(whole->size);
    case MEM_HOST_PTR: return whole->flags & MEM_USE_HOST_PTR ? NO_FACT : long_word(0);
    case MEM_MAP_COUNT: return know_map_count(buffer, &count) ? number(count) : NO_FACT;
    case MEM_CONTEXT: return long_word((word)buffer->context);
    case MEM_ASSOCIATED_MEMOBJECT: return long_word(0);
    case MEM_OFFSET: return long_word(0);
    case MEM_USES_SVM_POINTER: return whole->flags & MEM_USE_HOST_PTR ? NO_FACT : number(0);
    default: return NO_FACT;
    }
}

static inline struct fact fact_of_part(const struct object *part, uint32_t query)
{
    switch (query) {
    case MEM_TYPE: return number(MEM_OBJECT_BUFFER);
    case MEM_SIZE: return long_word(part->memory.size);
    case MEM_CONTEXT: return long_word((word)part->context);
    case MEM_ASSOCIATED_MEMOBJECT: /* A released one may be retained from here on: Python hears of its part. */
        return is_object(part->parent, MEMORY) ? long_word((word)part->parent) : NO_FACT;
    case MEM_OFFSET: return long_word(part->number);
    default: return NO_FACT;
    }
}

/* clGetMemObjectInfo: what a buffer, or a part of one, was asked for with says most of it, also while it is bare. `of` is the queries' own,
   here and below: what is asked about beside the object (struct known). */
static inline struct fact fact_of_memory(const struct object *memory, uint32_t query, const void *of)
{
    (void)of;
    return memory->whole.size ? fact_of_whole(memory, query) : memory->began_bare ? fact_of_part(memory, query) : NO_FACT;
}

/* CL_EVENT_COMMAND_QUEUE and so on, CL_COMMAND_USER */
enum { EVENT_COMMAND_QUEUE = 0x11D0, EVENT_COMMAND_TYPE, EVENT_COMMAND_EXECUTION_STATUS = 0x11D3, EVENT_CONTEXT, COMMAND_USER = 0x1204 };

/* clGetEventInfo, of an event of which Python has not heard: but for the status, where its end is not known. */
static inline struct fact fact_of_event(const struct object *event, uint32_t query, const void *of)
{
    const int is_users = event->description != NULL;
    const struct object *parent = event->parent;
    (void)of;
    if (has_core(event))
        return NO_FACT;
    switch (query) {
    case EVENT_COMMAND_QUEUE: return long_word(is_users ? 0 : (word)(parent->kind == LANE ? parent->parent : parent));
    case EVENT_COMMAND_TYPE: return number(is_users ? COMMAND_USER : event->command);
    case EVENT_COMMAND_EXECUTION_STATUS: return is_bare(event) && has_ended(event) ? number(0) : NO_FACT; /* CL_COMPLETE */
    case EVENT_CONTEXT: return long_word((word)event->context);
    default: return NO_FACT;
    }
}

/* CL_KERNEL_PROGRAM */
enum { KERNEL_PROGRAM = 0x1194 };

/* clGetKernelInfo: which object the program is, which kernels that are kept outlive (origins.h). */
static inline struct fact fact_of_kernel(const struct object *kernel, uint32_t query, const void *of)
{
    (void)of;
    return query == KERNEL_PROGRAM && is_object(kernel->parent, PROGRAM) ? long_word((word)kernel->parent) : NO_FACT;
}

/* clGetProgramBuildInfo: the status that Python has told of the last build for the device. */
static inline struct fact fact_of_build(const struct object *program, uint32_t query, const void *of)
{
    uint32_t count, status;
    return query == PROGRAM_BUILD_STATUS && is_at_rest(program, &count) && tell_kept(program, of, count, &status) ? number(status) : NO_FACT;
}

/* What is kept of other answers, of a program that was built once. What another thread still builds has no status that is kept. */
static inline const struct known *known_of_build(const struct object *program, uint32_t query, const void *of)
{
    uint32_t count, status;
    return is_at_rest(program, &count) && count == 1 && tell_kept(program, of, count, &status) ? known_by(program, query, of) : NULL;
}

#endif
