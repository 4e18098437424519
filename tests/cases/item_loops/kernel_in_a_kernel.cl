// form: loops
// global: 64
// local: 16
kernel void inner(global const int *in, global int *out, local int *tmp) {
    tmp[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tmp[get_local_size(0) - 1 - get_local_id(0)];
}

kernel void kernel_in_a_kernel(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    inner(in, out, tmp);
    out[gid] += tmp[lid];
}
