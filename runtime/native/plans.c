/* The plan of a launch (Kernel.plans, which commands/nd_range.py makes). A kernel is launched with the same sizes again and again: its
   last plan is known by these, which is sooner than a key is made for the dictionary. */
#include "calls.h"

/* The sizes of a launch: global, local, offset; tuples, or None where that may be. */
enum { SIZES = 3 };

/* What Kernel.last_launch is: the plan, and by what it is the one; and the sizes of the last launch that was made like it. `drop_plans` takes
   it away with the others. */
struct last_launch {
    PyObject head;
    PyObject *serial, *sizes[SIZES], *plan, *alike[SIZES];
};

static PyTypeObject *last_type;

static void end_last_launch(PyObject *self)
{
    struct last_launch *last = (struct last_launch *)self;
    drop(last->serial);
    for (int i = 0; i < SIZES; i++) {
        drop(last->sizes[i]);
        drop(last->alike[i]);
    }
    drop(last->plan);
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

static int is_last(const struct last_launch *last, const struct target *target, PyObject *const *sizes)
{
    return last->serial == target->serial && are_all_same(last->sizes, sizes);
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

/* `last` is what the kernel has: it is written anew where it is one of ours. */
static void remember(PyObject *kernel, struct last_launch *last, const struct target *target, PyObject *const *sizes, PyObject *plan)
{
    int is_ours = last->head.type == last_type;
    if (is_ours)
        Py_IncRef((PyObject *)last);
    else if (!(last = (struct last_launch *)PyType_GenericAlloc(last_type, 0)))
        return;
    replace(&last->serial, target->serial);
    for (int i = 0; i < SIZES; i++)
        replace(&last->sizes[i], sizes[i]);
    replace(&last->plan, plan);
    if (!is_ours)
        set(kernel, name_last_launch, (PyObject *)last);
    Py_DecRef((PyObject *)last);
}

PyObject *plan_of(PyObject *kernel, const struct target *target, PyObject *const *sizes, const PyTypeObject *type)
{
    struct last_launch *last = (struct last_launch *)peek(kernel, name_last_launch);
    if (last && last->head.type == last_type && is_last(last, target, sizes)) {
        Py_IncRef(last->plan);
        return last->plan;
    }
    forget_error();
    for (int i = 0; i < SIZES; i++)
        if (!are_integers(sizes[i]))
            return NULL;
    PyObject *dimensions = PyLong_FromSsize_t(PyTuple_Size(sizes[0]));
    PyObject *key = tuple_of(5, (PyObject *[]){ target->serial, dimensions, sizes[0], sizes[1], sizes[2] });
    PyObject *plans = get(kernel, name_plans), *plan = plans && key ? PyDict_GetItemWithError(plans, key) : NULL;
    if (plan && plan->type == type) {
        Py_IncRef(plan);
        if (last)
            remember(kernel, last, target, sizes, plan);
    } else {
        plan = NULL;
    }
    drop(plans);
    drop(key);
    drop(dimensions);
    return plan;
}

int have_same_extent(PyObject *const *sizes, PyObject *const *others)
{
    return are_same(sizes[0], others[0]) && are_same(sizes[1], others[1]);
}

/* The plan that Python has made last becomes the kernel's last one, if it is of the queue, and of the type. */
static struct last_launch *take_planned(PyObject *kernel, struct last_launch *last, const struct target *target, const PyTypeObject *type)
{
    enum { SERIAL, FIRST_SIZE, PLAN = FIRST_SIZE + SIZES };
    PyObject *planned = get(kernel, name_last_planned), *sizes[SIZES];
    int is_of_queue = planned && is_tuple(planned) && is_same_number(PyTuple_GetItem(planned, SERIAL), target->serial)
        && PyTuple_GetItem(planned, PLAN)->type == type;
    for (int i = 0; is_of_queue && i < SIZES; i++)
        sizes[i] = PyTuple_GetItem(planned, FIRST_SIZE + i);
    if (is_of_queue)
        remember(kernel, last, target, sizes, PyTuple_GetItem(planned, PLAN));
    drop(planned);
    last = (struct last_launch *)peek(kernel, name_last_launch);
    return is_of_queue && last && last->head.type == last_type ? last : NULL;
}

/* The last plan of all, of another size of local memory (Kernel.sized_like). */
static int take_sized(struct model *model, PyObject *kernel, const struct target *target, const PyTypeObject *type)
{
    enum { LOCAL_MEMORY, SERIAL, FIRST_SIZE, PLAN = FIRST_SIZE + SIZES };
    PyObject *like = get(kernel, name_sized_like);
    int done = like && is_tuple(like) && is_same_number(PyTuple_GetItem(like, SERIAL), target->serial)
        && PyTuple_GetItem(like, PLAN)->type == type;
    if (done) {
        model->plan = PyTuple_GetItem(like, PLAN);
        model->local_memory = PyLong_AsLongLong(PyTuple_GetItem(like, LOCAL_MEMORY));
    }
    for (int i = 0; done && i < SIZES; i++)
        model->sizes[i] = PyTuple_GetItem(like, FIRST_SIZE + i);
    drop(like);
    return done;
}

int find_model(struct model *model, PyObject *kernel, const struct target *target, PyObject *const *sizes, const PyTypeObject *type)
{
    struct last_launch *last = (struct last_launch *)peek(kernel, name_last_launch);
    if (last && (last->head.type != last_type || last->serial != target->serial))
        last = take_planned(kernel, last, target, type);
    int comes_again = last && last->alike[0] && are_all_same(last->alike, sizes);
    forget_error();
    if (!last || comes_again)
        return !last && take_sized(model, kernel, target, type);
    *model = (struct model){ .plan = last->plan, .local_memory = -1 };
    for (int i = 0; i < SIZES; i++) {
        replace(&last->alike[i], sizes[i]);
        model->sizes[i] = last->sizes[i];
    }
    return 1;
}

static PyType_Slot last_slots[] = { { Py_tp_dealloc, end_last_launch }, { 0, NULL } };
static PyType_Spec last_spec = { "cl2cuda.runtime.native.LastLaunch", sizeof(struct last_launch), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, last_slots };

int prepare_plans(void)
{
    last_type = (PyTypeObject *)PyType_FromSpec(&last_spec);
    return last_type != NULL;
}
