// 6.5.7: && will only evaluate the right hand operand if the left hand operand compares unequal to 0.
// expect: valid
// result: 1 6
kernel void and_goes_on(global int *out) {
    int n = 5;
    out[0] = 1 && n++;
    out[1] = n;
}
