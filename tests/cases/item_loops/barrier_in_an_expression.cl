// form: fibers since a barrier within an expression, or in a function that cannot be inlined
// global: 64
// local: 16
void meet(void) { barrier(CLK_LOCAL_MEM_FENCE); }

kernel void barrier_in_an_expression(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    int x = n > 3 ? (meet(), 1) : 2;
    out[gid] = tmp[(lid + x) % size];
}
