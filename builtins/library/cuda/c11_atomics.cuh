// C11 atomics (6.15.12) on CUDA. Relaxed operations are CUDA's own functions. Others are made of PTX: a fence before what
// releases (as the hardware does it for atom.release, too), atom.acquire or ld.acquire for what acquires, and fence.sc before
// what is sequentially consistent. The compiler knows most pointers' state space and drops the other branches.

namespace ocl {

__device__ bool atomic_acquires(int order) { return order != memory_order_relaxed && order != memory_order_release; }

// Only the work-group sees local memory, whatever the scope is.
__device__ int atomic_scope(const volatile void* p, int scope) { return __isShared((const char*)p) ? memory_scope_work_group : scope; }

//: atomic_fence
__device__ void atomic_fence(int order, int scope) {
    if (order == memory_order_seq_cst) {
        if (scope == memory_scope_all_svm_devices) asm volatile("fence.sc.sys;" ::: "memory");
        else if (scope == memory_scope_device) asm volatile("fence.sc.gpu;" ::: "memory");
        else asm volatile("fence.sc.cta;" ::: "memory");
    } else {
        if (scope == memory_scope_all_svm_devices) asm volatile("fence.acq_rel.sys;" ::: "memory");
        else if (scope == memory_scope_device) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        else asm volatile("fence.acq_rel.cta;" ::: "memory");
    }
}

//: atomic_work_item_fence
__device__ void atomic_work_item_fence(uint flags, int order, int scope) {
    if (order != memory_order_relaxed) atomic_fence(order, flags == 1 ? memory_scope_work_group : scope);  // CLK_LOCAL_MEM_FENCE
}

// What comes before an operation so that it releases; an acquiring one that is sequentially consistent comes after all others.
__device__ void atomic_release(int order, int scope) {
    if (order != memory_order_relaxed && order != memory_order_acquire) atomic_fence(order, scope);
}

// CUDA's types of the same size: for bits, and for numbers that are compared.
//: atomic_word
template<class T> struct atomic_word;
template<> struct atomic_word<int> { typedef unsigned bits; typedef int number; };
template<> struct atomic_word<unsigned> { typedef unsigned bits; typedef unsigned number; };
template<> struct atomic_word<long> { typedef unsigned long long bits; typedef long long number; };
template<> struct atomic_word<unsigned long> { typedef unsigned long long bits; typedef unsigned long long number; };
template<> struct atomic_word<float> { typedef unsigned bits; };
template<> struct atomic_word<double> { typedef unsigned long long bits; };

// One instruction in a scope, or in that of the caller's `scope`. `letter` is the register's, "r" or "l"; operands follow.
#define OCL_PTX(name, in, arguments, letter, address, ...) \
    asm volatile(name in " %0, [%1]" arguments ";" : "=" letter(old) : address __VA_OPT__(,) __VA_ARGS__ : "memory")
#define OCL_PTX_SCOPED(name, suffix, arguments, letter, ...) \
    if (__isShared((const char*)p)) OCL_PTX(name, ".cta.shared" suffix, arguments, letter, "r"((unsigned)__cvta_generic_to_shared(p)), __VA_ARGS__); \
    else if (!__isGlobal((const char*)p)) OCL_PTX(name, ".sys" suffix, arguments, letter, "l"(p), __VA_ARGS__); \
    else if (scope == 3) OCL_PTX(name, ".sys.global" suffix, arguments, letter, "l"(__cvta_generic_to_global(p)), __VA_ARGS__); \
    else if (scope == 2) OCL_PTX(name, ".gpu.global" suffix, arguments, letter, "l"(__cvta_generic_to_global(p)), __VA_ARGS__); \
    else OCL_PTX(name, ".cta.global" suffix, arguments, letter, "l"(__cvta_generic_to_global(p)), __VA_ARGS__)

#define OCL_ACQUIRING(name, T, letter, suffix) \
    __device__ T name(T* p, T value, int scope) { \
        T old; \
        OCL_PTX_SCOPED("atom.acquire", suffix, ", %2", letter, letter(value)); \
        return old; \
    }

//: acquiring_add
OCL_ACQUIRING(acquiring_add, unsigned, "r", ".add.u32")
OCL_ACQUIRING(acquiring_add, unsigned long long, "l", ".add.u64")

//: acquiring_and
OCL_ACQUIRING(acquiring_and, unsigned, "r", ".and.b32")
OCL_ACQUIRING(acquiring_and, unsigned long long, "l", ".and.b64")

//: acquiring_or
OCL_ACQUIRING(acquiring_or, unsigned, "r", ".or.b32")
OCL_ACQUIRING(acquiring_or, unsigned long long, "l", ".or.b64")

//: acquiring_xor
OCL_ACQUIRING(acquiring_xor, unsigned, "r", ".xor.b32")
OCL_ACQUIRING(acquiring_xor, unsigned long long, "l", ".xor.b64")

//: acquiring_exchange
OCL_ACQUIRING(acquiring_exchange, unsigned, "r", ".exch.b32")
OCL_ACQUIRING(acquiring_exchange, unsigned long long, "l", ".exch.b64")

//: acquiring_min
OCL_ACQUIRING(acquiring_min, int, "r", ".min.s32")
OCL_ACQUIRING(acquiring_min, unsigned, "r", ".min.u32")
OCL_ACQUIRING(acquiring_min, long long, "l", ".min.s64")
OCL_ACQUIRING(acquiring_min, unsigned long long, "l", ".min.u64")

//: acquiring_max
OCL_ACQUIRING(acquiring_max, int, "r", ".max.s32")
OCL_ACQUIRING(acquiring_max, unsigned, "r", ".max.u32")
OCL_ACQUIRING(acquiring_max, long long, "l", ".max.s64")
OCL_ACQUIRING(acquiring_max, unsigned long long, "l", ".max.u64")

//: acquiring_compare_exchange
#define OCL_ACQUIRING_CAS(T, letter, suffix) \
    __device__ T acquiring_compare_exchange(T* p, T compare, T value, int scope) { \
        T old; \
        OCL_PTX_SCOPED("atom.acquire", suffix, ", %2, %3", letter, letter(compare), letter(value)); \
        return old; \
    }
OCL_ACQUIRING_CAS(unsigned, "r", ".cas.b32")
OCL_ACQUIRING_CAS(unsigned long long, "l", ".cas.b64")

//: acquiring_load
#define OCL_ACQUIRING_LOAD(T, letter, suffix) \
    __device__ T acquiring_load(T* p, int scope) { \
        T old; \
        OCL_PTX_SCOPED("ld.acquire", suffix, "", letter); \
        return old; \
    }
OCL_ACQUIRING_LOAD(unsigned, "r", ".b32")
OCL_ACQUIRING_LOAD(unsigned long long, "l", ".b64")

//: atomic_store atomic_store_explicit
template<class T, class C> __device__ void atomic_store_explicit(volatile atomic<T>* p, C desired, int order, int scope = memory_scope_device) {
    atomic_release(order, atomic_scope(p, scope));
    *(volatile T*)p = (T)desired;
}
template<class T, class C> __device__ void atomic_store(volatile atomic<T>* p, C desired) {
    atomic_store_explicit(p, desired, memory_order_seq_cst);
}

//: atomic_load atomic_load_explicit
template<class T> __device__ T atomic_load_explicit(volatile atomic<T>* p, int order, int scope = memory_scope_device) {
    typedef typename atomic_word<T>::bits bits;
    scope = atomic_scope(p, scope);
    if (order == memory_order_seq_cst) atomic_fence(order, scope);
    return order == memory_order_relaxed ? *(volatile T*)p : __builtin_bit_cast(T, acquiring_load((bits*)p, scope));
}
template<class T> __device__ T atomic_load(volatile atomic<T>* p) { return atomic_load_explicit(p, memory_order_seq_cst); }

// atomic_fetch_key in its forms (6.15.12.7.5): `relaxed` is CUDA's function for it, `as` the type that both take. Relaxed
// operations of other scopes than the whole machine are as cheap for the device.
#define OCL_READ_MODIFY_WRITE(name, relaxed, acquiring, as, given) \
    template<class T, class M> __device__ T name##_explicit(volatile atomic<T>* p, M operand, int order, int scope = memory_scope_device) { \
        typedef typename atomic_word<T>::as word; \
        const word value = given; \
        scope = atomic_scope(p, scope); \
        atomic_release(order, scope); \
        const bool plain = !atomic_acquires(order) && scope != memory_scope_all_svm_devices; \
        return __builtin_bit_cast(T, plain ? relaxed((word*)p, value) : acquiring((word*)p, value, scope)); \
    } \
    template<class T, class M> __device__ T name(volatile atomic<T>* p, M operand) { \
        return name##_explicit(p, operand, memory_order_seq_cst); \
    }

