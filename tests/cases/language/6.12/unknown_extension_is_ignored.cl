// 6.12: #pragma OPENCL EXTENSION extensionname : behavior
// expect: valid
// result: 1
#pragma OPENCL EXTENSION cl_nobody_nothing : enable
kernel void unknown_extension_is_ignored(global int *out) {
    out[0] = 1;
}
