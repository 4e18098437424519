// 6.3.1: The value true expands to the integer constant 1 and the value false expands to the integer constant 0.
// expect: valid
// result: 1
kernel void bool_in_preprocessor_conditions(global int *out) {
    #if true && !false
    out[0] = 1;
    #endif
}
