// 6.4.4.2: It is an error to reinterpret data to a type of a different number of bytes.
// expect: error "invalid reinterpretation" at line 4
kernel void as_float2_of_float(global int *out) {
    float2 f = as_float2(1.0f);
}
