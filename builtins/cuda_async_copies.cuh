// Async copies (6.15.11) on CUDA: the work-items share the elements, neighbours next to each other. From global to local memory
// the hardware copies by itself (cp.async), in pieces of 4, 8 or 16 bytes. wait_group_events waits for all copies.

namespace ocl {

using event_t = size_t;

//: async_lanes
__device__ size_t async_lanes() { return blockDim.x * blockDim.y * blockDim.z; }

// One element; the hardware's copy takes no registers and does not wait.
//: async_element
template<class T> __device__ void async_element(T* dst, const T* src) {
    constexpr int piece = sizeof(T) % 16 == 0 ? 16 : sizeof(T);
    #if __CUDA_ARCH__ >= 800
    if constexpr (piece == 4 || piece == 8 || piece == 16) {
        // As bytes, since NVRTC 13.0 makes invalid code of other pointers here.
        if (__isShared((char*)dst) && __isGlobal((const char*)src)) {
            for (int at = 0; at < (int)sizeof(T); at += piece)
                asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared((char*)dst + at)),
                             "l"(__cvta_generic_to_global((const char*)src + at)), "n"(piece) : "memory");
            return;
        }
    }
    #endif
    *dst = *src;
}

//: async_work_group_copy
template<class T> __device__ event_t async_work_group_copy(T* dst, const T* src, size_t count, event_t event) {
    for (size_t i = get_local_linear_id(); i < count; i += async_lanes()) async_element(dst + i, src + i);
    return event ? event : 1;
}

//: async_work_group_gather
template<class T> __device__ event_t async_work_group_gather(T* dst, const T* src, size_t count, size_t stride, event_t event) {
    for (size_t i = get_local_linear_id(); i < count; i += async_lanes()) async_element(dst + i, src + i * stride);
    return event ? event : 1;
}

//: async_work_group_scatter
template<class T> __device__ event_t async_work_group_scatter(T* dst, const T* src, size_t count, size_t stride, event_t event) {
    for (size_t i = get_local_linear_id(); i < count; i += async_lanes()) async_element(dst + i * stride, src + i);
    return event ? event : 1;
}

//: wait_group_events
__device__ void wait_group_events(int, event_t*) {
    #if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
    #endif
    __syncthreads();
}

// One line of the cache for each 128 bytes.
//: prefetch
template<class T> __device__ void prefetch(const T* p, size_t count) {
    const char* bytes = (const char*)p;
    for (size_t i = 0; i < count * sizeof(T); i += 128) asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(bytes + i)));
}

}  // namespace ocl
