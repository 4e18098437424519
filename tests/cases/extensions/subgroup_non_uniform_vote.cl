// 6.15: cl_khr_subgroup_non_uniform_vote: one is elected, and those that are active vote.
// expect: valid
// size: 32
// result: 0 0 0 0 0 11 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10
kernel void subgroup_non_uniform_vote(global int *out) {
    int lane = get_sub_group_local_id();

    if (lane >= 5) out[lane] = !!sub_group_elect() + 2 * !!sub_group_non_uniform_all(lane > 4) + 4 * !!sub_group_non_uniform_any(lane < 5)
        + 8 * !!sub_group_non_uniform_all_equal(lane / 32) + 16 * !!sub_group_non_uniform_all_equal(lane);
}
