// CUDA's atomics for the host, relaxed like them.

template<class T> __device__ T atomicAdd(T* p, T value) { return __atomic_fetch_add(p, value, __ATOMIC_RELAXED); }
template<class T> __device__ T atomicSub(T* p, T value) { return __atomic_fetch_sub(p, value, __ATOMIC_RELAXED); }
template<class T> __device__ T atomicAnd(T* p, T value) { return __atomic_fetch_and(p, value, __ATOMIC_RELAXED); }
template<class T> __device__ T atomicOr(T* p, T value) { return __atomic_fetch_or(p, value, __ATOMIC_RELAXED); }
template<class T> __device__ T atomicXor(T* p, T value) { return __atomic_fetch_xor(p, value, __ATOMIC_RELAXED); }

template<class T> __device__ T atomicExch(T* p, T value) {
    T old;
    __atomic_exchange(p, &value, &old, __ATOMIC_RELAXED);
    return old;
}

template<class T> __device__ T atomicCAS(T* p, T compare, T value) {
    __atomic_compare_exchange_n(p, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return compare;
}

template<class T> __device__ T atomicMin(T* p, T value) {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}

template<class T> __device__ T atomicMax(T* p, T value) {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (old < value && !__atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
