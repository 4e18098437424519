// form: loops
// global: 64
// local: 16
kernel void chained_assignments(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int a, b, limit;
    char narrow;
    a = narrow = b = limit = 259 + n - 64;
    limit = n > 5 ? 3 : 2;
    tmp[lid] = in[gid];
    for (int i = 0; i < limit; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a += tmp[(lid + 1) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[lid] = b = a + i;
    }
    out[gid] = a + b + narrow;
}