//: atomic_exchange atomic_exchange_explicit
OCL_READ_MODIFY_WRITE(atomic_exchange, ::atomicExch, acquiring_exchange, bits, __builtin_bit_cast(word, (T)operand))

//: atomic_fetch_add atomic_fetch_add_explicit
OCL_READ_MODIFY_WRITE(atomic_fetch_add, ::atomicAdd, acquiring_add, bits, (word)(T)operand)

//: atomic_fetch_sub atomic_fetch_sub_explicit
OCL_READ_MODIFY_WRITE(atomic_fetch_sub, ::atomicAdd, acquiring_add, bits, -(word)(T)operand)

//: atomic_fetch_or atomic_fetch_or_explicit
OCL_READ_MODIFY_WRITE(atomic_fetch_or, ::atomicOr, acquiring_or, bits, (word)(T)operand)

//: atomic_fetch_xor atomic_fetch_xor_explicit
OCL_READ_MODIFY_WRITE(atomic_fetch_xor, ::atomicXor, acquiring_xor, bits, (word)(T)operand)

//: atomic_fetch_and atomic_fetch_and_explicit
OCL_READ_MODIFY_WRITE(atomic_fetch_and, ::atomicAnd, acquiring_and, bits, (word)(T)operand)

//: atomic_fetch_min atomic_fetch_min_explicit
OCL_READ_MODIFY_WRITE(atomic_fetch_min, ::atomicMin, acquiring_min, number, (word)(T)operand)

