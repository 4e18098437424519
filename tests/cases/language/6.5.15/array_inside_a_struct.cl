// 6.5.15: The assignment operator stores the value of expression into lvalue.
// expect: valid
// result: 7
struct s { int a[3]; };
kernel void array_inside_a_struct(global int *out) {
    struct s v = {{5, 6, 7}}, w;
    w = v;
    out[0] = w.a[2];
}
