// Loops over the work-items of a group, for kernels that run as one function for a whole work-group (translator/ir/item_loops).

namespace ocl {

// In debug mode the ids are where a handler of faults finds them, and right at any time.
//: at_item
#ifdef OCL_WATCHED
__device__ void at_item() { asm volatile("" : : : "memory"); }
#else
__device__ void at_item() {}
#endif

__device__ int group_items() { return (int)(in_group.local_size[0] * in_group.local_size[1] * in_group.local_size[2]); }

// The ids of a work-item, where no function but the kernel asks for them: the compiler keeps them in registers, and so sees more than
// of the thread's state. In debug mode a handler of faults wants to find them there, too.
//: item_id
struct item_id { size_t local_id[3], global_id[3]; };
__device__ size_t get_local_id(uint d, const item_id &id) { return d < 3 ? id.local_id[d] : 0; }
__device__ size_t get_global_id(uint d, const item_id &id) { return d < 3 ? id.global_id[d] : 0; }
__device__ size_t get_local_linear_id(const item_id &id) {
    return (id.local_id[2] * in_group.local_size[1] + id.local_id[1]) * in_group.local_size[0] + id.local_id[0];
}
__device__ size_t get_global_linear_id(const item_id &id) {
    const size_t z = id.global_id[2] - nd_range.offset[2], y = id.global_id[1] - nd_range.offset[1], x = id.global_id[0] - nd_range.offset[0];
    return (z * nd_range.global_size[1] + y) * nd_range.global_size[0] + x;
}

__device__ void enter_item(const item_id &id) {
    for (int d = 0; d < 3; d++) {
        in_group.local_id[d] = id.local_id[d];
        global_ids[d] = id.global_id[d];
    }
    at_item();
}

// The innermost loop counts in `int`, which the ids' conversions to int undo, so that the compiler sees how addresses follow each other.
//: for_each_item_id
template<class F> __device__ void for_each_item_id(F body) {
    const int width = (int)in_group.local_size[0], height = (int)in_group.local_size[1], depth = (int)in_group.local_size[2];
    size_t first[3];
    for (int d = 0; d < 3; d++) first[d] = nd_range.offset[d] + in_group.group_id[d] * nd_range.local_size[d];
    size_t item = 0;
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                const item_id id = {{(size_t)x, (size_t)y, (size_t)z}, {first[0] + (size_t)x, first[1] + (size_t)y, first[2] + (size_t)z}};
#ifdef OCL_WATCHED
                enter_item(id);
#endif
                body(item + (size_t)x, id);
            }
            item += (size_t)width;
        }
}

//: for_each_item
template<class F> __device__ void for_each_item(F body) {
    for_each_item_id([&](size_t item, const item_id &id) __attribute__((always_inline)) {
        enter_item(id);
        body(item);
    });
}

// A place for each item's own; it lasts as long as the work-group.
//: item_array
template<class T> __device__ T *item_array(int items) {
    size_t bytes = sizeof(T) * (size_t)items;
    if constexpr (alignof(T) > 64) {
        size_t memory = (size_t)::ocl_host_item_memory(bytes + alignof(T));
        return (T *)((memory + alignof(T) - 1) / alignof(T) * alignof(T));
    }
    return (T *)::ocl_host_item_memory(bytes);
}

// A variable that is aligned more than its type.
//: aligned_item
template<class T, size_t alignment> struct __attribute__((aligned(alignment))) aligned_item { T value; };

// The same address, of memory that is used through it alone: no other pointer leads there.
//: unaliased
__device__ unsigned char *unaliased(unsigned char *memory) { return (unsigned char *)::ocl_host_unaliased(memory); }

//: item_flags
__device__ bool *item_flags(int items) {
    bool *flags = item_array<bool>(items);
    for (int i = 0; i < items; i++) flags[i] = false;
    return flags;
}

}  // namespace ocl

// Gives what it is given (runtime/host/item_memory.cpp).
//: ocl_host_unaliased
extern "C" void *ocl_host_unaliased(void *) __attribute__((malloc));

// So many bytes, aligned to 64, for the work-group that the thread runs (runtime/host/item_memory.cpp).
//: ocl_host_item_memory
extern "C" void *ocl_host_item_memory(size_t bytes) __attribute__((malloc, alloc_size(1), assume_aligned(64)));
