// 6.4.6: An error shall occur if any scalar operand has greater rank than the type of the vector element.
// expect: error "greater rank" at line 6
kernel void int_vector_and_long(global int *out) {
    int4 i = (int4)(1);
    long n = 2;
    i = i * n;
}
