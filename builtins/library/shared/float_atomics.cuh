// The forms of floating-point atomics (cl_ext_float_atomics) that are made of others on both ports.

namespace ocl {

//: negated
template<class T> __device__ T negated(T x) { return -x; }
__device__ half negated(half x) { return {ushort(x.bits ^ 0x8000)}; }

//: float_fetch_sub_explicit
template<class T> __device__ T float_fetch_sub_explicit(volatile atomic<T>* p, T operand, int order, int scope = memory_scope_device) {
    return float_fetch_add_explicit(p, negated(operand), order, scope);
}

//: float_fetch_add
template<class T> __device__ T float_fetch_add(volatile atomic<T>* p, T operand) {
    return float_fetch_add_explicit(p, operand, memory_order_seq_cst);
}

//: float_fetch_sub
template<class T> __device__ T float_fetch_sub(volatile atomic<T>* p, T operand) {
    return float_fetch_sub_explicit(p, operand, memory_order_seq_cst);
}

//: float_fetch_min
template<class T> __device__ T float_fetch_min(volatile atomic<T>* p, T operand) {
    return float_fetch_min_explicit(p, operand, memory_order_seq_cst);
}

//: float_fetch_max
template<class T> __device__ T float_fetch_max(volatile atomic<T>* p, T operand) {
    return float_fetch_max_explicit(p, operand, memory_order_seq_cst);
}

//: half_store
__device__ void half_store(volatile atomic<half>* p, half desired) { half_store_explicit(p, desired, memory_order_seq_cst); }

//: half_load
__device__ half half_load(volatile atomic<half>* p) { return half_load_explicit(p, memory_order_seq_cst); }

//: half_exchange
__device__ half half_exchange(volatile atomic<half>* p, half desired) {
    return half_exchange_explicit(p, desired, memory_order_seq_cst);
}

}  // namespace ocl
