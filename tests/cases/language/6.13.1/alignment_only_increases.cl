// 6.13.1: aligned (alignment): a minimum alignment for variables of the specified type.
// expect: valid
// result: 16
struct S { float4 v; } __attribute__((aligned(4)));
kernel void alignment_only_increases(global int *out) {
    out[0] = __alignof__(struct S);
}
