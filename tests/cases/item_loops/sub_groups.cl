// form: fibers since it calls sub_group_reduce_add
// global: 64
// local: 16
// options: -cl-std=CL3.0
kernel void sub_groups(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = sub_group_reduce_add(in[gid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[size - 1 - lid];
}
