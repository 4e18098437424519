// 6.3.1: void: an incomplete type that cannot be completed.
// expect: valid
// result: 1 2 2 4 8 8
kernel void plain_scalar_words(global int *out) {
    out[0] = sizeof(signed char);
    out[1] = sizeof(short int);
    out[2] = sizeof(unsigned short int);
    out[3] = sizeof(unsigned);
    out[4] = sizeof(long int);
    out[5] = sizeof(unsigned long int);
}
