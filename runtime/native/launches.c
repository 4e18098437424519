/* Launches of Python programs without Python's own steps: what nd_range.enqueue_nd_range_kernel, CommandTarget.issued, the PyOpenCL face
   and cuda/launching.py do for a kernel that runs again, in one call. Whatever is out of the ordinary is left to them, before anything is
   done; so they know every rule, and this needs none. */
#include "launches.h"
#include "held.h"
#include "residents.h"

/* The range that has failed in a call which Python is to make again, and its status. */
static __thread const struct launch *failed_range;
static __thread int failed_status;

/* How a launch is made: with `times` as its `timed`, as its `repeated` where that `repeats`, or else as it is. */
struct manner {
    const struct times *times;
    int repeats, is_idle;
};

static int call(const struct launch *launch, void *stream, struct manner manner)
{
    const struct grid *grid = &launch->grid;
    const struct launching *launching = launch->launching;
    if (manner.times)
        return launch_timed_grid(&launching->graphs, launch->timed, grid, manner.times->begun_event, manner.times->ended_event, stream);
    if (manner.repeats && launch_repeated_grid(&launching->graphs, launch->repeated, grid, stream, manner.is_idle))
        return 0;
    if (launch->is_dependent && launching->extended)
        return launch_dependent_grid(launching->extended, grid, stream);
    return launch_grid(launching->address, grid, stream);
}

/* `stream` is the plan's, or another one of a queue that is out of order. */
static int make_launch(const struct launch *launch, void *stream, struct manner manner)
{
    struct launching *launching = launch->launching;
    PyThreadState *state;
    int status;
    if (launch->range) {
        const char *words = PyBytes_AsString(launch->words);
        state = PyEval_SaveThread();
        if (launch->choose)
            launch->choose(launch->pool);
        status = launch->range(words);
        if (launch->choose)
            launch->choose(NULL);
        PyEval_RestoreThread(state);
        return status;
    }
    if (launching->inside && !launching->let_go)
        launching->held = launching->most_held;
    if (launching->held) {
        uint64_t begun = now_ns();
        launching->held--;
        status = call(launch, stream, manner);
        if (now_ns() - begun > launching->waited_ns) {
            launching->held = 0;
            launching->let_go = launching->most_let_go;
        }
        return status;
    }
    if (launching->let_go)
        launching->let_go--;
    launching->inside++;
    state = PyEval_SaveThread();
    status = call(launch, stream, manner);
    PyEval_RestoreThread(state);
    launching->inside--;
    return status;
}

/* Whether launch and events can be one graph, which no other thread launches now. */
static int is_one_graph(struct launch *launch, const struct times *times)
{
    if (!times->begun_event || launch->turn || launch->is_timed_apart || !launch->launching || !launch->launching->graphs.launch)
        return 0;
    if (!launch->timed)
        launch->timed = new_timed_grid(&launch->launching->graphs, &launch->grid, times->begun_event, times->ended_event);
    launch->is_timed_apart = !launch->timed;
    return launch->timed != NULL;
}

/* The launch and its events as that graph. */
static int make_graph(struct launch *launch, void *stream, struct times *times)
{
    launch->is_timed_apart = 1;
    int status = make_launch(launch, stream, (struct manner){ .times = times });
    launch->is_timed_apart = status != 0;
    times->end_is_recorded = !status;
    return status;
}

/* Whether the launch, which comes again and again, is a graph, which no other thread launches now. Without a context CUDA's graphs
   crash. */
static int is_repeated(struct launch *launch, void *stream, const struct target *target)
{
    const struct launching *launching = launch->launching;
    const struct stream_graphs *graphs = (const struct stream_graphs *)(uintptr_t)target->stream.graphs;
    if (!launching || !graphs || launch->is_repeated_apart || !is_open(&target->stream)
        || (!launch->repeated && ++launch->uses < REPEATED_FROM))
        return 0;
    if (!launch->repeated)
        launch->repeated = new_repeated_grid(&graphs->calls, &launch->grid, stream, launch->is_dependent && launching->extended);
    launch->is_repeated_apart = !launch->repeated;
    return launch->repeated != NULL;
}

/* The launch in a queue that takes no times. */
static int make_plain(struct launch *launch, void *stream, const struct target *target)
{
    if (!is_repeated(launch, stream, target))
        return make_launch(launch, stream, (struct manner){ 0 });
    launch->is_repeated_apart = 1;
    int status = make_launch(launch, stream, (struct manner){ .repeats = 1, .is_idle = is_idle(target) });
    launch->is_repeated_apart = 0;
    return status;
}

