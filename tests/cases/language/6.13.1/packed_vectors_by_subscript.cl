// 6.13.1: packed: a component by a subscript is read, assigned, changed and stepped wherever its vector lies; the others stay.
// expect: valid
// result: 30 5 41 9 9 8 12 13 4 3 -2 7 21 10 6 2 55 1 99 3 9 2 8
typedef struct __attribute__((packed)) {
    char tag;
    int4 v;
    short3 s;
    uchar4 c;
    long2 wide;
    int4 rows[2];
    struct { char first; int2 in; } inner;
} Packed;
typedef struct { char tag; int4 v __attribute__((packed)); } Member;
int calls(int *count) { return ++*count; }
Packed made(int x) { Packed p = { 1, (int4)(x, x + 1, x + 2, x + 3) }; return p; }
kernel void packed_vectors_by_subscript(global int *out) {
    Packed own = { 99, (int4)(10, 20, 30, 40), (short3)(1, 2, 3), (uchar4)(4, 5, 6, 7), (long2)(8, 9) }, *p = &own;
    int zero = out[30], one = zero + 1, two = zero + 2, count = 0;
    out[0] = p->v[two];
    out[1] = p->v[zero] = 5;
    p->v[3] += 1;
    out[2] = own.v[two + 1];
    own.v[one] = own.s[two] * 3;
    out[3] = p->v.s1;
    out[4] = p->v[one]--;
    out[5] = (*p).v[one];
    p->rows[one][two] = 12;
    out[6] = p->rows[one].z;
    out[7] = ++p->rows[one][calls(&count) + 1];
    p->c[zero]++;
    out[8] = --p->c[zero];
    p->s[calls(&count) - 2] <<= 1 + zero;
    p->s[one] = p->s[zero] + one;
    out[9] = p->s.y;
    p->wide[one] = -p->s[0];
    out[10] = (int)p->wide[one];
    out[11] = p->c[two + 1];
    p->inner.in[one] = 20;
    out[12] = p->inner.in[one]++ + one;
    Member m = { 1, (int4)(4, 3, 2, 1) };
    m.v[two] *= 5;
    out[13] = m.v.z;
    m.v[zero] = m.v[one] = 6;
    out[14] = one ? m.v[zero] : p->v[zero];
    out[15] = count;
    out[16] = made(53).v[two];
    out[17] = m.tag;
    out[18] = own.tag;
    out[19] = (p->v = (int4)(1, 2, 3, 4))[two];
    out[20] = (p->v += 5).hi.y;
    out[21] = (one ? (p->wide = (long2)(1, 2)) : (m.v.xy = (int2)(3), p->wide)).y;
    out[22] = (calls(&count), ++p->c).w;
}
