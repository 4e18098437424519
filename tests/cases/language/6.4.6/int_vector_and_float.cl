// 6.4.6: An error shall occur if any scalar operand has greater rank than the type of the vector element.
// expect: error "greater rank" at line 6
kernel void int_vector_and_float(global int *out) {
    int4 i = (int4)(1);
    float f = 2;
    i = i + f;
}
