// 6.7.3: __constant variables may be declared in program scope or in the outermost kernel scope.
// expect: valid
// result: 20
constant int table[3] = {10, 20, 30};
int second(constant int *p) { return p[1]; }
kernel void pointer_into_a_constant(global int *out) {
    out[0] = second(table);
}
