/* What the host may do with memory objects, and what maps and migrations of them ask for. */
#ifndef CL2CUDA_NATIVE_ACCESS_H
#define CL2CUDA_NATIVE_ACCESS_H

#include <stdint.h>

/* cl_mem_flags with which the host may not write, or not read: CL_MEM_HOST_WRITE_ONLY, _READ_ONLY, _NO_ACCESS; and CL_MEM_IMMUTABLE_EXT. */
enum { HOST_WRITES = 1 << 7 | 1 << 9, HOST_READS = 1 << 8 | 1 << 9, IMMUTABLE = 1 << 6 };

/* cl_map_flags, and whether they go together. */
enum { MAP_READ = 1 << 0, MAP_WRITE = 1 << 1, MAP_WRITE_INVALIDATE_REGION = 1 << 2, MAP_WRITES = MAP_WRITE | MAP_WRITE_INVALIDATE_REGION };

static inline int are_map_flags(uint64_t flags)
{
    return flags == MAP_WRITE_INVALIDATE_REGION || (flags && !(flags & ~(uint64_t)(MAP_READ | MAP_WRITE)));
}

/* cl_mem_migration_flags. */
enum { MIGRATE_TO_HOST = 1 << 0, MIGRATE_UNDEFINED = 1 << 1 };

static inline int are_migration_flags(uint64_t flags)
{
    return !(flags & ~(uint64_t)(MIGRATE_TO_HOST | MIGRATE_UNDEFINED));
}

/* cl_mem_flags of objects that the host may not map so. */
static inline uint64_t refused_by(uint64_t flags)
{
    return (flags & MAP_READ ? HOST_WRITES : 0) | (flags & MAP_WRITES ? HOST_READS : 0);
}

#endif
