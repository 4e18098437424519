// 6.15: cl_khr_subgroup_clustered_reduce: reductions of clusters of a power of two.
// expect: valid
// size: 32
// result: 6 6 6 6 22 22 22 22 38 38 38 38 54 54 54 54 70 70 70 70 86 86 86 86 102 102 102 102 118 118 118 118 7 7 7 7 7 7 7 7 15 15 15 15 15 15 15 15 7 7 7 7 7 7 7 7 15 15 15 15 15 15 15 15
kernel void subgroup_clustered_reduce(global int *out) {
    int lane = get_sub_group_local_id();

    out[lane] = sub_group_clustered_reduce_add(lane, 4);
    out[32 + lane] = sub_group_clustered_reduce_max(lane, 8) - sub_group_clustered_reduce_min(lane, 16);
}
