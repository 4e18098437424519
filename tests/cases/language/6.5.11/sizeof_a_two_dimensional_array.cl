// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 24 12
kernel void sizeof_a_two_dimensional_array(global int *out) {
    short a[2][6];
    out[0] = sizeof a; out[1] = sizeof a[0];
}
