// 6.4.4.2: All data types except bool, void and half may be reinterpreted.
// expect: error "as_bool" at line 4
kernel void as_type_bool(global int *out) {
    bool b = as_bool((char)1);
}
