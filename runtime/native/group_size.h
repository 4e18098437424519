/* Work-groups of launches whose sizes come for the first time, for programs in Python and in C (cl2cuda/opencl_icd/driver): the size
   that is chosen where the application leaves it open, as runtime/kernel/work_size.py chooses it, and what is checked of one that is
   given (runtime/commands/launch_checks.py). */
#ifndef CL2CUDA_NATIVE_GROUP_SIZE_H
#define CL2CUDA_NATIVE_GROUP_SIZE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of a kernel on a device, as launch_checks.limits_of_launches packs them: how many work-items a group may have, 0 where Python is to
   look at each size; how many there are in a sub-group; whether groups at the edges may be smaller where a size has no good divisors;
   whether the application's groups have to divide the size; the most along each dimension; the size that the kernel requires, or 0s; and how
   many bytes of local memory its arguments may have without more. Where there are functions, of a kernel without local memory, launches whose
   groups exceed the size along x are one grid all the same, of the second one (runtime/cuda/rounded_launch.py), and others of the first. */
struct launch_limits {
    uint64_t functions[2];
    uint32_t most, warp, is_gpu, may_be_uneven, is_uniform, sizes[3], required[3], local_memory;
};

/* GPU_TARGET, GPU_ROW, GPU_DEPTH and BEST of work_size.py; GRID_LIMITS and BLOCK_DEPTH of runtime/cuda/launch.py. */
enum { GPU_TARGET = 256, GPU_ROW = 32, GPU_DEPTH = 64, BEST_SCORE = 100, MOST_COLUMNS = INT32_MAX, MOST_ROWS = 65535, BLOCK_DEPTH = 64 };

static inline int may_exceed(const struct launch_limits *limits)
{
    return limits->functions[1] != 0;
}

