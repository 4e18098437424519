/* Images that begin bare, with first contents or without, of a kind that the context has had one of, or like that but for their sizes, and
   the structures that say what they are like, as the PyOpenCL face makes them. Whatever is out of the ordinary is left to Python, before
   anything is done. */
#include "calls.h"
#include "image_sizes.h"

enum { MEM_OBJECT_IMAGE1D_ARRAY = 0x10F5 };

#define DEFINE(name) static PyObject *name_##name;
#define IMAGE_NAMES(N) \
    N(image_kinds) N(arguments) N(buffer) N(first) N(_channel_order) N(_channel_data_type) N(_image_type) N(_shape) N(_array_size) N(_pitches) \
    N(_num_mip_levels) N(_num_samples) N(format) N(type) N(answers) N(sizes) N(array_kind) N(__set__) N(__delete__)
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

/* What the context knows the kind of an image by, as `_plain` of pyopencl_cl/image.py says: the flags, what the format has, and the
   descriptor. */
enum { OF_FORMATS = 1, OF_DESCRIPTORS = 3, KIND_TYPE = 3, KIND_SHAPE, KIND_ARRAY, KIND_PITCHES, KIND_LEVELS, KIND_SAMPLES, OF_KINDS };

static void drop_all(PyObject *const *parts)
{
    for (int i = 0; i < OF_KINDS; i++)
        drop(parts[i]);
}

/* 0, with an error, where something is missing; the parts are to be dropped in both cases. */
static int take_parts(PyObject **parts, PyObject *flags, PyObject *format, PyObject *descriptor)
{
    PyObject *const names[OF_KINDS] = { NULL, name__channel_order, name__channel_data_type, name__image_type, name__shape, name__array_size,
                                        name__pitches, name__num_mip_levels, name__num_samples };
    int all = 1;
    Py_IncRef(parts[0] = flags);
    for (int i = OF_FORMATS; i < OF_KINDS; i++)
        all &= (parts[i] = all ? get(i < OF_DESCRIPTORS ? format : descriptor, names[i]) : NULL) != NULL;
    return all;
}

/* Programs make images of one kind again and again: it is known by the very objects, and a shape by its numbers'. */
static struct {
    PyObject *kinds, *kind, *parts[OF_KINDS];
} last;

static int is_same_shape(PyObject *shape, PyObject *other)
{
    int same = is_tuple(shape) && is_tuple(other) && PyTuple_Size(shape) == PyTuple_Size(other);
    for (Py_ssize_t i = 0; same && i < PyTuple_Size(shape); i++)
        same = PyTuple_GetItem(shape, i) == PyTuple_GetItem(other, i);
    return same;
}

static int is_last(PyObject *kinds, PyObject *const *parts)
{
    int same = kinds == last.kinds;
    for (int i = 0; same && i < OF_KINDS; i++)
        same = parts[i] == last.parts[i] || (i == KIND_SHAPE && is_same_shape(parts[i], last.parts[i]));
    return same;
}

static void keep_last(PyObject *kinds, PyObject *kind, PyObject *const *parts)
{
    PyObject *before[OF_KINDS], *old_kinds = last.kinds, *old_kind = last.kind;
    memcpy(before, last.parts, sizeof before);
    Py_IncRef(last.kinds = kinds);
    Py_IncRef(last.kind = kind);
    for (int i = 0; i < OF_KINDS; i++)
        Py_IncRef(last.parts[i] = parts[i]);
    drop(old_kinds); /* Only now: what goes may have others do so that come here. */
    drop(old_kind);
    drop_all(before);
}

/* NULL, perhaps with an error, where the context does not know it. */
static PyObject *kind_of(PyObject *kinds, PyObject *const *parts)
{
    if (is_last(kinds, parts)) {
        Py_IncRef(last.kind);
        return last.kind;
    }
    PyObject *key = tuple_of(OF_KINDS, parts), *kind = key ? PyDict_GetItemWithError(kinds, key) : NULL;
    if (kind) {
        Py_IncRef(kind); /* Another thread, or what a garbage collection runs, may note it anew. */
        keep_last(kinds, kind, parts);
    }
    drop(key);
    return kind;
}

