// 6.14.5: A block as a parameter of a function (Example 1 says legal).
// expect: valid
// result: 11
int apply(int (^f)(int), int n) { return f(n); }
kernel void block_as_a_parameter(global int *out) {
    int ten = 10;
    out[0] = apply(^(int n) { return n + ten; }, 1);
}
