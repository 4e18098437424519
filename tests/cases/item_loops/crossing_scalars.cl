// form: loops
// global: 64
// local: 16
kernel void crossing_scalars(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    char c = in[gid];
    short s = in[gid] * 3;
    uint u = in[gid] + 7;
    long l = in[gid] * 1000000007l;
    float f = in[gid] * 0.5f;
    bool b = in[gid] & 1;
    tmp[lid] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    c += tmp[(lid + 1) % size];
    s -= 2;
    u *= u;
    l ^= l >> 3;
    f += 0.25f;
    b = !b;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] = c + s;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = c + s + (int)u + (int)l + (int)f + b + tmp[size - 1 - lid];
}
