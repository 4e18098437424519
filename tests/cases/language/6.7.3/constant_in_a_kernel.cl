// 6.7.3: __constant variables may be declared in program scope or in the outermost kernel scope.
// expect: valid
// result: 4
kernel void constant_in_a_kernel(global int *out) {
    constant int four = 4;
    out[0] = four;
}
