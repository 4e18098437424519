// form: loops
// global: 64
// local: 16
kernel void declared_first(global const int *in, global int *out, int n, local int *tmp) {
    int i, j, k;
    int lid, gid;
    int size, sum, before;
    uint mask;
    lid = get_local_id(0);
    gid = get_global_id(0);
    size = get_local_size(0);
    sum = 0;
    for (i = 0; i < 4; i++)
        sum += in[(gid + i) % n];
    tmp[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = 1; i < size; i <<= 1) {
        before = 0;
        if (lid >= i)
            before = tmp[lid - i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (j = 0, k = 1; j < 3; j++, k *= 2)
            before += k - k;
        tmp[lid] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    mask = lid & 3u;
    out[gid] = tmp[lid] + i + mask;
}
