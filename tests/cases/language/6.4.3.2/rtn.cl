// 6.4.3.2: _rtn: round toward negative infinity.
// expect: valid
// result: 1 2 -2 -3
kernel void rtn(global int4 *out) {
    out[0] = convert_int4_rtn((float4)(1.9f, 2.5f, -1.1f, -2.5f));
}
