// 6.5.12: The comma operator returns the type and value of the right-most expression; all are evaluated from left to right.
// expect: valid
// result: 3 3
kernel void comma_evaluates_all(global int *out) {
    int a = 1;
    out[0] = (a++, a++, a);
    out[1] = a;
}
