// form: loops
// global: 64
// local: 16
kernel void commas(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int a, b = 2;
    a = lid, b += a, tmp[lid] = in[gid] + b, barrier(CLK_LOCAL_MEM_FENCE);
    int c = (a++, b--, tmp[(lid + a) % size]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0, j = 10; i < 3; i++, j -= lid, b += j) {
        tmp[lid] = b + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        c += tmp[(lid + 1) % size] + j;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = a + b + c;
}
