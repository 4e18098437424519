// Pipe functions of sub-groups (6.15.18) on CUDA: the first lane does it for the others.

namespace ocl {

//: sub_group_reserve_read_pipe
template<class T, uint W = 32> __device__ reserve_id_t sub_group_reserve_read_pipe(pipe<T> p, uint count,
                                                                                   sub_group_tile<W> tile = {}) {
    return sub_group_broadcast(get_sub_group_local_id(tile) == 0 ? reserve_read_pipe(p, count) : 0, 0, tile);
}

//: sub_group_reserve_write_pipe
template<class T, uint W = 32> __device__ reserve_id_t sub_group_reserve_write_pipe(pipe<T> p, uint count,
                                                                                    sub_group_tile<W> tile = {}) {
    return sub_group_broadcast(get_sub_group_local_id(tile) == 0 ? reserve_write_pipe(p, count) : 0, 0, tile);
}

//: sub_group_commit_read_pipe
template<class T, uint W = 32> __device__ void sub_group_commit_read_pipe(pipe<T> p, reserve_id_t id, sub_group_tile<W> tile = {}) {
    sub_group_barrier(2, tile);
    if (get_sub_group_local_id(tile) == 0) commit_read_pipe(p, id);
}

//: sub_group_commit_write_pipe
template<class T, uint W = 32> __device__ void sub_group_commit_write_pipe(pipe<T> p, reserve_id_t id,
                                                                           sub_group_tile<W> tile = {}) {
    sub_group_barrier(2, tile);
    if (get_sub_group_local_id(tile) == 0) commit_write_pipe(p, id);
}

}  // namespace ocl
