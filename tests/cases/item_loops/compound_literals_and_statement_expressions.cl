// form: loops
// global: 64
// local: 16
struct pair { int a, b; };

kernel void compound_literals_and_statement_expressions(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    struct pair p = (struct pair){in[gid], lid};
    int *q = (int[]){1, lid, 3};
    tmp[lid] = p.a + ({ int z = q[1]; z * 2; });
    barrier(CLK_LOCAL_MEM_FENCE);
    q[0] += tmp[(lid + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = q[0] + q[1] + q[2] + p.b;
}
