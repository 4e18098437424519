// 6.3.6: All arguments have the same element type as the result vector.
// expect: error "int2" at line 5
kernel void element_type_differs(global int *out) {
    int2 i = (int2)(1, 2);
    float4 f = (float4)(i, 1.0f, 2.0f);
}
