// Work-group collective functions (6.15.16, 6.15.17) on the host. Each work-item leaves its value in a place of its own; the last
// one combines them all, then all meet at a barrier and take their results.

namespace ocl {

// The values of the work-group's items by linear local id, then one result for all. `arrived` counts those that are there.
//: group_exchange
struct group_exchange {
    size_t arrived;
    unsigned long long values[1];
};

// Places are alike for all types: an item that goes on to a collective of another type must not write into the result of this one,
// which the items behind it have not taken yet.
//: exchanged_values
template<class T> struct exchanged_values {
    unsigned long long *places;
    __device__ T &operator[](size_t i) const { return *(T *)(places + i); }
};

// The work-group's exchange; calls `combine(values, items)` once all values are there.
//: exchanged
template<class T, class F> __device__ exchanged_values<T> exchanged(T x, F combine) {
    group_exchange *exchange = (group_exchange *)::ocl_host_exchange();
    const exchanged_values<T> values = {exchange->values};
    const size_t items = in_group.local_size[0] * in_group.local_size[1] * in_group.local_size[2];
    values[get_local_linear_id()] = x;
    if (++exchange->arrived == items) {
        exchange->arrived = 0;
        combine(values, items);
    }
    work_group_barrier(0);
    return values;
}

// The value after all items' own is the result: until the next call's last item nobody changes it.
//: exchanged_result
template<class T, class F> __device__ T exchanged_result(T x, F combine) {
    const size_t items = in_group.local_size[0] * in_group.local_size[1] * in_group.local_size[2];
    return exchanged(x, [=](exchanged_values<T> values, size_t n) { values[n] = combine(values, n); })[items];
}

//: work_group_reduce
template<class Op, class T> __device__ T work_group_reduce(Op, T x) {
    return exchanged_result(x, [](exchanged_values<T> values, size_t n) {
        T all = values[0];
        for (size_t i = 1; i < n; i++) all = Op::of(all, values[i]);
        return all;
    });
}

//: work_group_scan_inclusive
template<class Op, class T> __device__ T work_group_scan_inclusive(Op, T x) {
    return exchanged(x, [](exchanged_values<T> values, size_t n) {
        for (size_t i = 1; i < n; i++) values[i] = Op::of(values[i - 1], values[i]);
    })[get_local_linear_id()];
}

//: work_group_scan_exclusive
template<class Op, class T> __device__ T work_group_scan_exclusive(Op, T x) {
    return exchanged(x, [](exchanged_values<T> values, size_t n) {
        T before = Op::template identity<T>();
        for (size_t i = 0; i < n; i++) {
            const T own = values[i];
            values[i] = before;
            before = Op::of(before, own);
        }
    })[get_local_linear_id()];
}

__device__ int work_group_all(int predicate) { return work_group_reduce(op_and(), predicate != 0 ? 1 : 0); }

__device__ int work_group_any(int predicate) { return work_group_reduce(op_or(), predicate != 0 ? 1 : 0); }

//: work_group_broadcast
template<class T> __device__ T work_group_broadcast(T a, size_t local_id) {
    return exchanged_result(a, [=](exchanged_values<T> values, size_t) { return values[local_id]; });
}
template<class T> __device__ T work_group_broadcast(T a, size_t x, size_t y) {
    return work_group_broadcast(a, y * in_group.local_size[0] + x);
}
template<class T> __device__ T work_group_broadcast(T a, size_t x, size_t y, size_t z) {
    return work_group_broadcast(a, (z * in_group.local_size[1] + y) * in_group.local_size[0] + x);
}

}  // namespace ocl

// This thread's place to exchange values, 8 bytes for each work-item of the group and one more (runtime/host/fibers.cpp).
//: ocl_host_exchange
extern "C" void *ocl_host_exchange(void);
