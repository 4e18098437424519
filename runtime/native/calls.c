/* Launches of Python programs without Python's own steps: what nd_range.enqueue_nd_range_kernel, CommandTarget.issued, the PyOpenCL face
   and cuda/launching.py do for a kernel that runs again, in one call. Whatever is out of the ordinary is left to them, before anything is
   done; so they know every rule, and this needs none. */
#include "calls.h"

#include <time.h>

/* The names of attributes. */
#define NAMES(N) \
    N(_core) N(_packing) N(_call_in_python) N(native_target) N(plans) N(busy) N(fence_at) N(fence_ahead) N(any_failed) \
    N(queue) N(command_type) N(timeline) N(position) N(fence) N(times) N(gate) N(own_end)
#define DECLARE(name) static PyObject *name_##name;
NAMES(DECLARE)

/* cuLaunchKernel, by one thread or by several: see cuda/launching.py, whose rules these are. All counts change with Python's lock. */
typedef int launch_kernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra);

struct launching {
    PyObject head;
    launch_kernel *address;
    int inside;  /* threads that are in a launch and have let others run */
    int held;    /* launches that keep the lock, once threads have met: so many are left */
    int let_go;  /* launches that do not, once one had to wait */
    int most_held, most_let_go;
    int64_t waited_ns; /* what is no wait yet */
};

typedef int launch_range(const void *words);

/* A plan (runtime/kernel/launch.py): a grid of CUDA's, by way of `launching`, or a range of the host device's, which has run when the call
   returns. `failed` is Python's function for a status that is not 0. */
struct launch {
    PyObject head;
    struct launching *launching;
    PyObject *failed;
    void *function, *stream, **parameters;
    unsigned grid[3], block[3], shared_bytes;
    launch_range *range;
    PyObject *words;
};

/* The range that has failed in a call which Python is to make again, and its status. */
static __thread const struct launch *failed_range;
static __thread int failed_status;

/* What a launch looks at of a command-queue: CommandTarget, and the words of QueueStream.native. */
enum { NEEDS_PYTHON, FENCES_AHEAD_WANTED, GIVEN = 4 };

struct target {
    PyObject head;
    volatile uint64_t *words;
    PyObject *serial, *event_type, *timeline, *next_position;
};

static PyTypeObject *launching_type, *launch_type, *target_type;

