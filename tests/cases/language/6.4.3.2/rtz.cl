// 6.4.3.2: _rtz: round toward zero.
// expect: valid
// result: 1 2 -1 -2
kernel void rtz(global int4 *out) {
    out[0] = convert_int4_rtz((float4)(1.9f, 2.5f, -1.9f, -2.5f));
}
