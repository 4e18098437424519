// 6.9.2: <type> is one of the built-in vector types or the constituent scalar element types.
// expect: error "'vec_type_hint' attribute takes one type" at line 3
kernel __attribute__((vec_type_hint())) void vec_type_hint_without_a_type(global int *out) {
    out[0] = 1;
}
