// 6.5.4: Scalar relational operators return an int, 0 or 1.
// expect: valid
// result: 1
kernel void relations_chain_from_the_left(global int *out) {
    int a = 3, b = 2, c = 1;
    out[0] = a > b == 1;
}