/* The launch in its turn, which is the first stream's of a queue; -1 likewise. */
static int make_recorded(struct launch *launch, const struct target *target)
{
    if (target->is_unordered || !begin_turn_at_once(&target->stream, launch->turn, launch->place, launch->record))
        return -1;
    int status = make_launch(launch, launch->stream, (struct manner){ 0 });
    end_turn(launch->turn);
    return status;
}

/* The launch, behind its first fence where its queue takes times; -1 where it was not made, and CUDA has not said why. */
static int make_behind(struct launch *launch, struct times *times, const struct target *target)
{
    void *stream = target->is_unordered ? handle_of(&target->stream) : launch->stream;
    bring_due_pages_to(&target->stream);
    if (!times->queued)
        return launch->turn ? make_recorded(launch, target) : make_plain(launch, stream, target);
    if (is_one_graph(launch, times))
        return make_graph(launch, stream, times);
    if (!begin_times(times, target))
        return -1;
    return launch->turn ? make_recorded(launch, target) : make_launch(launch, stream, (struct manner){ 0 });
}

int launch_frozen(struct launch *frozen, const struct target *target)
{
    bring_due_pages_to(&target->stream);
    return make_launch(frozen, frozen->stream, (struct manner){ 0 });
}

/* Whether all that the arguments point to is resident: it is taken then, and the launch has the values of now. */
static int take_memory_arguments(struct residents *taken, const struct memory_arguments *memory, const struct target *target)
{
    memcpy(memory->values, memory->values_of_now, memory->size);
    for (int i = 0; i < memory->count; i++) {
        uint64_t address;
        PyObject *reference = PyDict_GetItemWithError(memory->buffers, memory->arguments[i].index);
        PyObject *buffer = reference ? PyWeakref_GetObject(reference) : NULL;
        if (!reference && !PyErr_Occurred()) /* The pointer is NULL, or one to shared virtual memory. */
            continue;
        if (!buffer || buffer == NONE || !take_resident(taken, buffer, target, memory->arguments[i].writes ? AS_ARGUMENT : READS, &address))
            return 0;
        memcpy(memory->arguments[i].place, &address, sizeof address);
    }
    return 1;
}

/* The launch and its place; NULL where it was not made, perhaps with an error, or with a `status` of CUDA's or of the host device's. */
static PyObject *make(struct launch *launch, struct times *times, struct target *target, int *status)
{
    struct residents taken;
    PyObject *position = NULL;
    taken.count = 0;
    if (!launch->memory || (target->device && take_memory_arguments(&taken, launch->memory, target)))
        *status = make_behind(launch, times, target);
    if (!*status)
        position = draw_position(target);
    note_position(&taken, target, position ? PyLong_AsUnsignedLongLong(position) : 0);
    let_go(&taken);
    if (position)
        end_times(times, target);
    else if (*status)
        forget_error();
    return after_position(target, position);
}

PyObject *call_launch(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    struct launch *launch = (struct launch *)self;
    if (PyTuple_Size(arguments) || (keywords && PyDict_Size(keywords))) {
        PyErr_SetString(PyExc_TypeError, "a launch takes no arguments");
        return NULL;
    }
    if (launch->again)
        return PyObject_CallFunction(launch->again, NULL);
    bring_due_pages(launch->pages, launch->stream);
    int status = failed_range == launch ? failed_status : make_launch(launch, launch->stream, (struct manner){ 0 });
    if (status && launch->frozen)
        return PyObject_CallFunction(launch->failed, "iK", status, (unsigned long long)(uintptr_t)launch->grid.parameters);
    if (status)
        return PyObject_CallFunction(launch->failed, "i", status);
    Py_IncRef(NONE);
    return NONE;
}

PyObject *timed_launch(PyObject *self, PyObject *arguments)
{
    struct launch *launch = (struct launch *)self;
    unsigned long long begun, ended;
    if (!PyArg_ParseTuple(arguments, "KK", &begun, &ended))
        return NULL;
    struct times times = { .begun_event = (void *)(uintptr_t)begun, .ended_event = (void *)(uintptr_t)ended };
    PyObject *made = !launch->range && !launch->memory && is_one_graph(launch, &times) && !make_graph(launch, launch->stream, &times) ? TRUE_ : FALSE_;
    Py_IncRef(made);
    return made;
}