/* As Image.of_kind. */
static PyObject *image_of_kind(PyObject *context, PyObject *kind, PyObject *const *parts, uint64_t bytes)
{
    (void)parts;
    (void)bytes;
    PyObject *image = PyType_GenericAlloc((PyTypeObject *)known.image, 0), *arguments = PyDict_New();
    PyObject *fields = known.image_fields;
    int done = image && arguments && set(image, name_context, context) && set(image, name_arguments, arguments)
        && set(image, name_known_array, NONE) && set(image, name_own_array, NONE);
    for (Py_ssize_t i = 0; done && i < PyTuple_Size(fields); i++)
        done = set(image, PyTuple_GetItem(fields, i), PyTuple_GetItem(kind, i));
    drop(arguments);
    if (done)
        return image;
    drop(image);
    return NULL;
}

/* Which field of a kind is the size. */
enum { KIND_SIZE = 5, LITTLE = 64 << 10 };

/* What an image of the kind is to contain of a host object, which is kept for its first use; NULL where Python is to look. */
static PyObject *first_of_image(PyObject *host, PyObject *context, long long size)
{
    PyObject *contents = NULL;
    Py_buffer memory;
    if (PyObject_GetBuffer(host, &memory, PyBUF_ANY_CONTIGUOUS))
        return NULL;
    if (size > 0 && memory.size >= size)
        contents = size > LITTLE ? snapshot_of(context, memory.memory, size)
                                 : PyBytes_FromStringAndSize(memory.memory, (Py_ssize_t)size);
    PyBuffer_Release(&memory);
    return contents;
}

static uint64_t bytes_of_kind(PyObject *kind)
{
    return (uint64_t)number_in(PyTuple_GetItem(kind, KIND_SIZE));
}

/* What makes an image of a kind, or of sizes. */
typedef PyObject *maker(PyObject *context, PyObject *kind, PyObject *const *parts, uint64_t bytes);

static PyObject *image_with(maker *make, PyObject *context, PyObject *kind, PyObject *const *parts, uint64_t bytes, PyObject *host)
{
    PyObject *contents = host == NONE ? NULL : first_of_image(host, context, (long long)bytes);
    PyObject *image = contents || host == NONE ? make(context, kind, parts, bytes) : NULL;
    if (image && contents && !set(image, name_first, contents)) {
        Py_DecRef(image);
        image = NULL;
    }
    drop(contents);
    return image;
}

/* What the context knows images of all sizes by, as `_sizes_key` of pyopencl_cl/image.py says, and what it knows of them: `SizedKind` of
   image/kinds.py. */
enum { SIZED_FLAGS, SIZED_FORMAT, SIZED_TYPE, SIZED_ELEMENT, SIZED_BYTES, SIZED_MOST, SIZED_LATELY, SIZED_ARRAYS };

/* So many kinds a context knows (pyopencl_cl/image.py, which a test compares). */
enum { MOST_KINDS = 256 };

static PyObject *sized_kind(PyObject *kinds, PyObject *const *parts)
{
    PyObject *const same[] = { parts[0], parts[OF_FORMATS], parts[OF_FORMATS + 1], parts[KIND_TYPE], parts[KIND_LEVELS], parts[KIND_SAMPLES] };
    PyObject *key = tuple_of(sizeof same / sizeof *same, same), *found = key ? PyDict_GetItemWithError(kinds, key) : NULL;
    if (found)
        Py_IncRef(found);
    drop(key);
    return found;
}

/* The numbers in a tuple, of which there are `count` at most; 0 where those are others. */
static int read_numbers(size_t *numbers, PyObject *tuple, Py_ssize_t count)
{
    int plain = is_tuple(tuple) && PyTuple_Size(tuple) <= count;
    for (Py_ssize_t i = 0; plain && i < PyTuple_Size(tuple); i++) {
        long long number = number_in(PyTuple_GetItem(tuple, i));
        numbers[i] = (size_t)number;
        plain = number >= 0;
    }
    return plain;
}

static int read_sizes(struct image_sizes *sizes, PyObject *const *parts)
{
    long long layers = number_in(parts[KIND_ARRAY]);
    memset(sizes, 0, sizeof *sizes);
    sizes->sizes[LAYERS] = (size_t)layers;
    return layers >= 0 && PyTuple_Size(parts[KIND_SHAPE]) == 3 && read_numbers(sizes->sizes, parts[KIND_SHAPE], 3)
        && (parts[KIND_PITCHES] == NONE || read_numbers(sizes->pitches, parts[KIND_PITCHES], PITCHES));
}

static int read_limits(struct size_limits *limits, PyObject *kind)
{
    size_t most[SIZES];
    int done = read_numbers(most, PyTuple_GetItem(kind, SIZED_MOST), SIZES);
    limits->element_size = (uint64_t)number_in(PyTuple_GetItem(kind, SIZED_ELEMENT));
    limits->most_bytes = (uint64_t)number_in(PyTuple_GetItem(kind, SIZED_BYTES));
    for (int i = 0; done && i < SIZES; i++)
        limits->most[i] = most[i];
    return done;
}

