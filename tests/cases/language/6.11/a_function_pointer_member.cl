// 6.11: a. Pointers to functions are not allowed.
// expect: error "pointers to functions are not allowed" at line 3
struct s { int (*f)(int); };
kernel void a_function_pointer_member(global int *out) {
    out[0] = 1;
}
