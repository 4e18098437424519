// 6.7.3: __constant variables may be declared in program scope or in the outermost kernel scope.
// expect: valid
// result: 6
// in: 1 2 3
kernel void constant_pointer_argument(global int *out, constant int *in) {
    out[0] = in[0] + in[1] + in[2];
}
