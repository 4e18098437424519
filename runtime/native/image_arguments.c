/* Images as arguments of kernels: see image_arguments.h. What their kind tells is looked at by the setter in Python once for each kind. */
#include "image_arguments.h"
#include "image_arrays.h"

#include <string.h>

static PyObject *name_arguments, *name_array_kind;

struct image_place image_place_of(PyObject *key, unsigned states)
{
    Py_IncRef(key);
    return (struct image_place){ .key = key, .states = states };
}

void leave_image_place(struct image_place *place)
{
    drop(place->key);
    drop(place->kind);
}

/* As `asks_for` of driver/image_argument.py has it. */
static int asks_for_the_same(const struct image_argument *one, const struct image_argument *other)
{
    int same = one->order == other->order && one->type == other->type && !one->surface == !other->surface;
    for (int i = 0; same && i < TEXTURE_STATES; i++)
        same = !one->textures[i] == !other->textures[i];
    return same;
}

/* What the image has been given as before, which it keeps until it is released; a borrowed reference, or NULL. */
static PyObject *kept_argument(PyObject *kept, PyObject *key)
{
    PyObject *found = PyDict_GetItemWithError(kept, key);
    return found && PyBytes_Size(found) == sizeof(struct image_argument) ? found : NULL;
}

/* The same of one that is given for the first time, and is like one that was taken; NULL, perhaps with an error. */
static PyObject *new_argument(const struct image_place *place, PyObject *kept, PyObject *image, PyObject *context)
{
    PyObject *made = place->kind && is(image, name_array_kind, place->kind) && is(image, name_context, context)
        ? own_argument_of(image, place->states) : NULL;
    if (made && PyDict_SetItem(kept, place->key, made)) {
        drop(made);
        return NULL;
    }
    return made;
}

int write_known_image(const struct image_place *place, char *address, PyObject *image, PyObject *context)
{
    PyObject *kept = get(image, name_arguments), *known = kept ? kept_argument(kept, place->key) : NULL;
    int done = 0;
    if (known)
        Py_IncRef(known);
    else if (kept && !PyErr_Occurred())
        known = new_argument(place, kept, image, context);
    if (known) {
        struct image_argument argument, before;
        memcpy(&argument, PyBytes_AsString(known), sizeof argument);
        memcpy(&before, address, sizeof before);
        if ((done = asks_for_the_same(&argument, &before)))
            memcpy(address, &argument, sizeof argument);
    }
    drop(known);
    drop(kept);
    return done;
}

void note_image(struct image_place *place, PyObject *image)
{
    PyObject *kind = get(image, name_array_kind);
    if (kind && kind != place->kind && PyBytes_Size(kind) > 0) {
        drop(place->kind);
        Py_IncRef(place->kind = kind);
    }
    forget_error();
    drop(kind);
}

int prepare_image_arguments(void)
{
    name_arguments = PyUnicode_InternFromString("arguments");
    name_array_kind = PyUnicode_InternFromString("array_kind");
    return name_arguments && name_array_kind;
}
