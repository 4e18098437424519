/* Programs: their sources, of which Python hears when they are built or asked, and how their builds ended. */
#ifndef CL2CUDA_PROGRAMS_H
#define CL2CUDA_PROGRAMS_H

#include "origins.h"

/* CL_PROGRAM_CONTEXT and so on, CL_BUILD_IN_PROGRESS */
enum {
    PROGRAM_CONTEXT = 0x1161, PROGRAM_NUM_DEVICES, PROGRAM_DEVICES, PROGRAM_SOURCE, PROGRAM_BINARY_SIZES = 0x1165,
    PROGRAM_NUM_KERNELS = 0x1167, PROGRAM_KERNEL_NAMES = 0x1168, PROGRAM_BUILD_STATUS = 0x1181, BUILD_IN_PROGRESS = -3
};

/* How often the program was to be built, where no call is on its way that does so. */
static inline int is_at_rest(const struct object *program, uint32_t *count)
{
    uint32_t ended = __atomic_load_n(&program->builds.ended, __ATOMIC_SEQ_CST);
    *count = __atomic_load_n(&program->builds.begun, __ATOMIC_SEQ_CST);
    return *count == ended;
}

/* clCreateProgramWithSource */
void *create_program(struct entry *entry, struct object *context, uint32_t count, const void *strings, const void *lengths,
                     const void *error);

/* clCreateProgramWithBinary */
void *create_program_of_binary(struct entry *entry, struct object *context, uint32_t count, const void *devices, const void *lengths,
                               const void *binaries, const void *statuses, const void *error);

/* Of the thread: the program that Python is given to build it, and for no more. */
extern __thread struct object *program_being_built;

/* With Python's lock: that one's core. */
PyObject *core_to_build(struct object *program);

/* clBuildProgram, clCompileProgram */
int32_t build_program(struct entry *entry, struct object *program, uint32_t count, const void *devices, const void *options,
                      const void *notify, const void *user_data);
int32_t compile_program(struct entry *entry, struct object *program, uint32_t count, const void *devices, const void *options,
                        uint32_t header_count, const void *headers, const void *names, const void *notify, const void *user_data);

/* clGetProgramBuildInfo, of what is no fact, nor kept (facts.h). */
int32_t tell_build(struct entry *entry, struct object *program, struct object *device, uint32_t query, size_t room, const void *value,
                   const void *size);

/* clGetProgramInfo */
int32_t tell_program(struct entry *entry, struct object *program, uint32_t query, size_t room, const void *value, const void *size);

#endif
