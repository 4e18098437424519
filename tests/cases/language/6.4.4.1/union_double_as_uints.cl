// 6.4.4.1: A member of a union object may be accessed using a member of a different type.
// expect: valid
// result: 0 0x3ff00000
kernel void union_double_as_uints(global int *out) {
    union { double d; uint u[2]; } both;
    both.d = 1.0;
    out[0] = both.u[0]; out[1] = both.u[1];
}
