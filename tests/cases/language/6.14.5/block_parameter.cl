// 6.14.5: Example 1 passes a block to a function, and says "legal".
// expect: valid
// options: -cl-std=CL2.0
// result: 8
// clang: differs because it follows the sentence before the example, which says that a block cannot be a parameter
void foo(global int *x, int (^bar)(int, int)) { *x = bar(*x, *x); }
kernel void block_parameter(global int *out) {
    out[0] = 4;
    foo(out, ^int(int x, int y) { return x + y; });
}
