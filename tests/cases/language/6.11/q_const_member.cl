// 6.11: q. The type qualifiers const, restrict and volatile as defined by C99 are supported: a struct with constant members needs no value.
// expect: valid
// result: 7 3
typedef struct { const float4 v; int x; } Partly;
kernel void q_const_member(global int *out) {
    Partly a, list[2];
    local Partly shared;
    struct { Partly inner; const int n; } b = { { (float4)(3), 4 }, 5 };
    a.x = 7;
    list[1].x = a.x;
    out[0] = list[1].x;
    out[1] = b.inner.v.x;
}
