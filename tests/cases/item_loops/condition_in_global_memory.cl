// form: loops
// global: 64
// local: 16
kernel void condition_in_global_memory(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int sum = 0;
    for (int i = in[get_group_id(0)] & 7; i < (in[1] & 7) + 9; i++) {
        tmp[lid] = i + lid;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tmp[(lid + i) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (in[2] % 2 == 0) {
        tmp[lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum -= tmp[size - 1 - lid];
    }
    out[gid] = sum;
}
