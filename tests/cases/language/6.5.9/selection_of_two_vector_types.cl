// 6.5.9: Their types match, or an implicit conversion makes them match.
// expect: error "invalid operands to binary expression" at line 7
kernel void selection_of_two_vector_types(global int *out) {
    int yes = 1;
    int4 a = (int4)(1);
    float4 b = (float4)(1);
    a = yes ? a : b;
}
