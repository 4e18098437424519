/* The plan of a launch (Kernel.plans, which commands/nd_range.py makes). A kernel is launched with the same sizes again and again: its
   last plan is known by these, which is sooner than a key is made for the dictionary. */
#include "calls.h"

/* The sizes of a launch: global, local, offset; tuples, or None where that may be. */
enum { SIZES = 3 };

/* What Kernel.last_launch is: the plan, and by what it is the one; the sizes of the last launch that was made like it; and the plans that
   such launches have become, which Python does not know, by what Kernel.plans has its own, or NULL. `drop_plans` takes it away with the
   others. The plan is for the stream of the queue's timeline, which a queue that comes later may have, or for any stream of a queue out of
   order: then `timeline` is None. */
struct last_launch {
    PyObject head;
    PyObject *serial, *timeline, *sizes[SIZES], *plan, *alike[SIZES], *kept;
};

enum { MOST_KEPT = 256 }; /* as MAX_PLANS of runtime/commands/nd_range.py */

static PyTypeObject *last_type;

static void end_last_launch(PyObject *self)
{
    struct last_launch *last = (struct last_launch *)self;
    drop(last->serial);
    drop(last->timeline);
    for (int i = 0; i < SIZES; i++) {
        drop(last->sizes[i]);
        drop(last->alike[i]);
    }
    drop(last->plan);
    drop(last->kept);
    end_object(self);
}

static int is_same_number(PyObject *one, PyObject *other)
{
    return one == other || (is_int(one) && is_int(other) && PyLong_AsLongLong(one) == PyLong_AsLongLong(other) && !PyErr_Occurred());
}

/* Whether the sizes are None both, or equal ints. */
static int are_same(PyObject *one, PyObject *other)
{
    if (one == other)
        return 1;
    if (!is_tuple(one) || !is_tuple(other))
        return 0;
    Py_ssize_t count = PyTuple_Size(one);
    int same = PyTuple_Size(other) == count;
    for (Py_ssize_t i = 0; same && i < count; i++)
        same = is_same_number(PyTuple_GetItem(one, i), PyTuple_GetItem(other, i));
    return same;
}

static int are_all_same(PyObject *const *some, PyObject *const *others)
{
    int same = 1;
    for (int i = 0; same && i < SIZES; i++)
        same = are_same(some[i], others[i]);
    return same;
}

/* Whether the sizes are of integers, or None: plans are found by what is equal, as 4.0 is to 4. */
static int are_integers(PyObject *sizes)
{
    Py_ssize_t count = is_tuple(sizes) ? PyTuple_Size(sizes) : 0;
    Py_ssize_t i = 0;
    while (i < count && PyIndex_Check(PyTuple_GetItem(sizes, i)))
        i++;
    return i == count;
}

static void replace(PyObject **field, PyObject *value)
{
    PyObject *before = *field;
    Py_IncRef(value);
    *field = value;
    drop(before);
}

/* Whether a plan is for launches in the queue: it was made for that, by the serial, or for one of the kernel's context that had the
   timeline before, and its stream, or one that was out of order as this one is. */
static int is_for(PyObject *serial, PyObject *timeline, PyObject *kernel, PyObject *queue, const struct target *target)
{
    if (is_same_number(serial, target->serial))
        return 1;
    int may_be = timeline == (target->is_unordered ? NONE : target->timeline);
    PyObject *context = may_be ? get(queue, name_context) : NULL;
    int is_same = context && is(kernel, name_context, context);
    drop(context);
    return is_same;
}

/* Whether the last plan is; then it is found sooner from now on. */
static int takes_over(struct last_launch *last, PyObject *kernel, PyObject *queue, const struct target *target)
{
    int takes = is_for(last->serial, last->timeline, kernel, queue, target);
    if (takes && last->serial != target->serial)
        replace(&last->serial, target->serial);
    return takes;
}

/* `last` is what the kernel has: it is written anew where it is one of ours. */
static void remember(PyObject *kernel, struct last_launch *last, const struct target *target, PyObject *const *sizes, PyObject *plan)
{
    int is_ours = last->head.type == last_type;
    if (is_ours)
        Py_IncRef((PyObject *)last);
    else if (!(last = (struct last_launch *)PyType_GenericAlloc(last_type, 0)))
        return;
    replace(&last->serial, target->serial);
    replace(&last->timeline, target->is_unordered ? NONE : target->timeline);
    for (int i = 0; i < SIZES; i++)
        replace(&last->sizes[i], sizes[i]);
    replace(&last->plan, plan);
    if (!is_ours)
        set(kernel, name_last_launch, (PyObject *)last);
    Py_DecRef((PyObject *)last);
}

static PyObject *key_of(const struct target *target, PyObject *const *sizes)
{
    PyObject *dimensions = PyLong_FromSsize_t(PyTuple_Size(sizes[0]));
    PyObject *key = tuple_of(5, (PyObject *[]){ target->serial, dimensions, sizes[0], sizes[1], sizes[2] });
    drop(dimensions);
    return key;
}

