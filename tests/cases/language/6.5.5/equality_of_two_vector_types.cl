// 6.5.5: Equal (==) returns 0 if an argument is NaN; not equal (!=) returns 1, or -1 for vectors.
// expect: error "invalid operands" at line 6
kernel void equality_of_two_vector_types(global int *out) {
    int4 a = (int4)(1);
    uint4 b = (uint4)(1);
    a = a == b;
}
