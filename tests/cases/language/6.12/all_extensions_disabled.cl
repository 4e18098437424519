// 6.12: #pragma OPENCL EXTENSION extensionname : behavior
// expect: valid
// result: 1
#pragma OPENCL EXTENSION all : disable
kernel void all_extensions_disabled(global int *out) {
    out[0] = 1;
}
