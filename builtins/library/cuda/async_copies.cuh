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

// Bytes in lines, lines in planes (6.15.11.1).
struct async_shape { size_t bytes, lines, planes, src_line, dst_line, src_plane, dst_plane; };

//: async_planes
template<class T> __device__ void async_planes(char* dst, const char* src, const async_shape& in) {
    const size_t pieces = in.bytes / sizeof(T);
    for (size_t i = get_local_linear_id(); i < pieces * in.lines * in.planes; i += async_lanes()) {
        const size_t x = i % pieces * sizeof(T), y = i / pieces % in.lines, z = i / pieces / in.lines;
        async_element((T*)(dst + z * in.dst_plane + y * in.dst_line + x), (const T*)(src + z * in.src_plane + y * in.src_line + x));
    }
}

// In the largest pieces that all places and lengths are multiples of.
//: async_work_group_copy_3D3D
__device__ event_t async_work_group_copy_3D3D(void* dst, size_t dst_offset, const void* src, size_t src_offset, size_t size,
                                              size_t elements, size_t lines, size_t planes, size_t src_line, size_t src_plane,
                                              size_t dst_line, size_t dst_plane, event_t event) {
    char* to = (char*)dst + dst_offset * size;
    const char* from = (const char*)src + src_offset * size;
    const async_shape in = {elements * size, lines, planes, src_line * size, dst_line * size, src_plane * size, dst_plane * size};
    const size_t all = (size_t)to | (size_t)from | in.bytes | in.src_line | in.dst_line | in.src_plane | in.dst_plane;
    if (all % 16 == 0) async_planes<vec<uint, 4>>(to, from, in);
    else if (all % 8 == 0) async_planes<ulong>(to, from, in);
    else if (all % 4 == 0) async_planes<uint>(to, from, in);
    else async_planes<uchar>(to, from, in);
    return event ? event : 1;
}

//: async_work_group_copy_2D2D
__device__ event_t async_work_group_copy_2D2D(void* dst, size_t dst_offset, const void* src, size_t src_offset, size_t size,
                                              size_t elements, size_t lines, size_t src_line, size_t dst_line, event_t event) {
    return async_work_group_copy_3D3D(dst, dst_offset, src, src_offset, size, elements, lines, 1, src_line, 0, dst_line, 0, event);
}

// "every async copy preceding the async_work_group_copy_fence must happen-before every async copy following the fence": also those
// that other work-items make.
//: async_work_group_copy_fence
__device__ void async_work_group_copy_fence(uint) {
    #if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
    #endif
    __syncthreads();
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
