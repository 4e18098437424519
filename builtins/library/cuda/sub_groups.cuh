// Sub-group functions (6.15.20) on CUDA: a sub-group is a warp, that is 32 work-items in the order of linear local ids, the last
// one what is left of the work-group; where a kernel requires smaller ones (cl_intel_required_subgroup_size), a tile of a warp.
// Functions that all of a sub-group call name all its lanes (those that never were count as having ended); the others name the
// lanes that are there with the caller. Lanes and their masks are the warp's, local ids and ballots the sub-group's.

namespace ocl {

// How large a kernel's sub-groups are. Each function takes it last; calls that say nothing mean whole warps.
template<uint W> struct sub_group_tile {};

__device__ uint group_size() { return blockDim.x * blockDim.y * blockDim.z; }

__device__ uint lane_of_warp() {
    uint lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

template<uint W = 32> __device__ uint get_sub_group_id(sub_group_tile<W> = {}) { return (uint)get_local_linear_id() / W; }

template<uint W = 32> __device__ uint get_sub_group_local_id(sub_group_tile<W> = {}) {
    return W == 32 ? lane_of_warp() : lane_of_warp() % W;
}

template<uint W = 32> __device__ uint get_num_sub_groups(sub_group_tile<W> = {}) { return (group_size() + W - 1) / W; }

__device__ uint enqueued_group_size() {
    return (uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2));
}

// A required size is what it says, also in a work-group that does not fill it.
template<uint W = 32> __device__ uint get_max_sub_group_size(sub_group_tile<W> = {}) {
    return W < 32 || enqueued_group_size() >= 32 ? W : enqueued_group_size();
}

// The work-group's items from the sub-group's first on.
template<uint W> __device__ uint items_left(sub_group_tile<W> tile) { return group_size() - get_sub_group_id(tile) * W; }

template<uint W = 32> __device__ uint get_sub_group_size(sub_group_tile<W> tile = {}) {
    return items_left(tile) < W ? items_left(tile) : W;
}

template<uint W = 32> __device__ uint get_enqueued_num_sub_groups(sub_group_tile<W> = {}) {
    return (enqueued_group_size() + W - 1) / W;
}

constexpr uint all_lanes = 0xffffffffu;

// The warp's lane that is the sub-group's first, then all its lanes, then those that are here with the caller.
template<uint W> __device__ uint first_lane(sub_group_tile<W>) { return W == 32 ? 0 : lane_of_warp() & (32 - W); }

template<uint W> __device__ uint own_lanes(sub_group_tile<W> tile) {
    return 0xffffffffu >> (32 - W) << first_lane(tile);
}

template<uint W> __device__ uint lanes_here(sub_group_tile<W> tile) { return __activemask() & own_lanes(tile); }

//: sub_group_barrier
template<uint W = 32> __device__ void sub_group_barrier(uint, sub_group_tile<W> tile = {}) { __syncwarp(own_lanes(tile)); }
template<uint W = 32> __device__ void sub_group_barrier(uint, int scope, sub_group_tile<W> tile = {}) {
    if (scope == memory_scope_device || scope == memory_scope_all_svm_devices) __threadfence();
    __syncwarp(own_lanes(tile));
}

template<uint W = 32> __device__ int sub_group_all(int predicate, sub_group_tile<W> tile = {}) {
    return __all_sync(own_lanes(tile), predicate);
}

template<uint W = 32> __device__ int sub_group_any(int predicate, sub_group_tile<W> tile = {}) {
    return __any_sync(own_lanes(tile), predicate);
}

// -- values of other lanes ------------------------------------------------------------------------------------------------

// x of another lane of the sub-group (modulo its size), whatever its type: in pieces of 32 or 64 bits.
//: of_lane
template<class T, uint W = 32> __device__ T of_lane(uint lanes, T x, uint lane, sub_group_tile<W> = {}) {
    if constexpr (sizeof(T) == 8) {
        return __builtin_bit_cast(T, __shfl_sync(lanes, __builtin_bit_cast(unsigned long long, x), lane, W));
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bit_cast(T, __shfl_sync(lanes, __builtin_bit_cast(unsigned, x), lane, W));
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bit_cast(T, (unsigned short)__shfl_sync(lanes, (unsigned)__builtin_bit_cast(unsigned short, x), lane, W));
    } else if constexpr (sizeof(T) == 1) {
        return __builtin_bit_cast(T, (unsigned char)__shfl_sync(lanes, (unsigned)__builtin_bit_cast(unsigned char, x), lane, W));
    } else {
        struct pieces { unsigned long long of[sizeof(T) / 8]; } y = __builtin_bit_cast(pieces, x);
        for (int i = 0; i < (int)(sizeof(T) / 8); i++) y.of[i] = __shfl_sync(lanes, y.of[i], lane, W);
        return __builtin_bit_cast(T, y);
    }
}

//: sub_group_broadcast
template<class T, uint W = 32> __device__ T sub_group_broadcast(T x, uint lane, sub_group_tile<W> tile = {}) {
    return of_lane(own_lanes(tile), x, lane, tile);
}

//: sub_group_non_uniform_broadcast
template<class T, uint W = 32> __device__ T sub_group_non_uniform_broadcast(T x, uint lane, sub_group_tile<W> tile = {}) {
    return of_lane(lanes_here(tile), x, lane, tile);
}

//: sub_group_broadcast_first
template<class T, uint W = 32> __device__ T sub_group_broadcast_first(T x, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile);
    return of_lane(active, x, __ffs(active) - 1, tile);
}

