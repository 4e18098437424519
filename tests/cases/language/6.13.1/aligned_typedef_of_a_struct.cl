// 6.13.1: aligned (alignment): a minimum alignment for variables of the specified type.
// expect: valid
// result: 64
typedef struct { float3 v; } __attribute__((aligned(64))) wide;
kernel void aligned_typedef_of_a_struct(global int *out) {
    out[0] = sizeof(wide);
}
