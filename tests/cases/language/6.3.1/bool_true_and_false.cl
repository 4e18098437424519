// 6.3.1: The value true expands to the integer constant 1 and the value false expands to the integer constant 0.
// expect: valid
// result: 1 0 2
kernel void bool_true_and_false(global int *out) {
    out[0] = true;
    out[1] = false;
    out[2] = true + true;
}
