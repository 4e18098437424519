// 6.13.1: aligned (alignment): a minimum alignment for variables of the specified type.
// expect: valid
// result: 8 8
struct S { short f[3]; } __attribute__ ((aligned (8)));
kernel void aligned_struct(global int *out) {
    out[0] = sizeof(struct S); out[1] = __alignof__(struct S);
}
