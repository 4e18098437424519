// 6.9.2: <type> is one of the built-in vector types or the constituent scalar element types.
// expect: error "a non-vector or non-vectorizable scalar type is invalid for 'vec_type_hint': 'struct s'" at line 4
struct s { int a; };
kernel __attribute__((vec_type_hint(struct s))) void vec_type_hint_of_a_struct(global int *out) {
    out[0] = 1;
}
