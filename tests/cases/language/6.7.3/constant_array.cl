// 6.7.3: __constant variables may be declared in program scope or in the outermost kernel scope.
// expect: valid
// result: 30
constant int table[] = {10, 20, 30};
kernel void constant_array(global int *out) {
    out[0] = table[2];
}
