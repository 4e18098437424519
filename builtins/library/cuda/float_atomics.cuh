// Floating-point atomics (cl_ext_float_atomics) on CUDA. Additions are the hardware's, but where that would flush subnormal floats; minima
// and maxima are those of the integers with the same order; what the hardware lacks is made with compare-and-swap. Fences
// around an operation order it, as with the other C11 atomics.

namespace ocl {

// CUDA's types of the same size: for bits, and, where there are minima of them, for numbers that are compared.
//: float_word
template<class T> struct float_word;
template<> struct float_word<half> { typedef unsigned short bits; };
template<> struct float_word<float> { typedef unsigned bits; typedef int number; };
template<> struct float_word<double> { typedef unsigned long long bits; typedef long long number; };

// CUDA has no compare-and-swap of 16 bits that the whole machine sees.
//: swap_if_equal
template<class B> __device__ B swap_if_equal(B* p, B expected, B desired, int scope) {
    return scope == memory_scope_all_svm_devices ? ::atomicCAS_system(p, expected, desired) : ::atomicCAS(p, expected, desired);
}
__device__ unsigned short swap_if_equal(unsigned short* p, unsigned short expected, unsigned short desired, int scope) {
    if (scope != memory_scope_all_svm_devices) return ::atomicCAS(p, expected, desired);
    unsigned short old;
    asm volatile("atom.relaxed.sys.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(expected), "h"(desired) : "memory");
    return old;
}

// Atomically replaces the value by `update` of it; returns the one before.
//: float_update
template<class T, class F> __device__ T float_update(volatile atomic<T>* p, int scope, F update) {
    typedef typename float_word<T>::bits bits;
    bits *place = (bits*)p, old = *(volatile bits*)place, expected;
    do {
        expected = old;
        old = swap_if_equal(place, expected, __builtin_bit_cast(bits, update(__builtin_bit_cast(T, expected))), scope);
    } while (old != expected);
    return __builtin_bit_cast(T, old);
}

// `operation` of the scope, between the fences that its order asks for.
//: float_ordered
template<class T, class F> __device__ T float_ordered(volatile atomic<T>* p, int order, int scope, F operation) {
    scope = atomic_scope(p, scope);
    atomic_release(order, scope);
    const T old = operation(scope);
    if (atomic_acquires(order)) atomic_fence(memory_order_acq_rel, scope);
    return old;
}

//: hardware_add
template<class T> __device__ T hardware_add(T* p, T operand, int scope) {
    return scope == memory_scope_all_svm_devices ? ::atomicAdd_system(p, operand) : ::atomicAdd(p, operand);
}
__device__ half hardware_add(half* p, half operand, int scope) {
    half old;
    if (scope == memory_scope_all_svm_devices)
        asm volatile("atom.relaxed.sys.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(p), "h"(operand.bits) : "memory");
    else
        asm volatile("atom.relaxed.gpu.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(p), "h"(operand.bits) : "memory");
    return old;
}

// The hardware flushes subnormal floats in global memory. They come up, in memory or as the sum, beside a small operand alone: 2^-100 is
// so large that a subnormal number in memory changes no sum with it, and that what is left of it is no subnormal number. A sum with zero
// is what has been there, but that -0 + 0 is 0.
//: exact_add
template<class T> __device__ T exact_add(volatile atomic<T>* p, T operand, int scope) { return hardware_add((T*)p, operand, scope); }
__device__ float exact_add(volatile atomic<float>* p, float operand, int scope) {
    if (!(::fabsf(operand) < 0x1p-100f)) return hardware_add((float*)p, operand, scope);
    if (operand == 0.0f) return __builtin_bit_cast(float, swap_if_equal((unsigned*)p, 1u << 31, __builtin_bit_cast(unsigned, operand), scope));
    return float_update(p, scope, [=](float now) { return now + operand; });
}
// The hardware makes one NaN of all, 0x7fff. Processors keep an operand's sign and payload, and so does this: a NaN stays one whatever else
// is added meanwhile.
__device__ half exact_add(volatile atomic<half>* p, half operand, int scope) {
    const half old = hardware_add((half*)p, operand, scope);
    const int first = old.bits & 0x7fff, second = operand.bits & 0x7fff, infinite = 0x7c00;
    if (first >= infinite || second >= infinite) {
        const bool opposed = first == infinite && second == infinite && old.bits != operand.bits;
        if (first > infinite || second > infinite || opposed)
            swap_if_equal((unsigned short*)p, 0x7fff, opposed ? 0xfe00 : (first > infinite ? old.bits : operand.bits) | 0x200, scope);
    }
    return old;
}

// Whether fmin or fmax keeps the first: "if one argument is a NaN, returns the other argument".
//: keeps_first
template<bool least, class T> __device__ bool keeps_first(T x, T y) { return y != y || (least ? x <= y : x >= y); }
template<bool least> __device__ bool keeps_first(half x, half y) { return keeps_first<least>(float_of(x), float_of(y)); }

// Floats without a sign are ordered as their bits are as signed integers, those with one the other way round as unsigned integers.
// An operand that is a NaN becomes the one that changes nothing. A NaN in memory that wins as an integer is replaced afterwards.
//: hardware_extreme
template<bool least, class T> __device__ T hardware_extreme(volatile atomic<T>* p, T operand, int scope) {
    if constexpr (sizeof(T) > 2) {
        typedef typename float_word<T>::number number;
        typedef typename float_word<T>::bits bits;
        const number given = operand == operand ? __builtin_bit_cast(number, operand) : least ? number(~bits(0) >> 1) : number(-1);
        const bool system = scope == memory_scope_all_svm_devices;
        number old;
        if (given >= 0 && least) old = system ? ::atomicMin_system((number*)p, given) : ::atomicMin((number*)p, given);
        else if (given >= 0) old = system ? ::atomicMax_system((number*)p, given) : ::atomicMax((number*)p, given);
        else if (least) old = system ? ::atomicMax_system((bits*)p, (bits)given) : ::atomicMax((bits*)p, (bits)given);
        else old = system ? ::atomicMin_system((bits*)p, (bits)given) : ::atomicMin((bits*)p, (bits)given);
        const T before = __builtin_bit_cast(T, old);
        if (before == before || (old < 0) != least || operand != operand) return before;
    }
    return float_update(p, scope, [=](T now) { return keeps_first<least>(now, operand) ? now : operand; });
}

//: float_fetch_add_explicit
template<class T> __device__ T float_fetch_add_explicit(volatile atomic<T>* p, T operand, int order, int scope = memory_scope_device) {
    return float_ordered(p, order, scope, [=](int wide) { return exact_add(p, operand, wide); });
}

//: float_fetch_min_explicit
template<class T> __device__ T float_fetch_min_explicit(volatile atomic<T>* p, T operand, int order, int scope = memory_scope_device) {
    return float_ordered(p, order, scope, [=](int wide) { return hardware_extreme<true>(p, operand, wide); });
}

//: float_fetch_max_explicit
template<class T> __device__ T float_fetch_max_explicit(volatile atomic<T>* p, T operand, int order, int scope = memory_scope_device) {
    return float_ordered(p, order, scope, [=](int wide) { return hardware_extreme<false>(p, operand, wide); });
}

//: half_store_explicit
__device__ void half_store_explicit(volatile atomic<half>* p, half desired, int order, int scope = memory_scope_device) {
    atomic_release(order, atomic_scope(p, scope));
    *(volatile ushort*)p = desired.bits;
}

//: half_load_explicit
__device__ half half_load_explicit(volatile atomic<half>* p, int order, int scope = memory_scope_device) {
    scope = atomic_scope(p, scope);
    if (order == memory_order_seq_cst) atomic_fence(order, scope);
    const half value = {*(volatile ushort*)p};
    if (order != memory_order_relaxed) atomic_fence(memory_order_acq_rel, scope);
    return value;
}

// CUDA exchanges no 16 bits, and threads that swap at one place make each other try again: those of a warp do so as one. They exchange in
// the order of their lanes: the first swaps for what the last one brings, the others find what the one before them brought. The barriers
// pass on what each has done before, and what the first one has acquired.
//: half_exchange_explicit
__device__ half half_exchange_explicit(volatile atomic<half>* p, half desired, int order, int scope = memory_scope_device) {
    unsigned lower;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
    const unsigned together = __match_any_sync(__activemask(), (unsigned long long)p), before = together & lower;
    const half last = {(unsigned short)__shfl_sync(together, (unsigned)desired.bits, 31 - __clz(together))};
    const half previous = {(unsigned short)__shfl_sync(together, (unsigned)desired.bits, 31 - __clz(before ? before : together))};
    __syncwarp(together);
    const half old = float_ordered(p, order, scope, [=](int wide) {
        return before ? previous : float_update(p, wide, [=](half) { return last; });
    });
    __syncwarp(together);
    return old;
}

}  // namespace ocl
