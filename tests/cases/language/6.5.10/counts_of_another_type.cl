// 6.5.10: The result of E1 << E2 is E1 left-shifted by the log2(N) least significant bits in E2, of whatever element type.
// expect: valid
// result: 2 4 8 3 1 32
kernel void counts_of_another_type(global int *out) {
    int2 a = (int2)(1, 2) << (uint2)(1, 33);
    out[0] = a.x;
    out[1] = a.y;
    char2 c = (char2)(1, 1);
    c <<= (long2)(3, 8);
    out[2] = c.x;
    out[3] = c.y + 2;
    long2 l = (long2)(64, 64);
    l >>= (char2)(6, 65);
    out[4] = l.x;
    out[5] = l.y;
}
