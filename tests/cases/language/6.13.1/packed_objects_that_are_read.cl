// 6.13.1: packed: a member is read where it lies: its components, its first element through *, for a volatile copy.
// expect: valid
// result: 4 3 1 2 3 40 7 9 10 11 5 16
typedef struct __attribute__((packed)) { char c; int4 v[2]; short a[2]; int n[2][2]; } tight;
kernel void packed_objects_that_are_read(global int *out) {
    tight t;
    tight *p = &t;
    for (int i = 0; i < sizeof(t); i++) ((char *)p)[i] = 0;
    p->v[out[40]] = (int4)(1, 2, 3, 4);
    p->v[1] = p->v[0].wzyx;
    int2 first = p->v[1].xy, low = p->v[0].lo;
    out[0] = first.x, out[1] = first.y, out[2] = low.x, out[3] = low.y, out[4] = p->v[0].zw.x;
    p->v[0].xw *= 10;
    out[5] = p->v[0].w;
    *p->a = 7;
    out[6] = *p->a;
    *t.n[1] = 9;
    (*p->n)[1] = 10;
    out[7] = **(t.n + 1), out[8] = t.n[0][1];
    volatile int4 copy = p->v[1];
    out[9] = copy.x + 7;
    (*p->a)--;
    *p->a -= 1;
    out[10] = p->a[0];
    out[11] = sizeof(p->v[0].lo) + sizeof(*p->v) / 2;
}
