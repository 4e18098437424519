// 6.4.4.2: All data types except bool, void and half may be reinterpreted.
// expect: error "as_int" at line 4
kernel void as_type_of_two_operands(global int *out) {
    out[0] = as_int(1.0f, 2.0f);
}
