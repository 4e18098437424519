// 6.4.1: Implicit conversions: an integer, bool too, becomes a pointer with a warning.
// expect: valid
// result: 1 0
kernel void bool_to_pointer(global int *out) {
    bool b = out[3] == 0;
    global int *p = b;
    out[0] = p == (global int *)1;
    int i = 0;
    p = i;
    out[1] = p != 0;
}
