/* The arrays of images that begin bare in programs in Python, made at their first use without Python's own steps, and retired when nobody has
   the image any more. Python has one when it asks for the image's elements (ElementsFromFirstUse of image/elements.py). */
#include "calls.h"
#include "image_arrays.h"
#include "images.h"

#include <stdlib.h>

#define DEFINE(name) static PyObject *name_##name;
#define OWN_NAMES(N) N(_elements) N(array_kind) N(sizes) N(first) N(devices) N(driver_device) N(native_images) N(end)
OWN_NAMES(DEFINE)

/* What Image.own_array is. The array goes to Python, or with this. `end` calls what destroys it, with CUDA's context current. */
struct own_array {
    PyObject head;
    struct image_array *array;
    int is_pythons; /* It is that of `storage`, or about to be. */
    PyObject *kind, *device, *reclaimer, *end, *storage;
    uint32_t sizes[SIZES];
};

/* What is to be freed when no command uses it: called, it is, by `end` where CUDA's context is not current. */
struct retired_array {
    PyObject head;
    struct image_array *array;
    PyObject *end;
};

static PyTypeObject *own_type, *retired_type;

static const struct image_kind *kind_in(PyObject *bytes)
{
    return bytes && PyBytes_Size(bytes) == sizeof(struct image_kind) ? (const struct image_kind *)PyBytes_AsString(bytes) : NULL;
}

/* Notes the array to be freed; where there is no memory for that it is not. */
static void retire_array(const struct own_array *own)
{
    struct retired_array *retired = (struct retired_array *)PyType_GenericAlloc(retired_type, 0);
    if (!retired)
        return;
    retired->array = own->array;
    Py_IncRef(retired->end = own->end);
    const uint64_t bytes = own->array->bytes;
    if (!retire_piece(own->reclaimer, own->device, (PyObject *)retired, bytes)) /* The context has gone before, as from a circle. */
        drop(PyObject_CallMethod(own->reclaimer, "retire", "OOK", own->device, (PyObject *)retired, (unsigned long long)bytes));
    Py_DecRef((PyObject *)retired);
}

static void end_own(PyObject *self)
{
    struct own_array *own = (struct own_array *)self;
    PyObject *kept[3];
    if (own->array && !own->is_pythons) {
        PyErr_Fetch(&kept[0], &kept[1], &kept[2]);
        retire_array(own);
        PyErr_Clear();
        PyErr_Restore(kept[0], kept[1], kept[2]);
    } else {
        free(own->array);
    }
    drop(own->kind);
    drop(own->device);
    drop(own->reclaimer);
    drop(own->end);
    drop(own->storage);
    end_object(self);
}

static PyObject *call_retired(PyObject *self, PyObject *arguments, PyObject *names)
{
    struct retired_array *retired = (struct retired_array *)self;
    struct image_array *array = retired->array;
    PyObject *end = retired->end;
    (void)arguments;
    (void)names;
    if (array && end && !is_current(array->calls->current, array->calls->context)) {
        retired->end = NULL; /* By which this is called once more, unless CUDA has ended. */
        PyObject *none = PyObject_CallFunction(end, "(O)", self);
        Py_DecRef(end);
        return none;
    }
    retired->array = NULL;
    if (array)
        give_unused(array);
    Py_IncRef(NONE);
    return NONE;
}

static void end_retired(PyObject *self)
{
    drop(((struct retired_array *)self)->end);
    end_object(self);
}

/* Whether Python has the image's elements, or another thread has made an array for it; then `found` is that, if it is not NULL. */
static int has_contents(PyObject *image, PyObject **found)
{
    PyObject *attributes = PyObject_GenericGetDict(image, NULL);
    int has = !attributes || PyDict_GetItemWithError(attributes, name__elements);
    drop(attributes);
    *found = has ? NULL : get(image, name_own_array);
    if (*found == NONE) {
        drop(*found);
        *found = NULL;
    }
    return has || *found || PyErr_Occurred();
}

/* The first contents, which `kept` keeps: none where there are none, or, with an error, where nobody knows them. */
static struct contents_of_image first_contents(PyObject *image, PyObject **kept)
{
    const struct contents_of_image none = { NULL, 0 };
    *kept = get(image, name_first);
    if (*kept && PyBytes_Size(*kept) >= 0)
        return PyBytes_Size(*kept) ? (struct contents_of_image){ PyBytes_AsString(*kept), 0 } : none;
    PyErr_Clear(); /* It is a Snapshot. */
    uint64_t address;
    return *kept && read_word(*kept, name_address, &address) ? (struct contents_of_image){ (const void *)(uintptr_t)address, 1 } : none;
}

/* Those that images of the kind have. */
static int take_sizes(uint32_t *sizes, const struct image_kind *kind, PyObject *tuple)
{
    const int has[SIZES] = { [WIDTH] = 1, [HEIGHT] = kind->dimensions > 1, [DEPTH] = kind->dimensions > 2, [LAYERS] = kind->is_layered != 0 };
    for (int i = 0; i < SIZES; i++)
        sizes[i] = has[i] ? (uint32_t)number_in(PyTuple_GetItem(tuple, i)) : 0;
    return !PyErr_Occurred();
}

/* Behind `context`: what its arrays are retired by. */
static int take_ways(struct own_array *own, PyObject *context)
{
    PyObject *devices = get(context, name_devices), *driver = NULL, *images = NULL;
    own->reclaimer = get(context, name__reclaimer);
    own->device = devices ? PySequence_GetItem(devices, 0) : NULL;
    driver = own->device ? get(own->device, name_driver_device) : NULL;
    images = driver ? get(driver, name_native_images) : NULL;
    own->end = images ? get(images, name_end) : NULL;
    drop(images);
    drop(driver);
    drop(devices);
    return own->reclaimer && own->end;
}

