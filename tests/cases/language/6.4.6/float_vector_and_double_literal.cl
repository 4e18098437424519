// 6.4.6: An error shall occur if any scalar operand has greater rank than the type of the vector element.
// expect: error "greater rank" at line 5
kernel void float_vector_and_double_literal(global int *out) {
    float2 v = (float2)(1.5f);
    v = v * 2.0;
}
