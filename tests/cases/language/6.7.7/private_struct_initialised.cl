// 6.7.7: Any initializer is allowed for private address space objects.
// expect: valid
// result: 1 0 3
struct s { int a, b, c; };
kernel void private_struct_initialised(global int *out) {
    struct s v = {.c = 3, .a = 1};
    out[0] = v.a; out[1] = v.b; out[2] = v.c;
}
