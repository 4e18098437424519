#include "origins.h"

#include "held.h"
#include "kernels.h"
#include "programs.h"
#include "spares.h"

#include <stdlib.h>
#include <string.h>

PyObject *returning_for;

/* Of a context. Each has its code on the device. */
enum { MOST_PROGRAMS = 8 };

struct origin *new_origin(struct object *device, const void *bytes, size_t size)
{
    struct origin *origin = malloc(sizeof *origin + size + 1);
    if (!origin)
        return NULL;
    *origin = (struct origin){ .device = device, .size = size };
    if (bytes)
        memcpy(origin->bytes, bytes, size);
    origin->bytes[size] = 0;
    return origin;
}

void forget_origin(struct object *program)
{
    struct origin *origin = program->builds.origin;
    if (origin)
        free(origin->options);
    free(origin);
    program->builds.origin = NULL;
}

static int are_same(const struct origin *one, const struct origin *other)
{
    return one->device == other->device && one->size == other->size && !memcmp(one->bytes, other->bytes, one->size);
}

int is_kept_of(struct object *context, const struct origin *origin)
{
    struct spares *kept = &context->released_programs;
    if (!__atomic_load_n(&kept->first, __ATOMIC_RELAXED))
        return 0;
    hold_objects();
    const struct object *each = kept->first;
    while (each && !are_same(each->builds.origin, origin))
        each = each->next;
    let_objects_go();
    return each != NULL;
}

/* No options at all are others than empty ones: a binary then has those that it was built with. */
static int were_built_alike(const struct origin *built, const struct object *device, const char *options)
{
    return (!device || built->built_for == device)
        && (options && built->options ? !strcmp(options, built->options) : !options == !built->options);
}

/* With Python's lock: all that Python and the library know of one is from here on the other's, which is another object; 0 without memory. */
static int take_over(struct object *program, struct object *from)
{
    struct builds *builds = &program->builds;
    program->core = from->core;
    if (!note_core(program)) {
        py.PyErr_Clear();
        program->core = NULL;
        return 0;
    }
    from->core = NULL;
    hold_objects();
    program->spares = from->spares;
    from->spares = (struct spares){ .use = ENDED };
    for (struct object *kernel = program->spares.first; kernel; kernel = kernel->next)
        kernel->parent = program;
    __atomic_add_fetch(&program->users, program->spares.count, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&from->users, program->spares.count, __ATOMIC_RELAXED);
    let_objects_go();
    __atomic_store_n(&program->answers, from->answers, __ATOMIC_RELEASE);
    from->answers = NULL;
    program->kept = from->kept;
    builds->origin->is_built = 1;
    builds->origin->built_for = from->builds.origin->built_for;
    builds->origin->options = from->builds.origin->options;
    from->builds.origin->options = NULL;
    __atomic_store_n(&builds->ended, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&builds->begun, 1, __ATOMIC_RELEASE);
    drop_object(from);
    return 1;
}

/* With Python's lock: one that was kept and ends after all. */
static void end_program(struct object *program)
{
    program->kind = PROGRAM;
    end_kernels(program, 1);
    end_object(program);
}

static struct object *take_built(struct spares *kept, const struct origin *origin, const struct object *device, const char *options)
{
    hold_objects();
    struct object **place = &kept->first;
    while (*place && !(were_built_alike((*place)->builds.origin, device, options) && are_same((*place)->builds.origin, origin)))
        place = &(*place)->next;
    struct object *found = take_from(kept, place);
    let_objects_go();
    if (found)
        found->kind = PROGRAM;
    return found;
}

int become_built(struct object *program, const struct object *device, const char *options)
{
    struct spares *kept = &program->parent->released_programs;
    int state, done = 0;
    if (!__atomic_load_n(&kept->first, __ATOMIC_RELAXED) || !python_enter(&state))
        return 0;
    if (!program->core && !__atomic_load_n(&program->builds.begun, __ATOMIC_RELAXED)) {
        struct object *found = take_built(kept, program->builds.origin, device, options);
        done = found && take_over(program, found);
        if (found && !done)
            end_program(found);
    }
    python_leave(state);
    return done;
}

void note_build(struct object *program, const char *options)
{
    struct origin *origin = program->builds.origin;
    if (__atomic_load_n(&program->builds.begun, __ATOMIC_RELAXED) != 1 || origin->is_built)
        return;
    origin->options = options ? strdup(options) : NULL;
    origin->is_built = !options || origin->options;
}

/* Asked once of what was built by Python. */
static void learn_returning(struct object *program)
{
    int state;
    if (!python_enter(&state))
        return;
    PyObject *answer = py.PyObject_CallFunction(returning_for, "O", program->core);
    struct object *device = answer ? (struct object *)(uintptr_t)py.PyLong_AsUnsignedLongLongMask(answer) : NULL;
    if (answer)
        py.Py_DecRef(answer);
    else
        drop_exception(1);
    program->builds.origin->built_for = is_staying_device(device) ? device : NULL;
    python_leave(state);
}

/* What is held back may use it. */
static int may_return(struct object *program)
{
    const struct origin *origin = program->builds.origin;
    uint32_t count;
    if (!origin || !origin->is_built || !program->core || program->is_shared || !is_object(program->parent, CONTEXT) || any_held()
        || !is_at_rest(program, &count) || count != 1)
        return 0;
    if (!origin->built_for)
        learn_returning(program);
    return origin->built_for != NULL;
}

struct object *program_to_end(struct object *program)
{
    struct object *ends = program;
    if (!may_return(program))
        return program;
    struct spares *kept = &program->parent->released_programs;
    hold_objects();
    /* Its only users are kernels that are nobody's. */
    if (kept->use != ENDED && __atomic_load_n(&program->users, __ATOMIC_ACQUIRE) == program->spares.count + 1) {
        program->kind = NO_OBJECT;
        put_among(kept, program);
        ends = kept->count > MOST_PROGRAMS ? take_oldest_from(kept) : NULL;
    }
    let_objects_go();
    if (ends)
        ends->kind = PROGRAM;
    return ends;
}

void end_programs(struct object *context)
{
    struct spares *kept = &context->released_programs;
    struct object *program;
    do {
        hold_objects();
        kept->use = ENDED;
        program = take_from(kept, &kept->first);
        let_objects_go();
        if (program)
            end_program(program);
    } while (program);
}
