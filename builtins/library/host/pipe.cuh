// Pipe functions of sub-groups (6.15.18) on the host: the first work-item does it for the others. Numbered as in
// host/sub_groups.cuh.

namespace ocl {

//: sub_group_reserve_read_pipe
template<class T, uint W = 32> __device__ reserve_id_t sub_group_reserve_read_pipe_at(int place, pipe<T> p, uint count,
                                                                                      sub_group_tile<W> tile = {}) {
    return meet(get_sub_group_local_id(tile) == 0 ? reserve_read_pipe(p, count) : 0, place, tile)[0];
}
#define sub_group_reserve_read_pipe(...) sub_group_reserve_read_pipe_at(__COUNTER__, __VA_ARGS__)

//: sub_group_reserve_write_pipe
template<class T, uint W = 32> __device__ reserve_id_t sub_group_reserve_write_pipe_at(int place, pipe<T> p, uint count,
                                                                                       sub_group_tile<W> tile = {}) {
    return meet(get_sub_group_local_id(tile) == 0 ? reserve_write_pipe(p, count) : 0, place, tile)[0];
}
#define sub_group_reserve_write_pipe(...) sub_group_reserve_write_pipe_at(__COUNTER__, __VA_ARGS__)

//: sub_group_commit_read_pipe
template<class T, uint W = 32> __device__ void sub_group_commit_read_pipe_at(int place, pipe<T> p, reserve_id_t id,
                                                                             sub_group_tile<W> tile = {}) {
    meet(0, place, tile);
    if (get_sub_group_local_id(tile) == 0) commit_read_pipe(p, id);
}
#define sub_group_commit_read_pipe(...) sub_group_commit_read_pipe_at(__COUNTER__, __VA_ARGS__)

//: sub_group_commit_write_pipe
template<class T, uint W = 32> __device__ void sub_group_commit_write_pipe_at(int place, pipe<T> p, reserve_id_t id,
                                                                              sub_group_tile<W> tile = {}) {
    meet(0, place, tile);
    if (get_sub_group_local_id(tile) == 0) commit_write_pipe(p, id);
}
#define sub_group_commit_write_pipe(...) sub_group_commit_write_pipe_at(__COUNTER__, __VA_ARGS__)

}  // namespace ocl
