// form: loops
// global: 64
// local: 16
// options: -cl-std=CL2.0
kernel void offset_ids(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    int where = get_global_linear_id() + get_local_linear_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[size - 1 - get_local_linear_id()] + where + get_global_offset(0);
}
