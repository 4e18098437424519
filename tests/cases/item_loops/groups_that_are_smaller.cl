// form: loops
// global: 61
// local: 16
// options: -cl-std=CL2.0
kernel void groups_that_are_smaller(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid] + size;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[size - 1 - lid] + get_enqueued_local_size(0) + get_num_groups(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = size / 2; step > 0; step /= 2) {
        if (lid < step)
            tmp[lid] += tmp[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] += tmp[0];
}
