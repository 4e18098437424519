// 6.3.1: The value true expands to the integer constant 1 and the value false expands to the integer constant 0.
// expect: valid
// result: 1 1 0
kernel void bool_holds_zero_or_one(global int *out) {
    bool a = 7, b = 0.5f, c = 0;
    out[0] = a; out[1] = b; out[2] = c;
}
