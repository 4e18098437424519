// Sub-group functions (6.15.20) on the host: 32 work-items in the order of linear local ids are a sub-group, or as many as a kernel
// requires (cl_intel_required_subgroup_size), the last one what is left of the work-group.
//
// Who calls a function waits until no item of the work-group can go on. Then those of a sub-group that wait at the same call are
// its active work-items: they see each other's values and go on. Where items of one sub-group wait at several calls, the call
// that comes first in the program goes first, so that who left the common path finds back to it. `place` is that order: macros
// number the calls (a line number would not tell two calls that a user's macro makes).

namespace ocl {

// How large a kernel's sub-groups are. Each function takes it last.
template<uint W> struct sub_group_tile {};

__device__ uint group_size() { return (uint)(in_group.local_size[0] * in_group.local_size[1] * in_group.local_size[2]); }

template<uint W = 32> __device__ uint get_sub_group_id(sub_group_tile<W> = {}) { return (uint)get_local_linear_id() / W; }

template<uint W = 32> __device__ uint get_sub_group_local_id(sub_group_tile<W> = {}) { return (uint)get_local_linear_id() % W; }

template<uint W = 32> __device__ uint get_num_sub_groups(sub_group_tile<W> = {}) { return (group_size() + W - 1) / W; }

__device__ uint enqueued_group_size() {
    return (uint)(nd_range.local_size[0] * nd_range.local_size[1] * nd_range.local_size[2]);
}

// A required size is what it says, also in a work-group that does not fill it.
template<uint W = 32> __device__ uint get_max_sub_group_size(sub_group_tile<W> = {}) {
    return W < 32 || enqueued_group_size() >= 32 ? W : enqueued_group_size();
}

template<uint W = 32> __device__ uint get_sub_group_size(sub_group_tile<W> tile = {}) {
    const uint left = group_size() - get_sub_group_id(tile) * W;
    return left < W ? left : W;
}

template<uint W = 32> __device__ uint get_enqueued_num_sub_groups(sub_group_tile<W> = {}) {
    return (enqueued_group_size() + W - 1) / W;
}

// What the items that met have brought; valid until this item meets others again.
//: sub_group_meeting
struct sub_group_meeting {
    uint active;
    struct { unsigned char bytes[128]; } values[32];
};

//: met
template<class T, uint W> struct met {
    const sub_group_meeting *meeting;
    uint lane;
    __device__ uint active() const { return meeting->active; }
    __device__ uint first() const { return __builtin_ctz(meeting->active); }
    __device__ T operator[](uint i) const {
        T value;
        __builtin_memcpy(&value, meeting->values[i % W].bytes, sizeof(T));
        return value;
    }
    // Over the active items of `set`, in order.
    template<class F> __device__ void each(uint set, F visit) const {
        for (set &= meeting->active; set != 0; set &= set - 1) visit((*this)[__builtin_ctz(set)]);
    }
};

// The other items of the work-group run meanwhile, on this very thread, and leave their own ids in its state.
//: meet
template<class T, uint W> __device__ met<T, W> meet(T x, int place, sub_group_tile<W>) {
    const host_ids global_id = global_ids, local_id = in_group.local_id;
    const size_t item = get_local_linear_id();
    const void *meeting = ::ocl_host_meet(item, W, place, &x, sizeof(T));
    global_ids = global_id;
    in_group.local_id = local_id;
    return {(const sub_group_meeting *)meeting, (uint)item % W};
}

//: sub_group_barrier
template<uint W = 32> __device__ void sub_group_barrier_at(int place, uint, sub_group_tile<W> tile = {}) { meet(0, place, tile); }
template<uint W = 32> __device__ void sub_group_barrier_at(int place, uint, int, sub_group_tile<W> tile = {}) { meet(0, place, tile); }
#define sub_group_barrier(...) sub_group_barrier_at(__COUNTER__, __VA_ARGS__)

//: sub_group_all
template<uint W = 32> __device__ int sub_group_all_at(int place, int predicate, sub_group_tile<W> tile = {}) {
    return sub_group_reduce(op_and(), predicate != 0 ? 1 : 0, place, tile);
}
#define sub_group_all(...) sub_group_all_at(__COUNTER__, __VA_ARGS__)

//: sub_group_any
template<uint W = 32> __device__ int sub_group_any_at(int place, int predicate, sub_group_tile<W> tile = {}) {
    return sub_group_reduce(op_or(), predicate != 0 ? 1 : 0, place, tile);
}
#define sub_group_any(...) sub_group_any_at(__COUNTER__, __VA_ARGS__)

// -- values of other lanes ------------------------------------------------------------------------------------------------

//: sub_group_broadcast
template<class T, uint W = 32> __device__ T sub_group_broadcast_at(int place, T x, uint lane, sub_group_tile<W> tile = {}) {
    return meet(x, place, tile)[lane];
}
#define sub_group_broadcast(...) sub_group_broadcast_at(__COUNTER__, __VA_ARGS__)

//: sub_group_non_uniform_broadcast
template<class T, uint W = 32> __device__ T sub_group_non_uniform_broadcast_at(int place, T x, uint lane, sub_group_tile<W> tile = {}) {
    return meet(x, place, tile)[lane];
}
#define sub_group_non_uniform_broadcast(...) sub_group_non_uniform_broadcast_at(__COUNTER__, __VA_ARGS__)

//: sub_group_broadcast_first
template<class T, uint W = 32> __device__ T sub_group_broadcast_first_at(int place, T x, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    return others[others.first()];
}
#define sub_group_broadcast_first(...) sub_group_broadcast_first_at(__COUNTER__, __VA_ARGS__)

//: sub_group_shuffle
template<class T, uint W = 32> __device__ T sub_group_shuffle_at(int place, T x, uint index, sub_group_tile<W> tile = {}) {
    return meet(x, place, tile)[index];
}
#define sub_group_shuffle(...) sub_group_shuffle_at(__COUNTER__, __VA_ARGS__)

//: sub_group_shuffle_xor
template<class T, uint W = 32> __device__ T sub_group_shuffle_xor_at(int place, T x, uint mask, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    return others[others.lane ^ mask];
}
#define sub_group_shuffle_xor(...) sub_group_shuffle_xor_at(__COUNTER__, __VA_ARGS__)

//: sub_group_shuffle_up
template<class T, uint W = 32> __device__ T sub_group_shuffle_up_at(int place, T x, uint delta, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    return others[others.lane - delta];
}
#define sub_group_shuffle_up(...) sub_group_shuffle_up_at(__COUNTER__, __VA_ARGS__)

//: sub_group_shuffle_down
template<class T, uint W = 32> __device__ T sub_group_shuffle_down_at(int place, T x, uint delta, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    return others[others.lane + delta];
}
#define sub_group_shuffle_down(...) sub_group_shuffle_down_at(__COUNTER__, __VA_ARGS__)

//: sub_group_rotate
template<class T, uint W = 32> __device__ T sub_group_rotate_at(int place, T x, int delta, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    const int size = (int)get_max_sub_group_size(tile);
    return others[(((int)others.lane + delta) % size + size) % size];
}
#define sub_group_rotate(...) sub_group_rotate_at(__COUNTER__, __VA_ARGS__)

//: sub_group_clustered_rotate
template<class T, uint W = 32>
__device__ T sub_group_clustered_rotate_at(int place, T x, int delta, uint clustersize, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    const uint inside = clustersize - 1;
    return others[(others.lane & ~inside) | ((others.lane + delta) & inside)];
}
#define sub_group_clustered_rotate(...) sub_group_clustered_rotate_at(__COUNTER__, __VA_ARGS__)

// -- ballots and votes ----------------------------------------------------------------------------------------------------

//: sub_group_ballot
template<uint W = 32> __device__ uint4 sub_group_ballot_at(int place, int predicate, sub_group_tile<W> tile = {}) {
    const met<int, W> others = meet(predicate, place, tile);
    uint bits = 0;
    for (uint i = 0; i < 32; i++) bits |= (uint)((others.active() >> i & 1) && others[i]) << i;
    return {bits, 0, 0, 0};
}
#define sub_group_ballot(...) sub_group_ballot_at(__COUNTER__, __VA_ARGS__)

template<uint W = 32> __device__ int sub_group_inverse_ballot(uint4 value, sub_group_tile<W> tile = {}) {
    return value.x >> get_sub_group_local_id(tile) & 1;
}

template<uint W = 32> __device__ int sub_group_ballot_bit_extract(uint4 value, uint index, sub_group_tile<W> tile = {}) {
    return value.x >> (index & 31) & 1;
}

// The bits that stand for work-items: of a work-group of fewer than 32, those alone.
template<uint W> __device__ uint ballot_bits(uint4 value, sub_group_tile<W> tile) {
    return value.x & 0xffffffffu >> (32 - get_max_sub_group_size(tile));
}

template<uint W = 32> __device__ uint sub_group_ballot_bit_count(uint4 value, sub_group_tile<W> tile = {}) {
    return __builtin_popcount(ballot_bits(value, tile));
}

template<uint W = 32> __device__ uint sub_group_ballot_inclusive_scan(uint4 value, sub_group_tile<W> tile = {}) {
    return __builtin_popcount(value.x & get_sub_group_le_mask(tile).x);
}

template<uint W = 32> __device__ uint sub_group_ballot_exclusive_scan(uint4 value, sub_group_tile<W> tile = {}) {
    return __builtin_popcount(value.x & get_sub_group_lt_mask(tile).x);
}

template<uint W = 32> __device__ uint sub_group_ballot_find_lsb(uint4 value, sub_group_tile<W> tile = {}) {
    return __builtin_ctz(ballot_bits(value, tile));
}

template<uint W = 32> __device__ uint sub_group_ballot_find_msb(uint4 value, sub_group_tile<W> tile = {}) {
    return 31 - __builtin_clz(ballot_bits(value, tile));
}

template<uint W = 32> __device__ uint4 get_sub_group_eq_mask(sub_group_tile<W> tile = {}) {
    return {1u << get_sub_group_local_id(tile), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_ge_mask(sub_group_tile<W> tile = {}) {
    return {ballot_bits({0xffffffffu << get_sub_group_local_id(tile), 0, 0, 0}, tile), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_gt_mask(sub_group_tile<W> tile = {}) {
    return {ballot_bits({0xfffffffeu << get_sub_group_local_id(tile), 0, 0, 0}, tile), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_le_mask(sub_group_tile<W> tile = {}) {
    return {~(0xfffffffeu << get_sub_group_local_id(tile)), 0, 0, 0};
}

template<uint W = 32> __device__ uint4 get_sub_group_lt_mask(sub_group_tile<W> tile = {}) {
    return {~(0xffffffffu << get_sub_group_local_id(tile)), 0, 0, 0};
}

//: sub_group_elect
template<uint W = 32> __device__ int sub_group_elect_at(int place, sub_group_tile<W> tile = {}) {
    const met<int, W> others = meet(0, place, tile);
    return others.lane == others.first();
}
#define sub_group_elect(...) sub_group_elect_at(__COUNTER__ __VA_OPT__(,) __VA_ARGS__)

//: sub_group_non_uniform_all
template<uint W = 32> __device__ int sub_group_non_uniform_all_at(int place, int predicate, sub_group_tile<W> tile = {}) {
    return sub_group_reduce(op_and(), predicate != 0 ? 1 : 0, place, tile);
}
#define sub_group_non_uniform_all(...) sub_group_non_uniform_all_at(__COUNTER__, __VA_ARGS__)

//: sub_group_non_uniform_any
template<uint W = 32> __device__ int sub_group_non_uniform_any_at(int place, int predicate, sub_group_tile<W> tile = {}) {
    return sub_group_reduce(op_or(), predicate != 0 ? 1 : 0, place, tile);
}
#define sub_group_non_uniform_any(...) sub_group_non_uniform_any_at(__COUNTER__, __VA_ARGS__)

//: sub_group_non_uniform_all_equal
template<class T, uint W = 32> __device__ int sub_group_non_uniform_all_equal_at(int place, T x, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    const T first = others[others.first()];
    int equal = 1;
    others.each(0xffffffffu, [&](T other) { equal &= other == first; });
    return equal;
}
template<uint W = 32> __device__ int sub_group_non_uniform_all_equal_at(int place, half x, sub_group_tile<W> tile = {}) {
    return sub_group_non_uniform_all_equal_at(place, float_of(x), tile);
}
#define sub_group_non_uniform_all_equal(...) sub_group_non_uniform_all_equal_at(__COUNTER__, __VA_ARGS__)

// -- reductions and scans: over whoever is active, which is everybody where all must call ------------------------------------

//: combined
template<class Op, class T, uint W> __device__ T combined(Op, const met<T, W> &others, uint set) {
    T combination = Op::template identity<T>();
    others.each(set, [&](T other) { combination = Op::of(combination, other); });
    return combination;
}

//: sub_group_reduce
template<class Op, class T, uint W = 32> __device__ T sub_group_reduce(Op op, T x, int place, sub_group_tile<W> tile = {}) {
    return combined(op, meet(x, place, tile), 0xffffffffu);
}

//: sub_group_scan_inclusive
template<class Op, class T, uint W = 32> __device__ T sub_group_scan_inclusive(Op op, T x, int place, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    return combined(op, others, ~(0xfffffffeu << others.lane));
}

//: sub_group_scan_exclusive
template<class Op, class T, uint W = 32> __device__ T sub_group_scan_exclusive(Op op, T x, int place, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    return combined(op, others, ~(0xffffffffu << others.lane));
}

//: sub_group_non_uniform_reduce
template<class Op, class T, uint W = 32> __device__ T sub_group_non_uniform_reduce(Op op, T x, int place, sub_group_tile<W> tile = {}) {
    return sub_group_reduce(op, x, place, tile);
}

//: sub_group_non_uniform_scan_inclusive
template<class Op, class T, uint W = 32>
__device__ T sub_group_non_uniform_scan_inclusive(Op op, T x, int place, sub_group_tile<W> tile = {}) {
    return sub_group_scan_inclusive(op, x, place, tile);
}

//: sub_group_non_uniform_scan_exclusive
template<class Op, class T, uint W = 32>
__device__ T sub_group_non_uniform_scan_exclusive(Op op, T x, int place, sub_group_tile<W> tile = {}) {
    return sub_group_scan_exclusive(op, x, place, tile);
}

//: sub_group_clustered_reduce
template<class Op, class T, uint W = 32>
__device__ T sub_group_clustered_reduce(Op op, T x, uint clustersize, int place, sub_group_tile<W> tile = {}) {
    const met<T, W> others = meet(x, place, tile);
    return combined(op, others, 0xffffffffu >> (32 - clustersize) << (others.lane & ~(clustersize - 1)));
}

}  // namespace ocl

// Waits at `place` for others of the work-item's sub-group (runtime/host/fibers.cpp).
//: ocl_host_meet
extern "C" const void *ocl_host_meet(size_t item, unsigned width, int place, const void *value, size_t bytes);
