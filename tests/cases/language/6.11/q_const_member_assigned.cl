// 6.11: q. The type qualifiers const, restrict and volatile as defined by C99 are supported: with a constant member nothing is assigned.
// expect: error "const-qualified data member 'v'" at line 7
typedef struct { const float4 v; int x; } Partly;
typedef struct { int x; Partly inner; } Around;
kernel void q_const_member_assigned(global int *out) {
    Around a = { 1, { (float4)(3), 4 } }, b = a;
    b = a;
}
