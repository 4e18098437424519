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

//: wait_group_events
__device__ void wait_group_events(int, event_t*) { work_group_barrier(0); }

//: prefetch
template<class T> __device__ void prefetch(const T*, size_t) {}

}  // namespace ocl
