// 6.4.1: Implicit conversions for pointer types follow the rules described in the C99 Specification.
// expect: valid
// result: 3
struct s { int a; };
kernel void struct_pointer_to_int_pointer_warns(global int *out) {
    struct s v = {3};
    int *p = (int *)&v;
    out[0] = *p;
}
