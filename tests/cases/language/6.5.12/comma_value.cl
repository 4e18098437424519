// 6.5.12: The comma operator returns the type and value of the right-most expression; all are evaluated from left to right.
// expect: valid
// result: 9
kernel void comma_value(global int *out) {
    out[0] = (1, 5, 9);
}
