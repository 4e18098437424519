// 6.14.1: the Block is able to make use of variables from the same scope in which it was defined.
// expect: valid
// options: -cl-std=CL2.0
// result: 21
kernel void block_uses_its_scope(global int *out) {
    int multiplier = 7;
    int (^myBlock)(int) = ^(int num) { return num * multiplier; };
    out[0] = myBlock(3);
}
