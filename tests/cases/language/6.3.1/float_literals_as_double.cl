// 6.3.1: A float literal has float's precision wherever it becomes a double.
// expect: valid
// result: 1 1 1 1 1
kernel void float_literals_as_double(global int *out) {
    float f = 0.1f + out[7];
    double expected = f;
    double list[] = { 0.1f, -0.1f };
    out[0] = list[0] == expected && list[1] == -expected;
    double2 v = (double2)(0.1f, 0.1);
    out[1] = v.x == expected && v.y != expected;
    v = (double2)(1.0) * 0.1f;
    out[2] = v.y == expected;
    v = 0.1f;
    out[3] = v.x == expected;
    constant double2 c = (double2)(0.1f);
    out[4] = c.x == expected;
}
