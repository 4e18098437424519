// 6.15: cl_khr_subgroup_rotate: values go round in the sub-group, or in clusters.
// expect: valid
// size: 32
// result: 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 1 2 3 4 3 4 5 6 7 0 1 2 11 12 13 14 15 8 9 10 19 20 21 22 23 16 17 18 27 28 29 30 31 24 25 26
kernel void subgroup_rotate(global int *out) {
    int lane = get_sub_group_local_id();

    out[lane] = sub_group_rotate(lane, 5);
    out[32 + lane] = sub_group_clustered_rotate(lane, 3, 8);
}
