/* Commands that code in C holds back behind user events (held.c). */
#ifndef CL2CUDA_NATIVE_HELD_H
#define CL2CUDA_NATIVE_HELD_H

#include "calls.h"

/* The runtime's event of a launch by the kernel's plan for the sizes, of a read or a write that nobody waits for, of a copy between buffers
   or a fill of as many bytes as are there, or of a marker or a barrier, behind the wait list: one that is held back here. NULL, without an
   error, where it is Python's. */
PyObject *hold_launch(PyObject *queue, PyObject *kernel, PyObject *const *sizes, PyObject *wait_for, PyObject *command_type);
PyObject *hold_host_copy(PyObject *queue, const struct part *part, PyObject *host, int reads, PyObject *wait_for, PyObject *command_type);
PyObject *hold_device_copy(PyObject *queue, const struct part *of, const struct part *to, uint64_t size, PyObject *wait_for,
                           PyObject *command_type);
PyObject *hold_device_fill(PyObject *queue, const struct part *part, PyObject *pattern, uint64_t size, PyObject *wait_for,
                           PyObject *command_type);
PyObject *hold_place(PyObject *queue, PyObject *wait_for, PyObject *command_type);
/* Calls the hooks of a gate that has just opened; 0 with an error of one. */
int call_hooks(PyObject *gate);
int prepare_held(void);

#endif
