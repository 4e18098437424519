// 6.5.15: The assignment operator stores the value of expression into lvalue.
// expect: valid
// result: 1 2
struct s { int a, b; };
kernel void whole_struct(global int *out) {
    struct s v = {1, 2}, w;
    w = v;
    out[0] = w.a; out[1] = w.b;
}
