// Work-items, barriers and local memory on the host (OpenCL C 6.15.1, 6.15.8). The state that these functions read is set
// by the loops of runtime/host/launcher.cpp, which finds it by the names global_ids, in_group, nd_range and local_memory.

namespace ocl {

//: host_ids global_ids
struct host_ids {
    size_t of[3];
    __device__ size_t &operator[](uint d) { return of[d]; }
};
static thread_local host_ids global_ids;

// Its presence makes the launcher run the program by work-groups, not in rows as long as they come.
//: in_group by_group
struct host_group { host_ids local_id, group_id, local_size; };
static thread_local host_group in_group;
constexpr bool by_group = true;

//: nd_range
struct host_range { size_t work_dim; host_ids global_size, local_size, groups, offset; };
static thread_local host_range nd_range;

__device__ uint get_work_dim() { return (uint)nd_range.work_dim; }

__device__ size_t get_global_size(uint d) { return d < 3 ? nd_range.global_size[d] : 1; }

__device__ size_t get_global_id(uint d) { return d < 3 ? global_ids[d] : 0; }

__device__ size_t get_local_size(uint d) { return d < 3 ? in_group.local_size[d] : 1; }

__device__ size_t get_enqueued_local_size(uint d) { return d < 3 ? nd_range.local_size[d] : 1; }

__device__ size_t get_local_id(uint d) { return d < 3 ? in_group.local_id[d] : 0; }

__device__ size_t get_num_groups(uint d) { return d < 3 ? nd_range.groups[d] : 1; }

__device__ size_t get_group_id(uint d) { return d < 3 ? in_group.group_id[d] : 0; }

__device__ size_t get_global_offset(uint d) { return d < 3 ? nd_range.offset[d] : 0; }

__device__ size_t get_global_linear_id() {
    const size_t z = global_ids[2] - nd_range.offset[2], y = global_ids[1] - nd_range.offset[1], x = global_ids[0] - nd_range.offset[0];
    return (z * nd_range.global_size[1] + y) * nd_range.global_size[0] + x;
}

// Work-groups at the edges may be smaller than what a kernel requires.
__device__ void assume_work_group_size(uint, uint, uint) {}

__device__ size_t get_local_linear_id() {
    return (in_group.local_id[2] * in_group.local_size[1] + in_group.local_id[1]) * in_group.local_size[0] + in_group.local_id[0];
}

// The other items of the work-group run meanwhile, on this very thread, and leave their own ids in its state.
//: work_group_barrier
__device__ void work_group_barrier(uint flags) {
    if (in_group.local_size[0] * in_group.local_size[1] * in_group.local_size[2] == 1) return;
    const host_ids global_id = global_ids, local_id = in_group.local_id;
    ::ocl_host_barrier();
    global_ids = global_id;
    in_group.local_id = local_id;
}
__device__ void work_group_barrier(uint flags, int scope) { work_group_barrier(flags); }

__device__ void barrier(uint flags) { work_group_barrier(flags); }

__device__ void mem_fence(uint flags) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }

__device__ void read_mem_fence(uint flags) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

__device__ void write_mem_fence(uint flags) { __atomic_thread_fence(__ATOMIC_RELEASE); }

// This thread's, for the dynamic local memory of the work-group that it runs; aligned to 128 bytes.
//: local_memory
static thread_local unsigned char *local_memory;

// Its presence makes the launcher clear the local memory before each work-group (cl_khr_initialize_memory): all of it is dynamic.
//: zero_local_memory zeroed
constexpr bool zeroed = true;
__device__ void zero_local_memory() {}

// Its size.
//: local_bytes
static thread_local size_t local_bytes;

// For loops that end by what other work-items do: lets these, now and then. Loops that do other things, too, come by more rarely
// (runtime/host/waiting.cpp). `rounds` counts the loop's iterations.
__device__ void give_way(uint &rounds) { if ((++rounds & 63) == 0) ::ocl_host_give_way(true, rounds == 64); }
__device__ void give_way_at_times(uint &rounds) { if ((++rounds & 1023) == 0) ::ocl_host_give_way(false, rounds == 1024); }

}  // namespace ocl

// Runs the other work-items of the group until all wait, too (runtime/host/fibers.cpp).
//: ocl_host_barrier
extern "C" void ocl_host_barrier(void);

//: ocl_host_give_way
extern "C" void ocl_host_give_way(bool idle, bool begins);
