// 6.15: cl_khr_subgroup_extended_types: small integers and vectors.
// expect: valid
// size: 32
// result: 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 240031 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101 101
kernel void subgroup_extended_types(global int *out) {
    int lane = get_sub_group_local_id();

    uchar sum = sub_group_reduce_add((uchar)lane);
    short most = sub_group_reduce_max((short)lane);
    out[lane] = 1000 * sum + most;
    int2 pair = sub_group_broadcast((int2)(lane, lane + 2), 9);
    out[32 + lane] = 10 * pair.x + pair.y;
}