static PyObject *tuple_of_sizes(PyObject *const *parts)
{
    PyObject *shape = parts[KIND_SHAPE];
    return tuple_of(SIZES, (PyObject *[]){ PyTuple_GetItem(shape, 0), PyTuple_GetItem(shape, 1), PyTuple_GetItem(shape, 2), parts[KIND_ARRAY] });
}

/* Sizes that come a second time: Python notes their kind, whose images are made and used in fewer steps. */
static int come_again(PyObject *kind, PyObject *const *parts)
{
    enum { MOST_LATELY = 256 };
    PyObject *lately = PyTuple_GetItem(kind, SIZED_LATELY), *sizes = tuple_of_sizes(parts);
    int again = sizes && PySet_Contains(lately, sizes) == 1;
    if (sizes && !again && PySet_Size(lately) >= MOST_LATELY)
        drop(PyObject_CallMethod(lately, "clear", NULL));
    if (sizes && !again)
        PySet_Add(lately, sizes);
    drop(sizes);
    forget_error();
    return again;
}

/* An image that has its descriptor and layout when somebody asks for them. */
static PyObject *image_of_sizes(PyObject *context, PyObject *kind, PyObject *const *parts, uint64_t bytes)
{
    PyObject *image = PyType_GenericAlloc((PyTypeObject *)known.image, 0), *arguments = PyDict_New(), *answers = PyDict_New();
    PyObject *sizes = tuple_of_sizes(parts), *size = PyLong_FromSsize_t((Py_ssize_t)bytes);
    int done = image && arguments && answers && sizes && size && set(image, name_context, context) && set(image, name_arguments, arguments)
        && set(image, name_known_array, NONE) && set(image, name_flags, PyTuple_GetItem(kind, SIZED_FLAGS))
        && set(image, name_format, PyTuple_GetItem(kind, SIZED_FORMAT)) && set(image, name_type, PyTuple_GetItem(kind, SIZED_TYPE))
        && set(image, name_answers, answers) && set(image, name_sizes, sizes) && set(image, name_size, size)
        && set(image, name_own_array, NONE) && set(image, name_array_kind, PyTuple_GetItem(kind, SIZED_ARRAYS));
    PyObject *const made[] = { arguments, answers, sizes, size };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        drop(made[i]);
    if (done)
        return image;
    drop(image);
    return NULL;
}

static PyObject *sized_image(PyObject *context, PyObject *kinds, PyObject *const *parts, PyObject *host)
{
    PyObject *kind = sized_kind(kinds, parts), *image = NULL;
    struct size_limits limits;
    struct image_sizes sizes;
    uint64_t bytes;
    if (kind && read_limits(&limits, kind) && read_sizes(&sizes, parts) && (bytes = bytes_of_image(&limits, &sizes, host != NONE))
        && (PyDict_Size(kinds) >= MOST_KINDS || !come_again(kind, parts)))
        image = image_with(image_of_sizes, context, kind, parts, bytes, host);
    drop(kind);
    return image;
}

/* The runtime's image; NULL where it is Python's to make. */
static PyObject *bare_image(PyObject *const *taken)
{
    PyObject *context = get(taken[CONTEXT], name__core), *kinds = NULL, *kind = NULL, *image = NULL, *parts[OF_KINDS] = { 0 };
    if (context && known.image && (PyObject *)context->type == known.context && !presses(context)
        && (kinds = get(context, name_image_kinds)) && take_parts(parts, taken[FLAGS], taken[FORMAT], taken[DESCRIPTOR])) {
        kind = kind_of(kinds, parts);
        forget_error();
        image = kind ? image_with(image_of_kind, context, kind, parts, bytes_of_kind(kind), taken[HOST])
            : sized_image(context, kinds, parts, taken[HOST]);
    }
    drop_all(parts);
    drop(kind);
    drop(kinds);
    drop(context);
    return image;
}

/* Whether the host object is there where the flags ask for its contents, and none where they do not. */
static int is_as_flags_say(PyObject *flags, PyObject *host)
{
    long long number = number_in(flags);
    return number >= 0 && (host == NONE) == !(number & MEM_COPY_HOST_PTR);
}

/* Image._custom_init */
static PyObject *make_image(PyObject *self, PyObject *const *taken, Py_ssize_t count, PyObject *names)
{
    PyObject *image = NULL;
    if (count == OF_IMAGES && !names && is_as_flags_say(taken[FLAGS], taken[HOST])
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
