/* Calls of Python programs in C (library.py says what each is for). */
#include "held.h"
#include "image_arguments.h"

#define DEFINE(name) PyObject *name_##name;
NAMES(DEFINE)
PyObject *no_bytes;
struct known known;

/* know(name, object): see library.py */
static PyObject *know(PyObject *module, PyObject *arguments)
{
    const struct {
        const char *name;
        PyObject **place;
    } all[] = {
        { "buffer", &known.buffer }, { "image", &known.image }, { "image_fields", &known.image_fields }, { "context", &known.context },
          { "user_event", &known.user_event },
        { "mapping", &known.mapping }, { "leftovers", &known.leftovers }, { "element_of", &known.element_of },
        { "image_mapping", &known.image_mapping }, { "pointer", &known.pointer }, { "shared_types", &known.shared_types },
        { "queue_parts", &known.queue_parts }, { "barrier", &known.barrier }, { "array", &known.array },
        { "came_from_beside", &known.came_from_beside }, { "held", &known.held },
    };
    const char *name;
    PyObject *object;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &object))
        return NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) {
            Py_IncRef(object); /* for as long as the process lives */
            *all[i].place = object;
            Py_IncRef(NONE);
            return NONE;
        }
    PyErr_SetString(PyExc_TypeError, name);
    return NULL;
}

static PyMethodDef functions[] = {
    { "know", know, METH_VARARGS, NULL },
    { "slots", know_slots, METH_VARARGS, NULL },
    { "target", new_target, METH_VARARGS, NULL },
    { "launching", new_launching, METH_VARARGS, NULL },
    { "frozen_launch", frozen_launch, METH_VARARGS, NULL },
    { "range_launch", new_range, METH_VARARGS, NULL },
    { "resident", new_resident, METH_VARARGS, NULL },
    { "resident_launch", resident_launch, METH_VARARGS, NULL },
    { "enqueuer", enqueuer, METH_VARARGS, NULL },
    { "caller", caller, METH_VARARGS, NULL },
    { "packing", new_packing, METH_VARARGS, NULL },
    { "staging", new_staging, METH_VARARGS, NULL },
    { "numbers", set_number_types, METH_VARARGS, NULL },
    { "argument_setter", argument_setter, METH_VARARGS, NULL },
    { "arguments_setter", arguments_setter, METH_VARARGS, NULL },
    { "forget_pointers", forget_pointers, METH_VARARGS, NULL },
    { "command", new_command, METH_VARARGS, NULL },
    { "timed_copy", timed_copy, METH_VARARGS, NULL },
    { "memory_methods", memory_methods, METH_VARARGS, NULL },
    { "storage_from_first_use", storage_from_first_use, METH_VARARGS, NULL },
    { "storage_dropper", storage_dropper, METH_VARARGS, NULL },
    { "pool_methods", pool_methods, METH_VARARGS, NULL },
    { "shared_pool_methods", shared_pool_methods, METH_VARARGS, NULL },
    { "shared_maker", shared_maker, METH_VARARGS, NULL },
    { "finisher", finisher, METH_VARARGS, NULL },
    { "flusher", flusher, METH_VARARGS, NULL },
    { "waiter", waiter, METH_VARARGS, NULL },
    { "list_waiter", list_waiter, METH_VARARGS, NULL },
    { "nanny_methods", nanny_methods, METH_VARARGS, NULL },
    { "mapper", mapper, METH_VARARGS, NULL },
    { "image_mapper", image_mapper, METH_VARARGS, NULL },
    { "plain_mapper", plain_mapper, METH_VARARGS, NULL },
    { "plain_image_mapper", plain_image_mapper, METH_VARARGS, NULL },
    { "plain_unmapper", plain_unmapper, METH_VARARGS, NULL },
    { "releaser", releaser, METH_VARARGS, NULL },
    { "user_events", user_events, METH_VARARGS, NULL },
    { "memory_queries", memory_queries, METH_VARARGS, NULL },
    { "image_queries", image_queries, METH_VARARGS, NULL },
    { "event_queries", event_queries, METH_VARARGS, NULL },
    { "kernel_queries", kernel_queries, METH_VARARGS, NULL },
    { "queue_queries", queue_queries, METH_VARARGS, NULL },
    { "staying_queries", staying_queries, METH_VARARGS, NULL },
    { "pointers", pointers, METH_VARARGS, NULL },
    { "same", same, METH_VARARGS, NULL },
    { "structure_attribute", structure_attribute, METH_VARARGS, NULL },
    { "image_maker", image_maker, METH_VARARGS, NULL },
    { "known_array", known_array, METH_VARARGS, NULL },
    { "own_argument", own_argument, METH_VARARGS, NULL },
    { "taken_over", taken_over, METH_VARARGS, NULL },
    { "begins_with", begins_with, METH_VARARGS, NULL },
    { "textures", new_textures, METH_VARARGS, NULL },
    { "box_copies", box_copies, METH_VARARGS, NULL },
    { "move", move_bytes, METH_VARARGS, NULL },
    { "queue_maker", queue_maker, METH_VARARGS, NULL },
    { "queue_dropper", queue_dropper, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
static PyModuleDef definition = { .head = { 1, NULL }, .name = "_calls", .size = -1, .methods = functions };

__attribute__((visibility("default"))) PyObject *PyInit__calls(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    NAMES(INTERN)
    no_bytes = PyBytes_FromStringAndSize(NULL, 0);
    int prepared = no_bytes && prepare_targets() && prepare_launches() && prepare_launch_plans() && prepare_commands() && prepare_maps() && prepare_image_maps()
        && prepare_arguments() && prepare_objects() && prepare_storage() && prepare_held() && prepare_queries() && prepare_images()
        && prepare_image_commands() && prepare_own_arrays() && prepare_image_arguments()
        && prepare_copies() && prepare_queues() && prepare_pools() && prepare_plans()
        && prepare_residents();
    return prepared ? PyModule_Create2(&definition, STABLE_ABI) : NULL;
}
