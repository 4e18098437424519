#include "programs.h"

#include "answers.h"
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

__thread struct object *program_being_built;

/* Longer answers are not kept, nor larger binaries. */
enum { MOST_KEPT = 64 << 10, MOST_BINARY = 1 << 20 };

/* "If an element in lengths is zero, its accompanying string is null-terminated." What is cut off may also be in what is counted. */
static size_t length_of(const char *string, size_t given)
{
    size_t length = given ? given : strlen(string);
    while (length && !string[length - 1])
        length--;
    return length;
}

/* The parts of a source as one; NULL where there is none, one of them is NULL, or memory is missing. */
static struct origin *joined(uint32_t count, const char *const *strings, const size_t *lengths)
{
    size_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!strings[i])
            return NULL;
        total += length_of(strings[i], lengths ? lengths[i] : 0);
    }
    struct origin *source = count ? new_origin(NULL, NULL, total) : NULL;
    char *end = source ? source->bytes : NULL;
    for (uint32_t i = 0; source && i < count; i++) {
        size_t length = length_of(strings[i], lengths ? lengths[i] : 0);
        memcpy(end, strings[i], length);
        end += length;
    }
    return source;
}

void *create_program(struct entry *entry, struct object *context, uint32_t count, const void *strings, const void *lengths,
                     const void *error)
{
    const word words[] = { (word)context, count, (word)strings, (word)lengths, (word)error };
    struct origin *source = is_object(context, CONTEXT) && is_referenced(context) && strings && python_alive()
        ? joined(count, strings, lengths) : NULL;
    struct object *made = source ? new_bare_program(context, source) : NULL;
    if (!made) {
        free(source);
        return (void *)answer(entry, words);
    }
    if (error)
        *(int32_t *)error = SUCCESS;
    return made;
}

/* The only binary that a call gives, which is a device's that stays; NULL where there are more, it is large, or memory is missing. */
static struct origin *only_binary(uint32_t count, struct object *const *devices, const size_t *lengths, const void *const *binaries)
{
    return count == 1 && devices && lengths && binaries && is_staying_device(*devices) && *binaries && *lengths && *lengths <= MOST_BINARY
        ? new_origin(*devices, *binaries, *lengths) : NULL;
}

/* Of a binary that a kept program was made of Python has said that it is one for the device. */
void *create_program_of_binary(struct entry *entry, struct object *context, uint32_t count, const void *devices, const void *lengths,
                               const void *binaries, const void *statuses, const void *error)
{
    const word words[] = { (word)context, count, (word)devices, (word)lengths, (word)binaries, (word)statuses, (word)error };
    struct origin *binary = is_object(context, CONTEXT) && is_referenced(context) && python_alive()
        ? only_binary(count, devices, lengths, binaries) : NULL;
    struct object *made = binary && is_kept_of(context, binary) ? new_bare_program(context, binary) : NULL;
    if (!made) {
        made = (struct object *)answer(entry, words);
        if (made)
            made->builds.origin = binary;
        else
            free(binary);
        return made;
    }
    if (statuses)
        *(int32_t *)statuses = SUCCESS;
    if (error)
        *(int32_t *)error = SUCCESS;
    return made;
}

PyObject *core_to_build(struct object *program)
{
    end_kernels(program, 0);
    return made_core(program);
}

/* A call after which the program may be another one for its devices. */
static int32_t rebuild(struct entry *entry, const word *words)
{
    struct object *program = (struct object *)words[0];
    if (!is_object(program, PROGRAM))
        return (int32_t)answer(entry, words);
    __atomic_add_fetch(&program->builds.begun, 1, __ATOMIC_SEQ_CST);
    int32_t status = (int32_t)answer(entry, words);
    __atomic_add_fetch(&program->builds.ended, 1, __ATOMIC_SEQ_CST);
    return status;
}

int32_t build_program(struct entry *entry, struct object *program, uint32_t count, const void *devices, const void *options,
                      const void *notify, const void *user_data)
{
    const word words[] = { (word)program, count, (word)devices, (word)options, (word)notify, (word)user_data };
    const struct object *device = count == 1 && devices ? *(struct object *const *)devices : NULL;
    if (notify || user_data || !is_object(program, PROGRAM) || !program->builds.origin || !(count ? count == 1 && device : !devices))
        return rebuild(entry, words);
    if (become_built(program, device, options))
        return SUCCESS;
    struct object *before = program_being_built;
    program_being_built = program;
    int32_t status = rebuild(entry, words);
    program_being_built = before;
    if (status == SUCCESS)
        note_build(program, options);
    return status;
}