static inline uint32_t lesser(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static inline uint32_t score_of(uint32_t divisor, uint32_t warp)
{
    uint32_t lanes = (divisor + warp - 1) / warp * warp;
    return (BEST_SCORE * divisor * lesser(divisor, 2 * warp) + lanes * warp) / (lanes * 2 * warp);
}

/* The best size of a row. */
static inline uint32_t best_divisor(uint32_t size, uint32_t limit, uint32_t most, uint32_t warp)
{
    uint32_t best = 1;
    int best_score = -1;
    for (uint32_t divisor = lesser(size, limit); divisor && best_score < BEST_SCORE; divisor--)
        if (size % divisor == 0) {
            int score = (int)score_of(divisor, warp);
            best = score > best_score ? divisor : best;
            best_score = score > best_score ? score : best_score;
        }
    for (uint32_t divisor = limit + 1; best < warp && divisor <= lesser(size, most); divisor++)
        if (size % divisor == 0)
            return divisor;
    return best;
}

static inline uint32_t largest_divisor(uint32_t size, uint32_t limit)
{
    uint32_t divisor = lesser(size, limit);
    while (divisor > 1 && size % divisor)
        divisor--;
    return divisor ? divisor : 1;
}

/* rounded of work_size.py. */
static inline void round_group(const struct launch_limits *limits, uint32_t dimensions, const uint32_t *size, uint32_t *group)
{
    const uint32_t most = lesser(GPU_TARGET, limits->most), warp = limits->warp;
    group[2] = dimensions > 2 && size[2] % 2 == 0 && 2 * warp <= most ? 2 : 1;
    group[1] = dimensions > 1 ? 8 / group[2] : 1;
    while (group[1] > 1 && (size[1] % group[1] || group[1] * group[2] * warp > most))
        group[1] /= 2;
    const uint64_t all = ((uint64_t)size[0] + warp - 1) / warp * warp, width = most / (group[1] * group[2]) / warp * warp;
    group[0] = (uint32_t)(width < all ? width : all);
}

/* is_better of work_size.py; `items` may be fewer than there are, if they are more than a group has. */
static inline int is_better(const uint32_t *rounded, const uint32_t *dividing, const uint32_t *size, uint64_t items, uint32_t warp)
{
    const uint32_t total = dividing[0] * dividing[1] * dividing[2];
    if (total == items || !rounded[0])
        return 0;
    const int is_narrow = dividing[0] < lesser(warp, size[0]);
    uint64_t lanes = (total + warp - 1) / warp * warp;
    lanes = (lanes < 2 * warp ? 2 * warp : lanes) << is_narrow;
    return ((uint64_t)size[0] + rounded[0] - 1) / rounded[0] * rounded[0] * total < size[0] * lanes;
}

/* 0 where Python is to see to groups that do not divide the size. No size is 0. */
static inline int choose_group(const struct launch_limits *limits, uint32_t dimensions, const uint32_t *size, uint32_t *group)
{
    const uint32_t target = limits->is_gpu ? lesser(GPU_TARGET, limits->most) : limits->most;
    const uint32_t row = dimensions == 1 || !limits->is_gpu ? target : lesser(target, GPU_ROW);
    uint32_t x = best_divisor(size[0], lesser(limits->sizes[0], row), limits->most, limits->warp);
    uint32_t y = dimensions > 1 ? largest_divisor(size[1], lesser(limits->sizes[1], target / x)) : 1;
    if (limits->is_gpu && dimensions > 1 && x * y < target) /* The rows are few: make them longer. */
        x = best_divisor(size[0], lesser(limits->sizes[0], target / y), limits->most / y, limits->warp);
    const uint32_t depth = limits->is_gpu ? lesser(limits->sizes[2], GPU_DEPTH) : limits->sizes[2];
    uint32_t z = dimensions > 2 ? largest_divisor(size[2], lesser(depth, target / (x * y))) : 1;
    group[0] = x;
    group[1] = y;
    group[2] = z;
    const uint64_t plane = (uint64_t)size[0] * size[1], items = plane > UINT32_MAX ? plane : plane * size[2];
    const uint64_t few = limits->warp < items ? limits->warp : items;
    if (!(limits->is_gpu && limits->may_be_uneven && x * y * z < few))
        return 1;
    uint32_t rounded[3];
    round_group(limits, dimensions, size, rounded);
    if (!may_exceed(limits) || !is_better(rounded, group, size, items, limits->warp))
        return 0;
    memcpy(group, rounded, sizeof rounded);
    return 1;
}

/* Whether Python would take the given group. */
static inline int is_allowed_group(const struct launch_limits *limits, const uint32_t *group)
{
    for (int i = 0; i < 3; i++)
        if (group[i] > limits->sizes[i] || (limits->required[0] && group[i] != limits->required[i]))
            return 0;
    return (uint64_t)group[0] * group[1] * group[2] <= limits->most;
}

/* A launch from the start, which is one grid of CUDA's: the global size, and the blocks, which are the work-groups. By `surplus` they exceed
   the size along x (runtime/cuda/rounded_launch.py). */
struct extent {
    uint32_t size[3], group[3], blocks[3], surplus;
};

/* 0 where the sizes are none of those, or Python is to look at them. `local` is NULL where the groups are left open; `known` is the
   group of a launch that was made with the limits, which needs no check. */
static inline int find_extent(struct extent *extent, const struct launch_limits *limits, uint32_t dimensions, const size_t *global,
                              const size_t *local, const uint32_t *known)
{
    static const uint32_t most[3] = { MOST_COLUMNS, MOST_ROWS, MOST_ROWS };
    const int is_given = local || limits->required[0];
    int is_known = 1;
    for (uint32_t i = 0; i < 3; i++) {
        const size_t items = i < dimensions ? global[i] : 1, group = i < dimensions && local ? local[i] : 1;
        if (!items || items > UINT32_MAX || !group || group > items)
            return 0;
        extent->size[i] = (uint32_t)items;
        extent->group[i] = (uint32_t)group;
        is_known &= group == known[i];
    }
    if (!local && limits->required[0])
        for (int i = 0; i < 3; i++)
            extent->group[i] = limits->required[i];
    else if (!local && !(limits->most && choose_group(limits, dimensions, extent->size, extent->group)))
        return 0;
    if (!(local && is_known) && !(limits->most && is_allowed_group(limits, extent->group)))
        return 0;
    for (int i = 0; i < 3; i++) {
        const int is_open = !i && may_exceed(limits) && !(is_given && limits->is_uniform);
        const uint64_t blocks = ((uint64_t)extent->size[i] + extent->group[i] - 1) / extent->group[i], items = blocks * extent->group[i];
        if ((items != extent->size[i] && !is_open) || items > UINT32_MAX || blocks > most[i])
            return 0;
        extent->blocks[i] = (uint32_t)blocks;
    }
    extent->surplus = extent->blocks[0] * extent->group[0] - extent->size[0];
    return extent->group[2] <= BLOCK_DEPTH;
}

#endif
