// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "int2" at line 4
float2 f(int2 v) {
    return v;
}
kernel void vector_result_of_another_type(global float2 *out) {
    out[0] = f((int2)(1));
}
