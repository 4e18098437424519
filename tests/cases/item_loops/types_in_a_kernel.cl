// form: loops
// global: 64
// local: 16
kernel void types_in_a_kernel(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    typedef struct { int a; short b; } both;
    enum { FIRST = 3, SECOND };
    both x = {in[gid], lid};
    tmp[lid] = x.a;
    barrier(CLK_LOCAL_MEM_FENCE);
    x.a += tmp[(lid + FIRST) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    both y = x;
    out[gid] = y.a + y.b + SECOND;
}
