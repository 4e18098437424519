/* PyOpenCL's functions that read, write, copy and fill buffers: their parameters, and what gives them to a stream or holds them back. */
#ifndef CL2CUDA_NATIVE_BUFFER_COMMANDS_H
#define CL2CUDA_NATIVE_BUFFER_COMMANDS_H

#include "calls.h"

/* Of _enqueue_read_buffer and _enqueue_write_buffer, _enqueue_copy_buffer, and _enqueue_fill_buffer. */
enum { MEMORY = 1, HOST, HOST_OFFSET, HOST_WAIT_FOR, IS_BLOCKING, OF_HOST_COPIES };
enum { SOURCE = 1, DESTINATION, BYTE_COUNT, SOURCE_OFFSET, DESTINATION_OFFSET, COPY_WAIT_FOR, OF_COPIES };
enum { FILLED = 1, PATTERN, FILL_OFFSET, FILL_SIZE, FILL_WAIT_FOR, OF_FILLS };

/* The command's place in the stream; NULL without an error where Python is to do it. */
PyObject *give_read(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_write(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_fill(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);

/* The event of a command that is held back (held.h); NULL, perhaps with an error, where it is Python's. */
PyObject *hold_read(PyObject *self, PyObject *const *taken, PyObject *queue);
PyObject *hold_write(PyObject *self, PyObject *const *taken, PyObject *queue);
PyObject *hold_copy(PyObject *self, PyObject *const *taken, PyObject *queue);
PyObject *hold_fill(PyObject *self, PyObject *const *taken, PyObject *queue);

#endif