/* What counts as the image's: this one, or what another thread has made meanwhile. NULL where it has elements by now. */
static struct own_array *publish(PyObject *image, struct own_array *own)
{
    PyObject *other;
    if (!has_contents(image, &other) && set(image, name_own_array, (PyObject *)own) && set(image, name_first, no_bytes))
        return own;
    Py_DecRef((PyObject *)own);
    return (struct own_array *)other;
}

/* At the first use: NULL, perhaps with an error, where the array is Python's to make. */
static struct own_array *new_own(PyObject *image)
{
    PyObject *bytes = get(image, name_array_kind), *context = get(image, name_context), *sizes = get(image, name_sizes), *kept = NULL;
    const struct image_kind *kind = kind_in(bytes);
    struct own_array *own = kind && context && sizes && is_current(kind->calls->current, kind->calls->context)
        ? (struct own_array *)PyType_GenericAlloc(own_type, 0) : NULL;
    int ready = own && take_sizes(own->sizes, kind, sizes) && take_ways(own, context);
    if (own)
        Py_IncRef(own->kind = bytes);
    if (ready) {
        const struct contents_of_image contents = first_contents(image, &kept);
        PyThreadState *thread = PyErr_Occurred() ? NULL : PyEval_SaveThread();
        if (thread) {
            own->array = take_filled_array(kind, own->sizes, &contents);
            PyEval_RestoreThread(thread);
        }
    }
    drop(kept);
    drop(sizes);
    drop(context);
    drop(bytes);
    if (own && own->array)
        return publish(image, own);
    drop((PyObject *)own);
    return NULL;
}

/* A new reference; NULL, without an error, where the image is Python's. */
static struct own_array *own_array_of(PyObject *image)
{
    PyObject *found;
    struct own_array *own = NULL;
    if (!has_contents(image, &found))
        own = new_own(image);
    else
        own = (struct own_array *)found;
    forget_error();
    if (!own || !own->is_pythons)
        return own;
    Py_DecRef((PyObject *)own);
    return NULL;
}

PyObject *own_argument_of(PyObject *image, unsigned states)
{
    PyObject *given = NULL;
    struct own_array *own = own_array_of(image);
    const struct image_kind *kind = own ? kind_in(own->kind) : NULL;
    if (own && is_current(kind->calls->current, kind->calls->context) && make_textures(kind, own->array, states)) {
        const struct image_argument argument = argument_of(kind, own->array, own->sizes, states);
        given = PyBytes_FromStringAndSize((const char *)&argument, sizeof argument);
        forget_error();
    }
    drop((PyObject *)own);
    return given;
}

/* own_argument(image, states): see library.py */
PyObject *own_argument(PyObject *module, PyObject *arguments)
{
    PyObject *image;
    unsigned states;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OI", &image, &states))
        return NULL;
    PyObject *given = own_argument_of(image, states);
    if (!given)
        Py_IncRef(given = NONE);
    return given;
}

/* taken_over(own array, storage_of): see library.py */
PyObject *taken_over(PyObject *module, PyObject *arguments)
{
    PyObject *given, *storage_of, *storage;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &given, &storage_of))
        return NULL;
    struct own_array *own = (struct own_array *)given;
    uintptr_t all[MOST_HANDLES];
    PyObject *handles = numbers_of(handles_of(own->array, all), all);
    own->is_pythons = 1; /* Other threads leave the image to Python from here on. */
    storage = handles ? PyObject_CallFunction(storage_of, "(O)", handles) : NULL;
    drop(handles);
    if (!storage) {
        own->is_pythons = 0;
        return NULL;
    }
    Py_IncRef(own->storage = storage);
    return storage;
}

/* begins_with(image, elements): see library.py. Nothing of Python's runs between looking and giving. */
PyObject *begins_with(PyObject *module, PyObject *arguments)
{
    PyObject *image, *elements, *own;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &image, &elements))
        return NULL;
    int has = has_contents(image, &own), has_own = own != NULL;
    PyObject *attributes = has ? NULL : PyObject_GenericGetDict(image, NULL);
    if (attributes)
        PyDict_SetItem(attributes, name__elements, elements);
    drop(attributes);
    drop(own);
    if (PyErr_Occurred())
        return NULL;
    PyObject *answer = has_own ? FALSE_ : TRUE_;
    Py_IncRef(answer);
    return answer;
}

PyObject *known_own_array(PyObject *image)
{
    struct own_array *own = own_array_of(image);
    PyObject *made = NULL;
    if (own) {
        const struct array array = known_as(kind_in(own->kind), own->array, own->sizes);
        made = new_known_array(image, (PyObject *)own, &array);
    }
    drop((PyObject *)own);
    if (made && set(image, name_known_array, made))
        return made;
    drop(made);
    return NULL;
}

static PyType_Slot own_slots[] = { { Py_tp_dealloc, end_own }, { 0, NULL } };
static PyType_Spec own_spec = { "cl2cuda.runtime.native.OwnArray", sizeof(struct own_array), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, own_slots };
static PyType_Slot retired_slots[] = { { Py_tp_call, call_retired }, { Py_tp_dealloc, end_retired }, { 0, NULL } };
static PyType_Spec retired_spec = { "cl2cuda.runtime.native.RetiredArray", sizeof(struct retired_array), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, retired_slots };

int prepare_own_arrays(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    OWN_NAMES(INTERN)
    own_type = (PyTypeObject *)PyType_FromSpec(&own_spec);
    retired_type = (PyTypeObject *)PyType_FromSpec(&retired_spec);
    return own_type && retired_type;
}
