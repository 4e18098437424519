// 6.5.13: The unary (*) operator denotes indirection; the result is an l-value designating the object.
// expect: error "indirection requires pointer operand" at line 4
kernel void indirection_of_a_float(global int *out) {
    out[0] = *1.5f;
}
