// 6.4.4.2: All data types except bool, void and half may be reinterpreted.
// expect: error "as_int" at line 4
kernel void as_type_without_an_operand(global int *out) {
    out[0] = as_int();
}
