// 6.4.6: An error shall occur if any scalar operand has greater rank than the type of the vector element.
// expect: error "greater rank" at line 6
kernel void char_vector_and_short(global int *out) {
    char4 v = (char4)(1);
    short n = 2;
    v = v - n;
}
