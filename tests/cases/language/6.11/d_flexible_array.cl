// 6.11: d. Variable length arrays and structures with flexible (or unsized) arrays are not supported.
// expect: error "flexible" at line 4
// clang: differs because it takes flexible array members as C99 does
struct s { int n; int rest[]; };
kernel void d_flexible_array(global int *out) {
    out[0] = 1;
}