//: atomic_fetch_max atomic_fetch_max_explicit
OCL_READ_MODIFY_WRITE(atomic_fetch_max, ::atomicMax, acquiring_max, number, (word)(T)operand)

//: compare_exchange
template<class T> __device__ bool compare_exchange(volatile atomic<T>* p, T* expected, T desired, int success, int failure, int scope) {
    typedef typename atomic_word<T>::bits bits;
    const bits wanted = __builtin_bit_cast(bits, *expected), value = __builtin_bit_cast(bits, desired);
    scope = atomic_scope(p, scope);
    atomic_release(success, scope);
    const bool plain = !atomic_acquires(success) && !atomic_acquires(failure) && scope != memory_scope_all_svm_devices;
    const bits old = plain ? ::atomicCAS((bits*)p, wanted, value) : acquiring_compare_exchange((bits*)p, wanted, value, scope);
    if (old == wanted) return true;
    *expected = __builtin_bit_cast(T, old);
    return false;
}

//: atomic_compare_exchange_strong_explicit
template<class T, class C> __device__ bool atomic_compare_exchange_strong_explicit(volatile atomic<T>* p, T* expected, C desired, int success,
                                                                                  int failure, int scope = memory_scope_device) {
    return compare_exchange(p, expected, (T)desired, success, failure, scope);
}

//: atomic_compare_exchange_weak_explicit
template<class T, class C> __device__ bool atomic_compare_exchange_weak_explicit(volatile atomic<T>* p, T* expected, C desired, int success,
                                                                                int failure, int scope = memory_scope_device) {
    return compare_exchange(p, expected, (T)desired, success, failure, scope);
}

//: atomic_compare_exchange_strong
template<class T, class C> __device__ bool atomic_compare_exchange_strong(volatile atomic<T>* p, T* expected, C desired) {
    return compare_exchange(p, expected, (T)desired, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device);
}

//: atomic_compare_exchange_weak
template<class T, class C> __device__ bool atomic_compare_exchange_weak(volatile atomic<T>* p, T* expected, C desired) {
    return compare_exchange(p, expected, (T)desired, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device);
}

}  // namespace ocl
