// 6.3.1: A floating-point literal that its type cannot hold becomes infinite or zero, with a warning.
// expect: valid
// result: 1 1 0 1 1 0 1 1
kernel void literals_beyond_their_type(global int *out) {
    float large = 1e39f, list[] = { -1e39f, 1e40, 0x1p128f };
    out[0] = isinf(large);
    out[1] = list[0] == -INFINITY && isinf(list[1]) && isinf(list[2]);
    float small = 1e-46f, least = 0x1p-149f;
    out[2] = small != 0 || 0x1p-151f != 0;
    out[3] = as_int(least);
    double d = 1e309;
    out[4] = d > 1.7976931348623157e308;
    out[5] = 1e-325 != 0;
    double4 v = (double4)(1e39f);
    out[6] = isinf(v.x) != 0;
    out[7] = 16777217.0f == 16777216.0f && (int)16777217.0f == 16777216;
}
