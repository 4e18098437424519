// form: loops
// global: 64
// local: 16
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void required_size(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[15 - lid];
}
