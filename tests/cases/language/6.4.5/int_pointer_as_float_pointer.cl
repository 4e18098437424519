// 6.4.5: Pointers to old and new types may be cast back and forth to each other.
// expect: valid
// result: 0x40000000
kernel void int_pointer_as_float_pointer(global int *out) {
    global float *f = (global float *)out;
    f[0] = 2.0f;
}
