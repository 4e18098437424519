// 6.4.4.1: A member of a union object may be accessed using a member of a different type.
// expect: valid
// result: 0x3f800000
kernel void union_float_as_uint(global int *out) {
    union { float f; uint u; } u;
    u.f = 1.0f;
    out[0] = u.u;
}
