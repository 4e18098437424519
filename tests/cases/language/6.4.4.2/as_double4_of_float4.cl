// 6.4.4.2: It is an error to reinterpret data to a type of a different number of bytes.
// expect: error "invalid reinterpretation" at line 5
kernel void as_double4_of_float4(global int *out) {
    float4 f = (float4)(1);
    double4 g = as_double4(f);
}
