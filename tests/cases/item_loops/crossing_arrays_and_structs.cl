// form: loops
// global: 64
// local: 16
struct pair { int a; int b[2]; };

kernel void crossing_arrays_and_structs(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int own[5] = {1, 2, 3};
    struct pair p = {in[gid], {lid, 4}}, q;
    int grid[2][3];
    for (int i = 0; i < 6; i++)
        grid[i / 3][i % 3] = in[gid] + i;
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    own[lid % 5] += tmp[(lid + 5) % size];
    p.b[1] += own[2];
    q = p;
    barrier(CLK_LOCAL_MEM_FENCE);
    q.a++;
    grid[1][lid % 3] = q.a;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = own[0] + own[1] + own[2] + own[3] + own[4] + q.a + q.b[0] + p.b[1] + grid[1][0] + grid[0][2] + grid[1][2];
}