static int call(const struct launch *launch)
{
    return launch->launching->address(launch->function, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                                      launch->block[1], launch->block[2], launch->shared_bytes, launch->stream, launch->parameters, NULL);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int make_launch(const struct launch *launch)
{
    struct launching *launching = launch->launching;
    PyThreadState *state;
    int status;
    if (launch->range) {
        const char *words = PyBytes_AsString(launch->words);
        state = PyEval_SaveThread();
        status = launch->range(words);
        PyEval_RestoreThread(state);
        return status;
    }
    if (launching->inside && !launching->let_go)
        launching->held = launching->most_held;
    if (launching->held) {
        int64_t begun = now_ns();
        launching->held--;
        status = call(launch);
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
    status = call(launch);
    PyEval_RestoreThread(state);
    launching->inside--;
    return status;
}

/* launch() */
static PyObject *call_launch(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    struct launch *launch = (struct launch *)self;
    if (PyTuple_Size(arguments) || (keywords && PyDict_Size(keywords))) {
        PyErr_SetString(PyExc_TypeError, "a launch takes no arguments");
        return NULL;
    }
    int status = failed_range == launch ? failed_status : make_launch(launch);
    if (status)
        return PyObject_CallFunction(launch->failed, "i", status);
    Py_IncRef(NONE);
    return NONE;
}

static void end_launch(PyObject *self)
{
    struct launch *launch = (struct launch *)self;
    Py_DecRef(launch->launching ? (PyObject *)launch->launching : launch->words);
    Py_DecRef(launch->failed);
    end_object(self);
}

/* launching.prepared(words, failed): see library.py */
static PyObject *prepared(PyObject *self, PyObject *arguments)
{
    unsigned long long function, stream, parameters;
    unsigned grid[3], block[3], shared_bytes;
    PyObject *failed;
    if (!PyArg_ParseTuple(arguments, "(KIIIIIIIKK)O", &function, &grid[0], &grid[1], &grid[2], &block[0], &block[1], &block[2],
                          &shared_bytes, &stream, &parameters, &failed))
        return NULL;
    struct launch *launch = (struct launch *)PyType_GenericAlloc(launch_type, 0);
    if (!launch)
        return NULL;
    for (int i = 0; i < 3; i++) {
        launch->grid[i] = grid[i];
        launch->block[i] = block[i];
    }
    launch->function = (void *)(uintptr_t)function;
    launch->stream = (void *)(uintptr_t)stream;
    launch->parameters = (void **)(uintptr_t)parameters;
    launch->shared_bytes = shared_bytes;
    launch->launching = (struct launching *)self;
    launch->failed = failed;
    Py_IncRef(self);
    Py_IncRef(failed);
    return (PyObject *)launch;
}

/* range_launch(address, words, failed) */
static PyObject *new_range(PyObject *module, PyObject *arguments)
{
    unsigned long long address;
    PyObject *words, *failed;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KSO", &address, &words, &failed))
        return NULL;
    struct launch *launch = (struct launch *)PyType_GenericAlloc(launch_type, 0);
    if (!launch)
        return NULL;
    launch->range = (launch_range *)(uintptr_t)address;
    launch->words = words;
    launch->failed = failed;
    Py_IncRef(words);
    Py_IncRef(failed);
    return (PyObject *)launch;
}

/* launching(address of cuLaunchKernel, held, let_go, waited_ns) */
static PyObject *new_launching(PyObject *module, PyObject *arguments)
{
    unsigned long long address;
    long long waited_ns;
    int held, let_go;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KiiL", &address, &held, &let_go, &waited_ns))
        return NULL;
    struct launching *launching = (struct launching *)PyType_GenericAlloc(launching_type, 0);
    if (!launching)
        return NULL;
    launching->address = (launch_kernel *)(uintptr_t)address;
    launching->most_held = held;
    launching->most_let_go = let_go;
    launching->waited_ns = waited_ns;
    return (PyObject *)launching;
}

static void end_target(PyObject *self)
{
    struct target *target = (struct target *)self;
    Py_DecRef(target->serial);
    Py_DecRef(target->event_type);
    Py_DecRef(target->timeline);
    Py_DecRef(target->next_position);
    end_object(self);
}

/* target(serial, event_type, timeline, next_position, address of the words) */
static PyObject *new_target(PyObject *module, PyObject *arguments)
{
    PyObject *parts[4];
    unsigned long long address;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOK", &parts[0], &parts[1], &parts[2], &parts[3], &address))
        return NULL;
    struct target *target = (struct target *)PyType_GenericAlloc(target_type, 0);
    if (!target)
        return NULL;
    for (int i = 0; i < 4; i++)
        Py_IncRef(parts[i]);
    target->serial = parts[0];
    target->event_type = parts[1];
    target->timeline = parts[2];
    target->next_position = parts[3];
    target->words = (volatile uint64_t *)(uintptr_t)address;
    return (PyObject *)target;
}

static int set(PyObject *object, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(object, name, value) == 0;
}

/* NULL, with an error, where one of the items is. */
static PyObject *tuple_of(int count, PyObject *const *items)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        if (!items[i]) {
            Py_DecRef(tuple);
            return NULL;
        }
        Py_IncRef(items[i]);
        PyTuple_SetItem(tuple, i, items[i]);
    }
    return tuple;
}

static int is_tuple(PyObject *object)
{
    return (void *)object->type == (void *)&PyTuple_Type;
}

/* The plan that is to be launched, as in enqueue_nd_range_kernel; NULL where Python is to look. */
static struct launch *find_launch(const struct target *target, PyObject *kernel, PyObject *global, PyObject *local)
{
    PyObject *dimensions = PyLong_FromSsize_t(PyTuple_Size(global));
    PyObject *key = tuple_of(5, (PyObject *[]){ target->serial, dimensions, global, local, NONE });
    PyObject *plans = PyObject_GetAttr(kernel, name_plans), *plan = plans && key ? PyDict_GetItemWithError(plans, key) : NULL;
    if (plan && plan->type == launch_type)
        Py_IncRef(plan);
    else
        plan = NULL;
    drop(plans);
    drop(key);
    drop(dimensions);
    return (struct launch *)plan;
}

