// 6.7.5: The names __generic and generic are reserved for future use: naming the space is let pass all the same, as clang does.
// expect: valid
// options: -cl-std=CL2.0
// result: 6
kernel void generic_keyword(global int *out) {
    generic int *p = out;
    *p = 6;
}
