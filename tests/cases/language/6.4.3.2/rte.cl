// 6.4.3.2: _rte: round to nearest even.
// expect: valid
// result: 2 2 4 -2
kernel void rte(global int4 *out) {
    out[0] = convert_int4_rte((float4)(1.5f, 2.5f, 3.5f, -2.5f));
}
