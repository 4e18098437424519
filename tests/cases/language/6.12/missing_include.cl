// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "file not found" at line 3
#include "nowhere.h"
kernel void missing_include(global int *out) {
    out[0] = 1;
}
