// 6.5.12: The comma operator returns the type and value of the right-most expression; all are evaluated from left to right.
// expect: valid
// result: 3 4
kernel void comma_of_vectors(global int2 *out) {
    int2 a = (int2)(1, 2);
    out[0] = (a, a + 2);
}