/* As CommandTarget.issued after a launch: its place on the stream. */
static PyObject *next_position(const struct target *target)
{
    if (!set(target->timeline, name_busy, TRUE_))
        return NULL;
    PyObject *position = PyObject_CallNoArgs(target->next_position);
    if (!position)
        return NULL;
    Py_ssize_t at = PyLong_AsSsize_t(position);
    target->words[GIVEN] = (uint64_t)at;
    if (target->words[FENCES_AHEAD_WANTED]) {
        PyObject *fence_at = PyObject_GetAttr(target->timeline, name_fence_at), *ahead = NULL, *none = NULL;
        int wanted = fence_at && at >= PyLong_AsSsize_t(fence_at);
        if (wanted && (ahead = PyObject_GetAttr(target->timeline, name_fence_ahead)))
            none = PyObject_CallFunction(ahead, "O", position);
        if (!fence_at || (wanted && !none)) {
            Py_DecRef(position);
            position = NULL;
        }
        drop(fence_at);
        drop(ahead);
        drop(none);
    }
    return position;
}

/* The runtime's event of the command at the position. */
static PyObject *new_event(PyObject *queue, const struct target *target, PyObject *command_type, PyObject *position, PyObject *nothing)
{
    PyObject *event = PyType_GenericAlloc((PyTypeObject *)target->event_type, 0);
    if (event && !(set(event, name_queue, queue) && set(event, name_command_type, command_type)
                   && set(event, name_timeline, target->timeline) && set(event, name_position, position)
                   && set(event, name_fence, NONE) && set(event, name_times, NONE) && set(event, name_gate, NONE)
                   && set(event, name_own_end, nothing))) {
        Py_DecRef(event);
        event = NULL;
    }
    return event;
}

/* The parameters of enqueue_nd_range_kernel, and their names. */
enum { QUEUE, KERNEL, GLOBAL_SIZE, LOCAL_SIZE, GLOBAL_OFFSET, WAIT_FOR, G_TIMES_L, ALLOW_EMPTY_NDRANGE, ARGUMENTS };
static PyObject *parameters[ARGUMENTS];
static const char *const parameter_names[] = { "queue", "kernel", "global_work_size", "local_work_size", "global_work_offset", "wait_for",
                                               "g_times_l", "allow_empty_ndrange" };

/* Sorts the arguments of a call out; 0 where Python is to say what is wrong with them. */
static int take_arguments(PyObject *taken[ARGUMENTS], PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    if (count + named > ARGUMENTS)
        return 0;
    for (Py_ssize_t i = 0; i < ARGUMENTS; i++)
        taken[i] = i < count ? arguments[i] : i < GLOBAL_OFFSET ? NULL : i < G_TIMES_L ? NONE : FALSE_;
    for (Py_ssize_t i = 0; i < named; i++) {
        Py_ssize_t which = count;
        while (which < ARGUMENTS && PyTuple_GetItem(names, i) != parameters[which])
            which++;
        if (which == ARGUMENTS)
            return 0;
        taken[which] = arguments[count + i];
    }
    return taken[QUEUE] && taken[KERNEL] && taken[GLOBAL_SIZE] && taken[LOCAL_SIZE];
}

/* Whether nothing has to be waited for, as CommandTarget.keeps_order_of has it: the queue's order sees to the whole list. */
static int keeps_order_of(PyObject *wait_for, PyObject *queue, struct target *target)
{
    if (wait_for == NONE)
        return 1;
    int as_tuple = is_tuple(wait_for), keeps = as_tuple || (void *)wait_for->type == (void *)&PyList_Type;
    Py_ssize_t count = !keeps ? 0 : as_tuple ? PyTuple_Size(wait_for) : PyList_Size(wait_for);
    if (count)
        keeps = is(target->timeline, name_any_failed, FALSE_);
    for (Py_ssize_t i = 0; keeps && i < count; i++) {
        PyObject *handle = as_tuple ? PyTuple_GetItem(wait_for, i) : PyList_GetItem(wait_for, i), *event;
        if (!handle) { /* Another thread has made the list shorter. */
            keeps = 0;
            break;
        }
        Py_IncRef(handle);
        event = PyObject_GetAttr(handle, name__core);
        keeps = event && is(event, name_queue, queue) && is(event, name_gate, NONE);
        drop(event);
        Py_DecRef(handle);
    }
    PyErr_Clear();
    return keeps;
}