/* The parameters of enqueue_nd_range_kernel. */
enum { QUEUE, KERNEL, GLOBAL_SIZE, LOCAL_SIZE, GLOBAL_OFFSET, WAIT_FOR, G_TIMES_L, ALLOW_EMPTY_NDRANGE, ARGUMENTS };
static struct parameters parameters = {
    ARGUMENTS, GLOBAL_OFFSET,
    .names = { "queue", "kernel", "global_work_size", "local_work_size", "global_work_offset", "wait_for", "g_times_l",
               "allow_empty_ndrange" },
    .defaults = { [GLOBAL_OFFSET] = NONE, [WAIT_FOR] = NONE, [G_TIMES_L] = FALSE_, [ALLOW_EMPTY_NDRANGE] = FALSE_ } };

/* The plan that is to be launched, as in enqueue_nd_range_kernel; NULL where Python is to look. */
static struct launch *find_launch(const struct target *target, PyObject *queue, PyObject *kernel, PyObject *const *taken)
{
    return (struct launch *)plan_of(kernel, queue, target, taken + GLOBAL_SIZE, launch_type);
}

/* The plan that Python makes for a launch that is to be timed, so that the first one is timed as later ones are. */
static struct launch *make_launch_plan(const struct target *target, PyObject *queue, PyObject *kernel, PyObject *const *taken,
                                       PyObject *prepare)
{
    PyObject *none = PyObject_CallFunction(prepare, "OOOO", queue, kernel, taken[GLOBAL_SIZE], taken[LOCAL_SIZE]);
    struct launch *launch = none ? find_launch(target, queue, kernel, taken) : NULL;
    drop(none);
    forget_error();
    return launch;
}

/* The runtime's event of a launch that is plain; NULL, without an error, where Python is to make it. */
static PyObject *launched(PyObject *queue, PyObject *kernel, PyObject *const *taken, PyObject *command_type, PyObject *prepare)
{
    PyObject *event = NULL, *position = NULL;
    struct times times = { 0 };
    struct target *target = target_that_says(queue, 0); /* whose launch `put_after` refuses behind a gate */
    if (!target && taken[WAIT_FOR] != NONE && are_held_back(taken[WAIT_FOR]))
        return hold_launch(queue, kernel, taken + GLOBAL_SIZE, taken[WAIT_FOR], command_type);
    if (!target)
        target = timed_target(queue, &times);
    if (!target)
        target = target_among(queue, taken[WAIT_FOR], 0, 0);
    struct launch *launch = target ? find_launch(target, queue, kernel, taken) : NULL, like_last;
    forget_error();
    struct launch *last = target && !launch ? resized(&like_last, target, queue, kernel, taken + GLOBAL_SIZE) : NULL;
    if (last)
        launch = &like_last;
    else if (!launch && times.queued && taken[GLOBAL_OFFSET] == NONE && prepare)
        launch = make_launch_plan(target, queue, kernel, taken, prepare);
    int has_borrowed = last && times.queued && borrow_graph(&like_last, last);
    if (launch && (!launch->memory || enter_stream(&target->stream)) && put_after(taken[WAIT_FOR], queue, target)
        && take_fences(&times, target)) {
        int status = -1;
        if ((position = make(launch, &times, target, &status)) && note_launch(target, position, last ? NULL : launch))
            event = with_times(new_event(queue, target, command_type, position), &times);
        if (status > 0 && launch->range) {
            failed_range = launch->memory ? (struct launch *)launch->memory->inner : launch;
            failed_status = status;
        }
    }
    if (has_borrowed)
        last->is_timed_apart = like_last.is_timed_apart;
    drop((PyObject *)(last ? last : launch));
    drop(position);
    drop((PyObject *)target);
    drop_times(&times);
    return event || PyErr_Occurred() ? event : hold_launch(queue, kernel, taken + GLOBAL_SIZE, taken[WAIT_FOR], command_type);
}

/* Whether the sizes are those of a launch that may have a plan. */
static int are_plain(PyObject *const *taken)
{
    return is_tuple(taken[GLOBAL_SIZE])
        && (taken[LOCAL_SIZE] == NONE
            || (is_tuple(taken[LOCAL_SIZE]) && PyTuple_Size(taken[GLOBAL_SIZE]) == PyTuple_Size(taken[LOCAL_SIZE])))
        && (taken[GLOBAL_OFFSET] == NONE || is_tuple(taken[GLOBAL_OFFSET])) && taken[G_TIMES_L] == FALSE_
        && taken[ALLOW_EMPTY_NDRANGE] == FALSE_;
}

