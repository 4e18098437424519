// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: valid
// result: 2
kernel void half_sizeof(global int *out) {
    out[0] = sizeof(half);
}
