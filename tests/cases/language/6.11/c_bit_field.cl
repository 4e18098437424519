// 6.11: c. Bit-field struct members are currently not supported.
// expect: error "bit-field" at line 3
struct s { int a : 3; };
kernel void c_bit_field(global int *out) {
    out[0] = 1;
}
