// form: loops
// global: 64
// local: 16
kernel void equal_names_in_blocks(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int x = in[gid];
    {
        int x = lid * 2;
        tmp[lid] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] = tmp[(lid + 1) % size] + x;
    }
    {
        int x = 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[lid] = x + lid;
        int size = 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] += tmp[size] + x;
    }
    for (int i = 0; i < 2; i++) { barrier(CLK_LOCAL_MEM_FENCE); tmp[lid] = i + x; barrier(CLK_LOCAL_MEM_FENCE); out[gid] += tmp[(lid + 2) % size]; }
    for (int i = 5; i > 2; i--) { barrier(CLK_LOCAL_MEM_FENCE); tmp[lid] = i * x; barrier(CLK_LOCAL_MEM_FENCE); out[gid] += tmp[(lid + 3) % size]; }
    out[gid] += x;
}
