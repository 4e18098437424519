#include "user_events.h"

#include "descriptions.h"
#include "facts.h"
#include "held.h"

/* What stands above the status that was set; "the initial execution status for the user event object is CL_SUBMITTED". */
#define IS_SET ((uint64_t)1 << 32)
#define IS_PYTHONS ((uint64_t)1 << 33)
enum { SUBMITTED = 2 };

/* Of threads that make it at once each gives its own the status, since nothing sets it here any more. */
PyObject *user_event_core(struct object *event)
{
    uint64_t state = __atomic_fetch_or(&event->user_state, IS_PYTHONS, __ATOMIC_ACQ_REL);
    PyObject *core = described_core(event, NULL);
    PyObject *done = core && state & IS_SET ? py.PyObject_CallMethod(core, "set_status", "i", (int)(int32_t)state) : NULL;
    if (done) {
        py.Py_DecRef(done);
    } else if (core && state & IS_SET) {
        py.Py_DecRef(core);
        return NULL;
    }
    return core;
}

int tell_user_event(const struct object *event, int32_t *state)
{
    if (!is_bare_user_event(event))
        return 0;
    uint64_t found = __atomic_load_n(&event->user_state, __ATOMIC_ACQUIRE);
    *state = found & IS_SET ? (int32_t)found : SUBMITTED;
    return !(found & IS_PYTHONS);
}

int is_unset(const struct object *event)
{
    return is_bare_user_event(event) && !__atomic_load_n(&event->user_state, __ATOMIC_SEQ_CST);
}

void note_user_event(struct object *made)
{
    if (made && made->kind == EVENT)
        made->command = COMMAND_USER;
}

/* Whether it is not set, and something waits for it. */
static int is_awaited(const struct object *event)
{
    int state;
    if (!has_core(event) || !python_enter(&state))
        return 0;
    PyObject *answer = py.PyObject_GetAttrString(event->core, "is_awaited");
    int found = answer && py.PyLong_AsUnsignedLongLongMask(answer);
    if (answer)
        py.Py_DecRef(answer);
    else
        drop_exception(1);
    python_leave(state);
    return found;
}

/* Another thread may have set it meanwhile. */
static void let_go_if_left(struct object *event)
{
    if (__atomic_exchange_n(&event->is_left, 0, __ATOMIC_ACQ_REL))
        let_go_of(event);
}

int is_left_to_be_set(struct object *event)
{
    if (event->command != COMMAND_USER || !is_awaited(event))
        return 0;
    hold_by_callback(event);
    __atomic_store_n(&event->is_left, 1, __ATOMIC_RELEASE);
    if (!is_awaited(event))
        let_go_if_left(event);
    return 1;
}

/* "can be CL_COMPLETE or a negative integer value", and "can only be called once": Python says what is wrong. */
int32_t set_user_event(struct entry *entry, struct object *event, int32_t status)
{
    const word words[] = { (word)event, (word)(int64_t)status };
    uint64_t unset = 0;
    if (is_bare_user_event(event) && status <= 0
        && __atomic_compare_exchange_n(&event->user_state, &unset, IS_SET | (uint32_t)status, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        let_go_behind(event, status);
        return SUCCESS;
    }
    int32_t found = (int32_t)answer(entry, words);
    if (found == SUCCESS)
        let_go_if_left(event);
    return found;
}
