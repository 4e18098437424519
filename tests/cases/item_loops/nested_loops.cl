// form: loops
// global: 64
// local: 16
kernel void nested_loops(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        tmp[lid] = in[gid] + i;
        for (int j = 0; j < i + 2; j++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += tmp[(lid + j) % size] * (j + 1);
            for (int k = 0; k < 2; k++)
                sum ^= k * i;
            barrier(CLK_LOCAL_MEM_FENCE);
            tmp[lid] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum;
}
