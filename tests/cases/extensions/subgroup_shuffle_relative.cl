// 6.15: cl_khr_subgroup_shuffle_relative: values of lanes before and behind.
// expect: valid
// size: 32
// result: 0 0 0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 0 0 0
kernel void subgroup_shuffle_relative(global int *out) {
    int lane = get_sub_group_local_id();

    int up = sub_group_shuffle_up(lane, 3), down = sub_group_shuffle_down(lane, 4);
    out[lane] = lane >= 3 ? up : 0;
    out[32 + lane] = lane < 28 ? down : 0;
}
