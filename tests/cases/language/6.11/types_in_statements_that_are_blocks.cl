// 6.11: As in C99 6.8.4 and 6.8.5, selection and iteration statements are blocks, and so are their substatements.
// expect: valid
// result: 4 2 8 3 6 9 5 0 1
// in: 8
kernel void types_in_statements_that_are_blocks(global int *out, int n) {
    if (n + sizeof(enum { a }))
        out[0] = sizeof(enum { a });
    else
        out[0] = a;
    if (n == sizeof(enum { a = 7 }))
        out[1] = a;
    else if (n == 2 * sizeof(enum { a = 2 }))
        out[1] = a;
    else
        out[1] = a + sizeof(enum { a = 3 });
    while (sizeof(struct two_ways { int x; }) < n)
        n -= sizeof(struct two_ways { int y; });
    out[2] = n + sizeof(struct two_ways { int z; });
    switch (n - sizeof(enum { a = 4, b = 0 })) {
    case b:
        out[3] = sizeof(enum { a = 3 }) - 1;
    }
    do
        n += sizeof(enum { a = 2 }) - 3;
    while (n < sizeof(enum { a = 2 }) + a);
    out[4] = n;
    for (struct two_ways { int x; } p = { 5 }; p.x < 2 * sizeof(enum { a = 7 }) + 1; p.x += sizeof(enum { b }))
        out[p.x] = p.x == 5 ? a + 2 : sizeof(struct two_ways { long x; });
    enum { a = 5 };
    out[6] = a;
    out[7] = 0;
    out[8] = sizeof(struct two_ways *) / 8;
}
