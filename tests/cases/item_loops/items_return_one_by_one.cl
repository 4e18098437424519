// form: loops
// global: 64
// local: 16
kernel void items_return_one_by_one(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    for (int i = 0; i < size; i++) {
        int seen = tmp[(lid + i) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[lid] = seen + 1;
        if (lid == i) {
            out[gid] = seen * 100 + i;
            return;
        }
        for (int j = 0; j < 3; j++)
            if (lid == 15 && j == 2 && i == 4) {
                out[gid] = -4;
                return;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = -1;
}
