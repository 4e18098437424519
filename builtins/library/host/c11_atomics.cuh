// C11 atomics (6.15.12) on the host: the compiler's, whose orders have the same numbers. Every scope is the whole machine.

namespace ocl {

//: atomic_work_item_fence
__device__ void atomic_work_item_fence(uint, int order, int) { __atomic_thread_fence(order); }

//: atomic_store atomic_store_explicit
template<class T, class C> __device__ void atomic_store_explicit(volatile atomic<T>* p, C desired, int order, int = 0) {
    T value = (T)desired;
    __atomic_store((T*)p, &value, order);
}
template<class T, class C> __device__ void atomic_store(volatile atomic<T>* p, C desired) {
    atomic_store_explicit(p, desired, __ATOMIC_SEQ_CST);
}

//: atomic_load atomic_load_explicit
template<class T> __device__ T atomic_load_explicit(volatile atomic<T>* p, int order, int = 0) {
    T value;
    __atomic_load((T*)p, &value, order);
    return value;
}
template<class T> __device__ T atomic_load(volatile atomic<T>* p) { return atomic_load_explicit(p, __ATOMIC_SEQ_CST); }

//: atomic_exchange atomic_exchange_explicit
template<class T, class C> __device__ T atomic_exchange_explicit(volatile atomic<T>* p, C desired, int order, int = 0) {
    T value = (T)desired, old;
    __atomic_exchange((T*)p, &value, &old, order);
    return old;
}
template<class T, class C> __device__ T atomic_exchange(volatile atomic<T>* p, C desired) {
    return atomic_exchange_explicit(p, desired, __ATOMIC_SEQ_CST);
}

//: compare_exchange
template<class T> __device__ bool compare_exchange(volatile atomic<T>* p, T* expected, T desired, int success, int failure) {
    return __atomic_compare_exchange((T*)p, expected, &desired, false, success, failure);
}

//: atomic_compare_exchange_strong_explicit
template<class T, class C> __device__ bool atomic_compare_exchange_strong_explicit(volatile atomic<T>* p, T* expected, C desired,
                                                                                  int success, int failure, int = 0) {
    return compare_exchange(p, expected, (T)desired, success, failure);
}

//: atomic_compare_exchange_weak_explicit
template<class T, class C> __device__ bool atomic_compare_exchange_weak_explicit(volatile atomic<T>* p, T* expected, C desired,
                                                                                int success, int failure, int = 0) {
    return compare_exchange(p, expected, (T)desired, success, failure);
}

//: atomic_compare_exchange_strong
template<class T, class C> __device__ bool atomic_compare_exchange_strong(volatile atomic<T>* p, T* expected, C desired) {
    return compare_exchange(p, expected, (T)desired, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

//: atomic_compare_exchange_weak
template<class T, class C> __device__ bool atomic_compare_exchange_weak(volatile atomic<T>* p, T* expected, C desired) {
    return compare_exchange(p, expected, (T)desired, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// atomic_fetch_key in its forms (6.15.12.7.5), by the compiler's own function.
#define OCL_FETCH(key) \
    template<class T, class M> __device__ T atomic_fetch_##key##_explicit(volatile atomic<T>* p, M operand, int order, int = 0) { \
        return __atomic_fetch_##key((T*)p, (T)operand, order); \
    } \
    template<class T, class M> __device__ T atomic_fetch_##key(volatile atomic<T>* p, M operand) { \
        return __atomic_fetch_##key((T*)p, (T)operand, __ATOMIC_SEQ_CST); \
    }

//: atomic_fetch_add atomic_fetch_add_explicit
OCL_FETCH(add)

//: atomic_fetch_sub atomic_fetch_sub_explicit
OCL_FETCH(sub)

//: atomic_fetch_or atomic_fetch_or_explicit
OCL_FETCH(or)

//: atomic_fetch_xor atomic_fetch_xor_explicit
OCL_FETCH(xor)

//: atomic_fetch_and atomic_fetch_and_explicit
OCL_FETCH(and)

// Replaces the value by `better` of it and the operand.
#define OCL_FETCH_BETTER(key, better) \
    template<class T, class M> __device__ T atomic_fetch_##key##_explicit(volatile atomic<T>* p, M operand, int order, int = 0) { \
        T old = __atomic_load_n((T*)p, __ATOMIC_RELAXED), given = (T)operand; \
        while (!__atomic_compare_exchange_n((T*)p, &old, given better old ? given : old, false, order, __ATOMIC_RELAXED)) {} \
        return old; \
    } \
    template<class T, class M> __device__ T atomic_fetch_##key(volatile atomic<T>* p, M operand) { \
        return atomic_fetch_##key##_explicit(p, operand, __ATOMIC_SEQ_CST); \
    }

//: atomic_fetch_min atomic_fetch_min_explicit
OCL_FETCH_BETTER(min, <)

//: atomic_fetch_max atomic_fetch_max_explicit
OCL_FETCH_BETTER(max, >)

}  // namespace ocl
