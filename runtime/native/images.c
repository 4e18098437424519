/* Images that begin bare, of a kind that the context has had one of, and the structures that say what they are like, as the PyOpenCL face makes
   them. Whatever is out of the ordinary is left to Python, before anything is done. */
#include "calls.h"

enum { MEM_OBJECT_IMAGE1D_ARRAY = 0x10F5 };

#define DEFINE(name) static PyObject *name_##name;
#define IMAGE_NAMES(N) \
    N(image_kinds) N(arguments) N(buffer) N(_channel_order) N(_channel_data_type) N(_image_type) N(_shape) N(_array_size) N(_pitches) \
    N(_num_mip_levels) N(_num_samples) N(__set__) N(__delete__)
IMAGE_NAMES(DEFINE)

static PyTypeObject *attribute_type;
static PyObject *one;

/* An attribute of a structure, whose value is in a slot. `put` gives it a value; 0 where that is Python's. */
typedef int put_value(PyObject *structure, PyObject *slot, PyObject *value);
struct attribute {
    PyObject head;
    PyObject *in_python, *slot;
    put_value *put;
};

/* Whether it is an int that needs no look: of so many bits at most. */
static int is_number(PyObject *value, int bits)
{
    long long number = is_int(value) ? PyLong_AsLongLong(value) : -1;
    forget_error();
    return number >= 0 && !(number >> bits);
}

static int put_number(PyObject *structure, PyObject *slot, PyObject *value)
{
    return is_number(value, 32) && set(structure, slot, value);
}

static int are_numbers(PyObject *values)
{
    int plain = is_tuple(values);
    for (Py_ssize_t i = 0; plain && i < PyTuple_Size(values); i++)
        plain = is_number(PyTuple_GetItem(values, i), 31);
    return plain;
}

static int put_pitches(PyObject *structure, PyObject *slot, PyObject *value)
{
    return (value == NONE || are_numbers(value)) && set(structure, slot, value);
}

/* As the setter of ImageDescriptor.shape. */
static int put_shape(PyObject *structure, PyObject *slot, PyObject *value)
{
    Py_ssize_t count = are_numbers(value) ? PyTuple_Size(value) : 0;
    uint64_t type;
    if (count < 1 || count > 3 || !read_word(structure, name__image_type, &type))
        return 0;
    PyObject *sides[3] = { PyTuple_GetItem(value, 0), count > 1 ? PyTuple_GetItem(value, 1) : one, count > 2 ? PyTuple_GetItem(value, 2) : one };
    PyObject *shape = tuple_of(3, sides);
    int done = shape && set(structure, slot, shape) && set(structure, name__array_size, sides[type == MEM_OBJECT_IMAGE1D_ARRAY ? 1 : 2]);
    drop(shape);
    return done;
}

/* __set__(structure, value), or __delete__(structure) */
static int set_attribute(PyObject *object, PyObject *structure, PyObject *value)
{
    const struct attribute *self = (const struct attribute *)object;
    if (value && self->put(structure, self->slot, value))
        return 0;
    forget_error();
    PyObject *none = by_method(self->in_python, value ? name___set__ : name___delete__, (PyObject *[]){ structure, value }, value ? 2 : 1, NULL);
    drop(none);
    return none ? 0 : -1;
}

/* __get__(structure, class) */
static PyObject *get_attribute(PyObject *object, PyObject *structure, PyObject *class)
{
    const struct attribute *self = (const struct attribute *)object;
    (void)class;
    if (structure)
        return get(structure, self->slot);
    Py_IncRef(self->in_python);
    return self->in_python;
}

static const struct { const char *kind; put_value *put; } kinds[] = { { "number", put_number }, { "shape", put_shape }, { "pitches", put_pitches } };

/* structure_attribute(in_python, slot, kind): see library.py */
PyObject *structure_attribute(PyObject *module, PyObject *arguments)
{
    const char *slot, *kind;
    PyObject *in_python;
    size_t which = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oss", &in_python, &slot, &kind))
        return NULL;
    while (strcmp(kinds[which].kind, kind))
        if (++which == sizeof kinds / sizeof *kinds) {
            PyErr_SetString(PyExc_TypeError, kind);
            return NULL;
        }
    struct attribute *made = (struct attribute *)PyType_GenericAlloc(attribute_type, 0);
    if (!made || !(made->slot = PyUnicode_InternFromString(slot))) /* interned, as `slots` has it */
        return NULL;
    Py_IncRef(in_python); /* for as long as the process lives, as the class does whose attribute it is */
    made->in_python = in_python;
    made->put = kinds[which].put;
    return (PyObject *)made;
}

/* What `self` of `make_image` has: Image._custom_init in Python, and the face's classes of descriptors and formats. */
enum { IN_PYTHON, DESCRIPTOR_CLASS, FORMAT_CLASS, SELF_OF_IMAGES };

