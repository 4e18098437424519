// 6.3.6: The total number of elements is equal to the number of elements in the result vector.
// expect: error "elements" at line 5
kernel void vector_that_is_too_short(global int *out) {
    float2 a = (float2)(1.0f);
    float4 f = (float4)(a, 1.0f);
}
