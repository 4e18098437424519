// 6.3.4: long long is reserved: as with clang it is a long of 64 bits.
// expect: error "longlong4" at line 4
kernel void vector_of_long_long(global int *out) {
    longlong4 a;
}
