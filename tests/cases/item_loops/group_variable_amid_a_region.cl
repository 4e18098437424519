// form: loops
// global: 64
// local: 16
kernel void group_variable_amid_a_region(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int step = 1;
    tmp[lid] = in[gid];
    out[gid] = 0;
    while (step < 20) {
        out[gid] += step * lid;
        step = step * 2 + 1;
        out[gid] += step;
        barrier(CLK_LOCAL_MEM_FENCE);
        int mine = tmp[(lid + step) % size];
        step++;
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[lid] = mine + step;
    }
    out[gid] += tmp[lid];
}
