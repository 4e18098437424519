// 6.14.5: The unary operators (*) and (&) cannot be used with a Block.
// expect: error "invalid argument type" at line 7
// options: -cl-std=CL2.0
typedef int (^bl_t)(int);
kernel void address_of_a_block(global int *out) {
    bl_t b = ^(int n) { return n; };
    out[0] = &b != 0;
}
