// Work-group collective functions (6.15.16, 6.15.17) on CUDA: each warp by shuffles, then one exchange through shared memory, in
// which the first warp combines what the warps have. Sub-groups are the warps, in the order of linear local ids.

namespace ocl {

__device__ int work_group_all(int predicate) { return __syncthreads_and(predicate); }

__device__ int work_group_any(int predicate) { return __syncthreads_or(predicate); }

// The warps' own values, then what the first warp makes of them. Totals are written before a barrier, results after it and
// before another: so no call disturbs those that still read the one before.
//: group_totals group_results
__shared__ unsigned long long group_totals[32], group_results[32];

// Of so many warps each work-item reads all totals, which is quicker than a second round of shuffles.
constexpr uint few_warps = 4;

//: work_group_reduce
template<class Op, class T> __device__ T work_group_reduce(Op op, T x) {
    T* totals = (T*)group_totals;
    T* results = (T*)group_results;
    const uint warp = get_sub_group_id(), lane = get_sub_group_local_id(), warps = get_num_sub_groups();
    x = sub_group_reduce(op, x);
    if (warps == 1) return x;
    if (lane == 0) totals[warp] = x;
    __syncthreads();
    if (warps <= few_warps) {
        x = totals[0];
    #pragma unroll
        for (uint i = 1; i < few_warps; i++) if (i < warps) x = Op::of(x, totals[i]);
        __syncthreads();
        return x;
    }
    if (warp == 0) {
        T total = sub_group_reduce(op, lane < warps ? totals[lane] : Op::template identity<T>());
        if (lane == 0) results[0] = total;
    }
    __syncthreads();
    return results[0];
}

// What all warps before this one have.
//: warps_before
template<class Op, class T> __device__ T warps_before(Op op, T inclusive) {
    T* totals = (T*)group_totals;
    T* results = (T*)group_results;
    const uint warp = get_sub_group_id(), lane = get_sub_group_local_id(), warps = get_num_sub_groups();
    if (warps == 1) return Op::template identity<T>();
    if (lane == 31) totals[warp] = inclusive;  // of the last warp, which may be shorter, nobody needs it
    __syncthreads();
    if (warps <= few_warps) {
        T before = Op::template identity<T>();
    #pragma unroll
        for (uint i = 0; i + 1 < few_warps; i++) if (i < warp) before = Op::of(before, totals[i]);
        __syncthreads();
        return before;
    }
    if (warp == 0) results[lane] = sub_group_scan_exclusive(op, lane + 1 < warps ? totals[lane] : Op::template identity<T>());
    __syncthreads();
    return results[warp];
}

//: work_group_scan_inclusive
template<class Op, class T> __device__ T work_group_scan_inclusive(Op op, T x) {
    const T inclusive = sub_group_scan_inclusive(op, x);
    return Op::of(warps_before(op, inclusive), inclusive);
}

//: work_group_scan_exclusive
template<class Op, class T> __device__ T work_group_scan_exclusive(Op op, T x) {
    const T inclusive = sub_group_scan_inclusive(op, x), exclusive = lane_before(op, inclusive);
    return Op::of(warps_before(op, inclusive), exclusive);
}

//: work_group_broadcast
template<class T> __device__ T work_group_broadcast(T a, size_t local_id) {
    T* results = (T*)group_results;
    __syncthreads();
    if (get_local_linear_id() == local_id) results[0] = a;
    __syncthreads();
    return results[0];
}
template<class T> __device__ T work_group_broadcast(T a, size_t x, size_t y) { return work_group_broadcast(a, y * get_local_size(0) + x); }
template<class T> __device__ T work_group_broadcast(T a, size_t x, size_t y, size_t z) {
    return work_group_broadcast(a, (z * get_local_size(1) + y) * get_local_size(0) + x);
}

}  // namespace ocl
