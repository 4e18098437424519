// Shuffles from two sources (cl_intel_subgroups) on the host: the work-items meet twice, since a meeting holds one value of each.

namespace ocl {

//: intel_sub_group_shuffle_down
template<class T, uint W = 32>
__device__ T intel_sub_group_shuffle_down_at(int first, int second, T current, T next, uint delta, sub_group_tile<W> tile = {}) {
    const uint size = get_max_sub_group_size(tile), there = get_sub_group_local_id(tile) + delta;
    const T from_current = meet(current, first, tile)[there], from_next = meet(next, second, tile)[there - size];
    return there < size ? from_current : from_next;
}
#define intel_sub_group_shuffle_down(...) intel_sub_group_shuffle_down_at(__COUNTER__, __COUNTER__, __VA_ARGS__)

//: intel_sub_group_shuffle_up
template<class T, uint W = 32>
__device__ T intel_sub_group_shuffle_up_at(int first, int second, T previous, T current, uint delta, sub_group_tile<W> tile = {}) {
    const uint size = get_max_sub_group_size(tile), there = get_sub_group_local_id(tile) - delta;
    const T from_previous = meet(previous, first, tile)[there + size], from_current = meet(current, second, tile)[there];
    return (int)there < 0 ? from_previous : from_current;
}
#define intel_sub_group_shuffle_up(...) intel_sub_group_shuffle_up_at(__COUNTER__, __COUNTER__, __VA_ARGS__)

}  // namespace ocl
