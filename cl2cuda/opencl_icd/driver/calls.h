/* What the generated entry points stand on: one description each, and one way to answer them by Python. */
#ifndef CL2CUDA_CALLS_H
#define CL2CUDA_CALLS_H

#include "objects.h"

typedef uint64_t word;

enum { SUCCESS = 0, OUT_OF_RESOURCES = -5, OUT_OF_HOST_MEMORY = -6, INVALID_VALUE = -30, INVALID_EVENT_WAIT_LIST = -57,
       INVALID_OPERATION = -59 };

/* parameters: one code for each parameter or group of them
     an upper case letter   an object of that kind; after '?', or NULL; after '&', its address is told; after '=', a kernel,
                            program or queue with which the call leaves nothing in Python but what the library knows of (kernels.h)
     l and a letter         a number of objects and their array, as one tuple
     w                      the same of events that a command waits for
     u i p                  an unsigned number, a signed one, an address
     n t                    a number of dimensions; an array of so many sizes as a tuple, None for NULL
     o                      an origin or a region, of three sizes, likewise
     e                      where the new event goes
     I                      room, address and real size of a query's answer
     r                      where the error goes
   returns: i a status, v nothing, p an address, or the letter of a new object
   stays: of a query whose answers never change and are asked for once, 1; `changing` are those that do, `settling` the one whose answer
     stays from the first number on that is not positive, and `devices` the one that stays if the devices do which it names
   query: the place of what is asked for among the parameters
   frees: whether it frees memory of a context, at once or by a command, or unmaps some
   described: of a call that makes what may begin bare (descriptions.h), what says all of it, by its parameters from the second one on:
     u a number, d a device, f a cl_image_format, m a cl_image_desc, whose memory object is a buffer if any, q a list of properties, h
     memory of the host whose contents it begins with, or NULL; x y z an image's sizes, r s the pitches of that memory's rows and slices */
struct entry {
    const char *name, *parameters;
    char returns;
    int stays, query;
    uint32_t changing[2], settling, devices;
    enum { FREES_NOTHING, FREES_AT_ONCE, FREES_BY_COMMAND, UNMAPS } frees;
    const char *described; /* "" of other calls */
    PyObject *function;
    int is_asked;        /* whether the package has been asked for a function that it did not give at the start */
};

extern struct entry *const entries[];

int32_t invalid(enum kind kind);

word answer(struct entry *entry, const word *words);

/* Whether the package has a function for it. */
int is_answered(struct entry *entry);

/* With Python's lock: what the package's function for the call gives, such as the new core that it makes; NULL, with Python's error set,
   where it fails. */
PyObject *core_by(struct entry *entry, const word *words);

/* With Python's lock: numbers as a tuple; the status of the exception that a function of the package has raised. */
PyObject *tuple_of_words(const uint64_t *words, Py_ssize_t count);
int32_t status_of_failure(void);

/* The bytes that a function of the package gives, whose reference is taken; 0 where it fails, which is a fault of ours. */
int take_bytes(PyObject *bytes, void *target, size_t size);

static inline PyObject *new_reference(PyObject *object)
{
    py.Py_IncRef(object);
    return object;
}

/* The one argument of a function that the package calls, which is an object's address; 0 with an exception where there is none. */
static inline int take_object(PyObject *arguments, struct object **given)
{
    unsigned long long address;
    if (!py.PyArg_ParseTuple(arguments, "K", &address))
        return 0;
    *given = (struct object *)(uintptr_t)address;
    return 1;
}

/* The package's functions: from an exception to a status, and from a name to an entry point that is imported late; of
   cl2cuda.opencl_icd.launches, and of native_commands. */
extern PyObject *status_of, *function_of, *places_of, *note_arguments, *image_given, *image_taken, *launch_of, *fault_of;
extern PyObject *wait_at_end, *native_of, *lanes_of, *mark_of, *memory_of, *fences_of, *base_time_of, *timed_event_of;

/* Of functions that no device offers and whose parameters nobody knows here. */
int32_t unsupported(void);
void *unsupported_object(void);

#endif
