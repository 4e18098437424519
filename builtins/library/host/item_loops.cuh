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

// The innermost loop counts in `int`, which the ids' conversions to int undo, so that the compiler sees how addresses follow each other.
//: for_each_item
template<class F> __device__ void for_each_item(F body) {
    const int width = (int)in_group.local_size[0], height = (int)in_group.local_size[1], depth = (int)in_group.local_size[2];
    size_t first[3];
    for (int d = 0; d < 3; d++) first[d] = nd_range.offset[d] + in_group.group_id[d] * nd_range.local_size[d];
    size_t item = 0;
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++) {
            in_group.local_id[1] = (size_t)y;
            in_group.local_id[2] = (size_t)z;
            global_ids[1] = first[1] + (size_t)y;
            global_ids[2] = first[2] + (size_t)z;
            for (int x = 0; x < width; x++) {
                in_group.local_id[0] = (size_t)x;
                global_ids[0] = first[0] + (size_t)x;
                at_item();
                body(item + (size_t)x);
            }
            item += (size_t)width;
        }
}

// A place for each item's own; it lasts as long as the work-group.
//: item_array
template<class T> __device__ T *item_array(int items) { return (T *)::ocl_host_item_memory(sizeof(T) * (size_t)items); }

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
