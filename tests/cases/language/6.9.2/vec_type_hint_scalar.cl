// 6.9.2: __attribute__((vec_type_hint(<type>))) is a hint to the compiler.
// expect: valid
// result: 1
kernel __attribute__((vec_type_hint(double))) void vec_type_hint_scalar(global int *out) {
    out[0] = 1;
}
