// 6.4.6: An error shall occur if any scalar operand has greater rank than the type of the vector element.
// expect: error "greater rank" at line 6
kernel void short_vector_and_int(global int *out) {
    short4 v = (short4)(1);
    int n = 2;
    v = v + n;
}
