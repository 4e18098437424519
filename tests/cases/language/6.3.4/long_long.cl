// 6.3.4: long long is reserved: as with clang it is a long of 64 bits.
// expect: valid
// result: 8
kernel void long_long(global int *out) {
    out[0] = sizeof(long long);
}
