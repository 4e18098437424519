// 6.3.4: long long is reserved: as with clang it is a long of 64 bits.
// expect: error "complex numbers ('_Complex') are not supported by cl2cuda" at line 5
// clang: differs because it has C99's complex types
kernel void complex_float(global int *out) {
    _Complex float a;
}
