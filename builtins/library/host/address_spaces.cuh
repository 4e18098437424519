// Address space qualifier functions (6.15.10) on the host. A program that asks has all its local memory in one piece; private memory
// is on a stack.

namespace ocl {

__device__ bool is_local(const volatile void* p) { return (size_t)p - (size_t)local_memory < local_bytes; }

__device__ bool is_private(const volatile void* p) { return ::ocl_host_on_stack(p); }

template<class T> __device__ T* to_global(T* p) { return is_local(p) || is_private(p) ? nullptr : p; }

template<class T> __device__ T* to_local(T* p) { return is_local(p) ? p : nullptr; }

template<class T> __device__ T* to_private(T* p) { return is_private(p) ? p : nullptr; }

// CLK_LOCAL_MEM_FENCE or CLK_GLOBAL_MEM_FENCE; for private memory any will do.
template<class T> __device__ uint get_fence(T* p) { return is_local(p) ? 1 : 2; }

}  // namespace ocl

// Whether the address is on a stack of this thread's (runtime/host/fibers.cpp).
//: ocl_host_on_stack
extern "C" bool ocl_host_on_stack(const volatile void*);