//: sub_group_shuffle
template<class T, uint W = 32> __device__ T sub_group_shuffle(T x, uint index, sub_group_tile<W> tile = {}) {
    return of_lane(lanes_here(tile), x, index, tile);
}

//: sub_group_shuffle_xor
template<class T, uint W = 32> __device__ T sub_group_shuffle_xor(T x, uint mask, sub_group_tile<W> tile = {}) {
    return of_lane(lanes_here(tile), x, lane_of_warp() ^ mask, tile);
}

//: sub_group_shuffle_up
template<class T, uint W = 32> __device__ T sub_group_shuffle_up(T x, uint delta, sub_group_tile<W> tile = {}) {
    return of_lane(lanes_here(tile), x, lane_of_warp() - delta, tile);
}

//: sub_group_shuffle_down
template<class T, uint W = 32> __device__ T sub_group_shuffle_down(T x, uint delta, sub_group_tile<W> tile = {}) {
    return of_lane(lanes_here(tile), x, lane_of_warp() + delta, tile);
}

//: sub_group_rotate
template<class T, uint W = 32> __device__ T sub_group_rotate(T x, int delta, sub_group_tile<W> tile = {}) {
    const int there = (int)lane_of_warp() + delta, size = (int)get_max_sub_group_size(tile);
    return of_lane(lanes_here(tile), x, size == W ? there : (there % size + size) % size, tile);
}

//: sub_group_clustered_rotate
template<class T, uint W = 32>
__device__ T sub_group_clustered_rotate(T x, int delta, uint clustersize, sub_group_tile<W> tile = {}) {
    const uint lane = lane_of_warp(), inside = clustersize - 1;
    return of_lane(lanes_here(tile), x, (lane & ~inside) | ((lane + delta) & inside), tile);
}

// -- ballots and votes ----------------------------------------------------------------------------------------------------

template<uint W = 32> __device__ uint4 sub_group_ballot(int predicate, sub_group_tile<W> tile = {}) {
    return {__ballot_sync(lanes_here(tile), predicate) >> first_lane(tile), 0, 0, 0};
}

template<uint W = 32> __device__ int sub_group_inverse_ballot(uint4 value, sub_group_tile<W> tile = {}) {
    return value.x >> get_sub_group_local_id(tile) & 1;
}

template<uint W = 32> __device__ int sub_group_ballot_bit_extract(uint4 value, uint index, sub_group_tile<W> = {}) {
    return value.x >> (index & 31) & 1;
}

// The bits that stand for work-items: of a work-group of fewer than 32, those alone.
template<uint W> __device__ uint ballot_bits(uint4 value, sub_group_tile<W> tile) {
    return value.x & all_lanes >> (32 - get_max_sub_group_size(tile));
}

template<uint W = 32> __device__ uint sub_group_ballot_bit_count(uint4 value, sub_group_tile<W> tile = {}) {
    return __popc(ballot_bits(value, tile));
}

