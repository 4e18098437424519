// 6.4.6: An error shall occur if any scalar operand has greater rank than the type of the vector element.
// expect: error "greater rank" at line 6
kernel void float_vector_and_double(global int *out) {
    float4 f = (float4)(1);
    double d = 2;
    f = f + d;
}
