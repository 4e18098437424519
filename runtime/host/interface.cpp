// What the native runtime and every compiled kernel agree on: stands first in both. It includes nothing, since a kernel
// is compiled without any header.

namespace ocl {
namespace host {

typedef __SIZE_TYPE__ size;

// One ND-range as Python passes it: runtime/host/module.py fills it word by word in this order.
struct launch {
    size work_dim;
    size global_size[3];
    size local_size[3];
    size offset[3];
    size dynamic_local;  // bytes of local memory that one work-group needs
    void **parameters;   // CUDA's kernelParams: one pointer for each parameter of the kernel
    const char *name;    // the kernel's
};

// Runs the units first <= u < last of a launch on the calling thread. A unit is a work-item or a work-group, as the
// kernel's form has it (launcher.cpp); `local` is this thread's local memory of `dynamic_local` bytes, aligned to 128.
typedef void chunk(const launch &, size first, size last, unsigned char *local);

// Runs one work-item of the current work-group; called on that item's own stack.
typedef void body(const launch &, size index);

}
}

extern "C" {

// Spreads the units over the pool's threads and returns when all have run (pool.cpp). No piece is smaller than `grain`. Returns 0, or
// 1 if a work-item failed: the others may have run or not (faults.cpp).
int ocl_host_parallel(const ocl::host::launch *, ocl::host::size units, ocl::host::size grain, ocl::host::chunk *);

// The same for work-groups that may wait for each other: all that wait have begun, or as many as there can be (waiting.cpp).
int ocl_host_together(const ocl::host::launch *, ocl::host::size units, ocl::host::chunk *);

// Called now and then by a work-item in a loop that ends by what others do: lets them. `idle`: the loop does nothing else; `begins`: it is
// the loop's first call.
void ocl_host_give_way(bool idle, bool begins);

// Runs the work-items 0 <= i < items of one work-group such that they can meet at barriers (fibers.cpp). The ids of the running one are
// in `global_ids` and `local_ids`.
void ocl_host_group(const ocl::host::launch *, ocl::host::size items, ocl::host::body *, ocl::host::size *global_ids, ocl::host::size *local_ids);

// Called by a work-item of `ocl_host_group`: returns when every item of the group waits here too, or has ended.
void ocl_host_barrier(void);

// Called by a work-item of `ocl_host_group`: waits for others of its sub-group of `width` at the same place, with a value of at most
// 128 bytes, and returns what those have brought that met (builtins/library/host/sub_groups.cuh).
const void *ocl_host_meet(ocl::host::size item, unsigned width, int place, const void *value, ocl::host::size bytes);

// Called by a work-item of `ocl_host_group`: sleeps, in a list of its own making, until another one wakes all that are in it
// (builtins/library/host/named_barriers.cuh). An empty list is null.
void ocl_host_sleep(void **sleepers);
void ocl_host_wake(void **sleepers);
// Whether the address is on a stack of the calling thread's: its own, or a work-item's.
bool ocl_host_on_stack(const volatile void *);

// Called by kernels that are built in debug mode: where the calling thread keeps the global id of its work-item (faults.cpp).
void ocl_host_watch(const ocl::host::size *global_ids);

// Where the variables of a group's work-items are, where one function runs the whole group: memory for all until the next group
// begins (item_memory.cpp, builtins/library/host/item_loops.cuh).
void ocl_host_begin_group(void);
void *ocl_host_item_memory(ocl::host::size bytes);
void *ocl_host_unaliased(void *);

// Where the work-items of a group exchange values (builtins/library/host/groups.cuh).
void *ocl_host_exchange(void);

}
