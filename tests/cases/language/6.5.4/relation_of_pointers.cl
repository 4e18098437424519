// 6.5.4: All other cases of implicit conversions are illegal.
// expect: valid
// result: 1 0
kernel void relation_of_pointers(global int *out) {
    out[0] = out < out + 1; out[1] = out >= out + 1;
}
