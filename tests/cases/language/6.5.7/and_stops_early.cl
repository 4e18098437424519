// 6.5.7: && will only evaluate the right hand operand if the left hand operand compares unequal to 0.
// expect: valid
// result: 0 5
kernel void and_stops_early(global int *out) {
    int n = 5;
    out[0] = 0 && n++;
    out[1] = n;
}