/* `self` has the function in Python, the class of the events it returns, their command's type, and what makes plans. The event; NULL
   where the launch is Python's, or with an error of one that was made. */
static PyObject *enqueued(PyObject *self, PyObject *const *taken)
{
    PyObject *queue = get(taken[QUEUE], name__core), *event = NULL;
    PyObject *kernel = queue ? get(taken[KERNEL], name__core) : NULL;
    if (kernel)
        event = launched(queue, kernel, taken, PyTuple_GetItem(self, 2), PyTuple_GetItem(self, 3));
    else
        forget_error();
    drop(queue);
    drop(kernel);
    return event ? stand_for(event, PyTuple_GetItem(self, 1)) : NULL;
}

/* The global size in work-items, of one in work-groups; NULL, perhaps with an error, where Python is to look. */
static PyObject *items_of(PyObject *groups, PyObject *local)
{
    Py_ssize_t dimensions = is_tuple(groups) && is_tuple(local) ? PyTuple_Size(groups) : 0;
    PyObject *items = dimensions && PyTuple_Size(local) == dimensions ? PyTuple_New(dimensions) : NULL;
    for (Py_ssize_t i = 0; items && i < dimensions; i++) {
        PyObject *group = PyTuple_GetItem(groups, i), *size = PyTuple_GetItem(local, i), *product = NULL;
        long long count = is_int(group) ? PyLong_AsLongLong(group) : 0, each = is_int(size) ? PyLong_AsLongLong(size) : 0, number;
        if (count > 0 && each > 0 && !__builtin_mul_overflow(count, each, &number))
            product = PyLong_FromSsize_t((Py_ssize_t)number);
        if (!product || PyTuple_SetItem(items, i, product)) {
            Py_DecRef(items);
            items = NULL;
        }
    }
    return items;
}

/* Plans are known by tuples: sizes in lists are made such, which are to be dropped. */
static void take_lists(PyObject **taken, PyObject **tuples)
{
    for (int i = GLOBAL_SIZE; i <= GLOBAL_OFFSET; i++) {
        tuples[i - GLOBAL_SIZE] = is_list(taken[i]) ? PyList_AsTuple(taken[i]) : NULL;
        if (tuples[i - GLOBAL_SIZE])
            taken[i] = tuples[i - GLOBAL_SIZE];
    }
}

/* Whether the sizes are ints of which none is 0, or None: then it does not matter whether the range may be empty. */
static int has_items(PyObject *sizes)
{
    Py_ssize_t count = is_tuple(sizes) ? PyTuple_Size(sizes) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *size = PyTuple_GetItem(sizes, i);
        if (!is_int(size) || PyLong_AsLongLong(size) <= 0 || PyErr_Occurred())
            return 0;
    }
    return sizes == NONE || count;
}

/* As `enqueued`, where the sizes are of a launch that may have a plan. */
static PyObject *enqueued_if_plain(PyObject *self, PyObject *const *given)
{
    PyObject *taken[ARGUMENTS], *tuples[GLOBAL_OFFSET + 1 - GLOBAL_SIZE], *items = NULL;
    memcpy(taken, given, sizeof taken);
    take_lists(taken, tuples);
    if (given[G_TIMES_L] == TRUE_ && given[GLOBAL_OFFSET] == NONE && (items = items_of(taken[GLOBAL_SIZE], taken[LOCAL_SIZE]))) {
        taken[GLOBAL_SIZE] = items;
        taken[G_TIMES_L] = FALSE_;
    }
    if (given[ALLOW_EMPTY_NDRANGE] == TRUE_ && has_items(taken[GLOBAL_SIZE]) && has_items(taken[LOCAL_SIZE]))
        taken[ALLOW_EMPTY_NDRANGE] = FALSE_;
    forget_error();
    PyObject *event = are_plain(taken) ? enqueued(self, taken) : NULL;
    for (int i = GLOBAL_SIZE; i <= GLOBAL_OFFSET; i++)
        drop(tuples[i - GLOBAL_SIZE]);
    drop(items);
    return event;
}

static PyObject *enqueue_in_python(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *result = by_python(PyTuple_GetItem(self, 0), arguments, count, names);
    failed_range = NULL;
    return result;
}

static PyObject *enqueue(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[ARGUMENTS], *event;
    if (take_arguments(taken, &parameters, arguments, count, names) && ((event = enqueued_if_plain(self, taken)) || PyErr_Occurred()))
        return event;
    return enqueue_in_python(self, arguments, count, names);
}

