// Address space qualifier functions (6.15.10) on CUDA: what neither all work-items nor a work-group share is private.

namespace ocl {

template<class T> __device__ T* to_global(T* p) { return __isGlobal((const char*)p) ? p : nullptr; }

template<class T> __device__ T* to_local(T* p) { return __isShared((const char*)p) ? p : nullptr; }

template<class T> __device__ T* to_private(T* p) { return __isGlobal((const char*)p) || __isShared((const char*)p) ? nullptr : p; }

// CLK_LOCAL_MEM_FENCE or CLK_GLOBAL_MEM_FENCE; for private memory any will do.
template<class T> __device__ uint get_fence(T* p) { return __isShared((const char*)p) ? 1 : 2; }

}  // namespace ocl
