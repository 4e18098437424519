// 6.11: h. The C99 standard headers cannot be included by a program.
// expect: error "malloc" at line 4
kernel void h_library_function(global int *out) {
    out[0] = (int)(long)malloc(4);
}
