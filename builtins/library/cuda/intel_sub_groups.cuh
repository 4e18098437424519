// Shuffles from two sources (cl_intel_subgroups) on CUDA: as if the second stood behind, or before, the first.

namespace ocl {

//: intel_sub_group_shuffle_down
template<class T, uint W = 32> __device__ T intel_sub_group_shuffle_down(T current, T next, uint delta, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile), size = get_max_sub_group_size(tile), there = get_sub_group_local_id(tile) + delta;
    const T from_current = of_lane(active, current, there, tile), from_next = of_lane(active, next, there - size, tile);
    return there < size ? from_current : from_next;
}

//: intel_sub_group_shuffle_up
template<class T, uint W = 32> __device__ T intel_sub_group_shuffle_up(T previous, T current, uint delta, sub_group_tile<W> tile = {}) {
    const uint active = lanes_here(tile), size = get_max_sub_group_size(tile), there = get_sub_group_local_id(tile) - delta;
    const T from_previous = of_lane(active, previous, there + size, tile), from_current = of_lane(active, current, there, tile);
    return (int)there < 0 ? from_previous : from_current;
}

}  // namespace ocl
