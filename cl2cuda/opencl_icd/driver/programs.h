/* Programs: their sources, of which Python hears when they are built or asked, and how their builds ended. */
#ifndef CL2CUDA_PROGRAMS_H
#define CL2CUDA_PROGRAMS_H

#include "calls.h"

/* The package's function that makes a program of its source. */
extern PyObject *program_of;

/* How often the program was to be built, where no call is on its way that does so. */
int is_at_rest(const struct object *program, uint32_t *count);

/* clCreateProgramWithSource */
void *create_program(struct entry *entry, struct object *context, uint32_t count, const void *strings, const void *lengths,
                     const void *error);

/* clBuildProgram, clCompileProgram */
int32_t build_program(struct entry *entry, struct object *program, uint32_t count, const void *devices, const void *options,
                      const void *notify, const void *user_data);
int32_t compile_program(struct entry *entry, struct object *program, uint32_t count, const void *devices, const void *options,
                        uint32_t header_count, const void *headers, const void *names, const void *notify, const void *user_data);

/* clGetProgramBuildInfo */
int32_t tell_build(struct entry *entry, struct object *program, struct object *device, uint32_t query, size_t room, const void *value,
                   const void *size);

/* clGetProgramInfo */
int32_t tell_program(struct entry *entry, struct object *program, uint32_t query, size_t room, const void *value, const void *size);

#endif
