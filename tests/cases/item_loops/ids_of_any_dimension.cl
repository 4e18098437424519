// form: loops
// global: 64
// local: 16
// options: -cl-std=CL3.0
kernel void ids_of_any_dimension(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int sum = 0;
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 0; d < 5; d++)
        sum += (int)(get_local_id(d) * (d + 1) + get_global_id(d) * (d + 2) + get_local_size(d) + get_group_id(d));
    out[gid] = sum + tmp[size - 1 - lid] + (int)get_local_linear_id() * 3 + (int)get_global_linear_id() * 5;
}
