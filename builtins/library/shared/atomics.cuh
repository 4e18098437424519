// Legacy atomic functions (6.15.12.8): relaxed, on global or local memory. CUDA's own, whose pointers are not volatile and from
// which the compiler recovers the address space. atom_ is what the cl_khr_*_int32_*_atomics extensions call them.

namespace ocl {

template<class T> __device__ T atomic_add(volatile T* p, T value) { return ::atomicAdd((T*)p, value); }
template<class T> __device__ T atomic_sub(volatile T* p, T value) { return ::atomicSub((T*)p, value); }
template<class T> __device__ T atomic_xchg(volatile T* p, T value) { return ::atomicExch((T*)p, value); }
template<class T> __device__ T atomic_min(volatile T* p, T value) { return ::atomicMin((T*)p, value); }
template<class T> __device__ T atomic_max(volatile T* p, T value) { return ::atomicMax((T*)p, value); }
template<class T> __device__ T atomic_and(volatile T* p, T value) { return ::atomicAnd((T*)p, value); }
template<class T> __device__ T atomic_or(volatile T* p, T value) { return ::atomicOr((T*)p, value); }
template<class T> __device__ T atomic_xor(volatile T* p, T value) { return ::atomicXor((T*)p, value); }
template<class T> __device__ T atomic_inc(volatile T* p) { return ::atomicAdd((T*)p, T(1)); }
template<class T> __device__ T atomic_dec(volatile T* p) { return ::atomicSub((T*)p, T(1)); }
template<class T> __device__ T atomic_cmpxchg(volatile T* p, T compare, T value) { return ::atomicCAS((T*)p, compare, value); }

template<class T> __device__ T atom_add(volatile T* p, T value) { return ::atomicAdd((T*)p, value); }
template<class T> __device__ T atom_sub(volatile T* p, T value) { return ::atomicSub((T*)p, value); }
template<class T> __device__ T atom_xchg(volatile T* p, T value) { return ::atomicExch((T*)p, value); }
template<class T> __device__ T atom_min(volatile T* p, T value) { return ::atomicMin((T*)p, value); }
template<class T> __device__ T atom_max(volatile T* p, T value) { return ::atomicMax((T*)p, value); }
template<class T> __device__ T atom_and(volatile T* p, T value) { return ::atomicAnd((T*)p, value); }
template<class T> __device__ T atom_or(volatile T* p, T value) { return ::atomicOr((T*)p, value); }
template<class T> __device__ T atom_xor(volatile T* p, T value) { return ::atomicXor((T*)p, value); }
template<class T> __device__ T atom_inc(volatile T* p) { return ::atomicAdd((T*)p, T(1)); }
template<class T> __device__ T atom_dec(volatile T* p) { return ::atomicSub((T*)p, T(1)); }
template<class T> __device__ T atom_cmpxchg(volatile T* p, T compare, T value) { return ::atomicCAS((T*)p, compare, value); }

}  // namespace ocl
