// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: valid
// result: 5
struct s { constant int *p; int n; };
constant int four = 4;
constant struct s v = {&four, 1};
kernel void constant_struct_with_an_address(global int *out) {
    out[0] = *v.p + v.n;
}
