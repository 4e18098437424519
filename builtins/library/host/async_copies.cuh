// Async copies (6.15.11) on the host: one work-item of the group copies it all.

namespace ocl {

using event_t = size_t;

//: async_work_group_copy
template<class T> __device__ event_t async_work_group_copy(T* dst, const T* src, size_t count, event_t event) {
    if (get_local_linear_id() == 0)
        for (size_t i = 0; i < count; i++) dst[i] = src[i];
    return event ? event : 1;
}

//: async_work_group_gather
template<class T> __device__ event_t async_work_group_gather(T* dst, const T* src, size_t count, size_t stride, event_t event) {
    if (get_local_linear_id() == 0)
        for (size_t i = 0; i < count; i++) dst[i] = src[i * stride];
    return event ? event : 1;
}

//: async_work_group_scatter
template<class T> __device__ event_t async_work_group_scatter(T* dst, const T* src, size_t count, size_t stride, event_t event) {
    if (get_local_linear_id() == 0)
        for (size_t i = 0; i < count; i++) dst[i * stride] = src[i];
    return event ? event : 1;
}

//: async_work_group_copy_3D3D
__device__ event_t async_work_group_copy_3D3D(void* dst, size_t dst_offset, const void* src, size_t src_offset, size_t size,
                                              size_t elements, size_t lines, size_t planes, size_t src_line, size_t src_plane,
                                              size_t dst_line, size_t dst_plane, event_t event) {
    char* to = (char*)dst + dst_offset * size;
    const char* from = (const char*)src + src_offset * size;
    if (get_local_linear_id() == 0)
        for (size_t z = 0; z < planes; z++)
            for (size_t y = 0; y < lines; y++)
                __builtin_memcpy(to + (z * dst_plane + y * dst_line) * size, from + (z * src_plane + y * src_line) * size, elements * size);
    return event ? event : 1;
}

//: async_work_group_copy_2D2D
__device__ event_t async_work_group_copy_2D2D(void* dst, size_t dst_offset, const void* src, size_t src_offset, size_t size,
                                              size_t elements, size_t lines, size_t src_line, size_t dst_line, event_t event) {
    return async_work_group_copy_3D3D(dst, dst_offset, src, src_offset, size, elements, lines, 1, src_line, 0, dst_line, 0, event);
}

// Copies are done when their function returns, and in order: one work-item makes them all.
//: async_work_group_copy_fence
__device__ void async_work_group_copy_fence(uint) {}

//: wait_group_events
__device__ void wait_group_events(int, event_t*) { work_group_barrier(0); }

//: prefetch
template<class T> __device__ void prefetch(const T*, size_t) {}

}  // namespace ocl
