// form: loops
// global: 64
// local: 16
kernel void subscripts(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    uint u = lid;
    char c = lid;
    long l = lid;
    int far = lid * 1000 - 999 * lid;
    tmp[far] = in[gid - lid + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = gid + 5 - 5, mirrored = size - 1 - lid;
    int sum = tmp[lid - size + (size - 1) - lid * 2 + lid + 1 + lid] + tmp[u ^ 1u] + tmp[c] + tmp[l];
    sum += *(tmp + mirrored - 0) + mirrored[tmp] + (tmp + size)[-1 - lid];
    for (int i = -2; i <= 2; i++)
        sum += tmp[(lid + i) & (size - 1)] * in[(gid + i + n) % n];
    int index = at;
    index += 2 * size;
    index %= n;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = sum + in[index] + tmp[(lid * 7 + 3) % size];
}
