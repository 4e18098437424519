// form: loops
// global: 64
// local: 16
// options: -cl-std=CL3.0
int where(void) { return get_global_id(0); }
int mirrored(void) { return get_local_size(0) - 1 - get_local_linear_id(); }

kernel void ids_in_functions(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[where()];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[mirrored()] + where() + (int)get_local_id(n - 64);
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] = get_sub_group_local_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] += tmp[mirrored()] % 16;
}