/* The runtime's event of a launch that is plain; NULL, without an error, where Python is to make it. */
static PyObject *launched(PyObject *queue, PyObject *kernel, PyObject *const *taken, PyObject *command_type, PyObject *nothing)
{
    PyObject *event = NULL, *position = NULL;
    struct target *target = (struct target *)PyObject_GetAttr(queue, name_native_target);
    struct launch *launch = NULL;
    if (target && target->head.type == target_type && !target->words[NEEDS_PYTHON] && keeps_order_of(taken[WAIT_FOR], queue, target))
        launch = find_launch(target, kernel, taken[GLOBAL_SIZE], taken[LOCAL_SIZE]);
    PyErr_Clear();
    if (launch) {
        int status = make_launch(launch);
        if (!status && (position = next_position(target)))
            event = new_event(queue, target, command_type, position, nothing);
        if (status && launch->range) {
            failed_range = launch;
            failed_status = status;
        }
        Py_DecRef((PyObject *)launch);
    }
    drop(position);
    drop((PyObject *)target);
    return event;
}

/* Python's function with the same arguments. */
static PyObject *by_python(PyObject *function, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *positional = PyTuple_New(count), *keywords = names ? PyDict_New() : NULL, *result = NULL;
    if (positional && (keywords || !names)) {
        for (Py_ssize_t i = 0; i < count; i++) {
            Py_IncRef(arguments[i]);
            PyTuple_SetItem(positional, i, arguments[i]);
        }
        for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++)
            PyDict_SetItem(keywords, PyTuple_GetItem(names, i), arguments[count + i]);
        result = PyObject_Call(function, positional, keywords);
    }
    failed_range = NULL;
    drop(positional);
    drop(keywords);
    return result;
}

/* `self` has the function in Python, the class of the events it returns, their command's type, and what their `own_end` is. */
static PyObject *enqueue(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *function = PyTuple_GetItem(self, 0), *taken[ARGUMENTS];
    if (take_arguments(taken, arguments, count, names) && is_tuple(taken[GLOBAL_SIZE])
        && (taken[LOCAL_SIZE] == NONE
            || (is_tuple(taken[LOCAL_SIZE]) && PyTuple_Size(taken[GLOBAL_SIZE]) == PyTuple_Size(taken[LOCAL_SIZE])))
        && taken[GLOBAL_OFFSET] == NONE && taken[G_TIMES_L] == FALSE_ && taken[ALLOW_EMPTY_NDRANGE] == FALSE_) {
        PyObject *queue = PyObject_GetAttr(taken[QUEUE], name__core), *event = NULL;
        PyObject *kernel = queue ? PyObject_GetAttr(taken[KERNEL], name__core) : NULL;
        if (kernel)
            event = launched(queue, kernel, taken, PyTuple_GetItem(self, 2), PyTuple_GetItem(self, 3));
        else
            PyErr_Clear();
        drop(queue);
        drop(kernel);
        if (event) {
            PyObject *result = PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(self, 1), 0);
            if (result && !set(result, name__core, event)) {
                Py_DecRef(result);
                result = NULL;
            }
            Py_DecRef(event);
            return result;
        }
        if (PyErr_Occurred()) /* of a launch that was made */
            return NULL;
    }
    return by_python(function, arguments, count, names);
}

static PyMethodDef enqueue_definition = {
    "enqueue_nd_range_kernel", enqueue, METH_FASTCALL | METH_KEYWORDS,
    "enqueue_nd_range_kernel(queue, kernel, global_work_size, local_work_size, global_work_offset=None, wait_for=None, g_times_l=False, "
    "allow_empty_ndrange=False)\n--\n\n"
    "Enqueues the kernel with the arguments that it has. `g_times_l`: the global size and offset count work-groups." };

/* Kernel.__call__(queue, global_size, local_size, *args) where all arguments are plain; the kernel's method in Python otherwise. */
static PyObject *enqueue_self;

/* Whether the call has no other keywords than those that mean the same to `enqueue`. */
static int are_of_enqueue(PyObject *names)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++) {
        int which = WAIT_FOR;
        while (which < ARGUMENTS && PyTuple_GetItem(names, i) != parameters[which])
            which++;
        if (which == ARGUMENTS)
            return 0;
    }
    return 1;
}