PyObject *plan_of(PyObject *kernel, PyObject *queue, const struct target *target, PyObject *const *sizes, const PyTypeObject *type)
{
    struct last_launch *last = (struct last_launch *)peek(kernel, name_last_launch);
    int is_ours = last && last->head.type == last_type;
    if (is_ours && are_all_same(last->sizes, sizes) && takes_over(last, kernel, queue, target)) {
        Py_IncRef(last->plan);
        return last->plan;
    }
    forget_error();
    for (int i = 0; i < SIZES; i++)
        if (!are_integers(sizes[i]))
            return NULL;
    PyObject *key = key_of(target, sizes);
    PyObject *plans = get(kernel, name_plans), *plan = plans && key ? PyDict_GetItemWithError(plans, key) : NULL;
    if (!plan && key && is_ours && last->kept)
        plan = PyDict_GetItemWithError(last->kept, key);
    if (plan && plan->type == type) {
        Py_IncRef(plan);
        if (last)
            remember(kernel, last, target, sizes, plan);
    } else {
        plan = NULL;
    }
    drop(plans);
    drop(key);
    return plan;
}

int have_same_extent(PyObject *const *sizes, PyObject *const *others)
{
    return are_same(sizes[0], others[0]) && are_same(sizes[1], others[1]);
}

/* The plan that Python has made last becomes the kernel's last one, if it is of the queue, and of the type. */
static struct last_launch *take_planned(PyObject *kernel, PyObject *queue, struct last_launch *last, const struct target *target,
                                        const PyTypeObject *type)
{
    enum { SERIAL, TIMELINE, FIRST_SIZE, PLAN = FIRST_SIZE + SIZES };
    PyObject *planned = get(kernel, name_last_planned), *sizes[SIZES];
    int is_of_queue = planned && is_tuple(planned) && PyTuple_GetItem(planned, PLAN)->type == type
        && is_for(PyTuple_GetItem(planned, SERIAL), PyTuple_GetItem(planned, TIMELINE), kernel, queue, target);
    for (int i = 0; is_of_queue && i < SIZES; i++)
        sizes[i] = PyTuple_GetItem(planned, FIRST_SIZE + i);
    if (is_of_queue)
        remember(kernel, last, target, sizes, PyTuple_GetItem(planned, PLAN));
    drop(planned);
    last = (struct last_launch *)peek(kernel, name_last_launch);
    return is_of_queue && last && last->head.type == last_type ? last : NULL;
}

/* The last plan of all, of another size of local memory (Kernel.sized_like). */
static int take_sized(struct model *model, PyObject *kernel, PyObject *queue, const struct target *target, const PyTypeObject *type)
{
    enum { LOCAL_MEMORY, SERIAL, TIMELINE, FIRST_SIZE, PLAN = FIRST_SIZE + SIZES };
    PyObject *like = get(kernel, name_sized_like);
    int done = like && is_tuple(like) && PyTuple_GetItem(like, PLAN)->type == type
        && is_for(PyTuple_GetItem(like, SERIAL), PyTuple_GetItem(like, TIMELINE), kernel, queue, target);
    if (done) {
        model->plan = PyTuple_GetItem(like, PLAN);
        model->local_memory = PyLong_AsLongLong(PyTuple_GetItem(like, LOCAL_MEMORY));
    }
    for (int i = 0; done && i < SIZES; i++)
        model->sizes[i] = PyTuple_GetItem(like, FIRST_SIZE + i);
    drop(like);
    return done;
}

int find_model(struct model *model, PyObject *kernel, PyObject *queue, const struct target *target, PyObject *const *sizes,
               const PyTypeObject *type)
{
    struct last_launch *last = (struct last_launch *)peek(kernel, name_last_launch);
    if (last && (last->head.type != last_type || !takes_over(last, kernel, queue, target)))
        last = take_planned(kernel, queue, last, target, type);
    forget_error();
    if (!last)
        return take_sized(model, kernel, queue, target, type);
    *model = (struct model){ .plan = last->plan, .local_memory = -1, .comes_again = last->alike[0] && are_all_same(last->alike, sizes) };
    forget_error();
    for (int i = 0; i < SIZES; i++) {
        replace(&last->alike[i], sizes[i]);
        model->sizes[i] = last->sizes[i];
    }
    return 1;
}

void keep_plan_of(PyObject *kernel, const struct target *target, PyObject *const *sizes, PyObject *plan)
{
    struct last_launch *last = (struct last_launch *)peek(kernel, name_last_launch);
    PyObject *key = key_of(target, sizes);
    if (last->kept && PyDict_Size(last->kept) >= MOST_KEPT)
        PyDict_Clear(last->kept);
    if (key && (last->kept || (last->kept = PyDict_New())) && !PyDict_SetItem(last->kept, key, plan))
        remember(kernel, last, target, sizes, plan);
    drop(key);
    forget_error();
}

static PyType_Slot last_slots[] = { { Py_tp_dealloc, end_last_launch }, { 0, NULL } };
static PyType_Spec last_spec = { "cl2cuda.runtime.native.LastLaunch", sizeof(struct last_launch), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, last_slots };

int prepare_plans(void)
{
    last_type = (PyTypeObject *)PyType_FromSpec(&last_spec);
    return last_type != NULL;
}
