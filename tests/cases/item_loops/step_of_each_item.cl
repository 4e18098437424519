// form: loops
// global: 64
// local: 16
kernel void step_of_each_item(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int at = lid, sum = 0;
    global const int *p = in + lid;
    for (int i = 0; i < n; i += size, at += 3, p += size) {
        tmp[lid] = *p;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tmp[at % size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum + at;
}
