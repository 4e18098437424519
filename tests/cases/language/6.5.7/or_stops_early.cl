// 6.5.7: || will only evaluate the right hand operand if the left hand operand compares equal to 0.
// expect: valid
// result: 1 5
kernel void or_stops_early(global int *out) {
    int n = 5;
    out[0] = 1 || n++;
    out[1] = n;
}
