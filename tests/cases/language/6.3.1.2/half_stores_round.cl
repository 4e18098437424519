// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: valid
// result: 0x3555 0x7c00
kernel void half_stores_round(global ushort *out) {
    vstore_half(1.0f / 3, 0, (global half *)out);
    vstore_half(65520.0f, 1, (global half *)out);
}
