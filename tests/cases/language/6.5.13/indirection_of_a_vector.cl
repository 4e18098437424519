// 6.5.13: The unary (*) operator denotes indirection; the result is an l-value designating the object.
// expect: error "indirection requires pointer operand" at line 5
kernel void indirection_of_a_vector(global int *out) {
    int4 a = (int4)(1);
    out[0] = *a;
}
