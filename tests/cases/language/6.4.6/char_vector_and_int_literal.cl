// 6.4.6: An error shall occur if any scalar operand has greater rank than the type of the vector element.
// expect: error "greater rank" at line 5
kernel void char_vector_and_int_literal(global int *out) {
    char2 v = (char2)(5);
    v = v + 2;
}
