// 6.13.1: aligned (alignment): a minimum alignment for variables of the specified type.
// expect: valid
// result: 8 4
typedef int more_aligned_int __attribute__ ((aligned (8)));
kernel void aligned_typedef(global int *out) {
    out[0] = __alignof__(more_aligned_int); out[1] = sizeof(more_aligned_int);
}
