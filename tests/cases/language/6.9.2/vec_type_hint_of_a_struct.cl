// 6.9.2: <type> is one of the built-in vector types or the constituent scalar element types.
// expect: error "" at line 4
struct s { int a; };
kernel __attribute__((vec_type_hint(struct s))) void vec_type_hint_of_a_struct(global int *out) {
    out[0] = 1;
}