/* clEnqueueNDRangeKernel(queue, kernel, work_dim, global_offset, global_size, local_size, wait_for), of programs in C */
static PyObject *enqueue_plain(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    enum { WORK_DIM = 2, OFFSET, SIZE, LOCAL, WAITS, OF_PLAIN };
    PyObject *event;
    if (count == OF_PLAIN && !names) {
        PyObject *const taken[] = { arguments[QUEUE], arguments[KERNEL], arguments[SIZE], arguments[LOCAL], arguments[OFFSET],
                                    arguments[WAITS], FALSE_, FALSE_ };
        if (are_plain(taken) && is_int(arguments[WORK_DIM]) && PyLong_AsSsize_t(arguments[WORK_DIM]) == PyTuple_Size(taken[GLOBAL_SIZE])
            && ((event = enqueued(self, taken)) || PyErr_Occurred()))
            return event;
    }
    return enqueue_in_python(self, arguments, count, names);
}

static PyMethodDef enqueue_definition = {
    "enqueue_nd_range_kernel", enqueue, METH_FASTCALL | METH_KEYWORDS,
    "enqueue_nd_range_kernel(queue, kernel, global_work_size, local_work_size, global_work_offset=None, wait_for=None, g_times_l=False, "
    "allow_empty_ndrange=False)\n--\n\n"
    "Enqueues the kernel with the arguments that it has. `g_times_l`: the global size and offset count work-groups." };

static PyMethodDef plain_definition = {
    "clEnqueueNDRangeKernel", enqueue_plain, METH_FASTCALL | METH_KEYWORDS,
    "clEnqueueNDRangeKernel(queue, kernel, work_dim, global_offset, global_size, local_size, wait_for)\n--\n\n" };

/* Kernel.__call__(queue, global_size, local_size, *args) where all arguments are plain; the kernel's method in Python otherwise. */
static PyObject *enqueue_self;

/* Sorts the keywords out, which mean the same to `enqueue`; 0 where one does not. */
static int take_keywords(PyObject **taken, PyObject *const *values, PyObject *names)
{
    for (int i = GLOBAL_OFFSET; i < ARGUMENTS; i++)
        taken[i] = parameters.defaults[i];
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++) {
        int which = find_parameter(&parameters, WAIT_FOR, PyTuple_GetItem(names, i));
        if (which == ARGUMENTS)
            return 0;
        taken[which] = values[i];
    }
    return 1;
}

static PyObject *call_kernel(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[ARGUMENTS], *packing = NULL;
    if (count >= 3 && take_keywords(taken, arguments + count, names))
        packing = get(self, name__packing);
    int written = packing && write_arguments(packing, arguments + 3, count - 3, arguments[0], &taken[WAIT_FOR]);
    drop(packing);
    if (!written) {
        forget_error();
        return by_method(self, name__call_in_python, arguments, count, names);
    }
    taken[QUEUE] = arguments[0];
    taken[KERNEL] = self;
    taken[GLOBAL_SIZE] = arguments[1];
    taken[LOCAL_SIZE] = arguments[2];
    PyObject *event = enqueued_if_plain(enqueue_self, taken);
    if (!event && !PyErr_Occurred())
        event = enqueue_in_python(enqueue_self, taken, ARGUMENTS, NULL);
    drop(taken[WAIT_FOR]);
    return event;
}

static PyMethodDef call_definition = { "__call__", call_kernel, METH_FASTCALL | METH_KEYWORDS,
                                       "__call__($self, queue, global_size, local_size, *args, global_offset=None, g_times_l=False, "
                                       "allow_empty_ndrange=False, wait_for=None)\n--\n\nSets all arguments and enqueues the kernel." };

/* caller(Kernel) */
PyObject *caller(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &call_definition);
}

/* enqueuer(function, event_type, command_type, prepare, module's name) */
PyObject *enqueuer(PyObject *module, PyObject *arguments)
{
    PyObject *function, *event_type, *command_type, *prepare, *name;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOO", &function, &event_type, &command_type, &prepare, &name))
        return NULL;
    PyObject *self = tuple_of(4, (PyObject *[]){ function, event_type, command_type, prepare });
    PyObject *made = self ? PyCFunction_NewEx(event_type == NONE ? &plain_definition : &enqueue_definition, self, name) : NULL;
    if (event_type == NONE) {
        drop(self);
    } else { /* kept for `call_kernel` */
        drop(enqueue_self);
        enqueue_self = self;
    }
    return made;
}

int prepare_launches(void)
{
    return prepare_parameters(&parameters);
}
