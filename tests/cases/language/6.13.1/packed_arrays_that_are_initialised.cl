// 6.13.1: packed: the elements of an array in a packed record lie at any address, and so do those of records and arrays in it.
// expect: valid
// result: 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
typedef struct __attribute__((packed)) { char c; ushort a[2]; volatile short v[2]; } tight;
typedef struct __attribute__((packed)) { char c; int list[2][2]; ulong2 pairs[2]; struct { char c; int i[2]; } in; struct { char d; int j[2]; }; } wide;
typedef struct { char c; tight t; int list[2] __attribute__((packed)); } outer;
constant tight table[2] = { { 1, { 9, 'a' + 1 - 'X' }, { 11, 12 } }, { 2, { 1, 2 }, { 3, 4 } } };
tight made(ushort x) { return (tight){ 1, { x, x + 1 }, { x + 2 } }; }
kernel void packed_arrays_that_are_initialised(global int *out) {
    int n = 2 + out[40];
    tight t = { 1, { n + 1, n + 2 }, { n + 3, n + 4 } };
    out[0] = t.a[0], out[1] = t.a[1], out[2] = t.v[n - 2], out[3] = t.v[n - 1];
    const tight several[2] = { { 1, { n + 5 } }, { .a = { [1] = n + 6 } } };
    out[4] = several[n - 2].a[0], out[5] = several[1].a[n - 1];
    constant tight *const constants = table;
    out[6] = constants[n - 2].a[0], out[7] = table[0].a[1], out[8] = table[n - 2].v[0], out[9] = table[0].v[n - 1];
    wide w = { 1, { { n + 11, n + 12 }, { n + 13, n + 14 } }, { (ulong2)(n + 15, n + 16), (ulong2)(n + 17) }, { 2, { n + 18, n + 19 } }, { 3, { n + 20, n + 21 } } };
    out[10] = w.list[n - 2][0], out[11] = w.list[0][n - 1], out[12] = w.list[1][0], out[13] = w.list[n - 1][n - 1];
    out[14] = w.pairs[n - 2].x, out[15] = w.pairs[0].y, out[16] = w.pairs[n - 1].y;
    out[17] = w.in.i[n - 2], out[18] = w.in.i[1], out[19] = w.j[n - 2], out[20] = w.j[1];
    outer o = { 1, { 2, { n + 22, n + 23 }, { n + 24, n + 25 } }, { n + 26, n + 27 } };
    out[21] = o.t.a[n - 2], out[22] = o.t.a[1], out[23] = o.t.v[n - 2], out[24] = o.t.v[1], out[25] = o.list[n - 2], out[26] = o.list[1];
    tight made_here = made(n + 28);
    tight *lent = &(tight){ 1, { made_here.a[0], n + 29 } };
    out[27] = lent->a[n - 2], out[28] = lent->a[n - 1], out[29] = made(n + 28).v[n - 2];
}
