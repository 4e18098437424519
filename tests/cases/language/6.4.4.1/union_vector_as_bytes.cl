// 6.4.4.1: A member of a union object may be accessed using a member of a different type.
// expect: valid
// result: 0x3f 0x80
kernel void union_vector_as_bytes(global int *out) {
    union { float4 f; uchar b[16]; } u;
    u.f = (float4)(0, 1.0f, 0, 0);
    out[0] = u.b[7]; out[1] = u.b[6];
}
