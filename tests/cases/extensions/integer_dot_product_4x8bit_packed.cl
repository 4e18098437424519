// 6.15: __opencl_c_integer_dot_product_input_4x8bit_packed: the same of four bytes in a uint.
// expect: valid
// options: -cl-std=CL3.0
// result: 70 -130560 -1 -1
kernel void integer_dot_product_4x8bit_packed(global int *out) {
    out[0] = dot_4x8packed_uu_uint(0x04030201u, 0x08070605u);
    out[1] = dot_4x8packed_su_int(0x80808080u, 0xffffffffu);
    out[2] = dot_acc_sat_4x8packed_ss_int(0x000000ffu, 0x00000001u, 0);
    out[3] = dot_acc_sat_4x8packed_uu_uint(0xffffffffu, 0xffffffffu, 4294967290u);
}
