// 6.11: q. The type qualifiers const, restrict and volatile as defined by C99 are supported: of members too, whose struct is copied.
// expect: valid
// result: 1 12 23 7 5 9 11 2 4
typedef struct { int a; float4 b; } Inner;
typedef struct {
    volatile short4 v;
    int x;
    volatile float4 list[2];
    volatile Inner in;
    volatile Inner pair[2];
} Outer;
typedef union { volatile int2 both; int one; } Either;
Outer same(Outer given) { Outer copy = given; return copy; }
kernel void q_volatile_member_of_class_type(global int *out) {
    Outer a = { (short4)(1, 2, 3, 4), 5, { (float4)(6), (float4)(7) }, { 8, (float4)(9) } }, b;
    b = a;
    b.v.x += 11;
    b.v.zw = (short2)(23, 24);
    a = (out[0] = b.x, same(b));
    out[0] = same(b).v.x - 11;
    out[1] = a.v.x;
    out[2] = a.v.s2;
    out[3] = a.list[1].y;
    volatile Inner *in = &a.in;
    in->b.x = 5;
    out[4] = a.in.b.x;
    a.pair[1] = b.in;
    out[5] = (a.x ? a : b).pair[1].b.w;
    Either e = { .both = (int2)(2, 4) }, f = e;
    volatile int2 *p = &f.both;
    *p += e.both + f.both + (int2)(7, 0);
    out[6] = f.one - 2;
    out[7] = e.both[0];
    out[8] = ({ Either g = e; g; }).both[1];
}
