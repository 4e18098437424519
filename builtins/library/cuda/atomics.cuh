// The 64-bit legacy atomics (6.15.12.9) on CUDA, which knows `unsigned long long` and `long long` only.

namespace ocl {

__device__ long atom_add(volatile long* p, long value) { return ::atomicAdd((unsigned long long*)p, value); }
__device__ ulong atom_add(volatile ulong* p, ulong value) { return ::atomicAdd((unsigned long long*)p, value); }
__device__ long atom_sub(volatile long* p, long value) { return ::atomicAdd((unsigned long long*)p, -value); }
__device__ ulong atom_sub(volatile ulong* p, ulong value) { return ::atomicAdd((unsigned long long*)p, -value); }
__device__ long atom_xchg(volatile long* p, long value) { return ::atomicExch((unsigned long long*)p, value); }
__device__ ulong atom_xchg(volatile ulong* p, ulong value) { return ::atomicExch((unsigned long long*)p, value); }
__device__ long atom_inc(volatile long* p) { return ::atomicAdd((unsigned long long*)p, 1); }
__device__ ulong atom_inc(volatile ulong* p) { return ::atomicAdd((unsigned long long*)p, 1); }
__device__ long atom_dec(volatile long* p) { return ::atomicAdd((unsigned long long*)p, -1); }
__device__ ulong atom_dec(volatile ulong* p) { return ::atomicAdd((unsigned long long*)p, -1); }
__device__ long atom_cmpxchg(volatile long* p, long compare, long value) { return ::atomicCAS((unsigned long long*)p, compare, value); }
__device__ ulong atom_cmpxchg(volatile ulong* p, ulong compare, ulong value) { return ::atomicCAS((unsigned long long*)p, compare, value); }
__device__ long atom_min(volatile long* p, long value) { return ::atomicMin((long long*)p, value); }
__device__ ulong atom_min(volatile ulong* p, ulong value) { return ::atomicMin((unsigned long long*)p, value); }
__device__ long atom_max(volatile long* p, long value) { return ::atomicMax((long long*)p, value); }
__device__ ulong atom_max(volatile ulong* p, ulong value) { return ::atomicMax((unsigned long long*)p, value); }
__device__ long atom_and(volatile long* p, long value) { return ::atomicAnd((unsigned long long*)p, value); }
__device__ ulong atom_and(volatile ulong* p, ulong value) { return ::atomicAnd((unsigned long long*)p, value); }
__device__ long atom_or(volatile long* p, long value) { return ::atomicOr((unsigned long long*)p, value); }
__device__ ulong atom_or(volatile ulong* p, ulong value) { return ::atomicOr((unsigned long long*)p, value); }
__device__ long atom_xor(volatile long* p, long value) { return ::atomicXor((unsigned long long*)p, value); }
__device__ ulong atom_xor(volatile ulong* p, ulong value) { return ::atomicXor((unsigned long long*)p, value); }

}  // namespace ocl
