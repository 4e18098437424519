// 6.11: h. The C99 standard headers cannot be included by a program.
// expect: error "file not found" at line 3
#include <stdio.h>
kernel void h_stdio(global int *out) {
    out[0] = 1;
}
