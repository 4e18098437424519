// form: loops
// global: 64
// local: 16
kernel void parameter_address_taken(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int *p = &n;
    *p += lid;
    tmp[lid] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p += tmp[(lid + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = n + in[gid];
}
