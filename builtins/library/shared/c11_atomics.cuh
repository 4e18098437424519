// Atomic types (6.15.12.6), and the functions that are made of others the same way on both ports.

namespace ocl {

// A class of its own, so that no operator works on it; trivial, so that local memory can hold it.
template<class T> struct atomic {
    atomic() = default;
    __device__ constexpr atomic(T initial) : value(initial) {}
    T value;
};

using atomic_int = atomic<int>;
using atomic_uint = atomic<uint>;
using atomic_long = atomic<long>;
using atomic_ulong = atomic<ulong>;
using atomic_half = atomic<half>;
using atomic_float = atomic<float>;
using atomic_double = atomic<double>;
using atomic_intptr_t = atomic<intptr_t>;
using atomic_uintptr_t = atomic<uintptr_t>;
using atomic_size_t = atomic<size_t>;
using atomic_ptrdiff_t = atomic<ptrdiff_t>;
using atomic_flag = atomic<int>;

//: atomic_init
template<class T, class C> __device__ void atomic_init(volatile atomic<T>* p, C value) { *(volatile T*)p = (T)value; }
template<class C> __device__ void atomic_init(volatile atomic<half>* p, C value) { *(volatile ushort*)p = __builtin_bit_cast(ushort, value); }

//: atomic_flag_test_and_set_explicit
__device__ bool atomic_flag_test_and_set_explicit(volatile atomic<int>* p, int order, int scope = memory_scope_device) {
    return atomic_exchange_explicit(p, 1, order, scope) != 0;
}

//: atomic_flag_test_and_set
__device__ bool atomic_flag_test_and_set(volatile atomic<int>* p) { return atomic_exchange(p, 1) != 0; }

//: atomic_flag_clear_explicit
__device__ void atomic_flag_clear_explicit(volatile atomic<int>* p, int order, int scope = memory_scope_device) {
    atomic_store_explicit(p, 0, order, scope);
}

//: atomic_flag_clear
__device__ void atomic_flag_clear(volatile atomic<int>* p) { atomic_store(p, 0); }

}  // namespace ocl
