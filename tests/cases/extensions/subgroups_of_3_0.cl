// 6.15: __opencl_c_subgroups: the functions of sub-groups without an extension.
// expect: valid
// options: -cl-std=CL3.0
// size: 64
// result: 31 32 2 1 496
kernel void subgroups_of_3_0(global int *out) {
    int lane = get_sub_group_local_id();
    int sum = sub_group_reduce_add(lane);
    if (get_local_id(0) == 63) {
        out[0] = lane;
        out[1] = get_sub_group_size();
        out[2] = get_num_sub_groups();
        out[3] = get_sub_group_id();
        out[4] = sum;
    }
}