template<uint W = 32> __device__ uint sub_group_ballot_inclusive_scan(uint4 value, sub_group_tile<W> tile = {}) {
    return __popc(value.x & get_sub_group_le_mask(tile).x);
}

template<uint W = 32> __device__ uint sub_group_ballot_exclusive_scan(uint4 value, sub_group_tile<W> tile = {}) {
    return __popc(value.x & get_sub_group_lt_mask(tile).x);
}

template<uint W = 32> __device__ uint sub_group_ballot_find_lsb(uint4 value, sub_group_tile<W> tile = {}) {
    return __ffs(ballot_bits(value, tile)) - 1;
}

template<uint W = 32> __device__ uint sub_group_ballot_find_msb(uint4 value, sub_group_tile<W> tile = {}) {
    return 31 - __clz(ballot_bits(value, tile));
}

template<uint W = 32> __device__ uint4 get_sub_group_eq_mask(sub_group_tile<W> tile = {}) {
    return {1u << get_sub_group_local_id(tile), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_ge_mask(sub_group_tile<W> tile = {}) {
    return {ballot_bits({all_lanes << get_sub_group_local_id(tile), 0, 0, 0}, tile), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_gt_mask(sub_group_tile<W> tile = {}) {
    return {ballot_bits({all_lanes << 1 << get_sub_group_local_id(tile), 0, 0, 0}, tile), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_le_mask(sub_group_tile<W> tile = {}) {
    return {~(all_lanes << 1 << get_sub_group_local_id(tile)), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_lt_mask(sub_group_tile<W> tile = {}) {
    return {~(all_lanes << get_sub_group_local_id(tile)), 0, 0, 0};
}

template<uint W = 32> __device__ int sub_group_elect(sub_group_tile<W> tile = {}) {
    return lane_of_warp() == __ffs(lanes_here(tile)) - 1;
}

template<uint W = 32> __device__ int sub_group_non_uniform_all(int predicate, sub_group_tile<W> tile = {}) {
    return __all_sync(lanes_here(tile), predicate);
}

template<uint W = 32> __device__ int sub_group_non_uniform_any(int predicate, sub_group_tile<W> tile = {}) {
    return __any_sync(lanes_here(tile), predicate);
}

template<class T, uint W = 32> __device__ int sub_group_non_uniform_all_equal(T x, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile);
    return __all_sync(active, x == of_lane(active, x, __ffs(active) - 1, tile));
}

template<uint W = 32> __device__ int sub_group_non_uniform_all_equal(half x, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile);
    return __all_sync(active, float_of(x) == float_of(of_lane(active, x, __ffs(active) - 1, tile)));
}

// -- reductions and scans -------------------------------------------------------------------------------------------------

// The hardware's own reduction over the lanes named.
//: hardware_reduce
#if __CUDA_ARCH__ >= 800
template<class T> concept hardware_word = sizeof(T) == 4 && T(0.5) == T(0);
template<hardware_word T> __device__ T hardware_reduce(op_add, uint lanes, T x) { return __reduce_add_sync(lanes, x); }
template<hardware_word T> __device__ T hardware_reduce(op_min, uint lanes, T x) { return __reduce_min_sync(lanes, x); }
template<hardware_word T> __device__ T hardware_reduce(op_max, uint lanes, T x) { return __reduce_max_sync(lanes, x); }
template<hardware_word T> __device__ T hardware_reduce(op_and, uint lanes, T x) { return __reduce_and_sync(lanes, (uint)x); }
template<hardware_word T> __device__ T hardware_reduce(op_or, uint lanes, T x) { return __reduce_or_sync(lanes, (uint)x); }
template<hardware_word T> __device__ T hardware_reduce(op_xor, uint lanes, T x) { return __reduce_xor_sync(lanes, (uint)x); }
#else
struct no_hardware;
__device__ void hardware_reduce(no_hardware);
#endif

// The hardware's needs the same lanes throughout the warp to be quick.
//: sub_group_reduce
template<class Op, class T, uint W = 32> __device__ T sub_group_reduce(Op op, T x, sub_group_tile<W> tile = {}) {
    if constexpr (W == 32 && requires { hardware_reduce(op, all_lanes, x); }) {
        return hardware_reduce(op, all_lanes, x);
    } else {
        const uint lane = get_sub_group_local_id(tile), own = own_lanes(tile);
        if (group_size() % W == 0) {  // the same for all: no sub-group is smaller
            for (uint distance = W / 2; distance > 0; distance /= 2) x = Op::of(x, of_lane(own, x, lane ^ distance, tile));
            return x;
        }
        const uint left = items_left(tile);
        for (uint distance = W / 2; distance > 0; distance /= 2) {
            const T other = of_lane(own, x, lane + distance, tile);
            if (lane + distance < left) x = Op::of(x, other);
        }
        return of_lane(own, x, 0, tile);
    }
}

//: sub_group_scan_inclusive
template<class Op, class T, uint W = 32> __device__ T sub_group_scan_inclusive(Op, T x, sub_group_tile<W> tile = {}) {
    const uint lane = get_sub_group_local_id(tile);
    for (uint distance = 1; distance < W; distance *= 2) {
        const T other = of_lane(own_lanes(tile), x, lane - distance, tile);
        if (lane >= distance) x = Op::of(other, x);
    }
    return x;
}

// An exclusive scan from an inclusive one.
//: lane_before
template<class Op, class T, uint W = 32> __device__ T lane_before(Op, T inclusive, sub_group_tile<W> tile = {}) {
    const uint lane = get_sub_group_local_id(tile);
    const T other = of_lane(own_lanes(tile), inclusive, lane - 1, tile);
    return lane > 0 ? other : Op::template identity<T>();
}

//: sub_group_scan_exclusive
template<class Op, class T, uint W = 32> __device__ T sub_group_scan_exclusive(Op op, T x, sub_group_tile<W> tile = {}) {
    return lane_before(op, sub_group_scan_inclusive(op, x, tile), tile);
}

// The lane of a set that is next before this one, -1 for none.
__device__ int next_below(uint set) { return 31 - __clz(set & ~(all_lanes << lane_of_warp())); }

// Any lanes, in no pattern: each takes the value of the one before it, then of the one before those, and so on. `set` are the
// lanes that are combined, of those that are `active`.
//: scan_set
template<class Op, class T, uint W> __device__ T scan_set(Op, uint active, uint set, T x, sub_group_tile<W> tile) {
    int from = next_below(set);
    for (int distance = 1; distance < W; distance *= 2) {
        const T other = of_lane(active, x, from, tile);
        const int further = of_lane(active, from, from, tile);
        if (from >= 0) {
            x = Op::of(other, x);
            from = further;
        }
    }
    return x;
}

//: reduce_set
template<class Op, class T, uint W> __device__ T reduce_set(Op op, uint active, uint set, T x, sub_group_tile<W> tile) {
    if constexpr (requires { hardware_reduce(op, set, x); }) return hardware_reduce(op, set, x);
    else return of_lane(active, scan_set(op, active, set, x, tile), 31 - __clz(set), tile);
}

//: sub_group_non_uniform_reduce
template<class Op, class T, uint W = 32> __device__ T sub_group_non_uniform_reduce(Op op, T x, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile);
    return reduce_set(op, active, active, x, tile);
}

//: sub_group_non_uniform_scan_inclusive
template<class Op, class T, uint W = 32> __device__ T sub_group_non_uniform_scan_inclusive(Op op, T x, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile);
    return scan_set(op, active, active, x, tile);
}

//: sub_group_non_uniform_scan_exclusive
template<class Op, class T, uint W = 32> __device__ T sub_group_non_uniform_scan_exclusive(Op op, T x, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile);
    const int before = next_below(active);
    const T other = of_lane(active, scan_set(op, active, active, x, tile), before, tile);
    return before >= 0 ? other : Op::template identity<T>();
}

//: sub_group_clustered_reduce
template<class Op, class T, uint W = 32>
__device__ T sub_group_clustered_reduce(Op op, T x, uint clustersize, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile), first = lane_of_warp() & ~(clustersize - 1);
    return reduce_set(op, active, active & (all_lanes >> (32 - clustersize)) << first, x, tile);
}

}  // namespace ocl
