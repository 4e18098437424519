// 6.11: h. The C99 standard headers cannot be included by a program.
// expect: error "file not found" at line 3
#include <complex.h>
kernel void h_math(global int *out) {
    out[0] = 1;
}
