// 6.13.1: aligned (alignment): a minimum alignment for variables of the specified type.
// expect: valid
// result: 1
struct S { short f[3]; } __attribute__ ((aligned));
kernel void aligned_without_a_factor(global int *out) {
    out[0] = sizeof(struct S) >= 8;
}
