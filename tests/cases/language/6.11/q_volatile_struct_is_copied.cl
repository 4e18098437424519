// 6.11: q. The type qualifiers const, restrict and volatile as defined by C99 are supported: volatile objects are read and written whole.
// expect: valid
// result: 1 2 3 4 12 6
typedef struct { char c; float4 v; } Part;
typedef struct { Part part; int x; } Whole;
kernel void q_volatile_struct_is_copied(global int *out) {
    volatile Whole a = { { 1, (float4)(2) }, 3 };
    Whole b = a;
    volatile Whole c[2] = { a, b };
    c[1].part.v.y = 4;
    c[0] = c[1];
    volatile Whole *p = c;
    b = *p;
    out[0] = b.part.c;
    out[1] = b.part.v.x;
    out[2] = b.x;
    out[3] = p->part.v[1];
    p->part = a.part;
    p->part.v *= 6.0f;
    out[4] = c[0].part.v.z;
    out[5] = (out[0] ? a : b).part.v.x * a.x;
}
