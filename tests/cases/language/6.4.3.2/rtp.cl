// 6.4.3.2: _rtp: round toward positive infinity.
// expect: valid
// result: 2 3 -1 -2
kernel void rtp(global int4 *out) {
    out[0] = convert_int4_rtp((float4)(1.1f, 2.5f, -1.9f, -2.5f));
}
