// form: loops
// global: 64
// local: 16
kernel void crossing_vectors(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int4 v = (int4)(in[gid], lid, gid, 1);
    float3 f = (float3)(in[gid], 2.0f, lid);
    uchar8 bytes = (uchar8)(lid);
    tmp[lid] = v.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    v.yz += (int2)(tmp[(lid + 1) % size], 3);
    v.w = v.x;
    f *= 2.0f;
    bytes.s3 = 9;
    bytes.even = bytes.odd;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = v.wzyx;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = v.x + v.y * 2 + v.z * 3 + v.w * 5 + (int)(f.x + f.y + f.z) + bytes.s2 + bytes.s7;
}
