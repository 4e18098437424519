// 6.3.6: All arguments have the same element type as the result vector.
// expect: error "struct s" at line 6
struct s { int a; };
kernel void struct_as_an_element(global int *out) {
    struct s v = {1};
    int2 a = (int2)(v, 1);
}
