// 6.12: A #pragma that is not recognized by the implementation is ignored.
// expect: valid
// result: 1
#pragma nobody knows this
kernel void unknown_pragma(global int *out) {
#pragma something else
    out[0] = 1;
}
