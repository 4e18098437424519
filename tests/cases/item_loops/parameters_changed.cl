// form: loops
// global: 64
// local: 16
kernel void parameters_changed(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0);
    in += get_global_id(0);
    out += get_group_id(0) * get_local_size(0) + lid;
    n = n / 4;
    tmp += 1;
    tmp[lid - 1] = *in + n;
    barrier(CLK_LOCAL_MEM_FENCE);
    n -= lid;
    *out = tmp[get_local_size(0) - 2 - lid] + n;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp--;
    *out += tmp[lid];
}
