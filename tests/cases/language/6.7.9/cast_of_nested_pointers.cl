// 6.7.9: Explicitly casting between different address spaces in nested pointers is allowed.
// expect: valid
// result: 7
// options: -cl-std=CL2.0
kernel void cast_of_nested_pointers(global int *out) {
    global int *private a = out, *private *gl = &a;
    int *private *nl = (int *private *)gl;
    out[0] = 7;
}
