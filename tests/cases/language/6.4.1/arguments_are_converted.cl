// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 7
int twice(int n) { return n + n; }
kernel void arguments_are_converted(global int *out) {
    out[0] = twice(3.9f) + true;
}
