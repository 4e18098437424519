// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression: of vectors in packed structs too.
// expect: valid
// result: 3 14 15 22 23 5 6 1 9 31
typedef struct __attribute__((packed)) { char c; int2 v; volatile int2 w; int2 list[2]; } Packed;
kernel void packed_vector(global int *out) {
    Packed a = { 1, (int2)(2, 3), (int2)(4, 5), { (int2)(6, 7), (int2)(8, 9) } }, *p = &a;
    int n = 0;
    p[n++].v += 1;
    out[0] = a.v.x;
    p->w.yx += (int2)(10, 10);
    out[1] = a.w.x;
    out[2] = a.w[1];
    a.list[1] += 14;
    out[3] = a.list[1].x;
    int2 old = p->list[n]++;
    out[4] = a.list[1].x;
    volatile Packed b = a;
    b.v.xy = (int2)(5, 6);
    out[5] = b.v.x;
    a = b;
    out[6] = (++a.v).x;
    out[7] = n;
    a.v[0] = 9;
    out[8] = a.v.x;
    out[9] = (a.list[0].xy = old).x + a.list[0].x - 13;
}
