/* A grid of CUDA's, as Python programs launch it here and programs in C in cl2cuda/opencl_icd/driver. */
#ifndef CL2CUDA_NATIVE_GRID_H
#define CL2CUDA_NATIVE_GRID_H

/* What cuLaunchKernel takes, as CUDA_KERNEL_NODE_PARAMS has it. */
struct grid {
    void *function;
    unsigned blocks[3], threads[3], shared_bytes;
    void **parameters, **extra;
};

typedef int grid_launcher(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra);

static inline int launch_grid(grid_launcher *launch, const struct grid *grid, void *stream)
{
    return launch(grid->function, grid->blocks[0], grid->blocks[1], grid->blocks[2], grid->threads[0], grid->threads[1], grid->threads[2],
                  grid->shared_bytes, stream, grid->parameters, grid->extra);
}

/* CUlaunchAttribute and CUlaunchConfig. */
struct launch_attribute {
    int id;
    char unused[4];
    int value;
    char rest[60];
};

struct launch_config {
    unsigned blocks[3], threads[3], shared_bytes;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned count;
};

/* cuLaunchKernelEx */
typedef int extended_launcher(const struct launch_config *config, void *function, void **parameters, void **extra);

/* A grid that waits for the one before it: it begins when the blocks of that have ended (runtime/cuda/dependent_launch.py). */
static inline int launch_dependent_grid(extended_launcher *launch, const struct grid *grid, void *stream)
{
    static const struct launch_attribute programmatic = { .id = 6 /* CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION */, .value = 1 };
    const struct launch_config config = { { grid->blocks[0], grid->blocks[1], grid->blocks[2] },
                                          { grid->threads[0], grid->threads[1], grid->threads[2] },
                                          grid->shared_bytes, stream, &programmatic, 1 };
    return launch(&config, grid->function, grid->parameters, grid->extra);
}

#endif
