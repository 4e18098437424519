// 6.7.5: The names __generic and generic are reserved for future use.
// expect: error "'generic' is reserved" at line 6
// options: -cl-std=CL2.0
// clang: differs because it has names for the space since OpenCL C 2.0
kernel void generic_keyword(global int *out) {
    generic int *p = 0;
}
