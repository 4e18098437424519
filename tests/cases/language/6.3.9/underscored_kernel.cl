// 6.3.9: Function qualifiers: __kernel and kernel are reserved.
// expect: valid
// result: 5
__kernel void underscored_kernel(__global int *out) {
    out[0] = 5;
}
