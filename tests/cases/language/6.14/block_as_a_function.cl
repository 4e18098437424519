// 6.14: You use the ^ operator to declare a Block variable and to indicate the beginning of a Block literal.
// expect: valid
// options: -cl-std=CL2.0
// result: 21
kernel void block_as_a_function(global int *out) {
    int multiplier = 7;
    int (^myBlock)(int) = ^(int num) { return num * multiplier; };
    out[0] = myBlock(3);
}
