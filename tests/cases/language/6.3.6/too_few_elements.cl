// 6.3.6: The total number of elements is equal to the number of elements in the result vector.
// expect: error "too few elements" at line 4
kernel void too_few_elements(global int *out) {
    float4 f = (float4)(1.0f, 2.0f);
}
