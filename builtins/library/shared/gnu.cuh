// GNU C's atomic functions that OpenCL C has none for.

namespace ocl {

template<class T, class V> __device__ T fetch_nand(volatile atomic<T>* p, V value) {
    T old = atomic_load(p);
    while (!atomic_compare_exchange_strong(p, &old, T(~(old & T(value))))) {}
    return old;
}

template<class T, class V> __device__ T nand_fetch(volatile atomic<T>* p, V value) { return ~(fetch_nand(p, value) & T(value)); }

}  // namespace ocl
