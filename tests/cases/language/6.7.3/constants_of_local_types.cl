// 6.7.3: __constant variables may be declared in program scope or in the outermost kernel scope.
// expect: valid
// result: 4 3 1 3 4 1 2 8
// in: 1
kernel void constants_of_local_types(global int *out, int n) {
    enum { A = 3, B };
    constant int row[2] = { A, B };
    struct S { int a; float b; };
    constant struct S pair = { 1, 2 };
    typedef uchar u8;
    constant u8 bytes[] = { 1, 2, 3 };
    constant struct { int a; } unnamed = { 4 };
    constant enum { C, D } chosen = D;
    typedef struct T { int a; struct { int b; } inner; struct T *next; } T;
    constant T both[2] = { { 1, { 2 }, 0 }, { .a = sizeof(struct S) } };
    struct S own = pair;
    T copy = both[0];
    out[0] = row[n & 1];
    out[1] = A;
    out[2] = own.a;
    out[3] = bytes[n + 1];
    out[4] = unnamed.a;
    out[5] = chosen;
    out[6] = copy.inner.b;
    out[7] = both[n].a;
}
