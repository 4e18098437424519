// Named barriers (cl_khr_subgroup_named_barrier) on the host. The work-items of a sub-group meet, and the last of them counts it as
// having arrived; who arrives before the last sub-group sleeps until that one wakes all.

namespace ocl {

struct named_barrier_t { uint sub_groups, arrived; void *sleepers; };

constexpr uint max_named_barriers = 15;

// Those of the work-group that this thread runs.
static thread_local named_barrier_t named_barriers[max_named_barriers];

static thread_local uint named_barriers_made;

// A kernel's first words, where it makes any.
__device__ void begin_named_barriers() {
    if (get_local_linear_id() == 0) named_barriers_made = 0;
}

//: named_barrier_init
template<uint W = 32> __device__ named_barrier_t *named_barrier_init(uint sub_groups, sub_group_tile<W> = {}) {
    work_group_barrier(0);
    if (named_barriers_made == max_named_barriers) __builtin_trap();
    named_barrier_t *made = named_barriers + named_barriers_made;
    work_group_barrier(0);
    if (get_local_linear_id() == 0) {
        *made = {sub_groups, 0, nullptr};
        named_barriers_made++;
    }
    work_group_barrier(0);
    return made;
}

//: work_group_named_barrier
template<uint W = 32>
__device__ void work_group_named_barrier_at(int place, named_barrier_t *barrier, uint, sub_group_tile<W> tile = {}) {
    const met<int, W> others = meet(0, place, tile);
    const bool counts = (others.active() >> others.lane) == 1;
    if (counts && ++barrier->arrived == barrier->sub_groups) {
        barrier->arrived = 0;
        ::ocl_host_wake(&barrier->sleepers);
        return;
    }
    const host_ids global_id = global_ids, local_id = in_group.local_id;
    ::ocl_host_sleep(&barrier->sleepers);
    global_ids = global_id;
    in_group.local_id = local_id;
}
template<uint W = 32>
__device__ void work_group_named_barrier_at(int place, named_barrier_t *barrier, uint flags, int, sub_group_tile<W> tile = {}) {
    work_group_named_barrier_at(place, barrier, flags, tile);
}
#define work_group_named_barrier(...) work_group_named_barrier_at(__COUNTER__, __VA_ARGS__)

}  // namespace ocl

// Lets others of the work-group run until one of them wakes all that sleep in this list (runtime/host/fibers.cpp).
//: ocl_host_sleep ocl_host_wake
extern "C" void ocl_host_sleep(void **sleepers);
extern "C" void ocl_host_wake(void **sleepers);
