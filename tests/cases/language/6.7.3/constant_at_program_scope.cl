// 6.7.3: __constant variables may be declared in program scope or in the outermost kernel scope.
// expect: valid
// result: 3
constant int three = 3;
kernel void constant_at_program_scope(global int *out) {
    out[0] = three;
}
