// 6.5.12: The comma operator returns the type and value of the right-most expression; all are evaluated from left to right.
// expect: valid
// result: 10 5
kernel void comma_in_a_loop(global int *out) {
    int i, j;
    for (i = 0, j = 10; i < j; i++, j--)
        ;
    out[0] = i + j; out[1] = i;
}
