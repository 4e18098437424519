// Named barriers (cl_khr_subgroup_named_barrier) on CUDA: those of the hardware but its first, which is the work-group's own. They
// count whole warps; smaller sub-groups, of which a warp holds several, count themselves in shared memory.

namespace ocl {

struct named_barrier_t { uint id, sub_groups, arrived, turn; };

constexpr uint max_named_barriers = 15;

__shared__ named_barrier_t named_barriers[max_named_barriers];

__shared__ uint named_barriers_made;

// A kernel's first words, where it makes any.
__device__ void begin_named_barriers() {
    if (get_local_linear_id() == 0) named_barriers_made = 0;
}

//: named_barrier_init
template<uint W = 32> __device__ named_barrier_t* named_barrier_init(uint sub_groups, sub_group_tile<W> = {}) {
    __syncthreads();
    if (named_barriers_made == max_named_barriers) __trap();
    named_barrier_t* made = named_barriers + named_barriers_made;
    __syncthreads();
    if (get_local_linear_id() == 0) *made = {++named_barriers_made, sub_groups, 0, 0};
    __syncthreads();
    return made;
}

//: wait_for_sub_groups
template<uint W> __device__ void wait_for_sub_groups(named_barrier_t* barrier, sub_group_tile<W> tile) {
    if constexpr (W == 32) {
        asm volatile("barrier.sync %0, %1;" : : "r"(barrier->id), "r"(32 * barrier->sub_groups) : "memory");
        return;
    }
    __syncwarp(own_lanes(tile));
    if (lane_of_warp() == first_lane(tile)) {
        volatile uint* turn = &barrier->turn;
        const uint own_turn = *turn;
        __threadfence_block();
        if (atomicAdd(&barrier->arrived, 1u) + 1 == barrier->sub_groups) {
            barrier->arrived = 0;
            __threadfence_block();
            *turn = own_turn + 1;
        } else {
            while (*turn == own_turn) {}
        }
        __threadfence_block();
    }
    __syncwarp(own_lanes(tile));
}

//: work_group_named_barrier
template<uint W = 32> __device__ void work_group_named_barrier(named_barrier_t* barrier, uint, sub_group_tile<W> tile = {}) {
    wait_for_sub_groups(barrier, tile);
}
template<uint W = 32>
__device__ void work_group_named_barrier(named_barrier_t* barrier, uint, int scope, sub_group_tile<W> tile = {}) {
    if (scope == memory_scope_device || scope == memory_scope_all_svm_devices) __threadfence();
    wait_for_sub_groups(barrier, tile);
}

}  // namespace ocl
