// 6.5.5: Equal (==) returns 0 if an argument is NaN; not equal (!=) returns 1, or -1 for vectors.
// expect: valid
// result: 1 0 1
kernel void pointer_equality(global int *out) {
    global int *p = out + 1;
    out[0] = p - 1 == out; out[1] = p == out; out[2] = p != 0;
}
