// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "int4" at line 6
float f(float4 v) { return v.x; }
kernel void vector_argument_of_another_type(global float *out) {
    int4 i = (int4)(1);
    out[0] = f(i);
}
