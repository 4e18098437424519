// form: loops
// global: 64
// local: 16
kernel void conversions_in_first_values(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    ulong h = gid - 40;
    h = h * 3 + in[gid];
    long l = gid * 100000;
    l = l * 100000;
    uint none = 0;
    int before = none - 1u;
    int chosen = n > 3 ? none - 2u : 1u;
    float f = 3;
    f = f / 2;
    uchar c = 250;
    c += 10;
    short s = 30000;
    s = s * 2;
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = (n == 64 ? none - 1u : 5u) + lid + 1;
    out[gid] = (int)(h >> 32) + (int)(l >> 32) + tmp[before + 1 + lid] + tmp[chosen + 2] + (int)(f * 2) + c + s + tmp[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] += (int)(h >> 33) + tmp[before + size - lid] + c + s;
}
