// 6.3.6: A vector literal can be used either as a vector initializer or as a primary expression.
// expect: valid
// result: 12
constant int4 table = (int4)(3, 4, 5, 6);
kernel void constants_at_program_scope(global int *out) {
    out[0] = table.x + table.y + table.z;
}