/* The parameters of Image._custom_init where an image has a descriptor. */
enum { HANDLE, CONTEXT, FLAGS, FORMAT, DESCRIPTOR, HOST, OF_IMAGES };

/* By which the context knows the kind of the image, as `_plain` of pyopencl_cl/image.py says. */
static PyObject *key_of(PyObject *flags, PyObject *format, PyObject *descriptor)
{
    PyObject *const of_format[] = { name__channel_order, name__channel_data_type };
    PyObject *const of_descriptor[] = { name__image_type, name__shape, name__array_size, name__pitches, name__num_mip_levels,
                                        name__num_samples };
    enum { FORMATS = sizeof of_format / sizeof *of_format, DESCRIPTORS = sizeof of_descriptor / sizeof *of_descriptor };
    PyObject *parts[1 + FORMATS + DESCRIPTORS] = { flags }, **part = parts + 1;
    for (int i = 0; i < FORMATS; i++)
        *part++ = get(format, of_format[i]);
    for (int i = 0; i < DESCRIPTORS; i++)
        *part++ = get(descriptor, of_descriptor[i]);
    PyObject *key = tuple_of((int)(part - parts), parts);
    while (--part > parts)
        drop(*part);
    return key;
}

/* As Image.of_kind. */
static PyObject *image_of_kind(PyObject *context, PyObject *kind)
{
    PyObject *image = PyType_GenericAlloc((PyTypeObject *)known.image, 0), *arguments = PyDict_New();
    PyObject *fields = known.image_fields;
    int done = image && arguments && set(image, name_context, context) && set(image, name_arguments, arguments)
        && set(image, name_known_array, NONE);
    for (Py_ssize_t i = 0; done && i < PyTuple_Size(fields); i++)
        done = set(image, PyTuple_GetItem(fields, i), PyTuple_GetItem(kind, i));
    drop(arguments);
    if (done)
        return image;
    drop(image);
    return NULL;
}

/* The runtime's image; NULL where it is Python's to make. */
static PyObject *bare_image(PyObject *const *taken)
{
    PyObject *context = get(taken[CONTEXT], name__core), *kinds = NULL, *key = NULL, *image = NULL;
    if (context && known.image && (PyObject *)context->type == known.context && !presses(context)
        && (kinds = get(context, name_image_kinds)) && (key = key_of(taken[FLAGS], taken[FORMAT], taken[DESCRIPTOR])))
        image = make_of_kind(kinds, key, context, image_of_kind);
    drop(key);
    drop(kinds);
    drop(context);
    return image;
}

/* Image._custom_init */
static PyObject *make_image(PyObject *self, PyObject *const *taken, Py_ssize_t count, PyObject *names)
{
    PyObject *image = NULL;
    if (count == OF_IMAGES && !names && taken[HOST] == NONE && is_int(taken[FLAGS])
        && (PyObject *)taken[DESCRIPTOR]->type == PyTuple_GetItem(self, DESCRIPTOR_CLASS)
        && (PyObject *)taken[FORMAT]->type == PyTuple_GetItem(self, FORMAT_CLASS) && is(taken[DESCRIPTOR], name_buffer, NONE))
        image = bare_image(taken);
    int done = image && set(taken[HANDLE], name__core, image);
    drop(image);
    if (done) {
        Py_IncRef(NONE);
        return NONE;
    }
    forget_error();
    return by_python(PyTuple_GetItem(self, IN_PYTHON), taken, count, names);
}

static PyMethodDef definition = {
    "_custom_init", make_image, METH_FASTCALL | METH_KEYWORDS,
    "_custom_init(h, context, flags, format, *described, **named)\n--\n\n"
    "`(…, desc, hostbuf=None)`, or as before OpenCL 1.2 `(…, shape=None, pitches=None, hostbuf=None)`; `hostbuf` is host memory." };

/* image_maker(in_python, ImageDescriptor, ImageFormat, module's name): see library.py */
PyObject *image_maker(PyObject *module, PyObject *arguments)
{
    PyObject *parts[SELF_OF_IMAGES], *name;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &parts[IN_PYTHON], &parts[DESCRIPTOR_CLASS], &parts[FORMAT_CLASS], &name))
        return NULL;
    PyObject *self = tuple_of(SELF_OF_IMAGES, parts), *made = self ? PyCFunction_NewEx(&definition, self, name) : NULL;
    drop(self);
    return made;
}

static PyType_Slot attribute_slots[] = { { Py_tp_descr_get, get_attribute }, { Py_tp_descr_set, set_attribute }, { Py_tp_dealloc, end_object },
                                         { 0, NULL } };
static PyType_Spec attribute_spec = { "cl2cuda.runtime.native.StructureAttribute", sizeof(struct attribute), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, attribute_slots };

int prepare_images(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    IMAGE_NAMES(INTERN)
    attribute_type = (PyTypeObject *)PyType_FromSpec(&attribute_spec);
    return attribute_type && (one = PyLong_FromSsize_t(1));
}