static PyObject *call_kernel(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *packing = count >= 3 && are_of_enqueue(names) ? PyObject_GetAttr(self, name__packing) : NULL;
    int written = packing && write_arguments(packing, arguments + 3, count - 3);
    drop(packing);
    if (!written) {
        PyErr_Clear();
        PyObject *method = PyObject_GetAttr(self, name__call_in_python);
        PyObject *result = method ? by_python(method, arguments, count, names) : NULL;
        drop(method);
        return result;
    }
    PyObject *launched_with[ARGUMENTS] = { arguments[0], self, arguments[1], arguments[2] };
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++)
        launched_with[GLOBAL_OFFSET + i] = arguments[count + i];
    return enqueue(enqueue_self, launched_with, GLOBAL_OFFSET, names);
}

static PyMethodDef call_definition = { "__call__", call_kernel, METH_FASTCALL | METH_KEYWORDS,
                                       "__call__($self, queue, global_size, local_size, *args, global_offset=None, g_times_l=False, "
                                       "allow_empty_ndrange=False, wait_for=None)\n--\n\nSets all arguments and enqueues the kernel." };

/* caller(Kernel) */
static PyObject *caller(PyObject *module, PyObject *arguments)
{
    PyObject *type;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O", &type))
        return NULL;
    return PyDescr_NewMethod((PyTypeObject *)type, &call_definition);
}

/* enqueuer(function, event_type, command_type, module's name) */
static PyObject *enqueuer(PyObject *module, PyObject *arguments)
{
    PyObject *function, *event_type, *command_type, *name;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &function, &event_type, &command_type, &name))
        return NULL;
    PyObject *nothing = PyTuple_New(0), *self = tuple_of(4, (PyObject *[]){ function, event_type, command_type, nothing });
    PyObject *made = self ? PyCFunction_NewEx(&enqueue_definition, self, name) : NULL;
    drop(nothing);
    drop(enqueue_self); /* kept for `call_kernel` */
    enqueue_self = self;
    return made;
}

static PyMethodDef launching_methods[] = { { "prepared", prepared, METH_VARARGS, NULL }, { NULL, NULL, 0, NULL } };
static PyType_Slot launching_slots[] = { { Py_tp_dealloc, end_object }, { Py_tp_methods, launching_methods }, { 0, NULL } };
static PyType_Slot launch_slots[] = { { Py_tp_dealloc, end_launch }, { Py_tp_call, call_launch }, { 0, NULL } };
static PyType_Slot target_slots[] = { { Py_tp_dealloc, end_target }, { 0, NULL } };
static PyType_Spec launching_spec = { "cl2cuda.runtime.native.Launching", sizeof(struct launching), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, launching_slots };
static PyType_Spec launch_spec = { "cl2cuda.runtime.native.Launch", sizeof(struct launch), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, launch_slots };

static PyType_Spec target_spec = { "cl2cuda.runtime.native.Target", sizeof(struct target), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, target_slots };

static PyMethodDef functions[] = {
    { "target", new_target, METH_VARARGS, NULL },
    { "launching", new_launching, METH_VARARGS, NULL },
    { "range_launch", new_range, METH_VARARGS, NULL },
    { "enqueuer", enqueuer, METH_VARARGS, NULL },
    { "caller", caller, METH_VARARGS, NULL },
    { "packing", new_packing, METH_VARARGS, NULL },
    { "numbers", set_number_types, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
static PyModuleDef definition = { .head = { 1, NULL }, .name = "_calls", .size = -1, .methods = functions };

__attribute__((visibility("default"))) PyObject *PyInit__calls(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    NAMES(INTERN)
    for (int i = 0; i < ARGUMENTS; i++)
        parameters[i] = PyUnicode_InternFromString(parameter_names[i]);
    launching_type = (PyTypeObject *)PyType_FromSpec(&launching_spec);
    launch_type = (PyTypeObject *)PyType_FromSpec(&launch_spec);
    target_type = (PyTypeObject *)PyType_FromSpec(&target_spec);
    return launching_type && launch_type && target_type && prepare_arguments() ? PyModule_Create2(&definition, STABLE_ABI) : NULL;
}
