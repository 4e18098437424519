// 6.3.9: OpenCL C data types are reserved: hiding one in a function is let pass all the same, as clang does.
// expect: error "different types" at line 3
typedef int uchar;
kernel void type_name_redefined(global int *out) {}
