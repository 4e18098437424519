// form: loops
// global: 64
// local: 16
kernel void crossing_pointers(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    global const int *p = in + gid;
    local int *q = tmp + lid;
    *q = *p;
    barrier(CLK_LOCAL_MEM_FENCE);
    q = tmp + (lid + 1) % size;
    int first = *q;
    p = in + (gid + 1) % n;
    barrier(CLK_LOCAL_MEM_FENCE);
    q -= lid;
    out[gid] = *p + first + (int)(q - tmp);
}
