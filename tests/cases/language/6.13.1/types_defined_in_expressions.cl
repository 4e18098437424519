// 6.13.1: a structure, union or enumeration may be defined where its type is named, in an expression as well (C99 6.7.2).
// expect: valid
// result: 1069547520 2 8 1 2 5 4 7 9 3
constant int of_the_program = sizeof(struct { int a; char b; }) - ((struct { int a, b; }){1, 4}).b;
int switched(int x) {
    switch (x) {
    case 1:
        return ((struct { int z; }){x + 6}).z;
    default: {
        while (((struct { int z; }){x}).z < 9)
            x++;
    }
    }
    return x ? ((union { int q; }){x}).q : sizeof(enum { first, second }) + second;
}
kernel void types_defined_in_expressions(global int *out) {
    out[0] = ((union { float f; uint u; }){1.5f}).u;
    int k = ((struct { int a, b; }){1, 2}).b;
    out[1] = k;
    out[2] = sizeof(struct { int a; char b; });
    if (((union { float f; uint u; }){1.5f}).u)
        out[3] = 1;
    for (int i = ((struct { int a, b; }){1, 2}).b; i < 3; i++)
        out[4] = i;
    out[5] = sizeof(enum { A, B }) + B;
    out[6] = of_the_program;
    out[7] = switched(1);
    out[8] = switched(2);
    do {
        int shared[sizeof(struct { char c[3]; })];
        out[9] = sizeof(shared) / sizeof(int);
    } while (((struct { int go; }){0}).go);
}
