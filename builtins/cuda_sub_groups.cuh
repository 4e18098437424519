// Sub-group functions (6.15.20) on CUDA: a sub-group is a warp, that is 32 work-items in the order of linear local ids, the last
// one what is left of the work-group. Functions that all of a sub-group call name all lanes (those that never were count as
// having ended); the others name the lanes that are there with the caller.

namespace ocl {

__device__ uint group_size() { return blockDim.x * blockDim.y * blockDim.z; }

__device__ uint get_sub_group_id() { return (uint)get_local_linear_id() / 32; }

__device__ uint get_sub_group_local_id() {
    uint lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ uint get_num_sub_groups() { return (group_size() + 31) / 32; }

__device__ uint enqueued_group_size() {
    return (uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2));
}

__device__ uint get_max_sub_group_size() { return enqueued_group_size() < 32 ? enqueued_group_size() : 32; }

__device__ uint get_sub_group_size() {
    const uint left = group_size() - get_sub_group_id() * 32;
    return left < 32 ? left : 32;
}

__device__ uint get_enqueued_num_sub_groups() { return (enqueued_group_size() + 31) / 32; }

//: sub_group_barrier
__device__ void sub_group_barrier(uint flags, int scope = memory_scope_sub_group) {
    if (scope == memory_scope_device || scope == memory_scope_all_svm_devices) __threadfence();
    __syncwarp();
}

constexpr uint all_lanes = 0xffffffffu;

__device__ int sub_group_all(int predicate) { return __all_sync(all_lanes, predicate); }

__device__ int sub_group_any(int predicate) { return __any_sync(all_lanes, predicate); }

// -- values of other lanes ------------------------------------------------------------------------------------------------

// x of another lane (modulo 32), whatever its type: in pieces of 32 or 64 bits.
//: of_lane
template<class T> __device__ T of_lane(uint lanes, T x, uint lane) {
    if constexpr (sizeof(T) == 8) {
        return __builtin_bit_cast(T, __shfl_sync(lanes, __builtin_bit_cast(unsigned long long, x), lane));
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bit_cast(T, __shfl_sync(lanes, __builtin_bit_cast(unsigned, x), lane));
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bit_cast(T, (unsigned short)__shfl_sync(lanes, (unsigned)__builtin_bit_cast(unsigned short, x), lane));
    } else if constexpr (sizeof(T) == 1) {
        return __builtin_bit_cast(T, (unsigned char)__shfl_sync(lanes, (unsigned)__builtin_bit_cast(unsigned char, x), lane));
    } else {
        struct pieces { unsigned long long of[sizeof(T) / 8]; } y = __builtin_bit_cast(pieces, x);
        for (int i = 0; i < (int)(sizeof(T) / 8); i++) y.of[i] = __shfl_sync(lanes, y.of[i], lane);
        return __builtin_bit_cast(T, y);
    }
}

//: sub_group_broadcast
template<class T> __device__ T sub_group_broadcast(T x, uint lane) { return of_lane(all_lanes, x, lane); }

//: sub_group_non_uniform_broadcast
template<class T> __device__ T sub_group_non_uniform_broadcast(T x, uint lane) { return of_lane(__activemask(), x, lane); }

//: sub_group_broadcast_first
template<class T> __device__ T sub_group_broadcast_first(T x) {
    const uint active = __activemask();
    return of_lane(active, x, __ffs(active) - 1);
}

//: sub_group_shuffle
template<class T> __device__ T sub_group_shuffle(T x, uint index) { return of_lane(__activemask(), x, index); }

//: sub_group_shuffle_xor
template<class T> __device__ T sub_group_shuffle_xor(T x, uint mask) { return of_lane(__activemask(), x, get_sub_group_local_id() ^ mask); }

//: sub_group_shuffle_up
template<class T> __device__ T sub_group_shuffle_up(T x, uint delta) { return of_lane(__activemask(), x, get_sub_group_local_id() - delta); }

//: sub_group_shuffle_down
template<class T> __device__ T sub_group_shuffle_down(T x, uint delta) { return of_lane(__activemask(), x, get_sub_group_local_id() + delta); }

//: sub_group_rotate
template<class T> __device__ T sub_group_rotate(T x, int delta) {
    const int there = (int)get_sub_group_local_id() + delta, size = (int)get_max_sub_group_size();
    return of_lane(__activemask(), x, size == 32 ? there : (there % size + size) % size);
}

//: sub_group_clustered_rotate
template<class T> __device__ T sub_group_clustered_rotate(T x, int delta, uint clustersize) {
    const uint lane = get_sub_group_local_id(), inside = clustersize - 1;
    return of_lane(__activemask(), x, (lane & ~inside) | ((lane + delta) & inside));
}

// -- ballots and votes ----------------------------------------------------------------------------------------------------

__device__ uint4 sub_group_ballot(int predicate) { return {__ballot_sync(__activemask(), predicate), 0, 0, 0}; }

__device__ int sub_group_inverse_ballot(uint4 value) { return value.x >> get_sub_group_local_id() & 1; }

__device__ int sub_group_ballot_bit_extract(uint4 value, uint index) { return value.x >> (index & 31) & 1; }

// The bits that stand for work-items: of a work-group of fewer than 32, those alone.
__device__ uint ballot_bits(uint4 value) { return value.x & all_lanes >> (32 - get_max_sub_group_size()); }

__device__ uint sub_group_ballot_bit_count(uint4 value) { return __popc(ballot_bits(value)); }

__device__ uint sub_group_ballot_inclusive_scan(uint4 value) { return __popc(value.x & get_sub_group_le_mask().x); }

__device__ uint sub_group_ballot_exclusive_scan(uint4 value) { return __popc(value.x & get_sub_group_lt_mask().x); }

__device__ uint sub_group_ballot_find_lsb(uint4 value) { return __ffs(ballot_bits(value)) - 1; }

__device__ uint sub_group_ballot_find_msb(uint4 value) { return 31 - __clz(ballot_bits(value)); }

__device__ uint4 get_sub_group_eq_mask() { return {1u << get_sub_group_local_id(), 0, 0, 0}; }

__device__ uint4 get_sub_group_ge_mask() { return {ballot_bits({all_lanes << get_sub_group_local_id(), 0, 0, 0}), 0, 0, 0}; }

__device__ uint4 get_sub_group_gt_mask() { return {ballot_bits({all_lanes << 1 << get_sub_group_local_id(), 0, 0, 0}), 0, 0, 0}; }

__device__ uint4 get_sub_group_le_mask() { return {~(all_lanes << 1 << get_sub_group_local_id()), 0, 0, 0}; }

__device__ uint4 get_sub_group_lt_mask() { return {~(all_lanes << get_sub_group_local_id()), 0, 0, 0}; }

__device__ int sub_group_elect() { return get_sub_group_local_id() == __ffs(__activemask()) - 1; }

__device__ int sub_group_non_uniform_all(int predicate) { return __all_sync(__activemask(), predicate); }

__device__ int sub_group_non_uniform_any(int predicate) { return __any_sync(__activemask(), predicate); }

template<class T> __device__ int sub_group_non_uniform_all_equal(T x) {
    const uint active = __activemask();
    return __all_sync(active, x == of_lane(active, x, __ffs(active) - 1));
}

__device__ int sub_group_non_uniform_all_equal(half x) {
    const uint active = __activemask();
    return __all_sync(active, float_of(x) == float_of(of_lane(active, x, __ffs(active) - 1)));
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

//: sub_group_reduce
template<class Op, class T> __device__ T sub_group_reduce(Op op, T x) {
    if constexpr (requires { hardware_reduce(op, all_lanes, x); }) {
        return hardware_reduce(op, all_lanes, x);
    } else {
        const uint lane = get_sub_group_local_id(), size = get_sub_group_size();
        if (size == 32) {
            for (uint distance = 16; distance > 0; distance /= 2) x = Op::of(x, of_lane(all_lanes, x, lane ^ distance));
            return x;
        }
        for (uint distance = 16; distance > 0; distance /= 2) {
            const T other = of_lane(all_lanes, x, lane + distance);
            if (lane + distance < size) x = Op::of(x, other);
        }
        return of_lane(all_lanes, x, 0);
    }
}

//: sub_group_scan_inclusive
template<class Op, class T> __device__ T sub_group_scan_inclusive(Op, T x) {
    const uint lane = get_sub_group_local_id();
    for (uint distance = 1; distance < 32; distance *= 2) {
        const T other = of_lane(all_lanes, x, lane - distance);
        if (lane >= distance) x = Op::of(other, x);
    }
    return x;
}

// An exclusive scan from an inclusive one.
//: lane_before
template<class Op, class T> __device__ T lane_before(Op, T inclusive) {
    const uint lane = get_sub_group_local_id();
    const T other = of_lane(all_lanes, inclusive, lane - 1);
    return lane > 0 ? other : Op::template identity<T>();
}

//: sub_group_scan_exclusive
template<class Op, class T> __device__ T sub_group_scan_exclusive(Op op, T x) { return lane_before(op, sub_group_scan_inclusive(op, x)); }

// The lane of a set that is next before this one, -1 for none.
__device__ int next_below(uint set) { return 31 - __clz(set & get_sub_group_lt_mask().x); }

// Any lanes, in no pattern: each takes the value of the one before it, then of the one before those, and so on. `set` are the
// lanes that are combined, of those that are `active`.
//: scan_set
template<class Op, class T> __device__ T scan_set(Op, uint active, uint set, T x) {
    int from = next_below(set);
    for (int distance = 1; distance < 32; distance *= 2) {
        const T other = of_lane(active, x, from);
        const int further = of_lane(active, from, from);
        if (from >= 0) {
            x = Op::of(other, x);
            from = further;
        }
    }
    return x;
}

//: reduce_set
template<class Op, class T> __device__ T reduce_set(Op op, uint active, uint set, T x) {
    if constexpr (requires { hardware_reduce(op, set, x); }) return hardware_reduce(op, set, x);
    else return of_lane(active, scan_set(op, active, set, x), 31 - __clz(set));
}

//: sub_group_non_uniform_reduce
template<class Op, class T> __device__ T sub_group_non_uniform_reduce(Op op, T x) {
    const uint active = __activemask();
    return reduce_set(op, active, active, x);
}

//: sub_group_non_uniform_scan_inclusive
template<class Op, class T> __device__ T sub_group_non_uniform_scan_inclusive(Op op, T x) {
    const uint active = __activemask();
    return scan_set(op, active, active, x);
}

//: sub_group_non_uniform_scan_exclusive
template<class Op, class T> __device__ T sub_group_non_uniform_scan_exclusive(Op op, T x) {
    const uint active = __activemask();
    const int before = next_below(active);
    const T other = of_lane(active, scan_set(op, active, active, x), before);
    return before >= 0 ? other : Op::template identity<T>();
}

//: sub_group_clustered_reduce
template<class Op, class T> __device__ T sub_group_clustered_reduce(Op op, T x, uint clustersize) {
    const uint active = __activemask(), first = get_sub_group_local_id() & ~(clustersize - 1);
    return reduce_set(op, active, active & (all_lanes >> (32 - clustersize)) << first, x);
}

}  // namespace ocl