int32_t compile_program(struct entry *entry, struct object *program, uint32_t count, const void *devices, const void *options,
                        uint32_t header_count, const void *headers, const void *names, const void *notify, const void *user_data)
{
    const word words[] = { (word)program, count, (word)devices, (word)options, header_count, (word)headers, (word)names, (word)notify,
                           (word)user_data };
    return rebuild(entry, words);
}

/* The status that Python knows is kept, but for one that another thread ends. */
static NOINLINE int32_t ask_status(struct entry *entry, struct object *program, struct object *device, uint32_t count, size_t room,
                                   const void *value, const void *size)
{
    uint32_t status = 0;
    int32_t failure = ask_with_device(entry, program, device, PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    if (failure)
        return failure;
    if ((int32_t)status != BUILD_IN_PROGRESS)
        keep_while(program, device, count, status);
    return give_info(&status, sizeof status, room, value, size);
}

/* Most programs are built once: answers that stay as long as they are not built again are kept of these alone. */
static int is_built_once(const struct object *program)
{
    uint32_t count;
    return is_object(program, PROGRAM) && is_at_rest(program, &count) && count == 1;
}

/* What no build changes. */
static int stays(uint32_t query)
{
    return query == PROGRAM_CONTEXT || query == PROGRAM_NUM_DEVICES || query == PROGRAM_DEVICES;
}

static void keep(struct object *program, uint32_t query, const void *of, const char *data, size_t size)
{
    int state;
    if (!(stays(query) || is_built_once(program)) || (query == PROGRAM_DEVICES && !are_staying_devices(data, size))
        || !python_enter(&state))
        return;
    if (!known_by(program, query, of))
        keep_known(program, query, of, data, size);
    python_leave(state);
}

/* What Python says, of the device if there is one. */
static int32_t ask(struct entry *entry, struct object *program, struct object *device, uint32_t query, size_t room, void *text, size_t *size)
{
    const word with[] = { (word)program, (word)device, query, room, (word)text, (word)size };
    const word without[] = { (word)program, query, room, (word)text, (word)size };
    return (int32_t)answer(entry, device ? with : without);
}

/* Of the device, or of the program itself where there is none. It may become another object, so that its address says nothing. */
static const struct known *kept_answer(struct entry *entry, struct object *program, struct object *device, uint32_t query)
{
    static const char itself;
    const void *of = device ? (const void *)device : &itself;
    const struct known *known = known_by(program, query, of);
    size_t size = 0, length = 0;
    if (known || ask(entry, program, device, query, 0, NULL, &size) || !size || size > MOST_KEPT)
        return known;
    char *text = malloc(size);
    if (text && !ask(entry, program, device, query, size, text, &length))
        keep(program, query, of, text, length);
    free(text);
    return known_by(program, query, of);
}

int32_t tell_build(struct entry *entry, struct object *program, struct object *device, uint32_t query, size_t room, const void *value,
                   const void *size)
{
    uint32_t count, status;
    if (!is_object(program, PROGRAM) || !is_at_rest(program, &count))
        return ask_with_device(entry, program, device, query, room, value, size);
    if (query == PROGRAM_BUILD_STATUS)
        return ask_status(entry, program, device, count, room, value, size);
    if (count == 1 && !tell_kept(program, device, count, &status))
        ask_status(entry, program, device, count, sizeof status, &status, NULL);
    const struct known *known = count == 1 && tell_kept(program, device, count, &status) ? kept_answer(entry, program, device, query) : NULL;
    return known ? give_info(known->answer, known->size, room, value, size)
        : ask_with_device(entry, program, device, query, room, value, size);
}

static int stays_once_built(uint32_t query)
{
    return query == PROGRAM_SOURCE || query == PROGRAM_BINARY_SIZES || query == PROGRAM_NUM_KERNELS || query == PROGRAM_KERNEL_NAMES;
}

/* Until a program is built, Python waits with what its kernels are. */
int32_t tell_program(struct entry *entry, struct object *program, uint32_t query, size_t room, const void *value, const void *size)
{
    const word words[] = { (word)program, query, room, (word)value, (word)size };
    const struct known *known = is_object(program, PROGRAM) && (stays(query) || (stays_once_built(query) && is_built_once(program)))
        ? kept_answer(entry, program, NULL, query) : NULL;
    return known ? give_info(known->answer, known->size, room, value, size) : (int32_t)answer(entry, words);
}
