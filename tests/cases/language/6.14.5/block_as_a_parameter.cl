// 6.14.5: A block as a parameter of a function (Example 1 says legal).
// expect: valid
// options: -cl-std=CL2.0
// result: 11
// clang: differs because it refuses blocks as parameters, as 6.14.5 does but not its example 1
int apply(int (^f)(int), int n) { return f(n); }
kernel void block_as_a_parameter(global int *out) {
    int ten = 10;
    out[0] = apply(^(int n) { return n + ten; }, 1);
}
