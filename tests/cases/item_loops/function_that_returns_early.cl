// form: fibers since 'shared' meets others and returns early
// global: 64
// local: 16
int shared(int value, local int *x) {
    x[get_local_id(0)] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        return -1;
    return x[get_local_id(0) - 1];
}

kernel void function_that_returns_early(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    out[gid] = shared(in[gid], tmp);
}
